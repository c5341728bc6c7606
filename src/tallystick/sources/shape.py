"""How records are read: the declared fields and the slices, under the names that the files give them."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from operator import attrgetter
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin

import msgspec
import numpy as np
from msgspec import NODEFAULT, Struct
from msgspec import inspect as types

from ..errors import UsageError, suggest
from ..fields import Text

_ARRAYS: dict[type, Any] = {types.FloatType: np.float64, types.IntType: np.int64, types.BoolType: np.bool_}


class Leaf(Struct, frozen=True, dict=True):
    """One field to read: where it stands in an object, its type, and its attribute in decoded rows."""

    path: tuple[str, ...]
    kind: Any
    default: Any
    attribute: str
    """Dotted where the field stands in a nested object."""
    as_text: bool = False
    """Whether whole numbers in it are read as the texts that they print as; `kind` then admits both."""

    @property
    def spelled(self) -> str:
        """The field as `--map` would name it."""
        return ".".join(self.path)

    @cached_property
    def sort(self) -> type:
        """The sort of type that it is of, as msgspec describes it."""
        return _sort(self.kind)

    @property
    def is_text(self) -> bool:
        """Whether it is a string and nothing else."""
        return self.sort is types.StrType

    @property
    def is_number(self) -> bool:
        """Whether it is a number or a boolean and nothing else."""
        return self.sort in _ARRAYS

    @property
    def is_textual(self) -> bool:
        """Whether it may be a string."""
        return self._may_be(types.StrType, types.LiteralType)

    @property
    def is_only_text(self) -> bool:
        """Whether it is made of strings, or arrays of them, and numbers are no part of it."""
        kinds = set(map(type, _members(types.type_info(self.kind), within=True)))
        return types.StrType in kinds and not kinds & {types.IntType, types.FloatType}

    @property
    def is_mixed(self) -> bool:
        """Whether it may be a string, but also something else (besides what is read as text)."""
        spelled = (
            types.StrType,
            types.LiteralType,
            types.NoneType,
            *((types.IntType,) if self.as_text else ()),
        )
        others = (m for m in _members(types.type_info(self.kind)) if not isinstance(m, spelled))
        return self.is_textual and any(True for _ in others)

    @property
    def is_array(self) -> bool:
        """Whether it may be an array."""
        return self._may_be(types.ListType)

    @property
    def is_optional(self) -> bool:
        """Whether it may be absent, or null, which a column does not tell apart."""
        return self.default is not NODEFAULT or self._may_be(types.NoneType)

    @property
    def absence(self) -> Any:
        """What stands for a value that is absent, where one may be."""
        return None if self.default is NODEFAULT else self.default

    def column(self, values: Iterable[Any], size: int) -> Any:
        """Make the column of its values in some records."""
        dtype = _ARRAYS.get(self.sort)
        if dtype is not None:
            return np.fromiter(values, dtype, size)
        return list(map(_text, values) if self.as_text else values)

    def _may_be(self, *kinds: type[types.Type]) -> bool:
        return any(isinstance(member, kinds) for member in _members(types.type_info(self.kind)))


class Slice(Struct, frozen=True):
    """One field to slice by: how the caller names it, the field, and the input that has it.

    Without an input it is on all of them. Where it may be absent, records without it are a slice too.
    """

    name: str
    field: str
    source: str | None = None
    optional: bool = False


class Shape:
    """What to read of each record of one input.

    Parameters
    ----------
    record
        The record that an audit declares.
    slice_by
        Further string fields to read, for slicing.
    names
        Declared field (or slice) to the name in the files; a dotted path reaches into objects.
    as_text
        Fields (or slices) of text in which whole numbers may stand, to be read as the texts they print as.
    gathers
        Whether records that are not as declared are gathered in batches, rather than the first be refused.
    """

    def __init__(
        self,
        record: type[Struct],
        slice_by: Sequence[Slice] = (),
        names: Mapping[str, str] | None = None,
        *,
        as_text: Collection[str] = (),
        gathers: bool = False,
    ) -> None:
        self.gathers = gathers
        names = names or {}
        declared = msgspec.structs.fields(record)
        known = [*(field.name for field in declared), *(part.field for part in slice_by)]
        for name in names:
            if name not in known:
                raise UsageError("--map", f"no field {name!r} to map", suggest(name, known))
        for name in as_text:
            if name not in known:
                raise UsageError("--as-text", f"no field {name!r}", suggest(name, known))
        self._leaves: dict[tuple[str, ...], Leaf] = {}
        self.fields = {
            f.name: self._leaf(names.get(f.name, f.name), f.type, f.default, as_text=f.name in as_text)
            for f in declared
        }
        self.slices = {
            part.name: self._slice(
                names.get(part.field, part.field), part.optional, as_text=part.field in as_text
            )
            for part in slice_by
        }
        self.leaves = tuple(self._leaves.values())
        self.keys = frozenset(leaf.path[0] for leaf in self.leaves)
        self.nested = any(len(leaf.path) > 1 for leaf in self.leaves)
        self.struct = _struct(self.leaves)

    def spelled(self, field: str) -> str:
        """Give a declared field as the files name it."""
        return self.fields[field].spelled

    def declared(self, leaf: Leaf) -> str:
        """Give the name under which a field is declared, or sliced by."""
        return next(name for name, own in (self.fields | self.slices).items() if own is leaf)

    def columns(self, rows: list[Any]) -> dict[str, Any]:
        """Turn decoded rows into the declared columns."""
        return {name: _column(rows, leaf) for name, leaf in self.fields.items()}

    def slice_columns(self, rows: list[Any]) -> dict[str, list[str | None]]:
        """Turn decoded rows into the columns to slice by."""
        return {name: _column(rows, leaf) for name, leaf in self.slices.items()}

    def _leaf(self, name: str, kind: Any, default: Any = NODEFAULT, *, as_text: bool = False) -> Leaf:
        path = tuple(name.split("."))
        if "" in path:
            raise UsageError("--map", f"{name!r} is not a field or a dotted path of fields")
        if any(c in '\\"' or c < " " for c in name):
            what = f"no field is read whose name holds a quote, a backslash or a control: {name!r}"
            raise UsageError("", what)
        known = self._leaves.get(path)
        if known is not None:
            if known.sort is not _sort(_or_whole(kind) if known.as_text else kind):
                raise UsageError("--map", f"field {name!r} cannot be read as two types")
            return known
        for other in self._leaves:
            if other[: len(path)] == path or path[: len(other)] == other:
                what = f"{name!r} cannot be both a value and an object ({'.'.join(other)!r} is read too)"
                raise UsageError("--map", what)
        attribute = ".".join(f"x_{part}" for part in map(_identifier, path))
        if as_text:
            kind, plain = _or_whole(kind), kind
            if kind is plain:
                raise UsageError("--as-text", f"{name!r} is not a field of text")
        leaf = self._leaves[path] = Leaf(path, kind, default, attribute, as_text)
        return leaf

    def _slice(self, name: str, optional: bool, *, as_text: bool) -> Leaf:  # noqa: FBT001
        known = self._leaves.get(tuple(name.split(".")))
        if known is not None and not _is_text(known.kind) and not (known.as_text and not known.is_array):
            raise UsageError("--slice-by", f"{name!r} is not a string field")
        if known is None and optional:
            return self._leaf(name, Text | None, None, as_text=as_text)
        return known or self._leaf(name, Text, as_text=as_text)


def _is_text(kind: Any) -> bool:
    """Whether a field is a string, or one that may be absent: then records without it are a slice too."""
    info = types.type_info(kind)
    bare = info.type if isinstance(info, types.Metadata) else info
    members = bare.types if isinstance(bare, types.UnionType) else (bare,)
    kinds = {type(t.type if isinstance(t, types.Metadata) else t) for t in members}
    return types.StrType in kinds and kinds <= {types.StrType, types.NoneType}


def _sort(kind: Any) -> type:
    info = types.type_info(kind)
    return type(info.type if isinstance(info, types.Metadata) else info)


def _members(info: types.Type, *, within: bool = False) -> Iterator[types.Type]:
    """Give the types of which a value may be, or also an item within an array."""
    if isinstance(info, types.Metadata):
        yield from _members(info.type, within=within)
    elif isinstance(info, types.UnionType):
        for member in info.types:
            yield from _members(member, within=within)
    elif within and isinstance(info, types.ListType):
        yield from _members(info.item_type, within=within)
    else:
        yield info


def _or_whole(kind: Any) -> Any:
    """Let a declared type, and the items of an array, be whole numbers wherever they may be strings."""
    if kind is str:
        return str | int
    inner = get_args(kind)
    if hasattr(kind, "__metadata__"):
        wider = _or_whole(inner[0])
        return kind if wider is inner[0] else kind | int if inner[0] is str else Annotated[wider, *inner[1:]]
    if get_origin(kind) is list:
        return kind if _or_whole(inner[0]) is inner[0] else list[_or_whole(inner[0])]  # type: ignore[misc]
    if get_origin(kind) in (Union, UnionType):
        return kind if all(_or_whole(t) is t for t in inner) else Union[tuple(map(_or_whole, inner))]  # noqa: UP007
    return kind


def _text(value: Any) -> Any:
    """Spell whole numbers, also those in an array, as text."""
    if isinstance(value, list):
        return list(map(_text, value))
    return str(value) if type(value) is int else value


def _identifier(key: str) -> str:
    """Spell any key as a Python name, different keys differently."""
    return "".join(c if c.isascii() and c.isalnum() else f"_{ord(c):x}_" for c in key)


def _struct(leaves: Sequence[Leaf], depth: int = 0) -> type[Struct]:
    """Declare the struct that decodes just these leaves, nested as their paths are."""
    fields: list[tuple[str, Any, Any]] = []
    rename: dict[str, str] = {}
    for key in dict.fromkeys(leaf.path[depth] for leaf in leaves):
        below = [leaf for leaf in leaves if leaf.path[depth] == key]
        first = below[0]
        attribute = first.attribute.split(".")[depth]
        rename[attribute] = key
        if len(first.path) == depth + 1:
            fields.append((attribute, first.kind, first.default))
        else:
            inner = _struct(below, depth + 1)
            needed = any(leaf.default is NODEFAULT for leaf in below)
            fields.append((attribute, inner, NODEFAULT if needed else msgspec.field(default_factory=inner)))
    return msgspec.defstruct("Record", fields, rename=rename, gc=False, kw_only=True)


def _column(rows: list[Any], leaf: Leaf) -> Any:
    get: Callable[[Any], Any] = attrgetter(leaf.attribute)
    return leaf.column(map(get, rows), len(rows))
