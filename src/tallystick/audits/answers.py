"""How many answers match the expected ones?

Each record has an expected answer and the one that was predicted. Both are texts; `expected` may also be
an array of texts, any of which is right. Texts are brought to one form first (`--normalize`):

- `words`: NFC, casefolded, then the runs of letters, marks, numbers and connector punctuation (Unicode
  categories L, M, N, Pc) joined by one space, so that case, punctuation and spacing do not count;
- `squad`: lower case, without ASCII punctuation and the words a, an, the, spaces collapsed;
- `exact`: as they are.

A text that is not blank but would come out empty keeps its casefolded form, so "..." is not "!!!". The
tokens of a text are what stands between the spaces of its form (`exact`: between any white space); a
script without spaces, such as Chinese, has one token for each run. With `shared` the size of the multiset
intersection of both sides' tokens

    exact_match = records whose two forms are equal / records
    token_f1    = mean over records of 2 * shared / (expected tokens + predicted tokens)

where F1 is 1 if neither side has a token, and 0 if one has none; of several expected texts the best F1
counts. Both are exact rationals. Exact match has a Wilson interval, token F1 a percentile bootstrap interval:
`--samples` resamples of the records, drawn with PCG64 from `--seed` over the sorted distinct values, so that
the order of records does not matter. Where all values are equal, resampling shows nothing: the interval is
that value, and `token_f1_degenerate` says so.

Memory: about 200 bytes for each distinct value of F1.

What it does not show: whether an answer means the same in other words, or a long one is right for the wrong
reason: both measures look at the surface. A reference may be wrong or incomplete. An interval speaks of
chance among independent records like these, not of other data; repeated or related questions make it look
narrower than it is. A limit chosen after looking at these records proves nothing.

Sources: Rajpurkar et al. (2016), arXiv:1606.05250, for exact match and token F1; Wilson (1927), J. Am. Stat.
Assoc. 22, 209-212; Efron & Tibshirani (1993), An Introduction to the Bootstrap, section 13.3.
"""

from typing import Annotated

from msgspec import Meta, Struct

from ..audit import Audit
from ..fields import Answer, Level, Normalize, Samples, Seed, Text
from ..measure import RECORDS, SHARE, Measure, Number, degenerate, end
from ..metrics.bootstrap import mean_interval
from ..metrics.exact import mean_of_counts, ratio
from ..metrics.intervals import wilson
from ..metrics.text import Matcher
from ..sources.batch import Batch
from ..tallies import Counts, Rationals


class Options(Struct, frozen=True):
    """What a caller may set."""

    normalize: Normalize = "words"
    confidence: Level = 0.95
    samples: Samples = 1000
    seed: Seed = 0


class Record(Struct, frozen=True):
    """One answer."""

    expected: Annotated[Answer, Meta(description="The right answer, or several right ones.")]
    predicted: Annotated[Text, Meta(description="The answer given.")]


class Result(Struct, frozen=True):
    """What is reported."""

    records: Annotated[int, RECORDS]
    exact_match: Annotated[
        Number,
        Measure("Share of records whose answer is right.", better="higher", within=SHARE, counted=True),
    ]
    exact_match_low: Annotated[Number, end("low", "exact_match")]
    exact_match_high: Annotated[Number, end("high", "exact_match")]
    token_f1: Annotated[
        Number, Measure("Mean token F1 of the records.", better="higher", within=SHARE, counted=True)
    ]
    token_f1_low: Annotated[Number, end("low", "token_f1", remark=degenerate("token_f1"))]
    token_f1_high: Annotated[Number, end("high", "token_f1", remark=degenerate("token_f1"))]
    token_f1_degenerate: bool


class Answers(Audit[Options, Result]):
    """See the module."""

    name, revision = "answers", 1
    inputs = {"records": Record}

    def start(self) -> None:
        """Make the count of right answers, and the multiset of token F1s."""
        self.right, self.token_f1 = Counts(), Rationals()

    def update(self, batch: Batch) -> None:
        """Score answers."""
        scores = Matcher(self.options.normalize).scores(batch.expected, batch.predicted)
        self.right.add_total(int(scores.right.sum()))
        self.token_f1.add(scores.numerator, scores.denominator)

    def finish(self) -> Result:
        """Make both measures and their intervals."""
        right, records, level = self.right.total, self.token_f1.total, self.options.confidence
        low, high = wilson(right, records, level)
        interval = mean_interval(self.token_f1, level, self.options.samples, self.options.seed)
        return Result(
            records=records,
            exact_match=ratio(right, records),
            exact_match_low=low,
            exact_match_high=high,
            token_f1=mean_of_counts(self.token_f1),
            token_f1_low=interval.low,
            token_f1_high=interval.high,
            token_f1_degenerate=interval.degenerate,
        )
