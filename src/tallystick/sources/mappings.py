"""Records that are Python objects already: an iterable of mappings."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import Any

import msgspec

from ..errors import RecordError
from . import faults
from .batch import Batch
from .facts import Facts
from .shape import Shape

BATCH = 65_536
"""Records that are checked and counted at a time."""


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
            decoded = msgspec.convert(plain, list[shape.struct], strict=True)  # type: ignore[name-defined]
            columns, slices = shape.columns(decoded), shape.slice_columns(decoded)
            _encodable([*columns.values(), *slices.values()])
        except (msgspec.ValidationError, UnicodeEncodeError, RecursionError) as refused:
            _refuse(plain, name, start, shape, refused)
        facts.records += len(plain)
        where = lambda row, start=start: f"{name}:{start + row}"  # noqa: E731
        yield Batch(columns, len(plain), source=source, slices=slices, where=where, spelled=shape.spelled)
        start += len(plain)


def _dict(row: Any, where: str) -> dict[Any, Any]:
    if isinstance(row, Mapping):
        return dict(row)
    raise RecordError(where, f"expected a mapping, got {type(row).__name__}")


def _encodable(columns: list[Any]) -> None:
    """Refuse what no report could hold: unpaired surrogates."""
    for column in columns:
        if isinstance(column, list):
            msgspec.json.encode(column)


def _refuse(rows: list[dict[Any, Any]], name: str, start: int, shape: Shape, refused: Exception) -> None:
    for number, row in enumerate(rows, start):
        if fault := faults.unlike(row, shape) or faults.odd(row):
            raise RecordError(f"{name}:{number}", str(fault)) from refused
    raise RecordError(name, f"not records: {refused}") from refused
