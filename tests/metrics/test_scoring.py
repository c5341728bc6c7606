"""Losses and ranks of probability vectors against scoringrules, and against loops."""

from fractions import Fraction
from math import fsum, log
from typing import Any

import numpy as np
import pytest
import scoringrules
from hypothesis import given
from hypothesis import strategies as st

from tallystick.metrics.scoring import (
    at,
    brier_score,
    brier_score_by_name,
    expected_level,
    first_largest,
    log_loss,
    nearest_level,
    rank_of,
    ranked_probability_score,
    sums_to_one,
)

WEIGHTS = st.sampled_from([0.0, 5e-324, 1e-12, 0.25, 0.5, 1.0, 3.0])


@st.composite
def vectors(draw: st.DrawFn, least: int = 2) -> Any:
    """Draw some vectors of one length that sum to 1, with ties and zeros, and a right option of each."""
    size = draw(st.integers(least, 5))
    rows = draw(st.lists(st.lists(WEIGHTS, min_size=size, max_size=size).filter(any), min_size=1, max_size=8))
    p = np.array([[w / fsum(row) for w in row] for row in rows])
    gold = draw(st.lists(st.integers(0, size - 1), min_size=len(rows), max_size=len(rows)))
    return p, np.array(gold)


@given(vectors())
def test_the_answer_is_the_first_of_the_largest(drawn: Any) -> None:
    p, _ = drawn
    assert first_largest(p).tolist() == [row.index(max(row)) for row in p.tolist()]


@given(vectors())
def test_ranks_follow_probability_and_then_the_order_of_the_options(drawn: Any) -> None:
    p, gold = drawn
    for row, right, rank in zip(p.tolist(), gold.tolist(), rank_of(p, gold).tolist(), strict=True):
        order = sorted(range(len(row)), key=lambda place: (-row[place], place))
        assert order.index(right) == rank


@given(vectors())
def test_brier_scores_agree_with_scoringrules(drawn: Any) -> None:
    p, gold = drawn
    right = np.eye(p.shape[1])[gold]
    expected = scoringrules.brier_score(right, p).sum(axis=1)
    assert brier_score(p, gold) == pytest.approx(expected, rel=1e-12, abs=1e-15)


@given(st.data(), vectors())
def test_the_order_of_the_options_does_not_change_a_brier_score(data: st.DataObject, drawn: Any) -> None:
    p, gold = drawn
    names = ["b", "Z", "é", "a", "bb"][: p.shape[1]]
    order = sorted(range(len(names)), key=names.__getitem__)
    expected = brier_score(p[:, order], np.array([order.index(place) for place in gold.tolist()]))
    rows = [data.draw(st.permutations(range(len(names)))) for _ in p]
    shuffled = np.array([row[places] for row, places in zip(p, rows, strict=True)])
    moved = np.array([places.index(right) for places, right in zip(rows, gold.tolist(), strict=True)])
    options = [[names[place] for place in places] for places in rows]
    assert brier_score_by_name(shuffled, moved, options).tolist() == expected.tolist()


def test_a_brier_score_lies_between_0_and_2() -> None:
    certain = np.array([[1.0, 0.0], [0.0, 1.0]])
    assert brier_score(certain, np.array([0, 0])).tolist() == [0.0, 2.0]


@given(vectors())
def test_ranked_probability_scores_agree_with_scoringrules(drawn: Any) -> None:
    p, gold = drawn
    expected = scoringrules.rps_score(gold + 1, p) / (p.shape[1] - 1)
    assert ranked_probability_score(p, gold) == pytest.approx(expected, rel=1e-12, abs=1e-15)


def test_the_ranked_probability_score_is_1_when_all_is_at_the_other_end_and_0_when_it_is_right() -> None:
    p = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    assert ranked_probability_score(p, np.array([2, 2])).tolist() == [1.0, 0.0]
    near, far = np.array([[0.0, 1.0, 0.0]]), np.array([[1.0, 0.0, 0.0]])
    top = np.array([2])
    assert ranked_probability_score(near, top) < ranked_probability_score(far, top)


def test_the_log_loss_is_floored_never_infinite_and_never_negative() -> None:
    loss = log_loss(np.array([1.0, 0.5, 1e-15, 5e-324, 0.0]), 1e-15)
    assert loss == pytest.approx([0.0, log(2), 15 * log(10), 15 * log(10), 15 * log(10)], rel=1e-12)
    assert not np.signbit(loss).any()


@given(st.lists(st.floats(0, 1), min_size=1, max_size=300), st.integers(0, 9))
def test_a_log_loss_does_not_depend_on_where_its_record_stands(values: list[float], skip: int) -> None:
    whole = log_loss(np.array(values), 1e-15).tolist()
    assert log_loss(np.array(values[::-1]), 1e-15).tolist()[::-1] == whole
    assert log_loss(np.repeat(values, 2)[::2], 1e-15).tolist() == whole
    assert log_loss(np.array(values[skip:]), 1e-15).tolist() == whole[skip:]


@given(vectors())
def test_the_expected_level_is_the_mean_of_the_levels(drawn: Any) -> None:
    p, _ = drawn
    means = [float(sum(level * Fraction(x) for level, x in enumerate(row))) for row in p.tolist()]
    assert expected_level(p) == pytest.approx(means, rel=1e-12)


def test_the_nearest_level_rounds_halves_up_and_stays_on_the_scale() -> None:
    expected = np.array([0.0, 0.4999999999999999, 0.5, 1.5, 2.0, 2.6])
    assert nearest_level(expected, 3).tolist() == [0, 0, 1, 2, 2, 2]


@given(vectors())
def test_at_picks_by_place(drawn: Any) -> None:
    p, gold = drawn
    assert at(p, gold).tolist() == [row[place] for row, place in zip(p.tolist(), gold.tolist(), strict=True)]


@pytest.mark.parametrize(
    ("row", "tolerance", "near"),
    [
        ([0.7, 0.300001], 1e-6, True),
        ([0.7, 0.299999], 1e-6, True),
        ([0.7, 0.30000101], 1e-6, False),
        ([0.7, 0.29999899], 1e-6, False),
        ([0.1] * 10, 0.0, True),
        ([0.5, 0.5 + 5e-13], 0.0, True),
        ([0.5, 0.5 + 2e-12], 0.0, False),
        ([1.0, 5e-324], 0.0, True),
        ([0.0, 0.0], 0.1, False),
        ([1.0, 1.0], 0.1, False),
        ([0.5, float("nan")], 0.1, False),
    ],
)
def test_a_tolerance_is_met_from_both_sides(row: Any, tolerance: float, near: bool) -> None:
    assert sums_to_one(np.array([row, row]), tolerance).tolist() == [near, near]


@given(
    st.lists(st.floats(0, 1), min_size=2, max_size=9),
    st.sampled_from([0.0, 1e-9, 1e-6, 1e-3, 0.1]),
    st.integers(-20, 20),
)
def test_the_plain_sum_never_decides_what_the_exact_one_would_not(
    values: list[float], tolerance: float, steps: int
) -> None:
    target = 1 + tolerance + 1e-12
    row = [v / len(values) for v in values]
    row[-1] = target - fsum(row[:-1]) + steps * 2**-54
    exact = abs(fsum(row) - 1) <= tolerance + 1e-12
    assert sums_to_one(np.array([row]), tolerance).tolist() == [exact]


@pytest.mark.parametrize(
    ("p", "expected", "level"),
    [([0.0, 0.0, 0.6, 0.3, 0.1], 2.5, 3), ([0.0, 0.0, 0.05, 0.9, 0.05], 3.0, 3), ([0.5, 0.5], 0.5, 1)],
)
def test_a_mean_level_that_is_a_decimal_is_that_decimal(p: list[float], expected: float, level: int) -> None:
    made = expected_level(np.array([p]))
    assert made.tolist() == [expected]
    assert nearest_level(made, len(p)).tolist() == [level]
