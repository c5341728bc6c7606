"""A batch of records as columns, and how its records are named in errors."""

from collections.abc import Callable, Mapping
from operator import itemgetter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import RecordError


class Batch:
    """Columns of some records of one input.

    A column is an attribute named as the audit's record declares it: numbers and booleans as a numpy
    array (float64, int64, bool; shape n), everything else as a list of n values. `slices` holds the
    columns of the fields to slice by. `where` gives the place of a record for an error: ``file:line``.
    """

    def __init__(
        self,
        columns: Mapping[str, Any],
        size: int,
        *,
        source: str = "records",
        slices: Mapping[str, list[str]] | None = None,
        where: Callable[[int], str] = "record {}".format,
        spelled: Callable[[str], str] = str,
    ) -> None:
        self._columns = columns
        self.size = size
        self.source = source
        self.slices = slices or {}
        self.where = where
        self._spelled = spelled

    def __len__(self) -> int:
        return self.size

    def __getattr__(self, name: str) -> Any:
        try:
            return self._columns[name]
        except KeyError:
            raise AttributeError(name) from None

    def take(self, rows: NDArray[np.int64]) -> "Batch":
        """Pick the records at some positions, in the order given."""
        listed = rows.tolist()
        return Batch(
            {name: _take(column, rows, listed) for name, column in self._columns.items()},
            len(listed),
            source=self.source,
            where=lambda row: self.where(listed[row]),
            spelled=self._spelled,
        )

    def fault(self, row: int, field: str, what: str) -> RecordError:
        """Make the error that refuses a record of this batch for what one of its fields holds."""
        return RecordError(self.where(row), f"{self._spelled(field)}: {what}")


def _take(column: Any, rows: NDArray[np.int64], listed: list[int]) -> Any:
    if isinstance(column, np.ndarray):
        return column[rows]
    if len(listed) == 1:
        return [column[listed[0]]]
    return list(itemgetter(*listed)(column)) if listed else []
