"""What a dot plot is of: its lines, and what they are compared with."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from .rows import Estimate, words


class Line(NamedTuple):
    """A row of a dot plot: what it is of, its estimates by measure, and what else is written or marked."""

    name: str
    estimates: Mapping[str, Estimate]
    records: int | None = None
    said: str = ""
    limits: tuple[float, ...] = ()


class Dots(NamedTuple):
    """What a dot plot shows besides its lines."""

    measures: Sequence[str]
    overall: Mapping[str, float | None] = {}
    """The value of the whole, which a line marks."""
    even: float | None = None
    """The value that means no difference."""
    column: str = ""
    """What the numbers at the right are."""
    sorts: bool = True
    axis: str = ""
    """What is written on the axis in place of the measure."""

    def said(self, measure: str) -> str:
        """Write a measure as its axis does."""
        return self.axis or words(measure)
