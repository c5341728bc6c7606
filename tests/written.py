"""Write the same records in every format, or hold them in every kind of frame."""

import csv
import gzip
import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeAlias

import pytest

Rows: TypeAlias = list[dict[str, Any]]
Writer: TypeAlias = Callable[[Rows, Path], Any]


def keys(rows: Rows) -> list[str]:
    """Give the fields that any record has."""
    return list(dict.fromkeys(key for row in rows for key in row))


def cell(value: Any, *, mixed: bool) -> str:
    """Spell a value as a cell of CSV: text as it is, nothing for what is absent, else JSON.

    In a column that holds more than texts, a text that would read as something else is spelled as JSON.
    """
    if value is None:
        return ""
    if isinstance(value, str) and not (mixed and value in ("true", "false", "10", "1", "01")):
        return value
    return json.dumps(value, ensure_ascii=False)


def cells(column: list[Any], *, mixed: bool) -> list[str]:
    """Spell a column, which is mixed at least where it holds more than texts."""
    mixed = mixed or not all(value is None or isinstance(value, str) for value in column)
    return [cell(value, mixed=mixed) for value in column]


def _jsonl(rows: Rows, path: Path) -> Path:
    path = path.with_suffix(".jsonl")
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def _gzip(rows: Rows, path: Path) -> Path:
    """Compress each half to a member of its own."""
    lines = _jsonl(rows, path).read_bytes().splitlines(keepends=True)
    half = len(lines) // 2
    members = [gzip.compress(b"".join(part)) for part in (lines[:half], lines[half:])]
    packed = path.with_suffix(".jsonl.gz")
    packed.write_bytes(b"".join(members))
    return packed


def _json(rows: Rows, path: Path) -> Path:
    path = path.with_suffix(".json")
    path.write_text(json.dumps(rows, indent=1 if len(rows) % 2 else None), encoding="utf-8")
    return path


def _delimited(delimiter: str, suffix: str, end: str) -> Writer:
    def write(rows: Rows, path: Path) -> Path:
        path = path.with_suffix(suffix)
        with path.open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file, delimiter=delimiter, lineterminator=end)
            writer.writerow(keys(rows))
            held = _columns(rows, path)
            # The gold of a flat question is a text, a level or a boolean, whatever these records hold.
            spelled = [cells(held[key], mixed=key == "gold" and "question" in held) for key in held]
            writer.writerows(zip(*spelled, strict=True))
        return path

    return write


def table(rows: Rows) -> Any:
    """Make an Arrow table; records whose values have no common type are not one."""
    pa = pytest.importorskip("pyarrow")
    return pa.table({key: _mapped(column) for key, column in _columns(rows, None).items()})


def _mapped(column: list[Any]) -> Any:
    """Make every second column of objects one of maps, and let the others be structs."""
    pa = pytest.importorskip("pyarrow")
    objects = [value for value in column if value is not None]
    kinds = {type(item) for value in objects if isinstance(value, Mapping) for item in value.values()}
    if len(objects) % 2 and len(kinds) == 1 and all(isinstance(value, Mapping) for value in objects):
        inner = pa.array([item for value in objects for item in value.values()])
        pairs = [None if value is None else list(value.items()) for value in column]
        return pa.array(pairs, pa.map_(pa.string(), inner.type))
    if not _in_one_order(objects):
        raise ValueError("a struct has one order of its members for all rows")
    return pa.array(column)


def _in_one_order(values: list[Any]) -> bool:
    """Whether the keys of objects, at any depth, stand in one order."""
    rows = [value for value in values if isinstance(value, dict)]
    order = keys(rows)
    return all([key for key in order if key in row] == list(row) for row in rows) and all(
        _in_one_order([row[key] for row in rows if key in row]) for key in order
    )


def _parquet(rows: Rows, path: Path) -> Path:
    path = path.with_suffix(".parquet")
    pytest.importorskip("pyarrow.parquet").write_table(table(rows), path, row_group_size=5)
    return path


def _arrow(rows: Rows, path: Path) -> Path:
    pa, made = pytest.importorskip("pyarrow"), table(rows)
    path = path.with_suffix(".arrow")
    new = pa.ipc.new_file if len(rows) % 2 else pa.ipc.new_stream
    with pa.OSFile(str(path), "wb") as file, new(file, made.schema) as writer:
        writer.write_table(made, max_chunksize=3)
    return path


def _columns(rows: Rows, _path: Path | None) -> Any:
    return {key: [row.get(key) for row in rows] for key in keys(rows)}


def _pandas(rows: Rows, _path: Path) -> Any:
    table(rows)  # refuses what has no common types, as pandas would only when asked for its Arrow data
    columns = _columns(rows, _path)
    for column in columns.values():
        if any(value is None for value in column) and any(type(value) is int for value in column):
            raise ValueError("pandas makes floats of whole numbers beside what is missing")
    return pytest.importorskip("pandas").DataFrame(columns)


def _polars(rows: Rows, _path: Path) -> Any:
    return pytest.importorskip("polars").from_arrow(
        pytest.importorskip("pyarrow").table(_columns(rows, _path))
    )


TEXTS: dict[str, Writer] = {
    "jsonl": _jsonl,
    "jsonl.gz": _gzip,
    "json": _json,
    "csv": _delimited(",", ".csv", "\r\n"),
    "tsv": _delimited("\t", ".tsv", "\n"),
    "columns": _columns,
}
"""Formats that need no other library."""

ARROW: dict[str, Writer] = {"parquet": _parquet, "arrow": _arrow, "pandas": _pandas, "polars": _polars}
"""Formats and frames that are read through Arrow."""
