"""The look of every chart: colours for light and dark pages, sizes, and one configuration.

Charts are drawn in the light colours, each of which stands for one role. So the SVG for a page can name the
role in place of the colour, and the page's stylesheet can give it another value in the dark.
"""

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from textwrap import wrap
from typing import Any

from .names import titled
from .plot import Plot

COLOURS: Mapping[str, tuple[str, str]] = {
    "--chart-ink": ("#1f2328", "#e6e8eb"),
    "--chart-quiet": ("#57606a", "#9aa4b0"),
    "--chart-axis": ("#818994", "#6f7985"),
    "--chart-grid": ("#e3e6ea", "#2b3139"),
    "--chart-paper": ("#ffffff", "#14171c"),
    "--chart-one": ("#1b5fa8", "#6cb2f5"),
    "--chart-two": ("#b34700", "#f5964f"),
    "--chart-three": ("#0b7367", "#3fc7b0"),
    "--chart-four": ("#7a3fa0", "#c79bec"),
    "--chart-five": ("#7d6300", "#d9b93f"),
    "--chart-right-1": ("#6996cb", "#2f6aa6"),
    "--chart-right-2": ("#4576b0", "#4587c8"),
    "--chart-right-3": ("#2f5f98", "#6ba6e0"),
    "--chart-right-4": ("#1d4478", "#9cc8f2"),
    "--chart-right-5": ("#0e2a52", "#d5e9fc"),
    "--chart-wrong-1": ("#cb8352", "#9c5420"),
    "--chart-wrong-2": ("#b06028", "#c07238"),
    "--chart-wrong-3": ("#94480f", "#dd9458"),
    "--chart-wrong-4": ("#6e3308", "#f3bb8c"),
    "--chart-wrong-5": ("#451f04", "#fde5d0"),
}
"""Each colour by the name of its custom property: on a light page (#ffffff), on a dark page (#14171c)."""


def _role(name: str) -> str:
    return COLOURS[f"--chart-{name}"][0]


INK, QUIET, AXIS, GRID, PAPER = map(_role, ("ink", "quiet", "axis", "grid", "paper"))
SERIES = tuple(map(_role, ("one", "two", "three", "four", "five")))
ONE, TWO = SERIES[:2]
RIGHT = tuple(_role(f"right-{level}") for level in range(1, 6))
WRONG = tuple(_role(f"wrong-{level}") for level in range(1, 6))
DASHES: tuple[list[int], ...] = ([1, 0], [6, 3], [2, 2], [8, 3, 2, 3], [10, 4])
SHAPES = ("circle", "square", "diamond", "triangle-up", "cross")

FONT = 12
WIDTH = 330
LINE = 17
"""Least distance of two labels, from baseline to baseline, in pixels."""

_AXIS = {
    "domainColor": AXIS,
    "gridColor": GRID,
    "tickColor": AXIS,
    "labelColor": INK,
    "labelFontSize": FONT,
    "labelFlush": False,
    "labelLimit": 190,
    "titleColor": INK,
    "titleFontSize": FONT,
    "titleFontWeight": "normal",
    "titleLimit": 420,
}
CONFIG: Mapping[str, Any] = {
    "background": PAPER,
    "font": "sans-serif",
    "padding": 8,
    "axis": _AXIS,
    "header": {"labelColor": INK, "labelFontSize": FONT},
    "text": {"color": INK, "fontSize": FONT},
    "title": {
        "anchor": "start",
        "color": INK,
        "fontSize": 14,
        "fontWeight": "bold",
        "frame": "bounds",
        "offset": 12,
        "subtitleColor": QUIET,
        "subtitleFontSize": FONT,
        "subtitlePadding": 4,
    },
    "view": {"stroke": None},
    "concat": {"spacing": 10},
}


def finished(picture: Any, plot: Plot, notes: Sequence[str] = ()) -> Any:
    """Give a picture its title, its notes beneath it, its description and the look of all."""
    import altair as alt

    lines = [titled(line) for note in notes for line in wrap(note, 68)]
    title = alt.TitleParams([titled(line) for line in wrap(plot.title, 54)], subtitle=lines)
    return picture.properties(title=title, description=plot.about).configure(**CONFIG)


def rows_of(values: Sequence[Mapping[str, Any]]) -> Any:
    """Hold rows inside a chart, whose fields are named by charts and never by data."""
    import altair as alt

    return alt.InlineData(values=[dict(row) for row in values])


def fitted(values: Sequence[float]) -> tuple[float, float]:
    """Give the axis for values: all of 0 to 1 for shares, or a part of it where they fill little."""
    low, high = min(values), max(values)
    if low < 0 or high > 1:
        room = (high - low) * 0.05 or abs(high) * 0.1 or 1.0
        return (0.0 if 0 <= low < high - low else low - room, high + room)
    if high - low > 0.4 or low == high:
        return 0.0, 1.0
    parts = 10 if high - low > 0.15 else 20 if high - low > 0.05 else 50
    return math.floor(low * parts) / parts, math.ceil(high * parts) / parts


def ranged(title: str, domain: tuple[float, float]) -> str:
    """Name an axis, and say so where it shows a part of all shares."""
    low, high = domain
    if (low, high) == (0, 1) or low < 0 or high > 1:
        return title
    return f"{title} (axis from {low:g} to {high:g})"


def digits(domain: Sequence[float]) -> Any:
    """Give the format of an axis: that of altair, unless its numbers are long."""
    import altair as alt

    most = max(map(abs, domain))
    return ".3~g" if most >= 1e6 or most < 1e-3 else ",.4~r" if most >= 10 else alt.Undefined


def apart(positions: Sequence[float], least: float = LINE, bound: float | None = None) -> list[float]:
    """Move labels as little as keeps them apart, in their order; none beyond the bound, if there is one."""
    order = sorted(range(len(positions)), key=lambda place: (positions[place], place))
    moved = list(positions)
    for before, place in pairwise(order):
        moved[place] = max(moved[place], moved[before] + least)
    if bound is not None and order and moved[order[-1]] > bound:
        moved[order[-1]] = bound
        for place, after in reversed(list(pairwise(order))):
            moved[place] = min(moved[place], moved[after] - least)
    return moved
