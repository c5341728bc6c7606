from fractions import Fraction
from math import comb, isclose, log10

import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from tallystick.metrics.mcnemar import EXACT, SMALLEST, exact_p_value

counts = st.integers(0, 60)


def naive(one: int, other: int) -> Fraction:
    """Double the smaller tail, way by way."""
    pairs, total, ways = one + other, 0, 1
    for k in range(min(one, other) + 1):
        total += ways
        ways = ways * (pairs - k) // (k + 1)
    return min(Fraction(1), Fraction(2 * total, 2**pairs))


@given(counts, counts)
def test_it_is_the_doubled_tail_exactly(one: int, other: int) -> None:
    found = exact_p_value(one, other)
    assert found == exact_p_value(other, one)
    assert found.value == naive(one, other)
    assert isclose(found.log10, log10(naive(one, other)), rel_tol=1e-14, abs_tol=1e-16)


@given(st.integers(0, 4000), st.integers(1, 4000))
def test_it_is_that_of_scipy(one: int, other: int) -> None:
    theirs = scipy.stats.binomtest(one, one + other).pvalue
    assert isclose(
        float(exact_p_value(one, other).value), theirs, rel_tol=1e-9, abs_tol=1e-290
    )  # below it theirs is 0


@pytest.mark.parametrize(
    ("one", "other", "p"),
    [
        (0, 0, Fraction(1)),
        (1, 1, Fraction(1)),
        (0, 1, Fraction(1)),
        (0, 6, Fraction(2, 2**6)),
        (8, 1, Fraction(2 * (1 + 9), 2**9)),
        (5, 5, Fraction(1)),
        (4, 5, Fraction(1)),
    ],
)
def test_closed_forms(one: int, other: int, p: Fraction) -> None:
    assert exact_p_value(one, other).value == p


@pytest.mark.parametrize(
    ("few", "pairs"),
    [(5001, 10_002), (5000, 10_001), (4800, 10_001), (9800, 20_000), (24_000, 50_000), (9300, 20_000)],
)
def test_many_pairs_agree_with_big_integers(few: int, pairs: int) -> None:
    assert pairs > EXACT
    exact, found = naive(few, pairs - few), exact_p_value(few, pairs - few)
    assert abs(found.value / exact - 1) < Fraction(1, 10**15)
    assert isclose(found.log10, log10(exact), rel_tol=1e-13, abs_tol=1e-16)


@pytest.mark.parametrize("few", [0, 1, 2, 3, 5, 50, 99, 100, 101])
def test_few_against_very_many_have_a_logarithm(few: int) -> None:
    pairs = 12_000
    ways = sum(comb(pairs, k) for k in range(few + 1))
    exact = log10(ways) + (1 - pairs) * log10(2)
    assert isclose(exact_p_value(few, pairs - few).log10, exact, rel_tol=1e-13)


def test_a_value_below_the_smallest_float_is_that_float() -> None:
    for one, other in [(0, 2000), (0, 200_000)]:
        found = exact_p_value(one, other)
        assert found.value == SMALLEST
        assert float(found.value) == 5e-324
        assert isclose(found.log10, (1 - other) * log10(2), rel_tol=1e-14)


def test_the_two_ways_of_computing_meet() -> None:
    for few in (0, 1, 4000, 4900, 4999):
        below, above = exact_p_value(few, EXACT - few), exact_p_value(few, EXACT + 1 - few)
        # P[Bin(d + 1) <= k] = P[Bin(d) <= k] - P[Bin(d) = k] / 2
        step = Fraction(comb(EXACT, few), 2**EXACT)
        assert isclose(below.log10, above.log10, abs_tol=0.4)
        if below.value > Fraction(1, 10**300):
            assert abs(above.value / (below.value - step) - 1) < Fraction(1, 10**15)


def test_a_billion_pairs_take_no_time_and_agree_with_scipy() -> None:
    few = 500_000_000 - 20_000
    theirs = scipy.stats.binomtest(few, 1_000_000_000).pvalue
    assert isclose(float(exact_p_value(few, 1_000_000_000 - few).value), theirs, rel_tol=1e-6)
