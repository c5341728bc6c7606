"""How good a ranking is, and how much two rankings share.

A ranking is a list of different ids, the best first; its first item has rank 1.
"""

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from functools import lru_cache
from itertools import chain, repeat
from math import frexp, fsum, ldexp, log2
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Hits(NamedTuple):
    """The relevant documents of one query, and where a ranking has them."""

    ranks: tuple[int, ...]
    """Ranks of the relevant documents retrieved, ascending."""
    gains: tuple[float, ...]
    """The gain of each of them."""
    ideal: tuple[float, ...]
    """The gains of all relevant documents, descending."""


def hits(relevant: Sequence[str] | Mapping[str, float], retrieved: Sequence[str]) -> Hits:
    """Find the relevant documents in a ranking.

    Parameters
    ----------
    relevant
        The relevant documents (different ids), each of gain 1; or the grade of each document, finite and at
        least 0, which is its gain. One of grade 0 is not relevant.
    retrieved
        The ranking (different ids).

    Returns
    -------
    Ranks and gains. Grades are scaled by the power of two that brings the largest into [0.5, 1): that
    changes no ratio of them, and their sums cannot overflow.
    """
    if not isinstance(relevant, Mapping):
        wanted = set(relevant)
        ranks = [rank for rank, document in enumerate(retrieved, 1) if document in wanted]
        return Hits(tuple(ranks), (1.0,) * len(ranks), (1.0,) * len(wanted))
    power = -frexp(max(relevant.values(), default=0.0))[1]
    gain = {document: ldexp(grade, power) for document, grade in relevant.items() if grade > 0}
    ranks = [rank for rank, document in enumerate(retrieved, 1) if document in gain]
    gains = (gain[retrieved[rank - 1]] for rank in ranks)
    return Hits(tuple(ranks), tuple(gains), tuple(sorted(gain.values(), reverse=True)))


@lru_cache(maxsize=1_000)
def ndcg(found: Hits, cutoffs: tuple[int, ...]) -> list[float]:
    """Normalised discounted cumulative gain of the first k ranks, for each of the cutoffs k.

    The gain at rank r counts ``1 / log2(r + 1)``. The sum over the documents retrieved is divided by that of
    the ideal ranking, which has the relevant documents (at least one) by gain, descending. Each number is a
    float64 in [0, 1]. Jarvelin & Kekalainen (2002), ACM Trans. Inf. Syst. 20, 422-446, with the discount of
    Burges et al. (2005), ICML 22.
    """
    terms = [gain * _discount(rank) for rank, gain in zip(found.ranks, found.gains, strict=True)]
    ideal = [gain * _discount(rank) for rank, gain in enumerate(found.ideal[: max(cutoffs)], 1)]
    upto = [bisect_right(found.ranks, cutoff) for cutoff in cutoffs]
    return [min(1.0, fsum(terms[:n]) / fsum(ideal[:k])) for n, k in zip(upto, cutoffs, strict=True)]


@lru_cache(maxsize=100_000)
def _discount(rank: int) -> float:
    return 1 / log2(rank + 1)


class Shared(NamedTuple):
    """What the first k of pairs of rankings (n) share, for each of some cutoffs k (c)."""

    common: NDArray[np.int64]
    """Items in both (shape c, n)."""
    either: NDArray[np.int64]
    """Items in at least one (shape c, n)."""
    displacement: NDArray[np.int64]
    """Sum over the items in both of the difference of their two ranks (shape c, n)."""
    same_first: NDArray[np.bool_]
    """Whether the first items of both are the same, or there is none in either (shape n)."""


def shared(ones: Sequence[Sequence[str]], others: Sequence[Sequence[str]], cutoffs: Sequence[int]) -> Shared:
    """Compare the first k of each of some rankings with those of another, for each of the cutoffs k.

    An item is in both only where both of its ranks are at most k.

    Parameters
    ----------
    ones, others
        Rankings (n and n, each of different ids).
    cutoffs
        Ascending (c).
    """
    sizes = np.array([list(map(len, ones)), list(map(len, others))], np.int64)
    ends = np.cumsum(sizes[1])
    rank_in_one = _ranks(ones, others, int(sizes[1].sum()))
    met = np.flatnonzero(rank_in_one)
    pair = np.repeat(np.arange(len(ones)), sizes[1])[met]
    one, other = rank_in_one[met], met + 1 - (ends - sizes[1])[pair]
    deeper = np.maximum(one, other)
    shape = len(cutoffs) + 1, len(ones)
    cells = np.searchsorted(cutoffs, deeper) * len(ones) + pair  # by the first cutoff that has both ranks

    def upto(weights: NDArray[np.int64] | None = None) -> NDArray[np.int64]:
        counts = np.bincount(cells, weights, minlength=shape[0] * shape[1]).astype(np.int64)
        return counts.reshape(shape)[:-1].cumsum(axis=0)

    common = upto()
    same_first = (sizes == 0).all(axis=0)
    same_first[pair[deeper == 1]] = True
    within = np.minimum(sizes[:, np.newaxis], np.array(cutoffs)[:, np.newaxis])
    return Shared(common, within.sum(axis=0) - common, upto(np.abs(one - other)), same_first)


def _ranks(ones: Sequence[Sequence[str]], others: Sequence[Sequence[str]], size: int) -> NDArray[np.int64]:
    """Give the rank in one ranking of each item of the other, all end to end (shape size); 0 for none."""
    ranks = range(1, 1 + max(map(len, ones), default=0))
    pairs = zip(ones, others, strict=True)
    found = (map(dict(zip(one, ranks, strict=False)).get, other, repeat(0)) for one, other in pairs)
    return np.fromiter(chain.from_iterable(found), np.int64, size)
