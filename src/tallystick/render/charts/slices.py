"""Slices: how the measure that matters differs between parts of the data."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...gate import UNLABELLED
from ...report import Report
from .dots import drawing
from .forest import even, gated, gates
from .lines import Dots, Line
from .names import label
from .plot import Drawing
from .rows import Row, count, estimate, hyphened, intervals, number, plural, shares, words

HEADLINES = (
    "exact_match_difference",
    "candidate_win_rate",
    "discordant_win_rate",
    "accuracy",
    "exact_match",
    "ndcg",
)
"""Measures that say most of a slice, where no gate says which one matters."""


def found(report: Report) -> Iterator[Drawing]:
    """Find the fields that the report is sliced by."""
    for part in report.slices:
        slices = [one for one in part["slices"] if one["result"]]
        if slices:
            yield from filter(None, [_drawing(report, part, slices)])


def _drawing(report: Report, part: Mapping[str, Any], slices: Sequence[Mapping[str, Any]]) -> Drawing | None:
    field = part["field"]
    measures = _measures(report, field, [one["result"] for one in slices])
    if not measures:
        return None
    lines = [
        Line(
            UNLABELLED if one["value"] is None else one["value"],
            {measure: estimate(one["result"], measure) for measure in measures},
            count(one["result"].get("records")),
        )
        for one in slices
    ]
    omitted = count(part["omitted_slices"])
    records = plural(count(part["omitted_records"]), "record")
    left = f"{plural(omitted, 'smaller slice')} left out, with {records}."
    overall = {measure: number(report.result.get(measure)) for measure in measures}
    title = f"{' and '.join(words(measure) for measure in measures)} by {label(field)}"
    dots = Dots(measures, overall, even(measures[0]) if len(measures) == 1 else None, "Records")
    return drawing(hyphened(f"slices {field}"), title, lines, dots, [left] if omitted else [])


def _measures(report: Report, field: str, results: Sequence[Row]) -> list[str]:
    """Choose what to draw: what gates on the slices speak of, else what says most."""
    asked = [gated(gate) for gate, _ in gates(report) if gate.field == field]
    drawn = [one for one in dict.fromkeys(asked) if one != "records" and one in report.result]
    likely = [*HEADLINES, *intervals(results[0]), *shares(results)]
    return drawn[:2] or [one for one in likely if one in results[0]][:1]
