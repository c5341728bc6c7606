"""JSON Schema of what an audit reads and of the report that it makes."""

from collections.abc import Collection
from fractions import Fraction
from typing import Any

import msgspec

from .audits import find
from .gate import Outcome
from .measure import competitors, measures, tables
from .plan import UNSTATED, Settings
from .report import SCHEMA


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
    settings = definitions.pop(names[1])["properties"]
    definitions[names[0]]["properties"] |= {key: settings[key] for key in settings if key not in UNSTATED}
    for title in names[3:4]:
        definitions[title]["required"] = list(definitions[title]["properties"])
    own = {
        "audit": {"const": name},
        "revision": {"const": revision},
        "options": refs[0],
        "result": refs[2],
        "slices": {"type": "array", "items": _slices(definitions, names[2], result)},
        "gates": {"type": "array", "items": refs[3]},
    }
    return _document(
        f"Report of {name}", {**_body(own), **(_VERDICT if competitors(result) else {})}, definitions
    )


def envelope() -> dict[str, Any]:
    """Give the schemas of what the reports of all audits share, and of the combined report of a suite."""
    (gate,), definitions = msgspec.json.schema_components([Outcome], ref_template="#/$defs/{name}")
    body = {**_body({"gates": {"type": "array", "items": gate}}), **_VERDICT}
    audits = {"type": "array", "items": {**_object(name={"type": "string"}), "required": ["name", "audit"]}}
    combined = {
        "schema": {"const": SCHEMA},
        "suite": _SHA256,
        "verdict": _VERDICT["verdict"],
        "passed": {"type": "boolean"},
        "audits": audits,
        **_OUTSIDE,
    }
    return {
        "report": _document("Report", body, definitions, {"baseline", *_VERDICT}),
        "suite": _document("Report of a suite", combined, {}),
    }


def _body(own: dict[str, Any]) -> dict[str, Any]:
    """Give the properties of a report in their order, with an audit's own in place of what any may be."""
    whole = {
        "schema": {"const": SCHEMA},
        "audit": {"type": "string"},
        "revision": {"type": "integer", "minimum": 1},
        "options": {"type": "object"},
        "inputs": {"type": "array", "items": _INPUT},
        "baseline": _BASELINE,
        "result": _object(records={"type": "integer", "minimum": 0}),
        "slices": {"type": "array", "items": _sliced({"type": "object"})},
        "undefined": {"type": "object", "additionalProperties": {"type": "string"}},
        "gates": {"type": "array", "items": {"type": "object"}},
        "passed": {"type": "boolean"},
        "warnings": {"type": "array", "items": {"type": "string"}},
        **_OUTSIDE,
    }
    return whole | own


def _document(
    title: str,
    properties: dict[str, Any],
    definitions: dict[str, Any],
    optional: Collection[str] = ("baseline",),
) -> dict[str, Any]:
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": title,
        "type": "object",
        "properties": properties,
        "required": [key for key in properties if key not in optional],
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
    return _sliced({"$ref": "#/$defs/SliceResult"})


def _sliced(result: dict[str, Any]) -> dict[str, Any]:
    """Describe the slices by one field; a value is null where records do not have the field."""
    one = _object(value={"type": ["string", "null"]}, result=result)
    count = {"type": "integer", "minimum": 0}
    return _object(
        field={"type": "string"},
        slices={"type": "array", "items": one},
        omitted_slices=count,
        omitted_records=count,
    )


def _object(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(properties)}


_SHA256 = {"type": "string", "pattern": "^[0-9a-f]{64}$"}
_OUTSIDE: dict[str, Any] = {"digest": _SHA256, "produced": {"type": "object"}}
"""What stands in a report's file beside its body."""

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
    digest=_SHA256,
)
"""What gates are relative to; only in the report of a run that was given one."""


def _number(kind: type) -> dict[str, Any]:
    if kind is Fraction:
        return {"type": "number"}
    raise NotImplementedError
