"""The commands besides the audits: each imports only what it needs."""

import json
import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Annotated, Any, Literal

from cyclopts import App, Parameter

from . import terminal
from .audits import AUDITS, find
from .deliver import deliver
from .errors import UsageError
from .fields import line, safe_json
from .outputs import GITHUB, QUIET, WRITTEN, Outputs, asked

JOBS = "How many audits run at a time; by default, of large inputs, as many as there are cores."
"""What the flag `--jobs` of a suite says of itself."""


def list_() -> int:
    """List the audits with the questions that they answer."""
    terminal.lay_out(lambda _plain: _named(AUDITS.items()))
    return 0


def _named(rows: Iterable[tuple[str, str]]) -> Any:
    """Lay out names, each with what it is."""
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, show_header=False)
    for name, said in rows:
        table.add_row(Text(line(name), "bold"), Text(line(said)))
    return table


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
    quiet: Annotated[bool, Parameter(help=QUIET, negative="")] = False,
) -> int:
    """Check a report against the files it speaks of: recompute it and compare every field.

    Settings, gates and the tolerance are those of this command line, never those that the report states.
    Exit 0: nothing differs. 1: something differs. 2: nothing could be compared.
    """
    if suite is not None:
        if command:
            raise UsageError(command[0], "--suite says what made the report; no command may follow")
        return _verify_suite(report, tol, suite, only or (), quiet)
    if not command or command[0] not in AUDITS:
        got = repr(command[0]) if command else "nothing"
        raise UsageError("COMMAND", f"expected an audit and its files after the report, got {got}")
    from . import flags

    name, *words = command
    app = App(name=f"tally verify REPORT {name}", result_action="return_value")
    audit = find(name)
    app.default(flags.command(audit, lambda given: _verify(report, tol, audit, {**given, "quiet": quiet})))
    code: int = app(words, exit_on_error=False, print_error=False)
    return code


def _verify_suite(report: str, tol: str, suite: str, only: Sequence[str], quiet: bool) -> int:  # noqa: FBT001
    from .render.text import verification
    from .suite_run import run_suite
    from .verify import claimed_suite, compare_suite

    made = run_suite(suite, only, None if quiet else terminal.progress)
    outcome = compare_suite(claimed_suite(report), made, _tolerance(tol))
    terminal.lay_out(lambda _plain: verification(outcome))
    return 0 if outcome.passed else 1


def _tolerance(tol: str) -> float:
    from .options import parse

    tolerance = parse(tol, float)
    if not isinstance(tolerance, float):
        raise UsageError("--tol", f"expected a finite number from 0, got {tol!r}")
    return tolerance


def _verify(report: str, tol: str, audit: Any, given: Mapping[str, Any]) -> int:
    from .command import made
    from .render.text import verification
    from .verify import claimed, compare

    tolerance = _tolerance(tol)
    claim = claimed(report, audit.name, audit.revision)
    outcome = compare(claim, made(audit, given, Outputs(), terminal.progress), audit.Result, tolerance)
    if given["format"] == "json":
        terminal.write(_json(outcome))
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
    jobs: Annotated[str | None, Parameter(help=JOBS)] = None,
    output: Annotated[str | None, Parameter(help="Write the combined report to this file, as JSON.")] = None,
    junit: Annotated[str | None, Parameter(help=WRITTEN["junit"])] = None,
    markdown: Annotated[str | None, Parameter(help=WRITTEN["markdown"])] = None,
    html: Annotated[str | None, Parameter(help=WRITTEN["html"])] = None,
    github: Annotated[bool, Parameter(help=GITHUB, negative="")] = False,
    format: Annotated[Literal["text", "json"], Parameter(help="What to print.")] = "text",  # noqa: A002
    quiet: Annotated[bool, Parameter(help=QUIET, negative="")] = False,
) -> int:
    """Run every audit of a suite, and give one verdict: GO or BLOCKED."""
    from . import suite as suites
    from .command import count
    from .render.text import suite as laid_out
    from .suite_run import run_suite

    given = {"output": output, "junit": junit, "markdown": markdown, "html": html, "github": github}
    wanted = asked(given, os.environ)
    loaded = suites.load(suite, only or ())
    wanted.check([suite, *loaded.paths])
    processes = count({"jobs": jobs}, "jobs")
    made = run_suite(loaded, watch=None if quiet else terminal.progress, jobs=processes)
    reports = list(made.reports.items())
    return deliver(made, reports, wanted, format, lambda _plain: laid_out(made), made.verdict)


def render(
    report: Annotated[str, Parameter(help="The report of an audit, or the combined report of a suite.")],
    file: Annotated[
        str | None,
        Parameter(help="The file to write; standard output without it, or for -.", allow_leading_hyphen=True),
    ] = None,
    /,
    *,
    text: Annotated[
        bool, Parameter(help="As a terminal shows it; so it is by default.", negative="")
    ] = False,
    markdown: Annotated[bool, Parameter(help="As Markdown.", negative="")] = False,
    html: Annotated[bool, Parameter(help="As one HTML page.", negative="")] = False,
    svg: Annotated[
        str | None, Parameter(help="The plot of this name; of a suite's report: AUDIT/NAME.")
    ] = None,
) -> int:
    """Show a report in another form: as text, Markdown or a page, or one of its plots.

    The report is read from its file, and refused where it is damaged; nothing is computed again.
    """
    from . import picture
    from .report import guard, write
    from .whole import load

    forms = {"--text": text, "--markdown": markdown, "--html": html, "--svg": svg is not None}
    chosen = [flag for flag, given in forms.items() if given]
    if len(chosen) > 1:
        raise UsageError(chosen[1], f"one form at a time, and {chosen[0]} is given too")
    to = None if file == "-" else file
    if to is not None:
        guard(to, [report], "FILE")
    made = load(report)
    if to is None and chosen in ([], ["--text"]):
        terminal.lay_out(lambda plain: picture.text(made, plain=plain))
        return 0
    if svg is not None:
        data = picture.svg(made, svg)
    elif html:
        data = picture.html(made, report)
    else:
        data = (
            picture.markdown(made)
            if markdown
            else terminal.printed(picture.text(made, plain=True)).encode("utf-8")
        )
    terminal.write(data) if to is None else write(to, data)
    return 0


def plot(
    report: Annotated[str, Parameter(help="The report of an audit, or the combined report of a suite.")],
    name: Annotated[
        str | None,
        Parameter(help="The plot, of a suite's report as AUDIT/NAME; without it, what there is is listed."),
    ] = None,
    /,
    *,
    output: Annotated[
        str | None, Parameter(help="The file to write, .svg or .png; without it SVG is printed.")
    ] = None,
) -> int:
    """Draw one of a report's plots, or list them.

    The report is read from its file, and refused where it is damaged; nothing is computed again.
    """
    from . import picture
    from .report import guard, write
    from .whole import load

    if output is not None:
        guard(output, [report])
        if not output.endswith((".svg", ".png")):
            raise UsageError("--output", f"expected a name that ends in .svg or .png, got {output!r}")
        if name is None:
            raise UsageError("NAME", "no plot is named", "leave --output out to see what there is")
    made = load(report)
    if name is None:
        terminal.lay_out(lambda _plain: _named(picture.plots(made)))
        return 0
    data = picture.png(made, name) if output and output.endswith(".png") else picture.svg(made, name)
    terminal.write(data) if output is None else write(output, data)
    return 0


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
    terminal.tell("\n".join(pages))
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
    terminal.tell(f"wrote {line(output)}\n")
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
    terminal.tell(f"wrote {line(as_)}\n")
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
    from . import baseline
    from .render.text import comparison

    found = baseline.compare(old, new, different_data=allow_different_data)
    if format == "json":
        terminal.write(_json(found))
    else:
        terminal.lay_out(lambda plain: comparison(found, plain=plain))
    return 0


def _json(made: Any) -> bytes:
    from msgspec import json as encoder

    return safe_json(encoder.format(encoder.encode(made), indent=2).decode("utf-8")).encode("utf-8") + b"\n"


COMMANDS: Mapping[str, Callable[..., int]] = {
    command.__name__.rstrip("_"): command
    for command in (list_, explain, schema, run_, render, plot, peek, init, verify, bless, diff)
}
"""The commands besides the audits, by name."""
