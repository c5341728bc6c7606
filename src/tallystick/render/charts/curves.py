"""Curves of what is accepted: risk against coverage, and both shares against the threshold."""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from ...report import Report
from .names import label
from .plot import Drawing, Plot
from .rows import Estimate, Listed, estimate, hyphened, listed, number, numbers, plural, short, words
from .theme import DASHES, LINE, ONE, QUIET, SERIES, TWO, WIDTH, apart, finished, rows_of

HEIGHT = 230
OWN = "threshold"
"""How the threshold is called that is an option of the audit."""

POINTS = 25
"""Points of a curve up to which each is marked."""


def found(report: Report) -> Iterator[Drawing]:
    """Find curves over thresholds; an audit's own coverage and risk are where it works."""
    for table in listed(report):
        if table.has("coverage", "risk") and (points := _points(table, "coverage", "risk")):
            yield _risk(table, points, report)
    for table in listed(report):
        shares = [share for share in ("coverage", "accuracy", "risk") if table.has(share)]
        if table.has("threshold", "coverage") and len(shares) > 1:
            lines = {share: _points(table, "threshold", share) for share in shares}
            if all(lines.values()):
                yield _thresholds(table, lines, report)


def _points(table: Listed, x: str, y: str) -> list[tuple[float, float]]:
    """Give the points of a curve from left to right; where a share is undefined there is none."""
    return sorted((pair[0], pair[1]) for row in table.rows if (pair := numbers(row, x, y)))


def _prefix(table: Listed) -> str:
    return table.name.removesuffix("curve").removesuffix("_")


def _left_out(table: Listed) -> list[str]:
    return [f"{plural(table.omitted, 'point')} of the curve left out by its limit"] if table.omitted else []


def _risk(table: Listed, points: Sequence[tuple[float, float]], report: Report) -> Drawing:
    result = report.result
    works = estimate(result, "coverage"), estimate(result, "risk")
    threshold = number(report.body.get("options", {}).get("confidence_threshold"))
    low, all_of = min(points, key=lambda point: point[1]), points[-1]
    about = (
        f"Risk is {short(all_of[1])} at coverage {short(all_of[0])}, and least at coverage {short(low[0])}: "
        f"{short(low[1])}."
    )
    if threshold is not None and works[0].value is not None:
        about += f" At the threshold {threshold:g} coverage is {works[0]} and risk is {works[1]}."
    name = f"{_prefix(table)} risk coverage".strip()
    title = f"{words(_prefix(table))} risk against coverage".strip()
    plot = Plot(hyphened(name), title[:1].upper() + title[1:], about)
    return Drawing(
        plot, partial(_draw_risk, points=points, works=works, threshold=threshold, notes=_left_out(table))
    )


def _draw_risk(
    plot: Plot,
    *,
    points: Sequence[tuple[float, float]],
    works: tuple[Estimate, Estimate],
    threshold: float | None,
    notes: Sequence[str],
) -> Any:
    import altair as alt

    at = works if threshold is not None and None not in (works[0].value, works[1].value) else None
    highest = max(y for _, y in points) if at is None else max([y for _, y in points] + at[1].numbers)
    top = next(end for end in (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 1.0) if highest <= end or end == 1)
    curve = alt.Chart(rows_of([{"coverage": x, "risk": y} for x, y in points]))
    x = alt.X("coverage:Q", scale=alt.Scale(domain=[0, 1]), title="Coverage (share accepted)")
    named = "Risk (share wrong)" if top == 1 else f"Risk (share wrong; axis to {top:g})"
    y = alt.Y("risk:Q", scale=alt.Scale(domain=[0, top]), title=named)
    line = curve.mark_line(color=ONE, strokeWidth=2, point=_marked(ONE, len(points)))
    layers = [line.encode(x=x, y=y)]
    if at is not None:
        (coverage, low, high), (risk, least, most) = at
        held = {"coverage": coverage, "low": low, "high": high, "risk": risk, "least": least, "most": most}
        held["top"] = risk if most is None else most
        here = alt.Chart(rows_of([held | {"said": f"threshold {threshold:g}"}]))
        if None not in (low, high):
            layers.append(
                here.mark_rule(color=TWO, strokeWidth=1.5).encode(
                    x=alt.X("low:Q"), x2=alt.X2("high:Q"), y=alt.Y("risk:Q")
                )
            )
        if None not in (least, most):
            layers.append(
                here.mark_rule(color=TWO, strokeWidth=1.5).encode(
                    x=alt.X("coverage:Q"), y=alt.Y("least:Q"), y2=alt.Y2("most:Q")
                )
            )
        diamond = here.mark_point(color=TWO, filled=True, opacity=1, shape="diamond", size=90)
        said = here.mark_text(color=TWO, dy=-9, align="right" if (coverage or 0) > 0.8 else "center")
        layers += [
            diamond.encode(x=alt.X("coverage:Q"), y=alt.Y("risk:Q")),
            said.encode(x=alt.X("coverage:Q"), y=alt.Y("top:Q"), text=alt.Text("said:N")),
        ]
    return finished(alt.layer(*layers).properties(width=WIDTH, height=HEIGHT), plot, notes)


def _marked(colour: str, points: int, beneath: int = 0) -> Any:
    """Mark the points of a curve by discs, or by rings about those of so many curves beneath."""
    import altair as alt

    if points > POINTS:
        return alt.Undefined
    look = {"color": colour, "shape": "circle", "size": 36 + 90 * beneath}
    return look | ({"filled": False, "strokeWidth": 2} if beneath else {"filled": True})


def _thresholds(table: Listed, lines: dict[str, list[tuple[float, float]]], report: Report) -> Drawing:
    prefix = _prefix(table)
    acting = [(name, at) for name, at in _acting(report, prefix) if 0 <= at <= 1]
    firsts = [
        f"{share} goes from {short(line[0][1])} to {short(line[-1][1])}" for share, line in lines.items()
    ]
    begin, end = lines["coverage"][0][0], lines["coverage"][-1][0]
    about = f"As the threshold rises from {begin:g} to {end:g}, {', '.join(firsts)}."
    gaps = [share for share, line in lines.items() if len(line) < len(lines["coverage"])]
    if gaps:
        last = min(lines[share][-1][0] for share in gaps)
        about += f" Beyond {last:g}, where {' and '.join(gaps)} would be of nothing, it is left out."
    about += "".join(
        f" The threshold {'in force' if name == OWN else name} is {at:g}." for name, at in acting
    )
    what = " and ".join(lines) if len(lines) < 3 else "coverage, accuracy and risk"
    title = f"{words(prefix)} {what} against the threshold".strip()
    plot = Plot(hyphened(f"{prefix} threshold".strip()), title[:1].upper() + title[1:], about)
    return Drawing(plot, partial(_draw_thresholds, lines=lines, acting=acting, notes=_left_out(table)))


def _acting(report: Report, prefix: str) -> Iterator[tuple[str, float]]:
    """Give the thresholds that are in force, by name."""
    own = number(report.body.get("options", {}).get("confidence_threshold"))
    if own is not None:
        yield OWN, own
    for table in listed(report):
        if table.has("marker", "kind", "threshold"):
            for row in table.rows:
                if row["kind"] == prefix and (at := number(row["threshold"])) is not None:
                    yield label(row["marker"]), at


def _draw_thresholds(
    plot: Plot,
    *,
    lines: dict[str, list[tuple[float, float]]],
    acting: Sequence[tuple[str, float]],
    notes: Sequence[str],
) -> Any:
    import altair as alt

    whole = alt.Scale(domain=[0, 1])
    layers = []
    for name, at in acting[:4]:
        here = alt.Chart(rows_of([{"at": at, "name": f"{name} {at:g}" if name == OWN else name}]))
        layers += [
            here.mark_rule(color=QUIET, strokeDash=[2, 3]).encode(x=alt.X("at:Q", scale=whole)),
            here.mark_text(color=QUIET, dy=-14, align="right" if at > 0.6 else "left").encode(
                x=alt.X("at:Q"), y=alt.value(0), text=alt.Text("name:N")
            ),
        ]
    last = [line[-1] for line in lines.values()]
    places = apart([(1 - y) * HEIGHT for _, y in last], LINE, HEIGHT)
    drawn: list[tuple[float, float]] = []
    for (share, line), colour, dash, (x, _), place in zip(
        lines.items(), SERIES, DASHES, last, places, strict=False
    ):
        beneath = max(map(drawn.count, line))
        drawn += line
        curve = alt.Chart(rows_of([{"threshold": x, "share": y} for x, y in line]))
        mark = curve.mark_line(
            color=colour, strokeWidth=2, strokeDash=dash, point=_marked(colour, len(line), beneath)
        )
        end = alt.Chart(rows_of([{"threshold": x, "said": share}]))
        layers += [
            mark.encode(
                x=alt.X("threshold:Q", scale=whole, title="Threshold (least confidence that is accepted)"),
                y=alt.Y("share:Q", scale=whole, title="Share"),
            ),
            end.mark_text(color=colour, align="left", dx=11).encode(
                x=alt.X("threshold:Q"), y=alt.value(place), text=alt.Text("said:N")
            ),
        ]
    return finished(alt.layer(*layers).properties(width=WIDTH, height=HEIGHT), plot, notes)
