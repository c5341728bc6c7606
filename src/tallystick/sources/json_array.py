"""A JSON array of objects: the records of one document, which is held in memory whole.

Each element meets the checks of a line of JSON Lines. JSON Lines streams; an array is for small files.
"""

import io
import json
import re
from collections.abc import Callable, Iterator
from typing import NoReturn

import msgspec
import numpy as np

from ..errors import RecordError
from . import faults, jsonl
from .batch import Batch, Refused
from .facts import Facts
from .shape import Shape
from .streams import Bytes

_GAP = re.compile(rb"[ \t\r\n,]*")
_SPACE = re.compile(r"[ \t\r\n]*")
_BREAKS = bytes.maketrans(b"\r\n", b"\t\t")
"""A tab is white space between values, as the end of a line is, and like it illegal inside a string."""


def read(stream: Bytes, name: str, shape: Shape, source: str, facts: Facts) -> Iterator[Batch]:
    """Read the elements of an array, batch by batch.

    Raises
    ------
    RecordError
        For the first element that is not a record, naming file, line and field.
    """
    whole = jsonl.opening(b"".join(iter(lambda: stream.read(jsonl.PIECE), b"")), name)
    try:
        elements = [bytes(raw) for raw in msgspec.json.decode(whole, type=list[msgspec.Raw])]
    except (msgspec.MsgspecError, RecursionError):
        _refuse(whole, name, shape)
    lines = _lines(whole, elements)

    def where(numbered: str) -> str:
        return f"{name}:{lines[int(numbered.removeprefix(':')) - 1]}"

    one_a_line = io.BytesIO(b"\n".join(map(on_one_line, elements)))
    try:
        for batch in jsonl.read(one_a_line, "", shape, source, facts):
            batch.where = _through(where, batch.where)
            batch.refused = [Refused(where(one.place), one.field, one.what) for one in batch.refused]
            yield batch
    except RecordError as fault:
        raise RecordError(where(fault.where), fault.what, fault.hint) from fault


def on_one_line(element: bytes) -> bytes:
    """Put an element on one line, without making it any better than it is."""
    return element.translate(_BREAKS)


def _through(where: Callable[[str], str], numbered: Callable[[int], str]) -> Callable[[int], str]:
    return lambda row: where(numbered(row))


def _lines(whole: bytes, elements: list[bytes]) -> list[int]:
    """Give the line on which each element begins."""
    starts, place = [], whole.index(b"[") + 1
    for element in elements:
        gap = _GAP.match(whole, place)
        place = gap.end() if gap else place
        starts.append(place)
        place += len(element)
    ends = np.flatnonzero(np.frombuffer(whole, np.uint8) == ord("\n"))
    found: list[int] = (np.searchsorted(ends, starts) + 1).tolist()
    return found


def _refuse(whole: bytes, name: str, shape: Shape) -> NoReturn:
    """Raise the error for the first place at which a document is no array of records."""

    def refuse(place: int, what: str) -> NoReturn:
        raise RecordError(f"{name}:{1 + text.count(chr(10), 0, place)}", what)

    try:
        text = whole.decode("utf-8")
    except UnicodeDecodeError as fault:
        text = whole[: fault.start].decode("utf-8")
        refuse(len(text), f"not valid UTF-8 (byte 0x{whole[fault.start]:02x})")
    place = _after(text, 0)
    if text[place : place + 1] != "[":
        refuse(place, "expected a JSON array of objects")
    place = _after(text, place + 1)
    while text[place : place + 1] != "]":
        try:
            _, end = json.JSONDecoder().raw_decode(text, place)
        except json.JSONDecodeError as fault:
            refuse(fault.pos, _malformed(text, place, fault))
        except RecursionError:
            refuse(place, "nested too deeply")
        if fault_found := faults.find(text[place:end].encode("utf-8"), shape):
            refuse(place, str(fault_found))
        place = _after(text, end)
        if text[place : place + 1] == ",":
            place = _after(text, place + 1)
            if text[place : place + 1] == "]":
                refuse(place, "not valid JSON: a comma before the end of the array")
        elif text[place : place + 1] != "]":
            refuse(place, "not valid JSON: expected a comma or the end of the array")
    refuse(_after(text, place + 1), "unexpected text after the array")


def _after(text: str, place: int) -> int:
    space = _SPACE.match(text, place)
    return space.end() if space else place


def _malformed(text: str, start: int, fault: json.JSONDecodeError) -> str:
    """Word a syntax error in the element that begins at a place."""
    if not text[fault.pos :].strip():
        return "not valid JSON: the array does not end"
    field = faults.field(text[start:], fault.pos - start)
    what = f"not valid JSON: {fault.msg[0].lower()}{fault.msg[1:].removesuffix(' at')}"
    return f"{field}: {what}" if field else what
