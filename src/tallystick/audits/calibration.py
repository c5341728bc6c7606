"""Do stated confidences match observed accuracy?

Each record has an expected and a predicted text, and the confidence c in [0, 1] that the model stated
for its prediction: its own estimate of the probability that it is right. It is right (y = 1, else 0) when
both texts are equal after normalisation (`--normalize`).

Bin b of B (`--bins`) holds the confidences ``b/B <= c < (b+1)/B``, the edges being the float64 values of
b/B, and the last bin also holds 1. So 0.29 falls in [0.29, 0.30) with 100 bins, although
``floor(0.29 * 100)`` is 28; with 10 bins this is the floor rule but for 0.8999999999999999, which it puts
below 0.9, where it belongs. Empty bins are left out. With n_b records, accuracy a_b and mean confidence
c_b in bin b, and n records in all

    ece         = sum over bins of n_b / n * |a_b - c_b|
    mce         = the largest |a_b - c_b|
    gap         = a_b - c_b, below 0 where the model is too sure
    brier_score = mean of (c - y)^2

The square is taken in float64 for each record; all sums are exact and rounded once.

What it does not show: calibration of anything but the stated confidence of the given answer; whether
the model can tell its right answers from its wrong ones (a model that always states its accuracy is
calibrated and useless for choosing); how it would do on other data. ECE depends on the bins, and with few
records in a bin it is mostly noise, and biased upwards: read the records and the intervals in the table.
A Brier score mixes calibration with sharpness.

Sources: Naeini, Cooper & Hauskrecht (2015), AAAI 29, for ECE and MCE; Brier (1950), Mon. Weather Rev. 78;
Nixon et al. (2019), arXiv:1904.01685, on the choice of bins; Wilson (1927) for the intervals.
"""

from typing import Annotated

import numpy as np
from msgspec import Meta, Struct

from ..audit import Audit
from ..fields import Bins, Level, Normalize, Probability, Text
from ..measure import RECORDS, SHARE, Measure, Number, Table, end
from ..metrics.bins import expected_calibration_error, maximum_calibration_error
from ..metrics.exact import ratio
from ..metrics.intervals import wilson
from ..metrics.text import same_answer
from ..parts.reliability import BinRow, Reliability, bin_rows
from ..sources.batch import Batch
from ..tallies import Sums


class Options(Struct, frozen=True):
    """What a caller may set."""

    bins: Bins = 10
    normalize: Normalize = "words"
    confidence: Level = 0.95


class Record(Struct, frozen=True):
    """One answer with the confidence stated for it."""

    expected: Annotated[Text, Meta(description="The right answer.")]
    predicted: Annotated[Text, Meta(description="The answer given.")]
    confidence: Annotated[Probability, Meta(description="Stated probability that the answer is right.")]


class Result(Struct, frozen=True):
    """What is reported."""

    records: Annotated[int, RECORDS]
    accuracy: Annotated[
        Number, Measure("Share of records that are right.", better="higher", within=SHARE, counted=True)
    ]
    accuracy_low: Annotated[Number, end("low", "accuracy")]
    accuracy_high: Annotated[Number, end("high", "accuracy")]
    mean_confidence: Annotated[Number, Measure("Mean of the stated confidences.", within=SHARE)]
    brier_score: Annotated[
        Number,
        Measure("Mean squared error of confidence.", better="lower", within=SHARE, flag="brier"),
    ]
    ece: Annotated[Number, Measure("Expected calibration error.", better="lower", within=SHARE)]
    mce: Annotated[Number, Measure("Largest gap of a bin.", better="lower", within=SHARE)]
    reliability: Annotated[list[BinRow], Table("Bins that are not empty.", order="confidence, ascending")]


class Calibration(Audit[Options, Result]):
    """See the module."""

    name, revision = "calibration", 1
    inputs = {"records": Record}

    def start(self) -> None:
        """Make the tallies."""
        self.reliability, self.squared_error = Reliability(self.options.bins), Sums()

    def update(self, batch: Batch) -> None:
        """Count records, right ones and confidence by bin."""
        right = same_answer(batch.expected, batch.predicted, self.options.normalize)
        self.reliability.add(batch.confidence, right)
        self.squared_error.add(np.square(batch.confidence - right))

    def finish(self) -> Result:
        """Make all measures from the bins."""
        bins, level = self.reliability.bins, self.options.confidence
        records, right = self.reliability.records, self.reliability.right
        low, high = wilson(right, records, level)
        return Result(
            records=records,
            accuracy=ratio(right, records),
            accuracy_low=low,
            accuracy_high=high,
            mean_confidence=self.reliability.mean_confidence,
            brier_score=ratio(self.squared_error.total, records),
            ece=expected_calibration_error(bins),
            mce=maximum_calibration_error(bins),
            reliability=bin_rows(bins, level),
        )
