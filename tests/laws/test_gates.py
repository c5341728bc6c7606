"""Every measure with a better side has a gate flag, which judges as `--gate` and plain arithmetic do."""

from fractions import Fraction
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from laws.run_in_parts import cases, counted
from tallystick import gate
from tallystick.audits import AUDITS, find
from tallystick.errors import UsageError
from tallystick.flags import flags, parts
from tallystick.gate import Gate, Judged
from tallystick.measure import Measure, measures, tables

every_audit = pytest.mark.parametrize("name", AUDITS)
SLACK = Fraction(1, 10**9)


def gated(result: type) -> dict[str, Measure]:
    return {name: m for name, m in measures(result).items() if m.better and not m.instead}


def limits(measure: Measure, value: Any) -> st.SearchStrategy[str]:
    """Draw limits around a value and at the ends of the range, as decimals."""
    low, high = measure.within
    near = (
        []
        if value is None
        else [float(value), float(value) + 1e-10, float(value) - 1e-10, float(value) + 0.01]
    )
    given = [n for n in (low, high, 0.3, 0.5, 1.0, *near) if n is not None]
    inside = [n for n in given if (low is None or n >= low) and (high is None or n <= high)]
    return st.sampled_from(inside).map(lambda n: f"{Fraction(n).limit_denominator(10**12).__float__():.17g}")


def passes(measure: Measure, value: Any, limit: str, result: Any) -> bool:
    """Judge as slowly as can be."""
    if value is None:
        return False
    bound = Fraction(limit)
    slack = SLACK * min(Fraction(1), abs(bound))
    if (
        measure.counted
        or not measure.slack
        or bound in [Fraction(n) for n in measure.within if n is not None]
    ):
        slack = Fraction(0)
    held = value >= bound - slack if measure.better == "higher" else value <= bound + slack
    return held and (measure.needs is None or measure.needs[0](result))


@every_audit
@settings(max_examples=25)
@given(data=st.data())
def test_a_flag_and_an_expression_judge_alike_and_right(name: str, data: st.DataObject) -> None:
    audit = find(name)
    case = data.draw(cases(name))
    result = counted(case, case.records).overall.finish()
    for field, measure in gated(audit.Result).items():
        value = getattr(result, field)
        limit = data.draw(limits(measure, value))
        expression = gate.parse(f"{field} {measure.operator} {limit}")
        given: dict[str, Any] = {f"gate_{field}": limit, "gate": None}
        _, _, ((flagged, spelled),) = parts(audit, given)
        assert flagged == expression
        assert spelled == measure.flag_name(field)
        gate.check(expression, audit.Result, ())
        outcome = gate.judge(expression, Judged(result, {}, {}))
        assert outcome.passed == passes(measure, value, limit, result), (field, value, limit)
        assert (outcome.status == "undefined") == (value is None)
        assert outcome.message


@every_audit
def test_every_measure_with_a_better_side_has_one_flag(name: str) -> None:
    audit = find(name)
    spelled = [flag.spelling for flag in flags(audit)]
    assert len(set(spelled)) == len(spelled)
    for field, measure in gated(audit.Result).items():
        flag = measure.flag_name(field)
        assert flag in spelled
        assert flag.startswith("--min-" if measure.better == "higher" else "--max-")


@every_audit
def test_the_other_direction_and_a_limit_out_of_range_are_refused(name: str) -> None:
    audit = find(name)
    for field, measure in gated(audit.Result).items():
        other = "<=" if measure.operator == ">=" else ">="
        with pytest.raises(UsageError, match="better"):
            gate.check(gate.parse(f"{field} {other} 0"), audit.Result, ())
        for limit in ("nan", "inf", "-inf", "1e999", "1" * 400, "0." + "3" * 5000, "0x1", "1_0", "½", ""):
            with pytest.raises(UsageError):
                gate.check(Gate(field, measure.operator, limit), audit.Result, ())  # type: ignore[arg-type]
        low, high = measure.within
        for beyond in ([] if low is None else [low - 1]) + ([] if high is None else [high + 1]):
            with pytest.raises(UsageError, match="out of range"):
                gate.check(gate.parse(f"{field} {measure.operator} {beyond}"), audit.Result, ())


@every_audit
def test_a_measure_without_a_better_side_is_refused(name: str) -> None:
    result = find(name).Result
    for field, measure in measures(result).items():
        if measure.better is None:
            for operator in (">=", "<="):
                with pytest.raises(UsageError):
                    gate.check(gate.parse(f"{field} {operator} 0"), result, ())


@every_audit
@settings(max_examples=15)
@given(data=st.data())
def test_rows_and_slices_are_judged_by_their_own_numbers(name: str, data: st.DataObject) -> None:
    audit = find(name)
    case = data.draw(cases(name))
    state = counted(case, case.records)
    whole = state.overall.finish()
    slices = {value: one.finish() for value, one in state.slices.get("part", {}).items()}
    judged = Judged(whole, {"part": slices}, {"part": 0})
    field, measure = data.draw(st.sampled_from(sorted(gated(audit.Result).items(), key=lambda item: item[0])))
    passed = []
    for value, result in slices.items():
        limit = data.draw(limits(measure, getattr(result, field)))
        text = f"{field}[part={gate.spell(str(value))}] {measure.operator} {limit}"
        expected = passes(measure, getattr(result, field), limit, result)
        assert gate.judge(gate.parse(text), judged).passed == expected
    limit = data.draw(limits(measure, getattr(whole, field)))
    passed = [passes(measure, getattr(result, field), limit, result) for result in slices.values()]
    every = gate.judge(gate.parse(f"{field}[part=*] {measure.operator} {limit}"), judged)
    assert every.passed == (bool(slices) and all(passed))
    for table, (_, row_type) in tables(audit.Result).items():
        for column, own in gated(row_type).items():
            for row in getattr(whole, table):
                key = getattr(row, msgspec.structs.fields(row_type)[0].name)
                limit = data.draw(limits(own, getattr(row, column)))
                text = f"{column}[{gate.spell(str(key))}] {own.operator} {limit}"
                expected = passes(own, getattr(row, column), limit, whole)
                assert gate.judge(gate.parse(text), judged).passed == expected, text
