"""Counts of strings, or of combinations of strings."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from math import prod
from typing import Any, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from .numbering import Numbered, numbered

Key: TypeAlias = tuple[str | int, ...]
"""One value for each of the crossed columns."""


class Crosstab:
    """How often each combination of the values of one or more columns occurs.

    A contingency table that grows with the combinations that occur: about 150 bytes for each of them,
    besides the strings.
    """

    def __init__(self) -> None:
        self._counts: Counter[Key] = Counter()

    def add(self, *columns: Iterable[str | int]) -> None:
        """Count each row of the columns (one or more, of equal length) once.

        Rows are counted by the numbers of their words, which a column may have already (`codes` and `words`),
        unless there are more combinations of words than rows.
        """
        listed = [column if isinstance(column, Sequence) else list(column) for column in columns]
        if len(set(map(len, listed))) > 1:
            raise ValueError("one column is shorter than another")
        known: list[Any] = [column if hasattr(column, "codes") else numbered(column) for column in listed]
        if prod(len(column.words) for column in known) > max(len(listed[0]), 1):
            self._counts.update(zip(*listed, strict=True))
        else:
            self._add_numbered(known)

    def add_numbers(self, *columns: NDArray[np.int64]) -> None:
        """Count each row of columns of whole numbers, none negative (one or more, each of shape n), once."""
        known = [Numbered(column, range(int(column.max(initial=-1)) + 1)) for column in columns]
        if prod(len(column.words) for column in known) > len(columns[0]):
            self._counts.update(zip(*(column.tolist() for column in columns), strict=True))
        else:
            self._add_numbered(known)

    def _add_numbered(self, columns: Sequence[Any]) -> None:
        sizes = [len(column.words) for column in columns]
        joint = np.zeros(len(columns[0].codes), dtype=np.intp)
        for column, size in zip(columns, sizes, strict=True):
            joint *= size
            joint += column.codes
        counts = np.bincount(joint)
        present = np.flatnonzero(counts)
        places = np.unravel_index(present, sizes)
        words = (
            [column.words[i] for i in place.tolist()] for column, place in zip(columns, places, strict=True)
        )
        for key, count in zip(zip(*words, strict=True), counts[present].tolist(), strict=True):
            self._counts[key] += count

    def add_total(self, count: int, *key: str | int) -> None:
        """Count `count` rows of one combination at once."""
        self._counts[key] += count

    def __getitem__(self, key: Key) -> int:
        return self._counts[key]

    def __len__(self) -> int:
        return len(self._counts)

    def __iter__(self) -> Iterator[tuple[Key, int]]:
        """Give each combination and its count, ascending by combination (code point order)."""
        return iter(sorted(self._counts.items()))

    def margin(self, column: int) -> dict[Any, int]:
        """Count each value of one column, ascending by value."""
        counts: Counter[str | int] = Counter()
        for key, count in self._counts.items():
            counts[key[column]] += count
        return dict(sorted(counts.items()))

    @property
    def total(self) -> int:
        """How many rows were counted."""
        return self._counts.total()

    def merge(self, other: Self) -> None:
        """Add the counts of another tally over the same columns."""
        self._counts.update(other._counts)

    def dump(self) -> list[tuple[Key, int]]:
        """Give the combinations and their counts, ascending."""
        return list(self)

    def load(self, state: Sequence[tuple[Sequence[str | int], int]]) -> None:
        """Take dumped counts."""
        self._counts = Counter({tuple(key): count for key, count in state})
