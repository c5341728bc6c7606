"""Reports as GitHub workflow commands: an error annotation for each gate that did not pass.

A runner obeys every line of a step's output that starts with ``::``, so labels of data could give it
commands. `quiet` gives the lines between which it obeys none.
"""

import hashlib
from collections.abc import Sequence

from ..report import Report
from .layout import clean


def annotations(reports: Sequence[tuple[str, Report]]) -> str:
    """Write an annotation for each gate of named reports that did not pass, one a line."""
    return "".join(
        f"::error title={_property(f'{name}: ' + gate['gate'])}::{_data(gate['message'])}\n"
        for name, report in reports
        for gate in report.shortfalls
    )


def quiet(reports: Sequence[tuple[str, Report]]) -> tuple[str, str]:
    """Give the line after which a runner obeys no commands, and the line after which it does again.

    What ends the silence is made of the reports' digests, which no data in them can hold.
    """
    token = hashlib.sha256("".join(report.digest for _, report in reports).encode()).hexdigest()
    return f"::stop-commands::{token}\n", f"::{token}::\n"


def _data(text: str) -> str:
    """Escape the message of a workflow command."""
    return escape(clean(text))


def _property(text: str) -> str:
    """Escape a property of a workflow command, which also ends at a colon or a comma."""
    return escape(clean(text)).replace(":", "%3A").replace(",", "%2C")


def escape(text: str) -> str:
    """Write what would end a workflow command as its percent codes."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
