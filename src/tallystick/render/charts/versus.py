"""Baseline against candidate: the measures of both sides, and the scores of single cases."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from ...report import Report
from .forest import SIDES, even
from .names import SHOWN_OF_KEY, key
from .plot import Drawing, Plot
from .rows import Estimate, Listed, count, estimate, hyphened, listed, numbers, plural, short, words
from .theme import AXIS, ONE, QUIET, SERIES, SHAPES, digits, finished, fitted, ranged, rows_of

STEP = 44
SIDE = 280
POINTS = 1000
"""Cases that are drawn."""


def found(report: Report) -> Iterator[Drawing]:
    """Find shares that both sides have, and tables of both sides' scores."""
    pairs = {
        name.removeprefix(SIDES[0]): (name, name.replace(*SIDES, 1))
        for name, value in report.result.items()
        if name.startswith(SIDES[0]) and isinstance(value, float) and even(name) is None
    }
    both = {
        name: (estimate(report.result, old), estimate(report.result, new))
        for name, (old, new) in pairs.items()
        if isinstance(report.result.get(new), float) and not name.endswith(("_low", "_high"))
    }
    if both:
        yield _measures(both)
    for table in listed(report):
        scores = [name.removeprefix(SIDES[0]) for name in table.rows[0] if name.startswith(SIDES[0])]
        for score in scores:
            columns = f"{SIDES[0]}{score}", f"{SIDES[1]}{score}"
            points = [pair for row in table.rows if (pair := numbers(row, *columns))]
            if points and table.name == "details":
                yield _cases(table, score, points, count(report.result.get("records")))


def _measures(both: Mapping[str, tuple[Estimate, Estimate]]) -> Drawing:
    said = [f"{words(name)}: baseline {old}, candidate {new}." for name, (old, new) in both.items()]
    title = f"Baseline against candidate: {' and '.join(words(name) for name in both)}"
    return Drawing(Plot("baseline-candidate", title, " ".join(said)), partial(_draw_measures, both=both))


def _draw_measures(plot: Plot, *, both: Mapping[str, tuple[Estimate, Estimate]]) -> Any:
    import altair as alt

    held = [
        {
            "name": key(words(name)),
            "side": side,
            "value": one.value,
            "low": one.low,
            "high": one.high,
            "said": f"{side} {one}",
        }
        for name, pair in both.items()
        for side, one in zip(("baseline", "candidate"), pair, strict=True)
    ]
    domain = fitted([value for pair in both.values() for one in pair for value in one.numbers])
    data, width = alt.Chart(rows_of(held)), 190
    names = alt.Axis(domain=False, ticks=False, labelExpr=SHOWN_OF_KEY, labelPadding=10)
    y = alt.Y(
        "name:N",
        scale=alt.Scale(domain=[key(words(name)) for name in both], padding=0.2),
        sort=None,
        title=None,
        axis=names,
    )
    sides = ["baseline", "candidate"]
    offset = alt.YOffset("side:N", scale=alt.Scale(domain=sides))
    colour = alt.Color("side:N", scale=alt.Scale(domain=sides, range=list(SERIES[1::-1])), legend=None)
    shape = alt.Shape("side:N", scale=alt.Scale(domain=sides, range=list(SHAPES[1::-1])), legend=None)
    scale = alt.Scale(domain=list(domain), nice=False, zero=False)
    x = alt.X("value:Q", scale=scale, title=ranged("Value", domain), axis=alt.Axis(tickCount=4))
    spans = data.transform_filter("isValid(datum.low) && isValid(datum.high)").mark_rule(strokeWidth=1.5)
    points = data.mark_point(filled=True, opacity=1, size=60).encode(
        x=x, y=y, yOffset=offset, color=colour, shape=shape
    )
    said = data.mark_text(align="left", dx=10)
    layers = [
        spans.encode(x=alt.X("low:Q", scale=scale), x2=alt.X2("high:Q"), y=y, yOffset=offset, color=colour),
        points,
        said.encode(x=alt.value(width), y=y, yOffset=offset, color=colour, text=alt.Text("said:N")),
    ]
    return finished(alt.layer(*layers).properties(width=width, height=STEP * len(both)), plot)


def _cases(table: Listed, score: str, points: Sequence[Sequence[float]], records: int) -> Drawing:
    rose, fell = (sum(sign * (new - old) > 0 for old, new in points) for sign in (1, -1))
    most = max(points, key=lambda point: abs(point[1] - point[0]))
    listed_of = f"The {plural(len(points), 'case')} in the report's table, of {plural(records, 'record')}"
    moved = f"from {short(most[0])} to {short(most[1])}"
    about = f"{listed_of}: {rose} rose and {fell} fell. The largest change is {moved}."
    notes = (
        [f"The largest {plural(len(points), 'change')} of {plural(records, 'record')}."]
        if table.omitted
        else []
    )
    title = f"{words(score)} of each case: candidate against baseline"
    return Drawing(
        Plot(hyphened(f"{score}s"), title, about),
        partial(_draw_cases, points=points, score=score, notes=notes),
    )


def _draw_cases(plot: Plot, *, points: Sequence[Sequence[float]], score: str, notes: Sequence[str]) -> Any:
    import altair as alt

    low, high = fitted([value for point in points for value in point])
    scale, axis = (
        alt.Scale(domain=[low, high], nice=False, zero=False, padding=6),
        alt.Axis(format=digits((low, high))),
    )
    data = alt.Chart(rows_of([{"baseline": old, "candidate": new} for old, new in points[:POINTS]]))
    ends = alt.Chart(rows_of([{"at": low}, {"at": high}]))
    line = ends.mark_line(color=AXIS, strokeDash=[5, 4], strokeWidth=1.5)
    x = alt.X(
        "baseline:Q", scale=scale, axis=axis, title=ranged(f"Baseline {words(score).lower()}", (low, high))
    )
    y = alt.Y("candidate:Q", scale=scale, axis=axis, title=f"Candidate {words(score).lower()}")
    layers = [
        line.encode(x=alt.X("at:Q", scale=scale), y=alt.Y("at:Q", scale=scale)),
        _said("rose above the line", 8, 10, "left"),
        _said("fell below the line", SIDE - 8, SIDE - 10, "right"),
        data.mark_point(color=ONE, size=40, opacity=1, strokeWidth=1.5).encode(x=x, y=y),
    ]
    return finished(alt.layer(*layers).properties(width=SIDE, height=SIDE), plot, notes)


def _said(text: str, x: float, y: float, align: Any) -> Any:
    import altair as alt

    here = alt.Chart(rows_of([{"text": text}])).mark_text(color=QUIET, align=align)
    return here.encode(x=alt.value(x), y=alt.value(y), text=alt.Text("text:N"))
