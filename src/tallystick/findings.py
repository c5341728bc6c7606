"""From tallies to findings: finish, leave out small slices, judge, round.

Findings are the part of a report that depends on the records alone: `result`, `slices`, `undefined`,
`gates`, `passed`, `warnings`. Here every number is rounded, once.
"""

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import msgspec
from msgspec import Struct

from . import contest, gate
from .audit import Sliced, in_order
from .gate import UNLABELLED, Earlier, Gate, Judged
from .measure import Rows, competitors, measures, tables

FEW = 30
"""Fewer records than this, or whatever else a measure is made of, carry a warning."""


def findings(
    state: Sliced,
    options: Struct,
    min_slice_count: int,
    gates: Iterable[Gate],
    baseline: Earlier | None = None,
) -> dict[str, Any]:
    """Make the findings of a run from its tallies."""
    limits = {name: getattr(options, name, None) for name in ("max_rows", "max_details", "max_curve_points")}
    overall = state.overall.finish()
    undefined: dict[str, str] = {}
    result = _result(overall, limits, undefined, "")
    kept: dict[str, dict[str | None, Any]] = {}
    slices = []
    for field, audits in state.slices.items():
        if list(audits) == [None]:
            continue
        results = {value: audits[value].finish() for value in in_order(audits)}
        kept[field] = {v: r for v, r in results.items() if r.records >= min_slice_count}
        omitted = [r.records for v, r in results.items() if v not in kept[field]]
        rows = [_slice(field, value, r, limits, undefined) for value, r in kept[field].items()]
        slices.append(
            {"field": field, "slices": rows, "omitted_slices": len(omitted), "omitted_records": sum(omitted)}
        )
    too_small = {part["field"]: part["omitted_slices"] for part in slices}
    return {
        "result": result,
        "slices": slices,
        "undefined": undefined,
        **_judgement(gates, Judged(overall, kept, too_small, baseline)),
        "warnings": _warnings(overall, kept) + state.overall.warnings(overall),
    }


def _judgement(gates: Iterable[Gate], judged: Judged) -> dict[str, Any]:
    """Judge all gates; where rows compete, give the verdict and the row that is recommended too."""
    if (competing := competitors(type(judged.result))) is None:
        outcomes = [gate.judge(one, judged) for one in gates]
        passed, verdict = all(outcome.passed for outcome in outcomes), {}
    else:
        outcomes, recommended = msgspec.structs.astuple(contest.judge(gates, judged, *competing))
        passed = recommended is not None
        verdict = {"verdict": "GO" if passed else "BLOCKED", "recommended": recommended}
    return {"gates": [msgspec.to_builtins(outcome) for outcome in outcomes], "passed": passed, **verdict}


def _slice(
    field: str, value: str | None, result: Struct, limits: dict[str, int | None], undefined: dict[str, str]
) -> dict[str, Any]:
    place = f"[{gate.spell(field)}={gate.spell(UNLABELLED if value is None else value)}]"
    return {"value": value, "result": _result(result, limits, undefined, place, details=False)}


def _result(
    result: Struct,
    limits: dict[str, int | None],
    undefined: dict[str, str],
    place: str,
    *,
    details: bool = True,
) -> dict[str, Any]:
    """Round a result, cut its tables, and note why each null is one."""
    declared, listed = measures(type(result)), tables(type(result))
    plain: dict[str, Any] = {}
    omitted: dict[str, int] = {}
    for name in type(result).__struct_fields__:
        value = getattr(result, name)
        if name not in listed:
            plain[name] = _round(value)
            if value is None and name in declared:
                undefined[name + place] = declared[name].why(result)
            continue
        table, _ = listed[name]
        if table.limit == "max_details" and not details:
            continue
        limit = limits[table.limit] if table.limit else None
        rows = value if limit is None else value[:limit]
        plain[name] = [_row(row, "" if place else name, undefined) for row in rows]
        if table.limit:
            before = value.omitted if isinstance(value, Rows) else 0
            omitted[name] = before + len(value) - len(rows)
    if omitted:
        plain["omitted"] = omitted
    return plain


def _row(row: Struct, table: str, undefined: dict[str, str]) -> dict[str, Any]:
    """Round a row; reasons are noted for the rows of the whole only, slices repeat them."""
    declared = measures(type(row))
    plain = {name: _round(getattr(row, name)) for name in row.__struct_fields__}
    if table:
        key = gate.spell(str(next(iter(plain.values()))))
        for name, value in plain.items():
            if value is None and name in declared:
                undefined[f"{name}[{key}]"] = declared[name].why(row)
    return plain


def _round(value: Any) -> Any:
    """Round an exact number to float64, the only time that happens to it."""
    if isinstance(value, Fraction | float):
        return float(value) + 0.0  # what is too small below 0 would be -0.0
    if isinstance(value, list | tuple):
        return [_round(item) for item in value]
    return value


def _small(holder: Struct, of: str = "") -> list[str]:
    """Say which samples of a result or row are small."""
    samples = {name: getattr(holder, name) for name, m in measures(type(holder)).items() if m.sample}
    small = [
        f"{name.replace('_', ' ')} ({count})"
        for name, count in samples.items()
        if count is not None and count < FEW
    ]
    return [f"{of}fewer than {FEW} {', '.join(small)}: numbers made of so few are uncertain"] if small else []


def _warnings(overall: Struct, kept: dict[str, dict[str | None, Any]]) -> list[str]:
    """Say where a sample is too small to lean on."""
    said = _small(overall)
    if competing := competitors(type(overall)):
        for row in getattr(overall, competing[0]):
            said += _small(row, f"{getattr(row, row.__struct_fields__[0])}: ")
    for field, results in kept.items():
        few = sum(result.records < FEW for result in results.values())
        if few:
            said.append(f"{few} of {len(results)} slices by {field} have fewer than {FEW} records")
    return said
