"""Percentiles of what is timed or counted: the value that so many records stay below, to the slowest."""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from ...report import Report
from .names import SHOWN_OF_KEY, key
from .plot import Drawing, Plot
from .rows import hyphened, number, short, words
from .theme import DASHES, LINE, SERIES, SHAPES, WIDTH, apart, digits, finished, rows_of

_PERCENTILE = re.compile(r"(?:(?P<of>[a-z]+)_)?p(?P<percent>\d\d)_(?P<measure>\w+)")
HEIGHT = 240
ORDER = ("mean", *(f"p{percent:02}" for percent in range(100)), "max")


class Series(NamedTuple):
    """The percentiles of some records, and the largest and the mean of them."""

    percentiles: Mapping[int, float]
    most: float | None
    mean: float | None


def found(report: Report) -> Iterator[Drawing]:
    """Find measures that are reported at several percentiles."""
    measures: dict[str, dict[str, dict[int, float]]] = {}
    for name, value in report.result.items():
        match, held = _PERCENTILE.fullmatch(name), number(value)
        if match and held is not None:
            series = measures.setdefault(match["measure"], {}).setdefault(match["of"] or "", {})
            series[int(match["percent"])] = held
    for measure, parts in measures.items():
        drawn = {of: _series(report, of, measure, held) for of, held in parts.items() if len(held) > 1}
        if drawn:
            yield _drawing(report, measure, drawn)


def _series(report: Report, of: str, measure: str, percentiles: Mapping[int, float]) -> Series:
    start = f"{of}_" if of else ""
    most, mean = (number(report.result.get(f"{start}{what}_{measure}")) for what in ("max", "mean"))
    return Series(dict(sorted(percentiles.items())), most, mean)


def _drawing(report: Report, measure: str, drawn: Mapping[str, Series]) -> Drawing:
    unit = " ms" if measure.endswith("_ms") else ""
    told = []
    for of, series in drawn.items():
        marks = [f"{mark} {short(value)}{unit}" for mark, value in _marks(series).items()]
        told.append(f"{of.capitalize() or 'All'}: {', '.join(marks)}.")
    different = {of: series for of, series in drawn.items() if not of or series != drawn.get("")}
    notes = [f"Of {of} alone: the same." for of in drawn if of not in different]
    notes += [f"Of {of} alone: undefined." for of in _undefined(report, measure) if of not in drawn]
    named = words(measure.removesuffix("_ms"))
    plot = Plot(hyphened(named), f"{named} at each percentile", " ".join([*told, *notes]))
    return Drawing(plot, partial(_draw, drawn=different, measure=measure, notes=notes))


def _marks(series: Series) -> dict[str, float]:
    """Name what is known of a distribution, from the left of the picture to the right."""
    mean = {"mean": series.mean} if series.mean is not None else {}
    most = {"max": series.most} if series.most is not None else {}
    return mean | {f"p{percent}": value for percent, value in series.percentiles.items()} | most


def _undefined(report: Report, measure: str) -> list[str]:
    """Name the parts of the records of which a percentile is undefined."""
    names = (_PERCENTILE.fullmatch(name) for name, value in report.result.items() if value is None)
    return list(dict.fromkeys(one["of"] for one in names if one and one["of"] and one["measure"] == measure))


def _draw(plot: Plot, *, drawn: Mapping[str, Series], measure: str, notes: Sequence[str]) -> Any:
    import altair as alt

    curves = {of or "all": _marks(series) for of, series in drawn.items()}
    marks = [mark for mark in ORDER if any(mark in curve for curve in curves.values())]
    values = [value for curve in curves.values() for value in curve.values()]
    wide = min(values) > 0 and max(values) > 20 * min(values)
    domain = [min(values) * 0.8, max(values) * 1.2] if wide else [min(0, *values), max(values) * 1.1 or 1.0]
    scale = alt.Scale(type="log" if wide else "linear", domain=domain, nice=False)
    named = words(measure) + (", log scale" if wide else "")
    ticks: dict[str, Any] = {"values": _ticks(*domain)} if wide else {"tickCount": 5}
    y = alt.Y("value:Q", title=named, scale=scale, axis=alt.Axis(format=digits(domain), **ticks))
    axis = alt.Axis(labelAngle=0, grid=True)
    x = alt.X("mark:N", title=None, sort=None, scale=alt.Scale(domain=marks), axis=axis)
    ends = apart(
        [_height(curve[list(curve)[-1]], domain, log=wide) for curve in curves.values()], LINE, HEIGHT
    )
    layers = []
    for place, ((of, curve), end) in enumerate(zip(curves.items(), ends, strict=True)):
        colour = SERIES[place]
        data = alt.Chart(rows_of([{"mark": m, "value": v, "joined": m != "mean"} for m, v in curve.items()]))
        line = data.transform_filter("datum.joined").mark_line(
            color=colour, strokeWidth=2, strokeDash=DASHES[place]
        )
        dots = data.mark_point(color=colour, filled=True, opacity=1, shape=SHAPES[place], size=55)
        last = alt.Chart(rows_of([{"mark": list(curve)[-1], "said": of}]))
        beside = last.mark_text(color=colour, align="left", dx=10).encode(
            x=x, y=alt.value(end), text=alt.Text("said:N")
        )
        layers += [line.encode(x=x, y=y), dots.encode(x=x, y=y), beside]
    above = alt.layer(*layers).properties(width=WIDTH - 10, height=HEIGHT)
    return finished(alt.vconcat(above, _written(curves, marks), spacing=6), plot, notes)


def _written(curves: Mapping[str, Mapping[str, float]], marks: Sequence[str]) -> Any:
    """Write every value beneath its mark, a line for each part of the records."""
    import altair as alt

    rows = [
        {"mark": mark, "of": key(of), "said": short(value), "place": place}
        for place, (of, curve) in enumerate(curves.items())
        for mark, value in curve.items()
    ]
    x = alt.X("mark:N", title=None, sort=None, scale=alt.Scale(domain=list(marks)), axis=None)
    side = alt.Axis(domain=False, ticks=False, grid=False, labelExpr=SHOWN_OF_KEY)
    y = alt.Y("of:N", title=None, sort=None, scale=alt.Scale(domain=[key(of) for of in curves]), axis=side)
    places = list(range(len(curves)))
    colour = alt.Color(
        "place:N", scale=alt.Scale(domain=places, range=list(SERIES[: len(curves)])), legend=None
    )
    said = (
        alt.Chart(rows_of(rows))
        .mark_text(fontSize=11)
        .encode(x=x, y=y, text=alt.Text("said:N"), color=colour)
    )
    return said.properties(width=WIDTH - 10, height=alt.Step(LINE))


def _ticks(low: float, high: float) -> list[float]:
    """Give round numbers for a logarithmic axis: 1, 2 and 5 of each power of ten, or the powers alone."""
    powers = [
        10.0**power for power in range(math.floor(math.log10(low)), min(math.ceil(math.log10(high)), 307) + 1)
    ]
    steps = (1, 2, 5) if len(powers) < 5 else (1,)
    return [step * power for power in powers for step in steps if low <= step * power <= high]


def _height(value: float, domain: Sequence[float], *, log: bool) -> float:
    """Give the place of a value on the vertical axis, in pixels from the top."""
    low, high, at = (math.log(end) for end in (*domain, value)) if log else (*domain, value)
    return HEIGHT * (high - at) / (high - low)
