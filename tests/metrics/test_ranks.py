from fractions import Fraction
from math import ceil

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tallystick.metrics.ranks import nearest_rank


@given(st.lists(st.integers(0, 5), max_size=20), st.integers(1, 100))
def test_a_nearest_rank_is_found_in_the_list_written_out(counts: list[int], percent: int) -> None:
    places = [place for place, count in enumerate(counts) for _ in range(count)]
    expected = places[ceil(Fraction(percent, 100) * len(places)) - 1] if places else None
    assert nearest_rank(np.array(counts, dtype=np.int64), percent) == expected


def test_ranks_do_not_pass_through_float64() -> None:
    counts = np.array([95 * 10**15 + 19, 5 * 10**15 + 1], dtype=np.int64)
    assert nearest_rank(counts, 95) == 0
    assert nearest_rank(counts + np.array([-1, 1]), 95) == 1
