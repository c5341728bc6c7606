"""Columns of any format to batches: the declared types, checked a column at a time.

A format gives its records in chunks. For each field that is read, a chunk has the whole column at once
where it is plainly as declared (`column`), and otherwise the single values (`values`), of which those that
are not as declared are then found and named.
"""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, NamedTuple, Protocol

import msgspec
import numpy as np
from msgspec import NODEFAULT
from msgspec import inspect as types
from numpy.typing import NDArray

from ..errors import RecordError, SourceError, suggest
from ..fields import describe, misfit
from . import faults
from .batch import Batch, Refused
from .shape import Leaf, Shape

ROWS = 65_536
"""Records of a chunk."""


class Missing:
    """What stands for a value that is not there."""


MISSING = Missing()


class Unreadable(NamedTuple):
    """What stands for a value that could not be read at all, and why."""

    what: str


class Chunk(Protocol):
    """Some records of a file or a frame, by columns."""

    def __len__(self) -> int:
        """How many records."""
        ...

    def column(self, leaf: Leaf) -> Any:
        """Give a column that is as declared, or None where that is not plain to see."""
        ...

    def values(self, leaf: Leaf) -> list[Any]:
        """Give the single values of a column, `MISSING` and `Unreadable` among them."""
        ...


def batch(chunk: Chunk, shape: Shape, source: str, where: Callable[[int], str]) -> Batch:
    """Make the batch of a chunk's records.

    Raises
    ------
    RecordError
        For the first record that is not as declared, unless the shape gathers such.
    """
    columns = {leaf.path: chunk.column(leaf) for leaf in shape.leaves}
    if any(column is None for column in columns.values()):
        return _one_by_one(chunk, shape, source, where)
    return _made(columns, len(chunk), shape, source, where, ())


def _one_by_one(chunk: Chunk, shape: Shape, source: str, where: Callable[[int], str]) -> Batch:
    """Look at every value, and refuse or part the records that are not as declared."""
    columns = {leaf.path: chunk.values(leaf) for leaf in shape.leaves}
    refused: dict[int, Refused] = {}
    for leaf in shape.leaves:
        for row, value in enumerate(columns[leaf.path]):
            if what := None if row in refused else _fault(value, leaf):
                refused[row] = Refused(where(row), leaf.spelled, f"{leaf.spelled}: {what}")
    if refused and not shape.gathers:
        first = refused[min(refused)]
        raise RecordError(first.place, first.what)
    kept = [row for row in range(len(chunk)) if row not in refused]
    made = {leaf.path: _filled([columns[leaf.path][row] for row in kept], leaf) for leaf in shape.leaves}
    faults = [refused[row] for row in sorted(refused)]
    return _made(made, len(kept), shape, source, lambda row: where(kept[row]), faults)


def _fault(value: Any, leaf: Leaf) -> str | None:
    if value is MISSING:
        return None if leaf.is_optional else f"missing (expected {describe(leaf.kind)})"
    if isinstance(value, Unreadable):
        return value.what
    odd = faults.odd(value)
    return odd.what if odd else misfit(value, leaf.kind)


def _filled(values: list[Any], leaf: Leaf) -> Any:
    """Make the column of values that are as declared, with the default in the place of what is missing."""
    filled = (
        leaf.absence if value is MISSING else msgspec.convert(value, leaf.kind, strict=True)
        for value in values
    )
    return leaf.column(filled, len(values))


def _made(
    columns: dict[tuple[str, ...], Any],
    size: int,
    shape: Shape,
    source: str,
    where: Callable[[int], str],
    refused: Sequence[Refused],
) -> Batch:
    return Batch(
        {field: columns[leaf.path] for field, leaf in shape.fields.items()},
        size,
        source=source,
        slices={name: columns[leaf.path] for name, leaf in shape.slices.items()},
        where=where,
        spelled=shape.spelled,
        refused=refused,
    )


def place(leaf: Leaf, names: Sequence[str], where: str) -> str | None:
    """Find the column that a field is in: its dotted name as it stands, or the object that it reaches into.

    Returns
    -------
    The column's name; None where there is none and the field may be absent.

    Raises
    ------
    SourceError
        Where there is none, or there are two of the name.
    """
    for name in (leaf.spelled, leaf.path[0]):
        if names.count(name) > 1:
            raise SourceError(where, f"two columns are called {name!r}")
        if name in names:
            return name
    if leaf.default is not NODEFAULT:
        return None
    hint = suggest(leaf.spelled, names) or f"tally peek {where.partition(':')[0]} shows its columns"
    raise SourceError(where, f"no column {leaf.spelled!r} (expected {describe(leaf.kind)})", hint)


def absent(leaf: Leaf, size: int) -> Any:
    """Give the column of a field that no record has and none needs to have."""
    return leaf.column([leaf.default] * size, size)


def cast(field: str) -> str:
    """Give the hint for a column of whole numbers where text is declared."""
    return f'cast the column to strings, or read it as text: --as-text {field}, in Python as_text=["{field}"]'


class Bounds(NamedTuple):
    """A declared number: which type, and between what."""

    sort: type
    least: float
    most: float
    open: bool
    """Whether the ends are left out."""


@lru_cache
def bounds(kind: Any) -> Bounds | None:
    """Say what a declared number admits; None where it is not just a number or a boolean."""
    info = types.type_info(kind)
    while isinstance(info, types.Metadata):
        info = info.type
    match info:
        case types.BoolType():
            return Bounds(bool, 0, 1, open=False)
        case types.IntType() | types.FloatType():
            opened = info.gt is not None or info.lt is not None
            least = next((n for n in (info.ge, info.gt) if n is not None), -np.inf)
            most = next((n for n in (info.le, info.lt) if n is not None), np.inf)
            return Bounds(float if isinstance(info, types.FloatType) else int, least, most, opened)
        case _:
            return None


def numbers(array: NDArray[Any], leaf: Leaf) -> NDArray[Any] | None:
    """Give an array as a declared column of numbers, or None where any of them is not as declared.

    Whole numbers and floats of any width are floats; only whole numbers are whole; booleans are neither.
    """
    declared = bounds(leaf.kind)
    if declared is None or array.ndim != 1:
        return None
    if declared.sort is bool:
        return array if array.dtype == np.bool_ else None
    if array.dtype.kind not in ("iuf" if declared.sort is float else "iu"):
        return None
    if array.size:
        low, high = array.min().item(), array.max().item()
        if not (declared.least <= low and high <= declared.most and np.isfinite(low) and np.isfinite(high)):
            return None
        if declared.open and (low == declared.least or high == declared.most):
            return None
        if declared.sort is int and high >= 2**63:
            return None
    return array.astype(np.float64 if declared.sort is float else np.int64, copy=False)


def objects(values: list[Any], leaf: Leaf) -> Any:
    """Give values as a declared column, or None where any of them is missing or not as declared."""
    try:
        converted = msgspec.convert(values, list[leaf.kind], strict=True)  # type: ignore[name-defined]
        if not leaf.is_number:
            msgspec.json.encode(converted)  # refuses what no report could hold: unpaired surrogates
    except (msgspec.ValidationError, TypeError, UnicodeEncodeError, RecursionError):
        return None
    return leaf.column(converted, len(converted))
