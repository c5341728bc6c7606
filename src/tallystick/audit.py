"""What an audit is, and all that is derived from it: merging, encoding, decoding, slicing."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, ClassVar, Generic, Self, TypeVar, get_args

import msgspec
from msgspec import Struct

from .errors import UsageError
from .sources.batch import Batch
from .tallies import Tally
from .tallies.numbering import numbered, rows_by

O = TypeVar("O", bound=Struct)  # noqa: E741  the options
R = TypeVar("R", bound=Struct)


class Audit(ABC, Generic[O, R]):
    """One question put to files of predictions.

    A subclass fills in the types of its options and its result (``Audit[Options, Result]``), and declares
    its `name`, its `revision` (raised whenever the same records and options can give another number) and
    the record type of each of its `inputs`. `start` makes tallies as attributes, `update` adds to them,
    `finish` makes numbers of them. Nothing else: an audit does not read, merge, print, judge or round.

    What reaches `update` is arranged by `tallystick.units` as these declare:

    - `unique` names the field whose values must differ in all records of an input that declares it;
    - `group_by` names the field by whose values records come grouped (`Batch.starts` finds the groups);
    - with `joined`, the two `inputs` are joined by the `unique` field: batches have `sides`, and records
      that only one input has come last, in a batch whose `source` names it;
    - `sides` declares two inputs that may be given in place of the usual one, and are joined likewise.

    `slice_by` names fields, each with the input that has it, by which it is sliced without being asked;
    records without the field are a slice of their own. One that is not `sliceable` is never sliced.

    With `gathers`, records that are not as declared do not stop the run at the first: batches hold them in
    `refused`, and the audit says in `lacking` what it makes of them.

    Where the rows of one of its tables compete (`Table.competes`), `default_gates` hold for each of them on
    every measure that the caller gates nothing else on.
    """

    name: ClassVar[str]
    revision: ClassVar[int]
    inputs: ClassVar[Mapping[str, type[Struct]]]
    Options: ClassVar[type[Struct]]
    Result: ClassVar[type[Struct]]
    unique: ClassVar[str | None] = None
    group_by: ClassVar[str | None] = None
    joined: ClassVar[bool] = False
    sides: ClassVar[Mapping[str, type[Struct]]] = {}
    slice_by: ClassVar[Mapping[str, str]] = {}
    sliceable: ClassVar[bool] = True
    gathers: ClassVar[bool] = False
    default_gates: ClassVar[tuple[str, ...]] = ()

    def __init_subclass__(cls) -> None:
        cls.Options, cls.Result = get_args(cls.__orig_bases__[0])  # type: ignore[attr-defined]

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

    @classmethod
    def records(cls, options: O) -> dict[str, type[Struct]]:  # noqa: ARG003  for audits whose records depend on them
        """Give the record type of each input, in every form in which inputs may be given."""
        return {**cls.inputs, **cls.sides}

    def lacking(self) -> str | None:
        """Say what the records lack, all together, so that nothing can be decided; None where nothing.

        Asked of the whole, never of a slice, whose measures are undefined instead.
        """
        return None

    def warnings(self, result: R) -> list[str]:  # noqa: ARG002  for audits that have something to say
        """Say what a reader of the result should know; asked of the whole, never of a slice."""
        return []

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
    of one string field; the fields are sliced apart, never crossed. A field with more values than `most` is
    refused: it names records rather than kinds of them, and each slice takes the memory of an audit.
    """

    def __init__(
        self,
        audit: type[Audit[Any, Any]],
        options: Struct,
        slice_by: tuple[str, ...],
        most: int | None = None,
    ) -> None:
        self._audit, self._options, self._most = audit, options, most
        self.overall: Audit[Any, Any] = audit(options)
        self.slices: dict[str, dict[str | None, Audit[Any, Any]]] = {field: {} for field in slice_by}

    def _make(self) -> Audit[Any, Any]:
        return self._audit(self._options)

    def _slice(self, field: str, value: str | None) -> Audit[Any, Any]:
        """Give the audit of a slice."""
        audits = self.slices[field]
        if value not in audits:
            if self._most is not None and len(audits) >= self._most:
                hint = "slice by a field of few values, or take more of them: --max-slices"
                raise UsageError("--slice-by", f"{field!r} has more than {self._most} values", hint)
            audits[value] = self._make()
        return audits[value]

    def update(self, batch: Batch) -> None:
        """Add a batch to the whole, and each part of it to its slices."""
        self.overall.update(batch)
        for field in self.slices:
            for value, part in _parts(batch, field):
                self._slice(field, value).update(part)

    def merge(self, other: Self) -> None:
        """Add what another instance of the same make has counted."""
        self.overall.merge(other.overall)
        for field, audits in other.slices.items():
            for value, audit in audits.items():
                self._slice(field, value).merge(audit)

    def encode(self) -> bytes:
        """Encode all tallies; equal states give equal bytes."""
        slices = {
            field: {value: audits[value].dump() for value in in_order(audits)}
            for field, audits in self.slices.items()
        }
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


def in_order(slices: Iterable[str | None]) -> list[str | None]:
    """Sort the values of a field in code point order; its absence comes first."""
    return sorted(slices, key=lambda value: (value is not None, value or ""))


def _parts(batch: Batch, field: str) -> Iterator[tuple[str | None, Batch]]:
    """Split a batch by the values of a field; a batch that does not have it has no part in its slices."""
    column = batch.slices.get(field)
    if column is None:
        return
    codes, words = numbered(column)
    if len(words) == 1:
        yield words[0], batch
        return
    for value, rows in zip(words, rows_by(codes, len(words)), strict=True):
        yield value, batch.take(rows)
