"""McNemar's exact test of paired outcomes, two-sided."""

from decimal import Context, Decimal, localcontext
from fractions import Fraction
from math import factorial, log10, ulp
from typing import NamedTuple

EXACT = 10_000
"""Up to so many discordant pairs a p-value is computed in integers alone."""

SMALLEST = Fraction(ulp(0.0))
"""The smallest positive float64, 2^-1074."""

_CONTEXT = Context(prec=50, Emin=-(10**17), Emax=10**17)
_STIRLING = ((1, 12), (-1, 360), (1, 1260), (-1, 1680), (1, 1188))
"""Coefficients of 1/n, 1/n^3, ... in the logarithm of n!; for n >= 100 they leave an error below 1e-23."""

_TWO_PI = Decimal("6.2831853071795864769252867665590057683943387987502")

_BITS = 128
"""Binary digits of the tail's sum, relative to its largest term."""


class PValue(NamedTuple):
    """A p-value, not below `SMALLEST`, and its logarithm to base 10, which has no such floor."""

    value: Fraction
    log10: Fraction


def exact_p_value(one: int, other: int) -> PValue:
    """Test whether two kinds of discordant pairs are equally frequent.

    With d = one + other, ``min(1, 2 * P[Bin(d, 1/2) <= min(one, other)])``; 1 where d = 0.

    Parameters
    ----------
    one, other
        How many discordant pairs of either kind there are, not negative.

    Returns
    -------
    The p-value: exact for d <= `EXACT`, beyond that within 1e-12 relative, or `SMALLEST` where it is
    smaller; and log10 of the p-value, computed in float64 or better.

    Notes
    -----
    McNemar (1947), Psychometrika 12, 153-157; Edwards (1948) for the exact form.
    """
    few, pairs = min(one, other), one + other
    if pairs <= EXACT:
        return _by_integers(few, pairs)
    return _by_logarithm(few, pairs)


def _by_integers(few: int, pairs: int) -> PValue:
    term = ways = 1
    for k in range(few):
        term = term * (pairs - k) // (k + 1)
        ways += term
    p = min(Fraction(1), Fraction(2 * ways, 2**pairs))
    shift = max(0, p.denominator.bit_length() - p.numerator.bit_length() - 1000)
    return PValue(max(p, SMALLEST), Fraction(log10(p * 2**shift) - shift * log10(2)))


def _by_logarithm(few: int, pairs: int) -> PValue:
    """Multiply the largest term of the tail, from logarithms of 50 digits, by the sum relative to it."""
    term = whole = 1 << _BITS
    k = few
    while term:
        term = term * k // (pairs - k + 1)
        whole += term
        k -= 1
    with localcontext(_CONTEXT):
        ways = _log_factorial(pairs) - _log_factorial(few) - _log_factorial(pairs - few)
        largest = ways - (pairs - 1) * Decimal(2).ln()
        log = min(Decimal(0), largest + (Decimal(whole) / (1 << _BITS)).ln())
        floor = log < Decimal(float(SMALLEST)).ln()
        value = SMALLEST if floor else Fraction(log.exp())
        return PValue(value, Fraction(float(log / Decimal(10).ln())))


def _log_factorial(n: int) -> Decimal:
    """Give ln n! in the present context."""
    if n < 100:
        return Decimal(factorial(n)).ln()
    square, power = Decimal(n) * n, Decimal(n)
    total = (Decimal(n) + Decimal("0.5")) * Decimal(n).ln() - n + _TWO_PI.ln() / 2
    for numerator, denominator in _STIRLING:
        total += Decimal(numerator) / (denominator * power)
        power *= square
    return total
