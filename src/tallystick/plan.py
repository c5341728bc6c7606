"""A plan: everything about a run that can be checked before a file is opened."""

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import replace

from . import contest, gate, options
from .audit import Audit, Sliced
from .audits import find
from .errors import UsageError
from .gate import Gate
from .report import Report
from .sources import Shape, Slice

if TYPE_CHECKING:
    from .baseline import Baseline


class Settings(Struct, frozen=True):
    """What every audit takes besides its own options, and what shapes its numbers."""

    slice_by: Annotated[
        tuple[str, ...], Meta(description="Also report each value of this string field apart; repeatable.")
    ] = ()
    min_slice_count: Annotated[
        int, Meta(ge=1, description="Leave slices with fewer records out of the table.")
    ] = 1
    max_slices: Annotated[int, Meta(ge=1, description="Refuse to slice by a field that has more values.")] = (
        10_000
    )
    map: Annotated[
        dict[str, str],
        Meta(description="Read a field under another name, such as expected=gold.label; repeatable."),
    ] = {}
    as_text: Annotated[
        tuple[str, ...],
        Meta(description="Read whole numbers in this field of text, such as an id, as text; repeatable."),
    ] = ()

    def stated(self) -> dict[str, Any]:
        """Give what a report states of them: what shapes its numbers."""
        stated = {key: value for key, value in options.plain(self).items() if key not in UNSTATED}
        return {key: value for key, value in stated.items() if key != "as_text" or value}


UNSTATED = frozenset({"max_slices"})
"""Settings that shape no number: they refuse a run, or let it pass."""


class Plan(Struct, frozen=True):
    """A run that is known to make sense, before any file is opened."""

    audit: type[Audit[Any, Any]]
    inputs: dict[str, type[Struct]]
    """The records of each input, in the form in which the inputs are given."""
    options: Struct
    settings: Settings
    slices: tuple[Slice, ...]
    gates: tuple[Gate, ...]
    baseline: "Baseline | None" = None
    """What gates may be relative to."""

    def state(self) -> Sliced:
        """Make the empty tallies that an engine fills."""
        names = tuple(part.name for part in self.slices)
        return Sliced(self.audit, self.options, names, self.settings.max_slices)

    def shape(self, source: str) -> Shape:
        """Say what to read of the records of one input."""
        slices = [part for part in self.slices if part.source in (None, source)]
        known = {f.name for f in msgspec.structs.fields(self.inputs[source])} | {
            part.field for part in slices
        }

        def own(flag: str, field: str) -> str | None:
            """Give a field of this input that FIELD or INPUT:FIELD names, or None."""
            which, colon, name = field.rpartition(":")
            if colon and which not in self.inputs:
                raise UsageError(flag, f"no input {which!r}", f"inputs: {', '.join(self.inputs)}")
            mine = which == source or (not colon and (name in known or len(self.inputs) == 1))
            return name if mine else None

        names = {key: name for field, name in self.settings.map.items() if (key := own("--map", field))}
        as_text = [key for field in self.settings.as_text if (key := own("--as-text", field))]
        return Shape(self.inputs[source], slices, names, as_text=as_text, gathers=self.audit.gathers)


def placed(audit: type[Audit[Any, Any]], given: Sequence[Any], named: Mapping[str, Any]) -> dict[str, Any]:
    """Give each input of an audit what was given for it, by name or by place.

    Raises
    ------
    UsageError
        Where an input is given nothing, or too much is given.
    """
    form = audit.sides if named.keys() & audit.sides.keys() else audit.inputs
    free = [name for name in form if name not in named]
    if len(given) > len(free) or (form is audit.sides and named.keys() - form.keys()):
        inputs_ = "its only input" if len(form) == 1 else f"its inputs are {' and '.join(form)}"
        raise UsageError(audit.name, f"too many inputs: {inputs_}, and all of them are given")
    inputs = {**dict(zip(free, given, strict=False)), **named}
    if missing := [name for name in form if name not in inputs]:
        flags = " and ".join(f"{options.spelled(name)} FILE" for name in missing)
        hint = "name a file, or - for standard input" if len(form) == 1 else f"add {flags}"
        raise UsageError(audit.name, f"no file given for {', '.join(missing)}", hint)
    return {name: inputs[name] for name in form}


def plan(
    audit: str,
    inputs: Iterable[str],
    own: Mapping[str, Any],
    shaping: Mapping[str, Any],
    gates: Iterable[tuple[Gate, str | None]],
    spelled: Any = str,
    against: str | os.PathLike[str] | Report | None = None,
) -> Plan:
    """Check options, settings and gates (each with the caller's spelling of it, if that differs).

    The baseline, if there is one, is read when all else is known to make sense.
    """
    chosen = find(audit)
    made = options.build(chosen.Options, own, spelled)
    settings = options.build(Settings, shaping, spelled)
    settings = replace(settings, slice_by=tuple(dict.fromkeys(settings.slice_by)))
    records = chosen.records(made)
    form = {name: records[name] for name in inputs}
    if settings.slice_by and not chosen.sliceable:
        raise UsageError(
            spelled("slice_by"), f"{chosen.name} is not sliced: all of its records are judged together"
        )
    slices = _slices(chosen, settings.slice_by, form)
    judged = list(gates)
    for one, where in judged:
        gate.check(one, chosen.Result, tuple(part.name for part in slices), where)
        if one.relative and against is None:
            hint = f"name the report of an earlier run: {spelled('against')}"
            raise UsageError(where or f"gate '{one}'", "no baseline is given", hint)
    gated = contest.effective([one for one, _ in judged], chosen.default_gates, chosen.Result)
    result = Plan(chosen, form, made, settings, slices, gated)
    for source in form:
        result.shape(source)
    if against is None:
        return result
    from .baseline import against as taken  # noqa: PLC0415  few runs have one

    return replace(result, baseline=taken(against, audit))


def _slices(audit: type[Audit[Any, Any]], slice_by: Iterable[str], form: Iterable[str]) -> tuple[Slice, ...]:
    """Read what to slice by: FIELD, or INPUT:FIELD; and what the audit is sliced by anyway."""
    slices = [Slice(field, field, source, optional=True) for field, source in audit.slice_by.items()]
    for name in slice_by:
        source, colon, field = name.partition(":")
        if colon and source in form:
            slices.append(Slice(name, field, source))
        elif name not in audit.slice_by:
            slices.append(Slice(name, name))
    return tuple(slices)
