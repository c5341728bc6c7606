"""Run an audit on plain records in one pass, or in parts that are sent and merged."""

import json
from typing import Any, NoReturn

from hypothesis import reject
from hypothesis import strategies as st
from msgspec import Struct

from strategies import Inputs, inputs, key_of, options
from tallystick import gate, units
from tallystick.audit import Audit, Sliced
from tallystick.audits import find
from tallystick.engines import local
from tallystick.errors import RecordError, SourceError
from tallystick.gate import parse
from tallystick.plan import Plan, plan
from tallystick.run import build
from tallystick.sources import Facts, mappings
from trees import join as join_states

SLICES = ["x", "y", "overall", "a=b", "unlabelled"]


class Case(Struct):
    """An audit with options and records, and a field `part` to slice by."""

    plan: Plan
    records: Inputs
    key: str | None
    """The field by whose values records may be dealt out; None where any record may go anywhere."""


@st.composite
def cases(draw: st.DrawFn, /, name: str, gates: tuple[str, ...] = (), **settings: Any) -> Case:
    """Draw a case of an audit, sliced (if it can be) by a field that is the same in all records of a unit."""
    records = draw(inputs(name))
    slice_by = ["part"] if find(name).sliceable else []
    made = plan(
        name,
        list(records),
        draw(options(name)),
        {"slice_by": slice_by, **settings},
        [(parse(gate), None) for gate in gates],
    )
    key = key_of(made.audit, made.inputs)
    parts: dict[Any, str] = {}
    for rows in records.values():
        for row in rows:
            unit = row[key] if key else len(parts)
            row["part"] = parts.setdefault(unit, draw(st.sampled_from(SLICES)))
    return Case(made, records, key)


def deal(data: st.DataObject, case: Case, most: int = 4) -> list[Inputs]:
    """Deal the units of a case out into some parts, each in a drawn order."""
    count = data.draw(st.integers(1, most), "parts")
    parts: list[Inputs] = [{source: [] for source in case.records} for _ in range(count)]
    place: dict[Any, int] = {}
    for source, rows in case.records.items():
        for row in data.draw(st.permutations(rows), "order"):
            unit = row[case.key] if case.key else (source, len(place))
            place.setdefault(unit, data.draw(st.integers(0, count - 1), "part"))
            parts[place[unit]][source].append(row)
    return parts


def counted(case: Case, records: Inputs) -> Sliced:
    """Count records into tallies; what an audit refuses is no example of a law."""
    streams = {
        source: mappings.read(rows, source, case.plan.shape(source), source, Facts(source, source))
        for source, rows in records.items()
    }
    try:
        return local.accumulate(case.plan.state(), units.arrange(case.plan.audit, streams))
    except RecordError:
        reject()


def sent(case: Case, state: Sliced) -> Sliced:
    """Encode a state and decode it again."""
    other = case.plan.state()
    other.decode(state.encode())
    return other


def join(data: st.DataObject, states: list[Sliced]) -> Sliced:
    """Merge states in a drawn tree."""
    return join_states(data, states, lambda one, other: one.merge(other))


def body(case: Case, state: Sliced) -> dict[str, Any]:
    """Finish a state, and give the body of its report."""
    try:
        return build(case.plan, state, [], 0.0).body
    except SourceError:
        reject()


def written(case: Case, state: Sliced) -> str:
    """Finish a state, and give the text of its report's body, in strict JSON."""
    return json.dumps(body(case, state), allow_nan=False, ensure_ascii=False)


def no_constant(text: str) -> NoReturn:
    raise AssertionError(f"{text} in a report")


def every_result(case: Case, state: Sliced) -> list[tuple[str, Struct, dict[str, Any]]]:
    """Give the whole and each slice: the suffix of its measures' names, its result, and that as reported."""
    reported = body(case, state)
    found = [("", state.overall.finish(), reported["result"])]
    for part in reported["slices"]:
        audits: dict[str | None, Audit[Any, Any]] = state.slices[part["field"]]
        for one in part["slices"]:
            value = gate.spell(gate.UNLABELLED if one["value"] is None else one["value"])
            found.append((f"[{part['field']}={value}]", audits[one["value"]].finish(), one["result"]))
    return found
