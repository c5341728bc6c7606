from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.proportion import proportion_confint

from tallystick.metrics.intervals import wilson

LEVELS = [0.5, 0.8, 0.9, 0.95, 0.99, 0.999]


@pytest.mark.parametrize("level", LEVELS)
def test_thousands_of_tables_agree_with_statsmodels(level: float) -> None:
    random = np.random.default_rng(11)
    trials = np.concatenate([np.arange(1, 60), random.integers(1, 10**7, 1000)])
    successes = random.binomial(trials, random.random(len(trials)))
    lows, highs = proportion_confint(successes, trials, 1 - level, method="wilson")
    for k, n, low, high in zip(successes.tolist(), trials.tolist(), lows, highs, strict=True):
        found = wilson(k, n, level)
        assert [float(end or 0) for end in found] == pytest.approx([low, high], abs=1e-12)


@given(data=st.data(), trials=st.integers(1, 10**9), level=st.sampled_from(LEVELS))
def test_an_interval_lies_in_the_unit_range_around_the_share(
    data: st.DataObject, trials: int, level: float
) -> None:
    successes = data.draw(st.integers(0, trials) | st.sampled_from([0, trials]))
    low, high = wilson(successes, trials, level)
    assert low is not None
    assert high is not None
    assert 0 <= low <= Fraction(successes, trials) + Fraction(1, 10**15)
    assert Fraction(successes, trials) - Fraction(1, 10**15) <= high <= 1
    assert (low == 0) == (successes == 0)
    assert (high == 1) == (successes == trials)


@given(data=st.data(), trials=st.integers(1, 10**6))
def test_failures_mirror_successes(data: st.DataObject, trials: int) -> None:
    successes = data.draw(st.integers(0, trials))
    low, high = wilson(successes, trials, 0.95)
    mirrored_low, mirrored_high = wilson(trials - successes, trials, 0.95)
    assert low is not None
    assert mirrored_high is not None
    assert high is not None
    assert mirrored_low is not None
    assert float(low) == pytest.approx(float(1 - mirrored_high), abs=1e-12)
    assert float(high) == pytest.approx(float(1 - mirrored_low), abs=1e-12)


def test_without_trials_there_is_no_interval() -> None:
    assert wilson(0, 0, 0.95) == (None, None)


@pytest.mark.parametrize("trials", [1, 10, 10**6])
def test_none_and_all_have_a_closed_form(trials: int) -> None:
    z = 1.959963984540054
    assert wilson(0, trials, 0.95)[0] == 0
    assert wilson(trials, trials, 0.95)[1] == 1
    assert float(wilson(0, trials, 0.95)[1] or 0) == pytest.approx(z * z / (trials + z * z), rel=1e-12)


def test_a_level_next_to_1_has_an_interval() -> None:
    low, high = wilson(5, 10, 0.9999999999999999)
    wide_low, wide_high = wilson(5, 10, 0.999999)
    assert low is not None
    assert high is not None
    assert wide_low is not None
    assert wide_high is not None
    assert 0 < low < wide_low
    assert wide_high < high < 1
