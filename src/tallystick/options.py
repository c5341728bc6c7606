"""One door for options, whoever gives them: the same checks and the same message.

Flags arrive as text, keywords and suite tables as values. Text is first read as the declared type
demands (`parse`); then all meet `build`.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

import msgspec
from msgspec import Struct
from msgspec import inspect as types

from .errors import UsageError, suggest
from .fields import COMMA_SEPARATED, describe, misfit

S = TypeVar("S", bound=Struct)


def build(kind: type[S], given: Mapping[str, Any], spelled: Callable[[str], str] = str) -> S:
    """Make an options struct of given values, or refuse them in the caller's spelling.

    Parameters
    ----------
    kind
        The struct that declares the options.
    given
        Values by name.
    spelled
        How the caller writes an option: ``bins`` is ``--bins`` on the command line.

    Raises
    ------
    UsageError
        For an unknown name, with a suggestion, a value of another type or outside its range, or values
        that do not go together: what the struct's own check refuses with ``ValueError("name: why")``.
    """
    declared = {field.name: field for field in msgspec.structs.fields(kind)}
    values = {}
    for name, value in given.items():
        if name not in declared:
            raise UsageError(spelled(name), "no such option", hint_for(name, declared, spelled))
        value = _plain(value)  # noqa: PLW2901
        if what := misfit(value, declared[name].type):
            raise UsageError(spelled(name), what)
        values[name] = value
    for name, field in declared.items():
        if field.required and name not in values:
            raise UsageError(spelled(name), f"required: {describe(field.type)}")
    try:
        return msgspec.convert(values, kind, strict=True)
    except msgspec.ValidationError as fault:
        name, _, what = str(fault).partition(": ")
        raise UsageError(spelled(name), what) from None


def hint_for(name: str, known: Iterable[str], spelled: Callable[[str], str] = str) -> str | None:
    """Give the hint for a key that is no option: a gate written as one, or a misspelt name."""
    side, _, measure = name.partition("_")
    if side in ("min", "max") and measure:
        operator = ">=" if side == "min" else "<="
        return f'gates are texts: gates = ["{measure} {operator} LIMIT"]'
    return suggest(spelled(name), map(spelled, known))


def spelled(name: str) -> str:
    """Spell an option as a flag: ``max_details`` is ``--max-details``."""
    return "--" + name.replace("_", "-")


def flag(name: str, value: Any) -> list[str]:
    """Give the words that set an option on the command line; none for what stands for nothing."""
    if value is None or value is False or value in ([], {}):
        return []
    if value is True:
        return [spelled(name)]
    if isinstance(value, dict):
        return [word for key, item in value.items() for word in (spelled(name), f"{key}={item}")]
    if isinstance(value, list):
        if name == "levels":
            return [spelled(name), ",".join(map(str, value))]
        return [word for item in value for word in (spelled(name), str(item))]
    return [spelled(name), str(value)]


def parse(text: str | list[str] | bool, kind: Any) -> Any:  # noqa: FBT001  a switch
    """Read the text of a flag as its declared type demands; text that does not fit stays text.

    A repeatable flag has a list of texts, and a switch is a boolean already.
    """
    if isinstance(text, bool):
        return text
    info = types.type_info(kind)
    if isinstance(text, list):
        return [_parse(item, _item_type(info)) for item in text]
    return _parse(text, info)


def repeatable(kind: Any) -> bool:
    """Whether an option's flag may be repeated: an array, unless it is `COMMA_SEPARATED`."""
    array = _item_type(types.type_info(kind)) is not None
    return array and COMMA_SEPARATED not in getattr(kind, "__metadata__", ())


def plain(options: Struct) -> dict[str, Any]:
    """Give options as plain data, as a report states them."""
    made: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(options))
    return made


def _item_type(info: types.Type) -> Any:
    """Give the type of an array's items; None where it is no array."""
    match info:
        case types.Metadata():
            return _item_type(info.type)
        case types.UnionType():
            return next((found for t in info.types if (found := _item_type(t)) is not None), None)
        case types.ListType() | types.VarTupleType():
            return info.item_type
        case _:
            return None


def _parse(text: str, info: types.Type) -> Any:
    match info:
        case types.Metadata():
            return _parse(text, info.type)
        case types.UnionType():
            return _parse(text, next(t for t in info.types if not isinstance(t, types.NoneType)))
        case types.IntType():
            return _number(text, int)
        case types.FloatType():
            return _number(text, float)
        case types.ListType() | types.VarTupleType():
            return [_parse(part.strip(), info.item_type) for part in text.split(",")]
        case _:
            return text


def _number(text: str, kind: type[int] | type[float]) -> float | str:
    try:
        return kind(text) if "_" not in text else text
    except ValueError:
        return text


def _plain(value: Any) -> Any:
    """Take a numpy scalar or a tuple for what it stands for."""
    if hasattr(value, "item") and getattr(value, "ndim", None) == 0:
        return value.item()
    if isinstance(value, float):
        return value + 0.0  # -0.0 means 0.0
    return list(value) if isinstance(value, tuple) else value
