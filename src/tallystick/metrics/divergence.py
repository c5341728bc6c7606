"""How far apart two distributions are: total variation and Jensen-Shannon divergence.

Total variation is half the sum of ``|p - q|``. The Jensen-Shannon divergence (in bits) is the mean of the
divergences of p and of q from their midpoint. With m = (p + q) / 2 and d = (p - q) / (p + q) for a label, it
is the sum over labels of

    m / 2 * h(d),    h(d) = (1 + d) log2(1 + d) + (1 - d) log2(1 - d)

Every term is non-negative, is 0 where p = q, and keeps its relative precision where p and q nearly agree,
which the sum of ``p log2(p / m)`` and ``q log2(q / m)`` does not. Terms are summed exactly (`math.fsum`),
so no order of the labels matters. Both distances lie in [0, 1]. Lin (1991), IEEE Trans. Inf. Theory 37.
"""

from collections.abc import Mapping
from fractions import Fraction
from math import fsum, log

import numpy as np
from numpy.typing import NDArray

from .exact import total

Counts = Mapping[str, int]
"""How often each label occurs; labels that are absent occur 0 times."""


def share_changes(reference: Counts, candidate: Counts) -> dict[str, Fraction] | None:
    """Subtract the share of each label in one table of counts from its share in another.

    Returns
    -------
    For each label of either, in code point order, its share of the candidate less its share of the
    reference, exact, in [-1, 1]; None where one of the tables is empty.
    """
    items, others = sum(reference.values()), sum(candidate.values())
    if not items or not others:
        return None
    labels = sorted(reference.keys() | candidate.keys())
    whole = items * others
    return {x: Fraction(candidate.get(x, 0) * items - reference.get(x, 0) * others, whole) for x in labels}


def total_variation_of_counts(reference: Counts, candidate: Counts) -> Fraction | None:
    """Total variation of two tables of counts, exact, in [0, 1]; None where one of them is empty."""
    changes = share_changes(reference, candidate)
    return None if changes is None else total(abs(change) for change in changes.values()) / 2


def js_divergence_of_counts(reference: Counts, candidate: Counts) -> Fraction | None:
    """Jensen-Shannon divergence in bits of two tables of counts, in [0, 1]; None where one is empty.

    What only one side has is added exactly, so that it is exactly 1 for two tables without a common label.
    The rest is float64: exactly 0 where all shares are equal.
    """
    items, others = sum(reference.values()), sum(candidate.values())
    if not items or not others:
        return None
    labels = reference.keys() | candidate.keys()
    pairs = [(reference.get(x, 0) * others, candidate.get(x, 0) * items) for x in labels]
    scale = 2 * items * others
    one_sided = Fraction(sum(n + m for n, m in pairs if not n or not m), scale)
    shared = [(n, m) for n, m in pairs if n and m]
    middle = np.array([(n + m) / scale for n, m in shared], dtype=np.float64)
    lean = np.array([(n - m) / (n + m) for n, m in shared], dtype=np.float64)
    return min(Fraction(1), one_sided + Fraction(fsum((middle / 2 * _departure(lean)).tolist())))


def total_variation(p: NDArray[np.float64], q: NDArray[np.float64]) -> NDArray[np.float64]:
    """Total variation of each row of p from the same row of q.

    Parameters
    ----------
    p, q
        Shape (n, k), in [0, 1]; each row sums to about 1.

    Returns
    -------
    Shape n, in [0, 1]; exactly 0 where the rows are equal.
    """
    return np.minimum(_row_sums(np.abs(p - q) / 2), 1.0)


def js_divergence(p: NDArray[np.float64], q: NDArray[np.float64]) -> NDArray[np.float64]:
    """Jensen-Shannon divergence in bits of each row of p from the same row of q.

    Parameters
    ----------
    p, q
        Shape (n, k), in [0, 1]; each row sums to about 1.

    Returns
    -------
    Shape n, in [0, 1]: never negative, exactly 0 where the rows are equal, and 1, as far as the rows sum
    to 1, where no label has a probability in both.
    """
    both = p + q
    lean = np.divide(p - q, both, out=np.zeros_like(both), where=both > 0)
    return np.minimum(_row_sums(both / 4 * _departure(lean)), 1.0)


def _departure(lean: NDArray[np.float64]) -> NDArray[np.float64]:
    """Compute h(d) of the module, in [0, 2], for d in [-1, 1].

    Near 0 the two terms of h nearly cancel; there it is ``log1p(-d^2) + 2 d atanh(d)``, which does not.
    """
    small = np.clip(lean, -0.5, 0.5)
    near = (np.log1p(-small * small) + 2 * small * np.arctanh(small)) / log(2)
    return np.where(np.abs(lean) <= 0.5, near, _x_log2_x(1 + lean) + _x_log2_x(1 - lean))


def _x_log2_x(x: NDArray[np.float64]) -> NDArray[np.float64]:
    return x * np.log2(np.where(x > 0, x, 1.0))


def _row_sums(terms: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.fromiter(map(fsum, terms.tolist()), np.float64, len(terms))
