"""The page of an audit: what `tally explain` prints and `docs/audits/` holds, made of its declarations."""

import sys
from collections.abc import Sequence
from typing import Any, get_type_hints

import msgspec
from msgspec import NODEFAULT, Struct

from .audit import Audit
from .audits import find
from .fields import about, describe
from .measure import Measure, measures, tables
from .options import spelled


def page(name: str) -> str:
    """Write the page of an audit, in Markdown."""
    audit = find(name)
    question, _, text = (sys.modules[audit.__module__].__doc__ or "").partition("\n")
    parts = [f"# {name}", f"**{question}**", text.strip()]
    for source, record in audit.inputs.items():
        parts += [f"## Records of the input `{source}`", _fields(record)]
    for source, record in audit.sides.items():
        flags = " and ".join(f"`{spelled(side)}`" for side in audit.sides)
        how = f"With {flags}, joined by `{audit.unique}`, in place of `{next(iter(audit.inputs))}`."
        parts += [f"## Records of the input `{source}`", how, _fields(record)]
    parts += ["## Options", _options(audit), "## Measures", _measures(audit.Result, "")]
    for table, (declared, row) in tables(audit.Result).items():
        bound = f" At most {spelled(declared.limit)} rows." if declared.limit else ""
        said = f"{declared.about} Ordered by {declared.order}.{bound}"
        parts += [f"## Table `{table}`", said, _row(row, flagged=declared.competes)]
    if audit.default_gates:
        parts += [
            "## Gates that hold unless others are given",
            *(f"- `{one}`" for one in audit.default_gates),
        ]
    parts.append(f"Revision {audit.revision}.")
    return "\n\n".join(parts) + "\n"


def _fields(record: type[Struct]) -> str:
    rows = []
    for field in msgspec.structs.fields(record):
        needed = "" if field.default is NODEFAULT else ", may be absent"
        rows.append((f"`{field.name}`", describe(field.type) + needed, about(field.type)))
    return _table(("field", "type", ""), rows)


def _options(audit: type[Audit[Any, Any]]) -> str:
    rows = []
    for field in msgspec.structs.fields(audit.Options):
        given = "none" if field.default in (None, ()) else f"`{field.default}`"
        default = "required" if field.required else given
        rows.append((f"`{spelled(field.name)}`", describe(field.type), default, about(field.type)))
    return _table(("option", "type", "default", ""), rows)


def _measures(result: type[Struct], place: str) -> str:
    rows = []
    for name, measure in measures(result).items():
        flag = measure.flag_name(name) if not place else None
        gate = f"`{flag}`" if flag else f"`{name}{place} {measure.operator}`" if measure.operator else ""
        rows.append((f"`{name}`", span(measure), gate, measure.about, undefined_when(result, name, measure)))
    return _table(("measure", "range", "gate", "", "undefined when"), rows)


def _row(row: type[Struct], *, flagged: bool) -> str:
    fields = ", ".join(f"`{name}`" for name in row.__struct_fields__)
    declared = {name: m for name, m in measures(row).items() if m.better}
    key = "" if flagged else f"[{row.__struct_fields__[0].upper()}]"
    return f"Fields: {fields}." + (f"\n\n{_measures(row, key)}" if declared else "")


def undefined_when(result: type[Struct], name: str, measure: Measure) -> str:
    """Say when a measure is undefined; a count never is."""
    return "" if get_type_hints(result)[name] is int else measure.undefined


def span(measure: Measure) -> str:
    """Say between which values a measure lies; nothing where it has no bound."""
    low, high = measure.within
    if low is None:
        return ""
    return f"{low:g} to {high:g}" if high is not None else f"from {low:g}"


def _table(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    lines = [head, tuple("---" for _ in head), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)
