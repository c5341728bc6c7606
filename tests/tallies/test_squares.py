from fractions import Fraction
from sys import float_info

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallystick.tallies import Squares, squares

FINITE = st.floats(allow_nan=False, allow_infinity=False)
TINY = 5e-324
EDGES = [0.0, -0.0, TINY, -TINY, float_info.min, float_info.max, -float_info.max, 1.0, 0.1, 1e200, 1 - 2**-53]


def total(values: list[float]) -> Fraction:
    made = Squares()
    made.add(np.array(values, float))
    return made.total


@given(st.lists(FINITE | st.sampled_from(EDGES), max_size=60))
def test_a_sum_of_squares_is_that_of_fractions(values: list[float]) -> None:
    assert total(values) == sum((Fraction(value) ** 2 for value in values), Fraction(0))


def test_the_largest_significands_do_not_overflow(monkeypatch: pytest.MonkeyPatch) -> None:
    most = 1 - 2.0**-53
    made = Squares()
    made.add(np.full(3_000_000, most))
    assert made.total == 3_000_000 * Fraction(most) ** 2
    monkeypatch.setattr(squares, "MOST_VALUES", 7)
    assert total([most] * 100) == 100 * Fraction(most) ** 2
