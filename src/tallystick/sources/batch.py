"""A batch of records as columns, and how its records are named in errors."""

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from itertools import accumulate, chain
from operator import itemgetter, ne
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import RecordError
from .coded import FEW, Coded, end_to_end, light


class Refused(NamedTuple):
    """A record that is not as declared: its place, the field at fault (empty: the record itself), and why."""

    place: str
    field: str
    what: str


class Batch:
    """Columns of some records of one input.

    A column is an attribute named as the audit's record declares it: numbers and booleans as a numpy
    array (float64, int64, bool; shape n), everything else as a list of n values. `slices` holds the
    columns of the fields to slice by. `where` gives the place of a record for an error: ``file:line``.
    `source` is the audit's input that the records come from. In a batch of joined inputs it is empty, and
    `sides` holds the batch of each input, row beside row. `refused` holds the records that are not as
    declared, for an audit that gathers them; they are in no column.
    """

    def __init__(
        self,
        columns: Mapping[str, Any],
        size: int,
        *,
        source: str = "records",
        slices: Mapping[str, list[str | None]] | None = None,
        where: Callable[[int], str] = "record {}".format,
        spelled: Callable[[str], str] = str,
        sides: Mapping[str, "Batch"] | None = None,
        refused: Sequence[Refused] = (),
    ) -> None:
        self.columns = columns
        self.size = size
        self.source = source
        self.slices = slices or {}
        self.where = where
        self.sides = sides or {}
        self.refused = refused
        self.spelled = spelled
        self._starts: dict[str, NDArray[np.intp]] = {}

    def __len__(self) -> int:
        return self.size

    def __getattr__(self, name: str) -> Any:
        try:
            return self.__dict__["columns"][name]
        except KeyError:
            raise AttributeError(name) from None

    def light(self) -> "Batch":
        """Give the same records so that they take less memory: for who holds many."""
        made = copy(self)
        made.columns = {name: light(column) for name, column in self.columns.items()}
        made.slices = {name: light(column) for name, column in self.slices.items()}
        return made

    def starts(self, key: str) -> NDArray[np.intp]:
        """Give the row at which each run of equal values of a column begins: the units of a grouped batch."""
        if key not in self._starts:
            column: list[str] = getattr(self, key)
            self._starts[key] = np.flatnonzero([True, *map(ne, column[1:], column)][: len(column)])
        return self._starts[key]

    def take(self, rows: Sequence[int] | NDArray[np.intp]) -> "Batch":
        """Pick the records at some positions, in the order given."""
        places = np.asarray(rows, dtype=np.intp)
        return Batch(
            {name: _take(column, places) for name, column in self.columns.items()},
            len(places),
            source=self.source,
            slices={name: _take(column, places) for name, column in self.slices.items()},
            where=lambda row: self.where(int(places[row])),
            spelled=self.spelled,
            sides={name: side.take(places) for name, side in self.sides.items()},
        )

    @classmethod
    def concatenated(cls, batches: "Sequence[Batch]") -> "Batch":
        """Join batches of one input end to end (at least one)."""
        first = batches[0]
        if len(batches) == 1:
            return first
        ends = list(accumulate(len(batch) for batch in batches))
        places = [batch.where for batch in batches]

        def where(row: int) -> str:
            which = bisect_right(ends, row)
            return places[which](row - (ends[which - 1] if which else 0))

        return cls(
            {name: _join([batch.columns[name] for batch in batches]) for name in first.columns},
            ends[-1],
            source=first.source,
            slices={name: _join([batch.slices[name] for batch in batches]) for name in first.slices},
            where=where,
            spelled=first.spelled,
        )

    def fault(self, row: int, field: str, what: str) -> RecordError:
        """Make the error that refuses a record of this batch for what one of its fields holds."""
        spelled = self.spelled(field) if field in self.columns else field
        return RecordError(self.where(row), f"{spelled}: {what}")


def _join(columns: list[Any]) -> Any:
    if isinstance(columns[0], np.ndarray):
        return np.concatenate(columns)
    if all(isinstance(column, Coded) and len(column.words) <= FEW for column in columns):
        return end_to_end(columns)
    return list(chain.from_iterable(columns))


def _take(column: Any, rows: NDArray[np.intp]) -> Any:
    if isinstance(column, np.ndarray):
        return column[rows]
    if isinstance(column, Coded):
        return column.take(rows)
    if len(rows) == 1:
        return [column[rows[0]]]
    return list(itemgetter(*rows.tolist())(column)) if len(rows) else []
