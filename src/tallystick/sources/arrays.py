"""Columns by name, as numpy arrays or lists: a mapping that stands for a frame."""

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from ..errors import SourceError
from ..fields import describe
from .batch import Batch
from .columns import MISSING, ROWS, absent, batch, cast, numbers, objects, place
from .facts import Facts
from .mappings import scalar
from .shape import Leaf, Shape


def read(columns: Mapping[str, Any], name: str, shape: Shape, source: str, facts: Facts) -> Iterator[Batch]:
    """Read the rows of columns, batch by batch.

    Raises
    ------
    RecordError
        For the first row that is not as declared, naming row and column.
    SourceError
        For columns of different lengths, a column that is not there, or whole numbers in the place of text.
    """
    names = list(columns)
    places = {leaf.path: place(leaf, names, name) for leaf in shape.leaves}
    held: dict[str, Any] = {}
    for leaf in shape.leaves:
        key = places[leaf.path]
        if key is not None:
            if key != leaf.spelled:
                raise SourceError(name, f"column {key!r} has no fields to reach into")
            held[key] = _column(columns[key], leaf, name, shape)
    sizes = {key: len(column) for key, column in held.items()}
    if len(set(sizes.values())) > 1:
        said = ", ".join(f"{key} {size}" for key, size in sizes.items())
        raise SourceError(name, f"columns of different lengths: {said}")
    size = max(sizes.values(), default=0)
    for start in range(0, size, ROWS):
        part = {key: column[start : start + ROWS] for key, column in held.items()}
        where = lambda row, start=start: f"{name}:row {start + row + 1}"  # noqa: E731
        chunk = _Rows(part, places, min(ROWS, size - start))
        facts.records += len(chunk)
        yield batch(chunk, shape, source, where)


def _column(given: Any, leaf: Leaf, name: str, shape: Shape) -> Any:
    """Take a column as an array of numbers or as a list of objects."""
    if isinstance(given, np.ndarray) and given.dtype.kind in "biuf" and given.ndim == 1:
        if given.dtype.kind in "iu" and leaf.is_only_text:
            what = f"{leaf.spelled}: whole numbers ({given.dtype}), expected {describe(leaf.kind)}"
            raise SourceError(name, what, cast(shape.declared(leaf)))
        return given
    if (
        hasattr(given, "__len__")
        and hasattr(given, "__getitem__")
        and not isinstance(given, str | bytes | Mapping)
    ):
        return given.tolist() if hasattr(given, "tolist") else list(given)
    raise SourceError(name, f"{leaf.spelled}: expected an array or a list, got {type(given).__name__}")


class _Rows:
    """A part of some columns as a chunk of records."""

    def __init__(self, columns: dict[str, Any], places: dict[tuple[str, ...], str | None], size: int) -> None:
        self._columns, self._places, self._size = columns, places, size

    def __len__(self) -> int:
        return self._size

    def column(self, leaf: Leaf) -> Any:
        """Give a column that is as declared, or None."""
        name = self._places[leaf.path]
        if name is None:
            return absent(leaf, self._size)
        column = self._columns[name]
        if isinstance(column, np.ndarray) and leaf.is_number:
            return numbers(column, leaf)
        return objects(self.values(leaf), leaf)

    def values(self, leaf: Leaf) -> list[Any]:
        """Give the single values of a column."""
        name = self._places[leaf.path]
        if name is None:
            return [MISSING] * self._size
        column = self._columns[name]
        listed = column.tolist() if isinstance(column, np.ndarray) else map(scalar, column)
        return [MISSING if value is None else value for value in listed]
