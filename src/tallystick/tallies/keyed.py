"""Exact sums by string key."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Self

import numpy as np
from numpy.typing import NDArray

from .sums import Sums


class KeyedSums:
    """An exact sum of finite float64 values for each key that occurs: about 500 bytes a key."""

    def __init__(self) -> None:
        self._sums: dict[str, Sums] = {}

    def add(self, keys: Sequence[str], values: NDArray[np.float64]) -> None:
        """Add each column of the values (shape n by k, finite) to the sum of its key (k of them)."""
        for key, column in zip(keys, values.T, strict=True):
            self._at(key).add(column)

    def _at(self, key: str) -> Sums:
        if key not in self._sums:
            self._sums[key] = Sums()
        return self._sums[key]

    def __getitem__(self, key: str) -> Fraction:
        return self._sums[key].total

    def merge(self, other: Self) -> None:
        """Add the sums of another tally."""
        for key, sums in other._sums.items():
            self._at(key).merge(sums)

    def dump(self) -> list[tuple[str, list[bytes]]]:
        """Give each key and its dumped sum, ascending."""
        return [(key, sums.dump()) for key, sums in sorted(self._sums.items())]

    def load(self, state: Sequence[tuple[str, Sequence[bytes]]]) -> None:
        """Take dumped sums."""
        self._sums = {}
        for key, sums in state:
            self._at(key).load(sums)
