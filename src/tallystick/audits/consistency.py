"""Do repeated runs give the same answer?

Each record is one predicted text for the case `case_id`; a case that was run several times has as many
records, in any order and in any files. A case with r predictions has all r(r - 1)/2 pairs of them. A pair
agrees exactly when both texts are equal after normalisation (`--normalize`, as in `answers`), and its token
F1 is twice the tokens that both share over the tokens of both. Over the pairs of all cases

    exact_agreement    = pairs that agree exactly / pairs
    token_f1_agreement = sum of token F1 / pairs

so every pair counts alike, and a case with many runs counts more than one with few. Both are exact rationals.
They have no interval, because the pairs of a case are not independent of each other. For each case the table
also has the share of its predictions that give its most frequent answer.

A case with one prediction has no pair: `singleton_cases` counts those.

Undefined: both agreements where no case has two predictions.

Memory: all case ids and texts are held until they are grouped (files of 256 MB or more are dealt out by
case into files that go with the run, and one part at a time is held), then about 200 bytes for each
distinct F1 and for each row of the table.

What it does not show: whether the answers are right, since a system can repeat a mistake. Runs are comparable
only with the same prompt, settings and version of the model. Agreement on a few cases, or among runs that
share a cache or a seed, looks better than it will be elsewhere. Texts that say the same in other words do not
agree.

Sources: Rajpurkar et al. (2016), arXiv:1606.05250, for token F1.
"""

from fractions import Fraction
from heapq import nsmallest
from typing import Annotated

import numpy as np
from msgspec import Meta, Struct
from numpy.typing import NDArray

from ..audit import Audit
from ..fields import Id, MaxRows, Normalize, Text
from ..measure import COUNT, RECORDS, SHARE, Measure, Number, Rows, Table
from ..metrics.exact import mean_of_counts, ratio
from ..metrics.repeats import Repeats
from ..metrics.text import Matcher
from ..sources.batch import Batch
from ..tallies import Counts, Extremes, Rationals
from ..tallies.extremes import Row

NO_PAIRS = "no case has two predictions"


class Options(Struct, frozen=True):
    """What a caller may set."""

    normalize: Normalize = "words"
    max_rows: MaxRows = 1000


class Record(Struct, frozen=True):
    """One run of one case."""

    case_id: Annotated[Id, Meta(description="Names the case; its runs share it.")]
    predicted: Annotated[Text, Meta(description="The answer of this run.")]


class CaseRow(Struct, frozen=True):
    """One case with at least two predictions."""

    case_id: str
    runs: int
    pairs: int
    exact_agreement: Annotated[Number, Measure("Share of the case's pairs that agree.", within=SHARE)]
    token_f1_agreement: Annotated[Number, Measure("Mean token F1 of the case's pairs.", within=SHARE)]
    most_frequent_share: Annotated[
        Number, Measure("Share of its predictions that give its most frequent answer.", within=SHARE)
    ]


def _agreement(about: str) -> Measure:
    return Measure(about, better="higher", within=SHARE, counted=True, undefined=NO_PAIRS)


class Result(Struct, frozen=True):
    """What is reported."""

    records: Annotated[int, RECORDS]
    cases: Annotated[int, Measure("Different cases.", within=COUNT)]
    cases_with_pairs: Annotated[
        int, Measure("Cases with two predictions or more.", within=COUNT, sample=True)
    ]
    singleton_cases: Annotated[int, Measure("Cases with one prediction.", within=COUNT)]
    pairs: Annotated[int, Measure("Pairs of predictions for one case.", within=COUNT)]
    exact_agreement: Annotated[Number, _agreement("Share of pairs that agree exactly.")]
    token_f1_agreement: Annotated[Number, _agreement("Mean token F1 of the pairs.")]
    per_case: Annotated[
        list[CaseRow],
        Table(
            "Cases with two predictions or more.",
            order="pairs, descending, then exact agreement, ascending, then case_id",
            limit="max_rows",
        ),
    ]


class Consistency(Audit[Options, Result]):
    """See the module."""

    name, revision = "consistency", 1
    inputs = {"records": Record}
    group_by = "case_id"

    def start(self) -> None:
        """Make the counts, the multiset of token F1s, and the list of cases."""
        self.runs, self.singletons, self.same = Counts(), Counts(), Counts()
        self.token_f1, self.cases = Rationals(), Extremes(self.options.max_rows)

    def update(self, batch: Batch) -> None:
        """Compare the predictions of each case."""
        starts = batch.starts("case_id")
        found = Repeats(Matcher(self.options.normalize).forms(batch.predicted), starts)
        paired = np.flatnonzero(found.pairs)
        self.runs.add_total(len(batch))
        self.singletons.add_total(len(starts) - len(paired))
        if same := int(found.same.sum()):
            self.token_f1.add_counts({(1, 1): same})
        self.same.add_total(same)
        for scored in found.different():
            self.token_f1.add(scored.numerator, scored.denominator, scored.times)
        self.cases.add(rows := self._rows(found, paired, batch), skipped=len(paired) - len(rows))

    def _rows(self, found: Repeats, paired: NDArray[np.intp], batch: Batch) -> list[Row]:
        """Make the rows that may be among the first; no sum of F1 is made for others, since it takes long."""
        ids = [batch.case_id[start] for start in found.starts[paired].tolist()]
        columns = -found.pairs[paired], found.same[paired]
        firsts = zip(*(column.tolist() for column in columns), ids, paired.tolist(), strict=True)
        admitted = (first for first in firsts if self.cases.admits(first[:3]))
        kept = nsmallest(self.options.max_rows, admitted)
        totals = map(str, found.total_token_f1([case for *_, case in kept]))  # spelled, being of any size
        return [
            (*first, int(found.runs[case]), int(found.most[case]), total)
            for (*first, case), total in zip(kept, totals, strict=True)
        ]

    def finish(self) -> Result:
        """Make all measures from the counts of pairs."""
        pairs, singletons = self.token_f1.total, self.singletons.total
        return Result(
            records=self.runs.total,
            cases=self.cases.total + singletons,
            cases_with_pairs=self.cases.total,
            singleton_cases=singletons,
            pairs=pairs,
            exact_agreement=ratio(self.same.total, pairs),
            token_f1_agreement=mean_of_counts(self.token_f1),
            per_case=Rows(map(_row, self.cases.kept), self.cases.omitted),
        )


def _row(row: Row) -> CaseRow:
    pairs, same, case_id, runs, most, total_token_f1 = row
    pairs, runs = -int(pairs), int(runs)
    return CaseRow(
        case_id=str(case_id),
        runs=runs,
        pairs=pairs,
        exact_agreement=Fraction(int(same), pairs),
        token_f1_agreement=Fraction(total_token_f1) / pairs,
        most_frequent_share=Fraction(int(most), runs),
    )
