"""A finished report in each of its forms."""

from typing import Any

from .errors import UsageError
from .glossary import glossaries
from .recipe import recipe
from .render.markdown import markdown as as_markdown
from .report import Report, SuiteReport

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


def svg(made: Made, name: str) -> bytes:
    """Give one plot: of a suite, that of an audit, as AUDIT/NAME.

    Raises
    ------
    UsageError
        Where there is no such plot, or what draws it is not installed.
    """
    from .render import charts  # noqa: PLC0415  only where a plot is asked for

    if isinstance(made, Report):
        return charts.svg(made, name).encode("utf-8")
    known = {
        f"{audit}/{plot.name}": (report, plot.name)
        for audit, report in made.reports.items()
        for plot in charts.plots(report)
    }
    if name not in known:
        raise UsageError("--svg", f"no plot {name!r}; there are: {', '.join(known) or 'none'}")
    report, plot = known[name]
    return charts.svg(report, plot).encode("utf-8")
