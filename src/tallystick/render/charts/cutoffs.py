"""Measures by cutoff: a line for each, labelled at its end; what is no share has a panel of its own."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from ...report import Report
from .plot import Drawing, Plot
from .rows import Listed, Row, estimate, hyphened, intervals, listed, number, short, words
from .theme import DASHES, LINE, SERIES, SHAPES, WIDTH, apart, finished, rows_of

CUTOFFS = ("cutoff", "k")
LINES = len(SERIES)
HEIGHT = 220


class Point(NamedTuple):
    """A measure at a cutoff, with the ends of its interval."""

    at: float
    value: float
    low: float | None
    high: float | None


Curve = Sequence[Point]


def found(report: Report) -> Iterator[Drawing]:
    """Find tables whose rows are cutoffs."""
    for table in listed(report):
        key = next(iter(table.rows[0]))
        if key in CUTOFFS:
            rows = sorted((row for row in table.rows if number(row[key])), key=lambda row: float(row[key]))
            ends = {f"{name}{end}" for name in intervals(table.rows[0]) for end in ("_low", "_high")}
            names = [name for name in table.rows[0] if name not in ends and name != key][:LINES]
            curves = {name: curve for name in names if (curve := _curve(rows, key, name))}
            if curves:
                yield _drawing(table, curves)


def _curve(rows: Sequence[Row], key: str, name: str) -> Curve:
    held = [(float(row[key]), estimate(row, name)) for row in rows]
    return [Point(at, one.value, one.low, one.high) for at, one in held if one.value is not None]


def _is_share(curve: Curve) -> bool:
    return all(0 <= point.value <= 1 for point in curve)


def _drawing(table: Listed, curves: Mapping[str, Curve]) -> Drawing:
    told = "; ".join(f"{words(name)} {_between(curve[0], curve[-1])}" for name, curve in curves.items())
    title = f"{', '.join(words(name) for name in curves)} at each cutoff"
    return Drawing(Plot(hyphened(table.name), title, f"{told}."), partial(_draw, curves=curves))


def _between(first: Point, last: Point) -> str:
    if first == last:
        return f"is {short(first.value)} at {first.at:g}"
    return f"goes from {short(first.value)} at {first.at:g} to {short(last.value)} at {last.at:g}"


def _draw(plot: Plot, *, curves: Mapping[str, Curve]) -> Any:
    import altair as alt

    looks = {name: place for place, name in enumerate(curves)}
    shares = {name: curve for name, curve in curves.items() if _is_share(curve)}
    others = [{name: curve} for name, curve in curves.items() if name not in shares]
    panels = [_panel(part, looks) for part in ([shares] if shares else []) + others]
    return finished(panels[0] if len(panels) == 1 else alt.vconcat(*panels, spacing=16), plot)


def _panel(curves: Mapping[str, Curve], looks: Mapping[str, int]) -> Any:
    import altair as alt

    shares = all(_is_share(curve) for curve in curves.values())
    top = 1.0 if shares else max(point.value for curve in curves.values() for point in curve) * 1.1 or 1.0
    height = HEIGHT if shares else HEIGHT // 2
    scale = alt.Scale(domain=[0, top], nice=False)
    x = _across(sorted({point.at for curve in curves.values() for point in curve}))
    y = alt.Y("value:Q", scale=scale, title="Value" if shares else words(next(iter(curves))))
    places = apart([(1 - curve[-1].value / top) * height for curve in curves.values()], LINE, height)
    layers = []
    for (name, curve), place in zip(curves.items(), places, strict=True):
        colour, dash, shape = SERIES[looks[name]], DASHES[looks[name]], SHAPES[looks[name]]
        data = alt.Chart(rows_of([point._asdict() for point in curve]))
        marked = {"color": colour, "filled": True, "shape": shape, "size": 55}
        line = data.mark_line(color=colour, strokeWidth=2, strokeDash=dash, point=marked)
        spans = data.transform_filter("isValid(datum.low) && isValid(datum.high)")
        rule = spans.mark_rule(color=colour, strokeWidth=1.5)
        end = alt.Chart(rows_of([{"at": curve[-1].at, "said": f"{words(name)} {short(curve[-1].value)}"}]))
        beside = end.mark_text(color=colour, align="left", dx=10)
        layers += [
            rule.encode(x=x, y=alt.Y("low:Q", scale=scale), y2=alt.Y2("high:Q")),
            line.encode(x=x, y=y),
            beside.encode(x=x, y=alt.value(place), text=alt.Text("said:N")),
        ]
    return alt.layer(*layers).properties(width=WIDTH - 30, height=height)


def _across(cutoffs: Sequence[float]) -> Any:
    """Give the axis of cutoffs: logarithmic where they span more than twenty times the least."""
    import altair as alt

    first, last = cutoffs[0], cutoffs[-1]
    kind: Any = "log" if 0 < first < last / 20 else "linear"
    domain = [first, last] if first < last else [first - 1, first + 1]
    axis = alt.Axis(values=list(cutoffs), format="d", grid=False, labelOverlap=True)
    scale = alt.Scale(type=kind, domain=domain, nice=False, zero=False, padding=8)
    return alt.X("at:Q", scale=scale, axis=axis, title="Cutoff (first k of a ranking)")
