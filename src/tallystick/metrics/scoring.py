"""What a vector of probabilities says of one record: its answer, its rank, its losses.

A vector holds the probabilities of k options. The order of the options breaks ties, and is the caller's
choice: the order of labels, or the order in which a record gives its options.

All sums over a record's options run over the columns from first to last, one after the other in float64.
"""

from collections.abc import Sequence
from math import fsum

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Places = NDArray[np.intp]

SLACK = 1e-12
"""Beyond every tolerance, so that a decimal one is met from both sides alike."""


def first_largest(p: Floats) -> Places:
    """Give the place (shape n) of the largest probability of each vector (n, k), the first where tied."""
    places: Places = np.argmax(p, axis=1)
    return places


def rank_of(p: Floats, gold: Places) -> Places:
    """Count the options ranked before the right one: 0 where it is the answer.

    Options are ranked by probability, descending, and the earlier of two equal ones comes first.

    Parameters
    ----------
    p
        Shape (n, k).
    gold
        Place of the right option, shape n, from 0 to k - 1.
    """
    own = at(p, gold)
    rank = np.zeros(len(p), dtype=np.intp)
    for place, column in enumerate(p.T):
        rank += (column > own) | ((column == own) & (place < gold))
    return rank


def at(p: Floats, places: Places) -> Floats:
    """Pick one probability of each vector (n, k), by its place (shape n)."""
    return p[np.arange(len(p)), places]


def log_loss(p: Floats, floor: float) -> Floats:
    """Give ``-ln(max(p, floor))`` of the probabilities of the right options (any shape), at least 0."""
    return np.abs(np.log(np.maximum(np.ascontiguousarray(p), floor)))


def brier_score(p: Floats, gold: Places) -> Floats:
    """Give the sum over options of ``(p - y)^2`` for each vector (n, k), y being 1 for the right option.

    In [0, 2] for vectors that sum to 1. Brier (1950), Mon. Weather Rev. 78, 1-3.
    """
    score = np.zeros(len(p))
    for place, column in enumerate(p.T):
        score += np.square(column - (gold == place))
    return score


def brier_score_by_name(p: Floats, gold: Places, options: Sequence[Sequence[str]]) -> Floats:
    """Give the Brier scores of vectors (n, k) whose options (n lists of k names) stand in any order.

    Terms are added in the code point order of the names, so that the order given does not matter.
    """
    keys = list(map(tuple, options))
    known = {key: sorted(range(len(key)), key=key.__getitem__) for key in set(keys)}
    order = np.array([known[key] for key in keys], dtype=np.intp)
    return brier_score(np.take_along_axis(p, order, axis=1), np.argmax(order == gold[:, np.newaxis], axis=1))


def ranked_probability_score(p: Floats, gold: Places) -> Floats:
    """Compare cumulative distributions over k >= 2 ordered levels: 0 is perfect, 1 the worst.

    ``1 / (k - 1)`` times the sum over the k - 1 levels below the top of ``(P - Y)^2``, P being the
    probability of that level or a lower one and Y being 1 where the right level is that or lower.
    Epstein (1969), J. Appl. Meteorol. 8, 985-987.

    Parameters
    ----------
    p
        Shape (n, k), levels ascending.
    gold
        The right level, shape n.
    """
    cumulative, score = np.zeros(len(p)), np.zeros(len(p))
    for level, column in enumerate(p.T[:-1]):
        cumulative += column
        score += np.square(cumulative - (gold <= level))
    score /= p.shape[1] - 1
    return score


def expected_level(p: Floats) -> Floats:
    """Give the mean level of each distribution (n, k) over levels 0 .. k - 1: the sum of level times p.

    Products are float64, and their sum is rounded once, so that a mean of 2.5 or 3 in decimals is that.
    """
    products = p * np.arange(p.shape[1])
    return np.fromiter(map(fsum, products.tolist()), np.float64, len(p))


def nearest_level(expected: Floats, levels: int) -> Places:
    """Give the level nearest to each expected one (shape n), halves going up, of levels 0 .. levels - 1."""
    return np.minimum(np.floor(expected + 0.5), levels - 1).astype(np.intp)


def sums_to_one(p: Floats, tolerance: float) -> NDArray[np.bool_]:
    """Say which vectors (n, k) sum to 1: ``abs(fsum(p) - 1) <= tolerance + 1e-12``; false for NaN.

    A plain sum decides wherever its error cannot matter, an exact one where it could.
    """
    limit = tolerance + SLACK
    off = np.abs(_row_sums(p) - 1)
    near = off <= limit
    error = p.shape[1] * 2.0**-52
    for row in np.flatnonzero(np.abs(off - limit) <= error).tolist():
        near[row] = abs(fsum(p[row].tolist()) - 1) <= limit
    return near


def _row_sums(p: Floats) -> Floats:
    total = np.zeros(len(p))
    for column in p.T:
        total += column
    return total
