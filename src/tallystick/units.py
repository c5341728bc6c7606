"""Units: the records of an audit's inputs, and whether those that must differ do.

A unit is what an audit counts: one record, or the records that share a key. Where a key must be unique,
a unit is one record, and nothing but the check is needed here: no id goes into a tally, so tallies stay
small and merge in any split of the records.
"""

from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from .fields import show
from .sources.batch import Batch


def distinct(batches: Iterable[Batch], field: str) -> Iterator[Batch]:
    """Pass batches on, refusing the first record whose field holds a value seen before.

    Takes 16 bytes for each value, and up to 48 while runs of them are joined.

    Raises
    ------
    RecordError
        Naming the later of two records with the same value.
    """
    seen = Seen()
    for batch in batches:
        values: list[str] = getattr(batch, field)
        row = seen.add(values)
        if row is not None:
            raise batch.fault(row, field, f"{show(values[row])} occurs more than once, and must be unique")
        yield batch


class Seen:
    """Strings seen so far, as sorted runs of 128-bit digests.

    The digests are two of Python's own keyed hashes; they never leave the process. Two different strings
    of ten million have the same digest with a probability of about 1e-25.
    """

    def __init__(self) -> None:
        self._runs: list[tuple[NDArray[np.int64], NDArray[np.int64]]] = []

    def add(self, values: list[str]) -> int | None:
        """Add strings; give the position of the first that was seen before, if there is one."""
        if len(set(values)) != len(values):
            return _repeated(values)
        high = np.fromiter(map(hash, values), np.int64, len(values))
        low = np.fromiter((hash(v + "\0") for v in values), np.int64, len(values))
        known = np.zeros(len(values), dtype=bool)
        for run_high, run_low in self._runs:
            place = np.searchsorted(run_high, high)
            place[place == len(run_high)] = 0
            known |= (run_high[place] == high) & (run_low[place] == low)
        if known.any():
            return int(np.flatnonzero(known)[0])
        self._insert(high, low)
        return None

    def _insert(self, high: NDArray[np.int64], low: NDArray[np.int64]) -> None:
        """Keep runs of falling size, each at least twice the next, so that there are few of them."""
        while self._runs and len(self._runs[-1][0]) < 2 * len(high):
            run_high, run_low = self._runs.pop()
            high, low = np.concatenate([run_high, high]), np.concatenate([run_low, low])
        order = np.argsort(high, kind="stable")
        self._runs.append((high[order], low[order]))


def _repeated(values: list[str]) -> int:
    seen: set[str] = set()
    for row, value in enumerate(values):
        if value in seen:
            return row
        seen.add(value)
    raise AssertionError("no value repeats")
