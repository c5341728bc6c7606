"""Standard output and standard error, for the command line alone.

A reader that has gone away changes nothing, and never the exit code; what comes from data is safe to print.
"""

import io
import os
import shutil
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING

from .errors import TallystickError
from .fields import printable

if TYPE_CHECKING:
    from rich.console import RenderableType

WIDE = 1000
"""Columns of what is not for a terminal: tables are as wide as they need."""


def lay_out(make: "Callable[[bool], RenderableType]") -> None:
    """Print what is made for a terminal, or plainly where there is none or NO_COLOR is set."""
    from rich.console import Console  # noqa: PLC0415  slow to import

    if sys.stdout is None:
        return
    terminal = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else WIDE
    paper = io.StringIO()
    console = Console(
        file=paper, force_terminal=terminal, width=width, highlight=False, emoji=False, markup=False
    )
    console.print(make(not terminal))
    text = paper.getvalue()
    plain = "".join(f"{line.rstrip()}\n" for line in text.splitlines())
    write((text if terminal else plain).encode("utf-8"))


def write(data: bytes) -> None:
    """Write to standard output.

    Raises
    ------
    TallystickError
        Where it cannot be written, but for a reader that has gone away.
    """
    if sys.stdout is None:
        return
    try:
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        close()
    except OSError as fault:
        raise TallystickError("standard output", f"cannot be written: {fault.strerror}") from fault


def say(text: str) -> None:
    """Write to standard error; where that cannot be done, nothing changes."""
    with suppress(OSError, ValueError, AttributeError):
        sys.stderr.write(text)
        sys.stderr.flush()


def complain(what: str, hint: str | None) -> None:
    """Say what is wrong, and what to do next."""
    say(printable(f"error: {what}\n" + (f"hint: {hint}\n" if hint else "")))


def close() -> None:
    """Send what may still be flushed at exit to nowhere, where the reader has gone away."""
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None:
                stream.flush()
        except (OSError, ValueError):
            with suppress(OSError, ValueError):
                os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
