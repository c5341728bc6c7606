"""The multiset of the exact rationals of a column."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

_HALF = 1 << 32
"""What parts two numbers that are packed into one of 64 bits."""


class Rationals:
    """Each distinct rational with how often it occurs: about 200 bytes for each."""

    def __init__(self) -> None:
        self._counts: Counter[tuple[int, int]] = Counter()

    def add(
        self,
        numerator: NDArray[np.integer[Any]],
        denominator: NDArray[np.integer[Any]],
        times: NDArray[np.int64] | None = None,
    ) -> None:
        """Count each rational (shapes n), in lowest terms with a denominator above 0, once or some times."""
        parts = numerator.astype(np.int64), denominator.astype(np.int64)
        if len(numerator) and max(np.abs(part).max() for part in parts) < _HALF // 2:
            packed, which, counts = np.unique(
                parts[0] * _HALF + parts[1], return_inverse=True, return_counts=True
            )
            if times is not None:
                counts = np.zeros_like(packed)
                np.add.at(counts, which, times)
            for one, count in zip(packed.tolist(), counts.tolist(), strict=True):
                self._counts[divmod(one, _HALF)] += count
        else:
            each = [1] * len(numerator) if times is None else times.tolist()
            for one, other, count in zip(*(part.tolist() for part in parts), each, strict=True):
                self._counts[one, other] += count

    def add_counts(self, counts: Mapping[tuple[int, int], int]) -> None:
        """Count each rational (numerator and denominator, likewise) as often as its count says."""
        self._counts.update(counts)

    def __iter__(self) -> Iterator[tuple[Fraction, int]]:
        """Give each rational and its count, in an order that depends on the state alone."""
        return ((Fraction(*ratio), count) for ratio, count in sorted(self._counts.items()))

    def __len__(self) -> int:
        return len(self._counts)

    @property
    def total(self) -> int:
        """How many rationals were counted."""
        return self._counts.total()

    def merge(self, other: Self) -> None:
        """Add the rationals of another tally."""
        self._counts.update(other._counts)

    def dump(self) -> list[tuple[int, int, int]]:
        """Give numerators, denominators and counts, ascending."""
        return [(*ratio, count) for ratio, count in sorted(self._counts.items())]

    def load(self, state: Sequence[tuple[int, int, int]]) -> None:
        """Take dumped counts."""
        self._counts = Counter({(one, other): count for one, other, count in state})
