"""The first few of many rows: bounded details."""

import heapq
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

Row: TypeAlias = tuple[str | int | float, ...]
"""A row that sorts by its own fields, first to last. The last names it, so that no two are equal."""


class Extremes:
    """The `limit` smallest of all rows added, and how many there were.

    A row is a tuple that sorts as the details are ordered (negate a number to have the largest first).
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._kept: list[Row] = []
        self._total = 0

    def add(self, rows: Iterable[Row], skipped: int = 0) -> None:
        """Take rows into account, and count those skipped: `limit` of the rows, or more, come before them."""
        listed = list(rows)
        self._total += len(listed) + skipped
        self._kept = heapq.nsmallest(self._limit, self._kept + listed)

    def admits(self, start: Row) -> bool:
        """Whether a row that starts so may be one of the smallest."""
        if len(self._kept) < self._limit:
            return True
        return bool(self._kept) and start <= self._kept[-1][: len(start)]

    def add_by(self, keys: NDArray[Any], row: Callable[[int], Row]) -> None:
        """Take n rows into account by their first fields (shape n); `row` makes those that may be kept."""
        few = np.arange(len(keys) if self._limit else 0)
        if 0 < self._limit < len(keys):
            few = np.flatnonzero(keys <= np.partition(keys, self._limit - 1)[self._limit - 1])
        if 0 < self._limit == len(self._kept):
            few = few[keys[few] <= self._kept[-1][0]]
        self.add(map(row, few.tolist()), skipped=len(keys) - len(few))

    @property
    def kept(self) -> list[Row]:
        """The smallest rows, ascending."""
        return self._kept

    @property
    def total(self) -> int:
        """How many rows were added."""
        return self._total

    @property
    def omitted(self) -> int:
        """How many rows were added and are not kept."""
        return self._total - len(self._kept)

    def merge(self, other: Self) -> None:
        """Add the rows of another tally with the same limit."""
        self._total += other._total
        self._kept = heapq.nsmallest(self._limit, self._kept + other._kept)

    def dump(self) -> tuple[int, list[Row]]:
        """Give the number of rows, and those kept."""
        return self._total, self._kept

    def load(self, state: tuple[int, Sequence[Sequence[str | int | float]]]) -> None:
        """Take a dumped state."""
        self._total, kept = state
        self._kept = [tuple(row) for row in kept]
