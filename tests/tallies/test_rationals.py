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


PARTS = ("numerator", "denominator")
LARGE = st.tuples(st.integers(-(2**33), 2**33), st.integers(1, 2**33), st.integers(1, 2**40))


@given(st.lists(LARGE))
def test_rationals_of_any_size_are_counted_as_often_as_they_stand_for(
    rows: list[tuple[int, int, int]],
) -> None:
    values = [(Fraction(one, other), times) for one, other, times in rows]
    plain: Counter[Fraction] = Counter()
    for value, times in values:
        plain[value] += times
    one, other = (np.array([getattr(value, part) for value, _ in values], np.int64) for part in PARTS)
    tally = Rationals()
    tally.add(one, other, np.array([times for _, times in values], np.int64))
    assert dict(tally) == plain
