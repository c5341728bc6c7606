"""Files, frames and Python objects to batches of typed records: one door, whatever the format."""

import glob
import io
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from ..errors import SourceError, UsageError
from ..fields import is_distinct, repeated
from . import formats, jsonl, mappings
from .batch import Batch
from .facts import Facts, Watch
from .shape import Shape, Slice
from .streams import Tape, Unpacked, is_remote, needed, opened, packing, too_large

__all__ = [
    "Batch",
    "Facts",
    "Shape",
    "Slice",
    "Source",
    "Watch",
    "distinct",
    "found",
    "is_remote",
    "listed",
    "read",
    "size",
]

Source: TypeAlias = str | os.PathLike[str] | Iterable[Any]
"""A path or glob, ``-`` for standard input, a frame, columns by name, or an iterable of mappings."""


def listed(given: Source | Iterable[Source]) -> list[Source]:
    """Give the sources of one input as a list: files, frames, or records.

    Raises
    ------
    SourceError
        Where a glob matches no file.
    UsageError
        For what is no source.
    """
    if isinstance(given, str | os.PathLike):
        return [*found(given)]
    if isinstance(given, list | tuple) and given:
        if all(isinstance(one, str | os.PathLike) for one in given):
            return [path for one in given for path in found(one)]
        if all(map(_is_frame, given)):
            return list(given)
    if _is_frame(given) or (hasattr(given, "__iter__") and not isinstance(given, bytes)):
        return [given]
    raise UsageError(
        "source", f"expected a path, a frame or an iterable of mappings, got {type(given).__name__}"
    )


def found(path: str | os.PathLike[str]) -> list[str]:
    """Find the files that a path names: itself, or where it is a glob, what matches, in order of name.

    Raises
    ------
    SourceError
        Where nothing matches.
    """
    text = os.fspath(path)
    if is_remote(text):
        matches = _remote_files(text) if "*" in text else [text]
    elif not glob.has_magic(text) or os.path.exists(text):
        return [text]
    else:
        matches = sorted(one for one in glob.glob(text, recursive=True) if not os.path.isdir(one))
    if not matches:
        raise SourceError(text, "no such file, and as a glob it matches none")
    return matches


def size(paths: Iterable[str]) -> int | None:
    """Give the bytes that files hold as they are stored; None where one of them is no local file."""
    listed = list(paths)
    return sum(map(os.path.getsize, listed)) if all(map(os.path.isfile, listed)) else None


def _remote_files(pattern: str) -> list[str]:
    needed("pyarrow", "arrow", f"read {pattern}")
    from .parquet import remote_files

    return remote_files(pattern)


def read(
    source: Source, shape: Shape, name: str, max_bytes: int | None = None, input_format: str | None = None
) -> tuple[Facts, Iterator[Batch]]:
    """Open one source of the input called `name`.

    Parameters
    ----------
    source
        What to read.
    shape
        What to read of each record.
    name
        The audit's name of the input.
    max_bytes
        Refuse a file that is larger, when it is unpacked if it is compressed.
    input_format
        The format of a file, whatever it is called.

    Returns
    -------
    The facts about it, complete once its batches are all read, and its batches.
    """
    if not isinstance(source, str | os.PathLike):
        facts = Facts(name, name)
        return facts, distinct(_held(source, name, shape, facts), shape)
    path = os.fspath(source)
    facts = Facts(name, "<stdin>" if path == "-" else path)
    return facts, distinct(_file(path, facts, shape, name, max_bytes, input_format), shape)


def distinct(batches: Iterator[Batch], shape: Shape) -> Iterator[Batch]:
    """Refuse a record with an array in which something occurs twice that must not."""
    fields = [field for field, leaf in shape.fields.items() if is_distinct(leaf.kind)]
    for batch in batches:
        for field in fields:
            column = getattr(batch, field)
            if _all_differ(column):
                continue
            for row, value in enumerate(column):
                if what := repeated(value):
                    raise batch.fault(row, field, what)
        yield batch


def _all_differ(column: Sequence[Any]) -> bool:
    """Whether it is plain that nothing occurs twice within a value."""
    try:
        return sum(map(len, map(set, column))) == sum(map(len, column))
    except TypeError:
        return False


def _is_frame(held: Any) -> bool:
    """Whether an object gives Arrow data: a frame of pandas, polars, pyarrow, DuckDB, ..."""
    return any(
        hasattr(held, way) for way in ("__arrow_c_stream__", "__arrow_c_array__", "fetch_arrow_reader")
    )


def _held(source: Any, name: str, shape: Shape, facts: Facts) -> Iterator[Batch]:
    """Read what is in memory already."""
    if _is_frame(source):
        needed("pyarrow", "arrow", f"read a {type(source).__name__}")
        from . import frames

        return frames.read(source, name, shape, name, facts)
    if isinstance(source, Mapping):
        from . import arrays

        return arrays.read(source, name, shape, name, facts)
    return mappings.read(source, name, shape, name, facts)


def _file(
    path: str, facts: Facts, shape: Shape, name: str, max_bytes: int | None, given: str | None
) -> Iterator[Batch]:
    """Read a file as its format demands."""
    with opened(path) as stream:
        tape = Tape(stream, facts)
        packed = packing(tape.peek(), path)
        text = Unpacked(tape, packed, facts.name) if packed else tape
        text.limit = max_bytes
        local = not is_remote(path) and Path(path).is_file()
        if max_bytes is not None and local and not packed and Path(path).stat().st_size > max_bytes:
            raise too_large(path, max_bytes)
        kind = given or formats.of_name(path) or formats.of_bytes(text.peek())
        if kind in formats.TEXTS:
            yield from _text(kind, text, facts, shape, name)
            tape.drain()
            return
        if packed:
            raise SourceError(
                path, f"{kind} inside {packed} is not read", "unpack it: it is compressed inside"
            )
        needed("pyarrow", "arrow", f"read {kind.title()}")
        from . import parquet

        reader = parquet.read if kind == "parquet" else parquet.read_arrow
        if local:
            from concurrent.futures import ThreadPoolExecutor

            with ThreadPoolExecutor(1) as aside:
                digested = aside.submit(tape.drain)
                yield from reader(path, facts.name, shape, name, facts)
                digested.result()
        else:
            yield from reader(anywhere(stream, tape, path), facts.name, shape, name, facts)


def anywhere(stream: Any, tape: Tape, path: str) -> Any:
    """Make a file that can be read anywhere of one that is passed once, after its digest is taken."""
    if is_remote(path):
        tape.drain()
        stream.seek(0)
        return stream
    return io.BytesIO(b"".join(tape.pieces()))


def _text(kind: str, text: Tape | Unpacked, facts: Facts, shape: Shape, name: str) -> Iterator[Batch]:
    if kind == "jsonl":
        return jsonl.read(text, facts.name, shape, name, facts)
    if kind == "json":
        from . import json_array

        return json_array.read(text, facts.name, shape, name, facts)
    from . import delimited

    return delimited.read(text, facts.name, shape, name, facts, "," if kind == "csv" else "\t")
