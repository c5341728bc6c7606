"""Baselines: an earlier report of the same audit, that gates are relative to; and how two reports differ.

A baseline is a report like any other, whole and with its own digest. A run that is given one states its
audit, revision and digest in the body, so that verifying finds a baseline that was swapped. What it states
is taken as the shortest decimal of each float64, the digits that stand in its file.
"""

import os
from collections.abc import Mapping
from fractions import Fraction
from typing import Any, Literal

import msgspec
from msgspec import Struct

from .audits import AUDITS, find
from .errors import ReportError, UsageError
from .gate import Gate
from .measure import Measure, measures, tables
from .report import Report, digest, file_bytes, guard, is_report, read, write
from .whole import checked, whole

Change = Literal["better", "worse", "changed", "same", "undefined"]

TABLE_LIMITS = ("max_rows", "max_details", "max_curve_points")
"""Options that say how much of a table is kept, and shape no number."""


class Baseline(Struct, frozen=True):
    """A whole, true report of an audit, as later ones of the same audit and revision look back at it."""

    body: dict[str, Any]
    result: type[Struct]
    """The audit's result type, which says in which table a row is looked for."""

    def value(self, gate: Gate) -> float | None:
        """Give the number that a gate on the whole or on a row speaks of; None where there is none."""
        found: Any = None
        if gate.key is None:
            found = self.body["result"].get(gate.measure)
        elif row := self._row(gate.measure, gate.key):
            found = row.get(gate.measure)
        return found if type(found) in (int, float) else None

    def slices(self, field: str) -> Mapping[str | None, Mapping[str, Any]]:
        """Give the results of the slices by a field, by its values."""
        parts = [part for part in self.body["slices"] if part["field"] == field]
        return {one["value"]: one["result"] for part in parts for one in part["slices"]}

    def stated(self) -> dict[str, Any]:
        """Give what the body of a later report says of it."""
        return {key: self.body[key] for key in ("audit", "revision")} | {"digest": digest(self.body)}

    def warnings(self, body: Mapping[str, Any]) -> list[str]:
        """Say how the settings and the records of a later report's body differ from its own."""
        return _unlike(self.body, body, "the baseline", "this run")

    def _row(self, measure: str, key: str) -> Mapping[str, Any] | None:
        for name, (_, row) in tables(self.result).items():
            if (declared := measures(row).get(measure)) and declared.better:
                first = msgspec.structs.fields(row)[0].name
                for held in self.body["result"].get(name) or ():
                    if isinstance(held, dict) and str(held.get(first)) == key:
                        return held
        return None


class Line(Struct, frozen=True):
    """One measure in an old and a new report."""

    measure: str
    old: float | None
    new: float | None
    change: float | None
    verdict: Change


class Comparison(Struct, frozen=True):
    """How two reports of one audit differ, measure by measure."""

    audit: str
    measures: tuple[Line, ...]
    warnings: tuple[str, ...]


def against(source: "str | os.PathLike[str] | Report", audit: str) -> Baseline:
    """Take a report, or read one from a file, as the baseline of an audit.

    Raises
    ------
    ReportError
        Where it is not whole, its digest is not its own, or it is of another audit or revision.
    """
    if not isinstance(source, str | os.PathLike | Report):
        raise UsageError("against", f"expected a report or its file, got {type(source).__name__}")
    where = "baseline" if isinstance(source, Report) else os.fspath(source)
    body = checked(where, source.to_dict()) if isinstance(source, Report) else whole(source)
    chosen = find(audit)
    if body["audit"] != audit:
        raise ReportError(where, f"is a report of {body['audit']!r}, not of {audit!r}")
    if body["revision"] != chosen.revision:
        what = f"revision {body['revision']} of {audit}; this release computes revision {chosen.revision}"
        raise ReportError(where, what, "make the baseline again with this release")
    return Baseline(body, chosen.Result)


def bless(report: str | os.PathLike[str], path: str | os.PathLike[str]) -> None:
    """Write a report to the file that later runs take as their baseline.

    Raises
    ------
    ReportError
        Where it is not whole, its digest is not its own, or one of its gates did not pass.
    UsageError
        Where the file to write is the report itself.
    """
    where = os.fspath(report)
    held = read(report)
    body = checked(where, held)
    short = [gate["gate"] for gate in body["gates"] if gate["status"] != "passed"]
    if not body["passed"] or (short and "verdict" not in body):
        hint = "bless a report whose gates passed, or one without gates"
        raise ReportError(where, f"did not pass: {', '.join(short) or 'it says so'}", hint)
    guard(path, [where], "--as")
    if os.path.isfile(path) and not is_report(path):
        raise UsageError("--as", f"{os.fspath(path)!r} exists and is no report", "name another file")
    write(path, file_bytes(held))


def compare(
    old: str | os.PathLike[str], new: str | os.PathLike[str], *, different_data: bool = False
) -> Comparison:
    """Compare two reports of the same audit and revision, on the same inputs unless told otherwise.

    Raises
    ------
    ReportError
        Where one is not whole, or they are not comparable.
    """
    first, second = whole(old), whole(new)
    where = f"{os.fspath(old)}, {os.fspath(new)}"
    for key in ("audit", "revision"):
        if first[key] != second[key]:
            raise ReportError(where, f"are of different {key}s: {first[key]!r} and {second[key]!r}")
    if first["audit"] not in AUDITS:
        raise ReportError(where, f"are of an audit that this release does not know: {first['audit']!r}")
    if not (different_data or _same_data(first, second)):
        hint = "--allow-different-data compares them all the same"
        raise ReportError(where, "are not known to be of the same inputs: their digests differ", hint)
    declared = measures(find(first["audit"]).Result)
    lines = [_line(n, m, first["result"].get(n), second["result"].get(n)) for n, m in declared.items()]
    warnings = _unlike(first, second, "the old report", "the new one")
    return Comparison(first["audit"], tuple(lines), tuple(warnings))


def _line(name: str, measure: Measure, old: Any, new: Any) -> Line:
    """Compare one measure, by the decimals that the reports state."""
    before, after = (value if type(value) in (int, float) else None for value in (old, new))
    if before is None or after is None:
        return Line(name, before, after, None, "undefined")
    change = Fraction(repr(after)) - Fraction(repr(before))
    verdict: Change = "same"
    if change:
        sides: dict[bool, Change] = {True: "better", False: "worse"}
        verdict = sides[(change > 0) == (measure.better == "higher")] if measure.better else "changed"
    counts = isinstance(before, int) and isinstance(after, int)
    return Line(name, before, after, int(change) if counts else float(change), verdict)


def _same_data(first: Mapping[str, Any], second: Mapping[str, Any]) -> bool:
    """Whether two bodies name the same inputs, all of them by digest."""
    digests = [[(one["input"], one["sha256"]) for one in body["inputs"]] for body in (first, second)]
    return digests[0] == digests[1] and all(digest is not None for _, digest in digests[0])


def _unlike(first: Mapping[str, Any], second: Mapping[str, Any], one: str, other: str) -> list[str]:
    """Say in which settings that shape numbers, and in how many records, two bodies of an audit differ."""
    said = []
    for name in find(first["audit"]).Options.__struct_fields__:
        values = [body["options"].get(name) for body in (first, second)]
        if values[0] != values[1] and name not in TABLE_LIMITS:
            said.append(f"{name} is {values[0]} in {one}, and {values[1]} in {other}")
    counts = [body["result"].get("records") for body in (first, second)]
    if counts[0] != counts[1]:
        said.append(f"{one} is of {counts[0]} records, {other} of {counts[1]}")
    return said
