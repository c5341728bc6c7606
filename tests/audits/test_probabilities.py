"""`probabilities` against scikit-learn, against loops over records, and at its edges."""

from fractions import Fraction
from math import fsum, log
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics

import tallystick
from tallystick.audit import Sliced
from tallystick.audits.probabilities import Options, Probabilities
from tallystick.errors import RecordError, SourceError, UsageError
from tallystick.sources.batch import Batch

WEIGHTS = st.sampled_from([0.0, 1e-9, 0.25, 0.5, 1.0, 3.0])


@st.composite
def records(
    draw: st.DrawFn, labels: tuple[str, ...] = ("Zeta", "alpha", "beta", "émile")
) -> list[dict[str, Any]]:
    """Draw records over some labels, with ties and zeros, keys in any order."""
    used = labels[: draw(st.integers(2, len(labels)))]
    rows = []
    for _ in range(draw(st.integers(1, 12))):
        weights = draw(st.lists(WEIGHTS, min_size=len(used), max_size=len(used)).filter(any))
        scores = {label: w / fsum(weights) for label, w in zip(used, weights, strict=True)}
        keys = draw(st.permutations(used))
        rows.append({"expected": draw(st.sampled_from(used)), "scores": {key: scores[key] for key in keys}})
    return rows


def _run(rows: list[dict[str, Any]], **options: Any) -> Any:
    return tallystick.run("probabilities", rows, **options)


def _ranked(row: Any) -> Any:
    return sorted(row["scores"], key=lambda label: (-row["scores"][label], label))


@given(records())
def test_losses_agree_with_scikit_learn(rows: list[dict[str, Any]]) -> None:
    result = _run(rows).result
    labels = sorted(rows[0]["scores"])
    expected = [row["expected"] for row in rows]
    p = np.array([[row["scores"][label] for label in labels] for row in rows])
    floored = np.maximum(p[range(len(rows)), [labels.index(x) for x in expected]], 1e-15)
    assert result["log_loss"] == pytest.approx(-np.log(floored).mean(), rel=1e-12)
    predicted = [_ranked(row)[0] for row in rows]
    assert result["accuracy"] == metrics.accuracy_score(expected, predicted)
    recalls = [
        Fraction(sum(p == x == y for x, y in zip(expected, predicted, strict=True)), expected.count(p))
        for p in sorted(set(expected))
    ]
    assert result["balanced_accuracy"] == float(sum(recalls) / len(recalls))
    squares = [sum((row["scores"][x] - (x == row["expected"])) ** 2 for x in labels) for row in rows]
    assert result["brier_score"] == pytest.approx(fsum(squares) / len(rows), rel=1e-12, abs=1e-15)


def test_the_log_loss_of_scikit_learn_on_inner_probabilities() -> None:
    generator = np.random.default_rng(3)
    p = generator.dirichlet([1, 2, 3, 1], 500)
    expected = generator.choice(list("abcd"), 500)
    rows = [
        {"expected": x, "scores": dict(zip("abcd", row, strict=True))}
        for x, row in zip(expected.tolist(), p.tolist(), strict=True)
    ]
    report = _run(rows, top_k=[2, 3])
    assert report.log_loss == pytest.approx(metrics.log_loss(expected, p, labels=list("abcd")), rel=1e-12)
    for row in report.result["top_k"]:
        score = metrics.top_k_accuracy_score(expected, p, k=row["k"], labels=list("abcd"))
        assert row["accuracy"] == score
    codes = np.array(["abcd".index(x) for x in expected])
    squared = np.square(p - np.eye(4)[codes]).sum(axis=1).mean()
    assert report.brier_score == pytest.approx(squared, rel=1e-12)


@given(records(), st.integers(1, 40))
def test_calibration_is_that_of_the_first_label(rows: list[dict[str, Any]], bins: int) -> None:
    result = _run(rows, bins=bins).result
    confident = [
        {"expected": row["expected"], "predicted": first, "confidence": row["scores"][first]}
        for row in rows
        for first in _ranked(row)[:1]
    ]
    other = tallystick.run("calibration", confident, bins=bins, normalize="exact").result
    for name in ("accuracy", "mean_confidence", "ece", "mce", "reliability"):
        assert result[name] == other[name]


@given(records())
def test_top_k_counts_the_labels_ranked_before(rows: list[dict[str, Any]]) -> None:
    size = len(rows[0]["scores"])
    table = _run(rows, top_k=list(range(1, size + 1)), gate_top_k=2).result
    for row in table["top_k"]:
        among = sum(r["expected"] in _ranked(r)[: row["k"]] for r in rows)
        assert row["accuracy"] == among / len(rows)
    assert table["top_k"][-1]["accuracy"] == 1
    assert table["top_k_accuracy"] == table["top_k"][1]["accuracy"]


@given(records(labels=("no", "yes")))
def test_two_labels_agree_with_scikit_learn(rows: list[dict[str, Any]]) -> None:
    result = _run(rows, positive="yes").result
    truth = [row["expected"] == "yes" for row in rows]
    scores = [row["scores"]["yes"] for row in rows]
    squares = fsum((s - y) ** 2 for s, y in zip(scores, truth, strict=True))
    assert result["brier_binary"] == pytest.approx(squares / len(rows), rel=1e-12, abs=1e-15)
    if len(set(truth)) == 2:
        assert result["roc_auc"] == pytest.approx(metrics.roc_auc_score(truth, scores), rel=1e-12)
    else:
        assert result["roc_auc"] is None
    if any(truth):
        expected = metrics.average_precision_score(truth, scores)
        assert result["average_precision"] == pytest.approx(expected, rel=1e-12)
    else:
        assert result["average_precision"] is None


@given(st.data(), records())
def test_neither_key_order_nor_row_order_matters(data: st.DataObject, rows: list[dict[str, Any]]) -> None:
    shuffled = [
        {"scores": dict(data.draw(st.permutations(list(row["scores"].items())))), "expected": row["expected"]}
        for row in data.draw(st.permutations(rows))
    ]
    assert _run(rows).result == _run(shuffled).result


def test_two_equal_maxima_are_one_prediction_by_label() -> None:
    rows = [{"expected": x, "scores": {"zeta": 0.5, "alpha": 0.5}} for x in ("alpha", "alpha", "zeta")]
    result = _run(rows).result
    assert result["accuracy"] == 2 / 3
    assert [row["predicted"] for row in result["per_class"]] == [3, 0]


def test_impossible_answers_are_floored_and_counted() -> None:
    rows = [{"expected": "b", "scores": {"a": 1.0, "b": 0.0}}, {"expected": "a", "scores": {"a": 1, "b": 0}}]
    report = _run(rows, floor=1e-9, gates=["zero_expected_probability_count <= 0"])
    assert report.log_loss == pytest.approx(9 * log(10) / 2, rel=1e-12)
    assert report.result["zero_expected_probability_count"] == 1
    assert not report.passed
    tiny = [{"expected": "b", "scores": {"a": 1.0, "b": 5e-324}}]
    assert _run(tiny).result["zero_expected_probability_count"] == 0


def test_probabilities_are_used_as_they_are() -> None:
    rows = [{"expected": "a", "scores": {"a": 0.45, "b": 0.5}}]
    assert _run(rows, sum_tolerance=0.1).log_loss == pytest.approx(-log(0.45), rel=1e-12)


@pytest.mark.parametrize("other", [0.300001, 0.299999])
def test_a_sum_on_the_tolerance_is_accepted_from_both_sides(other: float) -> None:
    rows = [{"expected": "a", "scores": {"a": 0.7, "b": other}}]
    assert _run(rows, sum_tolerance=1e-6).result["records"] == 1
    with pytest.raises(RecordError, match="records:1: scores: the probabilities sum to"):
        _run(rows, sum_tolerance=9.9e-7)


@pytest.mark.parametrize(
    ("second", "what"),
    [
        (
            {"expected": "a", "scores": {"a": 0.5, "c": 0.5}},
            'label "c" is not in .* and label "b" .* missing',
        ),
        ({"expected": "a", "scores": {"a": 1.0}}, 'label "b" of the records before it is missing'),
        ({"expected": "a", "scores": {"a": 1.0, "b": 0.0, "c": 0.0}}, 'label "c" is not in the records'),
        ({"expected": "c", "scores": {"a": 1.0, "b": 0.0}}, 'expected: "c" is none of the labels'),
        ({"expected": "a", "scores": {"a": True, "b": False}}, 'scores: at "a": expected a number'),
        ({"expected": "a", "scores": {"a": float("nan"), "b": 1.0}}, "scores: "),
        ({"expected": "a", "scores": {}}, "scores: expected a non-empty object"),
    ],
)
def test_a_record_that_does_not_fit_is_named(second: dict[str, Any], what: str) -> None:
    first = {"expected": "a", "scores": {"a": 0.5, "b": 0.5}}
    with pytest.raises(RecordError, match=f"records:2: .*{what}"):
        _run([first, second])


def test_parts_with_other_labels_are_refused_once_they_meet() -> None:
    parts = []
    for labels in (["a", "b"], ["a", "c"]):
        state = Sliced(Probabilities, Options(), ())
        state.update(Batch({"expected": ["a"], "scores": [dict.fromkeys(labels, 0.5)]}, 1))
        parts.append(state)
    assert parts[0].overall.lacking() is None
    parts[0].merge(parts[1])
    assert parts[0].overall.lacking() == (
        'all records must have the same labels, got ["a", "b"] (1 records) and ["a", "c"] (1 records)'
    )


def test_settings_that_the_labels_cannot_honour_are_refused() -> None:
    rows = [{"expected": "a", "scores": {"a": 0.5, "b": 0.25, "c": 0.25}}]
    with pytest.raises(UsageError, match="4 is more than the 3 labels"):
        _run(rows, top_k=[4])
    with pytest.raises(UsageError, match="needs two labels, and the records have 3"):
        _run(rows, positive="a")
    with pytest.raises(UsageError, match="neither of the labels"):
        _run([{"expected": "a", "scores": {"a": 0.5, "b": 0.5}}], positive="c")
    with pytest.raises(UsageError, match="gate_top_k: 2 is not requested"):
        _run(rows, gate_top_k=2)
    with pytest.raises((UsageError, SourceError)):
        _run([])


def test_a_gate_can_name_a_row_of_a_table() -> None:
    rows = [{"expected": "b", "scores": {"a": 0.5, "b": 0.3, "c": 0.2}}]
    report = _run(rows, top_k=[2], gates=["accuracy[2] >= 1", "recall[b] >= 0.5", "recall[c] >= 0"])
    assert [gate["status"] for gate in report.body["gates"]] == ["passed", "failed", "undefined"]


def test_slices_have_the_labels_of_the_whole() -> None:
    rows = [
        {"expected": "a", "scores": {"a": 0.9, "b": 0.1}, "site": "north"},
        {"expected": "b", "scores": {"a": 0.8, "b": 0.2}, "site": "south"},
    ]
    report = _run(rows, slice_by="site", gates=["accuracy[site=*] >= 0.5"])
    slices = report.body["slices"][0]["slices"]
    assert [part["result"]["accuracy"] for part in slices] == [1.0, 0.0]
    assert [part["result"]["labels"] for part in slices] == [2, 2]
    assert not report.passed


@pytest.mark.parametrize(
    ("positive", "expected", "reason"),
    [
        (None, "no", "no --positive is named"),
        ("yes", "no", "no record expects the --positive label"),
        ("no", "no", None),
    ],
)
def test_average_precision_is_undefined_for_its_own_reason(
    positive: str | None, expected: str, reason: str | None
) -> None:
    rows = [{"expected": expected, "scores": {"yes": 0.5, "no": 0.5}}]
    undefined = _run(rows, positive=positive).body["undefined"]
    assert undefined.get("average_precision") == reason
    assert undefined["roc_auc"] == (reason if positive is None else "only one of the two labels is expected")
