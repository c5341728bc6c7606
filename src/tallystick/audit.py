"""What an audit is, and all that is derived from it: merging, encoding, decoding, slicing."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Generic, Self, TypeVar

import msgspec
import numpy as np
from msgspec import Struct

from .sources.batch import Batch
from .tallies import Tally

O = TypeVar("O", bound=Struct)  # noqa: E741  the options
R = TypeVar("R", bound=Struct)


class Audit(ABC, Generic[O, R]):
    """One question put to files of predictions.

    A subclass declares its `name`, its `revision` (raised whenever the same records and options can give
    another number), the record type of each of its `inputs`, its `Options` and its `Result`. `start`
    makes tallies as attributes, `update` adds to them, `finish` makes numbers of them. Nothing else: an
    audit does not read, merge, print, judge or round.

    `unique` names the field whose values must differ in all records, if there is one.
    """

    name: ClassVar[str]
    revision: ClassVar[int]
    inputs: ClassVar[Mapping[str, type[Struct]]]
    Options: ClassVar[type[Struct]]
    Result: ClassVar[type[Struct]]
    unique: ClassVar[str | None] = None

    def __init__(self, options: O) -> None:
        self.options = options
        self.start()

    @abstractmethod
    def start(self) -> None:
        """Make the tallies, as attributes."""

    @abstractmethod
    def update(self, batch: Batch) -> None:
        """Add a batch of records to the tallies."""

    @abstractmethod
    def finish(self) -> R:
        """Make the result from the tallies, in integers and exact rationals."""

    @property
    def tallies(self) -> dict[str, Tally]:
        """The tallies by the name of their attribute, sorted."""
        return {name: t for name, t in sorted(vars(self).items()) if isinstance(t, Tally)}

    def merge(self, other: Self) -> None:
        """Add what another instance with the same options has counted."""
        theirs = other.tallies
        for name, tally in self.tallies.items():
            tally.merge(theirs[name])

    def dump(self) -> dict[str, Any]:
        """Give the state of all tallies as plain data."""
        return {name: tally.dump() for name, tally in self.tallies.items()}

    def load(self, state: Mapping[str, Any]) -> None:
        """Take a dumped state."""
        for name, tally in self.tallies.items():
            tally.load(state[name])


class Sliced:
    """An audit over all records, and the same audit over each slice of them.

    This is what an engine fills, encodes and merges. A slice is the set of records that share the value
    of one string field; the fields are sliced apart, never crossed.
    """

    def __init__(self, audit: type[Audit[Any, Any]], options: Struct, slice_by: tuple[str, ...]) -> None:
        self._make = lambda: audit(options)
        self.overall: Audit[Any, Any] = audit(options)
        self.slices: dict[str, dict[str, Audit[Any, Any]]] = {field: {} for field in slice_by}

    def update(self, batch: Batch) -> None:
        """Add a batch to the whole, and each part of it to its slices."""
        self.overall.update(batch)
        for field, audits in self.slices.items():
            for value, part in _parts(batch, field):
                if value not in audits:
                    audits[value] = self._make()
                audits[value].update(part)

    def merge(self, other: Self) -> None:
        """Add what another instance of the same make has counted."""
        self.overall.merge(other.overall)
        for field, audits in other.slices.items():
            for value, audit in audits.items():
                if value not in self.slices[field]:
                    self.slices[field][value] = self._make()
                self.slices[field][value].merge(audit)

    def encode(self) -> bytes:
        """Encode all tallies; equal states give equal bytes."""
        slices = {f: {v: a.dump() for v, a in sorted(audits.items())} for f, audits in self.slices.items()}
        return msgspec.msgpack.encode([self.overall.dump(), slices])

    def decode(self, data: bytes) -> None:
        """Take an encoded state in place of the present one."""
        overall, slices = msgspec.msgpack.decode(data)
        self.overall.load(overall)
        for field, states in slices.items():
            self.slices[field] = {}
            for value, state in states.items():
                audit = self.slices[field][value] = self._make()
                audit.load(state)


def _parts(batch: Batch, field: str) -> Iterator[tuple[str, Batch]]:
    """Split a batch by the values of a field."""
    column = batch.slices[field]
    numbers: dict[str, int] = {}
    codes = np.fromiter((numbers.setdefault(v, len(numbers)) for v in column), np.int64, len(column))
    if len(numbers) == 1:
        yield column[0], batch
        return
    order = np.argsort(codes, kind="stable")
    ends = np.cumsum(np.bincount(codes, minlength=len(numbers)))
    for value, rows in zip(numbers, np.split(order, ends[:-1]), strict=True):
        yield value, batch.take(rows)
