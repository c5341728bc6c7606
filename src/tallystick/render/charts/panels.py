"""The panels of dot plots: a dot and its interval on each line, beside what they are compared with."""

from collections.abc import Sequence
from textwrap import wrap
from typing import Any

from .lines import Dots, Line
from .names import SHOWN_OF_KEY, key, labels, remarks, titled
from .plot import Plot
from .rows import short, tick
from .theme import AXIS, INK, ONE, QUIET, TWO, digits, finished, fitted, ranged, rows_of

STEP = 20
SPACING = 14


def draw(plot: Plot, *, lines: Sequence[Line], dots: Dots, notes: Sequence[str]) -> Any:
    """Draw the panels side by side."""
    import altair as alt

    held = [line.name for line in lines]
    names = list(map(key, labels(held)))
    measures = [m for m in dots.measures if any(line.estimates[m].value is not None for line in lines)]
    width = (190, 160, 120)[min(len(measures), 3) - 1]
    panels = [
        _panel(names, lines, measure, dots, width, first=not place, last=measure == measures[-1])
        for place, measure in enumerate(measures)
    ]
    picture = panels[0] if len(panels) == 1 else alt.hconcat(*panels, spacing=SPACING)
    return finished(picture, plot, [*notes, *remarks(held)])


def _panel(
    names: Sequence[str],
    lines: Sequence[Line],
    measure: str,
    dots: Dots,
    width: int,
    *,
    first: bool,
    last: bool,
) -> Any:
    import altair as alt

    held = [
        {"name": name, "value": one.value, "low": one.low, "high": one.high, "records": _right(line)}
        for name, line in zip(names, lines, strict=True)
        for one in [line.estimates[measure]]
    ]
    domain = _domain(lines, measure, dots)
    data = alt.Chart(rows_of(held))
    side = alt.Axis(
        domain=False, ticks=False, labels=first, labelExpr=SHOWN_OF_KEY, labelPadding=10, grid=True
    )
    y = alt.Y("name:N", scale=alt.Scale(domain=list(names)), sort=None, title=None, axis=side)
    alone = len(dots.measures) == 1
    axis = alt.Axis(format=digits(domain), tickCount=4 if alone else 2, labelFlush=not alone)
    title = [ranged(dots.said(measure), domain)] if alone else _title(dots.said(measure), domain, width)
    scale = alt.Scale(domain=list(domain), nice=False, zero=False)
    x = alt.X("value:Q", scale=scale, title=title, axis=axis)
    layers = []
    for at, text in _references(measure, dots, domain):
        layers += _reference(at, text, alt.X("at:Q", scale=scale), (at - domain[0]) / (domain[1] - domain[0]))
    spans = data.transform_filter("isValid(datum.value) && isValid(datum.low) && isValid(datum.high)")
    there = data.transform_filter("isValid(datum.value)")
    layers += [
        spans.mark_rule(color=ONE, strokeWidth=1.5).encode(
            x=alt.X("low:Q", scale=scale), x2=alt.X2("high:Q"), y=y
        ),
        there.mark_point(color=ONE, filled=True, opacity=1, size=50).encode(x=x, y=y),
    ]
    if any(line.limits for line in lines):
        layers.append(_limits(names, lines).encode(x=alt.X("limit:Q", scale=scale), y=y))
    absent = data.transform_filter("!isValid(datum.value)")
    if any(one["value"] is None for one in held):
        word = absent.mark_text(color=QUIET, align="left", dx=4, fontStyle="italic", fontSize=11)
        layers.append(word.encode(x=alt.value(0), y=y, text=alt.value("undefined")))
    if last and any(one["records"] for one in held):
        written = data.mark_text(color=INK, align="left", dx=8).encode(
            x=alt.value(width), y=y, text=alt.Text("records:N")
        )
        head = alt.Chart(rows_of([{"text": dots.column}])).mark_text(color=QUIET, align="left", dx=8, dy=-9)
        layers += [written, head.encode(x=alt.value(width), y=alt.value(0), text=alt.Text("text:N"))]
    return alt.layer(*layers).properties(width=width, height=alt.Step(STEP))


def _title(measure: str, domain: tuple[float, float], width: int) -> list[str]:
    """Name the axis in lines that leave room for those beside it."""
    most = (width + SPACING) // 7
    return [titled(line) for line in (*wrap(measure, most), *wrap(ranged("", domain), most))]


def _right(line: Line) -> str:
    return line.said or ("" if line.records is None else tick(line.records))


def _domain(lines: Sequence[Line], measure: str, dots: Dots) -> tuple[float, float]:
    values = [number for line in lines for number in (*line.estimates[measure].numbers, *line.limits)]
    values += [at for at in (dots.overall.get(measure), dots.even) if at is not None]
    if dots.even == 0:
        most = max(map(abs, values)) or 1.0
        return -most * 1.05, most * 1.05
    return (0.0, 1.0) if dots.even is not None and max(values) <= 1 else fitted(values)


def _references(measure: str, dots: Dots, domain: tuple[float, float]) -> list[tuple[float, str]]:
    even = [(dots.even, "no difference" if dots.even == 0 else "even")] if dots.even is not None else []
    overall = dots.overall.get(measure)
    whole = [(overall, f"all {short(overall)}")] if overall is not None and not even else []
    return [(at, text) for at, text in even + whole if domain[0] <= at <= domain[1]]


def _reference(at: float, text: str, x: Any, place: float) -> list[Any]:
    import altair as alt

    here = alt.Chart(rows_of([{"at": at, "text": text}]))
    said = here.mark_text(
        color=QUIET, dy=-9, align="left" if place < 0.3 else "right" if place > 0.7 else "center"
    )
    return [
        here.mark_rule(color=AXIS, strokeDash=[4, 3], strokeWidth=1.5).encode(x=x),
        said.encode(x=x, y=alt.value(0), text=alt.Text("text:N")),
    ]


def _limits(names: Sequence[str], lines: Sequence[Line]) -> Any:
    import altair as alt

    marks = [
        {"name": name, "limit": at} for name, line in zip(names, lines, strict=True) for at in line.limits
    ]
    return alt.Chart(rows_of(marks)).mark_tick(
        color=TWO, thickness=2.5, size=14, orient="vertical", opacity=1
    )
