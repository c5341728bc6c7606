"""However units are split, ordered, sent and merged, the findings are the same, byte for byte."""

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from laws.run_in_parts import cases, counted, deal, join, sent, written
from tallystick.audits import AUDITS
from tallystick.sources import mappings

every_audit = pytest.mark.parametrize("name", AUDITS)


@every_audit
@settings(max_examples=60)
@given(data=st.data(), batch=st.integers(1, 5))
def test_any_split_order_and_merge_tree_gives_the_same_findings(
    name: str, data: st.DataObject, batch: int
) -> None:
    case = data.draw(cases(name))
    whole = counted(case, case.records)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(mappings, "BATCH", batch)
        parts = [sent(case, counted(case, part)) for part in deal(data, case)]
    merged = join(data, parts)
    assert written(case, merged) == written(case, whole)


@every_audit
@settings(max_examples=20)
@given(data=st.data())
def test_a_new_state_is_the_identity_and_equal_states_are_equal_bytes(name: str, data: st.DataObject) -> None:
    case = data.draw(cases(name))
    state = counted(case, case.records)
    before = state.encode()
    state.merge(case.plan.state())
    assert state.encode() == before
    new = case.plan.state()
    new.merge(state)
    assert new.encode() == before
    assert sent(case, state).encode() == before


@every_audit
@settings(max_examples=10)
@given(data=st.data())
def test_finishing_changes_nothing(name: str, data: st.DataObject) -> None:
    case = data.draw(cases(name))
    state = counted(case, case.records)
    before = state.encode()
    assert written(case, state) == written(case, state)
    assert state.encode() == before


@every_audit
@settings(max_examples=5)
@given(data=st.data())
def test_a_state_is_plain_data(name: str, data: st.DataObject) -> None:
    case = data.draw(cases(name))
    state = counted(case, case.records)
    overall, slices = msgspec.msgpack.decode(state.encode())
    assert list(overall) == sorted(state.overall.tallies)
    assert list(slices) == list(state.slices)
