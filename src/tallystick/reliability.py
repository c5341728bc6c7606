"""Confidence against accuracy, bin by bin: the tally and the table that several audits share.

A further measure of calibration is computed in `tallystick.metrics.bins` from what `Reliability` holds.
"""

from collections.abc import Sequence
from typing import Annotated, Any, Self

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from .measure import SHARE, Measure, Number, end
from .metrics.bins import Bin, bin_of, occupied
from .metrics.exact import ratio
from .metrics.intervals import wilson
from .tallies import Counts, Sums


class Reliability:
    """The records, the right ones and the exact sum of confidence of each equal-width bin."""

    def __init__(self, bins: int) -> None:
        self._bins = bins
        self._records, self._right, self._confidence = Counts(bins), Counts(bins), Sums(bins)

    def add(self, confidence: NDArray[np.float64], right: NDArray[np.bool_]) -> None:
        """Add records by their confidence (shape n, in [0, 1]) and whether they are right (shape n)."""
        bins = bin_of(confidence, self._bins)
        self._records.add(bins)
        self._right.add(bins, where=right)
        self._confidence.add(confidence, bins)

    @property
    def records(self) -> int:
        """How many records were added."""
        return self._records.total

    @property
    def right(self) -> int:
        """How many of them are right."""
        return self._right.total

    @property
    def mean_confidence(self) -> Number:
        """The exact mean of their confidence; None without records."""
        return ratio(self._confidence.total, self.records)

    @property
    def bins(self) -> list[Bin]:
        """The bins that are not empty, ascending."""
        return occupied(self._records, self._right, self._confidence, self._bins)

    def merge(self, other: Self) -> None:
        """Add the records of another tally with as many bins."""
        self._records.merge(other._records)
        self._right.merge(other._right)
        self._confidence.merge(other._confidence)

    def dump(self) -> list[Any]:
        """Give the counts and sums, bin by bin."""
        return [self._records.dump(), self._right.dump(), self._confidence.dump()]

    def load(self, state: Sequence[Any]) -> None:
        """Take dumped counts and sums."""
        records, right, confidence = state
        self._records.load(records)
        self._right.load(right)
        self._confidence.load(confidence)


class BinRow(Struct, frozen=True):
    """One bin that is not empty."""

    index: int
    lower: float
    upper: float
    records: int
    mean_confidence: Annotated[Number, Measure("Mean confidence of the bin.", within=SHARE)]
    accuracy: Annotated[Number, Measure("Share of the bin's records that are right.", within=SHARE)]
    accuracy_low: Annotated[Number, end("low", "accuracy", better=None)]
    accuracy_high: Annotated[Number, end("high", "accuracy", better=None)]
    gap: Annotated[Number, Measure("Accuracy less mean confidence.", within=(-1, 1))]


def bin_rows(bins: Sequence[Bin], level: float) -> list[BinRow]:
    """Make the reliability table, with Wilson intervals at a confidence level."""
    return [
        BinRow(
            b.index,
            b.lower,
            b.upper,
            b.records,
            b.confidence,
            b.accuracy,
            *wilson(b.right, b.records, level),
            b.gap,
        )
        for b in bins
    ]
