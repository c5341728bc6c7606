"""The multiset of the values of a column: what rank statistics need."""

from collections.abc import Iterator, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

_COMPACT_AT = 1 << 17
"""Values that wait at most before equal ones are joined."""

Run = tuple[NDArray[Any], NDArray[np.int64]]
"""Distinct values, ascending (shape d), and how often each occurs in each channel (channels by d)."""


class Values:
    """Each distinct value with its integer counts in `channels` kinds (right and wrong, say).

    Values are float64, or whole numbers of 64 bits where that is their type. 8 bytes a distinct value and 8
    more a channel, up to three times that while rows are joined.
    """

    def __init__(self, channels: int = 1, dtype: type[np.number[Any]] = np.float64) -> None:
        self._dtype = np.dtype(dtype)
        self._run: Run = np.empty(0, dtype), np.empty((channels, 0), np.int64)
        self._waiting: list[Run] = []
        self._loose: list[list[NDArray[Any]]] = [[] for _ in range(channels)]
        self._held = 0

    def add(self, values: NDArray[Any], channel: NDArray[np.integer[Any]] | None = None) -> None:
        """Count each finite value (shape n) once, in its channel (shape n) or in channel 0."""
        if channel is None:
            self._loose[0].append(values.copy())
        else:
            for number, loose in enumerate(self._loose):
                loose.append(values[channel == number])
        self._hold(len(values))

    def _hold(self, more: int) -> None:
        self._held += more
        if self._held > max(_COMPACT_AT, len(self._run[0])):
            self._compact()

    def _compact(self) -> None:
        if not self._held:
            return
        runs = [self._run, *self._waiting, *self._counted()]
        self._drop_waiting()
        values = np.concatenate([values for values, _ in runs])
        counts = np.concatenate([counts for _, counts in runs], axis=1)
        order = np.argsort(values, kind="stable")
        values, counts = values[order], np.take(counts, order, axis=1)
        first = _first(values)
        self._run = values[first], np.add.reduceat(counts, first, axis=1)

    def _drop_waiting(self) -> None:
        self._held = 0
        self._waiting.clear()
        for loose in self._loose:
            loose.clear()

    def _counted(self) -> Iterator[Run]:
        """Count the values that wait, channel by channel."""
        for number, loose in enumerate(self._loose):
            if not loose:
                continue
            values = np.sort(np.concatenate(loose) + self._dtype.type(0))  # -0.0 becomes 0.0
            first = _first(values)
            counts = np.zeros((len(self._loose), len(first)), np.int64)
            counts[number] = np.diff(first, append=len(values))
            yield values[first], counts

    @property
    def values(self) -> NDArray[Any]:
        """The distinct values, ascending (shape d)."""
        self._compact()
        return self._run[0]

    @property
    def counts(self) -> NDArray[np.int64]:
        """How often each distinct value occurs in each channel (shape d by channels)."""
        self._compact()
        return self._run[1].T

    @property
    def total(self) -> int:
        """How many values were counted, over all channels."""
        return int(self.counts.sum())

    def merge(self, other: Self) -> None:
        """Add the values of another tally of the same make."""
        self._waiting.append((other.values, other.counts.T))
        self._hold(len(other.values))

    def dump(self) -> tuple[bytes, bytes]:
        """Give the values and their counts, channel by channel, as little-endian bytes."""
        self._compact()
        values, counts = self._run
        return values.astype(self._dtype.newbyteorder("<")).tobytes(), counts.astype("<i8").tobytes()

    def load(self, state: Sequence[bytes]) -> None:
        """Take dumped values and counts."""
        self._drop_waiting()
        values = np.frombuffer(state[0], self._dtype.newbyteorder("<")).astype(self._dtype)
        counts = np.frombuffer(state[1], "<i8").astype(np.int64).reshape(len(self._loose), len(values))
        self._run = values, counts


def _first(ascending: NDArray[Any]) -> NDArray[np.intp]:
    """Give the place of the first of each of equal values."""
    return np.flatnonzero(np.append(True, ascending[1:] != ascending[:-1])[: len(ascending)])
