"""Percentile bootstrap intervals of means, from distinct values and how often each occurs."""

from collections.abc import Iterable, Iterator
from fractions import Fraction
from math import lcm
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

PIECE = 1 << 22
"""Draws that are held at a time: two arrays of 32 MB at most."""


class Interval(NamedTuple):
    """The ends of an interval; None without records. Degenerate when all values are equal."""

    low: Fraction | None
    high: Fraction | None
    degenerate: bool


def mean_interval(
    values: Iterable[tuple[Fraction, int]], level: float, samples: int, seed: int, piece: int = PIECE
) -> Interval:
    """Give the percentile bootstrap interval of a mean.

    Each of `samples` resamples has as many records as there are, drawn with replacement; the ends are the
    quantiles (1 - level) / 2 and (1 + level) / 2 of their means, linear between order statistics (type 7
    of Hyndman & Fan, 1996).

    Parameters
    ----------
    values
        Each different value, in any order, and how many records have it (at least 1).
    level
        Confidence level, between 0 and 1, taken as the decimal that it prints as.
    samples
        How many resamples, at least 1.
    seed
        Starts the generator, PCG64, anew for every interval.
    piece
        Draws that are held at a time; it changes nothing but memory.

    Notes
    -----
    Records with equal values are alike, so a resample is drawn over the sorted different values: as
    multinomial counts where there are at most n / 50 of them, else as n positions among the sorted
    records. Either has the distribution of resampling rows, and depends on no order.

    Means are summed as integers, so the order of additions does not matter either. Their unit is the common
    denominator of the values where n such numerators fit 63 bits, which makes the ends exact; else it is
    the power of two that just fits, and a mean is off by less than n * 2^-61 of the largest value.

    Efron & Tibshirani (1993), An Introduction to the Bootstrap, section 13.3.
    """
    listed = sorted(values, key=lambda pair: (float(pair[0]), pair[0]))
    if len(listed) < 2:
        only = listed[0][0] if listed else None
        return Interval(only, only, degenerate=bool(listed))
    counts = np.array([count for _, count in listed], dtype=np.int64)
    size = int(counts.sum())
    weights, unit = _integers([value for value, _ in listed], size)
    generator = np.random.Generator(np.random.PCG64(seed))
    draw = _by_counts if len(listed) * 50 <= size else _by_positions
    sums = np.sort(np.concatenate(list(draw(generator, weights, counts, samples, piece))))
    tail = (1 - Fraction(repr(level))) / 2
    scale = unit / size
    return Interval(scale * _quantile(sums, tail), scale * _quantile(sums, 1 - tail), degenerate=False)


def _integers(values: list[Fraction], size: int) -> tuple[NDArray[np.int64], Fraction]:
    """Write values as integers times a unit, so small that the sum of `size` of them fits 63 bits."""
    most = (2**63 - 1) // size
    largest = max(abs(values[0]), abs(values[-1]))
    common = 1
    for value in values:
        common = lcm(common, value.denominator)
        if common * largest > most:
            break
    else:
        return np.array([int(value * common) for value in values], dtype=np.int64), Fraction(1, common)
    room = most / largest
    scale = Fraction(2) ** (room.numerator.bit_length() - room.denominator.bit_length() - 1)
    return np.array([round(value * scale) for value in values], dtype=np.int64), 1 / scale


def _by_counts(
    generator: "np.random.Generator",
    weights: NDArray[np.int64],
    counts: NDArray[np.int64],
    samples: int,
    piece: int,
) -> Iterator[NDArray[np.int64]]:
    """Draw how often each value occurs in a resample; give the sums of some resamples at a time."""
    size = int(counts.sum())
    rows = max(1, piece // len(weights))
    for start in range(0, samples, rows):
        drawn = generator.multinomial(size, counts / size, size=min(rows, samples - start))
        yield (drawn * weights).sum(axis=1)


def _by_positions(
    generator: "np.random.Generator",
    weights: NDArray[np.int64],
    counts: NDArray[np.int64],
    samples: int,
    piece: int,
) -> Iterator[NDArray[np.int64]]:
    """Draw positions among the sorted records; give the sums of some resamples at a time."""
    records = np.repeat(weights, counts)
    size = len(records)
    rows = piece // size
    if rows:
        for start in range(0, samples, rows):
            drawn = generator.integers(size, size=(min(rows, samples - start), size))
            yield records[drawn].sum(axis=1)
        return
    for _ in range(samples):
        parts = (min(piece, size - start) for start in range(0, size, piece))
        yield np.array([sum(int(records[generator.integers(size, size=part)].sum()) for part in parts)])


def _quantile(ordered: NDArray[np.int64], share: Fraction) -> Fraction:
    """Give a quantile of sorted integers, linear between order statistics."""
    place = share * (len(ordered) - 1)
    below = int(place)
    low, high = int(ordered[below]), int(ordered[min(below + 1, len(ordered) - 1)])
    return low + (place - below) * (high - low)
