"""`score-drift` against fractions, scikit-learn, and scores at the ends of what float64 holds."""

import json
import math
import random
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.metrics import mean_absolute_error, root_mean_squared_error
from statsmodels.stats.proportion import proportion_confint

import tallystick
from tallystick.cli import main
from tallystick.errors import RecordError, UsageError

EDGES = [0.0, -0.0, 5e-324, -5e-324, 0.55, 0.7, 0.85, 1.0, 2.0, 1e200, -1e200, 8e307, -8e307]
SCORES = st.sampled_from(EDGES) | st.floats(-1e6, 1e6)
CASES = st.lists(st.tuples(SCORES, SCORES), min_size=1, max_size=30)


def records(cases: list[tuple[float, float]]) -> list[dict[str, Any]]:
    return [
        {"case_id": f"{i:03}", "baseline_score": baseline, "candidate_score": candidate}
        for i, (baseline, candidate) in enumerate(cases)
    ]


def result(cases: list[tuple[float, float]], **options: Any) -> dict[str, Any]:
    found: dict[str, Any] = tallystick.run("score-drift", records(cases), **options).result
    return found


def is_rounded_root(value: float, square: Fraction) -> bool:
    """Whether no float64 is nearer to the square root than a value is."""
    below = (Fraction(value) + Fraction(math.nextafter(value, 0))) / 2
    above = (Fraction(value) + Fraction(math.nextafter(value, math.inf))) / 2
    return below**2 <= square <= above**2


@given(CASES)
def test_sums_are_those_of_fractions_and_the_root_is_rounded_once(cases: list[tuple[float, float]]) -> None:
    found = result(cases)
    changes = [Fraction(candidate - baseline) for baseline, candidate in cases]
    shift = sum(changes, Fraction(0)) / len(changes)
    assert found["mean_shift"] == float(shift)
    assert found["abs_mean_shift"] == float(abs(shift))
    assert found["mean_absolute_change"] == float(sum(map(abs, changes), Fraction(0)) / len(changes))
    square = sum((change * change for change in changes), Fraction(0)) / len(changes)
    assert is_rounded_root(found["root_mean_square_change"], square)
    assert found["abs_mean_shift"] <= found["mean_absolute_change"] <= found["root_mean_square_change"]
    assert found["root_mean_square_change"] <= abs(found["largest_change"])


@given(CASES, st.sampled_from([0.0, 0.15, 0.3, 1.0, 1e300, 1.7e308]))
def test_the_tolerance_is_the_rule_for_each_case(cases: list[tuple[float, float]], tolerance: float) -> None:
    found = result(cases, tolerance=tolerance)
    beyond = [c - b for b, c in cases if not abs(c - b) <= tolerance + 1e-12 * max(abs(b), abs(c))]
    within = len(cases) - len(beyond)
    assert found["within_tolerance_rate"] == within / len(cases)
    assert found["increases"] == sum(change > 0 for change in beyond)
    assert found["decreases"] == sum(change < 0 for change in beyond)
    ends = found["within_tolerance_rate_low"], found["within_tolerance_rate_high"]
    assert ends == pytest.approx(proportion_confint(within, len(cases), 0.05, "wilson"), abs=1e-12)


@given(st.lists(st.tuples(st.floats(-100, 100), st.floats(-100, 100)), min_size=1, max_size=50))
def test_errors_are_those_of_scikit_learn(cases: list[tuple[float, float]]) -> None:
    baseline, candidate = zip(*cases, strict=True)
    found = result(cases)
    absolute, square = mean_absolute_error(baseline, candidate), root_mean_squared_error(baseline, candidate)
    assert found["mean_absolute_change"] == pytest.approx(absolute, rel=1e-12)
    assert found["root_mean_square_change"] == pytest.approx(square, rel=1e-12)


@given(st.lists(st.tuples(st.sampled_from(EDGES), st.sampled_from(EDGES)), min_size=1), st.integers(0, 4))
def test_the_cases_that_changed_most_come_first_and_ids_break_ties(
    cases: list[tuple[float, float]], limit: int
) -> None:
    rows = records(cases)
    random.Random(limit).shuffle(rows)  # noqa: S311
    found = tallystick.run("score-drift", rows, max_details=limit).result
    ordered = sorted(
        rows, key=lambda row: (-abs(row["candidate_score"] - row["baseline_score"]), row["case_id"])
    )
    assert found["details"] == ordered[:limit]
    assert found["omitted"] == {"details": max(0, len(rows) - limit)}
    assert found["largest_change_id"] == ordered[0]["case_id"]
    assert found["largest_change"] == ordered[0]["candidate_score"] - ordered[0]["baseline_score"]


@given(st.lists(st.tuples(st.floats(-1e300, 1e300), st.floats(-1e300, 1e300)), min_size=1, max_size=20))
def test_changes_that_cancel_shift_nothing(cases: list[tuple[float, float]]) -> None:
    there_and_back = cases + [(candidate, baseline) for baseline, candidate in cases]
    found = result(there_and_back)
    assert math.copysign(1, found["mean_shift"]) == 1
    assert (found["mean_shift"], found["abs_mean_shift"]) == (0.0, 0.0)


@pytest.mark.parametrize("unit", [5e-324, 1e-300, 1e-200, 1.0, 1e200, 8.9e307])
def test_squares_neither_overflow_nor_vanish(unit: float) -> None:
    found = result([(0.0, unit), (unit, 0.0), (-unit, 0.0)])
    assert found["root_mean_square_change"] == unit
    assert found["mean_absolute_change"] == unit


@given(SCORES, st.floats(min_value=1e308, max_value=1.7e308))
def test_a_change_that_no_float64_holds_names_its_record(score: float, huge: float) -> None:
    assume(math.isinf(huge * 2))
    with pytest.raises(RecordError, match=r"records:2: candidate_score: .* no float64 holds"):
        result([(score, 0.0), (huge, -huge), (-huge, huge)])


def test_such_a_change_exits_2_and_names_the_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "scores.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in records([(1, 1), (1e308, -1e308)])))
    assert main(["score-drift", str(path)]) == 2
    assert f"{path}:2: candidate_score: -1e+308" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("gates", "passed"),
    [
        (["within_tolerance_rate >= 1", "abs_mean_shift <= 0"], True),
        (["mean_absolute_change <= 0.15", "root_mean_square_change <= 0.15"], True),
        (["mean_absolute_change <= 0.1499"], False),
    ],
)
def test_decimals_are_met_on_the_limit(gates: list[str], passed: bool) -> None:
    cases = [(0.7, 0.85), (0.85, 0.7), (0.55, 0.7), (0.7, 0.55)]
    assert tallystick.run("score-drift", records(cases), tolerance=0.15, gates=gates).passed is passed


def test_the_signed_shift_cannot_be_gated() -> None:
    with pytest.raises(UsageError) as refused:
        tallystick.run("score-drift", records([(0, 1)]), gates=["mean_shift <= 0.1"])
    assert refused.value.hint == "gate abs_mean_shift"


@pytest.mark.parametrize("score", [True, "0.5", None, float("nan"), float("inf")])
def test_what_is_no_finite_number_is_refused(score: object) -> None:
    with pytest.raises(RecordError, match="candidate_score: expected a number"):
        tallystick.run("score-drift", [{"case_id": "a", "baseline_score": 0, "candidate_score": score}])


def test_a_slice_that_is_not_there_is_undefined() -> None:
    rows = [row | {"rubric": "tone"} for row in records([(0.5, 0.5)])]
    gates = ["within_tolerance_rate[rubric=facts] >= 0", "within_tolerance_rate[rubric=tone] >= 1"]
    report = tallystick.run("score-drift", rows, slice_by="rubric", gates=gates)
    assert [gate["status"] for gate in report.gates] == ["undefined", "passed"]
