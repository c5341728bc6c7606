"""Equal-width bins of [0, 1], and what is computed from them.

Bin b of B holds ``b/B <= c < (b+1)/B``, the edges being the float64 values of b/B; the last also holds 1.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from .exact import ratio, total


@dataclass(frozen=True, slots=True)
class Bin:
    """A bin that is not empty. `accuracy` and `confidence` are exact means over its records."""

    index: int
    lower: float
    upper: float
    records: int
    right: int
    confidence: Fraction

    @property
    def accuracy(self) -> Fraction:
        """Share of records that are right."""
        return Fraction(self.right, self.records)

    @property
    def gap(self) -> Fraction:
        """Accuracy less mean confidence: positive where confidence is too low."""
        return self.accuracy - self.confidence


def bin_of(confidence: NDArray[np.float64], bins: int) -> NDArray[np.intp]:
    """Give the bin (from 0, shape n) of each confidence (shape n, in [0, 1])."""
    edges = np.array([b / bins for b in range(1, bins)])
    return np.searchsorted(edges, confidence, side="right")


def occupied(
    records: Iterable[int], right: Iterable[int], confidence: Iterable[Fraction], bins: int
) -> list[Bin]:
    """Join, bin by bin, the counts of records and of right ones with the exact sum of confidences."""
    return [
        Bin(b, b / bins, (b + 1) / bins, n, k, c / n)
        for b, (n, k, c) in enumerate(zip(records, right, confidence, strict=True))
        if n
    ]


def expected_calibration_error(bins: Sequence[Bin]) -> Fraction | None:
    """ECE: the gaps' sizes, weighted by the bins' shares of the records, in [0, 1].

    Naeini, Cooper & Hauskrecht (2015), AAAI. None without records.
    """
    return ratio(total(b.records * abs(b.gap) for b in bins), sum(b.records for b in bins))


def maximum_calibration_error(bins: Sequence[Bin]) -> Fraction | None:
    """MCE: the largest size of a gap, in [0, 1]; None without records."""
    return max((abs(b.gap) for b in bins), default=None)
