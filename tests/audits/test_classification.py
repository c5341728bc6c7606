"""Which classes does a classifier confuse? Against scikit-learn, and against fractions counted in a loop."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import accuracy_score, precision_recall_fscore_support, recall_score
from statsmodels.stats.proportion import proportion_confint

import tallystick
from tallystick.cli import main

LABELS = st.sampled_from(["a", "b", "B", "é", "z z"])
PAIRS = st.lists(st.tuples(LABELS, LABELS), min_size=1, max_size=40)
Pairs = list[tuple[str, str]]


def result(pairs: Pairs, **options: Any) -> dict[str, Any]:
    rows = [{"expected": expected, "predicted": predicted} for expected, predicted in pairs]
    found: dict[str, Any] = tallystick.run("classification", rows, **options).result
    return found


def random_tables(count: int) -> list[Pairs]:
    """Make label columns of many sizes, skews and accuracies, some with labels on one side only."""
    random = np.random.default_rng(20240607)
    tables = []
    for _ in range(count):
        labels, records = int(random.integers(1, 8)), int(random.integers(1, 80))
        expected = random.choice(labels, records, p=random.dirichlet(np.full(labels, 0.7)))
        guesses = random.choice(labels + 1, records, p=random.dirichlet(np.full(labels + 1, 0.7)))
        predicted = np.where(random.random(records) < random.random(), expected, guesses)
        tables.append([(f"c{one}", f"c{other}") for one, other in zip(expected, predicted, strict=True)])
    return tables


def test_hundreds_of_random_tables_agree_with_scikit_learn() -> None:
    for pairs in random_tables(600):
        expected, predicted = [e for e, _ in pairs], [p for _, p in pairs]
        labels = sorted({*expected, *predicted})
        found = result(pairs)
        per_label = precision_recall_fscore_support(expected, predicted, labels=labels, zero_division=0.0)
        rows = {row["label"]: row for row in found["per_label"]}
        for label, precision, recall, f1, support in zip(labels, *per_label, strict=True):
            row = rows[label]
            assert row["support"] == support
            assert row["precision"] == pytest.approx(precision, abs=1e-12)
            assert row["recall"] == pytest.approx(recall, abs=1e-12)
            assert row["f1"] == pytest.approx(f1, abs=1e-12)
        assert found["accuracy"] == accuracy_score(expected, predicted)
        macro = [column.mean() for column in per_label[:3]]
        assert [found[f"macro_{m}"] for m in ("precision", "recall", "f1")] == pytest.approx(macro, abs=1e-12)
        weighted = precision_recall_fscore_support(
            expected, predicted, labels=labels, zero_division=0.0, average="weighted"
        )
        assert found["weighted_f1"] == pytest.approx(weighted[2], abs=1e-12)
        balanced = recall_score(expected, predicted, labels=sorted(set(expected)), average="macro")
        assert found["balanced_accuracy"] == pytest.approx(balanced, abs=1e-12)


@given(pairs=PAIRS)
def test_measures_are_the_fractions_of_a_loop_rounded_once(pairs: Pairs) -> None:
    found = result(pairs)
    labels = sorted({label for pair in pairs for label in pair})
    true = {x: sum(e == p == x for e, p in pairs) for x in labels}
    support = {x: sum(e == x for e, _ in pairs) for x in labels}
    predicted = {x: sum(p == x for _, p in pairs) for x in labels}
    precision = {x: Fraction(true[x], predicted[x]) if predicted[x] else Fraction(0) for x in labels}
    recall = {x: Fraction(true[x], support[x]) if support[x] else Fraction(0) for x in labels}
    f1 = {x: Fraction(2 * true[x], support[x] + predicted[x]) for x in labels}
    assert found["labels"] == len(labels)
    assert found["accuracy"] == sum(true.values()) / len(pairs)
    assert found["macro_precision"] == float(sum(precision.values()) / len(labels))
    assert found["macro_recall"] == float(sum(recall.values()) / len(labels))
    assert found["macro_f1"] == float(sum(f1.values()) / len(labels))
    assert found["weighted_f1"] == float(sum(support[x] * f1[x] for x in labels) / len(pairs))
    used = [recall[x] for x in labels if support[x]]
    assert found["balanced_accuracy"] == float(sum(used) / len(used))
    rows = sorted(labels, key=lambda x: (-support[x], -predicted[x], x))
    assert [row["label"] for row in found["per_label"]] == rows
    for row in found["per_label"]:
        label = row["label"]
        assert (row["support"], row["predicted"], row["true_positives"]) == (
            support[label], predicted[label], true[label],
        )  # fmt: skip
        assert [row["precision"], row["recall"], row["f1"]] == [
            float(precision[label]), float(recall[label]), float(f1[label]),
        ]  # fmt: skip
    cells = {pair: pairs.count(pair) for pair in pairs}
    ordered = sorted(((-n, e, p) for (e, p), n in cells.items()))
    assert [tuple(row.values()) for row in found["confusion"]] == [(e, p, -n) for n, e, p in ordered]


@given(pairs=PAIRS, level=st.sampled_from([0.5, 0.9, 0.95, 0.99]))
def test_intervals_are_wilson_s(pairs: Pairs, level: float) -> None:
    found = result(pairs, confidence=level)
    right = sum(e == p for e, p in pairs)
    low, high = proportion_confint(right, len(pairs), 1 - level, method="wilson")
    assert found["accuracy_low"] == pytest.approx(low, abs=1e-12)
    assert found["accuracy_high"] == pytest.approx(high, abs=1e-12)
    for row in found["per_label"]:
        for measure, trials in (("precision", row["predicted"]), ("recall", row["support"])):
            ends = [row[f"{measure}_low"], row[f"{measure}_high"]]
            if not trials:
                assert ends == [None, None]
                continue
            wilson = proportion_confint(row["true_positives"], trials, 1 - level, method="wilson")
            assert ends == pytest.approx(list(wilson), abs=1e-12)


def test_a_label_on_one_side_only_counts_and_names_its_zero_denominators() -> None:
    found = result([("ant", "ant"), ("bee", "ant"), ("ant", "cow")])
    assert {row["label"]: row["zero_denominators"] for row in found["per_label"]} == {
        "ant": [], "bee": ["precision"], "cow": ["recall"],
    }  # fmt: skip
    assert found["macro_f1"] == (2 * 1 / (2 + 2) + 0 + 0) / 3
    assert found["balanced_accuracy"] == (1 / 2 + 0) / 2


@pytest.mark.parametrize("other", ["Ant", " ant", "a\u006et\u0301", "ant\u200b", "NaN", "null", "0"])
def test_labels_that_differ_at_all_are_different_labels(other: str) -> None:
    found = result([("ant", other)])
    assert found["labels"] == 2
    assert found["accuracy"] == 0


def test_all_right_and_all_wrong_have_closed_forms() -> None:
    z = 1.959963984540054
    right = result([("a", "a")] * 10)
    assert [right[m] for m in ("accuracy", "macro_f1", "accuracy_high")] == [1, 1, 1]
    assert right["accuracy_low"] == pytest.approx(1 / (1 + z * z / 10), abs=1e-12)
    wrong = result([("a", "b")] * 10)
    assert [wrong[m] for m in ("accuracy", "macro_f1", "accuracy_low")] == [0, 0, 0]
    assert wrong["accuracy_high"] == pytest.approx(1 - 1 / (1 + z * z / 10), abs=1e-12)


def test_a_gate_on_counts_has_no_slack() -> None:
    pairs = [("a", "a")] * 3 + [("a", "b")] * 7
    rows = [{"expected": e, "predicted": p} for e, p in pairs]
    assert tallystick.run("classification", rows, gates=["accuracy >= 0.3"]).passed
    assert not tallystick.run("classification", rows, gates=["accuracy >= 0.30000000000000001"]).passed


def test_a_gate_on_a_label_s_recall_judges_that_label(tmp_path: Any, capsys: Any) -> None:
    (tmp_path / "data.jsonl").write_text(
        '{"expected":"a","predicted":"a"}\n{"expected":"b","predicted":"a"}\n', encoding="utf-8"
    )
    path = str(tmp_path / "data.jsonl")
    assert main(["classification", path, "--gate", "recall[a] >= 1"]) == 0
    assert main(["classification", path, "--gate", "recall[b] >= 0.1"]) == 1
    assert main(["classification", path, "--gate", "recall[c] >= 0"]) == 1
    assert "there is no row c" in capsys.readouterr().out


def test_rows_beyond_the_limit_are_counted() -> None:
    pairs = [(f"l{i}", f"l{i + 1}") for i in range(5)]
    found = result(pairs, max_rows=2)
    assert [len(found["per_label"]), len(found["confusion"])] == [2, 2]
    assert found["omitted"] == {"per_label": 4, "confusion": 3}
    assert found["macro_f1"] == 0
    assert math.isclose(found["accuracy_high"], proportion_confint(0, 5, 0.05, method="wilson")[1])
