"""Are relevant documents retrieved, and early?

Each record is a query with a unique `query_id`, its `relevant` documents, and the ranking `retrieved`, the
best first. Ids of documents are compared exactly, and none may occur twice in a list. `relevant` is an array
of ids, or an object that gives each judged document a grade, relevant when above 0. Let a query have R
relevant documents, let r run over the ranks, from 1, at which such a document stands, and let g_r be its
grade (1 for all in an array). For every cutoff k (`--cutoff`, repeatable)

    hit_rate  = queries with some r <= k / queries
    mrr       = mean over queries of 1 / (first r), 0 where it is beyond k
    precision = mean of (how many r <= k) / k, however few were retrieved
    recall    = mean of (how many r <= k) / R
    ndcg      = mean of DCG / IDCG, where DCG = sum over r <= k of g_r / log2(r + 1), and IDCG is that sum
                for all relevant documents ranked by grade, so that it has min(R, k) terms

and over whole rankings

    map       = mean of (1 / R) * sum over r of (how many relevant documents stand at r or before) / r

The order given is the ranking: no scores are read, nothing is sorted again. A query for which nothing was
retrieved counts, with zeros. The measures of the result are the row of `--gate-cutoff`, by default the
largest. ndcg is float64 for each query and summed exactly; all others are exact rationals, and gates compare
them so. The hit rate has a Wilson interval.

A query without a relevant document is refused, because no ranking could do well on it. With
`--allow-unjudged` such queries are counted as `unjudged_queries` and are in none of the means.

Undefined: every mean where no query has a relevant document.

Memory: ids of queries must differ, so the bytes of each and 12 more are held, and 16 more while they are
compared; about 150 bytes for each combination that occurs of R with a rank r, and of R, a cutoff and how
many documents were found up to it.

What it does not show: whether documents that nobody judged are relevant: they count as not relevant here,
which punishes systems unlike those whose results were judged. Nor how sure the judges were, what a reader
makes of the documents, or how good an answer is that was made from them. Means over few queries are
uncertain, and one mean over easy and hard queries hides both: slice. Other tools order documents by score and
break ties their own way; give them rankings without ties before comparing numbers.

Sources: Jarvelin & Kekalainen (2002), ACM Trans. Inf. Syst. 20, 422-446, for cumulative gain; Burges et al.
(2005), ICML 22, for gain and discount as they are used here, with linear gain; Voorhees (1999), TREC-8, for
the reciprocal rank; Buckley & Voorhees (2000), SIGIR 23, on the stability of such means; Wilson (1927).
"""

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator
from fractions import Fraction
from typing import Annotated

import numpy as np
from msgspec import Meta, Struct

from ..audit import Audit
from ..fields import Id, Ids, Level, MaxRows, NonNegative
from ..measure import COUNT, RECORDS, SHARE, Measure, Number, Rows, Table, end
from ..metrics.exact import ratio, total
from ..metrics.intervals import wilson
from ..metrics.rankings import Hits, hits, ndcg
from ..parts.cutoffs import Cutoffs
from ..sources.batch import Batch
from ..tallies import Counts, Crosstab, Extremes, Sums
from ..tallies.extremes import Row

UNJUDGED = "no query has a relevant document"

NOTHING = Hits((), (), ())
"""The hits of a query without a relevant document."""


class Options(Cutoffs, frozen=True):
    """What a caller may set."""

    allow_unjudged: Annotated[
        bool,
        Meta(description="Count queries without a relevant document apart, where they are refused else."),
    ] = False
    confidence: Level = 0.95
    max_rows: MaxRows = 1000


class Record(Struct, frozen=True):
    """One query."""

    query_id: Annotated[Id, Meta(description="Names the query; unique.")]
    relevant: Annotated[
        Ids | dict[Id, NonNegative],
        Meta(description="The relevant documents, or the grade of each judged one; relevant when above 0."),
    ]
    retrieved: Annotated[Ids, Meta(description="The documents retrieved, the best first.")]


def _mean(about: str, *, counted: bool = True) -> Measure:
    return Measure(about, better="higher", within=SHARE, counted=counted, exact=counted, undefined=UNJUDGED)


HIT_RATE = _mean("Share of queries with a relevant document in the first k.")
MRR = _mean("Mean reciprocal rank of the first relevant document, 0 beyond k.")
PRECISION = _mean("Mean share of k that relevant documents in the first k are.")
RECALL = _mean("Mean share of a query's relevant documents that are in the first k.")
NDCG = _mean("Mean normalised discounted cumulative gain of the first k.", counted=False)


class CutoffRow(Struct, frozen=True):
    """The first k of all rankings."""

    cutoff: int
    hit_rate: Annotated[Number, HIT_RATE]
    mrr: Annotated[Number, MRR]
    precision: Annotated[Number, PRECISION]
    recall: Annotated[Number, RECALL]
    ndcg: Annotated[Number, NDCG]


class QueryRow(Struct, frozen=True):
    """One query with a relevant document."""

    query_id: str
    first_relevant_rank: Annotated[
        int | None,
        Measure("First rank of a relevant document.", undefined="no relevant document was retrieved"),
    ]
    relevant: int
    found: int
    ndcg: float


class Result(Struct, frozen=True):
    """What is reported."""

    records: Annotated[int, RECORDS]
    judged_queries: Annotated[
        int,
        Measure(
            "Queries with a relevant document.", better="higher", within=COUNT, counted=True, sample=True
        ),
    ]
    unjudged_queries: Annotated[
        int, Measure("Queries without one, left out.", better="lower", within=COUNT, counted=True)
    ]
    hit_rate: Annotated[Number, HIT_RATE]
    hit_rate_low: Annotated[Number, end("low", "hit_rate", undefined=UNJUDGED)]
    hit_rate_high: Annotated[Number, end("high", "hit_rate", undefined=UNJUDGED)]
    mrr: Annotated[Number, MRR]
    recall: Annotated[Number, RECALL]
    ndcg: Annotated[Number, NDCG]
    map: Annotated[Number, _mean("Mean average precision of whole rankings.")]
    cutoffs: Annotated[list[CutoffRow], Table("The same at every cutoff.", order="cutoff, ascending")]
    per_query: Annotated[
        list[QueryRow],
        Table(
            "Queries with a relevant document, `ndcg` being that at the gated cutoff.",
            order="nothing relevant retrieved first, then first relevant rank descending, then query_id",
            limit="max_rows",
        ),
    ]


class Retrieval(Audit[Options, Result]):
    """See the module."""

    name, revision = "retrieval", 1
    inputs = {"records": Record}
    unique = "query_id"

    def start(self) -> None:
        """Make the tallies."""
        self.cutoffs = tuple(self.options.cutoffs)
        self.gated = self.cutoffs.index(self.options.gated)
        self.first = Crosstab()
        """Queries by the first rank of a relevant document, 0 for none."""
        self.found = Crosstab()
        """Queries by cutoff, relevant documents found up to it, and relevant documents."""
        self.precision = Crosstab()
        """By rank of a relevant document and relevant documents: how many stand there or before, summed."""
        self.gain = Sums(len(self.options.cutoffs))
        self.unjudged = Counts()
        self.worst = Extremes(self.options.max_rows)

    def update(self, batch: Batch) -> None:
        """Find the relevant documents of every query."""
        alike: dict[Hits, list[str]] = defaultdict(list)
        for row, (relevant, retrieved) in enumerate(zip(batch.relevant, batch.retrieved, strict=True)):
            query = hits(relevant, retrieved)
            if not query.ideal and not self.options.allow_unjudged:
                what = "no document is relevant, so no ranking can be judged"
                raise batch.fault(row, "relevant", f"{what} (--allow-unjudged counts such queries apart)")
            alike[query].append(batch.query_id[row])
        self.unjudged.add_total(len(alike.pop(NOTHING, ())))
        rows: list[Row] = []
        for query, ids in alike.items():
            self._count(query, len(ids))
            rows += self._worst(query, ids)
        self.worst.add(rows, skipped=sum(map(len, alike.values())) - len(rows))
        self._gain(list(alike), [len(ids) for ids in alike.values()])

    def _count(self, query: Hits, times: int) -> None:
        """Count queries with the same hits."""
        relevant = len(query.ideal)
        self.first.add_total(times, query.ranks[0] if query.ranks else 0)
        for cutoff in self.cutoffs:
            self.found.add_total(times, cutoff, bisect_right(query.ranks, cutoff), relevant)
        for upto, rank in enumerate(query.ranks, 1):
            self.precision.add_total(upto * times, rank, relevant)

    def _worst(self, query: Hits, ids: list[str]) -> Iterator[Row]:
        """Give those of the queries with the same hits that may be among the worst."""
        first = bool(query.ranks), -query.ranks[0] if query.ranks else 0
        if self.worst.admits(first):
            gain = ndcg(query, self.cutoffs)[self.gated]
            for id_ in sorted(ids)[: self.options.max_rows]:
                yield *first, id_, len(query.ideal), len(query.ranks), gain

    def _gain(self, queries: list[Hits], times: list[int]) -> None:
        """Sum the gains at every cutoff of queries, each of which stands for some with the same hits."""
        gains = np.array([ndcg(query, self.cutoffs) for query in queries]).reshape(-1, len(self.cutoffs))
        every = np.repeat(gains, times, axis=0)
        self.gain.add(every.ravel(), np.tile(np.arange(len(self.cutoffs)), len(every)))

    def finish(self) -> Result:
        """Make all measures from the tallies."""
        queries = self.first.total
        unjudged = self.unjudged.total
        rows = [self._row(cell, cutoff, queries) for cell, cutoff in enumerate(self.options.cutoffs)]
        gated = next(row for row in rows if row.cutoff == self.options.gated)
        hit = sum(n for (rank,), n in self.first if 0 < int(rank) <= self.options.gated)
        low, high = wilson(hit, queries, self.options.confidence)
        precision = total(Fraction(n, int(rank) * int(of)) for (rank, of), n in self.precision)
        return Result(
            records=queries + unjudged,
            judged_queries=queries,
            unjudged_queries=unjudged,
            hit_rate=gated.hit_rate,
            hit_rate_low=low,
            hit_rate_high=high,
            mrr=gated.mrr,
            recall=gated.recall,
            ndcg=gated.ndcg,
            map=ratio(precision, queries),
            cutoffs=rows,
            per_query=Rows(map(_query, self.worst.kept), self.worst.omitted),
        )

    def _row(self, cell: int, cutoff: int, queries: int) -> CutoffRow:
        """Make the measures at one cutoff."""
        first = [(int(rank), n) for (rank,), n in self.first if 0 < int(rank) <= cutoff]
        found = [(int(upto), int(of), n) for (k, upto, of), n in self.found if k == cutoff]
        return CutoffRow(
            cutoff=cutoff,
            hit_rate=ratio(sum(n for _, n in first), queries),
            mrr=ratio(total(Fraction(n, rank) for rank, n in first), queries),
            precision=ratio(sum(upto * n for upto, _, n in found), cutoff * queries),
            recall=ratio(total(Fraction(upto * n, of) for upto, of, n in found), queries),
            ndcg=ratio(self.gain[cell], queries),
        )


def _query(row: Row) -> QueryRow:
    _, minus_rank, id_, relevant, found, gain = row
    return QueryRow(str(id_), -int(minus_rank) or None, int(relevant), int(found), float(gain))
