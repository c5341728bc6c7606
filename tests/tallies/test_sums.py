import math
from fractions import Fraction
from sys import float_info

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tallystick.tallies import Sums, sums

FINITE = st.floats(allow_nan=False, allow_infinity=False)
TINY = 5e-324
EDGES = [0.0, -0.0, TINY, -TINY, float_info.min, -float_info.min, float_info.max, -float_info.max, 1.0, 0.1]


def total(values: list[float]) -> Fraction:
    made = Sums()
    made.add(np.array(values, float))
    return made.total


@given(values=st.lists(FINITE | st.sampled_from(EDGES), max_size=60))
@example(values=[float_info.max] * 9 + [TINY])
@example(values=[0.1] * 10)
@example(values=[1e308, 1.0, -1e308])
@example(values=[TINY] * 3)
@example(values=[-0.0, -0.0])
def test_a_sum_is_the_sum_of_fractions(values: list[float]) -> None:
    assert total(values) == sum(map(Fraction, values), Fraction(0))


@given(rows=st.lists(st.tuples(FINITE, st.integers(0, 999)), max_size=60))
def test_many_cells_are_summed_apart(rows: list[tuple[float, int]]) -> None:
    expected = [Fraction(0)] * 1000
    for value, cell in rows:
        expected[cell] += Fraction(value)
    made = Sums(1000)
    made.add(np.array([v for v, _ in rows], float), np.array([c for _, c in rows], np.int32))
    assert list(made) == expected
    assert made.total == sum(expected)
    assert len(made) == 1000


@given(values=st.lists(st.floats(0, 1), min_size=1, max_size=300))
def test_a_rounded_sum_is_that_of_fsum(values: list[float]) -> None:
    assert float(total(values)) == math.fsum(values)


def test_ten_thousand_values_of_every_exponent_are_exact() -> None:
    bits = np.random.default_rng(0).integers(0, 2**64, 10_000, dtype=np.uint64, endpoint=False)
    values = bits.view(np.float64)
    values = values[np.isfinite(values)]
    cells = np.arange(len(values)) % 7
    made = Sums(7)
    made.add(values, cells)
    assert list(made) == [sum(map(Fraction, values[cells == c].tolist())) for c in range(7)]


def test_a_batch_beyond_the_exact_size_is_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sums, "MOST_VALUES", 3)
    values = [0.1, -2.5, TINY, 1e300, 7.0, -1e300, 0.3]
    made = Sums(2)
    made.add(np.array(values), np.array([0, 1, 0, 1, 0, 1, 0]))
    assert list(made) == [sum(map(Fraction, values[0::2])), sum(map(Fraction, values[1::2]))]


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_what_is_not_finite_is_refused_and_adds_nothing(bad: float) -> None:
    made = Sums()
    with pytest.raises(ValueError, match="finite"):
        made.add(np.array([1.0, bad]))
    assert made.total == 0


def test_the_largest_batch_keeps_its_halves_exact() -> None:
    largest_half = 2**27
    assert sums.MOST_VALUES * largest_half <= 2**53


@given(numbers=st.lists(st.integers(-(2**63), 2**63 - 1), max_size=60))
def test_whole_numbers_of_64_bits_are_summed_exactly(numbers: list[int]) -> None:
    made = Sums()
    made.add_integers(np.array(numbers, np.int64))
    assert made.total == sum(numbers)
