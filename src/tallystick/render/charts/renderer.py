"""Calls of the library that draws, whose faults are ours to report.

It writes an error of the script within it on standard error, and gives an empty picture as though all were
well. So what it writes meanwhile is caught.
"""

import os
import re
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock
from typing import BinaryIO, TypeVar

from ...errors import ReportError

Drawn = TypeVar("Drawn", str, bytes)

STANDARD_ERROR = 2

_FAULT = re.compile(r"^(?:ERROR|[A-Za-z]*Error:|thread .* panicked)", re.MULTILINE)
_ONE_AT_A_TIME = Lock()


def rendered(draw: Callable[[], Drawn], name: str) -> Drawn:
    """Draw, or say in one line why the plot of that name cannot be drawn.

    Raises
    ------
    ReportError
        Where the library fails, or writes that it did.
    """
    with tempfile.TemporaryFile() as said:
        try:
            with _ONE_AT_A_TIME, _caught(said):
                drawn = draw()
        except Exception as fault:
            raise _failed(name, str(fault)) from fault
        said.seek(0)
        text = said.read().decode("utf-8", "replace")
    if _FAULT.search(text):
        raise _failed(name, text)
    return drawn


def _failed(name: str, text: str) -> ReportError:
    """Keep what is wrong, and none of the trace of where in the library."""
    lines = [line.strip() for line in text.splitlines()]
    why = " ".join(line for line in lines if line and not line.startswith("at ")).removeprefix("ERROR ")
    return ReportError(f"plot {name}", f"the renderer failed: {why[:300]}")


@contextmanager
def _caught(said: BinaryIO) -> Iterator[None]:
    """Send what is written on the file of standard error elsewhere; a process may have none."""
    try:
        kept = os.dup(STANDARD_ERROR)
    except OSError:
        yield
        return
    try:
        os.dup2(said.fileno(), STANDARD_ERROR)
        yield
    finally:
        os.dup2(kept, STANDARD_ERROR)
        os.close(kept)
