"""Did probability move between versions?

Each record is a case with a unique `case_id` and two distributions over the same labels: `baseline_scores`
of the version in use and `candidate_scores` of the one that may replace it. All cases of an input have the
same labels, and the probabilities of each distribution sum to 1, give or take `--sum-tolerance` (and 1e-12);
they are used as they are. With p_l and q_l the two probabilities of label l in a case, m_l their mean and
d_l = (p_l - q_l) / (p_l + q_l)

    total variation           = sum over labels of |q_l - p_l| / 2
    Jensen-Shannon divergence = sum over labels of m_l / 2 * h(d_l),
                                h(d) = (1 + d) log2(1 + d) + (1 - d) log2(1 - d)

Both lie in [0, 1] and are 0 where nothing moved; the divergence is in bits. Total variation is the
probability that changed hands; the divergence weighs a move from or to a small probability more. Over all
cases `mean_` is the mean and `case_` the largest, with the id of its case (of equal ones the first in code
point order). The top label of a distribution is the most probable one, of equal ones the first in code point
order; `top_label_change_rate` is the share of cases in which the two versions' top labels differ. For each
label, `mean_shift` is the mean of q_l - p_l, and `mean_absolute_change` that of its size.

Changes are float64 for each case, and their sum over labels is rounded once; means are exact and rounded
once. Memory: ids must differ, so the bytes of each and 12 more are held, and 16 more while they are compared.

What it does not show: which version is right, or calibrated, or why it moved. A model that is wrong in the
same way as before does not drift, and one that was mended does. Cases with the same id are taken to have had
the same input. Ids and labels are in the report: use ones that give nothing away.

Sources: Lin (1991), IEEE Trans. Inf. Theory 37, for the divergence; Levin & Peres (2017), Markov Chains and
Mixing Times, for total variation; Wilson (1927) for the interval.
"""

from fractions import Fraction
from typing import Annotated

import numpy as np
from msgspec import Meta, Struct

from ..audit import Audit
from ..fields import Distribution, Id, Level, MaxDetails, MaxRows, SumTolerance
from ..measure import COUNT, RECORDS, SHARE, Measure, Number, Rows, Table, end
from ..metrics.divergence import js_divergence, total_variation
from ..metrics.exact import ratio
from ..metrics.intervals import wilson
from ..metrics.scoring import first_largest
from ..parts.distributions import conflicting, labels_of, matrix
from ..sources.batch import Batch
from ..tallies import Counts, Crosstab, Extremes, KeyedSums, Sums
from ..tallies.extremes import Row


class Options(Struct, frozen=True):
    """What a caller may set."""

    sum_tolerance: SumTolerance = 1e-6
    confidence: Level = 0.95
    max_details: MaxDetails = 20
    max_rows: MaxRows = 1000


class Record(Struct, frozen=True):
    """One case, scored by two versions."""

    case_id: Annotated[Id, Meta(description="Names the case; unique.")]
    baseline_scores: Annotated[Distribution, Meta(description="Probability of each label, before.")]
    candidate_scores: Annotated[Distribution, Meta(description="Probability of each label, after.")]


def _distance(about: str, *, exact: bool = True) -> Measure:
    return Measure(about, better="lower", within=SHARE, exact=exact)


class LabelRow(Struct, frozen=True):
    """How the probability of one label moved."""

    label: str
    mean_baseline: Annotated[Number, Measure("Mean probability before.", within=SHARE)]
    mean_candidate: Annotated[Number, Measure("Mean probability after.", within=SHARE)]
    mean_shift: Annotated[Number, Measure("Mean change of the probability.", within=(-1, 1))]
    mean_absolute_change: Annotated[Number, _distance("Mean size of the change of the probability.")]


class Detail(Struct, frozen=True):
    """One case."""

    case_id: str
    js_divergence: Annotated[Number, Measure("Its Jensen-Shannon divergence.", within=SHARE, exact=False)]
    total_variation: Annotated[Number, Measure("Its total variation.", within=SHARE)]
    baseline_label: str
    candidate_label: str


class Result(Struct, frozen=True):
    """What is reported."""

    records: Annotated[int, RECORDS]
    labels: Annotated[int, Measure("Labels that every case scores.", within=COUNT, counted=True)]
    mean_total_variation: Annotated[Number, _distance("Mean total variation of a case.")]
    case_total_variation: Annotated[Number, _distance("Largest total variation of a case.")]
    case_total_variation_id: str | None
    mean_js_divergence: Annotated[
        Number, _distance("Mean Jensen-Shannon divergence of a case, in bits.", exact=False)
    ]
    case_js_divergence: Annotated[
        Number, _distance("Largest Jensen-Shannon divergence of a case, in bits.", exact=False)
    ]
    case_js_divergence_id: str | None
    top_label_changes: Annotated[int, Measure("Cases whose top label changed.", within=COUNT, counted=True)]
    top_label_change_rate: Annotated[
        Number,
        Measure("Share of cases whose top label changed.", better="lower", within=SHARE, counted=True),
    ]
    top_label_change_rate_low: Annotated[Number, end("low", "top_label_change_rate", better="lower")]
    top_label_change_rate_high: Annotated[Number, end("high", "top_label_change_rate", better="lower")]
    per_label: Annotated[
        list[LabelRow],
        Table("Each label.", order="mean absolute change, descending, then label", limit="max_rows"),
    ]
    details: Annotated[
        list[Detail],
        Table(
            "Cases.",
            order="Jensen-Shannon divergence, then total variation, both descending, then id",
            limit="max_details",
        ),
    ]


class ProbabilityDrift(Audit[Options, Result]):
    """See the module."""

    name, revision = "probability-drift", 1
    inputs = {"records": Record}
    unique = "case_id"

    def start(self) -> None:
        """Make the tallies."""
        self.label_sets, self.changed = Crosstab(), Counts()
        self.variation, self.divergence = Sums(), Sums()
        self.most_varied, self.most_divergent = Extremes(1), Extremes(1)
        self.before, self.after, self.shift, self.change = KeyedSums(), KeyedSums(), KeyedSums(), KeyedSums()
        self.cases = Extremes(self.options.max_details)

    def update(self, batch: Batch) -> None:
        """Add the distances of each case."""
        tolerance, ids = self.options.sum_tolerance, batch.case_id
        labels, p = matrix(batch, "baseline_scores", labels_of(self.label_sets), tolerance)
        _, q = matrix(batch, "candidate_scores", labels, tolerance)
        self.label_sets.add_total(len(batch), *labels)
        varied, diverged = total_variation(p, q), js_divergence(p, q)
        was, is_ = first_largest(p), first_largest(q)
        self.variation.add(varied)
        self.divergence.add(diverged)
        self.most_varied.add_by(-varied, lambda i: (-float(varied[i]), ids[i]))
        self.most_divergent.add_by(-diverged, lambda i: (-float(diverged[i]), ids[i]))
        self.changed.add_total(int(np.count_nonzero(was != is_)))
        self.before.add(labels, p)
        self.after.add(labels, q)
        self.shift.add(labels, q - p)
        self.change.add(labels, np.abs(q - p))
        self.cases.add_by(
            -diverged,
            lambda i: (-float(diverged[i]), -float(varied[i]), ids[i], labels[was[i]], labels[is_[i]]),
        )

    def lacking(self) -> str | None:
        """Refuse parts with different labels."""
        return conflicting(self.label_sets)

    def finish(self) -> Result:
        """Make all measures from the tallies."""
        records, labels, changed = self.label_sets.total, labels_of(self.label_sets), self.changed.total
        low, high = wilson(changed, records, self.options.confidence)
        variation, varied_id = _worst(self.most_varied)
        divergence, divergent_id = _worst(self.most_divergent)
        rows = [self._row(label, records) for label in labels]
        return Result(
            records=records,
            labels=len(labels),
            mean_total_variation=ratio(self.variation.total, records),
            case_total_variation=variation,
            case_total_variation_id=varied_id,
            mean_js_divergence=ratio(self.divergence.total, records),
            case_js_divergence=divergence,
            case_js_divergence_id=divergent_id,
            top_label_changes=changed,
            top_label_change_rate=ratio(changed, records),
            top_label_change_rate_low=low,
            top_label_change_rate_high=high,
            per_label=sorted(rows, key=lambda row: (-(row.mean_absolute_change or 0), row.label)),
            details=Rows(map(_detail, self.cases.kept), self.cases.omitted),
        )

    def _row(self, label: str, records: int) -> LabelRow:
        sums = (self.before, self.after, self.shift, self.change)
        return LabelRow(label, *(ratio(of[label], records) for of in sums))


def _worst(cases: Extremes) -> tuple[Number, str | None]:
    """Give the largest distance and the id of its case."""
    for distance, id_ in cases.kept:
        return -Fraction(distance), str(id_)
    return None, None


def _detail(case: Row) -> Detail:
    divergence, variation, id_, was, is_ = case
    return Detail(str(id_), -Fraction(divergence), -Fraction(variation), str(was), str(is_))
