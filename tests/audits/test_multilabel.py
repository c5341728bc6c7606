from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sklearn
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics as oracle
from statsmodels.stats.proportion import proportion_confint

import tallystick

LABELS = ["A", "a", "B b", "é", "ß", "猫"]

sets = st.lists(st.sampled_from(LABELS), unique=True, max_size=4)
tables = st.lists(st.tuples(sets, sets), min_size=1, max_size=12).filter(lambda t: any(e or p for e, p in t))


def records(table: list[tuple[list[str], list[str]]]) -> list[dict[str, list[str]]]:
    return [{"expected": expected, "predicted": predicted} for expected, predicted in table]


def result(table: list[tuple[list[str], list[str]]], **options: Any) -> dict[str, Any]:
    found: dict[str, Any] = tallystick.run("multilabel", records(table), **options).result
    return found


def naive(table: list[tuple[list[str], list[str]]]) -> dict[str, float | None]:
    """Every measure by its definition, one decision at a time."""
    labels = sorted({x for e, p in table for x in e + p})
    tp = {x: sum(x in e and x in p for e, p in table) for x in labels}
    support = {x: sum(x in e for e, _ in table) for x in labels}
    predicted = {x: sum(x in p for _, p in table) for x in labels}

    def divide(part: Any, whole: int) -> Fraction | None:
        return Fraction(part) / whole if whole else None

    rates = {
        "precision": {x: divide(tp[x], predicted[x]) or Fraction(0) for x in labels},
        "recall": {x: divide(tp[x], support[x]) or Fraction(0) for x in labels},
        "f1": {x: divide(2 * tp[x], support[x] + predicted[x]) or Fraction(0) for x in labels},
    }
    made: dict[str, Fraction | None] = {
        "micro_precision": divide(sum(tp.values()), sum(predicted.values())),
        "micro_recall": divide(sum(tp.values()), sum(support.values())),
        "micro_f1": divide(2 * sum(tp.values()), sum(support.values()) + sum(predicted.values())),
        "subset_accuracy": divide(sum(set(e) == set(p) for e, p in table), len(table)),
        "mean_jaccard": divide(
            sum(Fraction(len({*e} & {*p}), len({*e, *p})) if e or p else 1 for e, p in table), len(table)
        ),
        "hamming_loss": divide(
            sum((x in e) != (x in p) for e, p in table for x in labels), len(table) * len(labels)
        ),
        "mean_expected_labels": divide(sum(len(e) for e, _ in table), len(table)),
        "mean_predicted_labels": divide(sum(len(p) for _, p in table), len(table)),
    }
    for name, rate in rates.items():
        made[f"macro_{name}"] = divide(sum(rate.values()), len(labels))
        weighted = sum(support[x] * rate[x] for x in labels)
        made[f"weighted_{name}"] = divide(weighted, sum(support.values()))
    return {name: None if value is None else float(value) for name, value in made.items()}


@given(tables)
def test_every_measure_is_its_definition_rounded_once(table: list[tuple[list[str], list[str]]]) -> None:
    found = result(table)
    assert {name: found[name] for name in naive(table)} == naive(table)


@given(tables, st.randoms(use_true_random=False))
def test_neither_the_order_of_labels_nor_of_records_matters(
    table: list[tuple[list[str], list[str]]], random: Any
) -> None:
    shuffled = [(random.sample(e, len(e)), random.sample(p, len(p))) for e, p in table]
    random.shuffle(shuffled)
    assert result(shuffled) == result(table)


def test_a_thousand_random_tables_agree_with_scikit_learn() -> None:
    random = np.random.default_rng(7)
    compared = 0
    with sklearn.config_context(skip_parameter_validation=True, assume_finite=True):
        while compared < 1000:
            shape = random.integers(1, 30), random.integers(2, len(LABELS) + 1)
            expected, predicted = (random.random(shape) < random.random() for _ in range(2))
            seen = (expected | predicted).any(axis=0)
            if seen.sum() < 2:  # scikit-learn takes a single column for two classes
                continue
            compare(expected[:, seen], predicted[:, seen])
            compared += 1


def compare(expected: np.ndarray[Any, Any], predicted: np.ndarray[Any, Any]) -> None:
    names = np.array(LABELS[: expected.shape[1]])
    table = [(names[e].tolist(), names[p].tolist()) for e, p in zip(expected, predicted, strict=True)]
    found = result(table)
    ours = {name: found[name] for name in found if name != "per_label"}
    theirs = {
        "subset_accuracy": oracle.accuracy_score(expected, predicted),
        "hamming_loss": oracle.hamming_loss(expected, predicted),
        "mean_jaccard": oracle.jaccard_score(expected, predicted, average="samples", zero_division=1),
    }
    for average in ("micro", "macro", "weighted"):
        values = oracle.precision_recall_fscore_support(expected, predicted, average=average, zero_division=0)
        for name, value in zip(("precision", "recall", "f1"), values[:3], strict=True):
            if ours[f"{average}_{name}"] is None:
                assert not (predicted if (average, name) == ("micro", "precision") else expected).any()
            else:
                theirs[f"{average}_{name}"] = value
    for name, value in theirs.items():
        assert ours[name] == pytest.approx(value, rel=1e-12, abs=1e-12), name
    cells = oracle.multilabel_confusion_matrix(expected, predicted)
    by_label = {row["label"]: row for row in found["per_label"]}
    for label, ((tn, fp), (fn, tp)) in zip(names.tolist(), cells.tolist(), strict=True):
        row = by_label[label]
        kinds = ("true_negatives", "false_positives", "false_negatives", "true_positives")
        assert [row[kind] for kind in kinds] == [tn, fp, fn, tp]


def test_the_intervals_are_those_of_statsmodels() -> None:
    table = [(["a"], ["a"])] * 7 + [(["a", "b"], ["a"])] * 4 + [(["b"], ["a", "b"])] * 3
    found = result(table, confidence=0.9)
    low, high = proportion_confint(7, 14, alpha=0.1, method="wilson")
    assert found["subset_accuracy_low"] == pytest.approx(low, rel=1e-12)
    assert found["subset_accuracy_high"] == pytest.approx(high, rel=1e-12)
    label = next(row for row in found["per_label"] if row["label"] == "b")
    low, high = proportion_confint(3, 7, alpha=0.1, method="wilson")
    assert (label["recall_low"], label["recall_high"]) == pytest.approx((low, high), rel=1e-12)


def test_two_empty_sets_are_equal() -> None:
    found = result([([], []), (["a"], [])])
    assert found["mean_jaccard"] == 1 / 2
    assert found["subset_accuracy"] == 1 / 2
    assert found["hamming_loss"] == 1 / 2


def test_a_label_that_only_the_model_uses_counts_without_support() -> None:
    found = result([(["a"], ["a", "b"])])
    assert [(row["label"], row["support"], row["zero_denominators"]) for row in found["per_label"]] == [
        ("a", 1, []),
        ("b", 0, ["recall"]),
    ]
    assert found["macro_f1"] == 1 / 2
    assert found["weighted_f1"] == 1


def test_without_predictions_micro_precision_is_undefined_and_its_gate_does_not_pass() -> None:
    report = tallystick.run("multilabel", records([(["a"], [])]), gates=["micro_precision >= 0"])
    assert report.result["micro_precision"] is None
    assert report.undefined["micro_precision"] == "no record is predicted to have a label"
    assert report.result["micro_recall"] == report.result["micro_f1"] == 0
    assert report.gates[0]["status"] == "undefined"
    assert not report.passed


def test_without_expected_labels_recall_and_weighted_measures_are_undefined() -> None:
    found = result([([], ["a"])])
    nothing = {name for name, value in found.items() if value is None}
    assert nothing == {"micro_recall", "weighted_precision", "weighted_recall", "weighted_f1"}


def test_records_without_any_label_are_refused() -> None:
    with pytest.raises(tallystick.SourceError, match="no record has a label"):
        tallystick.run("multilabel", records([([], []), ([], [])]))


def test_a_slice_without_any_label_is_undefined() -> None:
    rows = [{"expected": ["a"], "predicted": ["a"], "s": "x"}, {"expected": [], "predicted": [], "s": "y"}]
    report = tallystick.run(
        "multilabel", rows, slice_by="s", gates=["micro_f1[s=x] >= 1", "macro_f1[s=y] >= 0"]
    )
    assert [gate["status"] for gate in report.gates] == ["passed", "undefined"]
    empty = report.slices[0]["slices"][1]["result"]
    assert (empty["labels"], empty["hamming_loss"], empty["mean_jaccard"]) == (0, None, 1)


def test_a_slice_counts_only_the_labels_that_occur_in_it() -> None:
    rows = [{"expected": ["a"], "predicted": [], "s": "x"}, {"expected": ["b"], "predicted": ["b"], "s": "y"}]
    report = tallystick.run("multilabel", rows, slice_by="s")
    assert report.result["hamming_loss"] == 1 / 4
    assert [part["result"]["hamming_loss"] for part in report.slices[0]["slices"]] == [1, 0]


@pytest.mark.parametrize("field", ["expected", "predicted"])
def test_a_label_twice_in_an_array_is_refused_naming_file_line_and_field(tmp_path: Path, field: str) -> None:
    path = tmp_path / "data.jsonl"
    other = "predicted" if field == "expected" else "expected"
    path.write_text(
        f'{{"expected": ["a"], "predicted": []}}\n\n{{"{field}": ["b", "a", "b"], "{other}": []}}\n'
    )
    with pytest.raises(tallystick.RecordError) as refused:
        tallystick.run("multilabel", path)
    assert str(refused.value) == f'{path}:3: {field}: "b" occurs more than once'


def test_gates_compare_counts_exactly() -> None:
    table = [(["a"], ["a"])] * 3 + [(["a"], ["b"])] * 7
    report = tallystick.run(
        "multilabel",
        records(table),
        gates=["subset_accuracy >= 0.3", "hamming_loss <= 0.7", "recall[a] >= 0.3"],
    )
    assert report.passed
    short = tallystick.run("multilabel", records(table), gates=["subset_accuracy >= 0.3000000000000001"])
    assert not short.passed


def test_the_largest_labels_are_kept_and_the_others_counted() -> None:
    found = result([(["a", "b"], ["c"]), (["b"], ["b"])], max_rows=1)
    assert [row["label"] for row in found["per_label"]] == ["b"]
    assert found["omitted"] == {"per_label": 2}
    assert found["labels"] == 3
