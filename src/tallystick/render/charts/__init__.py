"""Pictures of a report, made by altair: a chart for each kind of table, whichever audit it is of.

A table is recognised by the columns of its rows. `plots` says what can be drawn, with the same in words, and
imports no library for it; `chart`, `svg` and `png` draw.
"""

from importlib import import_module
from typing import Any

from msgspec.structs import replace

from ...errors import UsageError, suggest
from ...report import Report
from . import (
    confusion,
    curves,
    cutoffs,
    drift,
    forest,
    keyed,
    output,
    percentiles,
    reliability,
    slices,
    versus,
)
from .plot import Drawing, Plot
from .theme import COLOURS

__all__ = ["COLOURS", "Plot", "chart", "plots", "png", "svg"]

KINDS = (
    versus.found,
    forest.found,
    reliability.found,
    curves.found,
    confusion.found,
    drift.found,
    cutoffs.found,
    percentiles.found,
    slices.found,
    keyed.found,
    forest.rest,
)
"""What finds something to draw, in order of interest."""


def plots(report: Report) -> list[Plot]:
    """List what can be drawn of a report, the most telling first."""
    return [drawing.plot for drawing in _drawings(report)]


def chart(report: Report, name: str) -> Any:
    """Draw one of a report's plots: give its altair chart, which a notebook shows.

    Raises
    ------
    UsageError
        Where the report has no such plot, or none at all, or altair is not installed.
    """
    drawing = _named(report, name)
    _needed()
    return drawing.draw(drawing.plot)


def svg(report: Report, name: str, *, themed: bool = False) -> str:
    """Draw a plot as SVG that scales to its place; its natural size is that of its viewBox.

    Parameters
    ----------
    report
        The report.
    name
        The name of the plot.
    themed
        Whether every colour is a custom property of the page (see `COLOURS`), with the light value in its
        absence, on no ground of its own.
    """
    drawing = _named(report, name)
    _needed()
    return output.svg(drawing.draw(drawing.plot), drawing.plot, themed=themed)


def png(report: Report, name: str, scale: float = 2) -> bytes:
    """Draw a plot as PNG, at so many pixels for each unit of the SVG."""
    return output.png(svg(report, name), name, scale)


def _drawings(report: Report) -> list[Drawing]:
    """Find all that can be drawn, each under a name of its own."""
    names: set[str] = set()
    drawings = []
    for kind in KINDS:
        for drawing in kind(report):
            own, another = drawing.plot.name, 1
            while (name := own if another == 1 else f"{own}-{another}") in names:
                another += 1
            names.add(name)
            drawings.append(Drawing(replace(drawing.plot, name=name), drawing.draw))
    return drawings


def _named(report: Report, name: object) -> Drawing:
    """Find a plot by its name, or say which there are of whatever else is given."""
    drawings = {drawing.plot.name: drawing for drawing in _drawings(report)}
    if not drawings:
        raise UsageError("plot", f"a report of {report.audit} like this one holds nothing to draw")
    if not isinstance(name, str) or name not in drawings:
        listed, near = ", ".join(drawings), suggest(name, drawings) if isinstance(name, str) else None
        raise UsageError("plot", f"no plot {name!r}; there are: {listed}", near)
    return drawings[name]


def _needed() -> None:
    """Refuse where what draws is not installed."""
    try:
        for module in ("altair", "vl_convert"):
            import_module(module)
    except ImportError:
        raise UsageError("", "install tallystick[html] to draw charts") from None
