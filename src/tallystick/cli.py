"""From argv to an exit code: the only module that reads argv, and, through `terminal`, prints.

Exit 0: every gate passed, or none was asked for. 1: a gate failed or was undefined. 2: nothing was
decided. Where candidates compete, 0: one passed all of its gates; 3: none did.
"""

import json
import os
import sys
import traceback
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal, NoReturn

import cyclopts
from cyclopts import App, Parameter

from . import __version__, terminal
from .audits import AUDITS, find
from .errors import TallystickError, UsageError, suggest
from .outputs import GITHUB, WRITTEN, Outputs, asked

if TYPE_CHECKING:
    from rich.console import RenderableType

    from .outputs import Reports
    from .report import Report
    from .suite import SuiteReport

ABOUT = """Decide from files of predictions whether a model may ship.

Each audit reads records (JSON Lines, CSV, Parquet, ...), reports measures, judges gates, and exits 0 when
every gate passed (or none was asked for), 1 when one did not, 2 when nothing could be decided."""

BUG = "this is a bug in tallystick, please report it with the command; TALLY_TRACEBACK=1 shows where"


def entry() -> NoReturn:
    """Run the command `tally` and exit."""
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
        terminal.complain(*_reworded(fault, words))
    except KeyboardInterrupt:
        terminal.complain("interrupted", None)
    except OSError as fault:
        terminal.complain(f"{fault.filename or 'output'}: {fault.strerror or fault}", None)
    except Exception as fault:  # noqa: BLE001  Python would exit 1, which reads as a verdict
        if os.environ.get("TALLY_TRACEBACK"):
            traceback.print_exc()
        terminal.complain(f"{type(fault).__name__}: {fault}", BUG)
    return 2


def _dispatch(words: list[str]) -> int:
    """Run the command that the words name; only the chosen audit's module is imported."""
    app = App(
        name="tally",
        version=f"tally {__version__}",
        help=ABOUT,
        help_format="plaintext",
        result_action="return_value",
        suppress_keyboard_interrupt=False,
    )
    app.register_install_completion_command()
    for command in COMMANDS:
        app.command(command, name=_name(command))
    chosen = next((word for word in words if not word.startswith("-")), None)
    for name, question in AUDITS.items():
        whole = name == chosen or any("completion" in word for word in words[:1])
        app.command(_audit(name, _run) if whole else _unused, name=name, help=question)
    known = [*AUDITS, *map(_name, COMMANDS)]
    if chosen is not None and chosen not in known:
        hint = suggest(chosen, known) or "tally --help lists all"
        raise UsageError("", f"unknown command {chosen!r}", hint)
    code = app(words, exit_on_error=False, print_error=False)
    if not words:
        raise UsageError("", "no command given", "tally list names the audits")
    return code if isinstance(code, int) else 0


def _unused() -> None:
    """Stand for an audit that was not chosen, in the list of commands."""


def _audit(name: str, call: "Callable[[Any, Mapping[str, Any]], int]") -> Any:
    from . import flags

    audit = find(name)
    return flags.command(audit, lambda given: call(audit, given))


def _run(audit: Any, given: Mapping[str, Any]) -> int:
    """Run an audit as its flags say, and deliver its report."""
    from . import command

    wanted = asked(given, os.environ)
    made = command.made(audit, given, wanted)

    def laid_out(plain: bool) -> "RenderableType":  # noqa: FBT001
        from .render.text import text

        return text(made, plain=plain)

    return _deliver(made, [(audit.name, made)], wanted, given["format"], laid_out)


def _deliver(
    made: "Report | SuiteReport",
    reports: "Reports",
    wanted: Outputs,
    format: str,  # noqa: A002
    laid_out: "Callable[[bool], RenderableType]",
    title: str | None = None,
) -> int:
    """Write what was asked for, print it, and give the exit code."""
    from .render.github import annotations, quiet

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
            terminal.say(f"warning: {fault}\n")
    return made.exit_code


def list_() -> int:
    """List the audits with the questions that they answer."""
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, show_header=False)
    for name, question in AUDITS.items():
        table.add_row(Text(name, "bold"), question)
    terminal.lay_out(lambda _plain: table)
    return 0


def explain(audit: Annotated[str, Parameter(help="Name of an audit.")], /) -> int:
    """Explain an audit: definition, formulas, undefined cases, limits, sources."""
    from .pages import page

    text = page(audit)
    if not sys.stdout.isatty():
        terminal.write(text.encode("utf-8"))
        return 0
    from rich.markdown import Markdown

    terminal.lay_out(lambda _plain: Markdown(text))
    return 0


def schema(audit: Annotated[str, Parameter(help="Name of an audit, or: report.")], /) -> int:
    """Print the JSON Schema of an audit's records and report, or of what all reports share."""
    from . import schema as schemas

    made = schemas.envelope() if audit == "report" else schemas.schema(audit)
    terminal.write(json.dumps(made, indent=2).encode("utf-8") + b"\n")
    return 0


def verify(
    report: Annotated[str, Parameter(help="The report to verify.")],
    /,
    *command: Annotated[
        str,
        Parameter(
            name="COMMAND",
            help="The command that is said to have made it: an audit, its files, settings and gates.",
            allow_leading_hyphen=True,
        ),
    ],
    tol: Annotated[str, Parameter(help="Absolute tolerance of numbers.", allow_leading_hyphen=True)] = "0",
    suite: Annotated[str | None, Parameter(help="The suite that is said to have made it.")] = None,
    only: Annotated[
        list[str] | None,
        Parameter(
            help="Of the suite, the audit of this name; repeatable.", negative="", consume_multiple=False
        ),
    ] = None,
) -> int:
    """Check a report against the files it speaks of: recompute it and compare every field.

    Settings, gates and the tolerance are those of this command line, never those that the report states.
    Exit 0: nothing differs. 1: something differs. 2: nothing could be compared.
    """
    if suite is not None:
        if command:
            raise UsageError(command[0], "--suite says what made the report; no command may follow")
        return _verify_suite(report, tol, suite, only or ())
    if not command or command[0] not in AUDITS:
        got = repr(command[0]) if command else "nothing"
        raise UsageError("COMMAND", f"expected an audit and its files after the report, got {got}")
    name, *words = command
    app = App(name=f"tally verify {report} {name}", result_action="return_value")
    app.default(_audit(name, lambda audit, given: _verify(report, tol, audit, given)))
    code: int = app(words, exit_on_error=False, print_error=False)
    return code


def _verify_suite(report: str, tol: str, suite: str, only: Sequence[str]) -> int:
    from .render.text import verification
    from .suite import run_suite
    from .verify import claimed_suite, compare_suite

    outcome = compare_suite(claimed_suite(report), run_suite(suite, only), _tolerance(tol))
    terminal.lay_out(lambda _plain: verification(outcome))
    return 0 if outcome.passed else 1


def _tolerance(tol: str) -> float:
    from .options import parse

    tolerance = parse(tol, float)
    if not isinstance(tolerance, float):
        raise UsageError("--tol", f"expected a finite number from 0, got {tol!r}")
    return tolerance


def _verify(report: str, tol: str, audit: Any, given: Mapping[str, Any]) -> int:
    from msgspec import json as encoder

    from .command import made
    from .render.text import verification
    from .verify import claimed, compare

    tolerance = _tolerance(tol)
    claim = claimed(report, audit.name, audit.revision)
    outcome = compare(claim, made(audit, given, Outputs()), audit.Result, tolerance)
    if given["format"] == "json":
        terminal.write(encoder.format(encoder.encode(outcome), indent=2) + b"\n")
    else:
        terminal.lay_out(lambda _plain: verification(outcome))
    return 0 if outcome.passed else 1


def run_(
    suite: Annotated[str, Parameter(help="A TOML file of audits.")],
    /,
    *,
    only: Annotated[
        list[str] | None,
        Parameter(help="Run only the audit of this name; repeatable.", negative="", consume_multiple=False),
    ] = None,
    output: Annotated[str | None, Parameter(help="Write the combined report to this file, as JSON.")] = None,
    junit: Annotated[str | None, Parameter(help=WRITTEN["junit"])] = None,
    markdown: Annotated[str | None, Parameter(help=WRITTEN["markdown"])] = None,
    github: Annotated[bool, Parameter(help=GITHUB, negative="")] = False,
    format: Annotated[Literal["text", "json"], Parameter(help="What to print.")] = "text",  # noqa: A002
) -> int:
    """Run every audit of a suite, and give one verdict: GO or BLOCKED."""
    from . import suite as suites
    from .render.text import suite as laid_out

    given = {"output": output, "junit": junit, "markdown": markdown, "github": github}
    wanted = asked(given, os.environ)
    loaded = suites.load(suite, only or ())
    wanted.check([suite, *loaded.paths])
    made = suites.run_suite(loaded)
    reports = list(made.reports.items())
    return _deliver(made, reports, wanted, format, lambda _plain: laid_out(made), made.verdict)


def peek(
    *files: Annotated[
        str,
        Parameter(name="FILE", help="Files of any format, - for standard input.", allow_leading_hyphen=True),
    ],
    input_format: Annotated[str | None, Parameter(help="The format, whatever the names say.")] = None,
) -> int:
    """Say what a file is, what its fields look like, and which audits read it, ready to paste."""
    from .look import look
    from .peek import page
    from .sources import formats, found

    if not files:
        raise UsageError("peek", "no file given")
    for word in files:
        if word.startswith("-") and word != "-":
            raise UsageError(word, "no such option", "tally peek --help lists them")
    formats.check(input_format, "--input-format")
    pages = [page(look(path, input_format), input_format) for glob in files for path in found(glob)]
    terminal.write("\n".join(pages).encode("utf-8"))
    return 0


def init(
    *files: Annotated[str, Parameter(name="FILE", help="Files of any format.")],
    output: Annotated[
        str, Parameter(help="The suite to write; an existing file is left alone.")
    ] = "suite.toml",
) -> int:
    """Write a commented suite for files of predictions, after looking at their fields."""
    from . import report
    from .starter import starter

    if not files:
        raise UsageError("init", "no file given", "name the files that the suite is for")
    if os.path.exists(output):
        raise UsageError("--output", f"{output!r} exists already", "name another file, or remove it")
    report.guard(output, files)
    report.write(output, starter(files, os.path.dirname(output) or ".").encode("utf-8"))
    terminal.write(f"wrote {output}\n".encode())
    return 0


def bless(
    report: Annotated[str, Parameter(help="The report of an audit whose gates passed.")],
    /,
    *,
    as_: Annotated[str, Parameter(name="--as", help="The file that later runs name with --against.")],
) -> int:
    """Make a report the baseline of later runs, after checking that it is whole and passed."""
    from . import baseline

    baseline.bless(report, as_)
    terminal.write(f"wrote {as_}\n".encode())
    return 0


def diff(
    old: Annotated[str, Parameter(help="The earlier report of an audit.")],
    new: Annotated[str, Parameter(help="The later report of the same audit.")],
    /,
    *,
    allow_different_data: Annotated[
        bool, Parameter(help="Compare them though their inputs differ.", negative="")
    ] = False,
    format: Annotated[Literal["text", "json"], Parameter(help="What to print.")] = "text",  # noqa: A002
) -> int:
    """Show each measure of two reports, with its change, and whether that is better or worse."""
    from msgspec import json as encoder

    from . import baseline
    from .render.text import comparison

    found = baseline.compare(old, new, different_data=allow_different_data)
    if format == "json":
        terminal.write(encoder.format(encoder.encode(found), indent=2) + b"\n")
    else:
        terminal.lay_out(lambda plain: comparison(found, plain=plain))
    return 0


COMMANDS: tuple[Callable[..., int], ...] = (list_, explain, schema, run_, peek, init, verify, bless, diff)
"""The commands besides the audits."""


def _name(command: "Callable[..., int]") -> str:
    return command.__name__.rstrip("_")


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
