"""Reliability diagrams: the accuracy of each confidence bin, with its interval, above the bins' counts."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from ...report import Report
from .names import label, titled
from .plot import Drawing, Plot
from .rows import Listed, Row, count, estimate, hyphened, listed, numbers, plural, short, tick, words
from .theme import AXIS, ONE, QUIET, finished, rows_of

TICKS = [0, 0.2, 0.4, 0.6, 0.8, 1]

FEW = 12
"""Bins whose counts are written above their bars."""

NARROW = 0.05
"""Width of a bin up to which it has no room for its count."""

MANY = 60
"""Bins beyond which points and intervals are fine."""

ROUND = "datum.value % 1 ? '' : format(datum.value, '~s')"
"""How counts are written on an axis: each by itself, so that 0 is 0, and nothing between them."""

MODELS = 4
"""Competing models whose diagrams are drawn."""

RADIUS = 4
"""Of a point, in pixels."""


class Words(NamedTuple):
    """What is written into a diagram where no mark is: its place, its height in pixels, and its look."""

    text: str
    x: float
    y: float
    tall: float
    look: Mapping[str, Any]


WORDS = (
    Words("less sure than right", 0.03, 0.96, 14, {"align": "left"}),
    Words("surer than right", 0.97, 0.04, 14, {"align": "right"}),
    Words("ideal", 0.1, 0.1, 40, {"angle": 315, "dy": -8}),
)


def found(report: Report) -> Iterator[Drawing]:
    """Find tables of bins, of one model or of several."""
    for table in listed(report):
        if table.has("lower", "upper", "records", "mean_confidence", "accuracy"):
            bins = {model: usable(rows) for model, rows in by_model(table).items()}
            bins = {model: rows for model, rows in bins.items() if rows}
            if bins:
                yield _drawing(table, bins, report)


def by_model(table: Listed) -> dict[str, list[Row]]:
    """Part a table by the model that its rows are of; a table of one model has no name for it."""
    parts: dict[str, list[Row]] = {}
    for row in table.rows:
        parts.setdefault(str(row.get("model", "")), []).append(row)
    return parts


def usable(rows: Sequence[Row]) -> list[Row]:
    """Leave out bins without records, and what is no bin."""
    return [
        row
        for row in rows
        if count(row["records"]) > 0 and numbers(row, "lower", "upper", "mean_confidence", "accuracy")
    ]


def _drawing(table: Listed, bins: Mapping[str, Sequence[Row]], report: Report) -> Drawing:
    said = [_about(model, rows) for model, rows in list(bins.items())[:MODELS]]
    error = report.result.get(f"{table.name.removesuffix('reliability')}ece")
    if isinstance(error, float):
        said.append(f"Expected calibration error {short(error)}.")
    notes = [f"Expected calibration error {short(error)}"] if isinstance(error, float) else []
    if len(bins) > MODELS:
        notes.append(f"the first {MODELS} of {len(bins)} models")
    if table.omitted:
        notes.append(f"{plural(table.omitted, 'more bin')} beyond the limit of the table")
    title = f"{words(table.name)}: accuracy at each stated confidence"
    plot = Plot(hyphened(table.name), title, " ".join(said))
    return Drawing(plot, partial(_draw, bins=bins, notes=notes))


def _about(model: str, rows: Sequence[Row]) -> str:
    records = sum(count(row["records"]) for row in rows)
    over = sum(float(row["accuracy"]) < float(row["mean_confidence"]) for row in rows)
    widest = max(rows, key=lambda row: abs(float(row["accuracy"]) - float(row["mean_confidence"])))
    of = f"{label(model)}: " if model else ""
    bounds = f"from {widest['lower']:g} to {widest['upper']:g}"
    return (
        f"{of}{plural(records, 'record')} in {plural(len(rows), 'bin')}; accuracy is below the mean "
        f"confidence in {over}. The largest gap is in the bin {bounds}: accuracy "
        f"{short(widest['accuracy'])} at confidence {short(widest['mean_confidence'])}, "
        f"of {plural(count(widest['records']), 'record')}."
    )


def _draw(plot: Plot, *, bins: Mapping[str, Sequence[Row]], notes: Sequence[str]) -> Any:
    import altair as alt

    side = 300 if len(bins) == 1 else 190
    parts = [
        _diagram(label(model) if model else "", rows, side) for model, rows in list(bins.items())[:MODELS]
    ]
    picture = parts[0] if len(parts) == 1 else alt.concat(*parts, columns=2)
    return finished(picture, plot, notes)


def _diagram(model: str, rows: Sequence[Row], side: int) -> Any:
    import altair as alt

    points = [_point(row) for row in rows]
    data, whole = alt.Chart(rows_of(points)), alt.Scale(domain=[0, 1])
    fine: dict[str, Any] = {"strokeWidth": 1.5} if len(rows) <= MANY else {"strokeWidth": 0.5, "opacity": 0.5}
    few, ticks = len(rows) <= FEW, TICKS if side > 200 else TICKS[::5]
    hidden = alt.Axis(labels=False, ticks=False, values=ticks)
    x = alt.X("confidence:Q", scale=whole, axis=hidden, title=None)
    y = alt.Y("accuracy:Q", scale=whole, axis=alt.Axis(values=ticks), title="Accuracy (share right)")
    ideal = alt.Chart(rows_of([{"at": 0}, {"at": 1}])).mark_line(
        color=AXIS, strokeDash=[5, 4], strokeWidth=1.5
    )
    spans = data.transform_filter("isValid(datum.low) && isValid(datum.high)")
    layers = alt.layer(
        ideal.encode(x=alt.X("at:Q", scale=whole), y=alt.Y("at:Q")),
        *(_said(one) for one in WORDS if _is_free(one, points, side)),
        spans.mark_rule(color=ONE, **fine).encode(x=x, y=alt.Y("low:Q"), y2=alt.Y2("high:Q")),
        data.mark_point(color=ONE, filled=True, opacity=1, size=50 if len(rows) <= MANY else 8).encode(
            x=x, y=y
        ),
    ).properties(width=side, height=side)
    most = max(count(row["records"]) for row in rows)
    tall = alt.Scale(domain=[0, most * 1.35 if few else most])
    ends = alt.X("lower:Q", scale=whole, axis=alt.Axis(values=ticks), title="Stated confidence")
    records = alt.Y("records:Q", scale=tall, axis=alt.Axis(tickCount=2, labelExpr=ROUND), title="Records")
    counts = data.mark_bar(color=ONE).encode(x=ends, x2=alt.X2("upper:Q"), y=records, y2=alt.Y2Datum(0))
    if few:
        above = data.mark_text(baseline="bottom", dy=-2, fontSize=10)
        counts += above.encode(x=alt.X("middle:Q"), y=alt.Y("records:Q"), text=alt.Text("said:N"))
    below = counts.properties(width=side, height=60)
    title = alt.TitleParams(titled(model), fontSize=12, anchor="start") if model else alt.Undefined
    return alt.vconcat(layers, below, spacing=6, title=title)


def _point(row: Row) -> dict[str, Any]:
    """Name what is drawn of a bin; its bar is a little narrower than the bin, so that neighbours part."""
    accuracy, lower, upper = estimate(row, "accuracy"), row["lower"], row["upper"]
    edge = (upper - lower) * 0.02
    ends = {"lower": lower + edge, "upper": upper - edge, "middle": (lower + upper) / 2}
    shares = {"confidence": row["mean_confidence"], "accuracy": accuracy.value}
    said = tick(count(row["records"])) if upper - lower > NARROW else ""
    return {
        **ends,
        **shares,
        "low": accuracy.low,
        "high": accuracy.high,
        "records": row["records"],
        "said": said,
    }


def _is_free(words: Words, points: Sequence[Mapping[str, Any]], side: int) -> bool:
    """Whether no point and no interval is drawn where words would be, in whatever font."""
    wide, tall = 7 * len(words.text) / side, words.tall / side
    left = words.x - wide * {"left": 0.0, "right": 1.0}.get(words.look.get("align", ""), 0.5)
    edge = RADIUS / side
    return not any(
        left - edge <= point["confidence"] <= left + wide + edge
        and min(_ends(point)) - edge <= words.y + tall / 2
        and max(_ends(point)) + edge >= words.y - tall / 2
        for point in points
    )


def _ends(point: Mapping[str, Any]) -> list[float]:
    return [point[end] for end in ("low", "accuracy", "high") if point[end] is not None]


def _said(words: Words) -> Any:
    import altair as alt

    here = alt.Chart(rows_of([{"x": words.x, "y": words.y, "text": words.text}]))
    mark = here.mark_text(color=QUIET, **words.look)
    return mark.encode(x=alt.X("x:Q"), y=alt.Y("y:Q"), text=alt.Text("text:N"))
