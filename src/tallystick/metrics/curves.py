"""What a threshold on a score gains and costs, from distinct scores and how often each occurs.

Records with equal scores always enter together, so nothing here depends on the order of records. Products of
two counts are int64: exact for up to three billion records.
"""

from fractions import Fraction
from math import fsum
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .exact import ratio

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]


class Acceptance(NamedTuple):
    """What thresholds at each distinct score accept, from the highest score (shape d each)."""

    threshold: Floats
    records: Integers
    """Records whose score is the threshold or higher."""
    wrong: Integers
    """Those of them that are wrong."""

    def above(self, threshold: float) -> int:
        """Count the points whose threshold is not below the given one; the last of them is the one acting."""
        return int(np.searchsorted(-self.threshold, -threshold, side="right"))

    def at(self, threshold: float) -> tuple[int, int]:
        """Give how many records a threshold accepts (``score >= threshold``), and how many are wrong."""
        points = self.above(threshold)
        return (int(self.records[points - 1]), int(self.wrong[points - 1])) if points else (0, 0)


def acceptance(scores: Floats, right: Integers, wrong: Integers) -> Acceptance:
    """Accumulate distinct scores (ascending, shape d) with counts of right and wrong records (shape d)."""
    accepted = np.cumsum((right + wrong)[::-1])
    return Acceptance(scores[::-1], accepted, np.cumsum(wrong[::-1]))


def risk_coverage_area(curve: Acceptance) -> Fraction | None:
    """Sum the risk of each point times its increase of coverage, in [0, 1]; None without records.

    Each term is rounded once to float64, and the terms are summed exactly, so that the result is within
    2e-16 of the exact one. Geifman & El-Yaniv (2017), NeurIPS, for risk and coverage.
    """
    if not len(curve.records):
        return None
    entered = np.diff(curve.records, prepend=0)
    terms = (entered * curve.wrong) / curve.records
    return Fraction(fsum(terms.tolist())) / int(curve.records[-1])


def thinned(curve: Acceptance, most: int, threshold: float | None = None) -> NDArray[np.intp]:
    """Choose at most `most` points (3 or more) of a curve: places, ascending.

    Every point where there are few enough; else the first to reach each of equal steps of coverage, both
    ends among them, and the one that acts at `threshold`, if any does.
    """
    points = len(curve.records)
    if points <= most:
        return np.arange(points)
    steps = most - 2
    records = int(curve.records[-1])
    wanted = np.array([-(-records * step // steps) for step in range(steps + 1)])
    chosen = np.searchsorted(curve.records, np.maximum(wanted, 1))
    acting = curve.above(threshold) - 1 if threshold is not None else -1
    return np.unique(np.append(chosen, acting) if acting >= 0 else chosen)


def roc_auc(positive: Integers, negative: Integers) -> Fraction | None:
    """Area under the ROC curve: the chance that a positive record scores above a negative one, ties half.

    Exact, in [0, 1]; None without records of both kinds. Hanley & McNeil (1982), Radiology 143, 29-36.

    Parameters
    ----------
    positive, negative
        Counts at each distinct score, ascending (shape d).
    """
    below = np.cumsum(negative) - negative
    twice = int(np.sum(positive * (2 * below + negative)))
    return ratio(twice, 2 * int(positive.sum()) * int(negative.sum()))


def average_precision(positive: Integers, negative: Integers) -> Fraction | None:
    """Sum the precision at each distinct score times its increase of recall, in [0, 1].

    No interpolation. Each term is rounded once to float64, and the terms are summed exactly. None without
    positive records.

    Parameters
    ----------
    positive, negative
        Counts at each distinct score, ascending (shape d).
    """
    entered = positive[::-1]
    found, listed = np.cumsum(entered), np.cumsum((positive + negative)[::-1])
    terms = (entered * found) / listed
    return ratio(Fraction(fsum(terms.tolist())), int(positive.sum()))
