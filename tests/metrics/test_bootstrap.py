from fractions import Fraction
from math import isclose, sqrt
from typing import Any

import numpy as np
import pytest
import scipy.stats
from hypothesis import example, given
from hypothesis import strategies as st

from tallystick.metrics.bootstrap import mean_interval

Values = list[tuple[Fraction, int]]

rationals = st.fractions(-1, 1, max_denominator=40)
values = st.dictionaries(rationals, st.integers(1, 30), min_size=1, max_size=6).map(lambda d: list(d.items()))

BY_COUNTS: Values = [(Fraction(0), 140), (Fraction(1, 3), 30), (Fraction(1), 30)]
BY_POSITIONS: Values = [(Fraction(k, 7), 1 + k % 3) for k in range(-7, 8)]


MULTINOMIAL = [[21, 27, 52], [13, 26, 61], [26, 29, 45]]
POSITIONS = [9, 7, 6, 5, 5, 9, 2, 8, 6, 0, 3, 8]
BY_COUNTS_INTERVAL = (Fraction(3719, 24000), Fraction(149, 600), False)
BY_POSITIONS_INTERVAL = (Fraction(-2041, 8400), Fraction(13, 70), False)


def rows(given: Values) -> np.ndarray:
    return np.array([float(value) for value, count in sorted(given) for _ in range(count)])


def test_numpy_draws_what_it_drew_when_the_numbers_of_reports_were_fixed() -> None:
    generator = np.random.Generator(np.random.PCG64(0))
    assert generator.multinomial(100, [0.2, 0.3, 0.5], size=3).tolist() == MULTINOMIAL
    assert generator.integers(10, size=12).tolist() == POSITIONS


def test_intervals_are_what_they_were() -> None:
    assert mean_interval(BY_COUNTS, 0.95, 1000, 0) == BY_COUNTS_INTERVAL
    assert mean_interval(BY_POSITIONS, 0.95, 1000, 0) == BY_POSITIONS_INTERVAL


@given(values, st.randoms())
def test_the_order_of_values_does_not_matter(drawn: Values, random: Any) -> None:
    shuffled = list(drawn)
    random.shuffle(shuffled)
    assert mean_interval(drawn, 0.9, 50, 3) == mean_interval(shuffled, 0.9, 50, 3)


@pytest.mark.parametrize("drawn", [BY_COUNTS, BY_POSITIONS])
@pytest.mark.parametrize("piece", [1, 5, 64, 1000])
def test_the_size_of_pieces_does_not_matter(drawn: Values, piece: int) -> None:
    assert mean_interval(drawn, 0.9, 40, 1, piece) == mean_interval(drawn, 0.9, 40, 1)


@given(values, st.sampled_from([0.4, 0.5, 0.95, 0.999]), st.integers(1, 60), st.integers(0, 2**63 - 1))
@example([(Fraction(0), 40), (Fraction(1), 60)], 0.5, 20, 0)
@example([(Fraction(0), 40), (Fraction(1), 59)], 0.5, 20, 0)
def test_an_interval_is_that_of_the_naive_twin(drawn: Values, level: float, samples: int, seed: int) -> None:
    data = rows(drawn)
    generator = np.random.Generator(np.random.PCG64(seed))
    if len(drawn) * 50 <= len(data):
        points, counts = np.unique(data, return_counts=True)
        times = generator.multinomial(len(data), counts / len(data), size=samples)
        means = [float(np.repeat(points, t).mean()) for t in times]
    else:
        means = [float(data[generator.integers(len(data), size=len(data))].mean()) for _ in range(samples)]
    low, high, degenerate = mean_interval(drawn, level, samples, seed)
    assert degenerate == (len(drawn) == 1)
    for end, share in [(low, (1 - level) / 2), (high, (1 + level) / 2)]:
        assert isclose(float(end or 0), np.quantile(means, share), rel_tol=1e-12, abs_tol=1e-12)


def test_there_is_no_interval_of_nothing() -> None:
    assert mean_interval([], 0.95, 100, 0) == (None, None, False)


def test_equal_values_make_a_degenerate_interval_of_exactly_that_value() -> None:
    third = Fraction(1, 3)
    assert mean_interval([(third, 7)], 0.95, 100, 0) == (third, third, True)


@pytest.mark.parametrize("seed", range(5))
def test_two_records_give_the_quantiles_of_a_half_and_two_quarters(seed: int) -> None:
    # The mean of a resample is 1/3, 1/2 or 2/3 with chances 1/4, 1/2 and 1/4.
    drawn = [(Fraction(1, 3), 1), (Fraction(2, 3), 1)]
    assert mean_interval(drawn, 0.4, 4000, seed)[:2] == (Fraction(1, 2), Fraction(1, 2))
    assert mean_interval(drawn, 0.6, 4000, seed)[:2] == (Fraction(1, 3), Fraction(2, 3))


def test_one_resample_is_both_ends() -> None:
    low, high, _ = mean_interval(BY_POSITIONS, 0.95, 1, 0)
    assert low == high


@pytest.mark.parametrize(("ones", "size"), [(300, 1000), (20, 1000), (30, 60), (5, 60)])
def test_shares_have_the_quantiles_of_the_binomial(ones: int, size: int) -> None:
    # 60 records draw positions, 1000 draw counts; both must follow one law.
    samples = 20_000
    low, high, _ = mean_interval([(Fraction(0), size - ones), (Fraction(1), ones)], 0.9, samples, 11)
    law = scipy.stats.binom(size, ones / size)
    for end, share in [(low, 0.05), (high, 0.95)]:
        stray = 5 * sqrt(share * (1 - share) / samples)
        assert law.ppf(share - stray) <= float(end or 0) * size <= law.ppf(share + stray)


@pytest.mark.parametrize("drawn", [BY_COUNTS, BY_POSITIONS])
def test_intervals_agree_with_scipy_within_monte_carlo_error(drawn: Values) -> None:
    data, samples = rows(drawn), 10_000
    theirs = scipy.stats.bootstrap(
        (data,), np.mean, n_resamples=samples, method="percentile"
    ).confidence_interval
    ours = mean_interval(drawn, 0.95, samples, 5)
    error = data.std() / sqrt(len(data))
    # A 2.5 % quantile of a normal law strays by sqrt(q(1 - q) / samples) / density(1.96), here 0.027.
    assert abs(theirs.low - float(ours.low or 0)) < 6 * 0.027 * error
    assert abs(theirs.high - float(ours.high or 0)) < 6 * 0.027 * error


@pytest.mark.parametrize("scale", [Fraction(1), Fraction(-1), Fraction(1, 10**40), Fraction(10**40)])
def test_values_without_a_small_common_denominator_lose_next_to_nothing(scale: Fraction) -> None:
    primes = [10007, 10009, 10037, 10039, 10061, 10067, 10069, 10079]
    drawn = [(scale * Fraction(p // 3, p), 3) for p in primes] + [(scale / 10**6, 1)]
    generator = np.random.Generator(np.random.PCG64(2))
    exact = sorted(value for value, count in sorted(drawn) for _ in range(count))
    means = sorted(
        sum((exact[i] for i in generator.integers(25, size=25)), Fraction(0)) / 25 for _ in range(41)
    )
    low, high, _ = mean_interval(drawn, 0.5, 41, 2)
    assert isclose(low or 0, means[10], rel_tol=1e-15)
    assert isclose(high or 0, means[30], rel_tol=1e-15)


def test_means_of_simple_rationals_are_exact() -> None:
    drawn = [(Fraction(1, 3), 30), (Fraction(2, 7), 30)]
    low, high, _ = mean_interval(drawn, 0.5, 41, 2)
    assert low is not None
    assert high is not None
    assert (21 * 60) % low.denominator == 0
    assert (21 * 60) % high.denominator == 0


def test_the_level_is_the_decimal_written() -> None:
    # With 1001 resamples and a level of 0.9 the ends are the 51st and the 951st: no neighbour may seep in.
    drawn = [(Fraction(k), 1) for k in range(20)]
    low, high, _ = mean_interval(drawn, 0.9, 1001, 0)
    assert low is not None
    assert high is not None
    assert 20 % low.denominator == 0
    assert 20 % high.denominator == 0
