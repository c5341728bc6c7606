from collections import Counter
from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tallystick.tallies import Rationals

rationals = st.lists(st.fractions(-3, 3, max_denominator=9))


@given(rationals, st.dictionaries(st.fractions(-3, 3, max_denominator=9), st.integers(1, 5)))
def test_it_counts_each_value_as_often_as_it_was_added(
    one: list[Fraction], other: dict[Fraction, int]
) -> None:
    tally = Rationals()
    tally.add(np.array([r.numerator for r in one], int), np.array([r.denominator for r in one], int))
    tally.add_counts({r.as_integer_ratio(): n for r, n in other.items()})
    counted = Counter(one) + Counter(other)
    assert dict(tally) == counted
    assert len(tally) == len(counted)
    assert tally.total == counted.total()
