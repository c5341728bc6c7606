"""What a kind of answers is counted into: a tally made of tallies, and the tables that come of it."""

from fractions import Fraction
from typing import Any

import msgspec
import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tallystick.parts.reliability import Confident, bin_rows, curve_rows
from tallystick.tallies import Tally
from trees import join, split

ANSWERS = st.lists(st.tuples(st.sampled_from([0.0, 0.29, 0.5, 0.85, 1.0]), st.booleans()), max_size=20)


def _counted(answers: list[tuple[float, bool]]) -> Confident:
    tally = Confident(100)
    confidence = np.array([c for c, _ in answers], dtype=np.float64)
    right = np.array([hit for _, hit in answers], dtype=bool)
    tally.add(confidence, right, np.square(confidence - right))
    return tally


def _state(tally: Confident) -> Any:
    return msgspec.msgpack.encode(tally.dump())


@given(st.data(), ANSWERS)
def test_a_compound_of_tallies_is_a_monoid_and_can_be_sent(
    data: st.DataObject, answers: list[tuple[float, bool]]
) -> None:
    whole = _counted(answers)
    assert isinstance(whole, Tally)
    merged = join(data, [_counted(part) for part in split(data, answers)], Confident.merge)
    assert _state(merged) == _state(whole)
    received = Confident(100)
    received.load(msgspec.msgpack.decode(_state(whole)))
    received.merge(Confident(100))
    assert _state(received) == _state(whole)
    assert received.measures("x", 0.95) == whole.measures("x", 0.95)


def test_a_bin_has_its_lower_edge_and_an_empty_curve_no_points() -> None:
    (row,) = bin_rows(_counted([(0.29, True), (0.29, False)]).reliability.bins, 0.95)
    assert (row.index, row.records, row.accuracy) == (29, 2, Fraction(1, 2))
    assert curve_rows(_counted([]).curve) == []


def test_a_curve_counts_what_is_at_or_above_each_threshold() -> None:
    rows = curve_rows(_counted([(0.5, False), (0.85, True)]).curve)
    half = Fraction(1, 2)
    assert [(rows[t].coverage, rows[t].accuracy) for t in (0, 50, 51, 85, 86)] == [
        (Fraction(1), half),
        (Fraction(1), half),
        (half, Fraction(1)),
        (half, Fraction(1)),
        (Fraction(0), None),
    ]
