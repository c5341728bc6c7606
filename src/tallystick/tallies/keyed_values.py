"""The multiset of values for each of many keys."""

from collections.abc import Iterator, Sequence
from typing import Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from .numbering import numbered, rows_by
from .values import Values

Key: TypeAlias = tuple[str, ...]
"""One string for each of the crossed columns."""


class KeyedValues:
    """Each distinct float64 value with its count, apart for each combination of one or more columns.

    16 bytes a distinct value of a key, up to three times that while rows are joined, and some 500 a key.
    """

    def __init__(self) -> None:
        self._values: dict[Key, Values] = {}

    def add(self, columns: Sequence[Sequence[str]], values: NDArray[np.float64]) -> None:
        """Count each finite value (shape n) once, under the key in its row of the columns (shapes n)."""
        if not len(values):
            return
        codes, keys = numbered(list(zip(*columns, strict=True)))
        for key, rows in zip(keys, rows_by(codes, len(keys)), strict=True):
            self._at(key).add(values[rows])

    def _at(self, key: Key) -> Values:
        if key not in self._values:
            self._values[key] = Values()
        return self._values[key]

    def __getitem__(self, key: Key) -> Values:
        """Give the values of a key; none where it does not occur."""
        return self._values.get(key) or Values()

    def __iter__(self) -> Iterator[tuple[Key, Values]]:
        """Give each key and its values, ascending by key (code point order)."""
        return iter(sorted(self._values.items(), key=lambda item: item[0]))

    def __len__(self) -> int:
        return len(self._values)

    def merge(self, other: Self) -> None:
        """Add the values of another tally over the same columns."""
        for key, values in other._values.items():
            self._at(key).merge(values)

    def dump(self) -> list[tuple[Key, tuple[bytes, bytes]]]:
        """Give each key and its dumped values, ascending."""
        return [(key, values.dump()) for key, values in self]

    def load(self, state: Sequence[tuple[Sequence[str], Sequence[bytes]]]) -> None:
        """Take dumped values."""
        self._values = {}
        for key, values in state:
            self._at(tuple(key)).load(values)
