"""Integer counts over a fixed number of cells."""

from collections.abc import Iterator, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray


class Counts:
    """Counts over `size` cells, numbered from 0.

    Eight bytes a cell; exact up to 2^63 - 1 in each.
    """

    def __init__(self, size: int = 1) -> None:
        self._cells = np.zeros(size, dtype=np.int64)

    def add(self, cells: NDArray[np.integer[Any]], where: NDArray[np.bool_] | None = None) -> None:
        """Count one in each cell listed (shape n), only the rows marked `where` (shape n) if given."""
        listed = cells if where is None else cells[where]
        self._cells += np.bincount(listed, minlength=len(self._cells))

    def add_total(self, count: int, cell: int = 0) -> None:
        """Count `count` at once in one cell."""
        self._cells[cell] += count

    def __getitem__(self, cell: int) -> int:
        return int(self._cells[cell])

    def __len__(self) -> int:
        return len(self._cells)

    def __iter__(self) -> Iterator[int]:
        yield from self._cells.tolist()

    @property
    def total(self) -> int:
        """The sum over all cells."""
        return int(self._cells.sum())

    def merge(self, other: Self) -> None:
        """Add the counts of another tally of the same size."""
        self._cells += other._cells

    def dump(self) -> list[int]:
        """Give the counts, cell by cell."""
        counts: list[int] = self._cells.tolist()
        return counts

    def load(self, state: Sequence[int]) -> None:
        """Take dumped counts."""
        self._cells = np.array(state, dtype=np.int64)
