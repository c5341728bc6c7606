"""Did a run stay inside its budget?

Each record is one recorded attempt with a unique `id`: how long it took (`latency_ms`), the tokens that it
read (`input_tokens`) and wrote (`output_tokens`), and whether it was a `success`. With n attempts

    success_rate      = successes / n, with its Wilson interval
    mean_latency_ms   = sum of latency_ms / n
    p95_latency_ms    = value number ceil(95 n / 100) of the n latencies, ascending
    max_latency_ms    = the last of them
    mean_total_tokens = (input_tokens_total + output_tokens_total) / n
    p95_total_tokens  = the same percentile of input_tokens + output_tokens

and p50, p90 and p99 likewise. Ranks are computed in integers, and a percentile is always one of the values:
of two latencies, p50 is the smaller and p95 the larger. Latencies of all attempts count, failures included;
`success_` and `failure_` measures give the two kinds apart, because attempts that fail fast make the whole
look faster than what its users waited for. Sums are exact: token totals are whole numbers of any size.

Undefined: measures of successes where there are none, and of failures where there are none.

Memory: ids must differ, so the bytes of each and 12 more are held, and 16 more while they are compared; 24
bytes for each distinct latency and 16 for each distinct number of total tokens, up to three times that while
rows are joined.

What it does not show: why an attempt was slow or failed, or whether its answer is any good. The numbers are
those of the instruments and of the conditions: hardware, load, concurrency, caches, retries, model version,
tokenizer. Attempts that were never recorded (a crash, a client that gave up) are missing from all of it.
Tokens are not money. A high percentile of few attempts says little: p99 of fewer than 100 is their maximum.

Sources: Hyndman & Fan (1996), Am. Stat. 50, 361-365, definition 1, for the percentiles; Wilson (1927), J. Am.
Stat. Assoc. 22, for the interval.
"""

from fractions import Fraction
from typing import Annotated, Any

import numpy as np
from msgspec import Meta, Struct

from ..audit import Audit
from ..fields import Id, Level, MaxDetails, NonNegative, Whole
from ..measure import COUNT, RECORDS, SHARE, Measure, Number, Rows, Table, end
from ..metrics.exact import ratio
from ..metrics.intervals import wilson
from ..metrics.ranks import nearest_rank
from ..sources.batch import Batch
from ..tallies import Counts, Extremes, Sums, Values

ALL, FAILURES, SUCCESSES = (1, 1), (1, 0), (0, 1)
"""Which attempts to take: weights of the failed (0) and the successful (1) ones."""

PERCENTILES = {"p50": 50, "p90": 90, "p95": 95, "p99": 99, "max": 100}


class Options(Struct, frozen=True):
    """What a caller may set."""

    confidence: Level = 0.95
    max_details: MaxDetails = 20


class Record(Struct, frozen=True):
    """One recorded attempt."""

    id: Annotated[Id, Meta(description="Names the attempt; unique.")]
    latency_ms: Annotated[NonNegative, Meta(description="How long it took, in milliseconds.")]
    input_tokens: Annotated[Whole, Meta(description="Tokens that it read.")]
    output_tokens: Annotated[Whole, Meta(description="Tokens that it wrote.")]
    success: Annotated[bool, Meta(description="Whether it succeeded.")]


class SlowRow(Struct, frozen=True):
    """One of the slowest attempts."""

    id: str
    latency_ms: float
    success: bool


class FailedRow(Struct, frozen=True):
    """An attempt that failed."""

    id: str


def _latency(which: str, of: str = "attempts") -> Measure:
    about = f"{which} of the latencies of {of}, in milliseconds."
    return Measure(about, better="lower", within=COUNT, undefined=f"there are no {of}")


def _latency_of_successes(which: str) -> Measure:
    return _latency(which, "successes")


def _latency_of_failures(which: str) -> Measure:
    return _latency(which, "failures")


def _count(about: str) -> Measure:
    return Measure(about, better="lower", within=COUNT, counted=True)


class Result(Struct, frozen=True):
    """What is reported."""

    records: Annotated[int, RECORDS]
    success_rate: Annotated[
        Number, Measure("Share of attempts that succeeded.", better="higher", within=SHARE, counted=True)
    ]
    success_rate_low: Annotated[Number, end("low", "success_rate")]
    success_rate_high: Annotated[Number, end("high", "success_rate")]
    failures: Annotated[int, _count("Attempts that failed.")]
    mean_latency_ms: Annotated[Number, _latency("Mean")]
    p50_latency_ms: Annotated[Number, _latency("50th percentile")]
    p90_latency_ms: Annotated[Number, _latency("90th percentile")]
    p95_latency_ms: Annotated[Number, _latency("95th percentile")]
    p99_latency_ms: Annotated[Number, _latency("99th percentile")]
    max_latency_ms: Annotated[Number, _latency("Largest")]
    success_mean_latency_ms: Annotated[Number, _latency_of_successes("Mean")]
    success_p50_latency_ms: Annotated[Number, _latency_of_successes("50th percentile")]
    success_p90_latency_ms: Annotated[Number, _latency_of_successes("90th percentile")]
    success_p95_latency_ms: Annotated[Number, _latency_of_successes("95th percentile")]
    success_p99_latency_ms: Annotated[Number, _latency_of_successes("99th percentile")]
    success_max_latency_ms: Annotated[Number, _latency_of_successes("Largest")]
    failure_mean_latency_ms: Annotated[Number, _latency_of_failures("Mean")]
    failure_p50_latency_ms: Annotated[Number, _latency_of_failures("50th percentile")]
    failure_p90_latency_ms: Annotated[Number, _latency_of_failures("90th percentile")]
    failure_p95_latency_ms: Annotated[Number, _latency_of_failures("95th percentile")]
    failure_p99_latency_ms: Annotated[Number, _latency_of_failures("99th percentile")]
    failure_max_latency_ms: Annotated[Number, _latency_of_failures("Largest")]
    input_tokens_total: Annotated[int, _count("Tokens read.")]
    output_tokens_total: Annotated[int, _count("Tokens written.")]
    total_tokens: Annotated[int, _count("Tokens read and written.")]
    mean_total_tokens: Annotated[Number, _count("Mean of the tokens of an attempt.")]
    p95_total_tokens: Annotated[int | None, _count("95th percentile of the tokens of an attempt.")]
    slowest: Annotated[
        list[SlowRow],
        Table("The slowest attempts.", order="latency descending, then id", limit="max_details"),
    ]
    failed: Annotated[list[FailedRow], Table("Attempts that failed.", order="id", limit="max_details")]


class Runtime(Audit[Options, Result]):
    """See the module."""

    name, revision = "runtime", 1
    inputs = {"records": Record}
    unique = "id"

    def start(self) -> None:
        """Make the tallies; latencies are kept apart for failures and successes."""
        self.outcomes, self.latencies, self.latency = Counts(2), Values(channels=2), Sums(2)
        self.input_tokens, self.output_tokens = Sums(), Sums()
        self.tokens = Values(dtype=np.uint64)
        self.slowest = Extremes(self.options.max_details)
        self.failed = Extremes(self.options.max_details)

    def update(self, batch: Batch) -> None:
        """Count latencies and tokens."""
        outcome = batch.success.astype(np.int64)
        self.outcomes.add(outcome)
        self.latencies.add(batch.latency_ms, outcome)
        self.latency.add(batch.latency_ms, outcome)
        self.input_tokens.add_integers(batch.input_tokens)
        self.output_tokens.add_integers(batch.output_tokens)
        self.tokens.add(batch.input_tokens.astype(np.uint64) + batch.output_tokens.astype(np.uint64))
        self.slowest.add_by(-batch.latency_ms, lambda row: _slow(batch, row))
        self.failed.add((batch.id[row],) for row in np.flatnonzero(~batch.success).tolist())

    def finish(self) -> Result:
        """Make all measures from the tallies."""
        failures, successes = self.outcomes
        records = failures + successes
        low, high = wilson(successes, records, self.options.confidence)
        read, written = int(self.input_tokens.total), int(self.output_tokens.total)
        slowest = (
            SlowRow(str(id_), abs(float(key)), bool(success)) for key, id_, success in self.slowest.kept
        )
        return Result(
            records=records,
            success_rate=ratio(successes, records),
            success_rate_low=low,
            success_rate_high=high,
            failures=failures,
            **self._latencies("", ALL),
            **self._latencies("success_", SUCCESSES),
            **self._latencies("failure_", FAILURES),
            input_tokens_total=read,
            output_tokens_total=written,
            total_tokens=read + written,
            mean_total_tokens=ratio(read + written, records),
            p95_total_tokens=_percentile(self.tokens, 95),
            slowest=Rows(slowest, self.slowest.omitted),
            failed=Rows((FailedRow(str(id_)) for (id_,) in self.failed.kept), self.failed.omitted),
        )

    def _latencies(self, prefix: str, of: tuple[int, int]) -> dict[str, Any]:
        """Make the measures of the latency of some attempts."""
        attempts = sum(weight * n for weight, n in zip(of, self.outcomes, strict=True))
        total = sum((weight * n for weight, n in zip(of, self.latency, strict=True)), Fraction(0))
        counts = self.latencies.counts @ np.array(of)
        measures = {f"{prefix}mean_latency_ms": ratio(total, attempts)}
        for name, percent in PERCENTILES.items():
            place = nearest_rank(counts, percent)
            value = None if place is None else Fraction(float(self.latencies.values[place]))
            measures[f"{prefix}{name}_latency_ms"] = value
        return measures


def _slow(batch: Batch, row: int) -> tuple[float, str, bool]:
    return -float(batch.latency_ms[row]), batch.id[row], bool(batch.success[row])


def _percentile(values: Values, percent: int) -> int | None:
    """Take a percentile of whole numbers."""
    place = nearest_rank(values.counts[:, 0], percent)
    return None if place is None else int(values.values[place])
