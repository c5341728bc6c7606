"""An audit against its own report is as good as it was: no gate relative to it fails by rounding."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import Struct

from laws.run_in_parts import body, cases, counted
from laws.test_gates import gated
from tallystick import gate
from tallystick.audits import AUDITS, find
from tallystick.baseline import Baseline
from tallystick.gate import Judged, Outcome
from tallystick.measure import Measure


def holds(outcome: Outcome, measure: Measure, value: Any, result: Struct) -> bool:
    """Whether a number that is not undefined passes, unless it needs more than to be as good."""
    if value is None:
        return outcome.status == "undefined"
    assert outcome.limit == pytest.approx(float(value), rel=1e-15)
    return outcome.passed == (measure.needs is None or measure.needs[0](result))


@pytest.mark.parametrize("name", AUDITS)
@settings(max_examples=15)
@given(data=st.data())
def test_every_number_is_as_good_as_its_own_report_says(name: str, data: st.DataObject) -> None:
    audit = find(name)
    case = data.draw(cases(name))
    state = counted(case, case.records)
    earlier = Baseline(body(case, state), audit.Result)
    whole = state.overall.finish()
    slices = {value: one.finish() for value, one in state.slices.get("part", {}).items()}
    judged = Judged(whole, {"part": slices}, {}, earlier)
    for field, measure in gated(audit.Result).items():
        text = f"{field} {measure.operator} baseline"
        assert holds(gate.judge(gate.parse(text), judged), measure, getattr(whole, field), whole), text
        for value, result in slices.items():
            text = f"{field}[part={gate.spell(str(value))}] {measure.operator} baseline"
            assert holds(gate.judge(gate.parse(text), judged), measure, getattr(result, field), result), text
