"""Every number lies where it may, is null only for a stated reason, and is a number of JSON."""

import json
import math
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from laws.run_in_parts import body, cases, counted, every_result, no_constant
from tallystick import gate
from tallystick.audits import AUDITS, find
from tallystick.measure import Measure, measures, tables
from tallystick.report import Report

every_audit = pytest.mark.parametrize("name", AUDITS)


@every_audit
@settings(max_examples=40)
@given(data=st.data())
def test_measures_lie_in_their_range_and_are_null_for_a_reason(name: str, data: st.DataObject) -> None:
    case = data.draw(cases(name))
    state = counted(case, case.records)
    reasons: dict[str, str] = body(case, state)["undefined"]
    nulls = set()
    for place, result, reported in every_result(case, state):
        for measure, declared in measures(type(result)).items():
            check(measure, declared, getattr(result, measure), reported[measure])
            if reported[measure] is None:
                nulls.add(measure + place)
        for table, (_, row_type) in tables(type(result)).items():
            for row, reported_row in zip(getattr(result, table), reported.get(table, ()), strict=False):
                for measure, declared in measures(row_type).items():
                    check(measure, declared, getattr(row, measure), reported_row[measure])
                    if reported_row[measure] is None and not place:
                        nulls.add(f"{measure}[{gate.spell(str(next(iter(reported_row.values()))))}]")
    assert nulls == set(reasons)
    assert all(reasons.values())


def check(name: str, declared: Measure, exact: Any, reported: Any) -> None:
    low, high = declared.within
    for number in (exact, reported):
        if number is not None:
            assert low is None or number >= low, name
            assert high is None or number <= high, name
    assert (exact is None) == (reported is None)
    assert isinstance(exact, float) is False, f"{name} was rounded before its time"


@every_audit
@settings(max_examples=15)
@given(data=st.data())
def test_a_report_is_strict_json(name: str, data: st.DataObject) -> None:
    case = data.draw(cases(name))
    report = Report(body(case, counted(case, case.records)))
    held = json.loads(report.to_json(), parse_constant=no_constant)
    assert held == report.to_dict()
    for number in floats(held):
        assert math.isfinite(number)
        assert math.copysign(1, number) == 1 or number < 0, "a negative zero"


@every_audit
@settings(max_examples=15)
@given(data=st.data())
def test_tables_are_cut_where_the_options_say(name: str, data: st.DataObject) -> None:
    case = data.draw(cases(name))
    state = counted(case, case.records)
    for place, result, reported in every_result(case, state):
        for table, (declared, _) in tables(type(result)).items():
            if declared.limit == "max_details" and place:
                assert table not in reported
            elif declared.limit is not None:
                most = getattr(case.plan.options, declared.limit)
                assert len(reported[table]) <= most
                every = len(getattr(result, table)) + getattr(getattr(result, table), "omitted", 0)
                assert len(reported[table]) + reported["omitted"][table] == every
            else:
                assert len(reported[table]) == len(getattr(result, table))


@pytest.mark.parametrize("name", [name for name in AUDITS if find(name).sliceable])
@settings(max_examples=15)
@given(data=st.data())
def test_slices_hold_all_records_and_small_ones_are_counted(name: str, data: st.DataObject) -> None:
    case = data.draw(cases(name, min_slice_count=2))
    made = body(case, counted(case, case.records))
    (part,) = (part for part in made["slices"] if part["field"] == "part")
    kept = [one["result"]["records"] for one in part["slices"]]
    assert all(records >= 2 for records in kept)
    assert sum(kept) + part["omitted_records"] == made["result"]["records"]
    values = [one["value"] for one in part["slices"]]
    assert values == sorted(values)
    assert len(values) + part["omitted_slices"] == len(
        {row["part"] for rows in case.records.values() for row in rows}
    )


def floats(value: Any) -> Iterator[float]:
    if isinstance(value, float):
        yield value
    elif isinstance(value, dict | list):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from floats(inner)
