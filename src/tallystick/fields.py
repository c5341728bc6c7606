"""The types that records and options are made of, and how a value that does not fit is described."""

import json
import re
import sys
from collections.abc import Iterable
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta
from msgspec import inspect as types

Id = Annotated[str, Meta(min_length=1)]
"""A non-empty string that names a record."""

Label = Annotated[str, Meta(min_length=1)]
"""A non-empty string, compared exactly: case, accents and spaces matter."""

Text = str
"""A string, which may be empty."""

Answer = str | Annotated[list[str], Meta(min_length=1)]
"""A text, or an array of at least one, any of which is right."""

Probability = Annotated[float, Meta(ge=0, le=1)]
"""A finite number in [0, 1]."""

DISTINCT = Meta(extra_json_schema={"uniqueItems": True})
"""Of an array: no item occurs twice. msgspec has no such check, so `misfit` and the sources make it."""

Ids = Annotated[list[Id], DISTINCT]
"""An array of different ids, which may be empty."""

Labels = Annotated[list[Label], DISTINCT]
"""An array of different labels, which may be empty."""

Distribution = Annotated[dict[Label, Probability], Meta(min_length=1)]
"""A probability for each of at least one label; audits say how near to 1 they must sum."""

Finite = Annotated[float, Meta(ge=-sys.float_info.max, le=sys.float_info.max)]
"""A number that is neither infinite nor NaN."""

NonNegative = Annotated[float, Meta(ge=0, le=sys.float_info.max)]
"""A finite number, not negative."""

Whole = Annotated[int, Meta(ge=0, le=2**63 - 1)]
"""A whole number, not negative."""

Bins = Annotated[int, Meta(ge=1, le=1000, description="Equal-width confidence bins on [0, 1].")]
Normalize = Annotated[
    Literal["words", "squad", "exact"],
    Meta(description="How texts are brought to a form before they are compared."),
]
COMMA_SEPARATED = Meta(extra={"separator": ","})
"""Of an option that is an array: its flag takes all items at once. Any other such flag is repeatable."""

Levels = Annotated[
    tuple[Label, ...] | None,
    DISTINCT,
    COMMA_SEPARATED,
    Meta(description="All labels in order, from the lowest to the highest, comma separated."),
]
Level = Annotated[float, Meta(gt=0, lt=1, description="Confidence level of intervals.")]
Samples = Annotated[int, Meta(ge=1, le=1_000_000, description="Resamples of a bootstrap interval.")]
Seed = Annotated[int, Meta(ge=0, le=2**63 - 1, description="Seed of the resamples.")]
SumTolerance = Annotated[
    float, Meta(ge=0, le=0.1, description="How far from 1 the probabilities of a record may sum.")
]
MaxDetails = Annotated[int, Meta(ge=0, le=1_000_000, description="Rows of details to keep.")]
MaxRows = Annotated[
    int, Meta(ge=0, le=1_000_000, description="Rows of each other table to keep, the largest first.")
]
MaxCurvePoints = Annotated[
    int,
    Meta(ge=3, le=1_000_000, description="Points of a curve to keep, in equal steps of coverage."),
]

SHOWN = 60
"""Characters of an offending value that an error quotes."""


def describe(kind: Any) -> str:
    """Say in words what a declared type admits: ``a number from 0 to 1``."""
    return _words(types.type_info(kind))


def about(kind: Any) -> str:
    """Give what a declared type says of itself; nothing where it says nothing."""
    notes = [note for note in getattr(kind, "__metadata__", ()) if isinstance(note, msgspec.Meta)]
    return next((note.description for note in reversed(notes) if note.description), "")


def misfit(value: object, kind: Any) -> str | None:
    """Say why a value is not of a declared type, or None where it is.

    Strict: a boolean is not a number, a number is not a string, NaN is not a number at all.
    """
    try:
        msgspec.convert(value, kind, strict=True)
    except msgspec.ValidationError as fault:
        if what := _misfit_within(value, kind):
            return what
        inner = str(fault).partition(" - at ")[2].strip("`$ ")
        place = f"at {inner}: " if inner.startswith(("[", ".")) else ""
        return f"{place}expected {describe(kind)}, got {show(value)}"
    if isinstance(value, float) and value != value:
        return f"expected {describe(kind)}, got NaN"
    return repeated(value) if is_distinct(kind) else None


def is_distinct(kind: Any) -> bool:
    """Whether a declared type is an array in which no item may occur twice."""
    return _distinct(types.type_info(kind))


def repeated(value: Any) -> str | None:
    """Say which item occurs twice in an array, or None where none does (or it is no array)."""
    if not isinstance(value, list | tuple) or len(set(value)) == len(value):
        return None
    return f"{show(next(item for item in value if value.count(item) > 1))} occurs more than once"


def _misfit_within(value: object, kind: Any) -> str | None:
    """Say which key of an object holds a value that is not of the declared type, and why."""
    if isinstance(value, dict) and (struct := _struct(kind)):
        return _misfit_of(value, struct)
    bare = kind.__origin__ if hasattr(kind, "__metadata__") else kind
    inner = (t.__origin__ if hasattr(t, "__metadata__") else t for t in getattr(bare, "__args__", ()))
    members = [t for t in (bare, *inner) if getattr(t, "__origin__", None) is dict]
    if not isinstance(value, dict) or not members:
        return None
    name, each = members[0].__args__
    for key, item in value.items():
        if what := misfit(key, name) or misfit(item, each):
            return f"at {show(key)}: {what}"
    return None


def _struct(kind: Any) -> type[msgspec.Struct] | None:
    """Give the struct that a declared type is, alone or among others."""
    members = (kind, *getattr(kind, "__args__", ()))
    return next((t for t in members if isinstance(t, type) and issubclass(t, msgspec.Struct)), None)


def _misfit_of(value: dict[Any, Any], struct: type[msgspec.Struct]) -> str | None:
    for field in msgspec.structs.fields(struct):
        name = field.encode_name
        if name not in value:
            if field.required:
                return f"at {show(name)}: missing (expected {describe(field.type)})"
        elif what := misfit(value[name], field.type):
            return f"at {show(name)}: {what}"
    return None


def show(value: object, most: int = SHOWN) -> str:
    """Quote a value as JSON spells it, cut to a readable length."""
    try:
        text = json.dumps(value, ensure_ascii=False, default=repr)
    except (TypeError, ValueError, RecursionError):
        text = repr(value)
    text = line(text)
    return text if len(text) <= most else text[: most - 1] + "…"


_UNSEEN = re.compile(
    r"[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
"""What Python takes for printable and nobody sees: fillers, joiners and selectors of variants."""


def is_seen(text: str) -> bool:
    """Whether every character of a text prints and steers nothing: no control, direction, joiner, line."""
    return text.isprintable() and (text.isascii() or not _UNSEEN.search(text))


def line(text: str) -> str:
    """Make of a text one safe line, in which what cannot be seen is spelled out."""
    return text if is_seen(text) else "".join(c if is_seen(c) else _spelled(c) for c in text)


class Lines(str):
    """A text of some lines, each of which is safe."""

    __slots__ = ()


def lines(said: Iterable[str], indent: str = "") -> Lines:
    """Make safe lines of texts, indenting all but the first."""
    return Lines(f"\n{indent}".join(map(line, said)))


def _spelled(character: str) -> str:
    code = ord(character)
    return "\\n" if character == "\n" else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def safe_json(text: str) -> str:
    """Write what cannot be seen in a text that is JSON, and what a CI runner obeys, as the escapes of JSON.

    It means the same. A runner of GitHub obeys ``##[command]`` wherever it stands in a line.
    """
    return re.sub(r"[^ -~\n]|#(?=#\[)", _in_json, text)


def _in_json(found: re.Match[str]) -> str:
    character = found[0]
    return "\\u0023" if character == "#" else character if is_seen(character) else json.dumps(character)[1:-1]


_NAMED: dict[type, str] = {
    types.BoolType: "true or false",
    types.DecimalType: "a decimal number",
    types.NoneType: "null",
}


def _string(info: types.StrType) -> str:
    if info.pattern:
        return f"a string that matches {info.pattern}"
    return "a non-empty string" if info.min_length else "a string"


def _words(info: types.Type) -> str:
    if type(info) in _NAMED:
        return _NAMED[type(info)]
    match info:
        case types.IntType():
            return "a whole number" + _range(info.ge, info.le, info.gt, info.lt)
        case types.FloatType():
            return "a number" + _range(info.ge, info.le, info.gt, info.lt)
        case types.StrType():
            return _string(info)
        case types.LiteralType():
            return "one of " + ", ".join(map(str, info.values))
        case types.ListType() | types.VarTupleType():
            array = "a non-empty array" if info.min_length else "an array"
            return f"{array}, each item {_words(info.item_type)}"
        case types.DictType():
            thing = "a non-empty object" if info.min_length else "an object"
            return f"{thing}, each value {_words(info.value_type)}"
        case types.UnionType():
            return " or ".join(_words(member) for member in info.types)
        case types.Metadata():
            words = _words(info.type)
            if _distinct(info):
                return words.replace("array, each item", "array of different items, each")
            return words
        case _:
            return "an object"


def _distinct(info: types.Type) -> bool:
    match info:
        case types.Metadata():
            return bool((info.extra_json_schema or {}).get("uniqueItems")) or _distinct(info.type)
        case types.UnionType():
            return any(map(_distinct, info.types))
        case _:
            return False


def _range(ge: float | None, le: float | None, gt: float | None, lt: float | None) -> str:
    low, high = ge if ge is not None else gt, le if le is not None else lt
    if high == sys.float_info.max:
        high = None
    if low is not None and high is not None:
        between = "between" if gt is not None else "from"
        joint = "and" if gt is not None else "to"
        return f" {between} {_plainly(low)} {joint} {_plainly(high)}"
    if low is not None and abs(low) < 2**63:
        return f" above {_plainly(low)}" if ge is None else f" from {_plainly(low)}"
    return "" if high is None else f" up to {_plainly(high)}"


def _plainly(number: float) -> str:
    return str(int(number)) if number == int(number) else f"{number:g}"
