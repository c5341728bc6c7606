"""What is wrong with one line of JSON Lines: the slow reading that words the errors.

Only lines that msgspec refused, or for which nothing could be proven quickly, come here. The standard
library's parser says where a text stops being JSON, and shows duplicate keys and odd numbers, which are
marked as they are met and then looked for in the fields that an audit declares.
"""

import json
import math
import re
from typing import Any, NamedTuple

from msgspec import NODEFAULT

from ..fields import describe, misfit, show
from .shape import Leaf, Shape


class Fault(NamedTuple):
    """What is wrong with a record: the field as the file names it, if it is one field's, and what."""

    field: str | None
    what: str

    def __str__(self) -> str:
        return f"{self.field}: {self.what}" if self.field else self.what


class _Unfit:
    """A number that JSON does not have or that no float64 holds."""

    def __init__(self, text: str) -> None:
        self.text = text if len(text) < 40 else f"{text[:20]}… ({len(text)} characters)"


class _Repeated(dict[str, Any]):
    """An object in which a key occurs more than once."""

    key: str


def find(line: bytes, shape: Shape) -> Fault | None:
    """Say what is wrong with a line, or None where it is a record as declared."""
    try:
        text = line.decode("utf-8")
    except UnicodeDecodeError as fault:
        return Fault(None, f"not valid UTF-8 (byte 0x{line[fault.start]:02x} at position {fault.start + 1})")
    try:
        record = _DECODER.decode(text)
    except json.JSONDecodeError as fault:
        return _malformed(text, fault)
    except RecursionError:
        return Fault(None, "nested too deeply")
    if not isinstance(record, dict):
        return Fault(None, f"expected an object, got {_kind(record)}")
    if isinstance(record, _Repeated):
        return Fault(record.key, f'duplicate key "{record.key}"')
    return odd(record) or unlike(record, shape)


def unlike(record: Any, shape: Shape) -> Fault | None:
    """Say which declared field of an object is missing or of another type, or None."""
    for leaf in shape.leaves:
        if fault := _leaf(record, leaf):
            return fault
    return None


def _leaf(record: Any, leaf: Leaf) -> Fault | None:
    value = record
    for depth, key in enumerate(leaf.path):
        if not isinstance(value, dict):
            where = ".".join(leaf.path[:depth])
            return Fault(where, f"expected an object with {leaf.spelled!r}, got {show(_plain(value))}")
        if key not in value:
            if leaf.default is not NODEFAULT:
                return None
            return Fault(leaf.spelled, f"missing (expected {describe(leaf.kind)})")
        value = value[key]
        if isinstance(value, _Repeated):
            return Fault(leaf.spelled, f'duplicate key "{value.key}"')
    if repeated := _repeated(value):
        return Fault(leaf.spelled, f'duplicate key "{repeated.key}"')
    if isinstance(value, _Unfit):
        return Fault(leaf.spelled, f"expected {describe(leaf.kind)}, got {value.text}")
    what = misfit(_plain(value), leaf.kind)
    if what and type(value) is int and "string" in describe(leaf.kind):
        what += f"; --as-text {leaf.path[-1]} reads whole numbers as text"
    return Fault(leaf.spelled, what) if what else None


def _repeated(value: Any) -> _Repeated | None:
    """Find an object with a key twice anywhere in a value."""
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if isinstance(item, _Repeated):
            return item
        if isinstance(item, dict | list):
            waiting += item.values() if isinstance(item, dict) else item
    return None


def repeated_key(text: str) -> str | None:
    """Give a key that occurs twice in an object anywhere in a JSON text, or None."""
    repeated = _repeated(_DECODER.decode(text))
    return None if repeated is None else repeated.key


def _malformed(text: str, fault: json.JSONDecodeError) -> Fault:
    """Word a syntax error, and name the field in whose value it stands."""
    rest = text[fault.pos :]
    if rest.startswith("\ufeff"):
        return Fault(None, "unexpected U+FEFF (a byte order mark belongs at the start of a file only)")
    if fault.msg == "Extra data":
        if rest.startswith("{"):
            return Fault(None, "more than one object on the line")
        return Fault(None, f"unexpected text after the object: {show(rest.strip())}")
    if not rest.strip() or fault.msg.startswith("Unterminated string"):
        return Fault(field(text, fault.pos), "not valid JSON: the object does not end on this line")
    what = fault.msg[0].lower() + fault.msg[1:].removesuffix(" at")
    return Fault(field(text, fault.pos), f"not valid JSON: {what} at character {fault.pos + 1}: {show(rest)}")


def field(text: str, place: int) -> str | None:
    """Name the last key before a place, which is the field that a reader will look at."""
    keys = re.findall(r'"((?:[^"\\]|\\.)*)"\s*:', text[:place])
    return keys[-1] if keys else None


def odd(value: Any, field: str | None = None) -> Fault | None:
    """Find what is no JSON anywhere in a record: NaN, Infinity, an unpaired surrogate."""
    waiting: list[tuple[str | None, Any]] = [(field, value)]
    while waiting:
        name, item = waiting.pop()
        if isinstance(item, dict):
            waiting += [(name, key) for key in item]
            waiting += [(name or key, inner) for key, inner in item.items()]
        elif isinstance(item, list):
            waiting += [(name, inner) for inner in item]
        elif isinstance(item, str) and not item.isascii() and any("\ud800" <= c <= "\udfff" for c in item):
            return Fault(name, "an unpaired surrogate in a string")
        elif isinstance(item, _Unfit) and item.text in ("NaN", "Infinity", "-Infinity"):
            return Fault(name, f"not valid JSON: {item.text} is not a number")
    return None


def _pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(made := dict(pairs)) == len(pairs):
        return made
    repeated = _Repeated(made)
    seen: set[str] = set()
    repeated.key = next(key for key, _ in pairs if key in seen or seen.add(key))  # type: ignore[func-returns-value]
    return repeated


def _float(text: str) -> float | _Unfit:
    return _Unfit(text) if math.isinf(value := float(text)) else value


def _int(text: str) -> float | _Unfit:
    return _float(text) if len(text) > 300 else int(text)


def _plain(value: Any) -> Any:
    """Replace marks inside a value by what an error can show."""
    if isinstance(value, dict):
        return {key: _plain(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [_plain(inner) for inner in value]
    return value.text if isinstance(value, _Unfit) else value


def _kind(value: Any) -> str:
    return {list: "an array", str: "a string", bool: "a boolean", type(None): "null"}.get(
        type(value), "a number"
    )


_DECODER = json.JSONDecoder(
    object_pairs_hook=_pairs, parse_float=_float, parse_int=_int, parse_constant=_Unfit
)
