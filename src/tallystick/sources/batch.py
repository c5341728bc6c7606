"""A batch of records as columns, and how its records are named in errors."""

from bisect import bisect_right
from collections.abc import Callable, Mapping, Sequence
from copy import copy
from itertools import accumulate, chain
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import RecordError
from .coded import Coded


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

    def __len__(self) -> int:
        return self.size

    def __getattr__(self, name: str) -> Any:
        try:
            return self.__dict__["columns"][name]
        except KeyError:
            raise AttributeError(name) from None

    def coded(self, key: str) -> "Batch":
        """Give each different string of a column a number, ascending."""
        column: Sequence[str] = getattr(self, key)
        words = sorted(set(column))
        numbers = dict(zip(words, range(len(words)), strict=True))
        codes = np.fromiter(map(numbers.__getitem__, column), np.intp, len(column))
        made = copy(self)
        made.columns = {**self.columns, key: Coded(codes, words)}
        return made

    def starts(self, key: str) -> NDArray[np.intp]:
        """Give the row at which each unit of a grouped batch begins: each run of equal values of its key."""
        codes = getattr(self, key).codes
        return np.flatnonzero(np.diff(codes, prepend=-1))

    def take(self, rows: Sequence[int] | NDArray[np.intp]) -> "Batch":
        """Pick the records at some positions, in the order given."""
        places = np.asarray(rows, dtype=np.intp)
        listed = places.tolist()
        return Batch(
            {name: _take(column, places, listed) for name, column in self.columns.items()},
            len(listed),
            source=self.source,
            slices={name: _take(column, places, listed) for name, column in self.slices.items()},
            where=lambda row: self.where(listed[row]),
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

        def where(row: int) -> str:
            which = bisect_right(ends, row)
            return batches[which].where(row - (ends[which - 1] if which else 0))

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
    return list(chain.from_iterable(columns))


def _take(column: Any, rows: NDArray[np.intp], listed: list[int]) -> Any:
    if isinstance(column, np.ndarray):
        return column[rows]
    if isinstance(column, Coded):
        return column.take(rows)
    if len(listed) == 1:
        return [column[listed[0]]]
    return list(itemgetter(*listed)(column)) if listed else []
