"""`questions` against a loop over answers, against other libraries, and at the edges of each kind."""

from fractions import Fraction
from math import floor, fsum, sqrt
from typing import Any

import numpy as np
import pytest
import scoringrules
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics

import tallystick
from tallystick.errors import RecordError, UsageError
from tallystick.metrics.bootstrap import mean_interval

Rows = list[dict[str, Any]]
WEIGHTS = st.sampled_from([0.0, 1e-9, 0.25, 0.5, 1.0, 3.0])


@st.composite
def answers(draw: st.DrawFn) -> dict[str, Any]:
    """Draw the answer to a question of any kind, with ties, zeros and stated values."""
    kind = draw(st.sampled_from(["choice", "yes_no", "noul", "boolean", "score"]))
    if kind not in ("choice", "score"):
        chance = draw(st.sampled_from([0.0, 5e-324, 0.25, 0.4999999999999999, 0.5, 0.85, 1.0]))
        return {"type": kind, "gold": draw(st.booleans()), "p_true": chance}
    size = draw(st.integers(2, 4))
    weights = draw(st.lists(WEIGHTS, min_size=size, max_size=size).filter(any))
    p = [w / fsum(weights) for w in weights]
    if kind == "score":
        levels = p if draw(st.booleans()) else {str(k): p[k] for k in draw(st.permutations(range(size)))}
        return {"type": kind, "gold": draw(st.integers(0, size - 1)), "probabilities": levels}
    options = draw(st.permutations(["b", "a", "Z", "é"]))[:size]
    chances = dict(zip(options, p, strict=True))
    return {"type": kind, "gold": draw(st.sampled_from(options)), "probabilities": chances}


@st.composite
def items(draw: st.DrawFn) -> Rows:
    """Draw items with some questions, nested or flat."""
    rows = []
    for number in range(draw(st.integers(1, 6))):
        row: dict[str, Any] = {"id": f"i{number}"}
        if category := draw(st.sampled_from([None, "mail", "chat"])):
            row["category"] = category
        asked = draw(st.dictionaries(st.sampled_from(["q1", "q2", "q3"]), answers(), min_size=1))
        if len(asked) == 1 and draw(st.booleans()):
            ((question, answer),) = asked.items()
            row |= {"question": question, **answer}
        else:
            row["questions"] = asked
        rows.append(row)
    return rows


def _flattened(rows: Rows) -> list[tuple[str, str, dict[str, Any]]]:
    return [
        (row["id"], question, answer)
        for row in rows
        for question, answer in (row.get("questions") or {row.get("question"): row}).items()
    ]


def _levels(answer: dict[str, Any]) -> list[float]:
    p = answer["probabilities"]
    return [p[str(k)] for k in range(len(p))] if isinstance(p, dict) else p


def _derived(answer: dict[str, Any]) -> tuple[str, Any, float | None]:
    """Give kind, predicted and confidence (or the expected level)."""
    if answer["type"] == "choice":
        p = answer["probabilities"]
        return "choice", max(p, key=p.__getitem__), max(p.values())
    if answer["type"] == "score":
        p = _levels(answer)
        expected = 0.0
        for level, chance in enumerate(p):
            expected += level * chance
        return "score", min(floor(expected + 0.5), len(p) - 1), expected
    chance = answer["p_true"]
    return "yes_no", chance >= 0.5, max(chance, 1 - chance)


def _mean(values: list[Any]) -> float | None:
    return float(sum(map(Fraction, values), Fraction(0)) / len(values)) if values else None


def _run(rows: Rows, **options: Any) -> tallystick.Report:
    return tallystick.run("questions", rows, **options)


def _close(value: float | None) -> Any:
    return None if value is None else pytest.approx(value, rel=1e-12, abs=1e-15)


@given(items())
def test_shares_agree_with_counting(rows: Rows) -> None:
    result = _run(rows, samples=10).result
    listed = [(id_, q, *_derived(a)[:2], a["gold"]) for id_, q, a in _flattened(rows)]
    right = [predicted == gold for *_, predicted, gold in listed]
    wrong_items = {id_ for id_, _, _, predicted, gold in listed if predicted != gold}
    assert (result["records"], result["questions"]) == (len(rows), len(listed))
    assert result["accuracy"] == sum(right) / len(right)
    assert result["item_accuracy"] == (len(rows) - len(wrong_items)) / len(rows)
    for kind in ("choice", "yes_no", "score"):
        own = [predicted == gold for _, _, k, predicted, gold in listed if k == kind]
        assert result[f"{kind}_questions"] == len(own)
        assert result[f"{kind}_accuracy"] == _mean(own)
    for line in result["per_question"]:
        asked = [(k, p == g) for _, q, k, p, g in listed if q == line["question"]]
        assert line["kinds"] == sorted({kind for kind, _ in asked})
        assert (line["answers"], line["accuracy"]) == (len(asked), _mean([hit for _, hit in asked]))
    assert sum(line["answers"] for line in result["per_question"]) == len(listed)
    categories = {row["id"]: row.get("category") for row in rows}
    for line in result["per_category"]:
        own = [p == g for id_, _, _, p, g in listed if categories[id_] == line["category"]]
        assert (line["answers"], line["accuracy"]) == (len(own), _mean(own))
    without = sum(categories[id_] is None for id_, *_ in listed)
    assert sum(line["answers"] for line in result["per_category"]) == len(listed) - without
    assert result["uncategorized_questions"] == without
    assert result["stated_mismatches"] == 0


@given(items())
def test_losses_agree_with_sums_written_out(rows: Rows) -> None:
    result = _run(rows, samples=10).result
    squares: dict[str, list[float]] = {"choice": [], "yes_no": []}
    errors, rps = [], []
    for _, _, answer in _flattened(rows):
        kind, _, level = _derived(answer)
        if kind == "choice":
            p = answer["probabilities"]
            squares[kind].append(sum((p[o] - (o == answer["gold"])) ** 2 for o in sorted(p)))
        elif kind == "yes_no":
            squares[kind].append((answer["p_true"] - answer["gold"]) ** 2)
        else:
            vector = _levels(answer)
            assert level is not None
            errors.append(abs(level - answer["gold"]))
            score = scoringrules.rps_score(np.array([answer["gold"] + 1]), np.array([vector]))
            rps.append(float(score[0]) / (len(vector) - 1))
    for kind, own in squares.items():
        assert result[f"{kind}_brier_score"] == _close(_mean(own))
    assert result["score_mae"] == _close(_mean(errors))
    assert result["score_within_one"] == _mean([error <= 1 for error in errors])
    square = _mean([error**2 for error in errors])
    assert result["score_rmse"] == _close(None if square is None else sqrt(square))
    assert result["score_rps"] == _close(_mean(rps))


@given(items(), st.integers(1, 20))
def test_calibration_and_curves_are_those_of_the_calibration_audit(rows: Rows, bins: int) -> None:
    report = _run(rows, bins=bins, samples=10, threshold=["choice=0.5", "yes_no=0.85"])
    for kind, threshold in (("choice", 0.5), ("yes_no", 0.85)):
        own = [(_derived(a), a["gold"]) for _, _, a in _flattened(rows) if _derived(a)[0] == kind]
        pairs = [(confidence, predicted == gold) for (_, predicted, confidence), gold in own]
        marker = next(line for line in report.result["markers"] if line["kind"] == kind)
        if not own:
            assert report.result[f"{kind}_ece"] is report.result[f"{kind}_mce"] is None
            assert marker["acting_coverage"] is marker["acting_accuracy"] is None
            assert report.result[f"{kind}_curve"] == []
            continue
        records = [{"expected": "y", "predicted": "y" if hit else "n", "confidence": c} for c, hit in pairs]
        other = tallystick.run("calibration", records, bins=bins).result
        for name in ("ece", "mce", "reliability"):
            assert report.result[f"{kind}_{name}"] == other[name]
        lines = [tuple(line.values()) for line in report.result[f"{kind}_curve"]]
        lines.append((marker["threshold"], marker["acting_coverage"], marker["acting_accuracy"]))
        assert [line[0] for line in lines] == [*(t / 100 for t in range(101)), threshold]
        for at, coverage, accuracy in lines:
            kept = [hit for confidence, hit in pairs if confidence is not None and confidence >= at]
            assert (coverage, accuracy) == (len(kept) / len(pairs), _mean(kept))


@given(items())
def test_macro_f1_is_the_mean_over_the_classes_of_all_questions(rows: Rows) -> None:
    choices = [(q, a) for _, q, a in _flattened(rows) if a["type"] == "choice"]
    gold = [f"{question} {answer['gold']}" for question, answer in choices]
    named = [f"{question} {_derived(answer)[1]}" for question, answer in choices]
    expected = metrics.f1_score(gold, named, average="macro") if choices else None
    assert _run(rows, samples=10).result["choice_macro_f1"] == _close(expected)


@given(st.data(), items())
def test_neither_the_order_of_items_nor_that_of_questions_matters(data: st.DataObject, rows: Rows) -> None:
    shuffled = []
    for row in data.draw(st.permutations(rows)):
        asked = row.get("questions")
        shuffled.append(
            row
            if asked is None
            else row | {"questions": dict(data.draw(st.permutations(list(asked.items()))))}
        )
    assert _run(rows, samples=10).result == _run(shuffled, samples=10).result


def test_the_interval_is_the_bootstrap_over_questions() -> None:
    asked = {f"q{n}": {"type": "noul", "gold": True, "p_true": 1 if n % 3 else 0} for n in range(60)}
    result = _run([{"id": "x", "questions": asked}]).result
    expected = mean_interval([(Fraction(0), 20), (Fraction(1), 40)], 0.95, 1000, 0)
    assert expected.low is not None
    assert expected.high is not None
    assert (result["accuracy_low"], result["accuracy_high"]) == (float(expected.low), float(expected.high))
    assert result["accuracy_degenerate"] is False


def test_ties_edges_and_halves_are_decided_as_the_page_says() -> None:
    asked = {
        "tie": {"type": "choice", "gold": "b", "probabilities": {"b": 0.5, "a": 0.5}},
        "half": {"type": "yes_no", "gold": True, "p_true": 0.5},
        "below": {"type": "yes_no", "gold": False, "p_true": 0.4999999999999999},
        "up": {"type": "score", "gold": 2, "probabilities": [0.25, 0.25, 0.25, 0.25]},
        "top": {"type": "score", "gold": 1, "probabilities": [0.0, 1.0]},
        "named": {"type": "score", "gold": 10, "probabilities": {str(k): float(k == 10) for k in range(11)}},
    }
    assert _run([{"id": "x", "questions": asked}]).result["accuracy"] == 1.0
    reverse = {"type": "choice", "gold": "b", "probabilities": {"a": 0.5, "b": 0.5}}
    assert _run([{"id": "x", "questions": {"tie": reverse}}]).result["choice_accuracy"] == 0.0


def test_an_expected_level_never_leads_beyond_the_top() -> None:
    answer = {"type": "score", "gold": 1, "probabilities": [0.0, 1.0], "expected": 1.0}
    over = answer | {"probabilities": [0.0, 1.0009]}
    with pytest.raises(RecordError, match="from 0 to 1"):
        _run([{"id": "x", "questions": {"q": over}}])
    vector = {"type": "score", "gold": 2, "probabilities": [0.0, 0.0, 1.0]}
    assert _run([{"id": "x", "questions": {"q": vector}}]).result["score_accuracy"] == 1.0


@pytest.mark.parametrize(
    ("stated", "count"),
    [
        ({}, 0),
        ({"predicted": "a", "confidence": 0.6}, 0),
        ({"predicted": "a", "confidence": 0.601}, 0),
        ({"predicted": "a", "confidence": 0.6011}, 1),
        ({"predicted": "b", "confidence": 0.4}, 2),
        ({"predicted": None, "confidence": None}, 0),
    ],
)
def test_stated_values_are_compared_with_the_derived_ones(stated: dict[str, Any], count: int) -> None:
    answer = {"type": "choice", "gold": "a", "probabilities": {"a": 0.6, "b": 0.4}, **stated}
    assert _run([{"id": "x", "questions": {"q": answer}}]).result["stated_mismatches"] == count


@pytest.mark.parametrize(("stated", "count"), [(10, 0), ("10", 0), (True, 1), (1, 1)])
def test_an_option_may_be_stated_as_the_number_that_spells_it(stated: object, count: int) -> None:
    answer = {"type": "choice", "gold": "10", "probabilities": {"10": 0.6, "a": 0.4}, "predicted": stated}
    assert _run([{"id": "x", "questions": {"q": answer}}]).result["stated_mismatches"] == count


def test_stated_levels_and_answers_of_yes_or_no_are_compared_too() -> None:
    level = {"type": "score", "gold": 0, "probabilities": [0.5, 0.5], "expected": 0.502, "predicted": 1}
    yes = {"type": "noul", "gold": True, "p_true": 0.9, "predicted": False, "confidence": 0.9}
    one = {"type": "noul", "gold": True, "p_true": 0.9, "predicted": 1}
    asked = {"level": level, "yes": yes, "one": one}
    assert _run([{"id": "x", "questions": asked}]).result["stated_mismatches"] == 3


def test_a_kind_that_does_not_occur_is_undefined_and_its_gate_fails() -> None:
    rows = [{"id": "x", "question": "q", "type": "noul", "gold": True, "p_true": 0.9}]
    report = _run(rows, gates=["choice_accuracy >= 0", "score_rps <= 1", "yes_no_accuracy >= 1"])
    assert [gate["status"] for gate in report.body["gates"]] == ["undefined", "undefined", "passed"]
    assert report.body["undefined"]["choice_ece"] == "there is no choice question"
    assert report.body["undefined"]["score_rmse"] == "there is no score question"


def test_gates_reach_questions_and_markers_and_slices_reach_categories() -> None:
    yes = {"type": "noul", "gold": True, "p_true": 0.9}
    rows = [
        {"id": "x", "category": "mail", "questions": {"spam": yes, "urgent": yes | {"gold": False}}},
        {"id": "y", "questions": {"spam": yes}},
    ]
    gates = ["accuracy[spam] >= 1", "accuracy[category=mail] >= 0.6", 'acting_coverage["yes_no=0.9"] >= 1']
    report = _run(rows, threshold=["yes_no=0.9"], gates=gates, slice_by="category")
    assert [gate["status"] for gate in report.body["gates"]] == ["passed", "failed", "passed"]


def test_slices_by_category_keep_the_items_without_one_apart() -> None:
    yes = {"type": "noul", "gold": True, "p_true": 0.9}
    rows = [
        {"id": "x", "category": "unlabelled", "questions": {"spam": yes}},
        {"id": "y", "questions": {"spam": yes | {"gold": False}}},
    ]
    slices = _run(rows, slice_by="category").body["slices"][0]["slices"]
    assert [(part["value"], part["result"]["accuracy"]) for part in slices] == [
        (None, 0.0),
        ("unlabelled", 1.0),
    ]


@pytest.mark.parametrize("text", ["choice", "score=0.5", "choice=x", "choice=1.5", "yes_no=nan", "=0.5"])
def test_a_threshold_names_a_kind_with_a_confidence(text: str) -> None:
    rows = [{"id": "x", "question": "q", "type": "noul", "gold": True, "p_true": 0.9}]
    with pytest.raises(UsageError, match=r"threshold: .*is not like"):
        _run(rows, threshold=[text])


CHOICE = {"type": "choice", "gold": "a", "probabilities": {"a": 0.5, "b": 0.5}}
SCORE = {"type": "score", "gold": 1, "probabilities": [0.5, 0.5]}
YES = {"type": "yes_no", "gold": True, "p_true": 0.5}


@pytest.mark.parametrize(
    ("asked", "what"),
    [
        ({}, 'item "bad" has no questions'),
        ({"q": None}, 'at "q": expected an object, got null'),
        ({"q": CHOICE | {"gold": "c"}}, '"q" of item "bad" has gold "c", which is none of its options'),
        ({"q": CHOICE | {"gold": True}}, '"q" of item "bad" has no gold that is the name of an option'),
        ({"q": CHOICE | {"probabilities": [1.0]}}, "has no probabilities of its options, by name"),
        ({"q": CHOICE | {"probabilities": {"a": 0.5, "b": 0.502}}}, r"sum to 1\.002, off 1 by more"),
        ({"q": CHOICE | {"probabilities": {"a": True}}}, 'at "q": .*at "a": expected a number'),
        ({"q": YES | {"gold": 1}}, '"q" of item "bad" has no gold that is true or false'),
        ({"q": YES | {"p_true": None}}, '"q" of item "bad" has no p_true'),
        ({"q": SCORE | {"gold": 2}}, "has gold 2, which is none of its options"),
        ({"q": SCORE | {"gold": True}}, "has no gold that is a level"),
        ({"q": SCORE | {"probabilities": [1.0]}}, "two or more levels"),
        ({"q": SCORE | {"probabilities": {"0": 0.5, "2": 0.5}}}, "two or more levels: 0, 1, ..."),
        ({"q": SCORE | {"probabilities": None}}, "has no probabilities of its levels"),
        ({"q": {"type": "essay", "gold": "x"}}, 'at "q": at "type": expected one of'),
    ],
)
def test_a_missing_or_malformed_answer_names_item_and_question(asked: dict[str, Any], what: str) -> None:
    rows = [{"id": "fine", "questions": {"q": YES}}, {"id": "bad", "questions": asked}]
    with pytest.raises(RecordError, match=f"records:2: questions: .*{what}"):
        _run(rows)


@pytest.mark.parametrize("other", [0.501, 0.499])
def test_a_sum_on_the_tolerance_is_accepted_from_both_sides(other: float) -> None:
    rows = [{"id": "x", "questions": {"q": CHOICE | {"probabilities": {"a": 0.5, "b": other}}}}]
    assert _run(rows).result["records"] == 1
    with pytest.raises(RecordError, match=r"off 1 by more than .*0\.0009"):
        _run(rows, sum_tolerance=0.0009)


def test_ids_are_unique_and_a_record_is_nested_or_flat() -> None:
    nested = {"id": "x", "questions": {"q": YES}}
    with pytest.raises(RecordError, match='id: "x" occurs more than once'):
        _run([nested, nested])
    with pytest.raises(RecordError, match="has both questions and a question"):
        _run([nested | {"question": "q"}])
    with pytest.raises(RecordError, match='question: "q" of item "x" has no type'):
        _run([{"id": "x", "question": "q", "gold": True, "p_true": 0.5}])
    with pytest.raises(RecordError, match='item "x" has no questions'):
        _run([{"id": "x"}])
