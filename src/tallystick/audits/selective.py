"""What is gained by abstaining when unsure?

Each record has an expected and a predicted text, and the confidence c in [0, 1] stated for the prediction.
It is right when both texts are equal after normalisation (`--normalize`). At a threshold t, given by
`--confidence-threshold`, a prediction is accepted where ``c >= t``, with no rounding, and is left to somebody
else (abstained) where it is below. With n records

    coverage = accepted / n
    risk     = accepted and wrong / accepted

The curve has one point for each distinct confidence, from the highest: what a threshold at that value would
accept. Records with equal confidence enter it together, so their order cannot matter. Over all points

    risk_coverage_area = sum of risk * (coverage less that of the point before)

which is the mean risk over all coverages: lower is better, and at full coverage every model has its error
rate. Each term is rounded once to float64, and the terms are summed exactly. Of more points than
`--max-curve-points` the table keeps the first to reach each of equal steps of coverage, among them both
ends, and the point that acts at the threshold; the area uses every point.

Memory: 24 bytes for each distinct confidence, up to three times that while rows are joined.

What it does not show: how well a threshold chosen on these records would do on others. One that was picked
by looking at this curve is flattered by it: choose it on other data, and bring it here to be tested. Neither
does it show what abstaining costs, nor whether confidence is calibrated, since only its order counts.

Sources: El-Yaniv & Wiener (2010), J. Mach. Learn. Res. 11, for risk and coverage; Geifman & El-Yaniv (2017),
NeurIPS 30, for the curve of a classifier; Wilson (1927) for the intervals.
"""

from typing import Annotated

from msgspec import Meta, Struct

from ..audit import Audit
from ..fields import Level, MaxCurvePoints, Normalize, Probability, Text
from ..measure import COUNT, RECORDS, SHARE, Measure, Number, Rows, Table, end
from ..metrics.curves import Acceptance, acceptance, risk_coverage_area, thinned
from ..metrics.exact import ratio
from ..metrics.intervals import wilson
from ..metrics.text import same_answer
from ..sources.batch import Batch
from ..tallies import Values

NONE_ACCEPTED = "no prediction is accepted at the threshold"


class Options(Struct, frozen=True, kw_only=True):
    """What a caller may set."""

    confidence_threshold: Annotated[
        Probability, Meta(description="Accept predictions with this confidence or more.")
    ]
    normalize: Normalize = "words"
    confidence: Level = 0.95
    max_curve_points: MaxCurvePoints = 500


class Record(Struct, frozen=True):
    """One answer with the confidence stated for it."""

    expected: Annotated[Text, Meta(description="The right answer.")]
    predicted: Annotated[Text, Meta(description="The answer given.")]
    confidence: Annotated[Probability, Meta(description="Stated probability that the answer is right.")]


class Point(Struct, frozen=True):
    """What a threshold at one of the confidences accepts."""

    threshold: float
    records: int
    coverage: Annotated[Number, Measure("Share of all records that are accepted.", within=SHARE)]
    risk: Annotated[Number, Measure("Share of the accepted ones that are wrong.", within=SHARE)]


class Result(Struct, frozen=True):
    """What is reported."""

    records: Annotated[int, RECORDS]
    accepted: Annotated[
        int, Measure("Records accepted at the threshold.", better="higher", within=COUNT, counted=True)
    ]
    abstained: Annotated[int, Measure("Records below the threshold.", within=COUNT, counted=True)]
    coverage: Annotated[
        Number, Measure("Share of records accepted.", better="higher", within=SHARE, counted=True)
    ]
    coverage_low: Annotated[Number, end("low", "coverage")]
    coverage_high: Annotated[Number, end("high", "coverage")]
    risk: Annotated[
        Number,
        Measure(
            "Share of the accepted records that are wrong.",
            better="lower",
            within=SHARE,
            counted=True,
            undefined=NONE_ACCEPTED,
        ),
    ]
    risk_low: Annotated[Number, end("low", "risk", better="lower", undefined=NONE_ACCEPTED)]
    risk_high: Annotated[Number, end("high", "risk", better="lower", undefined=NONE_ACCEPTED)]
    risk_coverage_area: Annotated[
        Number, Measure("Area under the curve of risk against coverage.", better="lower", within=SHARE)
    ]
    curve: Annotated[
        list[Point],
        Table("Risk against coverage.", order="threshold, descending", limit="max_curve_points"),
    ]


class Selective(Audit[Options, Result]):
    """See the module."""

    name, revision = "selective", 1
    inputs = {"records": Record}

    def start(self) -> None:
        """Make the tally of confidences, apart for wrong (0) and right (1) records."""
        self.confidences = Values(channels=2)

    def update(self, batch: Batch) -> None:
        """Count confidences."""
        right = same_answer(batch.expected, batch.predicted, self.options.normalize)
        self.confidences.add(batch.confidence, right.astype(int))

    def finish(self) -> Result:
        """Make all measures from the curve."""
        wrong, right = self.confidences.counts.T
        curve = acceptance(self.confidences.values, right, wrong)
        records = self.confidences.total
        accepted, failed = curve.at(self.options.confidence_threshold)
        coverage_low, coverage_high = wilson(accepted, records, self.options.confidence)
        risk_low, risk_high = wilson(failed, accepted, self.options.confidence)
        return Result(
            records=records,
            accepted=accepted,
            abstained=records - accepted,
            coverage=ratio(accepted, records),
            coverage_low=coverage_low,
            coverage_high=coverage_high,
            risk=ratio(failed, accepted),
            risk_low=risk_low,
            risk_high=risk_high,
            risk_coverage_area=risk_coverage_area(curve),
            curve=self._points(curve, records),
        )

    def _points(self, curve: Acceptance, records: int) -> Rows[Point]:
        kept = thinned(curve, self.options.max_curve_points, self.options.confidence_threshold)
        columns = zip(*(column[kept].tolist() for column in curve), strict=True)
        rows = [Point(t, n, ratio(n, records), ratio(wrong, n)) for t, n, wrong in columns]
        return Rows(rows, len(curve.records) - len(kept))
