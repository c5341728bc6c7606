from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallystick.metrics.bins import (
    bin_of,
    expected_calibration_error,
    maximum_calibration_error,
    occupied,
)

BINS = st.sampled_from([1, 2, 3, 7, 10, 64, 100, 999, 1000])


@given(bins=BINS, data=st.data())
def test_a_bin_is_found_as_by_scanning_all_edges(bins: int, data: st.DataObject) -> None:
    edge = st.integers(0, bins).map(lambda b: b / bins)
    near = st.tuples(edge, st.sampled_from([0.0, 1.0])).map(lambda pair: float(np.nextafter(*pair)))
    confidences = data.draw(st.lists(st.floats(0, 1) | edge | near, max_size=30))
    scanned = [max(b for b in range(bins) if b / bins <= c) for c in confidences]
    assert bin_of(np.array(confidences, float), bins).tolist() == scanned


@pytest.mark.parametrize("bins", range(1, 1001, 37))
def test_every_edge_opens_its_bin_and_1_closes_the_last(bins: int) -> None:
    edges = np.array([b / bins for b in range(bins)])
    assert bin_of(edges, bins).tolist() == list(range(bins))
    assert bin_of(np.nextafter(edges[1:], 0), bins).tolist() == list(range(bins - 1))
    assert bin_of(np.array([1.0, -0.0]), bins).tolist() == [bins - 1, 0]


def test_empty_bins_are_left_out() -> None:
    rows = occupied([2, 0, 1], [1, 0, 1], [Fraction(1, 2), Fraction(0), Fraction(9, 10)], 3)
    assert [(row.index, row.lower, row.upper) for row in rows] == [(0, 0.0, 1 / 3), (2, 2 / 3, 1.0)]
    assert [row.accuracy for row in rows] == [Fraction(1, 2), 1]
    assert [row.gap for row in rows] == [Fraction(1, 4), Fraction(1, 10)]


@given(
    cells=st.lists(
        st.tuples(st.integers(0, 9), st.integers(0, 9), st.fractions(0, 1, max_denominator=99)), max_size=12
    )
)
def test_errors_are_those_of_a_loop(cells: list[tuple[int, int, Fraction]]) -> None:
    records = [n for n, _, _ in cells]
    right = [min(k, n) for n, k, _ in cells]
    confidence = [n * mean for n, _, mean in cells]
    rows = occupied(records, right, confidence, len(records))
    gaps = [(n, abs(Fraction(k, n) - c / n)) for n, k, c in zip(records, right, confidence, strict=True) if n]
    total = sum(records)
    assert expected_calibration_error(rows) == (
        sum(n * g for n, g in gaps) / Fraction(total) if total else None
    )
    assert maximum_calibration_error(rows) == max((g for _, g in gaps), default=None)
