from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallystick.tallies import Crosstab

WORDS = st.sampled_from(["", "a", "A", "b", "é", "e\u0301", "\U0001f600"])


@given(rows=st.lists(st.tuples(WORDS, st.integers(0, 2))))
def test_a_crosstab_equals_a_loop(rows: list[tuple[str, int]]) -> None:
    made = Crosstab()
    made.add([word for word, _ in rows], [number for _, number in rows])
    expected = Counter(rows)
    assert list(made) == sorted(expected.items())
    assert len(made) == len(expected)
    assert made.total == len(rows)
    assert made.margin(0) == Counter(word for word, _ in rows)
    assert list(made.margin(0)) == sorted({word for word, _ in rows})
    assert made.margin(1) == Counter(number for _, number in rows)


@given(
    rows=st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)))
    | st.lists(st.tuples(st.integers(0, 2**40), st.integers(0, 2**40)))
)
def test_whole_numbers_are_counted_as_a_loop_counts_them(rows: list[tuple[int, int]]) -> None:
    made = Crosstab()
    made.add_numbers(*np.array(rows, dtype=np.int64).reshape(-1, 2).T)
    assert list(made) == sorted(Counter(rows).items())
    assert {type(value) for key, _ in made for value in key} <= {int}


@given(words=st.lists(WORDS))
def test_one_column_is_counted_too(words: list[str]) -> None:
    made = Crosstab()
    made.add(words)
    assert list(made) == [((word,), count) for word, count in sorted(Counter(words).items())]


def test_a_combination_that_never_occurs_counts_0_and_stays_absent() -> None:
    made = Crosstab()
    assert made["a", "b"] == 0
    assert len(made) == 0


def test_columns_of_unequal_length_are_refused() -> None:
    with pytest.raises(ValueError, match="shorter"):
        Crosstab().add(["a", "b"], ["a"])
