"""From an audit's declarations to the flags of its command, and from given flags to a plan's parts."""

from collections.abc import Callable, Mapping, Sequence
from inspect import Parameter as Slot
from inspect import Signature
from typing import Annotated, Any, Literal, get_args, get_origin

import msgspec
from cyclopts import Group, Parameter
from msgspec import Struct

from . import fields, gate, options
from .audit import Audit
from .errors import UsageError, suggest
from .gate import Gate
from .measure import gateable
from .options import spelled
from .outputs import GITHUB, QUIET, WRITTEN
from .plan import Settings
from .sources.formats import FORMATS

INPUT = Group.create_ordered("Input")
OPTIONS = Group.create_ordered("Options")
GATES = Group.create_ordered("Gates", help="Exit 1 unless every gate passes. Limits are inclusive.")
OUTPUT = Group.create_ordered("Output")


JOBS = "How many processes read large files; by default one for each 16 MB, no more than cores."
"""What the flag `--jobs` says of itself."""


class Flag(Struct, frozen=True):
    """One flag of a command: the argument that holds it, its spelling, and how it is declared."""

    name: str
    spelling: str
    declared: Callable[[], Any]
    """Gives its annotated type. That takes time, and few flags of a command are given at once."""
    default: Any = None


def flags(audit: type[Audit[Any, Any]]) -> list[Flag]:
    """List the flags of an audit's command, in the order of its help."""
    listed = []
    named = [*(name for name in audit.inputs if name != "records"), *audit.sides]
    listed += [_list(name, INPUT, f"Files of the input {name}; repeatable.") for name in named]
    listed += [_option(field, INPUT) for field in msgspec.structs.fields(Settings)]
    about = "Refuse a file of more bytes before it is read; what a compressed one unpacks to counts."
    listed.append(_text("max_file_bytes", INPUT, about, takes="INT"))
    listed.append(_text("jobs", INPUT, JOBS, takes="INT"))
    about = f"The format of the files, whatever their names: {', '.join(FORMATS)}."
    listed.append(_text("input_format", INPUT, about))
    listed += [_option(field, OPTIONS) for field in msgspec.structs.fields(audit.Options)]
    standing = {one.measure: one.limit for one in map(gate.parse, audit.default_gates)}
    for name, measure in gateable(audit.Result).items():
        if flag := measure.flag_name(name):
            about = measure.about + (f" [default: {standing[name]}]" if name in standing else "")
            listed.append(_text(f"gate_{name}", GATES, about, takes="FLOAT", spelling=flag))
    listed.append(_list("gate", GATES, 'Any measure, row or slice: "recall[billing] >= 0.8"; repeatable.'))
    about = 'A baseline: the report of an earlier run, for gates such as "ece <= baseline + 0.01".'
    listed.append(_text("against", GATES, about))
    listed += [_text(name, OUTPUT, about) for name, about in WRITTEN.items()]
    listed.append(_switch("github", OUTPUT, GITHUB))
    listed.append(_text("format", OUTPUT, "What to print.", "text", "text|json"))
    listed.append(_switch("quiet", OUTPUT, QUIET))
    return listed


def command(
    audit: type[Audit[Any, Any]], call: Callable[[dict[str, Any]], int], words: Sequence[str] | None = None
) -> Callable[..., int]:
    """Make the function whose signature is an audit's command line, as far as it may be given these words."""
    known = flags(audit)
    said = {word.partition("=")[0] for word in words or () if word.startswith("-")}
    every = words is None or bool(said & {"--help", "-h"})
    declared = [flag for flag in known if every or flag.spelling in said]

    def run(*files: str, **given: Any) -> int:
        for word in files:
            if word.startswith("-") and word != "-":
                raise misspelt(audit, word.partition("=")[0])
        return call({flag.name: flag.default for flag in known} | given | {"files": files})

    about = f"Files or globs, - for standard input. Inputs in order: {', '.join(audit.inputs)}."
    parameter = Parameter(name="FILE", group=INPUT, help=about, allow_leading_hyphen=True)
    annotation = Annotated[str, parameter]
    slots = [Slot("files", Slot.VAR_POSITIONAL, annotation=annotation)]
    slots += [Slot(f.name, Slot.KEYWORD_ONLY, default=f.default, annotation=f.declared()) for f in declared]
    run.__signature__ = Signature(slots, return_annotation=int)  # type: ignore[attr-defined]
    run.__annotations__ = {slot.name: slot.annotation for slot in slots} | {"return": int}
    return run


def parts(
    audit: type[Audit[Any, Any]], given: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[str, Any], list[tuple[Gate, str | None]]]:
    """Read given flags as options, settings and gates, each gate with the flag that gave it."""
    own = {f.name: options.parse(given[f.name], f.type) for f in _given(audit.Options, given)}
    settings = {f.name: given[f.name] for f in _given(Settings, given)}
    if "map" in settings:
        settings["map"] = _pairs(settings["map"])
    for name in {"min_slice_count", "max_slices"} & settings.keys():
        settings[name] = options.parse(settings[name], int)
    gates: list[tuple[Gate, str | None]] = []
    for name, measure in gateable(audit.Result).items():
        limit = given.get(f"gate_{name}")
        if limit is not None and measure.operator is not None:
            text = gate.spell_limit(limit)
            gates.append((Gate(name, measure.operator, text), measure.flag_name(name)))
    gates += [(gate.parse(text, "--gate"), None) for text in given["gate"] or ()]
    return own, settings, gates


def misspelt(audit: type[Audit[Any, Any]], word: str) -> UsageError:
    """Make the error for a flag that an audit's command does not have."""
    listed = [flag.spelling for flag in flags(audit)]
    side, _, name = word.removeprefix("--").partition("-")
    other = f"--{'max' if side == 'min' else 'min'}-{name}"
    if side in ("min", "max") and other in listed:
        better = "higher" if other.startswith("--min") else "lower"
        return UsageError(word, f"{name.replace('-', '_')} is better {better}", f"use {other}")
    return UsageError(
        word, "no such option", suggest(word, listed) or f"tally {audit.name} --help lists them"
    )


def _given(kind: type[Struct], given: Mapping[str, Any]) -> list[msgspec.structs.FieldInfo]:
    return [f for f in msgspec.structs.fields(kind) if given.get(f.name) is not None]


def _pairs(texts: list[str]) -> dict[str, str]:
    pairs: dict[str, str] = {}
    for text in texts:
        field, equals, name = text.partition("=")
        if not (field and equals and name):
            raise UsageError("--map", f"expected FIELD=NAME, got {text!r}")
        if pairs.setdefault(field, name) != name:
            raise UsageError("--map", f"{field!r} is mapped twice")
    return pairs


def _option(field: msgspec.structs.FieldInfo, group: Group) -> Flag:
    about = fields.about(field.type)
    if field.type is bool or getattr(field.type, "__origin__", None) is bool:
        return _switch(field.name, group, about)
    if field.name == "map" or options.repeatable(field.type):
        return _list(field.name, group, about + _default(field))
    required = " [required]" if field.required else ""
    return _text(field.name, group, about + _default(field) + required, takes=_takes(field.type))


def _default(field: msgspec.structs.FieldInfo) -> str:
    given = field.default if not field.required else None
    shown = " ".join(map(str, given)) if isinstance(given, tuple) else given
    return "" if shown in (None, "", msgspec.NODEFAULT) else f" [default: {shown}]"


def _takes(kind: Any) -> str:
    """Name what a flag takes in its help: INT, FLOAT, one of some words, or STR."""
    bare = kind.__origin__ if hasattr(kind, "__metadata__") else kind
    if get_origin(bare) is Literal:
        return "|".join(get_args(bare))
    return {int: "INT", float: "FLOAT"}.get(bare, "STR")


def _text(
    name: str, group: Group, about: str, default: Any = None, takes: str = "STR", spelling: str = ""
) -> Flag:
    """Declare a flag whose text goes as it is through the one door of options.

    To the command line all of them take text: where pydantic is loaded, it would refuse anything else.
    """
    flag = spelling or spelled(name)

    def declared() -> Any:
        parameter = Parameter(
            name=flag,
            group=group,
            help=about,
            metavar=takes,
            converter=_first,
            show_default=False,
            allow_leading_hyphen=True,
        )
        return Annotated[str | None, parameter]

    return Flag(name, flag, declared, default)


def _list(name: str, group: Group, about: str) -> Flag:
    return Flag(
        name, spelled(name), lambda: _annotated(list[str], name, group, about, consume_multiple=False)
    )


def _switch(name: str, group: Group, about: str) -> Flag:
    return Flag(name, spelled(name), lambda: _annotated(bool, name, group, about))


def _annotated(kind: Any, name: str, group: Group, about: str, **more: Any) -> Any:
    parameter = Parameter(
        name=spelled(name), group=group, help=about, negative="", show_default=False, **more
    )
    return Annotated[kind | None, parameter]


def _first(_kind: Any, tokens: Any) -> str:
    text: str = tokens[0].value
    return text
