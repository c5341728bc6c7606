"""JSON Lines: UTF-8, one object a line, read strictly and in bounded memory."""

from collections.abc import Callable, Iterator
from typing import Any, NoReturn

import msgspec

from ..errors import RecordError, SourceError
from . import faults, strict
from .batch import Batch, Refused
from .facts import Facts
from .shape import Shape
from .streams import Bytes

PIECE = 250_000
"""Bytes that are read, decoded and counted at a time: few enough for a processor's cache, and for memory
that is taken once and used again, where that of much larger pieces would be given back each time."""

_BOM = b"\xef\xbb\xbf"


Places = Callable[[int], str]
"""Gives the place of a line, by how many lines of a stream come before it: ``file:12``."""


def read(
    stream: Bytes, name: str, shape: Shape, source: str, facts: Facts, before: Callable[[], int] | None = None
) -> Iterator[Batch]:
    """Read the records of one stream, batch by batch.

    Parameters
    ----------
    stream
        Bytes of JSON Lines.
    name
        How errors name it.
    shape
        What to read of each record.
    source
        The audit's name of the input that it belongs to.
    facts
        Filled while reading: how many records and blank lines there are.
    before
        Where the stream is a part of a file: counts the lines before it. Asked only where a line is named.

    Raises
    ------
    RecordError
        For the first line that is not a record, naming file, line and field.
    SourceError
        For a stream that is not UTF-8 text at all.
    """
    decoder = msgspec.json.Decoder(shape.struct)
    passed = 0
    for raw in _pieces(stream):
        piece = _unix(opening(raw, name) if passed == 0 and before is None else raw)
        place = _places(name, passed, before)
        refused: list[Refused] = []
        try:
            rows, lines = _decoded(piece, place, shape, decoder)
        except RecordError:
            if not shape.gathers:
                raise
            piece, refused = _sifted(piece, place, shape)
            rows, lines = _decoded(piece, place, shape, decoder)
        facts.records += len(rows) + len(refused)
        facts.blank_lines += lines - len(rows) - len(refused)
        if rows or refused:
            yield _batch(rows, piece, lines, place, shape, source, refused)
        passed += lines


def _places(name: str, passed: int, before: Callable[[], int] | None) -> Places:
    """Make the function that names the lines of a piece, counted from 0."""
    if before is None:
        return lambda line: f"{name}:{passed + line + 1}"
    return lambda line: f"{name}:{before() + passed + line + 1}"


def _decoded(
    piece: bytes, place: Places, shape: Shape, decoder: msgspec.json.Decoder[Any]
) -> tuple[list[Any], int]:
    """Decode the records of a piece and count its lines, and raise for the first line that is no record."""
    try:
        rows: list[Any] = decoder.decode_lines(piece)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        _refuse(piece, place, shape)
    if not _is_utf8(piece):
        _refuse(piece, place, shape)
    lines, suspects = strict.prove(piece, len(rows), shape.keys)
    if suspects is None or suspects:
        _look(piece, place, shape, suspects)
    return rows, lines


def _sifted(piece: bytes, place: Places, shape: Shape) -> tuple[bytes, list[Refused]]:
    """Blank out the lines of a piece that are at fault, and say what is wrong with each."""
    lines = piece.split(b"\n")
    refused = []
    for number, text in enumerate(lines):
        if text.strip(b" \t\r") and (fault := faults.find(text, shape)):
            refused.append(Refused(place(number), fault.field or "", str(fault)))
            lines[number] = b""
    return b"\n".join(lines), refused


def _batch(
    rows: list[Any],
    piece: bytes,
    lines: int,
    place: Places,
    shape: Shape,
    source: str,
    refused: list[Refused],
) -> Batch:
    where = _rows(piece, lines, len(rows), place)
    columns, slices = shape.columns(rows), shape.slice_columns(rows)
    return Batch(
        columns,
        len(rows),
        source=source,
        slices=slices,
        where=where,
        spelled=shape.spelled,
        refused=refused,
    )


def _rows(piece: bytes, lines: int, records: int, place: Places) -> Callable[[int], str]:
    """Make the function that names a record's line, without holding on to the piece."""
    if lines == records:
        return place
    numbers = [number for number, text in enumerate(piece.split(b"\n")) if text.strip()]
    return lambda row: place(numbers[row])


def _pieces(stream: Bytes) -> Iterator[bytes]:
    """Cut a stream at newlines into pieces of about as many bytes."""
    carried: list[bytes] = []
    while chunk := stream.read(PIECE):
        cut = chunk.rfind(b"\n") + 1
        if cut:
            yield b"".join([*carried, chunk[:cut]])
            carried.clear()
        if cut < len(chunk):
            carried.append(chunk[cut:])
    if carried:
        yield b"".join(carried)


def opening(piece: bytes, name: str) -> bytes:
    """Drop a byte order mark from the start of a file, and refuse what is not text in UTF-8."""
    if piece.startswith((b"\xff\xfe", b"\xfe\xff")) or b"\0" in piece[:4]:
        raise SourceError(f"{name}:1", "this is UTF-16 or UTF-32: save as UTF-8")
    return piece.removeprefix(_BOM)


def _unix(piece: bytes) -> bytes:
    return piece.replace(b"\r\n", b"\n") if b"\r" in piece else piece


def _is_utf8(piece: bytes) -> bool:
    """Whether all bytes are UTF-8; msgspec looks only at the strings that it decodes."""
    if piece.isascii():
        return True
    try:
        piece.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def _refuse(piece: bytes, place: Places, shape: Shape) -> NoReturn:
    """Raise the error for the first line of a piece that is at fault."""
    _look(piece, place, shape, None)
    decoder = msgspec.json.Decoder(shape.struct)
    for number, text in enumerate(piece.split(b"\n")):
        try:
            decoder.decode_lines(text)
        except (msgspec.MsgspecError, UnicodeError, RecursionError) as refused:
            raise RecordError(place(number), f"not a record: {refused}") from refused
    raise AssertionError("a piece was refused, and none of its lines")


def _look(piece: bytes, place: Places, shape: Shape, suspects: list[int] | None) -> None:
    """Look at the suspected lines one by one, or at all, and raise for the first that is at fault."""
    lines = piece.split(b"\n")
    for number in range(len(lines)) if suspects is None else suspects:
        if lines[number].strip(b" \t\r") and (fault := faults.find(lines[number], shape)):
            raise RecordError(place(number), str(fault))
