"""Units: what an audit counts, made of the records of its inputs.

A unit is one record, or the records that share a key. `arrange` gives an audit's `update` what it expects:

- rows, in which the values of a `unique` field differ, if the audit names one;
- records grouped by the field `group_by`: a batch holds whole groups, the records of each side by side;
- rows of several inputs joined by the `unique` field, where the audit's inputs are joined.

On an engine with many machines, records are sent to them by this key, and each arranges its own. No key
goes into a tally, so tallies stay small and merge in any split of the units.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from hashlib import shake_128
from typing import Any

import numpy as np

from .audit import Audit
from .errors import RecordError
from .fields import show
from .sources.batch import Batch
from .unique import KEY, Digester, Repeated, Unique
from .unique import joined as texts

GROUPED = 32_768
"""Records of grouped batches, or a few more, so that no group is cut."""


_ORDER = shake_128(b"the order of groups").digest(KEY)
"""The key of the digests by which groups are ordered: always the same, so that the order is."""


def arrange(audit: type[Audit[Any, Any]], streams: Mapping[str, Iterator[Batch]]) -> Iterator[Batch]:
    """Arrange the records of an audit's inputs as the units that it counts.

    Parameters
    ----------
    audit
        The audit that will be updated.
    streams
        The batches of each input, by its name.

    Raises
    ------
    RecordError
        Where a unique value occurs twice, or the records of a unit are in different slices.
    """
    key = dealt_by(audit, streams)
    if key is not None and audit.group_by is None:
        yield from joined(streams, key)
    elif key is not None:
        for batches in streams.values():
            yield from grouped(batches, key)
    else:
        for name, batches in streams.items():
            key = audit.unique if audit.unique in audit.inputs[name].__struct_fields__ else None
            yield from batches if key is None else distinct(batches, key)


def dealt_by(audit: type[Audit[Any, Any]], inputs: Collection[str]) -> str | None:
    """Name the field by whose values records must come together: grouped, or joined; None without one."""
    if audit.group_by is not None:
        return audit.group_by
    return audit.unique if audit.joined or set(inputs) == audit.sides.keys() else None


def grouped(batches: Iterable[Batch], key: str) -> Iterator[Batch]:
    """Hold all records, and give them in batches of whole groups, the records of each side by side.

    Groups are ordered by digests of their keys, since numbers are sorted faster than strings. Where two keys
    have one digest, which is hardly ever, they stand in one batch, which is then sorted by the keys.

    Raises
    ------
    RecordError
        Where the records of one group are in different slices.
    """
    held = [batch.light() for batch in batches]
    if not held:
        return
    digest = Digester(_ORDER)
    digests = np.concatenate([digest(*texts(getattr(batch, key))) for batch in held])
    whole = Batch.concatenated(held)
    order = np.argsort(digests, kind="stable")
    ends = np.append(np.flatnonzero(np.diff(digests[order])) + 1, len(whole))
    done = 0
    while done < len(ends):
        first = int(ends[done - 1]) if done else 0
        past = int(np.searchsorted(ends, min(first + GROUPED, len(whole)))) + 1
        batch = whole.take(order[first : ends[past - 1]])
        if len(batch.starts(key)) > past - done:
            batch = batch.take(sorted(range(len(batch)), key=getattr(batch, key).__getitem__))
        _one_slice(batch, key)
        yield batch
        done = past


def _one_slice(batch: Batch, key: str) -> None:
    """Refuse a group whose records differ in the field sliced by."""
    starts = batch.starts(key)
    first = np.repeat(starts, np.diff(starts, append=len(batch))) if batch.slices else starts
    for name, column in batch.slices.items():
        values = np.array(list(column), dtype=object)
        if len(differ := np.flatnonzero(values != values[first])):
            row, start = int(differ[0]), int(first[differ[0]])
            unit = show(getattr(batch, key)[row])
            what = f"{show(values[row])}, but {show(values[start])} in another record of {key} {unit}"
            raise batch.fault(row, name, what)


def joined(streams: Mapping[str, Iterator[Batch]], key: str) -> Iterator[Batch]:
    """Join two inputs by a field that is unique in each.

    The first input is held in memory, the second passes by. Matched records come in batches whose `sides`
    hold both inputs, row beside row; at the end come those that only one input has, as one batch of that
    input.

    Raises
    ------
    RecordError
        Where a key occurs twice in an input, or the two records of a key are in different slices.
    """
    (first, held_batches), (second, passing) = streams.items()
    all_held = list(distinct(held_batches, key))
    if not all_held:
        yield from distinct(passing, key)
        return
    held = Batch.concatenated(all_held)
    place = {value: row for row, value in enumerate(getattr(held, key))}
    matched = np.zeros(len(held), dtype=bool)
    alone: list[Batch] = []
    for batch in distinct(passing, key):
        found = np.fromiter((place.get(value, -1) for value in getattr(batch, key)), np.intp, len(batch))
        rows = np.flatnonzero(found >= 0)
        if len(rows) < len(batch):
            alone.append(batch.take(np.flatnonzero(found < 0)))
        if len(rows):
            matched[found[rows]] = True
            yield _beside({first: held.take(found[rows]), second: batch.take(rows)}, key)
    if not matched.all():
        yield held.take(np.flatnonzero(~matched))
    if alone:
        yield Batch.concatenated(alone)


def _beside(sides: dict[str, Batch], key: str) -> Batch:
    """Put the matched records of two inputs side by side."""
    one, other = sides.values()
    for name in one.slices.keys() & other.slices.keys():
        for row, (value, else_) in enumerate(zip(one.slices[name], other.slices[name], strict=True)):
            if value != else_:
                unit = show(getattr(one, key)[row])
                what = f"{show(else_)}, but {show(value)} in {one.source} for {key} {unit}"
                raise other.fault(row, name, what)
    slices = {**other.slices, **one.slices}
    return Batch({key: getattr(one, key)}, len(one), source="", slices=slices, where=one.where, sides=sides)


def distinct(batches: Iterable[Batch], field: str, seen: Unique | None = None) -> Iterator[Batch]:
    """Pass batches on, and refuse the first record whose field holds a value seen before.

    `seen` holds the values for who goes on with them, and asks it itself in the end.

    Raises
    ------
    RecordError
        Naming the later of two records with the same value.
    """
    known = Unique(Digester()) if seen is None else seen
    spelled = field
    for batch in batches:
        spelled = batch.spelled(field)
        if twice := known.add(getattr(batch, field), batch.where):
            raise refused(twice, spelled)
        yield batch
    if seen is None and (twice := known.repeated()):
        raise refused(twice, spelled)


def refused(twice: Repeated, field: str) -> RecordError:
    """Make the error for a record whose field holds what another's does."""
    what = f"{field}: {show(twice.value)} occurs more than once, and must be unique"
    return RecordError(twice.where(twice.row), what)
