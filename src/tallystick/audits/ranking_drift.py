"""Did rankings change?

Each record is a query with a unique `query_id` and two rankings, `baseline` and `candidate`, the best first:
arrays of ids, which are compared exactly. No id occurs twice in one ranking, and a ranking may be empty. Let
B_k and C_k be the first k ids of both. For every cutoff k (`--cutoff`, repeatable)

    mean_jaccard      = mean over queries of |B_k and C_k| / |B_k or C_k|, which is 1 for two empty rankings
    mean_displacement = mean of |rank in baseline - rank in candidate| over the ids in both B_k and C_k,
                        pooled over all queries

and for the first id, whatever the cutoff,

    top_item_change_rate = queries whose first ids differ / queries

where a first id against an empty ranking is a change, and two empty rankings are none. `mean_jaccard` of the
result is the row of `--gate-cutoff`, by default the largest. All measures are exact rationals of counts; the
change rate has a Wilson interval.

Undefined: the displacement at a cutoff where no query has an id in both.

Memory: ids of queries must differ, so the bytes of each and 12 more are held, and 16 more while they are
compared; about 150 bytes for each combination that occurs of a cutoff, how many ids two rankings share up
to it, and how many they have together.

What it does not show: whether a change is for the better. A ranking that stays can stay bad, and one that
changes can improve; for that, judge both with `retrieval`. Jaccard knows no order among the first k, and the
displacement knows only the ids that are in both: where rankings share little, it is the mean of little, so
read it beside the Jaccard index. An id that moves across rank k leaves one set, however near it stays.
Rankings that are not deterministic drift by themselves: compare the baseline with itself first.

Sources: Jaccard (1912), New Phytol. 11, 37-50; Webber, Moffat & Zobel (2010), ACM Trans. Inf. Syst. 28, on
comparing incomplete rankings, of which this is the plain form; Wilson (1927) for the interval.
"""

from collections.abc import Sequence
from typing import Annotated

import numpy as np
from msgspec import Meta, Struct

from ..audit import Audit
from ..fields import Id, Ids, Level, MaxDetails
from ..measure import COUNT, RECORDS, SHARE, Measure, Number, Rows, Table, end
from ..metrics.exact import mean_of_counts, ratio
from ..metrics.intervals import wilson
from ..metrics.rankings import Shared, shared
from ..metrics.sets import jaccard
from ..parts.cutoffs import Cutoffs
from ..sources.batch import Batch
from ..tallies import Counts, Crosstab, Extremes
from ..tallies.extremes import Row

NOTHING_SHARED = "no query has an id in both rankings"


class Options(Cutoffs, frozen=True):
    """What a caller may set."""

    confidence: Level = 0.95
    max_details: MaxDetails = 20


class Record(Struct, frozen=True):
    """One query with both rankings."""

    query_id: Annotated[Id, Meta(description="Names the query; unique.")]
    baseline: Annotated[Ids, Meta(description="The baseline's ranking, the best first.")]
    candidate: Annotated[Ids, Meta(description="The candidate's ranking, the best first.")]


JACCARD = Measure(
    "Mean Jaccard index of the first k of both rankings.", better="higher", within=SHARE, counted=True
)
DISPLACEMENT = Measure(
    "Mean difference of the two ranks of an id in both.", within=COUNT, counted=True, undefined=NOTHING_SHARED
)


class CutoffRow(Struct, frozen=True):
    """The first k of all rankings."""

    cutoff: int
    mean_jaccard: Annotated[Number, JACCARD]
    mean_displacement: Annotated[Number, DISPLACEMENT]


class Detail(Struct, frozen=True):
    """A query, at the gated cutoff."""

    query_id: str
    jaccard: float
    top_item_changed: bool
    shared_items: int
    displacement: int


class Result(Struct, frozen=True):
    """What is reported."""

    records: Annotated[int, RECORDS]
    top_item_changes: Annotated[
        int, Measure("Queries whose first ids differ.", better="lower", within=COUNT, counted=True)
    ]
    top_item_change_rate: Annotated[
        Number,
        Measure("Share of queries whose first ids differ.", better="lower", within=SHARE, counted=True),
    ]
    top_item_change_rate_low: Annotated[Number, end("low", "top_item_change_rate", better="lower")]
    top_item_change_rate_high: Annotated[Number, end("high", "top_item_change_rate", better="lower")]
    mean_jaccard: Annotated[Number, JACCARD]
    cutoffs: Annotated[list[CutoffRow], Table("Agreement at every cutoff.", order="cutoff, ascending")]
    details: Annotated[
        list[Detail],
        Table(
            "Queries at the gated cutoff, `displacement` being the sum over shared ids.",
            order="Jaccard index, then changed first ids first, then displacement descending, then query_id",
            limit="max_details",
        ),
    ]


class RankingDrift(Audit[Options, Result]):
    """See the module."""

    name, revision = "ranking-drift", 1
    inputs = {"records": Record}
    unique = "query_id"

    def start(self) -> None:
        """Make the tallies."""
        self.changed = Counts(2)
        self.overlap = Crosstab()
        """Queries by cutoff, ids in both rankings, ids in either."""
        self.displacement = Counts(len(self.options.cutoffs))
        """By cutoff, the sum of all displacements."""
        self.shared_items = Counts(len(self.options.cutoffs))
        """By cutoff, how many ids they are of."""
        self.least_stable = Extremes(self.options.max_details)

    def update(self, batch: Batch) -> None:
        """Compare the two rankings of every query."""
        cutoffs = self.options.cutoffs
        found = shared(batch.baseline, batch.candidate, cutoffs)
        self.changed.add((~found.same_first).astype(np.int64))
        cells = np.repeat(np.arange(len(cutoffs)), len(batch))
        self.overlap.add_numbers(cells, found.common.ravel(), found.either.ravel())
        for cell in range(len(cutoffs)):
            self.displacement.add_total(int(found.displacement[cell].sum()), cell)
            self.shared_items.add_total(int(found.common[cell].sum()), cell)
        self._note(batch.query_id, found, cutoffs.index(self.options.gated))

    def _note(self, ids: Sequence[str], found: Shared, gated: int) -> None:
        """Take the queries into account that may be among the least stable."""
        common, either, displacement = found.common[gated], found.either[gated], found.displacement[gated]
        index = np.where(either, common / np.maximum(either, 1), 1.0)

        def row(place: int) -> Row:
            same, moved = bool(found.same_first[place]), int(displacement[place])
            return float(index[place]), same, -moved, ids[place], int(common[place])

        self.least_stable.add_by(index, row)

    def finish(self) -> Result:
        """Make all measures from the tallies."""
        records, changes = self.changed.total, self.changed[1]
        low, high = wilson(changes, records, self.options.confidence)
        rows = [self._row(cell, cutoff) for cell, cutoff in enumerate(self.options.cutoffs)]
        return Result(
            records=records,
            top_item_changes=changes,
            top_item_change_rate=ratio(changes, records),
            top_item_change_rate_low=low,
            top_item_change_rate_high=high,
            mean_jaccard=next(row.mean_jaccard for row in rows if row.cutoff == self.options.gated),
            cutoffs=rows,
            details=Rows(map(_detail, self.least_stable.kept), self.least_stable.omitted),
        )

    def _row(self, cell: int, cutoff: int) -> CutoffRow:
        """Make the measures at one cutoff."""
        overlap = [(jaccard(int(n), int(of)), count) for (k, n, of), count in self.overlap if k == cell]
        return CutoffRow(
            cutoff, mean_of_counts(overlap), ratio(self.displacement[cell], self.shared_items[cell])
        )


def _detail(row: Row) -> Detail:
    index, same, minus_displacement, id_, common = row
    return Detail(str(id_), float(index), not same, int(common), -int(minus_displacement))
