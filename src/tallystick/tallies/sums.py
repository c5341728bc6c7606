"""Exact sums of float64 values.

A float64 is an integer times a power of two, so a sum of them is an integer times the smallest power
there is. Adding integers does not round: the sum is the same in any order and any split, and it is
rounded once, when it is read.
"""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

_DIGITS = 53
"""Bits of a float64's significand."""

_LOW_BITS = 26
"""Bits of the lower half of a significand; 26 + 27 = 53."""

_UNIT = 1126
"""Totals count units of 2^-1126: `frexp` gives exponents from -1073, less 53 for the significand."""

MOST_VALUES = 2**26
"""The most values in one addition, so that float64 sums of the 27-bit halves stay below 2^53, exact."""


class Sums:
    """Exact sums of finite float64 values over `size` cells, numbered from 0.

    Up to about 300 bytes a cell. Adding takes some 30 ns a value.
    """

    def __init__(self, size: int = 1) -> None:
        self._totals = [0] * size

    def add(self, values: NDArray[np.float64], cells: NDArray[np.integer[Any]] | None = None) -> None:
        """Add each value (shape n, finite) to its cell (shape n), or to cell 0.

        Raises
        ------
        ValueError
            Where a value is NaN or infinite.
        """
        for start in range(0, len(values), MOST_VALUES):
            piece = slice(start, start + MOST_VALUES)
            self._add(values[piece], None if cells is None else cells[piece])

    def add_integers(self, values: NDArray[np.int64]) -> None:
        """Add each whole number (shape n, at most 2^31 of them) to cell 0, by halves."""
        high, low = values >> 32, values & (2**32 - 1)
        self._totals[0] += ((int(high.sum()) << 32) + int(low.sum())) << _UNIT

    def _add(self, values: NDArray[np.float64], cells: NDArray[np.integer[Any]] | None) -> None:
        if not np.isfinite(values).all():
            raise ValueError("a sum takes finite values only")
        fraction, exponent = np.frexp(values)
        significand = np.ldexp(fraction, _DIGITS).astype(np.int64)
        lowest = int(exponent.min(initial=0))
        width = int(exponent.max(initial=0)) - lowest + 1
        slot = (exponent - lowest).astype(np.int64)
        if cells is not None:
            slot += cells.astype(np.int64) * width
        used, slot = np.unique(slot, return_inverse=True) if self._sparse(width, values) else (None, slot)
        high = np.bincount(slot, weights=(significand >> _LOW_BITS).astype(np.float64))
        low = np.bincount(slot, weights=(significand & (2**_LOW_BITS - 1)).astype(np.float64))
        for index in np.flatnonzero((high != 0) | (low != 0)).tolist():
            cell, power = divmod(index if used is None else int(used[index]), width)
            units = (int(high[index]) << _LOW_BITS) + int(low[index])
            self._totals[cell] += units << (power + lowest - _DIGITS + _UNIT)

    def _sparse(self, width: int, values: NDArray[np.float64]) -> bool:
        """Whether a full table of cells by exponents would be larger than the batch itself."""
        return width * len(self._totals) > 4 * len(values) + 4096

    def __getitem__(self, cell: int) -> Fraction:
        return Fraction(self._totals[cell], 1 << _UNIT)

    def __len__(self) -> int:
        return len(self._totals)

    def __iter__(self) -> Iterator[Fraction]:
        return (self[cell] for cell in range(len(self)))

    @property
    def total(self) -> Fraction:
        """The sum over all cells."""
        return Fraction(sum(self._totals), 1 << _UNIT)

    def merge(self, other: Self) -> None:
        """Add the sums of another tally of the same size."""
        self._totals = [a + b for a, b in zip(self._totals, other._totals, strict=True)]

    def dump(self) -> list[bytes]:
        """Give each total as a signed big-endian integer, in as few bytes as hold it."""
        return [t.to_bytes(t.bit_length() // 8 + 1, "big", signed=True) for t in self._totals]

    def load(self, state: Sequence[bytes]) -> None:
        """Take dumped totals."""
        self._totals = [int.from_bytes(t, "big", signed=True) for t in state]
