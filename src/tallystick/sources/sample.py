"""The first records of a file, for those who want to know what it is before they read it."""

import csv
import io
import json
import os
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

import msgspec
from msgspec import Struct

from ..errors import SourceError
from . import anywhere, delimited, distinct, formats, json_array, jsonl
from .batch import Batch
from .facts import Facts
from .shape import Shape
from .streams import PIECE, Tape, Unpacked, needed, opened, packing

ROWS = 100
"""Records that are looked at."""


class Sample(Struct, frozen=True):
    """The first records of a file."""

    path: str
    format: str
    packed: str | None
    """How it is compressed: gzip, zstd or not."""
    rows: list[dict[str, Any]]
    """As plain objects; the cells of CSV and TSV are strings."""
    reader: Callable[[Shape], Iterator[Batch]]

    def read(self, shape: Shape) -> Iterator[Batch]:
        """Read the records as an audit would."""
        return distinct(self.reader(shape), shape)


def sample(path: str, input_format: str | None = None, count: int = ROWS) -> Sample:
    """Take the first records of a file of any format.

    Raises
    ------
    TallystickError
        Where the file cannot be read, holds no records, or holds no objects.
    """
    with opened(path) as stream:
        facts = Facts("records", path)
        tape = Tape(stream, facts)
        packed = packing(tape.peek(), path)
        text = Unpacked(tape, packed, path) if packed else tape
        kind = input_format or formats.of_name(path) or formats.of_bytes(text.peek())
        if kind in ("csv", "tsv"):
            rows, reader = _cells(text, path, facts, "," if kind == "csv" else "\t", count)
        elif kind in formats.TEXTS:
            rows, reader = _objects(text, kind, path, count)
        else:
            rows, reader = _columns(path, kind, stream, tape, count)
    if not rows:
        raise SourceError(path, "no records")
    return Sample(path, kind, packed, rows, reader)


def _cells(text: Tape | Unpacked, path: str, facts: Facts, delimiter: str, count: int) -> Any:
    found = [cells for _, cells in islice(delimited.rows(text, path, facts, delimiter), count + 1)]
    written = io.StringIO()
    csv.writer(written, lineterminator="\n", quoting=csv.QUOTE_ALL).writerows(found)
    data = written.getvalue().encode("utf-8")

    def reader(shape: Shape) -> Iterator[Batch]:
        return delimited.read(io.BytesIO(data), path, shape, "records", Facts("records", path))

    return [dict(zip(found[0], cells, strict=False)) for cells in found[1:]], reader


def _objects(text: Tape | Unpacked, kind: str, path: str, count: int) -> Any:
    if kind == "json":
        whole = jsonl.opening(b"".join(text.pieces()), path)
        try:
            elements = msgspec.json.decode(whole, type=list[msgspec.Raw])[:count]
        except (msgspec.MsgspecError, RecursionError) as fault:
            raise SourceError(path, f"is not a JSON array: {fault}") from fault
        lines = [json_array.on_one_line(bytes(element)) for element in elements]
    else:
        lines = list(islice(_lines(text, path), count))
    try:
        rows = [json.loads(line) for line in lines]
    except (ValueError, RecursionError) as fault:
        raise SourceError(path, f"is not JSON Lines: {fault}") from fault
    if not all(isinstance(row, dict) for row in rows):
        raise SourceError(path, "not every record is an object")
    data = b"\n".join(lines)

    def reader(shape: Shape) -> Iterator[Batch]:
        return jsonl.read(io.BytesIO(data), path, shape, "records", Facts("records", path))

    return rows, reader


def _lines(text: Tape | Unpacked, path: str) -> Iterator[bytes]:
    """Give the lines of a text that are not blank, reading no more than is asked for."""
    carried = b""
    pieces = iter(lambda: text.read(PIECE), b"")
    for number, piece in enumerate(pieces):
        whole = carried + (piece if number else jsonl.opening(piece, path))
        *lines, carried = whole.split(b"\n")
        yield from (line for line in lines if line.strip())
    if carried.strip():
        yield carried


def _columns(path: str, kind: str, stream: Any, tape: Tape, count: int) -> Any:
    needed("pyarrow", "arrow", f"read {kind.title()}")
    from . import frames, parquet

    file = path if os.path.isfile(path) else anywhere(stream, tape, path)
    table = parquet.first_rows(file, kind, path, count)

    def reader(shape: Shape) -> Iterator[Batch]:
        return frames.read(table, path, shape, "records", Facts("records", path))

    return frames.objects_of(table), reader
