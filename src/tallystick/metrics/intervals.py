"""Intervals of estimated shares."""

from fractions import Fraction
from functools import cache
from math import sqrt


def wilson(successes: int, trials: int, level: float) -> tuple[Fraction | None, Fraction | None]:
    """Give the Wilson score interval of a proportion.

    With n trials, share p and z the normal quantile of (1 + level) / 2:

        (p + z^2/2n -+ z sqrt(p(1 - p)/n + z^2/4n^2)) / (1 + z^2/n)

    Parameters
    ----------
    successes
        From 0 to `trials`.
    trials
        Not negative.
    level
        Confidence level, between 0 and 1.

    Returns
    -------
    The low and the high end in [0, 1], computed in float64; exactly 0 at the low end when nothing
    succeeds, exactly 1 at the high end when everything does; both None when there are no trials.

    Notes
    -----
    Wilson (1927), J. Am. Stat. Assoc. 22, 209-212.
    """
    if not trials:
        return None, None
    z = _quantile(level)
    share, square = successes / trials, z * z
    scale = 1 + square / trials
    middle = (share + square / (2 * trials)) / scale
    half = z * sqrt(share * (1 - share) / trials + square / (4 * trials * trials)) / scale
    low = 0.0 if successes == 0 else max(0.0, middle - half)
    high = 1.0 if successes == trials else min(1.0, middle + half)
    return Fraction(low), Fraction(high)


@cache
def _quantile(level: float) -> float:
    from statistics import NormalDist  # noqa: PLC0415  ten milliseconds that `tally list` need not pay

    upper = (1 + level) / 2
    # Next to 1 the half rounds to 1, which no quantile has; the lower tail is exact there.
    return NormalDist().inv_cdf(upper) if upper < 1 else -NormalDist().inv_cdf((1 - level) / 2)
