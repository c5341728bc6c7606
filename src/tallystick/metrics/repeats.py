"""How much repeated answers to one case agree with each other."""

import re
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from math import lcm
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .pairs import compare, cut
from .text import lowest, overlap

PIECE = 65_536
"""Pairs that are compared at a time, or a few more."""

_SPACE = re.compile(r"\s")


class Scored(NamedTuple):
    """Pairs of answers (n) by their token F1, a rational in lowest terms."""

    case: NDArray[np.int64]
    numerator: NDArray[np.int64]
    denominator: NDArray[np.int64]
    times: NDArray[np.int64]
    """How many pairs of answers each stands for: those with the same two forms."""


class Repeats:
    """The answers to some cases (n), those of each side by side, compared with each other.

    Parameters
    ----------
    forms
        The normal form of each answer: its tokens, with one space between.
    starts
        Where the answers of each case begin (shape n).
    """

    def __init__(self, forms: Sequence[str], starts: NDArray[np.intp]) -> None:
        self._forms, self.starts = forms, starts
        size = len(forms)
        case = np.cumsum(np.bincount(starts, minlength=size)) - 1
        place = dict(zip(forms, range(size), strict=True))  # one for each form
        number = np.fromiter(map(place.__getitem__, forms), np.int64, size)
        distinct, self._counts = np.unique(case * max(size, 1) + number, return_counts=True)
        self._case, self._places = np.divmod(distinct, max(size, 1))
        begin = np.searchsorted(self._case, np.arange(len(starts)))
        self._begin, self._end = begin, np.append(begin[1:], len(distinct))
        self.runs: NDArray[np.int64] = np.diff(starts, append=size)
        """How many answers each case has (shape n)."""
        self.pairs: NDArray[np.int64] = _pairs(self.runs)
        """How many pairs they make."""
        self.same: NDArray[np.int64] = np.add.reduceat(_pairs(self._counts), begin)
        """How many of the pairs are equal."""
        self.most: NDArray[np.int64] = np.maximum.reduceat(self._counts, begin)
        """How many answers have the most frequent form."""

    def different(self, cases: Sequence[int] | None = None) -> Iterator[Scored]:
        """Score the pairs of different forms, of all cases or of some, a number of them at a time."""
        rows = np.arange(len(self._case)) if cases is None else np.flatnonzero(np.isin(self._case, cases))
        others = self._end[self._case[rows]] - rows - 1
        before = np.cumsum(others) - others
        cuts = np.flatnonzero(np.diff(before // PIECE)) + 1
        for part, count in zip(np.split(rows, cuts), np.split(others, cuts), strict=True):
            one = np.repeat(part, count)
            other = one + 1 + np.arange(len(one)) - np.repeat(np.cumsum(count) - count, count)
            if len(one):
                yield self._scored(one, other)

    def _scored(self, one: NDArray[np.intp], other: NDArray[np.intp]) -> Scored:
        first = int(one[0])
        texts = [self._forms[place] for place in self._places[first : other[-1] + 1].tolist()]
        numerator, denominator = np.zeros((2, len(one)), np.int64)
        found = compare(cut(texts, _even), one - first, other - first)
        numerator[found.rows], denominator[found.rows] = 2 * found.shared, found.total
        for row in np.flatnonzero(denominator == 0).tolist():
            sides = (texts[place - first].split() for place in (one[row], other[row]))
            numerator[row], denominator[row] = overlap(*sides)
        times = self._counts[one] * self._counts[other]
        return Scored(self._case[one], *lowest(numerator, denominator), times)

    def total_token_f1(self, cases: Sequence[int]) -> list[Fraction]:
        """Give the exact sum of token F1 over the pairs of each of some cases."""
        sums: dict[int, dict[int, int]] = {case: {1: int(self.same[case])} for case in cases}
        for scored in self.different(cases):
            for case, part, of, times in zip(*(column.tolist() for column in scored), strict=True):
                sums[case][of] = sums[case].get(of, 0) + part * times
        return [_sum(sums[case]) for case in cases]


def _sum(parts: Mapping[int, int]) -> Fraction:
    """Add rationals, given as numerators by their denominators."""
    unit = lcm(*parts)
    return Fraction(sum(unit // of * part for of, part in parts.items()), unit)


def _even(text: str) -> str:
    """Put spaces in the place of white space that is not ASCII, at which `str.split` cuts too."""
    return text if text.isascii() else _SPACE.sub(" ", text)


def _pairs(count: NDArray[np.int64]) -> NDArray[np.int64]:
    """Give how many pairs some things make (shape n)."""
    return count * (count - 1) // 2
