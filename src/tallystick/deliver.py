"""From a finished run to what its reader sees: files, standard output, annotations, and the exit code."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from . import terminal
from .errors import TallystickError
from .outputs import Outputs, Reports
from .render.github import annotations, quiet
from .report import Report, SuiteReport

if TYPE_CHECKING:
    from rich.console import RenderableType


def deliver(
    made: Report | SuiteReport,
    reports: "Reports",
    wanted: Outputs,
    format: str,  # noqa: A002
    laid_out: "Callable[[bool], RenderableType]",
    title: str | None = None,
) -> int:
    """Write what was asked for, print it, and give the exit code."""
    wanted.save(made, reports, title)
    before, after = quiet(reports) if wanted.github else ("", "")
    if format == "json":
        terminal.write(made.to_json())
    else:
        terminal.write(before.encode())
        terminal.lay_out(laid_out)
        terminal.write(after.encode())
    if wanted.github:
        said = annotations(reports)
        terminal.say(said) if format == "json" else terminal.write(said.encode())
        try:
            wanted.summarise(reports, title)
        except TallystickError as fault:  # the summary is a courtesy: the verdict stands without it
            terminal.warn(str(fault))
    return made.exit_code
