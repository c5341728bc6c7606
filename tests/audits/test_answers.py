import json
from collections import Counter
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.proportion import proportion_confint

import tallystick
from tallystick.cli import main
from tallystick.metrics.text import normalize

texts = st.sampled_from(["", "a", "A.", "the a", "a b", "b a b", "B-b", "...", "é", "e\u0301 a", "東京"])
expected = texts | st.lists(texts, min_size=1, max_size=3)
tables = st.lists(st.tuples(expected, texts), min_size=1, max_size=12)
rules = st.sampled_from(["words", "squad", "exact"])

Rows = list[tuple[Any, str]]


def records(rows: Rows, **more: Any) -> list[dict[str, Any]]:
    return [{"expected": e, "predicted": p, **more} for e, p in rows]


def result(rows: Rows, **options: Any) -> dict[str, Any]:
    found: dict[str, Any] = tallystick.run("answers", records(rows), **options).result
    return found


def naive(rows: Rows, rule: Any) -> tuple[int, list[Fraction]]:
    """Count right answers, and list every F1: one text, and one token, at a time."""
    right, scores = 0, []
    for wanted, answer in rows:
        forms = [normalize(text, rule) for text in ([wanted] if isinstance(wanted, str) else wanted)]
        form = normalize(answer, rule)
        right += form in forms
        scores.append(max(naive_f1(one.split(), form.split()) for one in forms))
    return right, scores


def naive_f1(one: list[str], other: list[str]) -> Fraction:
    if not one or not other:
        return Fraction(int(one == other))
    shared = sum((Counter(one) & Counter(other)).values())
    return (
        2
        * Fraction(shared, len(one))
        * Fraction(shared, len(other))
        / (Fraction(shared, len(one)) + Fraction(shared, len(other)) or 1)
    )


@given(tables, rules)
def test_both_measures_are_those_of_the_naive_twin(rows: Rows, rule: str) -> None:
    right, scores = naive(rows, rule)
    found = result(rows, normalize=rule, samples=20)
    assert found["records"] == len(rows)
    assert found["exact_match"] == right / len(rows)
    assert found["token_f1"] == float(sum(scores, Fraction(0)) / len(rows))
    assert found["token_f1_degenerate"] == (len(set(scores)) == 1)
    assert found["token_f1_low"] <= found["token_f1_high"]


@given(tables, st.sampled_from([0.5, 0.95, 0.999]))
def test_the_interval_of_exact_match_is_that_of_statsmodels(rows: Rows, level: float) -> None:
    right, _ = naive(rows, "words")
    found = result(rows, confidence=level, samples=1)
    theirs = proportion_confint(right, len(rows), alpha=1 - level, method="wilson")
    ends = found["exact_match_low"], found["exact_match_high"]
    assert ends == pytest.approx(theirs, rel=1e-9, abs=1e-12)


@given(tables, st.randoms(use_true_random=False))
def test_the_order_of_answers_never_matters(rows: Rows, random: Any) -> None:
    shuffled = list(rows)
    random.shuffle(shuffled)
    assert result(shuffled, samples=30) == result(rows, samples=30)


def test_a_seed_moves_the_interval_alone() -> None:
    rows = [("a b c d", "a b"), ("a", "b"), ("a", "a"), ("x y z", "x q"), ("k", "k")] * 5
    one, other = result(rows, seed=1, samples=200), result(rows, seed=2, samples=200)
    moved = {name for name in one if one[name] != other[name]}
    assert moved <= {"token_f1_low", "token_f1_high"}
    assert moved
    assert one == result(rows, seed=1, samples=200)


def test_equal_scores_make_a_degenerate_interval_and_a_gate_on_it_says_so() -> None:
    rows = [("x y", "x z")] * 40
    report = tallystick.run("answers", records(rows), gates=["token_f1_low >= 0.5", "token_f1_high >= 0.6"])
    assert report.result["token_f1_low"] == report.result["token_f1_high"] == 0.5
    assert report.result["token_f1_degenerate"] is True
    assert [gate["status"] for gate in report.gates] == ["passed", "failed"]
    assert all("all values are equal" in gate["message"] for gate in report.gates)


def test_measures_are_gated_exactly() -> None:
    rows = [("a", "a")] * 9 + [("a", "b")]
    assert tallystick.run("answers", records(rows), gates=["exact_match >= 0.9", "token_f1 >= 0.9"]).passed
    assert not tallystick.run("answers", records(rows), gates=["token_f1 >= 0.9000000000000001"]).passed


def test_slices_are_reported_apart_and_the_whole_holds_every_record(tmp_path: Path) -> None:
    path = tmp_path / "data.jsonl"
    rows = records([("a", "a")] * 6, category="easy") + records([("a", "b")] * 2, category="hard")
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    report = tallystick.run("answers", path, slice_by="category", min_slice_count=5)
    [part] = report.slices
    assert [(one["value"], one["result"]["exact_match"]) for one in part["slices"]] == [("easy", 1)]
    assert (part["omitted_slices"], part["omitted_records"]) == (1, 2)
    assert report.result["exact_match"] == 6 / 8
    sliced = ["answers", str(path), "--slice-by", "category"]
    assert main([*sliced, "--gate", "exact_match[category=easy] >= 1"]) == 0
    assert main([*sliced, "--gate", "exact_match[category=*] >= 0.1"]) == 1
    assert main([*sliced, "--min-slice-count", "5", "--gate", "exact_match[category=hard] >= 0"]) == 1


@pytest.mark.parametrize(
    ("limits", "code"), [(("0.5", "0.75"), 0), (("0.51", "0.75"), 1), (("0.5", "0.76"), 1)]
)
def test_it_is_a_gate_for_continuous_integration(tmp_path: Path, limits: tuple[str, str], code: int) -> None:
    path = tmp_path / "data.jsonl"
    path.write_text(
        '{"expected": "red car", "predicted": "red bike"}\n{"expected": ["x", "y"], "predicted": "Y!"}\n'
    )
    assert main(["answers", str(path), "--min-exact-match", limits[0], "--min-token-f1", limits[1]]) == code


@pytest.mark.parametrize(
    "value", ["[]", "1", "null", "[1]", '["a", null]', "[[]]", "{}", "true", '"\\ud800"']
)
def test_an_expected_answer_is_a_text_or_texts(tmp_path: Path, capsys: Any, value: str) -> None:
    path = tmp_path / "data.jsonl"
    path.write_text(f'{{"expected": "a", "predicted": "a"}}\n{{"expected": {value}, "predicted": "a"}}\n')
    assert main(["answers", str(path)]) == 2
    assert f"{path}:2: expected: " in capsys.readouterr().err


def test_unpaired_surrogates_in_arrays_of_python_objects_are_refused() -> None:
    with pytest.raises(tallystick.RecordError, match="unpaired surrogate"):
        tallystick.run("answers", records([("a", "a"), (["b", "\ud800"], "b")]))


def test_reports_hold_no_text(tmp_path: Path) -> None:
    path = tmp_path / "data.jsonl"
    path.write_text('{"expected": ["secret", "hidden"], "predicted": "private"}\n')
    report = tallystick.run("answers", path).to_json().decode()
    assert not any(word in report for word in ("secret", "hidden", "private"))
