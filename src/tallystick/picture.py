"""A finished report in each of its forms."""

from typing import TYPE_CHECKING, Any

from .errors import UsageError, suggest
from .fields import line
from .glossary import glossaries
from .recipe import recipe
from .render.markdown import markdown as as_markdown
from .report import Report, SuiteReport

if TYPE_CHECKING:
    from .render.charts import Plot

Made = Report | SuiteReport


def text(made: Made, *, plain: bool = False) -> Any:
    """Lay a report out for a terminal, as something that rich prints."""
    from .render import text as as_text  # noqa: PLC0415  with rich, which is slow to import

    return as_text.suite(made) if isinstance(made, SuiteReport) else as_text.text(made, plain=plain)


def markdown(made: Made) -> bytes:
    """Give the Markdown."""
    if isinstance(made, SuiteReport):
        return as_markdown(list(made.reports.items()), made.verdict).encode("utf-8")
    return as_markdown([(made.audit, made)]).encode("utf-8")


def html(made: Made, path: str | None) -> bytes:
    """Give the page, which says how to verify the report in a file."""
    from .render.html import page  # noqa: PLC0415  only where a page is asked for

    return page(made, glossaries(made), recipe(made, path)).encode("utf-8")


def plots(made: Made) -> list[tuple[str, str]]:
    """List what can be drawn, each with its title: of a suite, what there is of each audit, as AUDIT/NAME."""
    return [(name, plot.title) for name, (_, plot) in _plots(made).items()]


def svg(made: Made, name: str) -> bytes:
    """Give one plot as SVG.

    Raises
    ------
    UsageError
        Where there is no such plot, or what draws it is not installed.
    """
    from .render import charts  # noqa: PLC0415  only where a plot is asked for

    return charts.svg(*_plot(made, name)).encode("utf-8")


def png(made: Made, name: str) -> bytes:
    """Give one plot as PNG; it raises what `svg` does."""
    from .render import charts  # noqa: PLC0415  only where a plot is asked for

    return charts.png(*_plot(made, name))


def _plots(made: Made) -> "dict[str, tuple[Report, Plot]]":
    from .render.charts import plots as drawn  # noqa: PLC0415  only where a plot is asked for

    if isinstance(made, Report):
        return {plot.name: (made, plot) for plot in drawn(made)}
    of = made.reports.items()
    return {f"{audit}/{plot.name}": (report, plot) for audit, report in of for plot in drawn(report)}


def _plot(made: Made, name: str) -> tuple[Report, str]:
    if isinstance(made, Report):
        return made, name
    known = _plots(made)
    if name not in known:
        what = f"no plot {name!r}; there are: {', '.join(known) or 'none'}"
        raise UsageError("plot", line(what), suggest(name, known))
    report, plot = known[name]
    return report, plot.name
