"""Did an evaluator's scores move?

Each record is a case with a unique `case_id` and the scores that a baseline and a candidate configuration of
an evaluator gave it. Its change is ``candidate_score - baseline_score``, in float64. With n cases

    mean_shift              = sum of changes / n
    abs_mean_shift          = |mean_shift|
    mean_absolute_change    = sum of |change| / n
    root_mean_square_change = square root of (sum of change^2 / n)
    within_tolerance_rate   = cases with |change| <= tolerance + 1e-12 * max(|baseline|, |candidate|) / n

The last term is a margin for decimals that float64 does not hold: 0.85 - 0.7 is 0.15000000000000002, which is
within a tolerance of 0.15. `increases` and `decreases` count the changes beyond the tolerance, and
`largest_change` is the change of largest size, with its sign; among equals, the first id in code point order.
Sums and squares are exact and cannot overflow or underflow, so that shifts that cancel give 0, and the root
is rounded once. The rate has a Wilson interval. Two scores whose change no float64 holds are refused.

Memory: ids must differ, so the bytes of each and 12 more are held, and 16 more while they are compared.

What it does not show: which configuration is right, nor whether the scores mean anything: an evaluator can be
steady and wrong. Opposite changes cancel in the mean shift, so read it beside the others, of which the root
mean square weighs large changes most. A tolerance means something on one scale only; choose it, and the
limits, before looking. An evaluator that is not deterministic moves without being changed: compare it with
itself first.

Sources: the formulas are elementary. Wilson (1927), J. Am. Stat. Assoc. 22, 209-212, for the interval.
"""

from fractions import Fraction
from typing import Annotated

import numpy as np
from msgspec import Meta, Struct
from numpy.typing import NDArray

from ..audit import Audit
from ..fields import Finite, Id, Level, MaxDetails, NonNegative, show
from ..measure import COUNT, RECORDS, SHARE, Measure, Number, Rows, Table, end
from ..metrics.exact import ratio, root
from ..metrics.intervals import wilson
from ..sources.batch import Batch
from ..tallies import Counts, Extremes, Squares, Sums

MARGIN = 1e-12
"""Of the larger score: what a change may exceed the tolerance by, because decimals are rounded."""

WITHIN, INCREASED, DECREASED = range(3)


class Options(Struct, frozen=True):
    """What a caller may set."""

    tolerance: Annotated[NonNegative, Meta(description="Largest size of a change that counts as none.")] = 0.0
    confidence: Level = 0.95
    max_details: MaxDetails = 20


class Record(Struct, frozen=True):
    """One case that both configurations scored."""

    case_id: Annotated[Id, Meta(description="Names the case; unique.")]
    baseline_score: Annotated[Finite, Meta(description="The baseline's score.")]
    candidate_score: Annotated[Finite, Meta(description="The candidate's score.")]


class Detail(Struct, frozen=True):
    """A case with both scores."""

    case_id: str
    baseline_score: float
    candidate_score: float


def _size(about: str) -> Measure:
    return Measure(about, better="lower", within=COUNT)


class Result(Struct, frozen=True):
    """What is reported."""

    records: Annotated[int, RECORDS]
    mean_shift: Annotated[
        Number, Measure("Mean change, candidate's score less baseline's.", instead="abs_mean_shift")
    ]
    abs_mean_shift: Annotated[Number, _size("Size of the mean change.")]
    mean_absolute_change: Annotated[Number, _size("Mean size of a change.")]
    root_mean_square_change: Annotated[Number, _size("Root of the mean squared change.")]
    within_tolerance_rate: Annotated[
        Number,
        Measure(
            "Share of cases that changed by no more than the tolerance.",
            better="higher",
            within=SHARE,
            counted=True,
        ),
    ]
    within_tolerance_rate_low: Annotated[Number, end("low", "within_tolerance_rate")]
    within_tolerance_rate_high: Annotated[Number, end("high", "within_tolerance_rate")]
    increases: Annotated[int, Measure("Cases that rose beyond the tolerance.", within=COUNT, counted=True)]
    decreases: Annotated[int, Measure("Cases that fell beyond the tolerance.", within=COUNT, counted=True)]
    largest_change: Annotated[Number, Measure("The change of largest size, with its sign.")]
    largest_change_id: Annotated[str | None, Measure("The case that has it.")]
    details: Annotated[
        list[Detail],
        Table("Cases with both scores.", order="size of change descending, then id", limit="max_details"),
    ]


class ScoreDrift(Audit[Options, Result]):
    """See the module."""

    name, revision = "score-drift", 1
    inputs = {"records": Record}
    unique = "case_id"

    def start(self) -> None:
        """Make the tallies; of the cases that changed most one is kept at least."""
        self.directions = Counts(3)
        self.shift, self.size, self.square = Sums(), Sums(), Squares()
        self.largest = Extremes(max(1, self.options.max_details))

    def update(self, batch: Batch) -> None:
        """Sum changes, and count those beyond the tolerance."""
        change = _changes(batch)
        size = np.abs(change)
        self.shift.add(change)
        self.size.add(size)
        self.square.add(change)
        self.directions.add(self._directions(batch, change))
        self.largest.add_by(-size, lambda row: _case(batch, row, float(size[row])))

    def _directions(self, batch: Batch, change: NDArray[np.float64]) -> NDArray[np.int64]:
        """Say of each change whether it is within the tolerance, or which way it went."""
        larger = np.maximum(np.abs(batch.baseline_score), np.abs(batch.candidate_score))
        with np.errstate(over="ignore"):
            limit = self.options.tolerance + MARGIN * larger
        beyond = np.where(change > 0, INCREASED, DECREASED)
        return np.where(np.abs(change) <= limit, WITHIN, beyond)

    def finish(self) -> Result:
        """Make all measures from the tallies."""
        records, within = self.directions.total, self.directions[WITHIN]
        shift = ratio(self.shift.total, records)
        square = ratio(self.square.total, records)
        low, high = wilson(within, records, self.options.confidence)
        cases = [Detail(str(id_), float(a), float(b)) for _, id_, a, b in self.largest.kept]
        first = cases[0] if cases else None
        return Result(
            records=records,
            mean_shift=shift,
            abs_mean_shift=None if shift is None else abs(shift),
            mean_absolute_change=ratio(self.size.total, records),
            root_mean_square_change=None if square is None else root(square),
            within_tolerance_rate=ratio(within, records),
            within_tolerance_rate_low=low,
            within_tolerance_rate_high=high,
            increases=self.directions[INCREASED],
            decreases=self.directions[DECREASED],
            largest_change=Fraction(first.candidate_score - first.baseline_score) if first else None,
            largest_change_id=first.case_id if first else None,
            details=Rows(cases, self.largest.omitted),
        )


def _changes(batch: Batch) -> NDArray[np.float64]:
    """Subtract scores, and refuse those whose difference no float64 holds."""
    with np.errstate(over="ignore"):
        change: NDArray[np.float64] = batch.candidate_score - batch.baseline_score
    for row in np.flatnonzero(np.isinf(change)).tolist():
        candidate, baseline = float(batch.candidate_score[row]), float(batch.baseline_score[row])
        what = f"{show(candidate)} less the baseline's {show(baseline)} is a change that no float64 holds"
        raise batch.fault(row, "candidate_score", what)
    return change


def _case(batch: Batch, row: int, size: float) -> tuple[float, str, float, float]:
    baseline, candidate = float(batch.baseline_score[row]), float(batch.candidate_score[row])
    return -size, batch.case_id[row], baseline + 0.0, candidate + 0.0  # no negative zero
