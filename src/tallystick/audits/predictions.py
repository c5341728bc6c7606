"""Are scored predictions right, and are their probabilities usable?

Two inputs are joined by `id`, unique in each. A gold record has the right option of an item (`gold`), and may
have its `family` and its `positive` class. A prediction has the item's options (`option_ids`, in an order of
its own) and, aligned with them, `probabilities`, or null; and a `label`, or null. With a vector the record is
scored, and the predicted option is the one with the largest probability, the first of equal ones in the
order of `option_ids`; without one it is the label, which is wrong where it is no option; with neither, or
without a prediction at all, the item is missing. So of n records (gold records)

    predicted    = scored + label_only         missing      = n - predicted
    missing_rate = missing / n                 scored_rate  = scored / n
    accuracy     = right / predicted

    balanced_accuracy = mean over the classes that are the gold of predicted records of their recall

and gold classes without a predicted record are named in `unpredicted_classes`. Over scored records, with p_o
the probability of option o, y_o = 1 for the gold option and 0 for others, and c the largest probability

    log_loss        = mean of -ln(max(p_gold, floor)), the floor being 1e-12 (`--floor`)
    brier_score     = mean of the sum over options of (p_o - y_o)^2
    mean_confidence = mean of c
    ece             = sum over bins of m_b / m * |accuracy_b - confidence_b|, of m scored records
    mce             = the largest |accuracy_b - confidence_b|

in `--bins` equal-width bins of c, b/B <= c < (b+1)/B, the last with 1. `brier_binary` is the mean of
(p_positive - y_positive)^2 over the scored records with a positive class, `binary_records` of them; the
class is "true" where a record names none and its two options are true and false. Probabilities are used as
they are: `off_sum_records` counts the vectors whose sum is off 1 by more than 1e-6 (and 1e-12), and
`--sum-tolerance` refuses those off by more than it says.

Everything is also reported for each family, and for the records without one; families are never pooled into
another number. A prediction without a gold record is refused, as are options that do not hold the gold or
the positive class. Losses are float64 for each record, Brier terms added over options in code point order,
and all sums are exact. Predictions are held in memory to be joined, some 400 bytes each, and 90 more for each
option; gold records pass by. Files of 256 MB or more are dealt out by id into files that go with the run, and
one part at a time is held.

What it does not show: whether a threshold that works here works elsewhere; nothing is calibrated and no
threshold is recommended. Missing items are in no accuracy, so read it beside `missing_rate`, and a model that
scores only what it is sure of beside `scored_rate`. The overall numbers follow the mix of the families.
Confidences of items with few options are not on one scale with those of items with many. ECE depends on the
bins, and is biased upwards where they hold few records.

Sources: Good (1952), J. R. Stat. Soc. B 14, for the logarithmic loss; Brier (1950), Mon. Weather Rev. 78;
Naeini, Cooper & Hauskrecht (2015), AAAI 29, for ECE and MCE; Wilson (1927) for the intervals.
"""

from itertools import chain
from math import fsum
from typing import Annotated, Any

import numpy as np
from msgspec import Meta, Struct
from numpy.typing import NDArray

from ..audit import Audit
from ..fields import DISTINCT, Bins, Id, Label, Level, MaxRows, Probability, SumTolerance, show
from ..measure import COUNT, RECORDS, SHARE, Measure, Number, Table, end
from ..metrics.bins import expected_calibration_error, maximum_calibration_error
from ..metrics.exact import mean, ratio
from ..metrics.intervals import wilson
from ..metrics.scoring import Places, at, brier_score_by_name, first_largest, log_loss, sums_to_one
from ..parts.reliability import BinRow, Reliability, bin_rows
from ..sources.batch import Batch
from ..tallies import Counts, Crosstab, Sums

OFF_SUM = 1e-6
"""A vector whose sum is further from 1 is counted in `off_sum_records`."""

WRONG, RIGHT, MISSING = range(3)
"""What became of a gold record."""

NONE_PREDICTED = "no record is predicted"
NONE_SCORED = "no record has a vector of probabilities"
NONE_BINARY = "no scored record has a positive class"


class Options(Struct, frozen=True):
    """What a caller may set."""

    floor: Annotated[
        float, Meta(gt=0, lt=1, description="The least probability that the log loss counts with.")
    ] = 1e-12
    sum_tolerance: Annotated[
        SumTolerance | None, Meta(description="Refuse vectors whose sum is off 1 by more than this.")
    ] = None
    bins: Bins = 10
    confidence: Level = 0.95
    max_rows: MaxRows = 1000


class Prediction(Struct, frozen=True):
    """One answer, scored or not."""

    id: Annotated[Id, Meta(description="Names the item; unique.")]
    option_ids: Annotated[list[Label], DISTINCT, Meta(min_length=1, description="Its options.")]
    probabilities: Annotated[
        list[Probability] | None, Meta(description="The probability of each option, in the same order.")
    ] = None
    label: Annotated[Label | None, Meta(description="The answer, where there is no vector.")] = None


class Gold(Struct, frozen=True):
    """The right answer of an item; a string field `family`, which may be absent, slices the report."""

    id: Annotated[Id, Meta(description="Names the item; unique.")]
    gold: Annotated[Label, Meta(description="The right option.")]
    positive: Annotated[Label | None, Meta(description="The option whose probability is binary.")] = None


def _share(about: str, undefined: str = NONE_PREDICTED) -> Measure:
    return Measure(about, better="higher", within=SHARE, counted=True, undefined=undefined)


def _count(about: str) -> Measure:
    return Measure(about, within=COUNT, counted=True)


def _loss(about: str, top: float | None, undefined: str = NONE_SCORED, *, exact: bool = True) -> Measure:
    return Measure(about, better="lower", within=(0, top), undefined=undefined, exact=exact)


class ClassRow(Struct, frozen=True):
    """One class that is the gold of predicted records."""

    label: str
    support: Annotated[
        int, Measure("Predicted records of the class.", better="higher", within=COUNT, counted=True)
    ]
    right: Annotated[int, _count("Those of them that are predicted right.")]
    recall: Annotated[Number, _share("Share of its predicted records that are right.")]
    recall_low: Annotated[Number, end("low", "recall")]
    recall_high: Annotated[Number, end("high", "recall")]
    missing: Annotated[int, _count("Records of the class that are missing.")]


class UnpredictedRow(Struct, frozen=True):
    """One class whose records are all missing."""

    label: str
    missing: int


class Result(Struct, frozen=True):
    """What is reported."""

    records: Annotated[int, RECORDS]
    missing: Annotated[int, _count("Records without any prediction.")]
    predicted: Annotated[int, _count("Records with a vector or a label.")]
    scored: Annotated[
        int, Measure("Records with a vector of probabilities.", within=COUNT, counted=True, sample=True)
    ]
    label_only: Annotated[int, _count("Records with a label and no vector.")]
    missing_rate: Annotated[
        Number, Measure("Share of records that are missing.", better="lower", within=SHARE, counted=True)
    ]
    missing_rate_low: Annotated[Number, end("low", "missing_rate", better="lower")]
    missing_rate_high: Annotated[Number, end("high", "missing_rate", better="lower")]
    scored_rate: Annotated[Number, _share("Share of records that are scored.")]
    scored_rate_low: Annotated[Number, end("low", "scored_rate")]
    scored_rate_high: Annotated[Number, end("high", "scored_rate")]
    accuracy: Annotated[Number, _share("Share of predicted records that are right.")]
    accuracy_low: Annotated[Number, end("low", "accuracy", undefined=NONE_PREDICTED)]
    accuracy_high: Annotated[Number, end("high", "accuracy", undefined=NONE_PREDICTED)]
    balanced_accuracy: Annotated[Number, _share("Mean recall of the classes of predicted records.")]
    log_loss: Annotated[Number, _loss("Mean log loss, in nats.", None, exact=False)]
    brier_score: Annotated[Number, _loss("Mean squared error, summed over options.", None)]
    brier_binary: Annotated[
        Number, _loss("Mean squared error of the probability of the positive class.", 1, NONE_BINARY)
    ]
    binary_records: Annotated[int, _count("Scored records with a positive class.")]
    mean_confidence: Annotated[
        Number, Measure("Mean of the largest probability.", within=SHARE, undefined=NONE_SCORED)
    ]
    ece: Annotated[Number, _loss("Expected calibration error.", 1)]
    mce: Annotated[Number, _loss("Largest gap of a bin.", 1)]
    off_sum_records: Annotated[int, _count("Scored records whose sum is off 1 by more than 1e-6.")]
    per_class: Annotated[
        list[ClassRow],
        Table(
            "Classes that are the gold of predicted records.",
            order="support, descending, then label",
            limit="max_rows",
        ),
    ]
    unpredicted_classes: Annotated[
        list[UnpredictedRow],
        Table(
            "Gold classes without a predicted record.",
            order="missing, descending, then label",
            limit="max_rows",
        ),
    ]
    reliability: Annotated[list[BinRow], Table("Bins that are not empty.", order="confidence, ascending")]


class Predictions(Audit[Options, Result]):
    """See the module."""

    name, revision = "predictions", 1
    inputs = {"predictions": Prediction, "gold": Gold}
    unique = "id"
    joined = True
    slice_by = {"family": "gold"}

    def start(self) -> None:
        """Make the tallies."""
        self.outcomes = Crosstab()
        self.reliability = Reliability(self.options.bins)
        self.loss, self.squared_error = Sums(), Sums()
        self.binary, self.binary_squared_error = Counts(), Sums()
        self.off_sum = Counts()

    def update(self, batch: Batch) -> None:
        """Count the outcomes of gold records, and the losses of those that are scored."""
        if batch.source == "predictions":
            raise batch.fault(0, "id", f"{show(batch.id[0])} has no gold record")
        if batch.source == "gold":
            self.outcomes.add(batch.gold, [MISSING] * len(batch))
            return
        predictions, gold = batch.sides["predictions"], batch.sides["gold"]
        places = _places(gold.gold, gold, "gold", predictions)
        positives = _places(_positives(predictions, gold), gold, "positive", predictions)
        outcomes = [
            MISSING if label is None else RIGHT if label == right else WRONG
            for label, right in zip(predictions.label, gold.gold, strict=True)
        ]
        for rows in _by_size(predictions):
            right = self._score(predictions, rows, places[rows], positives[rows])
            for row, hit in zip(rows.tolist(), right.tolist(), strict=True):
                outcomes[row] = RIGHT if hit else WRONG
        self.outcomes.add(gold.gold, outcomes)

    def _score(self, batch: Batch, rows: Places, gold: Places, positive: Places) -> NDArray[np.bool_]:
        """Add the losses of vectors of one length, and say which are right."""
        vectors: list[list[float]] = _taken(batch.probabilities, rows)
        p = np.fromiter(chain.from_iterable(vectors), np.float64).reshape(len(rows), -1)
        self._check_sums(batch, rows, p)
        predicted = first_largest(p)
        right: NDArray[np.bool_] = predicted == gold
        self.reliability.add(at(p, predicted), right)
        self.loss.add(log_loss(at(p, gold), self.options.floor))
        self.squared_error.add(brier_score_by_name(p, gold, _taken(batch.option_ids, rows)))
        binary = np.flatnonzero(positive >= 0)
        error = at(p[binary], positive[binary]) - (gold == positive)[binary]
        self.binary.add_total(len(binary))
        self.binary_squared_error.add(np.square(error))
        return right

    def _check_sums(self, batch: Batch, rows: Places, p: NDArray[np.float64]) -> None:
        self.off_sum.add_total(int(np.count_nonzero(~sums_to_one(p, OFF_SUM))))
        tolerance = self.options.sum_tolerance
        if tolerance is None:
            return
        for place in np.flatnonzero(~sums_to_one(p, tolerance)).tolist():
            what = (
                f"they sum to {fsum(p[place].tolist())!r}, off 1 by more than --sum-tolerance {tolerance!r}"
            )
            raise batch.fault(int(rows[place]), "probabilities", what)

    def finish(self) -> Result:
        """Make all measures from the tallies."""
        outcomes = self.outcomes.margin(1)
        missing, right = outcomes.get(MISSING, 0), outcomes.get(RIGHT, 0)
        records, scored, level = self.outcomes.total, self.reliability.records, self.options.confidence
        predicted, bins = records - missing, self.reliability.bins
        rows, unpredicted = self._class_rows()
        missing_low, missing_high = wilson(missing, records, level)
        scored_low, scored_high = wilson(scored, records, level)
        low, high = wilson(right, predicted, level)
        return Result(
            records=records,
            missing=missing,
            predicted=predicted,
            scored=scored,
            label_only=predicted - scored,
            missing_rate=ratio(missing, records),
            missing_rate_low=missing_low,
            missing_rate_high=missing_high,
            scored_rate=ratio(scored, records),
            scored_rate_low=scored_low,
            scored_rate_high=scored_high,
            accuracy=ratio(right, predicted),
            accuracy_low=low,
            accuracy_high=high,
            balanced_accuracy=mean([row.recall for row in rows if row.recall is not None]),
            log_loss=ratio(self.loss.total, scored),
            brier_score=ratio(self.squared_error.total, scored),
            brier_binary=ratio(self.binary_squared_error.total, self.binary.total),
            binary_records=self.binary.total,
            mean_confidence=self.reliability.mean_confidence,
            ece=expected_calibration_error(bins),
            mce=maximum_calibration_error(bins),
            off_sum_records=self.off_sum.total,
            per_class=sorted(rows, key=lambda row: (-row.support, row.label)),
            unpredicted_classes=sorted(unpredicted, key=lambda row: (-row.missing, row.label)),
            reliability=bin_rows(bins, level),
        )

    def _class_rows(self) -> tuple[list[ClassRow], list[UnpredictedRow]]:
        """Make the rows of the gold classes, those with predicted records and those without."""
        rows, unpredicted = [], []
        for label in self.outcomes.margin(0):
            wrong, right, missing = (self.outcomes[label, outcome] for outcome in (WRONG, RIGHT, MISSING))
            support = wrong + right
            if not support:
                unpredicted.append(UnpredictedRow(label, missing))
                continue
            low, high = wilson(right, support, self.options.confidence)
            rows.append(ClassRow(label, support, right, ratio(right, support), low, high, missing))
        return rows, unpredicted


def _positives(predictions: Batch, gold: Batch) -> list[str | None]:
    """Give the positive class of each record: as named, or true of the options true and false."""
    return [
        "true" if named is None and len(options) == 2 and {*options} == {"true", "false"} else named
        for named, options in zip(gold.positive, predictions.option_ids, strict=True)
    ]


def _places(labels: list[str | None], gold: Batch, field: str, predictions: Batch) -> Places:
    """Give the place of each label among the options of its record, -1 for None; refuse one not there."""
    pairs = list(zip(labels, predictions.option_ids, strict=True))
    try:
        found = [-1 if label is None else options.index(label) for label, options in pairs]
    except ValueError:
        known = ((row, *pair) for row, pair in enumerate(pairs) if pair[0] is not None)
        row, label, options = next(one for one in known if one[1] not in one[2])
        what = f"{show(label)} is none of the options {show(options)} of the prediction"
        raise gold.fault(row, field, what) from None
    return np.array(found, dtype=np.intp)


def _by_size(batch: Batch) -> list[Places]:
    """Group the rows with a vector by its length, which must be that of their options."""
    sizes = np.array([-1 if p is None else len(p) for p in batch.probabilities])
    options = np.fromiter(map(len, batch.option_ids), np.intp, len(batch))
    for row in np.flatnonzero((sizes >= 0) & (sizes != options)).tolist():
        what = f"{sizes[row]} of them for {options[row]} option_ids"
        raise batch.fault(row, "probabilities", what)
    return [np.flatnonzero(sizes == size) for size in np.unique(sizes).tolist() if size >= 0]


def _taken(column: list[Any], rows: Places) -> list[Any]:
    return [column[row] for row in rows.tolist()]
