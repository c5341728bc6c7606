"""Frames of any library, and whatever else gives Arrow data: pyarrow to columns.

Numbers go to numpy without a copy where Arrow holds them as declared; strings with a dictionary stay
coded; arrays and objects are made from their flat parts.
"""

from collections.abc import Iterable, Iterator
from itertools import accumulate, pairwise
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from ..errors import SourceError
from ..fields import describe
from . import cells
from .batch import Batch
from .coded import Coded
from .columns import MISSING, ROWS, Unreadable, absent, batch, cast, numbers, objects, place
from .facts import Facts
from .shape import Leaf, Shape

_STRINGS = (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view)
_NUMBERS = (pa.types.is_boolean, pa.types.is_integer, pa.types.is_floating)
_LISTS = (pa.types.is_list, pa.types.is_large_list, pa.types.is_fixed_size_list, pa.types.is_map)


def reader(frame: Any, name: str) -> pa.RecordBatchReader:
    """Open a frame as a stream of record batches.

    Raises
    ------
    SourceError
        Where its library cannot give it as Arrow data.
    """
    try:
        if isinstance(frame, pa.RecordBatchReader):
            return frame
        if hasattr(frame, "__arrow_c_stream__"):
            return pa.RecordBatchReader.from_stream(frame)
        if hasattr(frame, "__arrow_c_array__"):
            only = pa.record_batch(frame)
            return pa.RecordBatchReader.from_batches(only.schema, [only])
        return frame.fetch_arrow_reader(ROWS)  # a relation of an older DuckDB
    except (pa.ArrowException, TypeError, ValueError) as fault:
        what = " ".join(str(part) for part in fault.args)
        raise SourceError(name, f"this frame does not convert to Arrow: {what}") from fault


def read(frame: Any, name: str, shape: Shape, source: str, facts: Facts) -> Iterator[Batch]:
    """Read the rows of a frame, batch by batch.

    Raises
    ------
    RecordError
        For the first row that is not as declared, naming row and column.
    SourceError
        For a column that is not there, or of a type that no row of it could be read from.
    """
    stream = reader(frame, name)
    yield from records(stream, stream.schema, name, shape, source, facts)


def records(
    batches: Iterable[pa.RecordBatch],
    schema: pa.Schema,
    name: str,
    shape: Shape,
    source: str,
    facts: Facts,
    before: int = 0,
) -> Iterator[Batch]:
    """Check record batches, and give them as ours; so many rows come before them."""
    columns = {leaf.path: place(leaf, schema.names, name) for leaf in shape.leaves}
    for leaf in shape.leaves:
        if (column := columns[leaf.path]) is not None:
            _check(schema.field(column).type, leaf, column, name, shape)
    start = before + 1
    try:
        for whole in batches:
            for first in range(0, len(whole), ROWS):
                rows = whole.slice(first, ROWS)
                where = lambda row, start=start: f"{name}:row {start + row}"  # noqa: E731
                facts.records += len(rows)
                yield batch(_Rows(rows, columns), shape, source, where)
                start += len(rows)
    except (pa.ArrowException, OSError) as fault:
        raise SourceError(f"{name}:row {start}", f"cannot be read: {fault}") from fault


def objects_of(table: pa.Table) -> list[dict[str, Any]]:
    """Give the rows of a table as plain objects, without what is missing."""
    columns = {
        name: plain(table.column(place).combine_chunks()) for place, name in enumerate(table.schema.names)
    }
    rows = (dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True))
    return [{key: value for key, value in row.items() if value is not None} for row in rows]


def _check(kind: pa.DataType, leaf: Leaf, column: str, name: str, shape: Shape) -> None:
    """Refuse a column of whole numbers where text is declared: 7, 07 and 7.0 would be one id."""
    for key in () if column == leaf.spelled else leaf.path[1:]:
        if not pa.types.is_struct(kind) or kind.get_field_index(key) < 0:
            raise SourceError(name, f"no column {leaf.spelled!r}: {column!r} is {kind}")
        kind = kind.field(key).type
    whole = kind
    while pa.types.is_dictionary(kind) or any(is_list(kind) for is_list in _LISTS[:3]):
        kind = kind.value_type
    if pa.types.is_integer(kind) and leaf.is_only_text:
        what = f"{leaf.spelled}: whole numbers ({whole}), expected {describe(leaf.kind)}"
        raise SourceError(name, what, cast(shape.declared(leaf)))


class _Rows:
    """A record batch as a chunk of records."""

    def __init__(self, rows: pa.RecordBatch, columns: dict[tuple[str, ...], str | None]) -> None:
        self._rows, self._columns = rows, columns

    def __len__(self) -> int:
        return len(self._rows)

    def column(self, leaf: Leaf) -> Any:
        """Give a column that is as declared, or None."""
        array = self._array(leaf)
        if array is None:
            return absent(leaf, len(self))
        if array.null_count:
            return None
        if pa.types.is_dictionary(array.type) and leaf.is_text:
            return _coded(array)
        if _is(array.type, _NUMBERS):
            flat = numbers(_flat(array), leaf)
            if flat is not None:
                return flat
        values = self.values(leaf)
        return None if any(isinstance(value, Unreadable) for value in values) else objects(values, leaf)

    def values(self, leaf: Leaf) -> list[Any]:
        """Give the single values of a column."""
        array = self._array(leaf)
        if array is None:
            return [MISSING] * len(self)
        if _is(array.type, _STRINGS) and not leaf.is_textual:
            return [MISSING if value is None else cells.structure(value) for value in plain(array)]
        return [MISSING if value is None else value for value in plain(array)]

    def _array(self, leaf: Leaf) -> Any:
        name = self._columns[leaf.path]
        if name is None:
            return None
        array = self._rows.column(name)
        for key in () if name == leaf.spelled else leaf.path[1:]:
            array = pc.struct_field(array, key)
        return array


def _flat(array: Any) -> NDArray[Any]:
    """Give numbers or booleans of which none is missing, without a copy of the numbers.

    Arrow's own way to numpy imports pandas where it is installed, which takes longer than most files.
    """
    held = array.buffers()[1] or b""
    rows = slice(array.offset, array.offset + len(array))
    if pa.types.is_boolean(array.type):
        return np.unpackbits(np.frombuffer(held, np.uint8), bitorder="little")[rows].astype(np.bool_)
    return np.frombuffer(held, array.type.to_pandas_dtype())[rows]


def _coded(array: Any) -> Coded | None:
    """Keep a dictionary of strings as it is, unless a word of it is not as declared."""
    words = array.dictionary
    if words.null_count or not _is(words.type, _STRINGS):
        return None
    strings = plain(words)
    if any(not isinstance(word, str) or not word for word in strings):
        return None
    return Coded(_flat(array.indices), strings)


def _is(kind: pa.DataType, checks: Iterable[Any]) -> bool:
    return any(check(kind) for check in checks)


def plain(array: Any) -> list[Any]:
    """Give the values of an array as Python has them: None for what is missing.

    A member of a struct that is missing is left out, since a struct has a member for each label of any row.
    """
    kind = array.type
    if pa.types.is_dictionary(kind):
        return plain(array.dictionary_decode())
    if _is(kind, _LISTS):
        return _lists(array)
    if pa.types.is_struct(kind):
        return _structs(array)
    if pa.types.is_decimal(kind):
        return [None if value is None else float(value) for value in array.to_pylist()]
    if _is(kind, _STRINGS):
        return _strings(array)
    if pa.types.is_null(kind):
        return [None] * len(array)
    if not _is(kind, _NUMBERS):
        return [Unreadable(f"a value of the type {kind}")] * len(array)
    values: list[Any] = (
        array.to_pylist() if array.null_count else array.to_numpy(zero_copy_only=False).tolist()
    )
    return values


def _strings(array: Any) -> list[Any]:
    try:
        texts: list[Any] = array.to_pylist()
    except UnicodeDecodeError:
        return [_string(value) for value in array.cast(pa.large_binary()).to_pylist()]
    return texts


def _string(value: bytes | None) -> Any:
    try:
        return None if value is None else value.decode("utf-8")
    except UnicodeDecodeError:
        return Unreadable("not valid UTF-8")


def _lists(array: Any) -> list[Any]:
    if pa.types.is_map(array.type):
        return _maps(array)
    items = plain(array.flatten())
    lengths = pc.fill_null(pc.list_value_length(array), 0).to_pylist()
    return _without_nulls([items[a:b] for a, b in pairwise(accumulate(lengths, initial=0))], array)


def _maps(array: Any) -> list[Any]:
    ends = array.offsets.to_pylist()
    first, size = ends[0], ends[-1] - ends[0]
    keys, items = plain(array.keys.slice(first, size)), plain(array.items.slice(first, size))
    spans = pairwise(end - first for end in ends)
    return _without_nulls([_mapping(keys[a:b], items[a:b]) for a, b in spans], array)


def _mapping(keys: list[Any], items: list[Any]) -> Any:
    made = dict(zip(keys, items, strict=True))
    return made if len(made) == len(keys) else Unreadable("a key occurs more than once")


def _structs(array: Any) -> list[Any]:
    names = [field.name for field in array.type]
    if len(set(names)) != len(names):
        return [Unreadable("a key occurs more than once")] * len(array)
    members = [plain(pc.struct_field(array, name)) for name in names]
    made: list[Any] = [dict(zip(names, row, strict=True)) for row in zip(*members, strict=True)] or [
        {}
    ] * len(array)
    if any(pc.struct_field(array, name).null_count for name in names):
        made = [{name: value for name, value in row.items() if value is not None} for row in made]
    return _without_nulls(made, array)


def _without_nulls(made: list[Any], array: Any) -> list[Any]:
    if not array.null_count:
        return made
    return [value if valid else None for value, valid in zip(made, array.is_valid().to_pylist(), strict=True)]
