"""Records of every declared type, JSON Lines good and bad, and the slowest reader that tells them apart."""

import json
import math
from collections.abc import Mapping
from typing import Annotated, Any, TypeAlias

from hypothesis import strategies as st
from msgspec import Meta, Struct

from tallystick.fields import Id, Probability, Whole

Path: TypeAlias = tuple[str, ...]


class Inner(Struct):
    """An object inside an array of a record."""

    k: int


class Record(Struct):
    """One field of each kind that an audit may declare."""

    id: Annotated[Id, Meta(description="Not empty.")]
    text: str
    confidence: Probability
    count: Whole
    flag: bool
    scores: dict[str, Probability] | None = None
    trees: dict[str, dict[str, float]] | None = None
    parts: list[Inner] | None = None


class Refused(Exception):  # noqa: N818
    """The slow reader refuses a line."""


class Pairs(list[tuple[str, Any]]):
    """An object as its members stand."""

    def get(self, key: str) -> Any:
        return next(value for name, value in self if name == key)

    def unique(self) -> bool:
        return len({name for name, _ in self}) == len(self)


def _refuse(_text: str) -> None:
    raise Refused


_DECODER = json.JSONDecoder(object_pairs_hook=Pairs, parse_constant=_refuse)


def read(data: bytes, paths: dict[str, Path]) -> tuple[list[dict[str, Any]], int] | int:
    """Give the records of a file and its blank lines, or the number of the first line that is refused."""
    lines = data.removeprefix(b"\xef\xbb\xbf").split(b"\n")
    if not lines[-1]:
        lines.pop()
    records, blank = [], 0
    for number, line in enumerate(lines, 1):
        if not line.strip(b" \t\r"):
            blank += 1
            continue
        try:
            records.append(_record(line, paths))
        except (Refused, ValueError, OverflowError, RecursionError):
            return number
    return records, blank


def _record(line: bytes, paths: dict[str, Path]) -> dict[str, Any]:
    record = _DECODER.decode(line.decode("utf-8"))
    json.dumps(record, ensure_ascii=False).encode("utf-8")
    if not isinstance(record, Pairs) or not record.unique():
        raise Refused
    return {field: _field(record, path, _KINDS[field]) for field, path in paths.items()}


def _field(record: Pairs, path: Path, kind: str) -> Any:
    value: Any = record
    for key in path:
        if not isinstance(value, Pairs) or not value.unique():
            raise Refused
        if key not in dict(value):
            if kind.startswith("maybe"):
                return None
            raise Refused
        value = value.get(key)
    if value is None and kind.startswith("maybe"):
        return None
    return _value(value, kind.removeprefix("maybe "))


_KINDS = {
    "id": "id",
    "text": "text",
    "confidence": "probability",
    "count": "count",
    "flag": "flag",
    "scores": "maybe scores",
    "trees": "maybe trees",
    "parts": "maybe parts",
}


def _value(value: Any, kind: str) -> Any:
    """Take a value of a kind, or refuse it."""
    if isinstance(value, Pairs) and not value.unique():
        raise Refused
    if isinstance(value, str) and (kind == "text" or (kind == "id" and value)):
        return value
    if isinstance(value, bool):
        if kind == "flag":
            return value
    elif isinstance(value, int | float):
        return _number(value, kind)
    elif isinstance(value, Pairs):
        return _object(value, kind)
    elif isinstance(value, list) and kind == "parts":
        return [_value(inner, "part") for inner in value]
    raise Refused


def _number(value: float, kind: str) -> float:
    """Take a number of a kind, or refuse it."""
    if kind == "probability" and 0 <= float(value) <= 1:
        return float(value)
    if kind == "number" and math.isfinite(float(value)):
        return float(value)
    least, most = {"count": (0, 2**63 - 1), "whole": (-(2**63), 2**64 - 1)}.get(kind, (1, 0))
    if isinstance(value, int) and least <= value <= most:
        return value
    raise Refused


def _object(value: Pairs, kind: str) -> Any:
    """Take an object of a kind, or refuse it."""
    inner = {"scores": "probability", "tree": "number", "trees": "tree"}
    if kind in inner:
        return {key: _value(item, inner[kind]) for key, item in value}
    if kind == "part" and "k" in dict(value) and not _repeats(value):
        return Inner(_value(value.get("k"), "whole"))
    raise Refused


def _repeats(value: Any) -> bool:
    """Whether an object anywhere inside has a key twice."""
    if isinstance(value, Pairs):
        return not value.unique() or any(_repeats(inner) for _, inner in value)
    return isinstance(value, list) and any(map(_repeats, value))


def texts(*raw: str) -> st.SearchStrategy[bytes]:
    return st.sampled_from([text.encode("utf-8", "surrogatepass") for text in raw])


STRINGS = texts(
    '"x"', '"a:b"', '"{}"', '"\\":"', '"\\\\"', '"\\\\\\":"', '"say \\" : "', '"\\"id\\":1"', '"\\u0041"',
    '"\u2028\u2029\u0085"', '"\ufeff"', '"é\U0001f600"', '"\\ud83d\\ude00"', '"\x7f"', '"\\/\\b\\f\\n\\r\\t"',
    '"NaN"', '"}{"', '"\\\\ud800"',
)  # fmt: skip
BAD_STRINGS = st.one_of(
    texts(
        '"\\ud800"', '"\\ude00x"', '"\ud800"', '"\x01"', '"\t"', '"\0"', '"\\x"', '"\\u12"', '"open', "'x'"
    ),
    st.sampled_from([b'"\xff"', b'"\xc3"', b'"\xe2\x80"', b'"\xc0\x80"', b'"\xf5\x80\x80\x80"']),
)
SHARES = texts(
    "0", "1", "0.5", "1.0", "1e0", "-0", "-0.0", "5e-324", "1e-400", "0.1E+0", "0.30000000000000004"
)
COUNTS = texts("0", "1", "9223372036854775807")
NUMBERS = texts(
    "-1", "2", "1.0000000000000002", "-1e-300", "9223372036854775808", "1" * 400, "1" * 305, "1e308"
)
BAD_NUMBERS = texts(
    "NaN", "Infinity", "-Infinity", "1e999", "-1e999", "0x1", ".5", "1.", "+1", "01", "1_0", "1e", "--1"
)  # fmt: skip
NESTED = texts(
    "{}", "[]", '{"a":1}', '{"a":1,"a":2}', '{"a":{"b":1,"b":2}}', '{"a":{"b":0},"b":{"a":0}}', '[{"k":1}]',
    '[{"k":1,"k":2}]', '[{"k":1,"z":{"a":1,"a":1}}]', '[{"k":1},{"k":2}]', '{"a" :1}', '{"a\\\\":1}',
    '{"\\u0061":1,"a":0}', '{"a":{"a":1}}', '[["a:",":"]]', "[" * 200 + "]" * 200, '{"label":"x","conf":0.5}',
    '{"label":"x","conf":0.5,"conf":0.5}', '{"label":"","conf":1,"more":{"a":1,"a":2}}', '[{"k":1,"k":1},2]',
)  # fmt: skip
BAD_NESTED = texts("{", "]", '{"a":1,}', "[1,]", "{1:2}", '{"a"}', '{"a":1]', "[" * 100_000 + "]" * 100_000)
WORDS = texts("true", "false", "null")
GOOD = {
    "id": STRINGS,
    "text": STRINGS | texts('""'),
    "confidence": SHARES,
    "count": COUNTS,
    "flag": texts("true", "false"),
    "scores": texts("null", "{}", '{"a":0.5,"b":0.5}', '{ "a\\\\" : 1 }', '{"\\u0061":1}', '{"id":1}'),
    "trees": texts("null", "{}", '{"a":{"a":1e9}}', '{"a":{"x":1},"b":{"x":-2}}'),
    "parts": texts("null", "[]", '[{"k":1},{"k":2}]', '[{"k":1,"z":[{}]}]', '[ {"k" : 1} ]'),
}
GOOD |= {"label": GOOD["text"], "conf": GOOD["confidence"]}
FINE = STRINGS | SHARES | COUNTS | NUMBERS | NESTED | WORDS
ANY = FINE | texts("1e999") | BAD_STRINGS | BAD_NUMBERS | BAD_NESTED
SPACES = texts("", "", "", " ", "\t", "  ", "\r")
KEYS = texts('"note"', '"other"', '""', '"a\\\\"', '"a\\":"', '"é"')
BAD_KEYS = texts('"note"', '"n\\u006fte"', '"conf\\u0069dence"', '"id"', '"parts"', '"more"', '"open', "key")
NONE: Mapping[str, tuple[str, ...]] = {}
SCRAPS = texts(
    "[]", "1", "null", '"{}"', "{}", "x", "{", "}", "\ufeff", "\ufeff{}", ",",
    "\x0b", "\x0c", "\xa0", "\u2028", "NaN"
)  # fmt: skip


@st.composite
def objects(
    draw: st.DrawFn, sound: bool, top: tuple[str, ...], nested: Mapping[str, tuple[str, ...]] = NONE
) -> bytes:
    """Write an object with the fields named, some at fault unless sound, and others that nobody declared."""
    wrong = not sound and draw(st.integers(0, 3)) == 0
    members = []
    for field in top:
        value = draw(ANY) if wrong and draw(st.integers(0, 3)) == 0 else draw(GOOD[field])
        members.append((f'"{field}"'.encode(), value))
    members += [(f'"{name}"'.encode(), draw(objects(sound, inside))) for name, inside in nested.items()]
    if wrong and members and draw(st.booleans()):
        del members[draw(st.integers(0, len(members) - 1))]
    extra = ANY if wrong else FINE
    keys = KEYS | BAD_KEYS if wrong else KEYS
    members += draw(st.lists(st.tuples(keys, extra), max_size=2, unique_by=None if wrong else lambda m: m[0]))
    if draw(st.booleans()):
        members = draw(st.permutations(members))
    gaps = SPACES if draw(st.integers(0, 4)) == 0 else st.just(b"")
    inside = b",".join(
        draw(gaps) + key + draw(gaps) + b":" + draw(gaps) + value + draw(gaps) for key, value in members
    )
    return draw(gaps) + b"{" + inside + b"}" + draw(gaps)


@st.composite
def files(draw: st.DrawFn, top: tuple[str, ...], nested: Mapping[str, tuple[str, ...]] = NONE) -> bytes:
    """Write a file of such objects, now and then with a line that is none."""
    good = objects(draw(st.booleans()), top, nested)
    strange = draw(st.integers(0, 4)) == 0
    kinds = [good, good, good, good, texts("", "", "  ", "\t \r")]
    if strange:
        two = st.tuples(good, SPACES, good).map(b"".join)
        cut = st.tuples(good, st.integers(1, 30)).map(lambda g: g[0][: g[1]] + b"\n" + g[0][g[1] :])
        kinds += [SCRAPS, two, cut, good.map(lambda g: g + b"x"), st.just(b"{}")]
    lines = draw(st.lists(st.one_of(kinds), max_size=6))
    end = draw(st.sampled_from([b"\n", b"\n", b"\r\n"]))
    opening = draw(st.sampled_from([b"", b"", b"", b"\xef\xbb\xbf"]))
    return opening + end.join(lines) + (end if draw(st.booleans()) else b"")
