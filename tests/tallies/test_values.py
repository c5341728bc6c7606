from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallystick.tallies import Values, values

NUMBERS = st.floats(allow_nan=False, allow_infinity=False) | st.sampled_from([0.0, -0.0, 5e-324, 0.5, 1.0])
BATCHES = st.lists(st.lists(st.tuples(NUMBERS, st.integers(0, 2)), max_size=12), max_size=6)


def counted(batches: list[list[tuple[float, int]]]) -> Values:
    made = Values(3)
    for rows in batches:
        made.add(np.array([v for v, _ in rows], float), np.array([c for _, c in rows], int))
    return made


@pytest.mark.parametrize("waiting", [0, 5, 1 << 18])
@given(batches=BATCHES)
def test_values_equal_a_counter(waiting: int, batches: list[list[tuple[float, int]]]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(values, "_COMPACT_AT", waiting)
        made = counted(batches)
    expected = Counter(row for rows in batches for row in rows)
    distinct = sorted({value for value, _ in expected})
    assert made.values.tolist() == distinct
    assert made.counts.tolist() == [[expected[value, channel] for channel in range(3)] for value in distinct]
    assert made.total == expected.total()


def test_both_zeros_are_one_value() -> None:
    made = counted([[(-0.0, 0)], [(0.0, 0)]])
    assert made.values.tobytes() == np.array([0.0]).tobytes()
    assert made.counts.tolist() == [[2, 0, 0]]


def test_without_channels_all_rows_are_of_one_kind() -> None:
    made = Values()
    made.add(np.array([2.0, 1.0, 2.0]))
    assert (made.values.tolist(), made.counts.tolist()) == ([1.0, 2.0], [[1], [2]])
