"""Exact arithmetic of rationals that stays fast when there are many of them."""

from collections import defaultdict
from collections.abc import Iterable
from fractions import Fraction
from math import isqrt


def ratio(part: int | Fraction, whole: int | Fraction) -> Fraction | None:
    """Divide exactly; None where the whole is 0."""
    return Fraction(part) / whole if whole else None


def total(numbers: Iterable[Fraction]) -> Fraction:
    """Sum rationals exactly.

    Numerators over one denominator are added first, and then the sums pairwise, so that no long chain of
    ever larger denominators is reduced at each step.
    """
    by_denominator: defaultdict[int, int] = defaultdict(int)
    for number in numbers:
        by_denominator[number.denominator] += number.numerator
    terms = [(n, d) for d, n in sorted(by_denominator.items())]
    while len(terms) > 1:
        pairs = zip(terms[::2], terms[1::2], strict=False)
        joined = [(n * q + m * d, d * q) for (n, d), (m, q) in pairs]
        terms = joined + terms[len(joined) * 2 :]
    return Fraction(*terms[0]) if terms else Fraction(0)


def mean(numbers: list[Fraction]) -> Fraction | None:
    """Average rationals exactly; None where there are none."""
    return ratio(total(numbers), len(numbers))


def mean_of_counts(values: Iterable[tuple[Fraction, int]]) -> Fraction | None:
    """Average rationals exactly, each given with how often it occurs; None where there are none."""
    listed = list(values)
    return ratio(total(value * count for value, count in listed), sum(count for _, count in listed))


def root(number: Fraction) -> Fraction:
    """Take the square root of a rational that is not negative, so that float64 rounds it as if it were exact.

    It is exact where float64 holds the root; else it has 64 bits or more, and the last of them is set to say
    that there were others.
    """
    shift = max(0, 64 - (number.numerator.bit_length() - number.denominator.bit_length()) // 2)
    scaled, remainder = divmod(number.numerator << 2 * shift, number.denominator)
    whole = isqrt(scaled)
    inexact = remainder > 0 or whole * whole < scaled
    return Fraction(2 * whole + inexact, 2 << shift)
