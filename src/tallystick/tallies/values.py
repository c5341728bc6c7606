"""The multiset of the values of a column: what rank statistics need."""

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

_COMPACT_AT = 1 << 18
"""Rows that wait at most before equal values are joined."""


class Values:
    """Each distinct float64 value with its integer counts in `channels` kinds (right and wrong, say).

    8 bytes a distinct value and 8 more a channel, up to three times that while rows are joined.
    """

    def __init__(self, channels: int = 1) -> None:
        self._channels = channels
        self._values = np.empty(0, dtype=np.float64)
        self._counts = np.empty((0, channels), dtype=np.int64)
        self._waiting: list[tuple[NDArray[np.float64], NDArray[np.int64]]] = []

    def add(self, values: NDArray[np.float64], channel: NDArray[np.integer[Any]] | None = None) -> None:
        """Count each finite value (shape n) once, in its channel (shape n) or in channel 0."""
        distinct, inverse = np.unique(values + 0.0, return_inverse=True)
        cell = inverse.astype(np.int64) * self._channels
        if channel is not None:
            cell += channel.astype(np.int64)
        counts = np.bincount(cell, minlength=len(distinct) * self._channels)
        self._wait(distinct, counts.astype(np.int64).reshape(len(distinct), self._channels))

    def _wait(self, values: NDArray[np.float64], counts: NDArray[np.int64]) -> None:
        self._waiting.append((values, counts))
        if sum(len(v) for v, _ in self._waiting) > max(_COMPACT_AT, len(self._values)):
            self._compact()

    def _compact(self) -> None:
        if not self._waiting:
            return
        values = np.concatenate([self._values, *(v for v, _ in self._waiting)])
        counts = np.concatenate([self._counts, *(c for _, c in self._waiting)])
        self._waiting.clear()
        order = np.argsort(values, kind="stable")
        values, counts = values[order], counts[order]
        first = np.flatnonzero(np.append(True, values[1:] != values[:-1])[: len(values)])
        self._values, self._counts = values[first], np.add.reduceat(counts, first, axis=0)

    @property
    def values(self) -> NDArray[np.float64]:
        """The distinct values, ascending (shape d)."""
        self._compact()
        return self._values

    @property
    def counts(self) -> NDArray[np.int64]:
        """How often each distinct value occurs in each channel (shape d by channels)."""
        self._compact()
        return self._counts

    @property
    def total(self) -> int:
        """How many values were counted, over all channels."""
        return int(self.counts.sum())

    def merge(self, other: Self) -> None:
        """Add the values of another tally with as many channels."""
        self._wait(other.values, other.counts)

    def dump(self) -> tuple[bytes, bytes]:
        """Give the values and their counts as little-endian bytes."""
        return self.values.astype("<f8").tobytes(), self.counts.astype("<i8").tobytes()

    def load(self, state: Sequence[bytes]) -> None:
        """Take dumped values and counts."""
        self._waiting.clear()
        self._values = np.frombuffer(state[0], dtype="<f8").astype(np.float64)
        counts = np.frombuffer(state[1], dtype="<i8").astype(np.int64)
        self._counts = counts.reshape(len(self._values), self._channels)
