"""Is the candidate better than the baseline on the same cases?

Each record is a case with an expected text and the answers of two systems, `baseline` and `candidate`. Or
each system has its own file, and they are joined by id: `--baseline FILE --candidate FILE`, with `id`,
`expected` and `predicted` in each. An id that only one file has is an error unless `--join inner`, and
expected texts that differ are one in any case. Exact match and token F1 of an answer are those of `answers`
(`--normalize`). For each of both, over n cases,

    baseline_<measure>, candidate_<measure> = mean over the cases
    <measure>_difference                    = mean over the cases of (candidate's - baseline's)

The difference has a percentile bootstrap interval: `--samples` times n cases are drawn with replacement,
never the two systems apart, and the ends are quantiles of the mean differences, linear between order
statistics. Draws come from PCG64, started from `--seed` for each interval, over the sorted distinct
differences, so that the order of records does not matter. Differences are exact rationals, so that equal ones
are equal. Where all are, resampling shows nothing: the interval is that value, and
`<measure>_difference_degenerate` says so.

Gates judge the low end of the interval: `--min-exact-match-difference 0.02` asks that even there the
candidate be 0.02 ahead; a limit of 0 asks that it be no worse, a negative one tolerates a loss. Exact match
of each system has a Wilson interval.

Memory: about 200 bytes for each distinct F1 and each distinct difference of F1s. Of two files the
baseline's is held as a whole, with the bytes of each id of both and 12 more; of 256 MB or more both are
dealt out by id into files that go with the run, and one part at a time is held.

What it does not show: how the systems would do on other cases. The interval speaks of chance among cases like
these, as if they were drawn independently; repeated or related cases make it too narrow, and so do few of
them. It knows nothing of the variants and limits that were tried before. Both measures look at the surface of
a text: `answers` says what they miss.

Sources: Efron & Tibshirani (1993), An Introduction to the Bootstrap, section 13.3; Koehn (2004), EMNLP, for
resampling paired systems; Rajpurkar et al. (2016), arXiv:1606.05250, for both measures; Wilson (1927).
"""

from fractions import Fraction
from typing import Annotated

import numpy as np
from msgspec import Meta, Struct

from ..audit import Audit
from ..fields import Level, Normalize, Samples, Seed, Text
from ..measure import COUNT, RECORDS, SHARE, Measure, Number, degenerate, end
from ..metrics.bootstrap import mean_interval
from ..metrics.exact import mean_of_counts, ratio
from ..metrics.intervals import wilson
from ..metrics.text import Matcher, difference
from ..parts.pairing import Join, Pairing, Side
from ..sources.batch import Batch
from ..tallies import Counts, Rationals


class Options(Struct, frozen=True):
    """What a caller may set."""

    normalize: Normalize = "words"
    join: Join = "all"
    confidence: Level = 0.95
    samples: Samples = 2000
    seed: Seed = 0


class Record(Struct, frozen=True):
    """One case that both systems answered."""

    expected: Annotated[Text, Meta(description="The right answer.")]
    baseline: Annotated[Text, Meta(description="The answer of the system in place.")]
    candidate: Annotated[Text, Meta(description="The answer of the system that may replace it.")]


def _left_out(system: str) -> Measure:
    return Measure(f"Records of the {system}'s file left out by the join.", within=COUNT, counted=True)


def _mean(about: str) -> Measure:
    return Measure(about, within=SHARE, counted=True)


def _difference(name: str) -> Measure:
    return Measure(
        f"Mean {name} of the candidate less the baseline's.",
        within=(-1, 1),
        counted=True,
        instead=f"{name}_difference_low, the low end of its interval",
    )


def _low(name: str) -> Measure:
    of = f"{name}_difference"
    return end("low", of, within=(-1, 1), flag=of, remark=degenerate(of))


def _high(name: str) -> Measure:
    return end("high", f"{name}_difference", within=(-1, 1), better=None)


class Result(Struct, frozen=True):
    """What is reported."""

    records: Annotated[int, RECORDS]
    baseline_only_records: Annotated[int, _left_out("baseline")]
    candidate_only_records: Annotated[int, _left_out("candidate")]
    baseline_exact_match: Annotated[Number, _mean("Share of cases that the baseline has right.")]
    baseline_exact_match_low: Annotated[Number, end("low", "baseline_exact_match", better=None)]
    baseline_exact_match_high: Annotated[Number, end("high", "baseline_exact_match", better=None)]
    candidate_exact_match: Annotated[Number, _mean("Share of cases that the candidate has right.")]
    candidate_exact_match_low: Annotated[Number, end("low", "candidate_exact_match", better=None)]
    candidate_exact_match_high: Annotated[Number, end("high", "candidate_exact_match", better=None)]
    exact_match_difference: Annotated[Number, _difference("exact_match")]
    exact_match_difference_low: Annotated[Number, _low("exact_match")]
    exact_match_difference_high: Annotated[Number, _high("exact_match")]
    exact_match_difference_degenerate: bool
    baseline_token_f1: Annotated[Number, _mean("Mean token F1 of the baseline.")]
    candidate_token_f1: Annotated[Number, _mean("Mean token F1 of the candidate.")]
    token_f1_difference: Annotated[Number, _difference("token_f1")]
    token_f1_difference_low: Annotated[Number, _low("token_f1")]
    token_f1_difference_high: Annotated[Number, _high("token_f1")]
    token_f1_difference_degenerate: bool


class Comparison(Audit[Options, Result]):
    """See the module."""

    name, revision = "comparison", 1
    inputs = {"records": Record}
    sides = {"baseline": Side, "candidate": Side}
    unique = "id"

    def start(self) -> None:
        """Make the counts of right answers, and the multisets of token F1s and of their differences."""
        self.pairing, self.transitions = Pairing(), Counts(4)
        self.baseline_f1, self.candidate_f1, self.difference = Rationals(), Rationals(), Rationals()

    def update(self, batch: Batch) -> None:
        """Score both systems on each case."""
        expected, baseline, candidate = self.pairing.add(batch)
        if not expected:
            return
        matcher = Matcher(self.options.normalize)
        before, after = matcher.scores(expected, baseline), matcher.scores(expected, candidate)
        self.transitions.add(2 * before.right.astype(np.int64) + after.right)
        self.baseline_f1.add(before.numerator, before.denominator)
        self.candidate_f1.add(after.numerator, after.denominator)
        self.difference.add(*difference(after, before))

    def lacking(self) -> str | None:
        """Refuse two files that do not hold the same cases."""
        return self.pairing.lacking(self.options.join)

    def warnings(self, result: Result) -> list[str]:  # noqa: ARG002
        """Name what the join left out."""
        return [f"{what}, left out" for what in self.pairing.left_out]

    def finish(self) -> Result:
        """Make means, differences and intervals."""
        _, improved, regressed, both = self.transitions
        records, level = self.transitions.total, self.options.confidence
        changes = {1: improved, -1: regressed, 0: records - improved - regressed}
        baseline_low, baseline_high = wilson(both + regressed, records, level)
        candidate_low, candidate_high = wilson(both + improved, records, level)
        resampling = (level, self.options.samples, self.options.seed)
        exact_match = mean_interval([(Fraction(by), n) for by, n in changes.items() if n], *resampling)
        token_f1 = mean_interval(self.difference, *resampling)
        return Result(
            records=records,
            baseline_only_records=self.pairing.baseline_only,
            candidate_only_records=self.pairing.candidate_only,
            baseline_exact_match=ratio(both + regressed, records),
            baseline_exact_match_low=baseline_low,
            baseline_exact_match_high=baseline_high,
            candidate_exact_match=ratio(both + improved, records),
            candidate_exact_match_low=candidate_low,
            candidate_exact_match_high=candidate_high,
            exact_match_difference=ratio(improved - regressed, records),
            exact_match_difference_low=exact_match.low,
            exact_match_difference_high=exact_match.high,
            exact_match_difference_degenerate=exact_match.degenerate,
            baseline_token_f1=mean_of_counts(self.baseline_f1),
            candidate_token_f1=mean_of_counts(self.candidate_f1),
            token_f1_difference=mean_of_counts(self.difference),
            token_f1_difference_low=token_f1.low,
            token_f1_difference_high=token_f1.high,
            token_f1_difference_degenerate=token_f1.degenerate,
        )
