"""`predictions` against a loop over items, against scikit-learn, and at its edges."""

from fractions import Fraction
from math import fsum, log
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics

import tallystick
from tallystick.errors import RecordError

Rows = list[dict[str, Any]]
WEIGHTS = st.sampled_from([0.0, 1e-9, 0.25, 0.5, 1.0, 3.0])
OPTIONS = st.sampled_from(
    [["a", "b"], ["b", "a"], ["true", "false"], ["false", "true"], ["c", "a", "b"], ["x"]]
)


@st.composite
def items(draw: st.DrawFn) -> tuple[Rows, Rows]:
    """Draw predictions, scored, by label, empty or absent, and the gold records of all."""
    predictions, gold = [], []
    for number in range(draw(st.integers(1, 10))):
        options = draw(OPTIONS)
        right: dict[str, Any] = {"id": f"i{number}", "gold": draw(st.sampled_from(options))}
        if family := draw(st.sampled_from([None, "intent", "overall", "unlabelled"])):
            right["family"] = family
        if draw(st.booleans()):
            right["positive"] = draw(st.sampled_from([None, *options]))
        gold.append(right)
        kind = draw(st.sampled_from(["scored", "scored", "label", "empty", "absent"]))
        if kind == "absent":
            continue
        row: dict[str, Any] = {"id": f"i{number}", "option_ids": options, "probabilities": None}
        if kind == "scored":
            weights = draw(st.lists(WEIGHTS, min_size=len(options), max_size=len(options)).filter(any))
            row["probabilities"] = [w / fsum(weights) for w in weights]
        row["label"] = draw(st.sampled_from(options)) if kind in ("label", "scored") else None
        predictions.append(row)
    if not predictions:
        kept = gold[0]
        predictions = [{"id": kept["id"], "option_ids": [kept["gold"]], "probabilities": [1.0]}]
        kept.pop("positive", None)
    return predictions, gold


def _naive(predictions: Rows, gold: Rows) -> dict[str, Any]:
    """Compute the measures as the page says, item by item."""
    given_ = {row["id"]: row for row in predictions}
    right, losses, squares, binary, confident, missing = [], [], [], [], [], 0
    for item in gold:
        row = given_.get(item["id"], {})
        options, p = row.get("option_ids", []), row.get("probabilities")
        if p is None and row.get("label") is None:
            missing += 1
            continue
        predicted = row["label"] if p is None else options[p.index(max(p))]
        right.append((item["gold"], predicted))
        if p is None:
            continue
        chance = dict(zip(options, p, strict=True))
        losses.append(-log(max(chance[item["gold"]], 1e-12)))
        squares.append(sum((chance[o] - (o == item["gold"])) ** 2 for o in sorted(options)))
        confident.append((max(p), predicted == item["gold"]))
        positive = item.get("positive")
        if positive is None and set(options) == {"true", "false"}:
            positive = "true"
        if positive is not None:
            binary.append((chance[positive] - (positive == item["gold"])) ** 2)
    classes = sorted({g for g, _ in right})
    recalls = [Fraction(right.count((c, c)), sum(g == c for g, _ in right)) for c in classes]
    return {
        "records": len(gold),
        "missing": missing,
        "predicted": len(right),
        "scored": len(losses),
        "label_only": len(right) - len(losses),
        "missing_rate": missing / len(gold),
        "scored_rate": len(losses) / len(gold),
        "accuracy": _mean([g == p for g, p in right]),
        "balanced_accuracy": float(sum(recalls) / len(recalls)) if recalls else None,
        "log_loss": _mean(losses),
        "brier_score": _mean(squares),
        "brier_binary": _mean(binary),
        "binary_records": len(binary),
        "mean_confidence": _mean([c for c, _ in confident]),
        "ece": _ece(confident),
    }


def _mean(values: list[Any]) -> float | None:
    return float(sum(map(Fraction, values)) / len(values)) if values else None


def _ece(confident: list[tuple[float, bool]], bins: int = 10) -> float | None:
    if not confident:
        return None
    gap = Fraction(0)
    for index in range(bins):
        low, high = index / bins, (index + 1) / bins
        held = [(c, r) for c, r in confident if low <= c < high or (index == bins - 1 and c == 1)]
        gap += abs(sum((Fraction(c) - r for c, r in held), Fraction(0)))
    return float(gap / len(confident))


def _agree(result: dict[str, Any], expected: dict[str, Any]) -> None:
    for name, value in expected.items():
        assert result[name] == (None if value is None else pytest.approx(value, rel=1e-12, abs=1e-15)), name


def _run(predictions: Rows, gold: Rows, **options: Any) -> tallystick.Report:
    return tallystick.run("predictions", predictions, gold, **options)


@given(items())
def test_every_measure_agrees_with_a_loop_over_items(drawn: tuple[Rows, Rows]) -> None:
    _agree(_run(*drawn).result, _naive(*drawn))


@given(items())
def test_each_family_is_the_audit_of_its_items_alone(drawn: tuple[Rows, Rows]) -> None:
    predictions, gold = drawn
    families = _run(predictions, gold).body["slices"]
    if not any("family" in row for row in gold):
        assert families == []
        return
    for part in families[0]["slices"]:
        own = [row for row in gold if row.get("family") == part["value"]]
        ids = {row["id"] for row in own}
        _agree(part["result"], _naive([p for p in predictions if p["id"] in ids], own))
    assert sum(part["result"]["records"] for part in families[0]["slices"]) == len(gold)


@given(st.data(), items())
def test_the_order_of_records_does_not_matter(data: st.DataObject, drawn: tuple[Rows, Rows]) -> None:
    predictions, gold = (data.draw(st.permutations(rows)) for rows in drawn)
    one, other = _run(*drawn).body, _run(predictions, gold).body
    assert (one["result"], one["slices"]) == (other["result"], other["slices"])


def test_scikit_learn_agrees_where_everything_is_scored() -> None:
    labels = ["a", "b", "c"]
    vectors = [[0.7, 0.2, 0.1], [0.2, 0.5, 0.3], [0.1, 0.6, 0.3], [0.25, 0.25, 0.5]]
    truth = ["a", "c", "b", "c"]
    report = _run(
        [{"id": str(i), "option_ids": labels, "probabilities": p} for i, p in enumerate(vectors)],
        [{"id": str(i), "gold": g} for i, g in enumerate(truth)],
    )
    predicted = [labels[p.index(max(p))] for p in vectors]
    assert report.log_loss == pytest.approx(metrics.log_loss(truth, vectors, labels=labels), rel=1e-12)
    assert report.balanced_accuracy == metrics.balanced_accuracy_score(truth, predicted)


def test_a_tie_goes_to_the_first_option_of_the_record() -> None:
    gold = [{"id": "1", "gold": "a"}]
    for options, accuracy in ((["a", "b"], 1.0), (["b", "a"], 0.0)):
        row = {"id": "1", "option_ids": options, "probabilities": [0.5, 0.5], "label": "a"}
        assert _run([row], gold).accuracy == accuracy


def test_sums_may_be_off_are_counted_and_refused_on_demand() -> None:
    vectors = [[0.5, 0.5000009], [0.5, 0.500001], [0.5, 0.499999], [0.5, 0.50001]]
    rows = [{"id": str(i), "option_ids": ["a", "b"], "probabilities": p} for i, p in enumerate(vectors)]
    gold = [{"id": str(i), "gold": "a"} for i in range(4)]
    assert _run(rows, gold).result["off_sum_records"] == 1
    assert _run(rows, gold, sum_tolerance=1e-4).result["off_sum_records"] == 1
    with pytest.raises(RecordError, match=r"predictions:4: probabilities: they sum to 1\.00001"):
        _run(rows, gold, sum_tolerance=1e-5 / 2)


def test_the_loss_of_an_impossible_answer_is_floored() -> None:
    row = {"id": "1", "option_ids": ["a", "b"], "probabilities": [0.0, 1.0]}
    assert _run([row], [{"id": "1", "gold": "a"}]).log_loss == pytest.approx(12 * log(10), rel=1e-12)
    tiny = row | {"probabilities": [5e-324, 1.0]}
    report = _run([tiny], [{"id": "1", "gold": "a"}], floor=0.5)
    assert report.log_loss == pytest.approx(log(2), rel=1e-12)


def test_classes_without_a_predicted_record_are_named() -> None:
    rows = [{"id": "1", "option_ids": ["a", "b"], "label": "a"}, {"id": "2", "option_ids": ["a", "b"]}]
    gold = [{"id": "1", "gold": "a"}, {"id": "2", "gold": "b"}, {"id": "3", "gold": "c"}]
    result = _run(rows, gold).result
    assert [row["label"] for row in result["per_class"]] == ["a"]
    assert result["unpredicted_classes"] == [{"label": "b", "missing": 1}, {"label": "c", "missing": 1}]
    assert (result["missing"], result["accuracy"], result["balanced_accuracy"]) == (2, 1.0, 1.0)


def test_gates_name_a_family_every_family_and_the_records_without_one() -> None:
    rows = [{"id": i, "option_ids": ["a", "b"], "probabilities": [0.9, 0.1]} for i in "1234"]
    gold: Rows = [{"id": "1", "gold": "a", "family": "intent"}, {"id": "2", "gold": "b", "family": "tone"}]
    gold += [{"id": "3", "gold": "a"}, {"id": "4", "gold": "a", "family": "intent"}]
    gates = ["ece[family=intent] <= 0.1", "ece[family=*] <= 0.1", "accuracy[family=unlabelled] >= 1"]
    report = _run(rows, gold, gates=gates)
    assert [gate["status"] for gate in report.body["gates"]] == ["passed", "failed", "passed"]


def test_without_a_vector_the_losses_are_undefined_and_their_gates_fail() -> None:
    rows = [{"id": "1", "option_ids": ["a"], "label": "a"}]
    report = _run(rows, [{"id": "1", "gold": "a"}], gates=["log_loss <= 9", "scored_rate >= 0"])
    assert [gate["status"] for gate in report.body["gates"]] == ["undefined", "passed"]
    assert report.body["undefined"]["log_loss"] == "no record has a vector of probabilities"
    assert report.body["undefined"]["brier_binary"] == "no scored record has a positive class"


FINE = {"id": "1", "option_ids": ["a", "b"], "probabilities": [0.5, 0.5]}
RIGHT = {"id": "1", "gold": "a"}


@pytest.mark.parametrize(
    ("predictions", "gold", "what"),
    [
        ([FINE, FINE | {"id": "2"}], [RIGHT], 'predictions:2: id: "2" has no gold record'),
        ([FINE], [RIGHT | {"id": "other"}], 'predictions:1: id: "1" has no gold record'),
        ([FINE, FINE], [RIGHT], 'predictions:2: id: "1" occurs more than once'),
        ([FINE], [RIGHT, RIGHT], 'gold:2: id: "1" occurs more than once'),
        ([FINE | {"probabilities": [1.0]}], [RIGHT], "probabilities: 1 of them for 2 option_ids"),
        ([FINE | {"probabilities": [0.5, 1.5]}], [RIGHT], "predictions:1: probabilities: .*from 0 to 1"),
        ([FINE | {"probabilities": [0.5, float("nan")]}], [RIGHT], "predictions:1: probabilities"),
        ([FINE | {"option_ids": ["a", "a"]}], [RIGHT], 'option_ids: "a" occurs more than once'),
        ([FINE | {"option_ids": []}], [RIGHT], "option_ids: expected a non-empty array"),
        ([FINE], [RIGHT | {"gold": "c"}], 'gold:1: gold: "c" is none of the options'),
        ([FINE], [RIGHT | {"positive": "c"}], 'gold:1: positive: "c" is none of the options'),
        ([FINE | {"probabilities": None}], [RIGHT | {"gold": "c"}], 'gold:1: gold: "c" is none'),
    ],
)
def test_what_cannot_be_joined_or_scored_is_refused_by_its_record(
    predictions: Rows, gold: Rows, what: str
) -> None:
    with pytest.raises(RecordError, match=what):
        _run(predictions, gold)
