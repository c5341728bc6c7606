"""How often each of very many texts occurs on two sides, and under which ids."""

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

_ROW = np.dtype(
    [("high", "<u8"), ("low", "<u8"), ("raw", "<u8"), ("side", "u1"), ("count", "<i8"), ("size", "<u4")]
)
"""Digests of a text (see `metrics.digests`), a side, the records that the row stands for, bytes of its id."""

_KEY = ("high", "low", "raw", "side")

_COMPACT_AT = 1 << 17
"""Rows that wait at most before equal texts are joined."""

_GATHERED = 1 << 15
"""Ids that are moved at a time."""


class Copies:
    """The texts of two sides by their digests, each with how often it occurs and its smallest ids.

    Of the ids of one text on one side the `limit` smallest are kept (in code point order), so that the first
    of all pairs can be told without holding texts. 37 bytes and an id's own bytes for each of them, at least
    37 for each distinct text of a side, and up to three times that while rows are joined.

    Rows are sorted by digests, side and id. The first row of a text on a side stands for all records whose
    ids are not kept, and for itself.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._rows = np.empty(0, _ROW)
        self._ids = np.empty(0, np.uint8)
        self._waiting: list[tuple[NDArray[Any], NDArray[np.uint8]]] = []

    def add(self, side: int, digests: NDArray[np.uint64], ids: Sequence[str]) -> None:
        """Add texts by their digests (shape n by 3) with their ids (n, different on a side)."""
        named = [id_.encode("utf-8") for id_ in ids] if self._limit else [b""] * len(ids)
        rows = np.empty(len(ids), _ROW)
        rows["high"], rows["low"], rows["raw"] = digests.T
        rows["side"], rows["count"] = side, 1
        rows["size"] = np.fromiter(map(len, named), np.uint32, len(named))
        self._wait(rows, np.frombuffer(b"".join(named), np.uint8))

    def _wait(self, rows: NDArray[Any], ids: NDArray[np.uint8]) -> None:
        self._waiting.append((rows, ids))
        if sum(len(r) for r, _ in self._waiting) > max(_COMPACT_AT, len(self._rows)):
            self._compact()

    def _compact(self) -> None:
        """Sort all rows, join those of one text on one side, and drop the ids beyond the limit."""
        if not self._waiting:
            return
        rows = np.concatenate([self._rows, *(r for r, _ in self._waiting)])
        ids = np.concatenate([self._ids, *(i for _, i in self._waiting)])
        self._waiting.clear()
        starts = _starts(rows)
        order = np.lexsort([rows[name] for name in reversed(_KEY)])
        first = _changes(rows, _KEY, order)
        _sort_ids(order, first, rows["size"], starts, ids)
        run = np.cumsum(first) - 1
        begins = np.flatnonzero(first)
        kept = np.arange(len(rows)) - begins[run] < max(1, self._limit)
        total = np.add.reduceat(rows["count"][order], begins)
        chosen = order[kept]
        self._ids = _gather(ids, starts[chosen], rows["size"][chosen])
        self._rows = rows[chosen]
        self._rows["count"] = 1
        self._rows["count"][first[kept]] = total - np.bincount(run[kept]) + 1

    @property
    def rows(self) -> NDArray[Any]:
        """The rows: fields high, low, raw, side, count."""
        self._compact()
        return self._rows

    @property
    def texts(self) -> NDArray[np.int64]:
        """The number of each row's normalised text, ascending from 0: equal where texts are equal."""
        return np.cumsum(_changes(self.rows, _KEY[:2])) - 1

    @property
    def variants(self) -> NDArray[np.int64]:
        """The number of each row's text as it stands, likewise."""
        return np.cumsum(_changes(self.rows, _KEY[:3])) - 1

    def ids(self, places: NDArray[np.intp]) -> list[str]:
        """Give the ids of some rows."""
        sizes = self.rows["size"]
        starts = _starts(self._rows)
        pairs = zip(starts[places].tolist(), sizes[places].tolist(), strict=True)
        return [self._ids[start : start + size].tobytes().decode("utf-8") for start, size in pairs]

    def merge(self, other: Self) -> None:
        """Add the texts of another tally with the same limit."""
        self._wait(other.rows, other._ids)

    def dump(self) -> tuple[bytes, bytes]:
        """Give rows and ids as bytes."""
        return self.rows.tobytes(), self._ids.tobytes()

    def load(self, state: Sequence[bytes]) -> None:
        """Take dumped rows and ids."""
        self._waiting.clear()
        self._rows = np.frombuffer(state[0], _ROW)
        self._ids = np.frombuffer(state[1], np.uint8)


def _changes(
    rows: NDArray[Any], fields: Sequence[str], order: NDArray[np.intp] | None = None
) -> NDArray[np.bool_]:
    """Say at which rows, in some order, a field differs from the row before; at the first row it does."""
    changed = np.zeros(len(rows), dtype=bool)
    changed[:1] = True
    for name in fields:
        column = rows[name] if order is None else rows[name][order]
        changed[1:] |= column[1:] != column[:-1]
    return changed


def _starts(rows: NDArray[Any]) -> NDArray[np.int64]:
    """Give where the id of each row starts among all ids."""
    sizes = rows["size"].astype(np.int64)
    return np.cumsum(sizes) - sizes


def _sort_ids(
    order: NDArray[np.intp],
    first: NDArray[np.bool_],
    sizes: NDArray[np.uint32],
    starts: NDArray[np.int64],
    ids: NDArray[np.uint8],
) -> None:
    """Sort the places in `order` within each run of one key by their ids; most runs are of one place."""
    alone = first & np.append(first[1:], True)
    rest = np.flatnonzero(~alone)
    if not len(rest):
        return
    run = np.cumsum(first)[rest].tolist()
    places = order[rest]
    spans = zip(starts[places].tolist(), sizes[places].tolist(), strict=True)
    names = [ids[start : start + size].tobytes() for start, size in spans]
    order[rest] = [place for _, _, place in sorted(zip(run, names, places.tolist(), strict=True))]


def _gather(
    ids: NDArray[np.uint8], starts: NDArray[np.int64], sizes: NDArray[np.uint32]
) -> NDArray[np.uint8]:
    """Put the ids at some places end to end."""
    pieces = [np.empty(0, np.uint8)]
    for begin in range(0, len(starts), _GATHERED):
        start, size = starts[begin : begin + _GATHERED], sizes[begin : begin + _GATHERED].astype(np.int64)
        shift = start - (np.cumsum(size) - size)
        pieces.append(ids[np.arange(size.sum()) + np.repeat(shift, size)])
    return np.concatenate(pieces)
