"""The work of one process of a run: it reads parts of the inputs, counts them, and gives its tallies encoded.

What a process is told is an `Order`, then requests, all as MessagePack: names, options and numbers, and no
code. It answers in the same way. So a process on another machine could do the work as well.
"""

from collections.abc import Callable, Iterator
from typing import Any

import msgspec
import numpy as np
from msgspec import Struct

from . import spill, units
from .audits import find
from .engines import local
from .errors import EngineError
from .plan import Plan, Settings
from .sources import Slice, cuts
from .sources.cuts import Part
from .spill import Piece, Spill
from .unique import Digester, Unique


class Order(Struct, frozen=True):
    """All that a process must know of a run."""

    audit: str
    revision: int
    options: bytes
    settings: Settings
    slices: tuple[Slice, ...]
    inputs: tuple[str, ...]
    parts: tuple[Part, ...]
    max_file_bytes: int | None
    input_format: str | None
    key: bytes
    """The key of digests, which all processes share."""
    folder: str | None = None
    """Where records are kept meanwhile, if they must be dealt out by a key before they are counted."""
    buckets: int = 1


class Read(Struct, frozen=True, tag=True):
    """Read a part, and count its records, or deal them out."""

    part: int


class Dealt(Struct, frozen=True, tag=True):
    """Say what was dealt out to each bucket."""


class Arrange(Struct, frozen=True, tag=True):
    """Count the records of a bucket."""

    pieces: list[Piece]


class Give(Struct, frozen=True, tag=True):
    """Give the tallies, and the digests of unique values."""


class Tell(Struct, frozen=True, tag=True):
    """Tell the unique values of an input that have some digests."""

    input: str
    digests: bytes


class Counted(Struct, frozen=True):
    """What is known of a part that was read."""

    records: int
    blank_lines: int
    bytes: int
    sha256: str | None


class Given(Struct, frozen=True):
    """The encoded tallies, and the digests of unique values of each input, ascending."""

    state: bytes
    unique: dict[str, bytes]


Request = Read | Dealt | Arrange | Give | Tell


def member(order: bytes, name: str) -> Callable[[bytes], bytes]:
    """Make what answers requests in one process of a run, whose name no other has."""
    return Work(msgspec.msgpack.decode(order, type=Order), name).answer


class Work:
    """The work of one process, who goes by a name that no other has."""

    def __init__(self, order: Order, name: str) -> None:
        audit = find(order.audit)
        if audit.revision != order.revision:
            raise EngineError(audit.name, f"revision {audit.revision} here, {order.revision} elsewhere")
        options = msgspec.msgpack.decode(order.options, type=audit.Options)
        records = audit.records(options)
        inputs = {source: records[source] for source in order.inputs}
        self._order = order
        self._plan = Plan(audit, inputs, options, order.settings, order.slices, ())
        self._shapes = {source: self._plan.shape(source) for source in inputs}
        self._state = self._plan.state()
        digest = Digester(order.key)
        self._key = units.dealt_by(audit, inputs)
        self._spill = Spill(f"{order.folder}/{name}", order.buckets, digest) if self._key else None
        unique = audit.unique if self._key is None else None
        self._unique = {
            source: Unique(digest) for source, kind in inputs.items() if unique in kind.__struct_fields__
        }

    def answer(self, request: bytes) -> bytes:
        """Do what is asked for, and give the answer, encoded.

        Raises
        ------
        TallystickError
            Where records or files are at fault.
        """
        match msgspec.msgpack.decode(request, type=Request):
            case Read(part):
                made: Any = self._read(part)
            case Dealt():
                made = self._dealt()
            case Arrange(pieces):
                self._arrange(pieces)
                made = None
            case Give():
                made = Given(self._state.encode(), dict(self._digests()))
            case Tell(source, digests):
                made = self._unique[source].values(np.frombuffer(digests, np.uint64))
        return msgspec.msgpack.encode(made)

    def _read(self, number: int) -> Counted:
        part = self._order.parts[number]
        facts, batches = self._batches(part)
        if self._spill is not None and self._key is not None:
            for place, batch in enumerate(spill.gathered(batches)):
                self._spill.add(batch, self._key, number, place)
        else:
            key, seen = self._plan.audit.unique, self._unique.get(part.input)
            fresh = batches if key is None or seen is None else units.distinct(batches, key, seen)
            local.accumulate(self._state, fresh)
        return Counted(facts.records, facts.blank_lines, facts.bytes, facts.sha256)

    def _batches(self, part: Part) -> Any:
        order = self._order
        return cuts.batches(part, self._shapes[part.input], order.max_file_bytes, order.input_format)

    def _digests(self) -> Iterator[tuple[str, bytes]]:
        """Give the digests of the unique values of each input, once they are known to differ."""
        for source, seen in self._unique.items():
            if twice := seen.repeated():
                raise units.refused(twice, self._shapes[source].spelled(self._plan.audit.unique or ""))
            yield source, seen.ascending().tobytes()

    def _dealt(self) -> list[list[Piece]]:
        if self._spill is None:
            return []
        self._spill.close()
        return self._spill.pieces

    def _arrange(self, pieces: list[Piece]) -> None:
        def spelled(source: str, field: str) -> str:
            return self._shapes[source].spelled(field)

        held = spill.batches(pieces, self._plan.inputs, spelled, self._locate)
        streams = {source: iter(batches) for source, batches in held.items()}
        local.accumulate(self._state, units.arrange(self._plan.audit, streams))

    def _locate(self, number: int, batch: int, row: int) -> str:
        """Name a record by reading its part again."""
        _, batches = self._batches(self._order.parts[number])
        for place, read in enumerate(spill.gathered(batches)):
            if place == batch:
                where: str = read.where(row)
                return where
        raise EngineError(self._order.parts[number].path, "changed while it was read")
