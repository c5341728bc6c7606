"""Cells of text, as CSV has them, to values of the declared types.

Text is taken as it stands. Everything else is read as JSON spells it, without spaces around it: numbers,
`true` and `false`, arrays, objects. So a number is what it is in JSON Lines, and nan, inf, 1_0 and 0x1F
are none. A cell of a field that admits text and something else is what it is as JSON where that fits, and
else text.
"""

from typing import Any

import msgspec
import numpy as np

from ..fields import describe, show
from . import faults
from .columns import MISSING, Unreadable, numbers, objects
from .shape import Leaf

_SPACES = (" ", "\t", "\r", "\n")
_OPENINGS = frozenset('[{"tf-0123456789')
"""With what JSON may begin, but for null, which is an empty cell."""


def column(texts: list[str], leaf: Leaf) -> Any:
    """Give a column of cells as declared, or None where that is not plain to see."""
    if leaf.is_text:
        return objects(texts, leaf)
    if leaf.is_number:
        return _numbers(texts, leaf)
    read = values(texts, leaf)
    if any(value is MISSING or isinstance(value, Unreadable) for value in read):
        return None
    return objects(read, leaf)


def values(texts: list[Any], leaf: Leaf) -> list[Any]:
    """Give the single values of cells; those that are `MISSING` already stay so.

    An empty cell is an empty text where the field must be text, and else a value that is missing.
    """
    read = _mixed if leaf.is_mixed else _text if leaf.is_textual else _other
    empty = "" if leaf.is_textual and not leaf.is_optional else MISSING
    return [empty if text == "" else text if text is MISSING else read(text, leaf) for text in texts]


def within(texts: list[str], leaf: Leaf) -> list[Any]:
    """Give the values that a dotted name reaches in cells that hold JSON objects."""
    return [_reached(text, leaf) for text in texts]


def _reached(text: str, leaf: Leaf) -> Any:
    value = _json(text) if text else MISSING
    if text and value is MISSING:
        return Unreadable(f"expected an object, got {show(text)}")
    for key in leaf.path[1:]:
        if value is MISSING or isinstance(value, Unreadable):
            return value
        if not isinstance(value, dict):
            return Unreadable(f"expected an object with {leaf.spelled!r}, got {show(value)}")
        value = value.get(key, MISSING)
    return MISSING if value is None else value


def structure(text: Any) -> Any:
    """Read a text that holds a JSON array or object as that; anything else stays what it is."""
    read = _json(text) if isinstance(text, str) and text[:1] in ("[", "{") else MISSING
    return text if read is MISSING else read


def _text(text: str, _leaf: Leaf) -> Any:
    return text


def _mixed(text: str, leaf: Leaf) -> Any:
    """Read a cell of a field that may be text or not: as JSON where that fits, else as it stands."""
    read = _json(text) if text[0] in _OPENINGS else MISSING
    return text if read is MISSING or objects([read], leaf) is None else read


def _other(text: str, leaf: Leaf) -> Any:
    read = _json(text)
    return Unreadable(f"expected {describe(leaf.kind)}, got {show(text)}") if read is MISSING else read


def _numbers(texts: list[str], leaf: Leaf) -> Any:
    """Read all cells of a column at once: as one array of JSON, of as many items as there are cells."""
    joined = ",".join(texts)
    if any(space in joined for space in _SPACES):
        return None
    try:
        read = msgspec.json.decode(f"[{joined}]", type=list[leaf.kind])  # type: ignore[name-defined]
    except (msgspec.MsgspecError, UnicodeError):
        return None
    return numbers(np.array(read), leaf) if len(read) == len(texts) and texts else None


def _json(text: str) -> Any:
    """Read a cell as JSON; MISSING where it is none. What it holds is looked at as strictly as a line."""
    if text[:1] in _SPACES or text[-1:] in _SPACES:
        return MISSING
    try:
        read = msgspec.json.decode(text)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return MISSING
    if isinstance(read, dict | list) and text.count(":") != (len(read) if isinstance(read, dict) else 0):
        repeated = faults.repeated_key(text)
        return Unreadable(f'duplicate key "{repeated}"') if repeated is not None else read
    return read
