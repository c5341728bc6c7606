"""A report for the terminal: the verdict and the failed gates first, the verdict again on the last line."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from ..baseline import Comparison
from ..gate import UNLABELLED, parse
from ..report import Report, SuiteReport, verdict
from .layout import SHOWN, cell, clean, columns, is_table, number, scalars

if TYPE_CHECKING:
    from ..verify import Verification

WIDE = 12
"""Columns of a table beyond which it is laid on its side."""

_STYLES = {"passed": "green", "failed": "bold red", "undefined": "bold yellow"}


def text(report: Report, *, plain: bool = False) -> Group:
    """Lay a report out. `plain` leaves out lines drawn around tables."""
    return Group(*_parts(report, box.SIMPLE_HEAD if not plain else None))


def suite(made: SuiteReport) -> Group:
    """Lay out a suite: the verdict, every gate that did not pass, every audit, and the verdict again."""
    return Group(*_suite(made))


def _suite(made: SuiteReport) -> Iterator[RenderableType]:
    style = "bold green" if made.passed else "bold red"
    count = len(made.reports)
    yield Text(f"{made.verdict} ({count} audit{'s' if count != 1 else ''})", style)
    for name, report in made.reports.items():
        for gate in report.shortfalls:
            said = f"  {clean(name)}: {gate['status']}: {clean(gate['gate'])}: {clean(gate['message'])}"
            yield Text(said, _STYLES[gate["status"]])
    yield Text()
    for name, report in made.reports.items():
        style = "bold" if not report.gates else "green" if report.passed else "red"
        only = " on the number of records only" if _counts_only(report) else ""
        yield Text(f"{clean(name)}: {verdict(report.body)}{only}", style)
        for warning in report.warnings:
            yield Text(f"  warning: {clean(warning)}", "yellow")
    yield Text()
    yield Text(made.verdict, "bold green" if made.passed else "bold red")


def comparison(found: Comparison, *, plain: bool = False) -> Group:
    """Lay out how two reports differ: a line for each measure, and what else is not the same."""
    table = _table(
        ["measure", "old", "new", "change", ""], box.SIMPLE_HEAD if not plain else None, right=(1, 2, 3)
    )
    styles = {"better": "green", "worse": "bold red"}
    for line in found.measures:
        change = "" if line.change is None else f"{'+' if line.change > 0 else ''}{number(line.change)}"
        verdict = Text(line.verdict, styles.get(line.verdict, ""))
        table.add_row(line.measure, number(line.old), number(line.new), change, verdict)
    warnings = [Text(f"warning: {clean(warning)}", "yellow") for warning in found.warnings]
    count = [sum(line.verdict == word for line in found.measures) for word in ("better", "worse")]
    return Group(table, *warnings, Text(f"{found.audit}: {count[0]} better, {count[1]} worse", "bold"))


def _counts_only(report: Report) -> bool:
    """Whether gates say nothing of quality."""
    return {gate["measure"] for gate in report.gates} == {"records"}


def verification(outcome: "Verification") -> Group:
    """Lay out a verification: each step, each difference with its path, and the count on the last line."""
    return Group(*_steps(outcome))


def _steps(outcome: "Verification") -> Iterator[RenderableType]:
    for step in outcome.steps:
        same = not step.differences
        said = "same" if same else f"{len(step.differences)} differ"
        yield Text(f"{step.name}: {step.checks} checked, {said}", "green" if same else "bold red")
        for difference in step.differences[:SHOWN]:
            yield Text(f"  {clean(str(difference))}")
        if len(step.differences) > SHOWN:
            yield Text(f"  and {len(step.differences) - SHOWN} more", "dim")
        if step.hint:
            yield Text(f"  hint: {clean(step.hint)}", "yellow")
    count = len(outcome.differences)
    summary = f"{outcome.checks} checks, {count} difference{'s' if count != 1 else ''}"
    yield Text(summary, "bold red" if count else "bold green")


def _parts(report: Report, frame: box.Box | None) -> Iterator[RenderableType]:
    yield _verdict(report)
    yield from [_contest(report, frame)] if "verdict" in report.body else _gates(report)
    for warning in report.warnings:
        yield Text(f"  warning: {clean(warning)}", "yellow")
    yield Text()
    yield _measures(report, frame)
    for name, rows in report.result.items():
        if is_table(rows):
            yield Text()
            yield from _rows(name, rows, report.result.get("omitted", {}).get(name, 0), frame)
    for part in report.slices:
        yield Text()
        yield from _slices(part, frame)
    yield Text()
    yield _verdict(report)


def _verdict(report: Report) -> Text:
    style = "bold" if not report.gates else "bold green" if report.passed else "bold red"
    return Text(f"{report.audit}: {verdict(report.body)}", style)


def _gates(report: Report) -> Iterator[RenderableType]:
    """Give a line for each gate, those that did not pass first."""
    for gate in sorted(report.gates, key=lambda gate: bool(gate["status"] == "passed")):
        said = f"  {gate['status']}: {clean(gate['gate'])}: {clean(gate['message'])}"
        yield Text(said, _STYLES[gate["status"]])


def _contest(report: Report, frame: box.Box | None) -> Table:
    """Lay out how each competing row was judged: the gates of one row together, the preferred row first."""
    table = _table(["candidate", "gate", "value", "", "why not"], frame, right=(2,))
    for gate in report.gates:
        judged = parse(gate["gate"])
        limit = f"{judged.measure} {judged.operator} {judged.limit}"
        passed = gate["status"] == "passed"
        cells = (judged.key or "all", limit, number(gate["actual"]), "", "" if passed else gate["message"])
        line = [Text(clean(text)) for text in cells]
        line[3] = Text(gate["status"], _STYLES[gate["status"]])
        table.add_row(*line)
    return table


def _measures(report: Report, frame: box.Box | None) -> Table:
    table = _table(["measure", "value", "interval"], frame, right=(1, 2))
    for name, shown, interval in scalars(report.result, report.undefined):
        table.add_row(name, Text(shown), interval)
    return table


def _rows(
    name: str, rows: list[dict[str, Any]], omitted: int, frame: box.Box | None
) -> Iterable[RenderableType]:
    heads = columns(rows[0], lists=True)
    numeric = tuple(i for i, key in enumerate(heads) if not isinstance(rows[0][key], str | list))
    yield Text(name, "bold")
    if len(heads) > WIDE:
        yield _turned(heads, rows[:SHOWN], frame)
    else:
        table = _table(heads, frame, right=numeric)
        for row in rows[:SHOWN]:
            table.add_row(*(Text(cell(row[key])) for key in heads))
        yield table
    left = len(rows) - SHOWN if len(rows) > SHOWN else 0
    if left:
        yield Text(f"  {left} more in the JSON report", "dim")
    if omitted:
        yield Text(f"  {omitted} more beyond the limit of the table", "dim")


def _turned(heads: list[str], rows: list[dict[str, Any]], frame: box.Box | None) -> Table:
    """Lay a wide table on its side: a line a field."""
    first, *rest = heads
    table = _table([first, *(cell(row[first]) for row in rows)], frame, right=tuple(range(1, len(rows) + 1)))
    for head in rest:
        table.add_row(Text(head), *(Text(cell(row[head])) for row in rows))
    return table


def _slices(part: dict[str, Any], frame: box.Box | None) -> Iterator[RenderableType]:
    yield Text(f"slices by {clean(part['field'])}", "bold")
    if part["slices"]:
        first = part["slices"][0]["result"]
        heads = columns(first, lists=False)
        table = _table([part["field"], *heads], frame, right=tuple(range(1, len(heads) + 1)))
        for one in part["slices"][:SHOWN]:
            table.add_row(
                clean(UNLABELLED if one["value"] is None else one["value"]),
                *(Text(cell(one["result"][head])) for head in heads),
            )
        yield table
        if len(part["slices"]) > SHOWN:
            yield Text(f"  {len(part['slices']) - SHOWN} more in the JSON report", "dim")
    if part["omitted_slices"]:
        count, records = part["omitted_slices"], part["omitted_records"]
        yield Text(f"  {count} smaller slices left out, with {records} records in all", "dim")


def _table(heads: list[str], frame: box.Box | None, right: tuple[int, ...]) -> Table:
    table = Table(box=frame, pad_edge=False, show_edge=False, header_style="bold")
    for place, head in enumerate(heads):
        table.add_column(Text(clean(head)), justify="right" if place in right else "left", overflow="fold")
    return table
