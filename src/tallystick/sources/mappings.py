"""Records that are Python objects already: an iterable of mappings."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any, NoReturn

import msgspec
import numpy as np

from ..errors import RecordError
from . import faults
from .batch import Batch
from .facts import Facts
from .shape import Shape

BATCH = 65_536
"""Records that are checked and counted at a time."""

_REFUSED = (msgspec.ValidationError, UnicodeEncodeError, RecursionError, TypeError)


def read(records: Iterable[Any], name: str, shape: Shape, source: str, facts: Facts) -> Iterator[Batch]:
    """Read records that are mappings, with the checks that those of a file meet.

    Raises
    ------
    RecordError
        For the first record that is not as declared, by its number from 1.
    """
    rest, start = iter(records), 1
    while rows := list(islice(rest, BATCH)):
        plain = [
            row if type(row) is dict else _dict(row, f"{name}:{start + i}") for i, row in enumerate(rows)
        ]
        try:
            columns, slices = _decoded(plain, shape)
        except _REFUSED:
            columns, slices = _unwrapped(plain, name, start, shape)
        facts.records += len(plain)
        where = lambda row, start=start: f"{name}:{start + row}"  # noqa: E731
        yield Batch(columns, len(plain), source=source, slices=slices, where=where, spelled=shape.spelled)
        start += len(plain)


def _decoded(rows: list[dict[Any, Any]], shape: Shape) -> tuple[dict[str, Any], dict[str, list[str | None]]]:
    """Turn mappings into columns, refusing what no report could hold: unpaired surrogates."""
    decoded = msgspec.convert(rows, list[shape.struct], strict=True)  # type: ignore[name-defined]
    columns, slices = shape.columns(decoded), shape.slice_columns(decoded)
    for column in (*columns.values(), *slices.values()):
        if isinstance(column, list):
            msgspec.json.encode(column)
    return columns, slices


def _unwrapped(
    rows: list[dict[Any, Any]], name: str, start: int, shape: Shape
) -> tuple[dict[str, Any], dict[str, list[str | None]]]:
    """Take numpy's scalars for the numbers and strings that they are, or refuse the first bad record."""
    plain = [{key: _scalar(value) for key, value in row.items()} for row in rows]
    try:
        return _decoded(plain, shape)
    except _REFUSED as refused:
        _refuse(plain, name, start, shape, refused)


def _scalar(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def _dict(row: Any, where: str) -> dict[Any, Any]:
    if isinstance(row, Mapping):
        return dict(row)
    raise RecordError(where, f"expected a mapping, got {type(row).__name__}")


def _refuse(rows: list[dict[Any, Any]], name: str, start: int, shape: Shape, refused: Exception) -> NoReturn:
    for number, row in enumerate(rows, start):
        if (key := next((key for key in row if not isinstance(key, str)), None)) is not None:
            raise RecordError(f"{name}:{number}", f"the key {key!r} is not a string") from refused
        if fault := faults.unlike(row, shape) or faults.odd(row):
            raise RecordError(f"{name}:{number}", str(fault)) from refused
    raise RecordError(name, f"not records: {refused}") from refused
