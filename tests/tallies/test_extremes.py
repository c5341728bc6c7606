import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tallystick.tallies import Extremes

ROWS = st.lists(st.tuples(st.floats(allow_nan=False), st.text(max_size=2)), unique=True)


@given(batches=st.lists(ROWS, max_size=4), limit=st.integers(0, 12))
def test_extremes_equal_a_sorted_list(batches: list[list[tuple[float, str]]], limit: int) -> None:
    made = Extremes(limit)
    for rows in batches:
        made.add(iter(rows))
    every = sorted(row for rows in batches for row in rows)
    assert made.kept == every[:limit]
    assert made.total == len(every)
    assert made.omitted == len(every) - len(made.kept)


@given(batches=st.lists(ROWS, max_size=4), limit=st.integers(0, 12))
def test_rows_by_their_first_fields_are_the_same_rows(
    batches: list[list[tuple[float, str]]], limit: int
) -> None:
    made, plain = Extremes(limit), Extremes(limit)
    for rows in batches:
        made.add_by(np.array([key for key, _ in rows]), rows.__getitem__)
        plain.add(rows)
    assert made.dump() == plain.dump()


@given(batches=st.lists(ROWS, max_size=4), limit=st.integers(0, 6))
def test_rows_that_are_not_admitted_change_nothing(
    batches: list[list[tuple[float, str]]], limit: int
) -> None:
    made, plain = Extremes(limit), Extremes(limit)
    for rows in batches:
        admitted = [row for row in rows if made.admits(row[:1])]
        made.add(admitted, skipped=len(rows) - len(admitted))
        plain.add(rows)
    assert made.dump() == plain.dump()


def test_a_row_beyond_a_full_list_is_not_admitted() -> None:
    made = Extremes(1)
    assert made.admits((9,))
    made.add([(1, "a")])
    assert made.admits((1,))
    assert not made.admits((2,))
    assert not Extremes(0).admits((1,))
