"""`probability-drift` against scipy, against loops over cases, and at its edges."""

from fractions import Fraction
from math import fsum
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import jensenshannon

import tallystick
from tallystick.audit import Sliced
from tallystick.audits.probability_drift import Options, ProbabilityDrift
from tallystick.errors import RecordError
from tallystick.sources.batch import Batch

WEIGHTS = st.sampled_from([0.0, 1e-9, 0.25, 0.5, 1.0, 3.0])
Cases = list[dict[str, Any]]


@st.composite
def cases(draw: st.DrawFn) -> Cases:
    """Draw cases over some labels, with ties, zeros and equal distributions."""
    labels = ["Zeta", "alpha", "beta"][: draw(st.integers(1, 3))]
    count = draw(st.integers(1, 8))
    ids = draw(st.permutations([f"case {n}" for n in range(count)]))
    vectors = st.lists(WEIGHTS, min_size=len(labels), max_size=len(labels)).filter(any)
    rows = []
    for id_ in ids:
        one = draw(vectors)
        other = draw(st.just(one) | vectors)
        row: dict[str, Any] = {"case_id": id_}
        for field, weights in (("baseline_scores", one), ("candidate_scores", other)):
            keys = draw(st.permutations(labels))
            shares = {label: w / fsum(weights) for label, w in zip(labels, weights, strict=True)}
            row[field] = {key: shares[key] for key in keys}
        rows.append(row)
    return rows


def _run(rows: Cases, **options: Any) -> tallystick.Report:
    return tallystick.run("probability-drift", rows, **options)


def _pairs(row: dict[str, Any]) -> list[tuple[float, float]]:
    before, after = row["baseline_scores"], row["candidate_scores"]
    return [(before[label], after[label]) for label in sorted(before)]


def _variation(row: dict[str, Any]) -> float:
    return min(1.0, fsum(abs(p - q) / 2 for p, q in _pairs(row)))


def _top(scores: dict[str, float]) -> str:
    return min(scores, key=lambda label: (-scores[label], label))


@given(cases())
def test_distances_agree_with_scipy_and_with_sums_written_out(rows: Cases) -> None:
    result = _run(rows).result
    variations = [_variation(row) for row in rows]
    assert result["mean_total_variation"] == float(sum(map(Fraction, variations)) / len(rows))
    assert result["case_total_variation"] == max(variations)
    divergences = []
    for row in rows:
        p, q = ([pair[side] for pair in _pairs(row)] for side in (0, 1))
        divergences.append(float(jensenshannon(p, q, base=2)) ** 2)
    assert result["mean_js_divergence"] == pytest.approx(sum(divergences) / len(rows), rel=1e-9, abs=1e-12)
    assert result["case_js_divergence"] == pytest.approx(max(divergences), rel=1e-9, abs=1e-12)


@given(cases())
def test_the_worst_case_is_the_first_of_the_largest(rows: Cases) -> None:
    result = _run(rows).result
    worst = min(rows, key=lambda row: (-_variation(row), row["case_id"]))
    assert result["case_total_variation_id"] == worst["case_id"]
    assert result["case_js_divergence_id"] in {row["case_id"] for row in rows}


@given(cases())
def test_labels_and_changes_of_the_top_label_agree_with_counting(rows: Cases) -> None:
    result = _run(rows).result
    changes = sum(_top(row["baseline_scores"]) != _top(row["candidate_scores"]) for row in rows)
    assert (result["top_label_changes"], result["top_label_change_rate"]) == (changes, changes / len(rows))
    order = []
    for line in result["per_label"]:
        label = line["label"]
        moved = [Fraction(row["candidate_scores"][label] - row["baseline_scores"][label]) for row in rows]
        size = sum(map(abs, moved)) / len(rows)
        assert line["mean_shift"] == float(sum(moved) / len(rows))
        assert line["mean_absolute_change"] == float(size)
        order.append((-size, label))
    assert order == sorted(order)


@given(st.data(), cases(), st.integers(0, 4))
def test_details_are_ordered_and_cut_whatever_the_order_of_rows(
    data: st.DataObject, rows: Cases, most: int
) -> None:
    result = _run(rows, max_details=most).result
    whole = _run(data.draw(st.permutations(rows)), max_details=1000).result
    order = [(-d["js_divergence"], -d["total_variation"], d["case_id"]) for d in whole["details"]]
    assert order == sorted(order)
    assert result["details"] == whole["details"][:most]
    assert result["omitted"]["details"] == max(0, len(rows) - most)
    for name in ("mean_total_variation", "mean_js_divergence", "per_label", "case_js_divergence_id"):
        assert result[name] == whole[name]


def test_nothing_moved_is_exactly_0_and_limits_of_0_pass() -> None:
    scores = {"a": 0.1, "b": 0.7, "c": 0.2}
    rows = [{"case_id": "x", "baseline_scores": scores, "candidate_scores": dict(reversed(scores.items()))}]
    measures = ["mean_total_variation", "case_total_variation", "mean_js_divergence", "case_js_divergence"]
    report = _run(rows, gates=[f"{name} <= 0" for name in [*measures, "top_label_change_rate"]])
    assert report.passed
    assert [report.result[name] for name in measures] == [0.0] * 4


def test_all_moved_is_exactly_1() -> None:
    rows = [{"case_id": "x", "baseline_scores": {"a": 1, "b": 0}, "candidate_scores": {"a": 0, "b": 1}}]
    result = _run(rows).result
    assert result["mean_total_variation"] == result["mean_js_divergence"] == 1.0


def test_nearly_equal_distributions_are_a_little_apart_and_never_below_0() -> None:
    before, after = {"a": 0.868, "b": 0.132}, {"a": 0.8680000000000001, "b": 0.1319999999999999}
    result = _run([{"case_id": "x", "baseline_scores": before, "candidate_scores": after}]).result
    assert 0 < result["mean_js_divergence"] < 1e-30


def test_the_tiniest_probabilities_are_no_trouble() -> None:
    before, after = {"a": 5e-324, "b": 1.0}, {"a": 0.0, "b": 1.0}
    result = _run([{"case_id": "x", "baseline_scores": before, "candidate_scores": after}]).result
    assert 0 <= result["mean_js_divergence"] < 1e-300


def test_records_that_do_not_fit_are_named() -> None:
    fine = {"case_id": "x", "baseline_scores": {"a": 1}, "candidate_scores": {"a": 1}}
    with pytest.raises(RecordError, match='records:2: case_id: "x" occurs more than once'):
        _run([fine, fine])
    other = fine | {"candidate_scores": {"b": 1}}
    with pytest.raises(RecordError, match='records:1: candidate_scores: label "b" is not'):
        _run([other])
    with pytest.raises(RecordError, match='records:2: baseline_scores: label "b" is not'):
        _run([fine, {"case_id": "y", "baseline_scores": {"b": 1}, "candidate_scores": {"b": 1}}])
    short = fine | {"candidate_scores": {"a": 0.5}}
    with pytest.raises(RecordError, match=r"candidate_scores: the probabilities sum to 0\.5"):
        _run([short])


def test_parts_with_other_labels_are_refused_once_they_meet() -> None:
    one, other = (Sliced(ProbabilityDrift, Options(), ()) for _ in range(2))
    for state, label in ((one, "a"), (other, "b")):
        columns = {"case_id": [label], "baseline_scores": [{label: 1.0}], "candidate_scores": [{label: 1.0}]}
        state.update(Batch(columns, 1))
    assert one.overall.lacking() is None
    one.merge(other)
    assert 'got ["a"] (1 records) and ["b"]' in (one.overall.lacking() or "")
