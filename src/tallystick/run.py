"""One run: plan, accumulate, finish, judge, build.

`plan` checks everything that can be checked before a file is opened; `execute` reads the inputs into
tallies and builds the report from them.
"""

import os
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct
from msgspec.structs import replace

from . import __version__, contest, gate, options, sources, units
from .audit import Audit, Sliced
from .audits import find
from .baseline import Baseline
from .baseline import against as taken
from .engines import local
from .errors import RecordError, SourceError, UsageError
from .findings import findings
from .gate import Gate
from .report import SCHEMA, Report
from .sources import Batch, Facts, Shape, Slice, Source, formats


class Settings(Struct, frozen=True):
    """What every audit takes besides its own options, and what shapes its numbers."""

    slice_by: Annotated[
        tuple[str, ...], Meta(description="Also report each value of this string field apart; repeatable.")
    ] = ()
    min_slice_count: Annotated[
        int, Meta(ge=1, description="Leave slices with fewer records out of the table.")
    ] = 1
    map: Annotated[
        dict[str, str],
        Meta(description="Read a field under another name, such as expected=gold.label; repeatable."),
    ] = {}
    as_text: Annotated[
        tuple[str, ...],
        Meta(description="Read whole numbers in this field of text, such as an id, as text; repeatable."),
    ] = ()

    def stated(self) -> dict[str, Any]:
        """Give what a report states of them."""
        return {key: value for key, value in options.plain(self).items() if key != "as_text" or value}


class Plan(Struct, frozen=True):
    """A run that is known to make sense, before any file is opened."""

    audit: type[Audit[Any, Any]]
    inputs: dict[str, type[Struct]]
    """The records of each input, in the form in which the inputs are given."""
    options: Struct
    settings: Settings
    slices: tuple[Slice, ...]
    gates: tuple[Gate, ...]
    baseline: Baseline | None = None
    """What gates may be relative to."""

    def state(self) -> Sliced:
        """Make the empty tallies that an engine fills."""
        return Sliced(self.audit, self.options, tuple(part.name for part in self.slices))

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


def run(
    audit: str,
    *given: Source | list[Source],
    gates: Iterable[str] = (),
    slice_by: str | Iterable[str] = (),
    min_slice_count: int = 1,
    map: Mapping[str, str] | None = None,  # noqa: A002  the name of the flag
    as_text: str | Iterable[str] = (),
    max_file_bytes: int | None = None,
    input_format: str | None = None,
    against: str | os.PathLike[str] | Report | None = None,
    **own: Any,
) -> Report:
    """Audit predictions, and judge the result.

    Parameters
    ----------
    audit
        The name of an audit, such as ``"calibration"``; `tallystick.audits` lists them.
    given
        For each input of the audit a path or glob, a list of them, a frame (pandas, polars, pyarrow, DuckDB,
        or any object that gives Arrow data), a mapping of arrays by column, or an iterable of mappings.
    gates
        Requirements such as ``"ece <= 0.05"``.
    slice_by
        String fields; the audit is also made for each of their values.
    min_slice_count
        Leave slices with fewer records out.
    map
        Declared field to the name that it has in the records; a dotted path reaches into objects.
    as_text
        Fields of text, such as an id, in which whole numbers are read as the texts that they print as.
    max_file_bytes
        Refuse a larger file before it is read; what a compressed one unpacks to counts.
    input_format
        The format of files, whatever their names: jsonl, json, csv, tsv, parquet or arrow.
    against
        A baseline, the report of an earlier run of the audit: gates such as ``"ece <= baseline + 0.01"``
        are relative to it.
    own
        The audit's options by name, and its inputs by name where they are not given by place.

    Returns
    -------
    The report; ``report.passed`` says whether every gate passed.

    Raises
    ------
    TallystickError
        Where nothing can be decided: an option, a gate, a file or a record that cannot be honoured.
    """
    chosen = find(audit)
    named = {name: own.pop(name) for name in list(own) if name in {*chosen.inputs, *chosen.sides}}
    inputs = {name: sources.listed(source) for name, source in placed(chosen, given, named).items()}
    shaping = {
        "slice_by": _listed(slice_by),
        "min_slice_count": min_slice_count,
        "map": {} if map is None else dict(map) if hasattr(map, "keys") else map,
        "as_text": _listed(as_text),
    }
    formats.check(input_format, "input_format")
    judged = [(gate.parse(text), None) for text in _listed(gates)]
    made = plan(audit, list(inputs), own, shaping, judged, against=against)
    return execute(made, inputs, max_file_bytes, input_format)


def _listed(given: Any) -> list[Any]:
    """Give one thing, or several, as a list."""
    return list(given) if isinstance(given, Iterable) and not isinstance(given, str | Mapping) else [given]


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
    return result if against is None else replace(result, baseline=taken(against, audit))


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


def execute(
    plan: Plan,
    inputs: Mapping[str, list[Source]],
    max_file_bytes: int | None = None,
    input_format: str | None = None,
    watched: list[Facts] | None = None,
) -> Report:
    """Read the inputs of a plan, and build the report.

    `watched` is an empty list that gets what is known of each source from when it is opened, and grows while
    it is read: who holds it can say how far the reading is.
    """
    started = time.time()
    facts: list[Facts] = [] if watched is None else watched
    streams = {
        name: _stream(plan, name, listed, facts, max_file_bytes, input_format)
        for name, listed in inputs.items()
    }
    try:
        state = local.accumulate(plan.state(), units.arrange(plan.audit, streams))
    except RecordError as fault:
        if plan.audit.sides and plan.inputs.keys() != plan.audit.sides.keys() and ": missing" in fault.what:
            flags = " ".join(f"{options.spelled(name)} FILE" for name in plan.audit.sides)
            fault.hint = fault.hint or f"if each system has its own file: {flags}"
        raise
    return build(plan, state, facts, started)


def _stream(
    plan: Plan,
    name: str,
    listed: list[Source],
    facts: list[Facts],
    max_file_bytes: int | None,
    input_format: str | None,
) -> Iterator[Batch]:
    """Read every source of one input, and refuse the input if it has no records."""
    shape = plan.shape(name)
    own: list[Facts] = []
    for source in listed:
        known, batches = sources.read(source, shape, name, max_file_bytes, input_format)
        own.append(known)
        facts.append(known)
        yield from batches
    if not any(fact.records for fact in own):
        where = ", ".join(fact.name for fact in own)
        raise SourceError(where, "no records", "an audit of nothing would decide nothing")


def _repeated(inputs: list[dict[str, Any]]) -> list[str]:
    """Warn of an input that was given the same bytes twice."""
    known = Counter((one["input"], one["sha256"]) for one in inputs if one["sha256"])
    return [f"{n} files of {name} hold the same bytes" for (name, _), n in known.items() if n > 1]


def build(plan: Plan, state: Sliced, facts: list[Facts], started: float) -> Report:
    """Finish the tallies, judge the gates, and put the report together.

    Raises
    ------
    SourceError
        Where the records together lack what the audit cannot do without.
    """
    if lacking := state.overall.lacking():
        raise SourceError(", ".join(fact.name for fact in facts), lacking)
    known = sorted(facts, key=lambda fact: (fact.source, fact.sha256 or "", fact.records))
    inputs = [fact.body() for fact in known]
    body = {
        "schema": SCHEMA,
        "audit": plan.audit.name,
        "revision": plan.audit.revision,
        "options": options.plain(plan.options) | plan.settings.stated(),
        "inputs": inputs,
        **({"baseline": plan.baseline.stated()} if plan.baseline else {}),
        **findings(state, plan.options, plan.settings.min_slice_count, plan.gates, plan.baseline),
    }
    body["warnings"] += _repeated(inputs)
    if plan.baseline:
        body["warnings"] += plan.baseline.warnings(body)
    produced = {
        "by": f"tallystick {__version__}",
        "at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(started)),
        "seconds": round(time.time() - started, 3),
        "files": [fact.name for fact in known],
    }
    return Report(body, produced)
