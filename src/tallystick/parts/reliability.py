"""Confidence against accuracy: the tallies and the tables that several audits share.

A further measure of calibration is computed in `tallystick.metrics.bins` from what `Reliability` holds.
"""

from collections.abc import Sequence
from typing import Annotated, Any

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from ..measure import SHARE, Measure, Number, end
from ..metrics.bins import (
    Bin,
    bin_of,
    expected_calibration_error,
    maximum_calibration_error,
    occupied,
)
from ..metrics.curves import Acceptance, acceptance
from ..metrics.exact import ratio
from ..metrics.intervals import wilson
from ..tallies import Compound, Counts, Sums, Values


class Reliability(Compound):
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


class Confident(Compound):
    """Answers with a confidence: reliability, the curve of thresholds, and the squared error."""

    def __init__(self, bins: int) -> None:
        self.reliability, self.confidences = Reliability(bins), Values(channels=2)
        self.squared_error = Sums()

    def add(
        self, confidence: NDArray[np.float64], right: NDArray[np.bool_], error: NDArray[np.float64]
    ) -> None:
        """Add answers by their confidence, whether they are right, and their Brier score (shape n each)."""
        self.reliability.add(confidence, right)
        self.confidences.add(confidence, right.astype(np.intp))
        self.squared_error.add(error)

    @property
    def curve(self) -> Acceptance:
        """What a threshold at each confidence accepts."""
        wrong, right = self.confidences.counts.T
        return acceptance(self.confidences.values, right, wrong)

    def measures(self, prefix: str, level: float) -> dict[str, Any]:
        """Make the measures and tables of these answers, their names beginning with a prefix."""
        bins, records, right = self.reliability.bins, self.reliability.records, self.reliability.right
        low, high = wilson(right, records, level)
        made = {
            "questions": records,
            "accuracy": ratio(right, records),
            "accuracy_low": low,
            "accuracy_high": high,
            "ece": expected_calibration_error(bins),
            "mce": maximum_calibration_error(bins),
            "brier_score": ratio(self.squared_error.total, records),
            "reliability": bin_rows(bins, level),
            "curve": curve_rows(self.curve),
        }
        return {f"{prefix}_{name}": value for name, value in made.items()}


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


class Point(Struct, frozen=True):
    """What one threshold keeps."""

    threshold: float
    coverage: Annotated[Number, Measure("Share of the answers that are kept.", within=SHARE)]
    accuracy: Annotated[
        Number, Measure("Share of those kept that are right.", within=SHARE, undefined="none is kept")
    ]


def curve_rows(curve: Acceptance, steps: int = 100) -> list[Point]:
    """Make the curve of thresholds 0, 1/steps .. 1; empty where there are no answers."""
    records = int(curve.records[-1]) if len(curve.records) else 0
    rows = []
    for step in range(steps + 1) if records else ():
        kept, wrong = curve.at(step / steps)
        rows.append(Point(step / steps, ratio(kept, records), ratio(kept - wrong, kept)))
    return rows
