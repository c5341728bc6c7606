"""How far apart are the best and the worst group?

Each record belongs to a `group` and has an expected and a predicted text. It is right when both are equal
after normalisation (`--normalize`, as in `answers`). Groups are told apart exactly: case, accents and spaces
matter. With n_g records and k_g right ones in group g

    accuracy             = sum of k_g / sum of n_g
    worst_group_accuracy = the least k_g / n_g          best_group_accuracy = the greatest
    accuracy_gap         = best_group_accuracy - worst_group_accuracy
    smallest_group       = the least n_g

All are rationals of counts, compared exactly, so that groups tie when their shares are equal and only then;
`worst_groups` and `best_groups` name all that tie, in code point order. Accuracies have Wilson intervals;
those of the worst and the best group are the intervals of the tied group that has the fewest records.
`--min-group-count` refuses a verdict that leans on too small a group.

Memory: about 150 bytes for each group, besides its name.

What it does not show: that a system is fair, or why groups differ. The worst of many small groups looks bad
by chance alone, and the gap grows with their number: read their sizes and intervals, which speak of chance
among independent records only. Harm to people whom no group names stays unseen, and so does what exact match
cannot see. Choose groups and limits before looking at these results.

Sources: Sagawa et al. (2020), arXiv:1911.08731, for the accuracy of the worst group; Wilson (1927), J. Am.
Stat. Assoc. 22, 209-212, for the intervals.
"""

from collections.abc import Callable
from fractions import Fraction
from typing import Annotated

from msgspec import Meta, Struct

from ..audit import Audit
from ..fields import Label, Level, MaxRows, Normalize, Text
from ..measure import COUNT, RECORDS, SHARE, Measure, Number, Table, end
from ..metrics.exact import ratio
from ..metrics.intervals import wilson
from ..metrics.text import same_answer
from ..sources.batch import Batch
from ..tallies import Crosstab


class Options(Struct, frozen=True):
    """What a caller may set."""

    normalize: Normalize = "words"
    confidence: Level = 0.95
    max_rows: MaxRows = 1000


class Record(Struct, frozen=True):
    """One answer, and the group that it belongs to."""

    group: Annotated[Label, Meta(description="The group, such as a language or a site.")]
    expected: Annotated[Text, Meta(description="The right answer.")]
    predicted: Annotated[Text, Meta(description="The answer given.")]


def _accuracy(about: str) -> Measure:
    return Measure(about, better="higher", within=SHARE, counted=True)


class GroupRow(Struct, frozen=True):
    """One group."""

    group: str
    records: Annotated[int, Measure("Records of the group.", better="higher", within=COUNT, counted=True)]
    correct: Annotated[int, Measure("Records of the group that are right.")]
    accuracy: Annotated[Number, _accuracy("Share of the group's records that are right.")]
    accuracy_low: Annotated[Number, end("low", "accuracy")]
    accuracy_high: Annotated[Number, end("high", "accuracy")]


class Result(Struct, frozen=True):
    """What is reported."""

    records: Annotated[int, RECORDS]
    groups: Annotated[int, Measure("Different groups.")]
    accuracy: Annotated[Number, _accuracy("Share of all records that are right.")]
    accuracy_low: Annotated[Number, end("low", "accuracy")]
    accuracy_high: Annotated[Number, end("high", "accuracy")]
    worst_group_accuracy: Annotated[Number, _accuracy("Accuracy of the worst group.")]
    worst_group_accuracy_low: Annotated[Number, end("low", "worst_group_accuracy")]
    worst_group_accuracy_high: Annotated[Number, end("high", "worst_group_accuracy")]
    best_group_accuracy: Annotated[Number, Measure("Accuracy of the best group.", within=SHARE)]
    best_group_accuracy_low: Annotated[Number, end("low", "best_group_accuracy", better=None)]
    best_group_accuracy_high: Annotated[Number, end("high", "best_group_accuracy", better=None)]
    accuracy_gap: Annotated[
        Number,
        Measure("Accuracy of the best group less the worst's.", better="lower", within=SHARE, counted=True),
    ]
    smallest_group: Annotated[
        int,
        Measure(
            "Records of the smallest group.",
            better="higher",
            within=COUNT,
            counted=True,
            flag="group_count",
            sample=True,
        ),
    ]
    worst_groups: list[str]
    best_groups: list[str]
    per_group: Annotated[
        list[GroupRow], Table("Each group.", order="records, descending, then group", limit="max_rows")
    ]


class Disparity(Audit[Options, Result]):
    """See the module."""

    name, revision = "disparity", 1
    inputs = {"records": Record}

    def start(self) -> None:
        """Make the counts of right and wrong answers by group."""
        self.outcomes = Crosstab()

    def update(self, batch: Batch) -> None:
        """Count outcomes."""
        right = same_answer(batch.expected, batch.predicted, self.options.normalize)
        self.outcomes.add(batch.group, right.tolist())

    def finish(self) -> Result:
        """Make all measures from the counts of each group."""
        level = self.options.confidence
        groups = [self._row(str(group), n) for group, n in self.outcomes.margin(0).items()]
        records, right = self.outcomes.total, sum(row.correct for row in groups)
        low, high = wilson(right, records, level)
        worst_groups, best_groups = _tied(min, groups), _tied(max, groups)
        worst, best = _smallest(worst_groups), _smallest(best_groups)
        return Result(
            records=records,
            groups=len(groups),
            accuracy=ratio(right, records),
            accuracy_low=low,
            accuracy_high=high,
            worst_group_accuracy=worst.accuracy,
            worst_group_accuracy_low=worst.accuracy_low,
            worst_group_accuracy_high=worst.accuracy_high,
            best_group_accuracy=best.accuracy,
            best_group_accuracy_low=best.accuracy_low,
            best_group_accuracy_high=best.accuracy_high,
            accuracy_gap=None if not groups else _share(best) - _share(worst),
            smallest_group=_smallest(groups).records,
            worst_groups=[row.group for row in worst_groups],
            best_groups=[row.group for row in best_groups],
            per_group=sorted(groups, key=lambda row: (-row.records, row.group)),
        )

    def _row(self, group: str, records: int) -> GroupRow:
        right = self.outcomes[(group, True)]
        low, high = wilson(right, records, self.options.confidence)
        return GroupRow(group, records, right, ratio(right, records), low, high)


def _share(row: GroupRow) -> Fraction:
    return Fraction(row.correct, row.records)


def _tied(side: Callable[..., Fraction], groups: list[GroupRow]) -> list[GroupRow]:
    """List the groups whose accuracy is the least or the greatest, in code point order."""
    bound = side(map(_share, groups), default=None)
    return [row for row in groups if _share(row) == bound]


def _smallest(groups: list[GroupRow]) -> GroupRow:
    """Give the first group with the fewest records; one without any where there are no groups."""
    return min(groups, key=lambda row: row.records, default=GroupRow("", 0, 0, None, None, None))
