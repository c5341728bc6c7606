"""From argv to an exit code: the only module that reads argv.

Exit 0: every gate passed, or none was asked for. 1: a gate failed or was undefined. 2: nothing was
decided. Where candidates compete, 0: one passed all of its gates; 3: none did.
"""

import os
import signal
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NoReturn

import cyclopts
from cyclopts import App

from . import __version__, terminal
from .audits import AUDITS, find
from .deliver import deliver
from .engines import heap
from .errors import TallystickError, UsageError, suggest
from .fields import line
from .outputs import asked

if TYPE_CHECKING:
    from rich.console import RenderableType

ABOUT = """Decide from files of predictions whether a model may ship.

Each audit reads records (JSON Lines, CSV, Parquet, ...), reports measures, judges gates, and exits 0 when
every gate passed (or none was asked for), 1 when one did not, 2 when nothing could be decided."""

BUG = "this is a bug in tallystick, please report it with the command; TALLY_TRACEBACK=1 shows where"


def entry() -> NoReturn:
    """Run the command `tally` and exit.

    A signal to end is taken as Ctrl-C is, so that nothing is left behind.
    """
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, signal.default_int_handler)
    heap.keep()
    code = main()
    terminal.close()
    sys.exit(code)


def main(argv: list[str] | None = None) -> int:
    """Run `tally` with arguments (those of the process by default), and give the exit code."""
    words = sys.argv[1:] if argv is None else argv
    try:
        return _dispatch(words)
    except TallystickError as fault:
        terminal.complain(str(fault), fault.hint)
        return fault.exit_code
    except cyclopts.CycloptsError as fault:
        what, hint = _reworded(fault, words)
        terminal.complain(line(what), hint)
    except KeyboardInterrupt:
        terminal.complain("interrupted", None)
    except OSError as fault:
        terminal.complain(line(f"{fault.filename or 'output'}: {fault.strerror or fault}"), None)
    except Exception as fault:  # noqa: BLE001  Python would exit 1, which reads as a verdict
        if os.environ.get("TALLY_TRACEBACK"):
            import traceback

            traceback.print_exc()
        terminal.complain(line(f"{type(fault).__name__}: {fault}"), BUG)
    return 2


def _dispatch(words: list[str]) -> int:
    """Run the command that the words name; only the chosen audit's module is imported, and declared."""
    app = App(
        name="tally",
        version=f"tally {__version__}",
        help=ABOUT,
        help_format="plaintext",
        result_action="return_value",
        suppress_keyboard_interrupt=False,
    )
    chosen = next((word for word in words if not word.startswith("-")), None)
    if chosen is not None and chosen in AUDITS:
        app.command(_audit(chosen, words), name=chosen, help=AUDITS[chosen])
    else:
        _declare(app, chosen, completing=any("completion" in word for word in words[:1]))
    code = app(words, exit_on_error=False, print_error=False)
    if not words:
        raise UsageError("", "no command given", "tally list names the audits")
    return code if isinstance(code, int) else 0


def _declare(app: App, chosen: str | None, *, completing: bool) -> None:
    """Declare the command that was chosen, or where there is none every command."""
    from .commands import COMMANDS

    if chosen is not None and chosen in COMMANDS:
        app.command(COMMANDS[chosen], name=chosen)
        return
    if chosen is not None:
        hint = suggest(chosen, [*AUDITS, *COMMANDS]) or "tally --help lists all"
        raise UsageError("", f"unknown command {chosen!r}", hint)
    app.register_install_completion_command()
    for name, question in AUDITS.items():
        app.command(_audit(name, None) if completing else _unused, name=name, help=question)
    for name, command in COMMANDS.items():
        app.command(command, name=name)


def _unused() -> None:
    """Stand for an audit that was not chosen, in the list of commands."""


def _audit(name: str, words: list[str] | None) -> Any:
    from . import flags

    audit = find(name)
    return flags.command(audit, lambda given: _run(audit, given), words)


def _run(audit: Any, given: Mapping[str, Any]) -> int:
    """Run an audit as its flags say, and deliver its report."""
    from . import command

    wanted = asked(given, os.environ)
    made = command.made(audit, given, wanted, terminal.progress)

    def laid_out(plain: bool) -> "RenderableType":  # noqa: FBT001
        from .render.text import text

        return text(made, plain=plain)

    return deliver(made, [(audit.name, made)], wanted, given["format"], laid_out)


def _reworded(fault: cyclopts.CycloptsError, words: list[str]) -> tuple[str, str | None]:
    """Word what cyclopts refuses as our own errors are."""
    hint = f"tally {words[0]} --help lists what it takes" if words else "tally --help lists the commands"
    token = getattr(fault, "token", None)
    flag = getattr(fault, "keyword", None) or getattr(token, "keyword", None)
    if isinstance(fault, cyclopts.MissingArgumentError):
        place = getattr(getattr(fault, "argument", None), "name", "")
        return (f"{flag}: expected a value after it" if flag else f"{place}: missing"), hint
    if isinstance(fault, cyclopts.UnusedCliTokensError) and fault.unused_tokens:
        return f"{fault.unused_tokens[0]}: not expected here", hint
    if flag and isinstance(fault, cyclopts.RepeatArgumentError):
        return f"{flag}: given more than once", hint
    lines = [line.strip() for line in str(fault).splitlines() if line.strip()]
    return " ".join(lines) or type(fault).__name__, hint
