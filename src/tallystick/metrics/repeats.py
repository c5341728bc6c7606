"""How much repeated answers to one case agree with each other."""

from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from math import gcd, lcm
from typing import NamedTuple

from .text import overlap


class Repeats(NamedTuple):
    """All pairs of the answers to one case.

    `token_f1` counts the pairs by their token F1, as numerator and denominator in lowest terms; `same` of
    the pairs are equal after normalisation, and `most` answers have the most frequent form.
    """

    runs: int
    same: int
    most: int
    token_f1: Mapping[tuple[int, int], int]

    @property
    def pairs(self) -> int:
        """How many pairs there are."""
        return self.runs * (self.runs - 1) // 2

    @property
    def total_token_f1(self) -> Fraction:
        """The exact sum of token F1 over the pairs."""
        unit = lcm(*(of for _, of in self.token_f1))
        return Fraction(sum(unit // of * part * n for (part, of), n in self.token_f1.items()), unit)


def repeats(forms: Sequence[str]) -> Repeats:
    """Compare the form of each of the answers to one case with every other; equal forms are compared once."""
    counts: dict[str, int] = {}
    for form in forms:
        counts[form] = counts.get(form, 0) + 1
    same = sum(n * (n - 1) // 2 for n in counts.values())
    token_f1 = {(1, 1): same} if same else {}
    cut = [(form.split(), count) for form, count in counts.items()]
    for (one, count), (other, times) in combinations(cut, 2):
        part, of = overlap(one, other)
        common = gcd(part, of)
        ratio = part // common, of // common
        token_f1[ratio] = token_f1.get(ratio, 0) + count * times
    return Repeats(len(forms), same, max(counts.values(), default=0), token_f1)
