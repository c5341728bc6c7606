"""`selective` against sums over records, at the edges of its threshold, and at size."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tallystick
from tallystick.errors import UsageError

EDGES = [0.0, 5e-324, 0.699999988079071, 0.7, 0.7000000000000001, 0.9, 1.0]
RECORDS = st.lists(st.tuples(st.sampled_from(EDGES), st.booleans()), min_size=1, max_size=40)


def _rows(records: list[Any]) -> Any:
    return [
        {"expected": "yes", "predicted": "Yes" if right else "no", "confidence": confidence}
        for confidence, right in records
    ]


def _findings(records: list[Any], threshold: float, **options: Any) -> Any:
    return tallystick.run("selective", _rows(records), confidence_threshold=threshold, **options)


@given(RECORDS, st.sampled_from(EDGES))
def test_the_operating_point_agrees_with_counting(records: list[Any], threshold: float) -> None:
    result = _findings(records, threshold).result
    accepted = [right for confidence, right in records if confidence >= threshold]
    assert (result["accepted"], result["abstained"]) == (len(accepted), len(records) - len(accepted))
    assert result["coverage"] == len(accepted) / len(records)
    assert result["risk"] == (accepted.count(False) / len(accepted) if accepted else None)


@given(RECORDS)
def test_the_curve_has_a_point_for_each_distinct_confidence(records: list[Any]) -> None:
    result = _findings(records, 0.5).result
    thresholds = sorted({confidence for confidence, _ in records}, reverse=True)
    assert [point["threshold"] for point in result["curve"]] == thresholds
    area, before = Fraction(0), 0
    for point in result["curve"]:
        accepted = [right for confidence, right in records if confidence >= point["threshold"]]
        risk = Fraction(accepted.count(False), len(accepted))
        assert point["records"] == len(accepted)
        assert (point["coverage"], point["risk"]) == (len(accepted) / len(records), float(risk))
        area += risk * Fraction(len(accepted) - before, len(records))
        before = len(accepted)
    assert result["risk_coverage_area"] == pytest.approx(float(area), rel=1e-15)
    assert result["omitted"] == {"curve": 0}


@given(st.data(), RECORDS)
def test_the_order_of_tied_records_cannot_matter(data: st.DataObject, records: list[Any]) -> None:
    shuffled = data.draw(st.permutations(records))
    assert _findings(records, 0.7).result == _findings(shuffled, 0.7).result


def test_where_nothing_is_accepted_risk_is_undefined_and_a_gate_on_it_fails() -> None:
    report = _findings([(0.9, True), (0.2, False)], 1.0, gates=["risk <= 1", "coverage >= 0"])
    assert report.result["risk"] is None
    assert report.body["undefined"]["risk"] == "no prediction is accepted at the threshold"
    assert [gate["status"] for gate in report.body["gates"]] == ["undefined", "passed"]
    assert not report.passed


def test_risk_and_coverage_are_compared_exactly() -> None:
    records = [(0.9, True), (0.9, True), (0.9, False), (0.1, True)]
    assert _findings(records, 0.5, gates=["coverage >= 0.75"]).passed
    assert not _findings(records, 0.5, gates=["risk <= 0.3333333333333333"]).passed
    assert _findings(records, 0.5, gates=["risk <= 0.33333333333333334"]).passed


def test_a_threshold_is_required_and_lies_in_the_range_of_a_probability() -> None:
    with pytest.raises(UsageError, match="confidence_threshold: required"):
        tallystick.run("selective", _rows([(0.5, True)]))
    with pytest.raises(UsageError, match="from 0 to 1"):
        _findings([(0.5, True)], 1.5)


def test_many_distinct_confidences_are_thinned_to_a_curve_with_the_threshold() -> None:
    confidence = np.random.default_rng(0).permutation(100_000) / 100_000
    rows = [{"expected": "", "predicted": "", "confidence": c} for c in confidence.tolist()]
    result = tallystick.run("selective", rows, confidence_threshold=0.25).result
    assert result["accepted"] == 75_000
    assert len(result["curve"]) == 500
    assert result["omitted"]["curve"] == 100_000 - 500
    assert 0.25 in [point["threshold"] for point in result["curve"]]
