"""How good a ranking is, and how much two rankings share.

A ranking is a list of different ids, the best first; its first item has rank 1.
"""

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from functools import lru_cache
from math import frexp, fsum, ldexp, log2
from typing import NamedTuple


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
    """What the first k of two rankings share."""

    common: int
    """Items in both."""
    either: int
    """Items in at least one."""
    displacement: int
    """Sum over the items in both of the difference of their two ranks."""


def shared(one: Sequence[str], other: Sequence[str], cutoffs: Sequence[int]) -> list[Shared]:
    """Compare the first k of two rankings, for each of the cutoffs k.

    An item is in both only where both of its ranks are at most k.
    """
    place = {item: rank for rank, item in enumerate(one, 1)}
    pairs = [(place[item], rank) for rank, item in enumerate(other, 1) if item in place]
    found = []
    for cutoff in cutoffs:
        moves = [abs(a - b) for a, b in pairs if a <= cutoff and b <= cutoff]
        either = min(cutoff, len(one)) + min(cutoff, len(other)) - len(moves)
        found.append(Shared(len(moves), either, sum(moves)))
    return found
