from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import jensenshannon

from tallystick.metrics import divergence

labels = st.sampled_from("abcdefgh")
counts = st.dictionaries(labels, st.integers(1, 10**12), min_size=1)
shares = st.floats(0, 1, allow_subnormal=True)


@st.composite
def rows(draw: st.DrawFn) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Two arrays (n, k) of probabilities, some of them equal and some 0, whose rows sum to about 1."""
    shape = draw(st.integers(1, 4)), draw(st.integers(1, 5))
    size = shape[0] * shape[1]
    p, q = (np.array(draw(st.lists(shares, min_size=size, max_size=size))).reshape(shape) for _ in range(2))
    same = np.array(draw(st.lists(st.booleans(), min_size=size, max_size=size))).reshape(shape)
    q = np.where(same, p, q)
    for one in (p, q):
        one[one.sum(axis=1) < 1e-300, 0] = 1
    return p / p.sum(axis=1, keepdims=True), q / q.sum(axis=1, keepdims=True)


def exactly(number: Fraction) -> Decimal:
    return Decimal(number.numerator) / Decimal(number.denominator)


def precise_js(p: list[Any], q: list[Any]) -> Decimal:
    """Evaluate the textbook formula in 80 digits."""
    with localcontext(prec=80):
        both = [(exactly(Fraction(a)), exactly(Fraction(b))) for a, b in zip(p, q, strict=True)]
        terms = [x * (2 * x / (a + b)).ln() for a, b in both for x in (a, b) if x]
        return sum(terms, Decimal(0)) / (2 * Decimal(2).ln())


def in_shares(reference: dict[str, int], candidate: dict[str, int]) -> tuple[list[Fraction], list[Fraction]]:
    names = sorted({*reference, *candidate})
    totals = sum(reference.values()), sum(candidate.values())
    return (
        [Fraction(reference.get(x, 0), totals[0]) for x in names],
        [Fraction(candidate.get(x, 0), totals[1]) for x in names],
    )


@given(counts, counts)
def test_distances_of_counts_are_their_definitions(
    reference: dict[str, int], candidate: dict[str, int]
) -> None:
    p, q = in_shares(reference, candidate)
    changes = divergence.share_changes(reference, candidate)
    assert changes is not None
    assert list(changes) == sorted({*reference, *candidate})
    assert list(changes.values()) == [b - a for a, b in zip(p, q, strict=True)]
    variation = sum(abs(a - b) for a, b in zip(p, q, strict=True)) / 2
    assert divergence.total_variation_of_counts(reference, candidate) == variation
    js = divergence.js_divergence_of_counts(reference, candidate)
    assert js is not None
    assert float(js) == pytest.approx(float(precise_js(p, q)), rel=1e-12, abs=0)


@given(counts, counts)
def test_the_divergence_of_counts_lies_between_0_and_1_and_knows_no_side(
    reference: dict[str, int], candidate: dict[str, int]
) -> None:
    js = divergence.js_divergence_of_counts(reference, candidate)
    assert js is not None
    assert 0 <= js <= 1
    assert js == divergence.js_divergence_of_counts(candidate, reference)
    assert js == divergence.js_divergence_of_counts(dict(reversed(reference.items())), candidate)


@given(counts, st.integers(1, 10**6), st.integers(1, 10**6))
def test_equal_shares_have_distance_exactly_0(reference: dict[str, int], one: int, other: int) -> None:
    a, b = ({label: n * k for label, n in reference.items()} for k in (one, other))
    assert divergence.js_divergence_of_counts(a, b) == 0
    assert divergence.total_variation_of_counts(a, b) == 0


@given(counts, counts)
def test_disjoint_labels_have_distance_exactly_1(
    reference: dict[str, int], candidate: dict[str, int]
) -> None:
    other = {label.upper(): n for label, n in candidate.items()}
    assert divergence.js_divergence_of_counts(reference, other) == 1
    assert divergence.total_variation_of_counts(reference, other) == 1


@pytest.mark.parametrize(("reference", "candidate"), [({}, {"a": 1}), ({"a": 1}, {}), ({}, {})])
def test_a_side_without_records_leaves_all_undefined(
    reference: dict[str, int], candidate: dict[str, int]
) -> None:
    assert divergence.share_changes(reference, candidate) is None
    assert divergence.total_variation_of_counts(reference, candidate) is None
    assert divergence.js_divergence_of_counts(reference, candidate) is None


def test_counts_that_barely_differ_keep_their_precision() -> None:
    reference, candidate = {"a": 10**15, "b": 10**15}, {"a": 10**15 + 1, "b": 10**15 - 1}
    js = divergence.js_divergence_of_counts(reference, candidate)
    assert js is not None
    assert float(js) == pytest.approx(float(precise_js(*in_shares(reference, candidate))), rel=1e-12, abs=0)
    assert 0 < js < Fraction(1, 10**30)


@given(rows())
def test_distances_of_rows_are_their_definitions(
    pair: tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]],
) -> None:
    p, q = pair
    js, variation = divergence.js_divergence(p, q), divergence.total_variation(p, q)
    for row in range(len(p)):
        precise = float(precise_js(p[row].tolist(), q[row].tolist()))
        assert js[row] == pytest.approx(min(precise, 1), rel=1e-12, abs=1e-300)
        half = (
            sum(abs(Fraction(a) - Fraction(b)) for a, b in zip(p[row].tolist(), q[row].tolist(), strict=True))
            / 2
        )
        assert variation[row] == pytest.approx(min(float(half), 1), rel=1e-14, abs=1e-300)


@given(rows())
def test_the_divergence_of_rows_lies_between_0_and_1_and_is_0_for_equal_ones(
    pair: tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]],
) -> None:
    p, q = pair
    js = divergence.js_divergence(p, q)
    assert ((js >= 0) & (js <= 1)).all()
    assert (divergence.js_divergence(p, p) == 0).all()
    assert (divergence.total_variation(p, p) == 0).all()
    assert (js == divergence.js_divergence(q, p)).all()
    order = np.arange(p.shape[1])[::-1]
    assert (js == divergence.js_divergence(p[:, order], q[:, order])).all()


def test_thousands_of_random_rows_agree_with_scipy() -> None:
    random = np.random.default_rng(3)
    for size in (2, 3, 10, 100):
        p, q = (random.dirichlet(np.full(size, 0.5), 2000) for _ in range(2))
        theirs = jensenshannon(p, q, base=2, axis=1) ** 2
        np.testing.assert_allclose(divergence.js_divergence(p, q), theirs, rtol=1e-9)


def test_disjoint_rows_have_distance_1() -> None:
    p, q = np.array([[0.5, 0.5, 0, 0], [1, 0, 0, 0]]), np.array([[0, 0, 0.25, 0.75], [0, 0, 0, 1]])
    assert divergence.js_divergence(p, q).tolist() == [1, 1]
    assert divergence.total_variation(p, q).tolist() == [1, 1]


def test_rounding_never_lifts_the_divergence_of_counts_above_1() -> None:
    reference, candidate = {"a": 14, "b": 17, "c": 7}, {"a": 1, "z": 10**17}
    assert divergence.js_divergence_of_counts(reference, candidate) == 1


def test_rows_that_sum_to_more_than_1_are_no_further_than_1_apart() -> None:
    p, q = np.array([[0.6, 0.5, 0, 0]]), np.array([[0, 0, 0.6, 0.5]])
    assert divergence.js_divergence(p, q).tolist() == [1]
    assert divergence.total_variation(p, q).tolist() == [1]


def test_rows_without_labels_are_equal() -> None:
    nothing = np.empty((2, 0))
    assert divergence.js_divergence(nothing, nothing).tolist() == [0, 0]
