"""The strictness that decoding lines with msgspec leaves open, without reading them a second time.

`Decoder.decode_lines` takes several objects on a line, an object over several lines, the last of
duplicate keys, and any bytes inside fields that nobody declared. `prove` proves for a whole piece of
a file that none of this occurs, and names the lines for which the proof does not hold; those few are
then parsed one by one (`faults.find`).

The proof rests on the colons that follow a key. In JSON that parses, a quote followed by a colon ends a
key, unless a backslash stands before the quote: then it is text inside a string. So if every line has
as many keys as the first, all different there, and spelled alike at each place, then no line has a key
twice. Where the first line has a key in two of its objects, all lines must also nest their keys as it does.
"""

import re
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

_NEWLINE, _SPACE, _QUOTE, _COLON, _BACKSLASH, _OPEN, _CLOSE = b'\n ":\\{}'

_SPACED_COLON = re.compile(rb'"[ \t\r]+:')
_KEY = re.compile(rb'"([^"\\]*)":')
_OPENED = re.compile(rb":[ \t\r]*\{[ \t\r]*")
_CONTINUED = re.compile(rb"\}*,[ \t\r]*\Z")
_OBJECT = msgspec.json.Decoder(dict[str, msgspec.Raw])
_ARRAY = msgspec.json.Decoder(list[msgspec.Raw])


class Proof(NamedTuple):
    """How many lines a piece has, and which of them must be looked at one by one."""

    lines: int
    suspects: list[int] | None
    """Numbers of lines (from 0, blank ones counted); empty when all is proven; None when every line must be
    looked at, because lines and objects do not correspond."""


def prove(piece: bytes, records: int, declared: frozenset[str]) -> Proof:
    """Prove what can be proven of a decoded piece, and find the lines that must be looked at one by one.

    Parameters
    ----------
    piece
        Whole lines of UTF-8, already decoded without an error. Lines end in LF, but for the last, which need
        not.
    records
        How many objects were decoded from them.
    declared
        The top-level keys under which the audit reads something.
    """
    if not records:
        return Proof(piece.count(b"\n") + (not piece.endswith(b"\n") if piece else 0), [])
    if not piece.endswith(b"\n"):
        piece += b"\n"
    text = np.frombuffer(piece, np.uint8)
    marks = np.flatnonzero((text == _NEWLINE) | (text == _COLON))
    if _alike(piece, marks, records):
        return Proof(records, [])
    newline = text[marks] == _NEWLINE
    ends, colons = marks[newline], marks[~newline]
    if len(ends) != records:
        return Proof(len(ends), _beside_blanks(piece, records, declared))
    starts = np.append(0, ends[:-1] + 1)
    if (text[starts] != _OPEN).any() or (text[ends - 1] != _CLOSE).any():
        return Proof(records, None)
    keys = _key_ends(piece, text, colons)
    if keys is None:
        return Proof(records, None)
    if len(keys) < len(colons) and _alike(piece, np.sort(np.concatenate([keys, ends])), records):
        return Proof(records, [])
    per_line = np.diff(np.searchsorted(keys, ends), prepend=0)
    return Proof(records, _unproven(piece, starts, ends, per_line, declared))


def _beside_blanks(piece: bytes, records: int, declared: frozenset[str]) -> list[int] | None:
    """Find the suspects of a piece in which there are blank lines, or lines and objects do not correspond."""
    lines = piece.split(b"\n")
    numbers = [number for number, line in enumerate(lines) if line.strip(b" \t\r")]
    if len(numbers) != records:
        return None
    found = prove(b"\n".join(lines[number] for number in numbers), records, declared).suspects
    return None if found is None else [numbers[line] for line in found]


def _key_ends(piece: bytes, text: NDArray[np.uint8], colons: NDArray[np.int64]) -> NDArray[np.int64] | None:
    """Pick the colons that follow a key, or give None where that cannot be told by looking back."""
    colons = colons[colons > 1]
    before = text[colons - 1]
    if (before <= _SPACE).any() and _SPACED_COLON.search(piece):
        return None
    keys: NDArray[np.int64] = colons[before == _QUOTE]
    escaped = text[keys - 2] == _BACKSLASH
    if escaped.any():
        if b'\\\\":' in piece:
            return None
        keys = keys[~escaped]
    return keys


def _alike(piece: bytes, marks: NDArray[np.int64], records: int) -> bool:
    """Whether all lines have the keys of the first, in its order, and these differ in each of its objects.

    The marks are the places of all newlines and of all colons that follow a key, and maybe of others: where
    there are others, the answer is no.
    """
    first = piece[: piece.index(b"\n")]
    names = _KEY.findall(first)
    width = len(names)
    if not width or len(marks) != records * (width + 1):
        return False
    after = marks.reshape(records, width + 1) + 1
    keys = [b'"' + name + b'":' for name in names]
    placed = zip(keys, after[0].tolist(), strict=False)
    if any(first[place - len(key) : place] != key for key, place in placed):
        return False
    if not (
        piece.startswith(b"{") and piece.endswith(b"}\n") and _spelled(piece, after[:-1, -1] + 1, b"}\n{")
    ):
        return False
    if not all(_spelled(piece, after[1:, place], key) for place, key in enumerate(keys)):
        return False
    if len(set(names)) == width:
        return True
    leads = _leads(piece, after, keys) if _different(first) == width else None
    return leads is not None and all(
        _spelled(piece, after[1:, place] - len(keys[place]), lead)
        for place, lead in enumerate(leads, start=1)
    )


def _leads(piece: bytes, after: NDArray[np.int64], keys: list[bytes]) -> list[bytes] | None:
    """Give what stands before each key of the first line but its first, and says at which depth the key is.

    That is the opening of an object that is the value of the key before, or the closings of objects and a
    comma. Lines with the same keys and the same leads nest them alike, if no closing brace belongs to an
    empty object and none more stands before those in the lead. None where a lead is of another kind, or
    where that does not hold in every line.
    """
    text = np.frombuffer(piece, np.uint8)
    first = after[0].tolist()
    leads = []
    for place in range(1, len(keys)):
        gap = piece[first[place - 1] - 1 : first[place] - len(keys[place])]
        if _OPENED.fullmatch(gap):
            leads.append(gap)
            continue
        continued = _CONTINUED.search(gap)
        if continued is None:
            return None
        before = text[after[:, place] - len(keys[place]) - len(continued[0]) - 1]
        if ((before <= _SPACE) | (before == _OPEN) | (before == _CLOSE)).any():
            return None
        leads.append(continued[0])
    return leads


def _spelled(piece: bytes, after: NDArray[np.int64], key: bytes) -> bool:
    """Whether the same bytes stand before each place."""
    size = len(key)
    at: NDArray[np.void] = np.ndarray((max(len(piece) - size + 1, 0),), f"V{size}", piece, strides=(1,))
    return at[after - size].tobytes() == key * len(after)


def _unproven(
    piece: bytes,
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
    keys: NDArray[np.int64],
    declared: frozenset[str],
) -> list[int]:
    """Find the lines with more keys than different keys.

    Keys inside a field that nobody declared are nobody's business, and are not counted.
    """
    suspects = []
    places = zip(starts.tolist(), ends.tolist(), keys.tolist(), strict=True)
    for line, (start, end, total) in enumerate(places):
        fields = _OBJECT.decode(piece[start:end])
        if len(fields) == total:
            continue
        nested = 0
        for name, raw in fields.items():
            value = bytes(raw)
            if value[:1] in (b"{", b"["):
                nested += _different(value) if name in declared else _keys(value)
        if len(fields) + nested != total:
            suspects.append(line)
    return suspects


def _keys(value: bytes) -> int:
    """Count the keys in a value, at any depth."""
    return value.count(b'":') - value.count(b'\\":')


def _different(value: bytes) -> int:
    """Count the different keys of each object in a value, at any depth."""
    count = 0
    waiting = [value]
    while waiting:
        text = waiting.pop()
        if text[:1] == b"{":
            members = _OBJECT.decode(text)
            count += len(members)
            if len(members) != _keys(text):
                waiting += map(bytes, members.values())
        elif text[:1] == b"[" and _keys(text):
            waiting += map(bytes, _ARRAY.decode(text))
    return count
