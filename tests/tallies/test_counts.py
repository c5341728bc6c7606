import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallystick.tallies import Counts

ROWS = st.lists(st.tuples(st.integers(0, 4), st.booleans()))


@given(rows=ROWS)
def test_counts_equal_a_loop(rows: list[tuple[int, bool]]) -> None:
    every, some = [0] * 5, [0] * 5
    for cell, marked in rows:
        every[cell] += 1
        some[cell] += marked
    cells, where = np.array([c for c, _ in rows], int), np.array([m for _, m in rows], bool)
    whole, part = Counts(5), Counts(5)
    whole.add(cells)
    part.add(cells, where=where)
    assert list(whole) == every
    assert list(part) == some
    assert whole.total == len(rows)
    assert [part[cell] for cell in range(5)] == some
    assert len(part) == 5


def test_totals_are_added_to_one_cell() -> None:
    counts = Counts(3)
    counts.add_total(2**40, 1)
    counts.add_total(3, 1)
    counts.add_total(1)
    assert list(counts) == [1, 2**40 + 3, 0]


def test_a_cell_beyond_the_last_is_refused() -> None:
    with pytest.raises(ValueError, match="broadcast"):
        Counts(2).add(np.array([2]))


def test_counts_are_python_integers() -> None:
    counts = Counts(1)
    counts.add(np.array([0]))
    assert [type(value) for value in (counts[0], counts.total, *counts)] == [int, int, int]
