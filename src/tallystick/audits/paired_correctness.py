"""What did the candidate fix, and what did it break?

Each record is a case with a unique `id`, an expected text, and the answers of two systems, `baseline` and
`candidate`. Or each system has its own file, and they are joined by id: `--baseline FILE --candidate FILE`,
with `id`, `expected` and `predicted` in each. An id that only one file has is an error unless `--join inner`,
and expected texts that differ are one in any case. An answer is right when it equals the expected text after
normalisation (`--normalize`, as in `answers`). With n cases

    both_correct, both_incorrect = cases on which the systems agree
    improvements (c)             = cases that only the candidate has right
    regressions (b)              = cases that only the baseline has right
    discordant (d)               = b + c
    accuracy_difference          = (c - b) / n
    discordant_win_rate          = c / d

`exact_p_value` is the exact McNemar test, two-sided: if either system were as likely as the other to be the
right one of a discordant case, the chance of a split at least as uneven as b to c,

    min(1, 2 * P[Bin(d, 1/2) <= min(b, c)])      and 1 where d = 0.

It is computed in integers for d <= 10,000; beyond that its logarithm has 50 digits, and the value is good to
1e-12 relative. A p-value below the smallest float64 is reported as that number; `exact_p_value_log10` has no
such floor. Because the test is blind to direction, a gate on it also needs improvements > regressions.
Accuracies and the win rate have Wilson intervals.

Undefined: the win rate without a discordant case.

Memory: where cases have ids they must differ, so the bytes of each and 12 more are held, and 16 more while
they are compared. Of two files the baseline's is held as a whole; of 256 MB or more both are dealt out by
id into files that go with the run, and one part at a time is held.

What it does not show: whether a difference matters, or whether the references are right. The test takes
cases as independent, so repeated or related cases make it too sure, and it knows nothing of other data sets,
measures, limits or variants that were tried before this one. A large p is no proof of equality: read it with
the difference and the number of regressions.

Sources: McNemar (1947), Psychometrika 12, 153-157; Edwards (1948), Psychometrika 13, 185-187, and Fagerland,
Lydersen & Laake (2013), BMC Med. Res. Methodol. 13:91, on its exact form; Wilson (1927) for the intervals.
"""

from typing import Annotated, Literal

import numpy as np
from msgspec import Meta, Struct

from ..audit import Audit
from ..fields import Id, Level, MaxDetails, Normalize, Text
from ..measure import COUNT, RECORDS, SHARE, Measure, Number, Rows, Table, end
from ..metrics.exact import ratio
from ..metrics.intervals import wilson
from ..metrics.mcnemar import exact_p_value
from ..metrics.text import Matcher
from ..parts.pairing import Join, Pairing, Side
from ..sources.batch import Batch
from ..tallies import Counts, Extremes

NO_DISCORDANT = "no case is discordant: both systems are right, or wrong, on the same cases"

TRANSITIONS = ("both_incorrect", "improvement", "regression", "both_correct")
"""By number: 2 if the baseline is right, and 1 if the candidate is."""


class Options(Struct, frozen=True):
    """What a caller may set."""

    normalize: Normalize = "words"
    join: Join = "all"
    confidence: Level = 0.95
    max_details: MaxDetails = 20


class Record(Struct, frozen=True):
    """One case that both systems answered."""

    id: Annotated[Id, Meta(description="Names the case; unique.")]
    expected: Annotated[Text, Meta(description="The right answer.")]
    baseline: Annotated[Text, Meta(description="The answer of the system in place.")]
    candidate: Annotated[Text, Meta(description="The answer of the system that may replace it.")]


class Detail(Struct, frozen=True):
    """One case."""

    id: str
    transition: str


def _count(about: str, better: Literal["higher", "lower"] | None = None, *, sample: bool = False) -> Measure:
    return Measure(about, better=better, within=COUNT, counted=True, sample=sample)


def _accuracy(system: str) -> Measure:
    about = f"Share of cases that the {system} has right."
    return Measure(about, better="higher", within=SHARE, counted=True)


class Result(Struct, frozen=True):
    """What is reported."""

    records: Annotated[int, RECORDS]
    baseline_only_records: Annotated[int, _count("Records of the baseline's file left out by the join.")]
    candidate_only_records: Annotated[int, _count("Records of the candidate's file left out by the join.")]
    both_correct: Annotated[int, _count("Cases that both have right.")]
    both_incorrect: Annotated[int, _count("Cases that both have wrong.")]
    regressions: Annotated[int, _count("Cases that only the baseline has right.", "lower")]
    improvements: Annotated[int, _count("Cases that only the candidate has right.", "higher")]
    discordant: Annotated[int, _count("Cases that one of them has right.", sample=True)]
    baseline_accuracy: Annotated[Number, _accuracy("baseline")]
    baseline_accuracy_low: Annotated[Number, end("low", "baseline_accuracy")]
    baseline_accuracy_high: Annotated[Number, end("high", "baseline_accuracy")]
    candidate_accuracy: Annotated[Number, _accuracy("candidate")]
    candidate_accuracy_low: Annotated[Number, end("low", "candidate_accuracy")]
    candidate_accuracy_high: Annotated[Number, end("high", "candidate_accuracy")]
    accuracy_difference: Annotated[
        Number,
        Measure(
            "Accuracy of the candidate less the baseline's.", better="higher", within=(-1, 1), counted=True
        ),
    ]
    discordant_win_rate: Annotated[
        Number,
        Measure(
            "Share of discordant cases that the candidate has right.",
            within=SHARE,
            counted=True,
            undefined=NO_DISCORDANT,
        ),
    ]
    discordant_win_rate_low: Annotated[
        Number, end("low", "discordant_win_rate", better=None, undefined=NO_DISCORDANT)
    ]
    discordant_win_rate_high: Annotated[
        Number, end("high", "discordant_win_rate", better=None, undefined=NO_DISCORDANT)
    ]
    exact_p_value: Annotated[
        Number,
        Measure(
            "P-value of the exact McNemar test, two-sided.",
            better="lower",
            within=SHARE,
            exact=False,
            slack=False,
            needs=(
                lambda result: result.improvements > result.regressions,
                "candidate is not ahead on discordant cases",
            ),
        ),
    ]
    exact_p_value_log10: Annotated[
        Number, Measure("Its logarithm to base 10.", within=(None, 0), exact=False)
    ]
    details: Annotated[
        list[Detail],
        Table(
            "Cases and what became of them: improvement, regression, both_correct or both_incorrect.",
            order="discordant cases first, then id",
            limit="max_details",
        ),
    ]


class PairedCorrectness(Audit[Options, Result]):
    """See the module."""

    name, revision = "paired-correctness", 1
    inputs = {"records": Record}
    sides = {"baseline": Side, "candidate": Side}
    unique = "id"

    def start(self) -> None:
        """Make the counts of transitions, and the list of cases."""
        self.pairing, self.transitions = Pairing(), Counts(4)
        self.cases = Extremes(self.options.max_details)

    def update(self, batch: Batch) -> None:
        """Count transitions, and note the cases that come first."""
        expected, baseline, candidate = self.pairing.add(batch)
        if not expected:
            return
        matcher = Matcher(self.options.normalize)
        before, after = matcher.same(expected, baseline), matcher.same(expected, candidate)
        transitions = 2 * before.astype(np.int64) + after
        self.transitions.add(transitions)
        rows = zip((before == after).tolist(), batch.id, transitions.tolist(), strict=True)
        self.cases.add(rows)

    def lacking(self) -> str | None:
        """Refuse two files that do not hold the same cases."""
        return self.pairing.lacking(self.options.join)

    def warnings(self, result: Result) -> list[str]:  # noqa: ARG002
        """Name what the join left out."""
        return [f"{what}, left out" for what in self.pairing.left_out]

    def finish(self) -> Result:
        """Make all measures from the four counts."""
        both_incorrect, improvements, regressions, both_correct = self.transitions
        records, discordant = self.transitions.total, improvements + regressions
        before, after = both_correct + regressions, both_correct + improvements
        level = self.options.confidence
        baseline_low, baseline_high = wilson(before, records, level)
        candidate_low, candidate_high = wilson(after, records, level)
        win_low, win_high = wilson(improvements, discordant, level)
        p = exact_p_value(regressions, improvements)
        return Result(
            records=records,
            baseline_only_records=self.pairing.baseline_only,
            candidate_only_records=self.pairing.candidate_only,
            both_correct=both_correct,
            both_incorrect=both_incorrect,
            regressions=regressions,
            improvements=improvements,
            discordant=discordant,
            baseline_accuracy=ratio(before, records),
            baseline_accuracy_low=baseline_low,
            baseline_accuracy_high=baseline_high,
            candidate_accuracy=ratio(after, records),
            candidate_accuracy_low=candidate_low,
            candidate_accuracy_high=candidate_high,
            accuracy_difference=ratio(improvements - regressions, records),
            discordant_win_rate=ratio(improvements, discordant),
            discordant_win_rate_low=win_low,
            discordant_win_rate_high=win_high,
            exact_p_value=p.value,
            exact_p_value_log10=p.log10,
            details=Rows(
                (Detail(str(id_), TRANSITIONS[int(number)]) for _, id_, number in self.cases.kept),
                self.cases.omitted,
            ),
        )
