"""Are the right sets of labels predicted?

Each record has two arrays of different labels, either of which may be empty: those that are right
(`expected`) and those that were predicted. The order in an array says nothing; labels are compared exactly:
case, accents and spaces matter. The labels are all that occur on either side, so one that only the model
uses stays visible, with no support. Records without any label at all are refused.

For a label let `support` be the records that expect it and `predicted` those predicted to have it; TP are
those that do both, FP = predicted - TP, FN = support - TP, and TN all other records. Then

    precision = TP / predicted      recall = TP / support      f1 = 2 TP / (support + predicted)

each 0 where its denominator is 0, and then named in `zero_denominators`. With sums over all labels

    micro_precision = sum of TP / sum of predicted
    micro_recall    = sum of TP / sum of support
    micro_f1        = 2 sum of TP / (sum of support + sum of predicted)
    macro_...       = mean over all labels, each label equal
    weighted_...    = sum of support * measure / sum of support

A micro or weighted measure whose denominator is 0 is undefined. For a record with the sets E and P

    subset_accuracy = share of records with E = P, label for label
    mean_jaccard    = mean of |E and P| / |E or P|, which is 1 where both are empty
    hamming_loss    = sum of |E or P| - |E and P| / (records * labels)

Subset accuracy and the rates of single labels have Wilson intervals; the pooled and averaged rates have none,
since the labels of one record are not independent trials. All but the intervals are rationals of counts,
and gates compare them exactly. A slice counts only the labels that occur in it.

What it does not show: whether the expected labels are complete, and a label that an annotator forgot counts
against a model that found it; which score cutoff selected the labels, which is to be chosen on other data;
which labels occur together. Hamming loss shrinks as labels are added that hardly ever occur, and macro
averages lean on the labels that few records have: read their support.

Sources: Tsoumakas, Katakis & Vlahavas (2010), Data Mining and Knowledge Discovery Handbook, 667-685, for the
measures; Opitz & Burst (2019), arXiv:1911.03347, for the two kinds of macro F1; Wilson (1927).
"""

from itertools import chain
from typing import Annotated

import numpy as np
from msgspec import Meta, Struct

from ..audit import Audit
from ..fields import Labels, Level, MaxRows
from ..measure import COUNT, RECORDS, SHARE, Measure, Number, Table, end
from ..metrics.exact import ratio, total
from ..metrics.intervals import wilson
from ..metrics.labels import LabelCounts, largest_first, macro_average, micro_average, weighted_average
from ..metrics.sets import Sets, jaccard, shared
from ..sources.batch import Batch
from ..tallies import Crosstab
from ..tallies.numbering import numbered

NONE_EXPECTED = "no record expects a label"
NONE_PREDICTED = "no record is predicted to have a label"
NO_LABEL = "no record has a label"


class Options(Struct, frozen=True):
    """What a caller may set."""

    confidence: Level = 0.95
    max_rows: MaxRows = 1000


class Record(Struct, frozen=True):
    """One case with its sets of labels."""

    expected: Annotated[Labels, Meta(description="The right labels, in any order.")]
    predicted: Annotated[Labels, Meta(description="The labels that were predicted, in any order.")]


def _rate(about: str, undefined: str = NO_LABEL) -> Measure:
    return Measure(about, better="higher", within=SHARE, counted=True, undefined=undefined)


class LabelRow(Struct, frozen=True):
    """One label."""

    label: str
    support: Annotated[
        int, Measure("Records that expect the label.", better="higher", within=COUNT, counted=True)
    ]
    predicted: Annotated[int, Measure("Records predicted to have the label.")]
    true_positives: Annotated[int, Measure("Records that have the label on both sides.")]
    false_positives: Annotated[int, Measure("Records predicted to have the label without expecting it.")]
    false_negatives: Annotated[int, Measure("Records that expect the label without its being predicted.")]
    true_negatives: Annotated[int, Measure("Records that have the label on neither side.")]
    precision: Annotated[Number, _rate("Share of its predictions that are right.")]
    precision_low: Annotated[Number, end("low", "precision", undefined="the label is never predicted")]
    precision_high: Annotated[Number, end("high", "precision", undefined="the label is never predicted")]
    recall: Annotated[Number, _rate("Share of its records that are found.")]
    recall_low: Annotated[Number, end("low", "recall", undefined="no record expects the label")]
    recall_high: Annotated[Number, end("high", "recall", undefined="no record expects the label")]
    f1: Annotated[Number, _rate("Harmonic mean of precision and recall.")]
    zero_denominators: list[str]


class Result(Struct, frozen=True):
    """What is reported."""

    records: Annotated[int, RECORDS]
    labels: Annotated[int, Measure("Different labels on either side.")]
    micro_precision: Annotated[Number, _rate("Precision of all labels pooled.", NONE_PREDICTED)]
    micro_recall: Annotated[Number, _rate("Recall of all labels pooled.", NONE_EXPECTED)]
    micro_f1: Annotated[Number, _rate("F1 of all labels pooled.")]
    macro_precision: Annotated[Number, _rate("Mean precision of all labels.")]
    macro_recall: Annotated[Number, _rate("Mean recall of all labels.")]
    macro_f1: Annotated[Number, _rate("Mean F1 of all labels.")]
    weighted_precision: Annotated[Number, _rate("Mean precision, weighted by support.", NONE_EXPECTED)]
    weighted_recall: Annotated[Number, _rate("Mean recall, weighted by support.", NONE_EXPECTED)]
    weighted_f1: Annotated[Number, _rate("Mean F1, weighted by support.", NONE_EXPECTED)]
    subset_accuracy: Annotated[
        Number,
        _rate("Share of records whose two sets are equal.", "there are no records"),
    ]
    subset_accuracy_low: Annotated[Number, end("low", "subset_accuracy")]
    subset_accuracy_high: Annotated[Number, end("high", "subset_accuracy")]
    mean_jaccard: Annotated[
        Number, _rate("Mean overlap of the two sets, 1 where both are empty.", "there are no records")
    ]
    hamming_loss: Annotated[
        Number,
        Measure(
            "Share of all decisions, one for each record and label, that are wrong.",
            better="lower",
            within=SHARE,
            counted=True,
            undefined=NO_LABEL,
        ),
    ]
    mean_expected_labels: Annotated[Number, Measure("Mean number of expected labels.", within=COUNT)]
    mean_predicted_labels: Annotated[Number, Measure("Mean number of predicted labels.", within=COUNT)]
    per_label: Annotated[
        list[LabelRow],
        Table("Each label.", order="support, then predicted, both descending, then label", limit="max_rows"),
    ]


class Multilabel(Audit[Options, Result]):
    """See the module."""

    name, revision = "multilabel", 1
    inputs = {"records": Record}

    def start(self) -> None:
        """Make the counts of labels, and of the sizes of sets: expected, predicted, and what they share."""
        self.expected, self.predicted, self.both = Crosstab(), Crosstab(), Crosstab()
        self.sizes = Crosstab()

    def update(self, batch: Batch) -> None:
        """Count labels on each side and on both, and the sizes of the sets, by the numbers of labels."""
        sides = batch.expected, batch.predicted
        codes, words = numbered(list(chain.from_iterable(chain(*sides))))
        sizes = [np.fromiter(map(len, side), np.intp, len(batch)) for side in sides]
        expected, predicted = map(Sets, sizes, np.split(codes, [sizes[0].sum()]))
        both = shared(expected, predicted)
        listed = [(self.expected, expected.items), (self.predicted, predicted.items)]
        for tally, items in [*listed, (self.both, expected.items[both])]:
            for word, count in zip(words, np.bincount(items, minlength=len(words)).tolist(), strict=True):
                if count:
                    tally.add_total(count, word)
        self.sizes.add_numbers(*sizes, np.bincount(expected.places[both], minlength=len(batch)))

    def lacking(self) -> str | None:
        """Refuse records that have no label at all."""
        nothing = not len(self.expected) and not len(self.predicted)
        return "no record has a label, expected or predicted" if nothing else None

    def finish(self) -> Result:
        """Make all measures from the counts."""
        counts = self._counts()
        micro, macro, weighted = micro_average(counts), macro_average(counts), weighted_average(counts)
        sizes = [(int(e), int(p), int(common), n) for (e, p, common), n in self.sizes]
        records = self.sizes.total
        same = sum(n for e, p, common, n in sizes if e == p == common)
        low, high = wilson(same, records, self.options.confidence)
        overlap = total(n * jaccard(common, e + p - common) for e, p, common, n in sizes)
        differing = sum(n * (e + p - 2 * common) for e, p, common, n in sizes)
        return Result(
            records=records,
            labels=len(counts),
            micro_precision=micro.precision,
            micro_recall=micro.recall,
            micro_f1=micro.f1,
            macro_precision=macro.precision,
            macro_recall=macro.recall,
            macro_f1=macro.f1,
            weighted_precision=weighted.precision,
            weighted_recall=weighted.recall,
            weighted_f1=weighted.f1,
            subset_accuracy=ratio(same, records),
            subset_accuracy_low=low,
            subset_accuracy_high=high,
            mean_jaccard=ratio(overlap, records),
            hamming_loss=ratio(differing, records * len(counts)),
            mean_expected_labels=ratio(self.expected.total, records),
            mean_predicted_labels=ratio(self.predicted.total, records),
            per_label=[self._row(c, records) for c in largest_first(counts)],
        )

    def _counts(self) -> list[LabelCounts]:
        """Put the counts of each label together, in code point order."""
        expected, predicted, both = (tally.margin(0) for tally in (self.expected, self.predicted, self.both))
        labels = sorted(expected.keys() | predicted.keys())
        return [LabelCounts(x, both.get(x, 0), expected.get(x, 0), predicted.get(x, 0)) for x in labels]

    def _row(self, c: LabelCounts, records: int) -> LabelRow:
        precision = wilson(c.true, c.predicted, self.options.confidence)
        recall = wilson(c.true, c.expected, self.options.confidence)
        return LabelRow(
            label=c.label,
            support=c.expected,
            predicted=c.predicted,
            true_positives=c.true,
            false_positives=c.predicted - c.true,
            false_negatives=c.expected - c.true,
            true_negatives=records - c.expected - c.predicted + c.true,
            precision=c.precision,
            precision_low=precision[0],
            precision_high=precision[1],
            recall=c.recall,
            recall_low=recall[0],
            recall_high=recall[1],
            f1=c.f1,
            zero_denominators=c.zero_denominators,
        )
