"""Do stated confidences match observed accuracy? Against scikit-learn, and against fractions in a loop."""

from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.calibration import calibration_curve
from sklearn.metrics import brier_score_loss

import tallystick
from tallystick.cli import main

EDGES = [0.0, -0.0, 5e-324, 0.1, 0.29, 0.3, 0.57, 0.58, 0.7, 0.8999999999999999, 0.9, 0.9999999999999999, 1.0]
CASES = st.lists(
    st.tuples(
        st.sampled_from(EDGES) | st.floats(0, 1) | st.integers(0, 1000).map(lambda n: n / 1000), st.booleans()
    ),
    min_size=1,
    max_size=40,
)
Cases = list[tuple[float, bool]]


def result(cases: Cases, **options: Any) -> dict[str, Any]:
    rows = [{"expected": "x", "predicted": "x" if right else "y", "confidence": c} for c, right in cases]
    found: dict[str, Any] = tallystick.run("calibration", rows, **options).result
    return found


def bin_by_scanning(confidence: float, bins: int) -> int:
    """Find the last bin whose lower edge, the float64 b/B, is not above the confidence."""
    return max(b for b in range(bins) if b / bins <= confidence)


@pytest.mark.parametrize("bins", [1, 2, 3, 10, 100])
@given(cases=CASES)
def test_measures_are_the_fractions_of_a_loop_rounded_once(bins: int, cases: Cases) -> None:
    found = result(cases, bins=bins)
    members: dict[int, Cases] = {}
    for confidence, right in cases:
        members.setdefault(bin_by_scanning(confidence, bins), []).append((confidence, right))
    rows: list[Any] = []
    gaps: list[Fraction] = []
    error = Fraction(0)
    for b, held in sorted(members.items()):
        accuracy = Fraction(sum(int(right) for _, right in held), len(held))
        mean = sum((Fraction(c) for c, _ in held), Fraction(0)) / len(held)
        gap = accuracy - mean
        gaps.append(abs(gap))
        error += len(held) * abs(gap)
        rows.append([b, b / bins, (b + 1) / bins, len(held), float(mean), float(accuracy), float(gap)])
    fields = ("index", "lower", "upper", "records", "mean_confidence", "accuracy", "gap")
    assert [[row[field] for field in fields] for row in found["reliability"]] == rows
    assert found["records"] == len(cases)
    assert found["accuracy"] == sum(right for _, right in cases) / len(cases)
    assert found["mean_confidence"] == float(sum(Fraction(c) for c, _ in cases) / len(cases))
    assert found["ece"] == float(error / len(cases))
    assert found["mce"] == float(max(gaps))
    squares = [Fraction((c - right) ** 2) for c, right in cases]
    assert found["brier_score"] == float(sum(squares) / len(cases))


def test_random_cases_agree_with_scikit_learn() -> None:
    random = np.random.default_rng(7)
    for _ in range(300):
        records, bins = int(random.integers(2, 300)), int(random.integers(1, 20))
        confidence = random.beta(2, 1, records)
        right = random.random(records) < confidence**2
        right[:2] = [True, False]
        found = result(list(zip(confidence.tolist(), right.tolist(), strict=True)), bins=bins)
        assert found["brier_score"] == pytest.approx(brier_score_loss(right, confidence), abs=1e-12)
        accuracy, mean = calibration_curve(right, confidence, n_bins=bins, strategy="uniform")
        rows = found["reliability"]
        assert [row["accuracy"] for row in rows] == pytest.approx(accuracy.tolist(), abs=1e-12)
        assert [row["mean_confidence"] for row in rows] == pytest.approx(mean.tolist(), abs=1e-12)
        weights = np.array([row["records"] for row in rows]) / records
        assert found["ece"] == pytest.approx(float(weights @ np.abs(accuracy - mean)), abs=1e-12)
        assert found["mce"] == pytest.approx(float(np.abs(accuracy - mean).max()), abs=1e-12)


@pytest.mark.parametrize(
    ("confidence", "bins", "index"),
    [
        (0.29, 100, 29),
        (0.57, 100, 57),
        (0.58, 100, 58),
        (1.0, 10, 9),
        (1.0, 1, 0),
        (0.0, 10, 0),
        (-0.0, 10, 0),
        (0.1, 10, 1),
        (0.3, 10, 3),
        (0.30000000000000004, 10, 3),
        (0.8999999999999999, 10, 8),
        (0.9, 10, 9),
        (0.9999999999999999, 1000, 999),
        (5e-324, 1000, 0),
    ],
)
def test_a_confidence_on_an_edge_is_in_the_bin_above_it(confidence: float, bins: int, index: int) -> None:
    (row,) = result([(confidence, True)], bins=bins)["reliability"]
    assert row["index"] == index
    assert row["lower"] <= confidence
    assert confidence < row["upper"] or (confidence, row["upper"]) == (1, 1)


@pytest.mark.parametrize("bins", [1, 7, 10, 100, 1000])
def test_every_edge_opens_its_bin(bins: int) -> None:
    cases = [(b / bins, True) for b in range(bins)]
    assert [row["index"] for row in result(cases, bins=bins)["reliability"]] == list(range(bins))


def test_a_calibrated_model_has_no_error_and_a_sure_wrong_one_has_all() -> None:
    calibrated = result([(0.75, True)] * 3 + [(0.75, False)])
    assert [calibrated[m] for m in ("ece", "mce", "brier_score")] == [0, 0, 0.75 * 0.25]
    wrong = result([(1.0, False)] * 4)
    assert [wrong[m] for m in ("ece", "mce", "brier_score", "accuracy")] == [1, 1, 1, 0]
    assert wrong["reliability"][0]["gap"] == -1


def test_confidence_zero_is_counted() -> None:
    found = result([(0.0, True), (0, True), (-0.0, False)])
    assert found["records"] == 3
    assert found["mean_confidence"] == 0
    assert found["ece"] == 2 / 3


@pytest.mark.parametrize(
    ("rule", "right"),
    [("words", [True, True, False]), ("squad", [True, False, True]), ("exact", [False] * 3)],
)
def test_answers_are_compared_after_the_normalisation_asked_for(rule: str, right: list[bool]) -> None:
    texts = [("Ja!", "ja"), ("a\u0301", "\u00e1"), ("The cat", "cat")]
    for (expected, predicted), held in zip(texts, right, strict=True):
        rows = [{"expected": expected, "predicted": predicted, "confidence": 1}]
        assert tallystick.run("calibration", rows, normalize=rule).accuracy == held


def test_a_gate_on_the_brier_score_is_called_brier(tmp_path: Path) -> None:
    (tmp_path / "data.jsonl").write_text('{"expected":"x","predicted":"x","confidence":0.5}')
    assert main(["calibration", str(tmp_path / "data.jsonl"), "--max-brier", "0.25"]) == 0
    assert main(["calibration", str(tmp_path / "data.jsonl"), "--max-brier", "0.2499"]) == 1


def test_a_gate_with_float_inputs_has_slack_and_none_at_an_end_of_the_range() -> None:
    rows = [{"expected": "x", "predicted": "x", "confidence": 0.9}] * 10
    assert tallystick.run("calibration", rows, gates=["ece <= 0.1"]).passed
    assert not tallystick.run("calibration", rows, gates=["ece <= 0.0999"]).passed
    nearly = [{"expected": "x", "predicted": "x", "confidence": 0.9999999999999999}]
    assert not tallystick.run("calibration", nearly, gates=["ece <= 0"]).passed


@pytest.mark.parametrize("bins", [0, 1001, 2.5, "10", True, None])
def test_bins_are_a_whole_number_from_1_to_1000(bins: Any) -> None:
    with pytest.raises(tallystick.UsageError, match="bins"):
        result([(0.5, True)], bins=bins)
