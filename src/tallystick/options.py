"""One door for options, whoever gives them: the same checks and the same message.

Flags arrive as text, keywords and suite tables as values. Text is first read as the declared type
demands (`parse`); then all meet `build`.
"""

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import msgspec
from msgspec import Struct
from msgspec import inspect as types

from .errors import UsageError, suggest
from .fields import describe, misfit

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
        For an unknown name, with a suggestion, or a value of another type or outside its range.
    """
    declared = {field.name: field for field in msgspec.structs.fields(kind)}
    values = {}
    for name, value in given.items():
        if name not in declared:
            known = [spelled(other) for other in declared]
            raise UsageError(spelled(name), "no such option", suggest(spelled(name), known))
        value = _plain(value)  # noqa: PLW2901
        if what := misfit(value, declared[name].type):
            raise UsageError(spelled(name), what)
        values[name] = value
    for name, field in declared.items():
        if field.required and name not in values:
            raise UsageError(spelled(name), f"required: {describe(field.type)}")
    return msgspec.convert(values, kind, strict=True)


def parse(text: str, kind: Any) -> Any:
    """Read the text of a flag as its declared type demands; text that does not fit stays text."""
    info = types.type_info(kind)
    return _parse(text, info)


def plain(options: Struct) -> dict[str, Any]:
    """Give options as plain data, as a report states them."""
    made: dict[str, Any] = msgspec.to_builtins(options)
    return made


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
    return list(value) if isinstance(value, tuple) else value
