"""Records dealt out by their key into buckets on disk, so that each bucket is arranged on its own.

A bucket holds all records of its keys, of every input; no more than one of them need be in memory. What is
written is what the audit reads of the records, in files that only their owner may read and that go with the
run.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import msgspec
import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from .errors import EngineError
from .sources.batch import Batch
from .sources.coded import Coded
from .unique import Digester, joined

WHERE = "TMPDIR names the folder for files that go with the run"
"""What whoever cannot write there is told."""

AT_ONCE = 65_536
"""Records that are dealt out at a time, at least, so that the pieces of a bucket are not small."""


class Piece(Struct, frozen=True, array_like=True, order=True):
    """Some records of one bucket, from one batch of one part of the inputs, and where they are."""

    part: int
    batch: int
    path: str
    start: int
    size: int


class _Packed(Struct, array_like=True):
    input: str
    rows: bytes
    """Where the records stood in their batch."""
    columns: dict[str, Any]
    slices: dict[str, Any]


Locate = Callable[[int, int, int], str]
"""Gives the place of a record by its part, its batch and its row: ``file:12``."""


class Spill:
    """The records that one process deals out.

    Parameters
    ----------
    path
        The file to write; there must be none.
    buckets
        How many there are; a power of two.
    digest
        Decides which bucket a key is in: the same in all processes.
    """

    def __init__(self, path: str, buckets: int, digest: Digester) -> None:
        self.pieces: list[list[Piece]] = [[] for _ in range(buckets)]
        self._path, self._digest, self._at = path, digest, 0
        self._shift = np.uint64(64 - (buckets.bit_length() - 1))
        try:
            self._file = open(path, "xb")  # noqa: SIM115  closed when all is dealt out
        except OSError as fault:
            raise _refused(path, fault) from fault

    def add(self, batch: Batch, key: str, part: int, number: int) -> None:
        """Deal out the records of a batch by one of their fields."""
        for bucket, rows in self._dealt(getattr(batch, key)):
            dealt = batch.take(rows)
            columns = {name: _packed(column) for name, column in dealt.columns.items()}
            slices = {name: _packed(column) for name, column in dealt.slices.items()}
            packed = _Packed(batch.source, rows.astype(np.uint32).tobytes(), columns, slices)
            data = msgspec.msgpack.encode(packed)
            self.pieces[bucket].append(Piece(part, number, self._path, self._at, len(data)))
            self._write(data)

    def _dealt(self, keys: list[str]) -> Iterable[tuple[int, NDArray[np.intp]]]:
        """Give the rows that go to each bucket."""
        buckets = len(self.pieces)
        if buckets == 1:
            return [(0, np.arange(len(keys)))]
        numbers = (self._digest(*joined(keys)) >> self._shift).astype(np.intp)
        order = np.argsort(numbers, kind="stable")
        ends = np.cumsum(np.bincount(numbers, minlength=buckets))
        return [(n, rows) for n, rows in enumerate(np.split(order, ends[:-1])) if len(rows)]

    def _write(self, data: bytes) -> None:
        try:
            self._file.write(data)
        except OSError as fault:
            raise _refused(self._path, fault) from fault
        self._at += len(data)

    def close(self) -> None:
        """Write what is still in memory."""
        try:
            self._file.close()
        except OSError as fault:
            raise _refused(self._path, fault) from fault


def gathered(batches: Iterable[Batch]) -> Iterator[Batch]:
    """Join batches of one input to such as are worth dealing out."""
    held: list[Batch] = []
    for batch in batches:
        held.append(batch.light())
        if sum(map(len, held)) >= AT_ONCE:
            yield Batch.concatenated(held)
            held = []
    if held:
        yield Batch.concatenated(held)


def batches(
    pieces: Iterable[Piece], inputs: Iterable[str], spelled: Callable[[str, str], str], locate: Locate
) -> dict[str, list[Batch]]:
    """Read the pieces of a bucket back: the batches of each input, in the order of its files.

    `spelled` gives the field of an input as the files name it.
    """
    found: dict[str, list[Batch]] = {name: [] for name in inputs}
    for piece in sorted(pieces):
        packed = msgspec.msgpack.decode(_read(piece), type=_Packed)
        rows = np.frombuffer(packed.rows, np.uint32)
        found[packed.input].append(
            Batch(
                {name: _unpacked(column) for name, column in packed.columns.items()},
                len(rows),
                source=packed.input,
                slices={name: _unpacked(column) for name, column in packed.slices.items()},
                where=lambda row, piece=piece, rows=rows: locate(piece.part, piece.batch, int(rows[row])),  # type: ignore[misc]
                spelled=lambda field, name=packed.input: spelled(name, field),  # type: ignore[misc]
            )
        )
    return found


def _read(piece: Piece) -> bytes:
    try:
        with open(piece.path, "rb") as file:
            file.seek(piece.start)
            return file.read(piece.size)
    except OSError as fault:
        raise _refused(piece.path, fault) from fault


def _packed(column: Any) -> Any:
    """Give a column as plain data: an array as its type and bytes, numbered strings too, others as a list."""
    if isinstance(column, np.ndarray):
        return column.dtype.str, column.tobytes()
    if isinstance(column, Coded) and len(column.words) <= len(column):
        return *_packed(column.codes), column.words
    return list(column)


def _unpacked(column: Any) -> Any:
    if len(column) < 2 or not isinstance(column[1], bytes):  # which no record holds
        return column
    kind, data, *words = column
    array = np.frombuffer(data, kind)
    return Coded(array, words[0]) if words else array


def _refused(path: str, fault: OSError) -> EngineError:
    what = f"cannot keep records there meanwhile: {fault.strerror or fault}"
    return EngineError(path, what, WHERE)
