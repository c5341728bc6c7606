"""What a page shows of a report, parted into what templates lay out, in the order in which they do.

Here nothing is escaped, for templates escape everything; and templates decide nothing.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from msgspec import NODEFAULT, Struct

from ...gate import UNLABELLED
from ...report import Report, verdict
from ..layout import SHOWN, cell, columns, is_table, number, scalars
from .curve import Curve, curves

if TYPE_CHECKING:
    from ...glossary import Glossary, Term
    from ..charts import Plot

STATUSES = ("passed", "failed", "undefined")


class Cell(Struct, frozen=True):
    """One cell of a table."""

    text: str
    numeric: bool = False
    interval: str = ""
    status: str = ""
    code: bool = False


class Grid(Struct, frozen=True):
    """One table: the rows that are shown, those that are folded away, and what to say of the rest."""

    id: str
    name: str
    heads: list[Cell]
    shown: list[list[Cell]]
    folded: list[list[Cell]]
    notes: list[str]
    about: str = ""
    terms: "Mapping[str, Term]" = {}
    total: int = 0
    """Rows of the table in the report."""

    @property
    def extent(self) -> str:
        """Which rows are shown."""
        if self.total == len(self.shown):
            return f"{self.total} row{'s' if self.total != 1 else ''}"
        return f"rows 1 to {len(self.shown)} of {self.total}"

    @property
    def rest(self) -> str:
        """Which rows are folded away."""
        return f"rows {len(self.shown) + 1} to {len(self.shown) + len(self.folded)} of {self.total}"


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
    """One plot, and the id of the table that it was drawn from, where that is on the page."""

    plot: "Plot"
    svg: str
    table: str | None


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
    tables = {grid.name: grid for grid in _tables(id, report, glossary, most)}
    slices = [_slices(f"{id}slices-{place}", part, most) for place, part in enumerate(report.slices, 1)]
    found = [(curve, tables.pop(curve.table)) for curve in curves(report)]
    grids = {**tables, **{grid.name: grid for _, grid in found}}
    behind = {name.replace("_", "-"): grid.id for name, grid in grids.items()}
    behind |= {f"slices-{grid.name}": grid.id for grid in slices}
    return Section(
        id=id,
        name=name,
        report=report,
        verdict=stated(report),
        glossary=glossary,
        gates=_gates(f"{id}gates-table", report, most),
        measures=list(_measures(report, glossary)),
        curves=found,
        figures=[Figure(plot, svg, behind.get(plot.name)) for plot, svg in drawn],
        tables=list(tables.values()),
        slices=slices,
        settings=list(_settings(report, glossary)),
        judged=_judged(f"{id}judged-table", report, most),
        inputs=_inputs(f"{id}inputs-table", report, most),
    )


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
    lines = [
        [
            _status(gate["status"]),
            *([Cell(name)] if audits else []),
            Cell(gate["gate"]),
            Cell(gate["message"]),
        ]
        for name, gate in listed
    ]
    return _grid(id, "gates", [Cell("status"), *audits, Cell("gate"), Cell("finding")], lines, most)


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
        [Cell(gate["gate"]), *(Cell(_exact(gate[key]), numeric=True) for key in ("limit", "actual"))]
        for gate in report.gates
    ]
    return _grid(id, "gates as judged", heads, lines, most)


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
        yield _grid(
            f"{id}table-{place}",
            name,
            *_rows(columns(rows[0], lists=True), rows),
            most,
            notes=[f"{_more(beyond, 'row')} beyond the limit of the table."] if beyond else [],
            about=sheet.about if sheet else "",
            terms=sheet.columns if sheet else {},
        )


def _slices(id: str, part: Mapping[str, Any], most: int) -> Grid:  # noqa: A002
    """Lay out the slices by one field."""
    field, slices = part["field"], part["slices"]
    results = [one["result"] for one in slices]
    heads, lines = _rows(columns(results[0], lists=False), results) if results else ([], [])
    values = [Cell(UNLABELLED if one["value"] is None else cell(one["value"])) for one in slices]
    notes = []
    if count := part["omitted_slices"]:
        notes.append(
            f"{_more(count, 'smaller slice')} left out, with {part['omitted_records']} records in all."
        )
    lines = [[value, *line] for value, line in zip(values, lines, strict=True)]
    return _grid(id, field, [Cell(field), *heads], lines, most, notes=notes)


def _rows(heads: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> tuple[list[Cell], list[list[Cell]]]:
    """Make cells of rows: numbers to the right, with their interval where there is one."""
    numeric = {head for head in heads if all(_is_number(row.get(head)) for row in rows)}
    lines = [
        [Cell(cell(row.get(head)), head in numeric, _interval(row, head)) for head in heads] for row in rows
    ]
    return [Cell(head, head in numeric) for head in heads], lines


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
        for place, one in enumerate(report.inputs)
    ]
    return _grid(id, "inputs", heads, lines, most)


_COUNTS = ("bytes", "records", "blank_lines")


def _grid(
    id: str,  # noqa: A002
    name: str,
    heads: list[Cell],
    lines: list[list[Cell]],
    most: int,
    *,
    notes: Sequence[str] = (),
    about: str = "",
    terms: "Mapping[str, Term] | None" = None,
) -> Grid:
    """Fold away what is too much to show, and say what is not on the page."""
    rest = lines[SHOWN:]
    left = len(rest) - most
    said = [f"{_more(left, 'row')} in the JSON report."] if left > 0 else []
    known = terms or {}
    used = {head.text: known[head.text] for head in heads if head.text in known}
    return Grid(id, name, heads, lines[:SHOWN], rest[:most], [*said, *notes], about, used, len(lines))


def _more(count: int, of: str) -> str:
    return f"1 more {of} is" if count == 1 else f"{count} more {of}s are"


def _interval(row: Mapping[str, Any], name: str) -> str:
    low, high = row.get(f"{name}_low"), row.get(f"{name}_high")
    return f"{number(low)} to {number(high)}" if low is not None and high is not None else ""


def _is_number(value: Any) -> bool:
    return value is None or (isinstance(value, int | float) and not isinstance(value, bool))


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
