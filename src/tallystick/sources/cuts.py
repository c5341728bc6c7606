"""Files cut into parts that are read apart, by any process and in any order.

JSON Lines are cut at bytes, and a part is the lines that start within it. Parquet is cut into its row groups.
Whatever else there is, compressed files too, is one part.
"""

import os
from collections.abc import Iterator
from functools import cache
from typing import Any, Literal

from msgspec import Struct

from ..errors import SourceError
from . import distinct, formats, jsonl, read
from .batch import Batch
from .facts import Facts
from .shape import Shape
from .streams import needed, opened, packing, too_large

BYTES = 8_000_000
"""Bytes that are looked at at once where lines are only counted or passed by."""

_PEEKED = 65_536


class Part(Struct, frozen=True):
    """A part of a file: all of it, lines that start from one byte to another, or one of its row groups."""

    input: str
    path: str
    kind: Literal["whole", "lines", "group"] = "whole"
    start: int = 0
    stop: int = 0
    before: int = 0
    """Rows of the file that come before it, where that is known."""
    size: int = 0
    """Bytes that it takes of the file, more or less."""


class Stamp(Struct, frozen=True):
    """What a file was when it was cut; its parts would not fit together if it changed meanwhile."""

    path: str
    size: int
    changed: int

    def check(self) -> None:
        """Refuse the file if it is not what it was.

        Raises
        ------
        SourceError
            Where its size or its time of change differ.
        """
        if stamp(self.path) != self:
            raise SourceError(self.path, "changed while it was read")


def stamp(path: str) -> Stamp:
    """Say what a local file is now."""
    try:
        found = os.stat(path)
    except OSError as fault:
        raise SourceError(path, f"cannot be read: {fault.strerror}") from fault
    return Stamp(path, found.st_size, found.st_mtime_ns)


def cut(name: str, path: str, each: int, max_bytes: int | None, input_format: str | None) -> list[Part]:
    """Cut a local file of the input called `name`, JSON Lines into parts of `each` bytes.

    Raises
    ------
    SourceError
        Where it cannot be read, or has more bytes than it may have.
    """
    with opened(path) as file:
        first = file.read(_PEEKED)
    size = os.path.getsize(path)
    whole = Part(name, path, size=size)
    if packing(first, path):
        return [whole]
    if max_bytes is not None and size > max_bytes:
        raise too_large(path, max_bytes)
    kind = input_format or formats.of_name(path) or formats.of_bytes(first)
    parts: list[Part] = []
    if kind == "jsonl":
        ends = ((start, min(start + each, size)) for start in range(0, size, each))
        parts = [Part(name, path, "lines", start, stop, size=stop - start) for start, stop in ends]
    elif kind == "parquet":
        parts = _groups(name, path, size)
    return parts or [whole]


def _groups(name: str, path: str, size: int) -> list[Part]:
    needed("pyarrow", "arrow", "read Parquet")
    from . import parquet  # noqa: PLC0415  only where there is such a file

    parts, before, groups = [], 0, parquet.groups(path)
    for number, rows in enumerate(groups):
        parts.append(Part(name, path, "group", number, number + 1, before, size // len(groups)))
        before += rows
    return parts


def batches(
    part: Part, shape: Shape, max_bytes: int | None, input_format: str | None
) -> tuple[Facts, Iterator[Batch]]:
    """Read a part; the facts are those of the part, and complete once its batches are all read."""
    if part.kind == "whole":
        return read(part.path, shape, part.input, max_bytes, input_format)
    facts = Facts(part.input, part.path)
    return facts, (_lines if part.kind == "lines" else _group)(part, shape, facts)


def _lines(part: Part, shape: Shape, facts: Facts) -> Iterator[Batch]:
    with opened(part.path) as file:
        lines = _Lines(file, part.start, part.stop)
        before = cache(lambda: _newlines(part.path, lines.first)) if part.start else None
        yield from distinct(jsonl.read(lines, part.path, shape, part.input, facts, before), shape)


def _group(part: Part, shape: Shape, facts: Facts) -> Iterator[Batch]:
    from . import parquet  # noqa: PLC0415  likewise

    group, before = part.start, part.before
    yield from distinct(parquet.read(part.path, part.path, shape, part.input, facts, group, before), shape)


class _Lines:
    """The lines of a file that start within some bytes of it, as a stream."""

    def __init__(self, file: Any, start: int, stop: int) -> None:
        self._file, self._stop = file, stop
        if start:
            file.seek(start - 1)
            while (passed := file.readline(BYTES)) and not passed.endswith(b"\n") and file.tell() < stop:
                pass
        self.first = self._at = file.tell() if start else 0

    def read(self, size: int, /) -> bytes:
        """Give the next bytes; the last of them end a line, and are so many more than were asked for."""
        if self._at >= self._stop:
            return b""
        data: bytes = self._file.read(min(size, self._stop - self._at))
        self._at += len(data)
        if self._at >= self._stop and not data.endswith(b"\n"):
            data += self._file.readline()
        return data


def _newlines(path: str, size: int) -> int:
    """Count the lines that end in the first bytes of a file."""
    count = 0
    with opened(path) as file:
        while size and (data := file.read(min(size, BYTES))):
            count += data.count(b"\n")
            size -= len(data)
    return count
