"""Precision, recall and F1 of labels, their averages, and chance-corrected agreement, from integer counts."""

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple

from .exact import mean, ratio, total

Cells = Mapping[tuple[str, str], int]
"""Counts by (row label, column label); cells that are absent hold 0."""


class LabelCounts(NamedTuple):
    """How often a label is right (`true`), how often it is expected, and how often predicted."""

    label: str
    true: int
    expected: int
    predicted: int

    @property
    def precision(self) -> Fraction:
        """Share of its predictions that are right, in [0, 1]; 0 where it is never predicted."""
        return ratio(self.true, self.predicted) or Fraction(0)

    @property
    def recall(self) -> Fraction:
        """Share of its occurrences that are found, in [0, 1]; 0 where it never occurs."""
        return ratio(self.true, self.expected) or Fraction(0)

    @property
    def f1(self) -> Fraction:
        """2 TP / (2 TP + FP + FN), in [0, 1]; 0 where it neither occurs nor is predicted."""
        return ratio(2 * self.true, self.expected + self.predicted) or Fraction(0)

    @property
    def zero_denominators(self) -> list[str]:
        """Which of these three divide by 0, and are 0 for that reason alone."""
        whole = {"precision": self.predicted, "recall": self.expected, "f1": self.expected + self.predicted}
        return [name for name, denominator in whole.items() if not denominator]


def label_counts(cells: Iterable[tuple[tuple[str, str], int]]) -> list[LabelCounts]:
    """Count each label of a confusion matrix of cells (expected, predicted), in code point order."""
    true: dict[str, int] = {}
    expected: dict[str, int] = {}
    predicted: dict[str, int] = {}
    for (row, column), count in cells:
        expected[row] = expected.get(row, 0) + count
        predicted[column] = predicted.get(column, 0) + count
        if row == column:
            true[row] = true.get(row, 0) + count
    labels = sorted(expected.keys() | predicted.keys())
    return [LabelCounts(x, true.get(x, 0), expected.get(x, 0), predicted.get(x, 0)) for x in labels]


class Averages(NamedTuple):
    """Precision, recall and F1 over all labels, each in [0, 1], or None where it is undefined."""

    precision: Fraction | None
    recall: Fraction | None
    f1: Fraction | None


def micro_average(counts: Sequence[LabelCounts]) -> Averages:
    """Pool the counts of all labels; undefined where the pooled denominator is 0."""
    true, expected = sum(c.true for c in counts), sum(c.expected for c in counts)
    predicted = sum(c.predicted for c in counts)
    return Averages(ratio(true, predicted), ratio(true, expected), ratio(2 * true, expected + predicted))


def macro_average(counts: Sequence[LabelCounts]) -> Averages:
    """Average over labels, each label equal; undefined where there is no label."""
    return Averages(
        mean([c.precision for c in counts]), mean([c.recall for c in counts]), mean([c.f1 for c in counts])
    )


def weighted_average(counts: Sequence[LabelCounts]) -> Averages:
    """Average over labels, each weighted by how often it is expected; undefined where none ever is."""
    support = sum(c.expected for c in counts)
    return Averages(
        ratio(total(c.expected * c.precision for c in counts), support),
        ratio(total(c.expected * c.recall for c in counts), support),
        ratio(total(c.expected * c.f1 for c in counts), support),
    )


def largest_first(counts: Iterable[LabelCounts]) -> list[LabelCounts]:
    """Order labels by how often they are expected, then predicted, both descending, then by the label."""
    return sorted(counts, key=lambda c: (-c.expected, -c.predicted, c.label))


class Chance(NamedTuple):
    """Agreement of two raters. Each is None where it is undefined."""

    observed: Fraction | None
    expected: Fraction | None
    kappa: Fraction | None


def cohen_kappa(counts: Sequence[LabelCounts]) -> Chance:
    """Cohen's kappa: ``(po - pe) / (1 - pe)``, in [-1, 1], undefined where pe = 1.

    po is the share of agreeing items and pe the sum over labels of the product of both raters' shares,
    all in integers, so that an exact 0 is 0. Cohen (1960), Educ. Psychol. Meas. 20, 37-46.
    """
    items = sum(c.expected for c in counts)
    agreeing = sum(c.true for c in counts)
    products = sum(c.expected * c.predicted for c in counts)
    kappa = ratio(agreeing * items - products, items * items - products)
    return Chance(ratio(agreeing, items), ratio(products, items * items), kappa)


def weighted_kappa(cells: Cells, levels: Sequence[str], power: int) -> Fraction | None:
    """Cohen's kappa with weights of disagreement ``|i - j| ** power`` between levels i and j.

    ``1 - sum w o / sum w e`` with o the observed counts and e those expected from the margins, in
    [-1, 1]. Undefined where no disagreement is expected: both raters use one and the same level.

    Parameters
    ----------
    cells
        Counts by the levels that the two raters gave; all occur in `levels`.
    levels
        All levels, from the lowest to the highest.
    power
        1 for linear weights, 2 for quadratic ones.

    Notes
    -----
    Cohen (1968), Psychol. Bull. 70, 213-220.
    """
    place = {level: i for i, level in enumerate(levels)}
    rows, columns = [0] * len(levels), [0] * len(levels)
    observed = items = 0
    for (row, column), count in cells.items():
        i, j = place[row], place[column]
        rows[i] += count
        columns[j] += count
        items += count
        observed += count * abs(i - j) ** power
    expected = sum(
        n * m * abs(i - j) ** power for i, n in enumerate(rows) if n for j, m in enumerate(columns) if m
    )
    return None if not expected else 1 - Fraction(observed * items, expected)
