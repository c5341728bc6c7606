from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tallystick.metrics.sets import Sets, jaccard, shared

numbers = st.sets(st.sampled_from([0, 1, 2, 7, 40, 10**6]))
pairs = st.lists(st.tuples(numbers, numbers), max_size=12)


def listed(sets: list[set[int]]) -> Sets:
    return Sets(np.array(list(map(len, sets)), np.intp), np.array([x for s in sets for x in s], np.intp))


@given(pairs)
def test_what_two_sets_share_is_their_intersection(table: list[tuple[set[int], set[int]]]) -> None:
    one = listed([a for a, _ in table])
    found = shared(one, listed([b for _, b in table]))
    assert found.tolist() == [x in b for a, b in table for x in a]
    assert np.bincount(one.places[found], minlength=len(table)).tolist() == [len(a & b) for a, b in table]


def test_two_empty_sets_are_equal() -> None:
    assert jaccard(0, 0) == 1
    assert jaccard(2, 5) == Fraction(2, 5)
