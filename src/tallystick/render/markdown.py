"""Reports as Markdown for people: the verdict and the gates first, then measures, tables and slices.

Data never steers the page. What comes from it stands in code: between backticks where every character is
plain, else between HTML tags with each other character written as an entity.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from ..gate import UNLABELLED
from ..report import Report, verdict
from .layout import SHOWN, cell, clean, columns, is_table, scalars

LONGEST = 200
"""Characters of a text that are shown."""

_PLAIN = re.compile(r"(?! )(?:[\w .,:;=/()\[\]+*%'\"?!#@~^…-]|[<>]=)+(?<! )")
"""What no Markdown and no template language gives a meaning to inside a code span."""


def markdown(reports: Sequence[tuple[str, Report]], title: str | None = None) -> str:
    """Write named reports as one page; with a title, or more than one of them, an overview comes first."""
    blocks = [block for name, report in reports for block in _section(name, report)]
    if title is not None or len(reports) != 1:
        blocks = [*_overview(reports, title), *blocks]
    return "\n\n".join(blocks) + "\n"


def code(text: str) -> str:
    """Write text from data so that it shows as it is, and does nothing else."""
    line = clean(text)
    line = line if len(line) <= LONGEST else line[: LONGEST - 1] + "…"
    if _PLAIN.fullmatch(line) and "##[" not in line:  # which is a command to a runner, in a printed page
        return f"`{line}`"
    return _html(line)


def table(heads: Sequence[str], rows: Iterable[Sequence[str]], *, right: bool = False) -> str:
    """Write a table of cells that are Markdown; to the right, where all but the first are numbers."""
    rule = ["---", *("--:" if right else "---" for _ in heads[1:])]
    return "\n".join("| " + " | ".join(line) + " |" for line in [heads, rule, *rows])


def _overview(reports: Sequence[tuple[str, Report]], title: str | None) -> Iterator[str]:
    if title is not None:
        yield f"# {title}"
    short = [(name, gate) for name, report in reports for gate in report.shortfalls]
    if short:
        yield table(("audit", *_GATE), [(code(name), *_gate(gate)) for name, gate in short])
    rows = [(code(name), verdict(report.body, code)) for name, report in reports]
    yield table(("audit", "verdict"), rows)


def _section(name: str, report: Report) -> Iterator[str]:
    yield f"## {code(name)}: {verdict(report.body, code)}"
    gates = sorted(report.gates, key=lambda gate: bool(gate["status"] == "passed"))
    if gates:
        yield table(_GATE, map(_gate, gates))
    if report.warnings:
        yield "\n".join(f"- warning: {code(warning)}" for warning in report.warnings)
    rows = [tuple(map(_cell, line)) for line in scalars(report.result, report.undefined)]
    yield table(("measure", "value", "interval"), rows, right=True)
    omitted = report.result.get("omitted", {})
    for key, value in report.result.items():
        if is_table(value):
            yield from _rows(key, value, omitted.get(key, 0))
    for part in report.slices:
        yield from _slices(part)


_GATE = ("status", "gate", "")
STATUSES = ("passed", "failed", "undefined")


def _gate(gate: Mapping[str, Any]) -> tuple[str, str, str]:
    status = gate["status"] if gate["status"] in STATUSES else code(gate["status"])
    return status if status == "passed" else f"**{status}**", code(gate["gate"]), code(gate["message"])


def _rows(name: str, rows: Sequence[Mapping[str, Any]], omitted: int) -> Iterator[str]:
    heads = columns(rows[0], lists=True)
    shown = [[_cell(cell(row.get(head))) for head in heads] for row in rows[:SHOWN]]
    yield _folded(name, table([_cell(head) for head in heads], shown, right=True))
    if left := len(rows) - len(shown):
        yield f"{left} more rows are in the JSON report."
    if omitted:
        yield f"{_cell(cell(omitted))} more rows are beyond the limit of the table."


def _slices(part: Mapping[str, Any]) -> Iterator[str]:
    yield f"### Slices by {code(part['field'])}"
    slices = part["slices"]
    if slices:
        heads = columns(slices[0]["result"], lists=False)
        shown = [
            [
                code(UNLABELLED if one["value"] is None else one["value"]),
                *(_cell(cell(one["result"].get(head))) for head in heads),
            ]
            for one in slices[:SHOWN]
        ]
        yield table([code(part["field"]), *map(_cell, heads)], shown, right=True)
        if left := len(slices) - len(shown):
            yield f"{left} more slices are in the JSON report."
    if part["omitted_slices"]:
        count, records = part["omitted_slices"], part["omitted_records"]
        yield f"{count} smaller slices are left out, with {records} records in all."


def _cell(text: str) -> str:
    """Write a cell: numbers as they are, anything else as code."""
    return (
        text
        if not text or re.fullmatch(r"-?[\d.]+(?:e[+-]?\d+)?(?: to -?[\d.]+(?:e[+-]?\d+)?)?", text)
        else code(text)
    )


def _folded(name: str, inside: str) -> str:
    """Fold a block away under its name, which stands in HTML, where backticks mean nothing."""
    return f"<details><summary>{_html(clean(name))}</summary>\n\n{inside}\n\n</details>"


def _html(line: str) -> str:
    """Write what no code span may hold; between tags all but plain characters would be read as Markdown.

    An address of mail is told by the text around its @, however that is written: tags part them.
    """
    text = "".join(c if c.isalnum() or c in " ,-…" else f"&#{ord(c)};" for c in line)
    return f"<code>{text}</code>".replace("&#64;", "&#64;</code><code>")
