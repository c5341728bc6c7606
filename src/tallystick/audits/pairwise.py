"""Which of two systems is preferred?

Each record is a comparison with a unique `id`, in which a judge preferred the `baseline`, the `candidate`
or neither (`tie`). With B, C and T of each, and n in all

    candidate_win_rate = C / (B + C)      baseline_win_rate = B / (B + C)      tie_rate = T / n
    candidate_share    = C / n            preference_margin = (C - B) / n

The two win rates are among decisive comparisons, which are those without a tie: ties are neither dropped
(`tie_rate` shows them) nor counted as half a win. The win rates, the tie rate and the share have Wilson
intervals; `--min-candidate-win-rate-lower-bound` judges the low end of the candidate's. All but the
intervals are rationals of counts, and gates compare them exactly.

Undefined: both win rates where every comparison is a tie.

Memory: ids must differ, so the bytes of each and 12 more are held, and 16 more while they are compared.

What it does not show: which answer is right, or whether the preference matters to anybody in practice.
The judge, the rubric, which answer was shown first and when a tie is allowed all shape it (`position-bias`
looks at one of these). An interval speaks of chance among independent comparisons only: not of a judge's
bias, of prompts that occur several times, of many comparisons of which the best was kept, nor of
a candidate that was chosen on these same comparisons.

Sources: Wilson (1927), J. Am. Stat. Assoc. 22, 209-212, for the intervals; Zheng et al. (2023),
arXiv:2306.05685, on what biases a judge.
"""

from typing import Annotated, Literal

from msgspec import Meta, Struct

from ..audit import Audit
from ..fields import Id, Level, MaxDetails
from ..measure import COUNT, RECORDS, SHARE, Measure, Number, Rows, Table, end
from ..metrics.exact import ratio
from ..metrics.intervals import wilson
from ..sources.batch import Batch
from ..tallies import Crosstab, Extremes

ALL_TIES = "no comparison is decisive: all are ties"


class Options(Struct, frozen=True):
    """What a caller may set."""

    confidence: Level = 0.95
    max_details: MaxDetails = 20


class Record(Struct, frozen=True):
    """One comparison."""

    id: Annotated[Id, Meta(description="Names the comparison; unique.")]
    winner: Annotated[
        Literal["baseline", "candidate", "tie"], Meta(description="The system that the judge preferred.")
    ]


class Detail(Struct, frozen=True):
    """A comparison that the candidate did not win."""

    id: str
    winner: str


class Result(Struct, frozen=True):
    """What is reported."""

    records: Annotated[int, RECORDS]
    baseline_wins: Annotated[int, Measure("Comparisons that the baseline wins.", within=COUNT)]
    candidate_wins: Annotated[int, Measure("Comparisons that the candidate wins.", within=COUNT)]
    ties: Annotated[int, Measure("Comparisons that neither wins.", within=COUNT)]
    decisive_comparisons: Annotated[
        int, Measure("Comparisons that one of them wins.", within=COUNT, sample=True)
    ]
    tie_rate: Annotated[
        Number, Measure("Share of comparisons that are ties.", better="lower", within=SHARE, counted=True)
    ]
    tie_rate_low: Annotated[Number, end("low", "tie_rate", better="lower")]
    tie_rate_high: Annotated[Number, end("high", "tie_rate", better="lower")]
    candidate_win_rate: Annotated[
        Number,
        Measure(
            "Share of decisive comparisons that the candidate wins.",
            better="higher",
            within=SHARE,
            counted=True,
            undefined=ALL_TIES,
        ),
    ]
    candidate_win_rate_low: Annotated[
        Number, end("low", "candidate_win_rate", undefined=ALL_TIES, flag="candidate_win_rate_lower_bound")
    ]
    candidate_win_rate_high: Annotated[Number, end("high", "candidate_win_rate", undefined=ALL_TIES)]
    baseline_win_rate: Annotated[
        Number,
        Measure("Share of decisive comparisons that the baseline wins.", within=SHARE, undefined=ALL_TIES),
    ]
    baseline_win_rate_low: Annotated[Number, end("low", "baseline_win_rate", better=None, undefined=ALL_TIES)]
    baseline_win_rate_high: Annotated[
        Number, end("high", "baseline_win_rate", better=None, undefined=ALL_TIES)
    ]
    candidate_share: Annotated[
        Number, Measure("Share of all comparisons that the candidate wins.", within=SHARE)
    ]
    candidate_share_low: Annotated[Number, end("low", "candidate_share", better=None)]
    candidate_share_high: Annotated[Number, end("high", "candidate_share", better=None)]
    preference_margin: Annotated[
        Number,
        Measure(
            "Wins of the candidate less wins of the baseline, as a share of all comparisons.",
            better="higher",
            within=(-1, 1),
            counted=True,
        ),
    ]
    details: Annotated[
        list[Detail],
        Table(
            "Comparisons that the candidate does not win.",
            order="winner (baseline, then tie), then id",
            limit="max_details",
        ),
    ]


class Pairwise(Audit[Options, Result]):
    """See the module."""

    name, revision = "pairwise", 1
    inputs = {"records": Record}
    unique = "id"

    def start(self) -> None:
        """Make the counts of winners, and the list of comparisons that the candidate did not win."""
        self.winners = Crosstab()
        self.not_won = Extremes(self.options.max_details)

    def update(self, batch: Batch) -> None:
        """Count winners, and note the ids that the candidate did not win."""
        self.winners.add(batch.winner)
        rows = zip(batch.winner, batch.id, strict=True)
        self.not_won.add(row for row in rows if row[0] != "candidate")

    def finish(self) -> Result:
        """Make all measures from the winners."""
        baseline, candidate, ties = (self.winners[(w,)] for w in ("baseline", "candidate", "tie"))
        records, decisive = self.winners.total, baseline + candidate
        level = self.options.confidence
        tie_low, tie_high = wilson(ties, records, level)
        candidate_low, candidate_high = wilson(candidate, decisive, level)
        baseline_low, baseline_high = wilson(baseline, decisive, level)
        share_low, share_high = wilson(candidate, records, level)
        return Result(
            records=records,
            baseline_wins=baseline,
            candidate_wins=candidate,
            ties=ties,
            decisive_comparisons=decisive,
            tie_rate=ratio(ties, records),
            tie_rate_low=tie_low,
            tie_rate_high=tie_high,
            candidate_win_rate=ratio(candidate, decisive),
            candidate_win_rate_low=candidate_low,
            candidate_win_rate_high=candidate_high,
            baseline_win_rate=ratio(baseline, decisive),
            baseline_win_rate_low=baseline_low,
            baseline_win_rate_high=baseline_high,
            candidate_share=ratio(candidate, records),
            candidate_share_low=share_low,
            candidate_share_high=share_high,
            preference_margin=ratio(candidate - baseline, records),
            details=Rows(
                (Detail(str(id_), str(winner)) for winner, id_ in self.not_won.kept), self.not_won.omitted
            ),
        )
