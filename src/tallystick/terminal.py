"""Standard output and standard error, for the command line alone.

A reader that has gone away changes nothing, and never the exit code; what comes from data is safe to print.
"""

import os
import re
import stat
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from .errors import TallystickError
from .fields import line
from .render import paper

if TYPE_CHECKING:
    from threading import Event

    from rich.console import RenderableType

    from .sources import Facts

WIDE = 1000
"""Columns of what is not for a terminal: tables are as wide as they need."""

PATIENCE, PACE = 1.0, 0.1
"""Seconds of work before progress is shown, and between two looks at it."""

ROOMY = 60
"""Columns from which the line of progress has room for a rate."""

ECHO = 4
"""Columns that it leaves free, so that a ^C which the terminal echoes does not begin another line."""


def _columns() -> int:
    import shutil  # noqa: PLC0415  slow to import, and pipes do without

    return shutil.get_terminal_size().columns


def lay_out(make: "Callable[[bool], RenderableType]") -> None:
    """Print what is made for a terminal; plainly where there is none, or it is to have ASCII alone."""
    if sys.stdout is None:
        return
    terminal = sys.stdout.isatty()
    encoding = (sys.stdout.encoding or "utf-8") if terminal else "utf-8"
    fancy = terminal and not os.environ.get("NO_COLOR") and encoding.lower().startswith("utf")
    width = _columns() if terminal else WIDE
    text = printed(make(not fancy), width, fancy=fancy)
    write(_unobeyed(text).encode(encoding, "backslashreplace"))


def printed(laid_out: Any, width: int = WIDE, *, fancy: bool = False) -> str:
    """Give as text what is printed in so many columns, with styles or without."""
    if fancy:
        return paper.printed(laid_out, width, fancy=True)
    plainly = getattr(laid_out, "plainly", None)
    lines = plainly(width) if plainly else paper.printed(laid_out, width).splitlines()
    return "".join(f"{line.rstrip()}\n" for line in lines)


def tell(text: str) -> None:
    """Write lines, which are safe, to standard output."""
    write(_unobeyed(text).encode("utf-8"))


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
    """Say what is wrong, in lines that are safe each, and what to do next."""
    say(_unobeyed(f"error: {what}\n" + (f"hint: {line(hint)}\n" if hint else "")))


def warn(what: str) -> None:
    """Say, in a safe line, what is amiss though all else stands."""
    say(_unobeyed(f"warning: {what}\n"))


def _unobeyed(text: str) -> str:
    """Spell out what a runner of GitHub would obey: ``::command::`` lines, and ``##[command]`` anywhere."""
    if os.environ.get("GITHUB_ACTIONS") != "true":
        return text
    return re.sub(r"(?m)^([^\S\n]*):(?=:)", r"\1\\u003a", text).replace("##[", "#\\u0023[")


def close() -> None:
    """Send what may still be flushed at exit to nowhere, where the reader has gone away."""
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None:
                stream.flush()
        except (OSError, ValueError):
            with suppress(OSError, ValueError):
                os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


@contextmanager
def progress(seen: "Sequence[Sequence[Facts]]", total: int | None) -> Iterator[None]:
    """Show on standard error how far a reading is, from its second second until its end.

    `seen` holds what is known of each source, which grows meanwhile; `total` is the bytes of all of them, if
    that is known. Nothing is shown where standard error is no terminal, nor where standard output is a pipe:
    who reads it, such as a pager, may draw on the same terminal.
    """
    if not _is_watched():
        yield
        return
    from threading import Event, Thread  # noqa: PLC0415

    done = Event()
    aside = Thread(target=_show, args=(seen, total, done), daemon=True)
    aside.start()
    try:
        yield
    finally:
        done.set()
        aside.join()


def _is_watched() -> bool:
    with suppress(OSError, ValueError, AttributeError):
        piped = sys.stdout is not None and stat.S_ISFIFO(os.fstat(sys.stdout.fileno()).st_mode)
        return sys.stderr.isatty() and not piped and os.environ.get("TERM") not in ("dumb", "unknown")
    return False


def _show(seen: "Sequence[Sequence[Facts]]", total: int | None, done: "Event") -> None:
    started = time.monotonic()
    if done.wait(PATIENCE) or _typed(seen):
        return
    from rich.console import Console  # noqa: PLC0415  slow to import
    from rich.progress import BarColumn, Progress, TextColumn  # noqa: PLC0415
    from rich.table import Column  # noqa: PLC0415

    width = _columns() - ECHO
    bar = BarColumn(bar_width=None, table_column=Column(ratio=1))
    line = Progress(
        bar,
        TextColumn("{task.description}", table_column=Column(no_wrap=True)),
        console=Console(file=sys.stderr, width=width),
        auto_refresh=False,
        transient=True,
        redirect_stdout=False,
        redirect_stderr=False,
        expand=True,
    )

    def look() -> dict[str, Any]:
        facts = [one for listed in seen for one in listed]
        read, rows = sum(one.bytes for one in facts), sum(one.records for one in facts)
        words = _words(read, total, rows, time.monotonic() - started, roomy=width >= ROOMY)
        return {
            "completed": read,
            "total": None if total is None or read >= total else total,
            "description": words,
        }

    task = line.add_task(**look())
    with suppress(OSError, ValueError), line:  # a terminal that has gone away changes nothing
        while not done.wait(PACE):
            line.update(task, **look(), refresh=True)


def _typed(seen: "Sequence[Sequence[Facts]]") -> bool:
    """Whether what is read is typed at the terminal."""
    names = {one.name for listed in seen for one in listed}
    return "<stdin>" in names and sys.stdin is not None and sys.stdin.isatty()


def _words(read: int, total: int | None, rows: int, seconds: float, *, roomy: bool) -> str:
    """Say how much is read, at which rate, and how long the rest takes at that rate."""
    parts = [f"{_short(rows)} rows"]
    if read:
        parts.insert(0, f"{_short(read)}B" if total is None else f"{_short(read)}B/{_short(total)}B")
    if read and roomy:
        parts.append(f"{_short(read / seconds)}B/s")
    if total is not None and 0 < read < total:
        minutes, rest = divmod(round((total - read) * seconds / read), 60)
        parts.append(
            f"{minutes // 60}:{minutes % 60:02}:{rest:02} left"
            if minutes >= 60
            else f"{minutes}:{rest:02} left"
        )
    return ("  " if roomy else " ").join(parts)


def _short(number: float) -> str:
    """Write a count in about three digits: 999, 1.23M."""
    for unit in ("", "k", "M", "G"):
        if number < 999.5:
            return f"{number:.3g}{unit}"
        number /= 1000
    return f"{number:.3g}T"
