"""A report for the terminal: the verdict and the failed gates first, the verdict again on the last line."""

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from ..baseline import Comparison
from ..gate import UNLABELLED, parse
from ..report import Report, SuiteReport, verdict
from .diagram import diagrams, is_drawn
from .grid import Column, Grid, Hanging
from .layout import SHOWN, cell, clean, columns, is_table, label, number, scalars
from .paper import Group, Laid, Text

if TYPE_CHECKING:
    from ..verify import Verification

_STYLES = {"passed": "green", "failed": "bold red", "undefined": "bold yellow"}


def text(report: Report, *, plain: bool = False) -> Group:
    """Lay a report out. `plain` draws with ASCII alone, and no lines in tables."""
    return Group(*_parts(report, plain=plain))


def suite(made: SuiteReport) -> Group:
    """Lay out a suite: the verdict, every gate that did not pass, every audit, and the verdict again."""
    return Group(*_suite(made))


def _suite(made: SuiteReport) -> Iterator[Laid]:
    style = "bold green" if made.passed else "bold red"
    count = len(made.reports)
    yield Text(f"{made.verdict} ({count} audit{'s' if count != 1 else ''})", style)
    for name, report in made.reports.items():
        for gate in report.shortfalls:
            yield _gate(gate, f"{clean(name)}: ")
    yield Text()
    for name, report in made.reports.items():
        style = "bold" if not report.gates else "green" if report.passed else "red"
        only = " on the number of records only" if _counts_only(report) else ""
        yield Text(f"{clean(name)}: {verdict(report.body)}{only}", style)
        yield from _warnings(report.warnings)
    yield Text()
    yield Text(made.verdict, "bold green" if made.passed else "bold red")


def comparison(found: Comparison, *, plain: bool = False) -> Group:
    """Lay out how two reports differ: a line for each measure, and what else is not the same."""
    styles = {"better": "green", "worse": "bold red"}
    rows = []
    for line in found.measures:
        change = "" if line.change is None else f"{'+' if line.change > 0 else ''}{number(line.change)}"
        cells = [Text(clean(text)) for text in (line.measure, number(line.old), number(line.new), change)]
        rows.append([*cells, Text(line.verdict, styles.get(line.verdict, ""))])
    columns = [
        Column("measure", least=12),
        *(Column(head, right=True) for head in ("old", "new", "change")),
        Column(""),
    ]
    count = [sum(line.verdict == word for line in found.measures) for word in ("better", "worse")]
    return Group(
        Grid(columns, rows, plain=plain, turns=False),
        *_warnings(found.warnings),
        Text(f"{clean(found.audit)}: {count[0]} better, {count[1]} worse", "bold"),
    )


def _counts_only(report: Report) -> bool:
    """Whether gates say nothing of quality."""
    return {gate["measure"] for gate in report.gates} == {"records"}


def verification(outcome: "Verification") -> Group:
    """Lay out a verification: each step, each difference with its path, and the count on the last line."""
    return Group(*_steps(outcome))


def _steps(outcome: "Verification") -> Iterator[Laid]:
    for step in outcome.steps:
        same = not step.differences
        said = "same" if same else f"{len(step.differences)} differ"
        yield Text(f"{clean(step.name)}: {step.checks} checked, {said}", "green" if same else "bold red")
        for difference in step.differences[:SHOWN]:
            yield Hanging(clean(str(difference)))
        if len(step.differences) > SHOWN:
            yield Hanging(f"and {len(step.differences) - SHOWN} more", "dim")
        if step.hint:
            yield Hanging(f"hint: {clean(step.hint)}", "yellow")
    count = len(outcome.differences)
    summary = f"{outcome.checks} checks, {count} difference{'s' if count != 1 else ''}"
    yield Text(summary, "bold red" if count else "bold green")


def _parts(report: Report, *, plain: bool) -> Iterator[Laid]:
    yield _verdict(report)
    yield from [_contest(report, plain=plain)] if "verdict" in report.body else _gates(report)
    yield from _warnings(report.warnings)
    yield Text()
    yield _measures(report, plain=plain)
    tables = {name: rows for name, rows in report.result.items() if is_table(rows)}
    for name in filter(lambda name: is_drawn(tables[name]), tables):
        yield from diagrams(name, tables[name], plain=plain)
    for name in filter(lambda name: not is_drawn(tables[name]), tables):
        yield from _rows(name, tables[name], report.result.get("omitted", {}).get(name, 0), plain=plain)
    for part in report.slices:
        yield from _slices(part, plain=plain)
    yield Text()
    yield _verdict(report)


def _verdict(report: Report) -> Text:
    style = "bold" if not report.gates else "bold green" if report.passed else "bold red"
    return Text(f"{clean(report.audit)}: {verdict(report.body)}", style)


def _gates(report: Report) -> Iterator[Laid]:
    """Give a line for each gate, those that did not pass first."""
    for gate in sorted(report.gates, key=lambda gate: bool(gate["status"] == "passed")):
        yield _gate(gate)


def _gate(gate: Mapping[str, Any], of: str = "") -> Hanging:
    said = ": ".join(clean(gate[part]) for part in ("status", "gate", "message"))
    return Hanging(f"{of}{said}", _STYLES.get(gate["status"], ""))


def _warnings(warnings: Iterable[str]) -> Iterator[Laid]:
    for warning in warnings:
        yield Hanging(f"warning: {clean(warning)}", "yellow")


def _contest(report: Report, *, plain: bool) -> Grid:
    """Lay out how each competing row was judged: the gates of one row together, the preferred row first."""
    heads = [Column("candidate"), Column("gate", least=16), Column("value", right=True), Column("")]
    rows = []
    for gate in report.gates:
        judged, passed = parse(gate["gate"]), gate["status"] == "passed"
        limit = f"{judged.measure} {judged.operator} {judged.limit}"
        line = [judged.key or "all", limit, number(gate["actual"]), "", "" if passed else gate["message"]]
        cells = [Text(clean(text)) for text in line]
        cells[0] = Text(label(judged.key or "all", plain=plain))
        cells[3] = Text(clean(gate["status"]), _STYLES.get(gate["status"], ""))
        rows.append(cells)
    columns = [*heads, Column("why not", least=16)]
    return Grid(columns, rows, plain=plain, turns=False, otherwise=list(_gates(report)))


def _measures(report: Report, *, plain: bool) -> Grid:
    """Lay out each measure: a number with its interval, or why it has none."""
    rows = []
    for name, shown, interval in scalars(report.result, report.undefined, plain=plain):
        word, _, reason = shown.partition(": ") if report.result[name] is None else (shown, "", interval)
        rows.append([Text(clean(name)), Text(word), Text(reason)])
    return Grid(
        [Column("measure", least=12), Column("value", right=True), Column("interval", least=16)],
        rows,
        plain=plain,
        turns=False,
    )


def _rows(name: str, rows: list[dict[str, Any]], omitted: int, *, plain: bool) -> Iterator[Laid]:
    shown = _some(rows)
    heads = [
        head for head in columns(rows[0], lists=True) if any(row.get(head) not in ([], None) for row in shown)
    ]
    placed = [Column(clean(head), right=not isinstance(rows[0][head], str | list)) for head in heads]
    yield Text()
    yield Text(clean(name), "bold")
    yield Grid(
        placed, [[Text(cell(row.get(head), plain=plain)) for head in heads] for row in shown], plain=plain
    )
    if left := len(rows) - len(shown):
        yield Hanging(f"{left} more in the JSON report", "dim")
    if omitted:
        yield Hanging(f"{cell(omitted)} more beyond the limit of the table", "dim")


def _some(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Choose the rows to show: the first, but of a long curve eleven in equal steps."""
    if len(rows) <= SHOWN or next(iter(rows[0])) != "threshold":
        return rows[:SHOWN]
    return [rows[round(step * (len(rows) - 1) / 10)] for step in range(11)]


def _slices(part: dict[str, Any], *, plain: bool) -> Iterator[Laid]:
    yield Text()
    yield Text(f"slices by {clean(part['field'])}", "bold")
    slices = part["slices"]
    if slices:
        heads = columns(slices[0]["result"], lists=False)
        placed = [Column(clean(part["field"])), *(Column(clean(head), right=True) for head in heads)]
        rows = [
            [
                Text(UNLABELLED if one["value"] is None else label(one["value"], plain=plain)),
                *(Text(cell(one["result"][head], plain=plain)) for head in heads),
            ]
            for one in slices[:SHOWN]
        ]
        yield Grid(placed, rows, plain=plain)
        if len(slices) > SHOWN:
            yield Hanging(f"{len(slices) - SHOWN} more in the JSON report", "dim")
    if part["omitted_slices"]:
        count, records = part["omitted_slices"], part["omitted_records"]
        left = f"{count} smaller slice{'s' if count != 1 else ''} left out"
        yield Hanging(f"{left}, with {records} record{'s' if records != 1 else ''} in all", "dim")
