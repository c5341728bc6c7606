"""Records that are Python objects already: an iterable of mappings."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

import msgspec
import numpy as np

from ..errors import RecordError
from . import faults
from .batch import Batch, Refused
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
        facts.records += len(plain)
        yield _batch(plain, range(start, start + len(plain)), name, shape, source)
        start += len(plain)


def _batch(rows: list[dict[Any, Any]], numbers: Sequence[int], name: str, shape: Shape, source: str) -> Batch:
    """Make the batch of some mappings, given their numbers."""
    refused: list[Refused] = []
    try:
        columns, slices = _decoded(rows, shape)
    except _REFUSED:
        rows = [{key: scalar(value) for key, value in row.items()} for row in rows]
        if shape.gathers:
            rows, numbers, refused = _sifted(rows, numbers, name, shape)
        columns, slices = _checked(rows, numbers, name, shape)
    return Batch(
        columns,
        len(rows),
        source=source,
        slices=slices,
        where=lambda row: f"{name}:{numbers[row]}",
        spelled=shape.spelled,
        refused=refused,
    )


def _decoded(rows: list[dict[Any, Any]], shape: Shape) -> tuple[dict[str, Any], dict[str, list[str | None]]]:
    """Turn mappings into columns, refusing what no report could hold: unpaired surrogates."""
    decoded = msgspec.convert(rows, list[shape.struct], strict=True)  # type: ignore[name-defined]
    columns, slices = shape.columns(decoded), shape.slice_columns(decoded)
    for column in (*columns.values(), *slices.values()):
        if isinstance(column, list):
            msgspec.json.encode(column)
    return columns, slices


def _checked(
    rows: list[dict[Any, Any]], numbers: Sequence[int], name: str, shape: Shape
) -> tuple[dict[str, Any], dict[str, list[str | None]]]:
    """Turn mappings into columns, or refuse the first that is not as declared."""
    try:
        return _decoded(rows, shape)
    except _REFUSED as refused:
        for number, row in zip(numbers, rows, strict=True):
            if fault := _fault(row, shape):
                raise RecordError(f"{name}:{number}", str(fault)) from refused
        raise RecordError(name, f"not records: {refused}") from refused


def _sifted(
    rows: list[dict[Any, Any]], numbers: Sequence[int], name: str, shape: Shape
) -> tuple[list[dict[Any, Any]], list[int], list[Refused]]:
    """Part the mappings that are as declared, and their numbers, from the others."""
    kept, kept_numbers, refused = [], [], []
    for number, row in zip(numbers, rows, strict=True):
        if fault := _fault(row, shape):
            refused.append(Refused(f"{name}:{number}", fault.field or "", str(fault)))
        else:
            kept.append(row)
            kept_numbers.append(number)
    return kept, kept_numbers, refused


def scalar(value: Any) -> Any:
    """Take numpy's scalars, at any depth, for the numbers and strings that they are."""
    if isinstance(value, dict):
        return {key: scalar(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [scalar(inner) for inner in value]
    return value.item() if isinstance(value, np.generic) else value


def _dict(row: Any, where: str) -> dict[Any, Any]:
    if isinstance(row, Mapping):
        return dict(row)
    raise RecordError(where, f"expected a mapping, got {type(row).__name__}")


def _fault(row: dict[Any, Any], shape: Shape) -> faults.Fault | None:
    if (key := next((key for key in row if not isinstance(key, str)), None)) is not None:
        return faults.Fault(None, f"the key {key!r} is not a string")
    return faults.unlike(row, shape) or faults.odd(row)
