"""Which classes does a classifier confuse?

Each record has the label that is right (`expected`) and the one that was predicted. Labels are compared
exactly: case, accents and spaces matter. The labels are all that occur on either side, so a class that
only the model uses stays visible, with no support.

For a label let TP be the records that have it on both sides, `support` those that expect it and
`predicted` those predicted as it. Then

    precision = TP / predicted      recall = TP / support      f1 = 2 TP / (support + predicted)

each 0 where its denominator is 0, and then named in `zero_denominators`. Over all records and labels

    accuracy          = sum of TP / records
    macro_precision, macro_recall, macro_f1 = mean over all labels, each label equal
    weighted_f1       = sum of support * f1 / records
    balanced_accuracy = mean recall over the labels that have support

`macro_f1` is the mean of the F1s, not the F1 of the mean precision and recall. Accuracy, precision and
recall have Wilson intervals. All but the intervals are rationals of counts, and gates compare them exactly.

What it does not show: whether the expected labels are right; how a class would do on other data, or with
another mix of classes; how sure the model was. A class with a handful of records has an F1 that says
little: read its support and its intervals. A gate tuned on the data that it judges proves nothing.

Sources: Sokolova & Lapalme (2009), Inf. Process. Manag. 45, for the measures and their averages; Opitz &
Burst (2019), arXiv:1911.03347, for the two kinds of macro F1; Wilson (1927) for the intervals.
"""

from typing import Annotated

from msgspec import Meta, Struct

from ..audit import Audit
from ..fields import Label, Level, MaxRows
from ..measure import RECORDS, SHARE, Measure, Number, Table, end
from ..metrics.exact import mean, ratio
from ..metrics.intervals import wilson
from ..metrics.labels import LabelCounts, label_counts, largest_first, macro_average, weighted_average
from ..sources.batch import Batch
from ..tallies import Crosstab


class Options(Struct, frozen=True):
    """What a caller may set."""

    confidence: Level = 0.95
    max_rows: MaxRows = 1000


class Record(Struct, frozen=True):
    """One classified case."""

    expected: Annotated[Label, Meta(description="The right label.")]
    predicted: Annotated[Label, Meta(description="The label that the classifier gave.")]


NEVER = "never: it is 0 where its denominator is 0"


def _share(about: str, undefined: str = "there are no records") -> Measure:
    return Measure(about, better="higher", within=SHARE, counted=True, undefined=undefined)


class LabelRow(Struct, frozen=True):
    """One label."""

    label: str
    support: Annotated[
        int, Measure("Records that expect the label.", better="higher", within=(0, None), counted=True)
    ]
    predicted: Annotated[int, Measure("Records predicted as the label.")]
    true_positives: Annotated[int, Measure("Records that have the label on both sides.")]
    precision: Annotated[Number, _share("Share of its predictions that are right.", NEVER)]
    precision_low: Annotated[Number, end("low", "precision", undefined="the label is never predicted")]
    precision_high: Annotated[Number, end("high", "precision", undefined="the label is never predicted")]
    recall: Annotated[Number, _share("Share of its records that are found.", NEVER)]
    recall_low: Annotated[Number, end("low", "recall", undefined="no record expects the label")]
    recall_high: Annotated[Number, end("high", "recall", undefined="no record expects the label")]
    f1: Annotated[Number, _share("Harmonic mean of precision and recall.", NEVER)]
    zero_denominators: list[str]


class Cell(Struct, frozen=True):
    """One cell of the confusion matrix that is not 0."""

    expected: str
    predicted: str
    records: int


class Result(Struct, frozen=True):
    """What is reported."""

    records: Annotated[int, RECORDS]
    labels: Annotated[int, Measure("Different labels on either side.")]
    accuracy: Annotated[Number, _share("Share of records whose prediction is right.")]
    accuracy_low: Annotated[Number, end("low", "accuracy")]
    accuracy_high: Annotated[Number, end("high", "accuracy")]
    macro_precision: Annotated[Number, _share("Mean precision of all labels.")]
    macro_recall: Annotated[Number, _share("Mean recall of all labels.")]
    macro_f1: Annotated[Number, _share("Mean F1 of all labels.")]
    weighted_f1: Annotated[Number, _share("Mean F1, each label weighted by its support.")]
    balanced_accuracy: Annotated[Number, _share("Mean recall of the labels that have support.")]
    per_label: Annotated[
        list[LabelRow],
        Table("Each label.", order="support, then predicted, both descending, then label", limit="max_rows"),
    ]
    confusion: Annotated[
        list[Cell],
        Table(
            "Cells of the confusion matrix that are not 0: row expected, column predicted.",
            order="records descending, then expected, then predicted",
            limit="max_rows",
        ),
    ]


class Classification(Audit[Options, Result]):
    """See the module."""

    name, revision = "classification", 1
    inputs = {"records": Record}

    def start(self) -> None:
        """Make the confusion matrix."""
        self.confusion = Crosstab()

    def update(self, batch: Batch) -> None:
        """Count cells."""
        self.confusion.add(batch.expected, batch.predicted)

    def finish(self) -> Result:
        """Make all measures from the cells."""
        cells = [(str(row), str(column), n) for (row, column), n in self.confusion]
        counts = label_counts(((row, column), n) for row, column, n in cells)
        records, right = self.confusion.total, sum(c.true for c in counts)
        low, high = wilson(right, records, self.options.confidence)
        macro = macro_average(counts)
        return Result(
            records=records,
            labels=len(counts),
            accuracy=ratio(right, records),
            accuracy_low=low,
            accuracy_high=high,
            macro_precision=macro.precision,
            macro_recall=macro.recall,
            macro_f1=macro.f1,
            weighted_f1=weighted_average(counts).f1,
            balanced_accuracy=mean([c.recall for c in counts if c.expected]),
            per_label=[self._row(c) for c in largest_first(counts)],
            confusion=[Cell(*cell) for cell in sorted(cells, key=lambda cell: (-cell[2], *cell))],
        )

    def _row(self, c: LabelCounts) -> LabelRow:
        precision = wilson(c.true, c.predicted, self.options.confidence)
        recall = wilson(c.true, c.expected, self.options.confidence)
        return LabelRow(
            c.label,
            c.expected,
            c.predicted,
            c.true,
            c.precision,
            *precision,
            c.recall,
            *recall,
            c.f1,
            c.zero_denominators,
        )
