from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sklearn
from sklearn import metrics as oracle

from tallystick.metrics import labels
from tallystick.metrics.sets import jaccard

ZERO, ONE = Fraction(0), Fraction(1)
NAMES = ["A", "a", "b", "é", "猫"]


def table(random: np.random.Generator) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    used = random.choice(NAMES, random.integers(1, 6), replace=False)
    expected = random.choice(used, random.integers(1, 30))
    copied = random.random(len(expected)) < random.random()
    return expected, np.where(copied, expected, random.choice(used, len(expected)))


def cells(
    expected: np.ndarray[Any, Any], predicted: np.ndarray[Any, Any]
) -> list[tuple[tuple[str, str], int]]:
    return [((str(one), str(other)), 1) for one, other in zip(expected, predicted, strict=True)]


def test_random_tables_agree_with_scikit_learn() -> None:
    random = np.random.default_rng(5)
    with sklearn.config_context(skip_parameter_validation=True, assume_finite=True):
        for _ in range(500):
            expected, predicted = table(random)
            counts = labels.label_counts(cells(expected, predicted))
            assert [c.label for c in counts] == sorted({*expected.tolist(), *predicted.tolist()})
            for average, ours in [
                ("micro", labels.micro_average(counts)),
                ("macro", labels.macro_average(counts)),
                ("weighted", labels.weighted_average(counts)),
            ]:
                theirs = oracle.precision_recall_fscore_support(
                    expected, predicted, average=average, zero_division=0
                )
                values = [float(value) for value in ours if value is not None]
                assert values == pytest.approx(theirs[:3], rel=1e-12, abs=1e-12), average
            rows = oracle.precision_recall_fscore_support(expected, predicted, average=None, zero_division=0)
            for c, *row in zip(counts, *rows, strict=True):
                ours_row = [float(c.precision), float(c.recall), float(c.f1), c.expected]
                assert ours_row == pytest.approx(row, rel=1e-12, abs=1e-12)


def test_averages_are_undefined_where_they_divide_by_0() -> None:
    missed, invented = labels.LabelCounts("a", 0, 3, 0), labels.LabelCounts("b", 0, 0, 2)
    assert labels.micro_average([missed]) == (None, ZERO, ZERO)
    assert labels.micro_average([invented]) == (ZERO, None, ZERO)
    assert labels.weighted_average([invented]) == (None, None, None)
    assert (
        labels.macro_average([])
        == labels.micro_average([])
        == labels.weighted_average([])
        == (None, None, None)
    )


def test_a_rate_whose_denominator_is_0_is_0_and_named() -> None:
    missed, invented = labels.LabelCounts("a", 0, 3, 0), labels.LabelCounts("b", 0, 0, 2)
    assert (missed.precision, missed.zero_denominators) == (ZERO, ["precision"])
    assert (invented.recall, invented.zero_denominators) == (ZERO, ["recall"])
    assert labels.LabelCounts("c", 0, 0, 0).zero_denominators == ["precision", "recall", "f1"]
    assert labels.LabelCounts("d", 0, 1, 1).zero_denominators == []


def test_the_mean_of_f1s_is_not_the_f1_of_means() -> None:
    counts = [labels.LabelCounts("a", 9, 10, 30), labels.LabelCounts("b", 1, 20, 1)]
    macro = labels.macro_average(counts)
    assert macro.precision is not None
    assert macro.recall is not None
    assert macro.f1 == (Fraction(18, 40) + Fraction(2, 21)) / 2
    assert macro.f1 != 2 * macro.precision * macro.recall / (macro.precision + macro.recall)


def test_kappa_is_undefined_only_where_chance_agreement_is_certain() -> None:
    assert labels.cohen_kappa([labels.LabelCounts("a", 5, 5, 5)]) == (ONE, ONE, None)
    assert labels.cohen_kappa([]) == (None, None, None)
    assert labels.weighted_kappa({("a", "a"): 5}, ["a", "b"], 1) is None
    assert labels.weighted_kappa({}, ["a", "b"], 2) is None
    assert labels.weighted_kappa({("a", "b"): 1, ("b", "a"): 1}, ["a", "b"], 2) == -1


def test_two_empty_sets_have_a_jaccard_index_of_1() -> None:
    assert jaccard(0, 0) == 1
    assert jaccard(0, 3) == 0
    assert jaccard(1, 3) == Fraction(1, 3)
