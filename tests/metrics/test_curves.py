"""Curves and areas against scikit-learn, and against sums written out."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score, roc_auc_score

from tallystick.metrics.curves import (
    acceptance,
    average_precision,
    risk_coverage_area,
    roc_auc,
    thinned,
)

SCORES = st.sampled_from([0.0, 5e-324, 0.1, 0.5, 0.7, 0.7000000000000001, 1.0])
RECORDS = st.lists(st.tuples(SCORES, st.booleans()), min_size=1, max_size=60)


def _counted(records: list[Any]) -> Any:
    """Give distinct scores, ascending, and how many are marked and unmarked at each."""
    scores = sorted({score for score, _ in records})
    marked = [sum(mark for score, mark in records if score == s) for s in scores]
    plain = [sum(not mark for score, mark in records if score == s) for s in scores]
    return np.array(scores), np.array(marked), np.array(plain)


@given(RECORDS)
def test_a_threshold_accepts_the_records_at_or_above_it(records: list[Any]) -> None:
    curve = acceptance(*_counted(records))
    for threshold in (0.0, 5e-324, 0.3, 0.7, 1.0):
        accepted = [right for score, right in records if score >= threshold]
        assert curve.at(threshold) == (len(accepted), accepted.count(False))


@given(RECORDS)
def test_the_area_is_the_sum_of_risk_times_the_increase_of_coverage(records: list[Any]) -> None:
    area, before = Fraction(0), 0
    for threshold in sorted({score for score, _ in records}, reverse=True):
        accepted = [right for score, right in records if score >= threshold]
        risk = Fraction(accepted.count(False), len(accepted))
        area += risk * Fraction(len(accepted) - before, len(records))
        before = len(accepted)
    assert risk_coverage_area(acceptance(*_counted(records))) == pytest.approx(area, rel=1e-15, abs=0)


def test_the_area_of_a_model_that_is_always_right_is_0_and_of_one_always_wrong_1() -> None:
    scores, some, none = np.array([0.2, 0.9]), np.array([3, 4]), np.array([0, 0])
    assert risk_coverage_area(acceptance(scores, some, none)) == 0
    assert risk_coverage_area(acceptance(scores, none, some)) == 1


def test_without_records_there_is_no_area() -> None:
    empty = np.array([], dtype=np.int64)
    assert risk_coverage_area(acceptance(np.array([]), empty, empty)) is None
    assert roc_auc(empty, empty) is None
    assert average_precision(empty, empty) is None


@given(RECORDS.filter(lambda records: len({mark for _, mark in records}) == 2))
def test_areas_agree_with_scikit_learn_when_scores_tie(records: list[Any]) -> None:
    scores, marks = [s for s, _ in records], [m for _, m in records]
    _, positive, negative = _counted(records)
    assert roc_auc(positive, negative) == pytest.approx(Fraction(roc_auc_score(marks, scores)), rel=1e-12)
    expected = Fraction(average_precision_score(marks, scores))
    assert average_precision(positive, negative) == pytest.approx(expected, rel=1e-12)


@given(RECORDS)
def test_the_area_under_the_roc_curve_is_the_share_of_pairs_in_order(records: list[Any]) -> None:
    positive = [score for score, mark in records if mark]
    negative = [score for score, mark in records if not mark]
    won = sum(Fraction((p > q) * 2 + (p == q), 2) for p in positive for q in negative)
    pairs = len(positive) * len(negative)
    assert roc_auc(*_counted(records)[1:]) == (won / pairs if pairs else None)


def test_without_one_of_the_kinds_an_area_is_undefined() -> None:
    some, none = np.array([2, 1]), np.array([0, 0])
    assert roc_auc(some, none) is None
    assert roc_auc(none, some) is None
    assert average_precision(none, some) is None
    assert average_precision(some, none) == 1


@given(
    st.lists(st.integers(1, 50), min_size=1, max_size=200),
    st.integers(3, 40),
    st.floats(0, 1, allow_nan=False),
)
def test_a_thinned_curve_keeps_its_ends_the_threshold_and_equal_steps(
    counts: list[int], most: int, threshold: float
) -> None:
    scores = np.linspace(0, 1, len(counts))
    curve = acceptance(scores, np.array(counts), np.zeros(len(counts), dtype=np.int64))
    kept = thinned(curve, most, threshold).tolist()
    assert kept == sorted(set(kept))
    assert len(kept) <= most
    assert {0, len(counts) - 1} <= set(kept)
    acting = [i for i, t in enumerate(curve.threshold) if t >= threshold]
    assert not acting or acting[-1] in kept
    if len(counts) <= most:
        assert kept == list(range(len(counts)))
        return
    records = sum(counts)
    for step in range(1, most - 1):
        reached = next(i for i, n in enumerate(curve.records) if n * (most - 2) >= step * records)
        assert reached in kept
