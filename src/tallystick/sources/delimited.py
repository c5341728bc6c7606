"""CSV and TSV as RFC 4180 has them: a header, quotes around cells that need them, one record a row.

Cells are typed by what the audit declares (`cells`). Rows end in LF or CRLF; a quoted cell may hold both,
and errors name the line of the file at which a record begins. Empty lines are skipped and counted.
"""

import re
from collections.abc import Iterator
from itertools import islice
from typing import Any

from ..errors import RecordError, SourceError
from . import cells
from .batch import Batch
from .columns import MISSING, ROWS, absent, batch, place
from .facts import Facts
from .shape import Leaf, Shape
from .streams import Bytes

PIECE = 1_000_000
"""Bytes that are read and cut into lines at a time."""

Row = tuple[int, list[str]]
"""The line of the file at which a record begins, and its cells."""


def read(
    stream: Bytes, name: str, shape: Shape, source: str, facts: Facts, delimiter: str = ","
) -> Iterator[Batch]:
    """Read the records of one file, batch by batch.

    Raises
    ------
    RecordError
        For the first row that is not a record, naming file, line and column.
    SourceError
        For a header that lacks a column that is needed, or names it twice.
    """
    found = rows(stream, name, facts, delimiter)
    first = next(found, None)
    if first is None:
        return
    line, header = first
    if twice := next((text for text in header if header.count(text) > 1), None):
        raise SourceError(f"{name}:{line}", f"two columns are called {twice!r}")
    names = {leaf.path: _place(leaf, header, f"{name}:{line}") for leaf in shape.leaves}
    while chunk := list(islice(found, ROWS)):
        facts.records += len(chunk)
        lines = [line for line, _ in chunk]
        for line, texts in chunk:
            if len(texts) != len(header):
                raise RecordError(f"{name}:{line}", f"{_cells(len(texts))}, but the header has {len(header)}")
        columns = dict(zip(header, map(list, zip(*(texts for _, texts in chunk), strict=True)), strict=True))
        where = lambda row, lines=lines: f"{name}:{lines[row]}"  # noqa: E731
        yield batch(_Rows(columns, len(chunk), names), shape, source, where)


def _place(leaf: Leaf, header: list[str], where: str) -> str | None:
    try:
        return place(leaf, header, where)
    except SourceError as fault:
        if len(header) == 1 and (other := re.search(r"[;\t|,]", header[0])):
            hint = f"is it separated by {other[0]!r}? commas, or tabs with --input-format tsv, are read"
            raise SourceError(where, fault.what, hint) from None
        raise


def _cells(count: int) -> str:
    return "1 cell" if count == 1 else f"{count} cells"


class _Rows:
    """Rows of cells as a chunk of records."""

    def __init__(
        self, columns: dict[str, list[str]], size: int, names: dict[tuple[str, ...], str | None]
    ) -> None:
        self._columns, self._size, self._names = columns, size, names

    def __len__(self) -> int:
        return self._size

    def column(self, leaf: Leaf) -> Any:
        """Give a column that is as declared, or None."""
        name = self._names[leaf.path]
        if name is None:
            return absent(leaf, self._size)
        return cells.column(self._columns[name], leaf) if name == leaf.spelled else None

    def values(self, leaf: Leaf) -> list[Any]:
        """Give the single values of a column."""
        name = self._names[leaf.path]
        if name is None:
            return [MISSING] * self._size
        read = cells.values if name == leaf.spelled else cells.within
        return read(self._columns[name], leaf)


def rows(stream: Bytes, name: str, facts: Facts, delimiter: str) -> Iterator[Row]:
    """Cut a stream into rows of cells, each with the number of its line; the first is the header."""
    cell = _cell(delimiter)
    lines = _lines(stream, name)
    for number, line in lines:
        if '"' not in line:
            text = line.removesuffix("\r")
            if "\r" in text:
                raise RecordError(
                    f"{name}:{number}", "a carriage return outside quotes: end lines in LF or CRLF"
                )
            if text:
                yield number, text.split(delimiter)
            else:
                facts.blank_lines += 1
            continue
        whole = [line]
        open_ = line.count('"') % 2
        while open_:
            following = next(lines, None)
            if following is None:
                raise RecordError(f"{name}:{number}", "a quoted cell does not end")
            whole.append(following[1])
            open_ ^= following[1].count('"') % 2
        yield number, _quoted("\n".join(whole).removesuffix("\r"), cell, f"{name}:{number}")


def _cell(delimiter: str) -> re.Pattern[str]:
    return re.compile(rf'(?:"([^"]*(?:""[^"]*)*)"|([^"{delimiter}\r\n]*))({delimiter}|\Z)')


def _quoted(text: str, cell: re.Pattern[str], where: str) -> list[str]:
    """Cut a row in which there are quotes."""
    found: list[str] = []
    end = 0
    while match := cell.match(text, end):
        quoted, bare, after = match.groups()
        found.append(bare if quoted is None else quoted.replace('""', '"'))
        if not after:
            return found
        end = match.end()
    what = f"cell {len(found) + 1}: a quote inside a cell: put the cell in quotes, and double those inside it"
    raise RecordError(where, what)


def _lines(stream: Bytes, name: str) -> Iterator[tuple[int, str]]:
    """Give the lines of a stream of UTF-8 with their numbers, without the LF that ends each."""
    number = 1
    carried: list[bytes] = []
    while chunk := stream.read(PIECE):
        cut = chunk.rfind(b"\n") + 1
        if not cut:
            carried.append(chunk)
            continue
        text = _text(b"".join([*carried, chunk[: cut - 1]]), name, number)
        for line in text.split("\n"):
            yield number, line
            number += 1
        carried = [chunk[cut:]] if cut < len(chunk) else []
    if carried:
        yield number, _text(b"".join(carried), name, number)


def _text(piece: bytes, name: str, number: int) -> str:
    """Decode whole lines, of which the first has the number given; a byte order mark may open the first."""
    if number == 1:
        if piece.startswith((b"\xff\xfe", b"\xfe\xff")) or b"\0" in piece[:4]:
            raise SourceError(f"{name}:1", "this is UTF-16 or UTF-32: save as UTF-8")
        piece = piece.removeprefix(b"\xef\xbb\xbf")
    try:
        return piece.decode("utf-8")
    except UnicodeDecodeError as fault:
        line = number + piece.count(b"\n", 0, fault.start)
        place = fault.start - piece.rfind(b"\n", 0, fault.start)
        what = f"not valid UTF-8 (byte 0x{piece[fault.start]:02x} at position {place})"
        raise RecordError(f"{name}:{line}", what) from None
