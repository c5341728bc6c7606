"""JSON Schema of what an audit reads and of the report that it makes."""

from fractions import Fraction
from typing import Any

import msgspec

from .audits import find
from .gate import Outcome
from .measure import competitors, measures, tables
from .report import SCHEMA
from .run import Settings


def schema(name: str) -> dict[str, Any]:
    """Give the schemas of an audit's inputs, by name, and of its report."""
    audit = find(name)
    inputs = {**audit.inputs, **audit.sides}
    return {
        "records": {source: msgspec.json.schema(record) for source, record in inputs.items()},
        "report": _report(audit.name, audit.revision, audit.Options, audit.Result),
    }


def _report(name: str, revision: int, options: type, result: type) -> dict[str, Any]:
    rows = [row for _, row in tables(result).values()]
    kinds = [options, Settings, result, Outcome, *rows]
    refs, definitions = msgspec.json.schema_components(
        kinds, schema_hook=_number, ref_template="#/$defs/{name}"
    )
    names = [ref["$ref"].rpartition("/")[2] for ref in refs]
    for kind, title in zip(kinds, names, strict=True):
        for field, measure in measures(kind).items():
            better = f" Better {measure.better}." if measure.better else ""
            definitions[title]["properties"][field]["description"] = measure.about + better
    _complete(definitions[names[2]], result)
    definitions[names[0]]["properties"] |= definitions.pop(names[1])["properties"]
    for title in names[3:4]:
        definitions[title]["required"] = list(definitions[title]["properties"])
    body = {
        "schema": {"const": SCHEMA},
        "audit": {"const": name},
        "revision": {"const": revision},
        "options": refs[0],
        "inputs": {"type": "array", "items": _INPUT},
        "baseline": _BASELINE,
        "result": refs[2],
        "slices": {"type": "array", "items": _slices(definitions, names[2], result)},
        "undefined": {"type": "object", "additionalProperties": {"type": "string"}},
        "gates": {"type": "array", "items": refs[3]},
        "passed": {"type": "boolean"},
        **(_VERDICT if competitors(result) else {}),
        "warnings": {"type": "array", "items": {"type": "string"}},
        "digest": {"type": "string", "pattern": "^[0-9a-f]{64}$"},
        "produced": {"type": "object"},
    }
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": f"Report of {name}",
        "type": "object",
        "properties": body,
        "required": [key for key in body if key != "baseline"],
        "$defs": definitions,
    }


def _complete(definition: dict[str, Any], result: type) -> None:
    """Add what findings add to a result: how many rows of a table were left out."""
    limited = [name for name, (table, _) in tables(result).items() if table.limit]
    if limited:
        counts = {name: {"type": "integer", "minimum": 0} for name in limited}
        definition["properties"]["omitted"] = {"type": "object", "properties": counts}
        definition["required"].append("omitted")


def _slices(definitions: dict[str, Any], title: str, result: type) -> dict[str, Any]:
    """Describe the slices by one field; their results carry no details."""
    details = [name for name, (table, _) in tables(result).items() if table.limit == "max_details"]
    whole = definitions[title]
    definitions["SliceResult"] = whole | {
        "title": "SliceResult",
        "properties": {n: p for n, p in whole["properties"].items() if n not in details},
        "required": [n for n in whole["required"] if n not in details and n != "omitted"],
    }
    one = _object(value={"type": "string"}, result={"$ref": "#/$defs/SliceResult"})
    count = {"type": "integer", "minimum": 0}
    return _object(
        field={"type": "string"},
        slices={"type": "array", "items": one},
        omitted_slices=count,
        omitted_records=count,
    )


def _object(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties)}


_VERDICT: dict[str, Any] = {
    "verdict": {"enum": ["GO", "BLOCKED"]},
    "recommended": {"type": ["string", "null"]},
}
_INPUT = _object(
    input={"type": "string"},
    sha256={"type": ["string", "null"]},
    bytes={"type": ["integer", "null"]},
    records={"type": "integer"},
    blank_lines={"type": "integer"},
)


_BASELINE = _object(
    audit={"type": "string"},
    revision={"type": "integer"},
    digest={"type": "string", "pattern": "^[0-9a-f]{64}$"},
)
"""What gates are relative to; only in the report of a run that was given one."""


def _number(kind: type) -> dict[str, Any]:
    if kind is Fraction:
        return {"type": "number"}
    raise NotImplementedError
