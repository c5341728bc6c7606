"""What a page shows of a report, parted into what templates lay out, in the order in which they do.

Here nothing is escaped, for templates escape everything; and templates decide nothing.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from msgspec import NODEFAULT, Struct
from msgspec.structs import replace

from ...gate import UNLABELLED
from ...report import Report, verdict
from ..layout import SHOWN, cell, columns, is_table, scalars
from .curve import Curve, curves
from .table import Cell, Columns, Grid, columns_of, grid, more

if TYPE_CHECKING:
    from ...glossary import Glossary, Term
    from ..charts import Plot

DRAWN_FROM = {
    "threshold": ("curve",),
    "risk-coverage": ("curve",),
    "choice-threshold": ("choice-curve",),
    "yes-no-threshold": ("yes-no-curve",),
    "drift": ("shifts", "per-label"),
    "scores": ("details",),
}
"""The tables behind plots that do not bear their names, as hyphened; what has none shows measures."""

STATUSES = ("passed", "failed", "undefined")


class Line(Struct, frozen=True):
    """One measure, with what it means."""

    name: str
    shown: str
    exact: str
    interval: str
    why: str
    """Why it is undefined; empty where it is not."""
    term: "Term | None"


class Setting(Struct, frozen=True):
    """One option or setting."""

    name: str
    value: str
    given: bool
    """Whether it is known to differ from what it is where it is not given."""
    about: str


class Figure(Struct, frozen=True):
    """One plot, and the id of the table that it was drawn from."""

    plot: "Plot"
    svg: str
    table: str


class Verdict(Struct, frozen=True):
    """The verdict: its word, what is said beside it, and its status."""

    word: str
    said: str
    status: str


class Section(Struct, frozen=True):
    """All that a page shows of one report."""

    id: str
    name: str
    report: Report
    verdict: Verdict
    glossary: "Glossary | None"
    gates: Grid | None
    measures: list[Line]
    curves: list[tuple[Curve, Grid]]
    figures: list[Figure]
    tables: list[Grid]
    slices: list[Grid]
    settings: list[Setting]
    judged: Grid | None
    inputs: Grid

    @property
    def parts(self) -> list[tuple[str, str]]:
        """The id and the heading of each part that it has."""
        held = (
            ("gates", "Gates", self.gates),
            ("measures", "Measures", self.measures),
            ("thresholds", "Thresholds", self.curves),
            ("plots", "Plots", self.figures),
            ("tables", "Tables", self.tables),
            ("slices", "Slices", self.slices),
            ("settings", "Settings", self.settings),
            ("evidence", "Evidence", self.inputs),
        )
        return [(self.id + key, title) for key, title, there in held if there]


def section(
    id: str,  # noqa: A002
    name: str,
    report: Report,
    glossary: "Glossary | None",
    drawn: "Sequence[tuple[Plot, str]]",
    most: int,
) -> Section:
    """Part a report.

    Parameters
    ----------
    id
        What the ids of all that is in the section start with.
    name, report, glossary
        The report, what it is called, and what its words mean, if that is known.
    drawn
        Its plots, each with its SVG.
    most
        How many rows of a table are folded away below those that are shown, at most.
    """
    tables = {one.name: one for one in _tables(id, report, glossary, most)}
    slices = [_slices(f"{id}slices-{place}", part, most) for place, part in enumerate(report.slices, 1)]
    found = [(curve, tables.pop(curve.table)) for curve in curves(report)]
    behind = {one.name.replace("_", "-"): one.id for one in [*tables.values(), *(one for _, one in found)]}
    behind |= {f"slices-{one.name}": one.id for one in slices}
    return Section(
        id=id,
        name=name,
        report=report,
        verdict=stated(report),
        glossary=glossary,
        gates=_gates(f"{id}gates-table", report, most),
        measures=list(_measures(report, glossary)),
        curves=found,
        figures=[Figure(plot, svg, _behind(plot.name, behind, f"{id}measures")) for plot, svg in drawn],
        tables=list(tables.values()),
        slices=slices,
        settings=list(_settings(report, glossary)),
        judged=_judged(f"{id}judged-table", report, most),
        inputs=_inputs(f"{id}inputs-table", report, most),
    )


def _behind(plot: str, tables: Mapping[str, str], otherwise: str) -> str:
    """Find the table that a plot was drawn from: it bears the table's name or starts with it, or is known."""
    for name in (plot, *DRAWN_FROM.get(plot, ())):
        if found := [table for table in tables if name == table or name.startswith(f"{table}-")]:
            return tables[max(found, key=len)]
    return otherwise


def stated(report: Report) -> Verdict:
    """Give the verdict on a report."""
    word, _, said = verdict(report.body).partition(" (")
    if not report.gates:
        return Verdict("Not judged", "no gates were asked for", "none")
    return Verdict(word, said.removesuffix(")"), "passed" if report.passed else "failed")


def gates_table(id: str, named: Iterable[tuple[str, Mapping[str, Any]]], most: int) -> Grid:  # noqa: A002
    """Lay out gates, each with the name of its audit, or without where that is empty."""
    listed = list(named)
    audits = [Cell("audit")] if any(name for name, _ in listed) else []
    kept = listed[: SHOWN + most]
    lines = [
        [
            _status(gate["status"]),
            *([Cell(name)] if audits else []),
            Cell(gate["gate"], name=True),
            Cell(gate["message"]),
        ]
        for name, gate in kept
    ]
    heads = [Cell("status"), *audits, Cell("gate"), Cell("finding")]
    return replace(grid(id, "gates", Columns(heads, lines, len(listed))), stacked=True)


def _status(word: str) -> Cell:
    return Cell(word, status=word if word in STATUSES else "undefined")


def _gates(id: str, report: Report, most: int) -> Grid | None:  # noqa: A002
    """Lay out the gates, those that did not pass first."""
    gates = sorted(report.gates, key=lambda gate: bool(gate["status"] == "passed"))
    return gates_table(id, [("", gate) for gate in gates], most) if gates else None


def _judged(id: str, report: Report, most: int) -> Grid | None:  # noqa: A002
    """Lay out the limits of gates and what was judged by them, to the last digit."""
    if not report.gates:
        return None
    heads = [Cell("gate"), Cell("limit", numeric=True), Cell("actual", numeric=True)]
    lines = [
        [
            Cell(gate["gate"], name=True),
            *(Cell(_exact(gate[key]), numeric=True) for key in ("limit", "actual")),
        ]
        for gate in report.gates[: SHOWN + most]
    ]
    return grid(id, "gates as judged", Columns(heads, lines, len(report.gates)))


def _measures(report: Report, glossary: "Glossary | None") -> Iterator[Line]:
    terms = glossary.measures if glossary else {}
    for name, shown, interval in scalars(report.result, report.undefined):
        value = report.result[name]
        why = report.undefined.get(name, "") if value is None else ""
        text = shown if value is not None else "undefined"
        exact = _exact(value) if isinstance(value, float) else ""
        yield Line(name, text, exact, interval, why, terms.get(name))


def _tables(id: str, report: Report, glossary: "Glossary | None", most: int) -> Iterator[Grid]:  # noqa: A002
    """Lay out each table that has rows."""
    sheets = glossary.tables if glossary else {}
    omitted = report.result.get("omitted", {})
    held = [(name, rows) for name, rows in report.result.items() if is_table(rows)]
    for place, (name, rows) in enumerate(held, 1):
        beyond = omitted.get(name, 0)
        sheet = sheets.get(name)
        yield grid(
            f"{id}table-{place}",
            name,
            columns_of(columns(rows[0], lists=True), rows, most),
            notes=[f"{more(beyond, 'row')} beyond the limit of the table."] if beyond else [],
            about=sheet.about if sheet else "",
            terms=sheet.columns if sheet else {},
        )


def _slices(id: str, part: Mapping[str, Any], most: int) -> Grid:  # noqa: A002
    """Lay out the slices by one field."""
    field, slices = part["field"], part["slices"]
    results = [one["result"] for one in slices]
    held = columns_of(columns(results[0], lists=False) if results else [], results, most)
    notes = []
    if count := part["omitted_slices"]:
        notes.append(
            f"{more(count, 'smaller slice')} left out, with {part['omitted_records']} records in all."
        )
    values = [UNLABELLED if one["value"] is None else cell(one["value"]) for one in slices]
    lines = [[Cell(value), *line] for value, line in zip(values, held.lines, strict=False)]
    return grid(id, field, Columns([Cell(field), *held.heads], lines, held.total), notes)


def _settings(report: Report, glossary: "Glossary | None") -> Iterator[Setting]:
    known = glossary.settings if glossary else {}
    for name, value in report.options.items():
        declared = known.get(name)
        given = declared is not None and (declared.default is NODEFAULT or value != declared.default)
        yield Setting(name, _value(value), given, declared.about if declared else "")


def _inputs(id: str, report: Report, most: int) -> Grid:  # noqa: A002
    """Lay out the inputs, each with its file where the report tells which that is."""
    files = report.produced.get("files")
    named = isinstance(files, list) and len(files) == len(report.inputs)
    names = [str(name) for name in files] if isinstance(files, list) and named else []
    heads = [
        Cell("input"),
        *([Cell("file")] if named else []),
        Cell("SHA-256"),
        *(Cell(head, numeric=True) for head in ("bytes", "records", "blank lines")),
    ]
    lines = [
        [
            Cell(one["input"]),
            *([Cell(names[place])] if named else []),
            Cell(one["sha256"] or "none: not a file", code=one["sha256"] is not None),
            *(Cell(cell(one.get(key)) if one.get(key) is not None else "", numeric=True) for key in _COUNTS),
        ]
        for place, one in enumerate(report.inputs[: SHOWN + most])
    ]
    return grid(id, "inputs", Columns(heads, lines, len(report.inputs)))


_COUNTS = ("bytes", "records", "blank_lines")


def _exact(value: float | None) -> str:
    return "undefined" if value is None else repr(value)


def _value(value: Any) -> str:
    """Write the value of an option."""
    if isinstance(value, dict):
        value = [f"{key}={item}" for key, item in value.items()]
    if value is None or value == []:
        return "none"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return cell(value) if isinstance(value, list | str) else str(value)
