"""How much repeated answers to one case agree with each other."""

from collections import Counter
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import combinations
from math import gcd, lcm
from typing import NamedTuple

from .text import Matcher, overlap


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


def repeats(texts: Sequence[str], matcher: Matcher) -> Repeats:
    """Compare each of the answers to one case with every other; equal forms are compared once."""
    forms = Counter(map(matcher.form, texts))
    same = sum(n * (n - 1) // 2 for n in forms.values())
    token_f1 = Counter({(1, 1): same} if same else {})
    for (one, count), (other, times) in combinations(forms.items(), 2):
        part, of = overlap(one.split(), other.split())
        common = gcd(part, of)
        token_f1[part // common, of // common] += count * times
    return Repeats(len(texts), same, max(forms.values(), default=0), token_f1)
