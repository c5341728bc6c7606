"""The choice of a confidence threshold, from validation records and nothing else."""

from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .curves import acceptance


class Validation(NamedTuple):
    """The validation records of one candidate, as all that a threshold may be chosen by."""

    confidence: NDArray[np.float64]
    """The distinct confidences of its suggestions, ascending (shape d)."""
    right: NDArray[np.int64]
    """How many right suggestions have each confidence (shape d)."""
    wrong: NDArray[np.int64]
    """How many wrong ones have it (shape d)."""
    records: int
    """All validation records, with those that have no suggestion."""


class Choice(NamedTuple):
    """A threshold, and what it accepts of the validation records."""

    threshold: float
    accepted: int
    right: int


def choose(validation: Validation, floor: Fraction) -> Choice | None:
    """Choose the distinct confidence that is the most precise threshold of those that cover enough.

    A suggestion is accepted where its confidence is the threshold or more. Of the thresholds with
    ``accepted / records >= floor`` the one with the largest ``right / accepted``; of equal ones that which
    accepts most. Both are compared as exact fractions. None where no threshold covers as much as the floor.

    Parameters
    ----------
    validation
        The candidate's validation records; it may have none.
    floor
        The least coverage, in (0, 1].
    """
    curve = acceptance(validation.confidence, validation.right, validation.wrong)
    least = floor.numerator * validation.records
    best: Choice | None = None
    for threshold, accepted, wrong in zip(*(column.tolist() for column in curve), strict=True):
        right = accepted - wrong
        if accepted * floor.denominator < least:
            continue
        if best is None or right * best.accepted >= best.right * accepted:
            best = Choice(threshold, accepted, right)
    return best
