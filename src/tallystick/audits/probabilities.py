"""Does the model put its probability in the right place?

Each record has the label that is right (`expected`) and `scores`, a probability for each label. All records
have the same labels, the expected one among them, and the probabilities of a record sum to 1, give or take
`--sum-tolerance` (and 1e-12, so that a decimal tolerance is met alike from above and below). They are used
as they are, never rescaled. Labels are ranked by probability, descending, and equal ones by label in code
point order; the first is the prediction, and its probability the confidence c. With p_l the probability of
label l, y_l = 1 for the expected label and 0 for others, and n records

    accuracy          = records whose prediction is the expected label / n
    top_k             = records whose expected label is among the first k / n
    balanced_accuracy = mean over the labels that occur as expected of their recall
    log_loss          = mean of -ln(max(p_expected, floor))
    brier_score       = mean of the sum over labels of (p_l - y_l)^2, so 0 to 2
    mean_confidence   = mean of c

`ece` and `mce` compare c with accuracy in `--bins` equal-width bins, b/B <= c < (b+1)/B, the last with 1:

    ece = sum over bins of n_b / n * |accuracy_b - confidence_b|      mce = the largest such gap

`--top-k` adds a row to `top_k` (1 is always there), and `top_k_accuracy` is the row of `--gate-top-k`. The
floor (`--floor`) keeps the loss of an impossible answer finite: at the default 1e-15 it is 34.5, and
`zero_expected_probability_count` says how often that was. With two labels, and `--positive` naming one of
them, let s be its probability; then

    brier_binary      = mean of (s - y)^2
    roc_auc           = share of pairs of a positive and a negative record in which the positive has the
                        larger s, ties counting half
    average_precision = sum over distinct s, descending, of precision * increase of recall

Losses are float64 for each record, Brier terms added over labels in code point order, and all sums are exact.
The terms of average_precision are rounded once and summed exactly. Memory grows with the labels; with
`--positive`, by 24 bytes for each distinct s as well.

What it does not show: whether the probabilities hold after classes, data or the model have changed; why a
record is missed. Log loss is ruled by a few confident mistakes, and then by the floor. A Brier score mixes
calibration with sharpness. ECE looks at the first label only, depends on the bins, and is biased upwards
where bins have few records. Thresholds that were chosen on these records are flattered by them.

Sources: Good (1952), J. R. Stat. Soc. B 14, for the logarithmic loss; Brier (1950), Mon. Weather Rev. 78;
Naeini, Cooper & Hauskrecht (2015), AAAI 29, for ECE and MCE; Hanley & McNeil (1982), Radiology 143, for the
area under the ROC curve; Wilson (1927) for the intervals.
"""

from collections.abc import Callable, Iterator
from typing import Annotated, Any

import numpy as np
from msgspec import Meta, Struct

from ..audit import Audit
from ..errors import UsageError
from ..fields import Bins, Distribution, Label, Level, MaxRows, SumTolerance, show
from ..measure import COUNT, RECORDS, SHARE, Measure, Number, Table, end
from ..metrics.bins import expected_calibration_error, maximum_calibration_error
from ..metrics.curves import average_precision, roc_auc
from ..metrics.exact import mean, ratio
from ..metrics.intervals import wilson
from ..metrics.labels import LabelCounts, label_counts
from ..metrics.scoring import Places, at, brier_score, first_largest, log_loss, rank_of
from ..parts.distributions import conflicting, labels_of, matrix, places
from ..parts.reliability import BinRow, Reliability, bin_rows
from ..sources.batch import Batch
from ..tallies import Counts, Crosstab, KeyedSums, Sums, Values

NO_POSITIVE = "no --positive is named"
ONE_KIND = "only one of the two labels is expected"
NONE_EXPECTED = "no record expects the --positive label"


class Options(Struct, frozen=True):
    """What a caller may set."""

    top_k: Annotated[
        tuple[Annotated[int, Meta(ge=1, le=100_000)], ...],
        Meta(description="Also report how often the expected label is among the first k; repeatable."),
    ] = ()
    gate_top_k: Annotated[int, Meta(ge=1, description="The k of top_k_accuracy.")] = 1
    positive: Annotated[Label | None, Meta(description="Of two labels the one whose scores are ranked.")] = (
        None
    )
    floor: Annotated[
        float, Meta(gt=0, lt=1, description="The least probability that the log loss counts with.")
    ] = 1e-15
    sum_tolerance: SumTolerance = 1e-6
    bins: Bins = 10
    confidence: Level = 0.95
    max_rows: MaxRows = 1000

    def __post_init__(self) -> None:
        """Refuse to gate what is not reported."""
        if self.gate_top_k not in self.cutoffs:
            raise ValueError(f"gate_top_k: {self.gate_top_k} is not requested by --top-k")

    @property
    def cutoffs(self) -> list[int]:
        """Every k to report, ascending."""
        return sorted({1, *self.top_k})


class Record(Struct, frozen=True):
    """One case with a probability for each label."""

    expected: Annotated[Label, Meta(description="The right label.")]
    scores: Annotated[Distribution, Meta(description="The probability of each label.")]


def _share(about: str, **traits: Any) -> Measure:
    return Measure(about, better="higher", within=SHARE, counted=True, **traits)


def _unless_positive(otherwise: str) -> Callable[[Any], str]:
    """Say which of two reasons leaves a measure of --positive undefined."""
    return lambda result: NO_POSITIVE if result.brier_binary is None else otherwise


class TopK(Struct, frozen=True):
    """How often the expected label is among the first k."""

    k: int
    accuracy: Annotated[Number, _share("Share of records whose expected label is among the first k.")]
    accuracy_low: Annotated[Number, end("low", "accuracy")]
    accuracy_high: Annotated[Number, end("high", "accuracy")]


class LabelRow(Struct, frozen=True):
    """One label."""

    label: str
    support: Annotated[
        int, Measure("Records that expect the label.", better="higher", within=COUNT, counted=True)
    ]
    predicted: Annotated[int, Measure("Records predicted as the label.", within=COUNT, counted=True)]
    recall: Annotated[
        Number, _share("Share of its records that are found.", undefined="no record expects the label")
    ]
    mean_probability: Annotated[Number, Measure("Mean probability of the label.", within=SHARE)]


class Result(Struct, frozen=True):
    """What is reported."""

    records: Annotated[int, RECORDS]
    labels: Annotated[int, Measure("Labels that every record scores.", within=COUNT, counted=True)]
    accuracy: Annotated[Number, _share("Share of records whose prediction is right.")]
    accuracy_low: Annotated[Number, end("low", "accuracy")]
    accuracy_high: Annotated[Number, end("high", "accuracy")]
    top_k_accuracy: Annotated[
        Number, _share("Share of records whose expected label is among the first --gate-top-k.")
    ]
    top_k_accuracy_low: Annotated[Number, end("low", "top_k_accuracy")]
    top_k_accuracy_high: Annotated[Number, end("high", "top_k_accuracy")]
    balanced_accuracy: Annotated[Number, _share("Mean recall of the labels that are expected.")]
    log_loss: Annotated[
        Number,
        Measure("Mean log loss, in nats.", better="lower", within=COUNT, exact=False),
    ]
    brier_score: Annotated[
        Number, Measure("Mean squared error, summed over labels.", better="lower", within=(0, 2))
    ]
    mean_confidence: Annotated[Number, Measure("Mean probability of the prediction.", within=SHARE)]
    ece: Annotated[Number, Measure("Expected calibration error.", better="lower", within=SHARE)]
    mce: Annotated[Number, Measure("Largest gap of a bin.", better="lower", within=SHARE)]
    zero_expected_probability_count: Annotated[
        int,
        Measure(
            "Records whose expected label has probability 0.", better="lower", within=COUNT, counted=True
        ),
    ]
    brier_binary: Annotated[
        Number,
        Measure(
            "Mean squared error of the probability of --positive.",
            better="lower",
            within=SHARE,
            undefined=NO_POSITIVE,
        ),
    ]
    roc_auc: Annotated[
        Number,
        _share(
            "Area under the ROC curve of --positive.",
            undefined=f"{NO_POSITIVE}, or {ONE_KIND}",
            reason=_unless_positive(ONE_KIND),
        ),
    ]
    average_precision: Annotated[
        Number,
        Measure(
            "Average precision of --positive.",
            better="higher",
            within=SHARE,
            undefined=f"{NO_POSITIVE}, or {NONE_EXPECTED}",
            reason=_unless_positive(NONE_EXPECTED),
        ),
    ]
    top_k: Annotated[list[TopK], Table("Each k.", order="k, ascending")]
    per_class: Annotated[
        list[LabelRow],
        Table("Each label.", order="support, then predicted, both descending, then label", limit="max_rows"),
    ]
    reliability: Annotated[list[BinRow], Table("Bins that are not empty.", order="confidence, ascending")]


class Probabilities(Audit[Options, Result]):
    """See the module."""

    name, revision = "probabilities", 1
    inputs = {"records": Record}

    def start(self) -> None:
        """Make the tallies; ranks beyond the largest k are counted together."""
        self.label_sets, self.confusion, self.probability = Crosstab(), Crosstab(), KeyedSums()
        self.ranks, self.impossible = Counts(self.options.cutoffs[-1] + 1), Counts()
        self.loss, self.squared_error, self.squared_error_of_positive = Sums(), Sums(), Sums()
        self.reliability = Reliability(self.options.bins)
        self.scores_of_positive = Values(channels=2)

    def update(self, batch: Batch) -> None:
        """Count ranks, losses and bins."""
        labels, p = matrix(batch, "scores", labels_of(self.label_sets), self.options.sum_tolerance)
        self._check(labels)
        expected, predicted = places(batch, "expected", labels), first_largest(p)
        given, rank = at(p, expected), rank_of(p, expected)
        self.label_sets.add_total(len(batch), *labels)
        for row, column, count in _cells(expected, predicted, len(labels)):
            self.confusion.add_total(count, labels[row], labels[column])
        self.probability.add(labels, p)
        self.ranks.add(np.minimum(rank, self.options.cutoffs[-1]))
        self.impossible.add_total(int(np.count_nonzero(given == 0)))
        self.loss.add(log_loss(given, self.options.floor))
        self.squared_error.add(brier_score(p, expected))
        self.reliability.add(at(p, predicted), rank == 0)
        if self.options.positive is not None:
            place = labels.index(self.options.positive)
            positive = expected == place
            self.squared_error_of_positive.add(np.square(p[:, place] - positive))
            self.scores_of_positive.add(p[:, place], positive.astype(int))

    def _check(self, labels: tuple[str, ...]) -> None:
        """Refuse options that these labels cannot honour."""
        if self.options.cutoffs[-1] > len(labels):
            raise UsageError("--top-k", f"{self.options.cutoffs[-1]} is more than the {len(labels)} labels")
        if self.options.positive is not None and len(labels) != 2:
            raise UsageError("--positive", f"needs two labels, and the records have {len(labels)}")
        if self.options.positive is not None and self.options.positive not in labels:
            given = show(self.options.positive)
            raise UsageError("--positive", f"{given} is neither of the labels {show(labels)}")

    def lacking(self) -> str | None:
        """Refuse parts with different labels."""
        return conflicting(self.label_sets)

    def finish(self) -> Result:
        """Make all measures from the tallies."""
        records, bins, level = self.label_sets.total, self.reliability.bins, self.options.confidence
        rows = self._label_rows()
        within = np.cumsum(list(self.ranks)).tolist()
        top = [
            TopK(k, ratio(within[k - 1], records), *wilson(within[k - 1], records, level))
            for k in self.options.cutoffs
        ]
        gated = next(row for row in top if row.k == self.options.gate_top_k)
        negative, positive = self.scores_of_positive.counts.T
        return Result(
            records=records,
            labels=len(rows),
            accuracy=top[0].accuracy,
            accuracy_low=top[0].accuracy_low,
            accuracy_high=top[0].accuracy_high,
            top_k_accuracy=gated.accuracy,
            top_k_accuracy_low=gated.accuracy_low,
            top_k_accuracy_high=gated.accuracy_high,
            balanced_accuracy=mean([row.recall for row in rows if row.recall is not None]),
            log_loss=ratio(self.loss.total, records),
            brier_score=ratio(self.squared_error.total, records),
            mean_confidence=self.reliability.mean_confidence,
            ece=expected_calibration_error(bins),
            mce=maximum_calibration_error(bins),
            zero_expected_probability_count=self.impossible.total,
            brier_binary=ratio(self.squared_error_of_positive.total, self.scores_of_positive.total),
            roc_auc=roc_auc(positive, negative),
            average_precision=average_precision(positive, negative),
            top_k=top,
            per_class=sorted(rows, key=lambda row: (-row.support, -row.predicted, row.label)),
            reliability=bin_rows(bins, level),
        )

    def _label_rows(self) -> list[LabelRow]:
        """Make the row of each label, those that nobody expects or predicts too."""
        cells = (((str(row), str(column)), n) for (row, column), n in self.confusion)
        counted = {c.label: c for c in label_counts(cells)}
        rows = []
        for label in labels_of(self.label_sets):
            c = counted.get(label, LabelCounts(label, 0, 0, 0))
            share = ratio(self.probability[label], self.label_sets.total)
            rows.append(LabelRow(label, c.expected, c.predicted, ratio(c.true, c.expected), share))
        return rows


def _cells(rows: Places, columns: Places, size: int) -> Iterator[tuple[int, int, int]]:
    """Count each pair of places (shape n each, below `size`) that occurs: row, column, count."""
    pairs, counts = np.unique(rows * size + columns, return_counts=True)
    for pair, count in zip(pairs.tolist(), counts.tolist(), strict=True):
        yield *divmod(pair, size), count
