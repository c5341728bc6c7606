"""One run: plan, accumulate, finish, judge, build.

`plan` checks everything that can be checked before a file is opened; `execute` reads the inputs into
tallies and builds the report from them.
"""

import time
from collections.abc import Iterable, Iterator, Mapping
from typing import Annotated, Any

from msgspec import Meta, Struct

from . import __version__, gate, options, sources, units
from .audit import Audit, Sliced
from .audits import find
from .engines import local
from .errors import SourceError, UsageError
from .findings import findings
from .gate import Gate
from .report import SCHEMA, Report
from .sources import Batch, Facts, Shape, Source


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
    ] = {}  # noqa: RUF012  msgspec copies defaults


class Plan(Struct, frozen=True):
    """A run that is known to make sense, before any file is opened."""

    audit: type[Audit[Any, Any]]
    options: Struct
    settings: Settings
    gates: tuple[Gate, ...]

    def state(self) -> Sliced:
        """Make the empty tallies that an engine fills."""
        return Sliced(self.audit, self.options, self.settings.slice_by)

    def shape(self, source: str) -> Shape:
        """Say what to read of the records of one input."""
        names = {}
        for field, name in self.settings.map.items():
            which, colon, own = field.rpartition(":")
            if not colon or which == source:
                names[own] = name
        return Shape(self.audit.inputs[source], self.settings.slice_by, names)


def run(  # noqa: PLR0913
    audit: str,
    *given: Source | list[Source],
    gates: Iterable[str] = (),
    slice_by: str | Iterable[str] = (),
    min_slice_count: int = 1,
    map: Mapping[str, str] | None = None,  # noqa: A002  the name of the flag
    max_file_bytes: int | None = None,
    **own: Any,
) -> Report:
    """Audit predictions, and judge the result.

    Parameters
    ----------
    audit
        The name of an audit, such as ``"calibration"``; `tallystick.audits` lists them.
    given
        For each input of the audit a path, a list of paths, or an iterable of mappings.
    gates
        Requirements such as ``"ece <= 0.05"``.
    slice_by
        String fields; the audit is also made for each of their values.
    min_slice_count
        Leave slices with fewer records out.
    map
        Declared field to the name that it has in the records; a dotted path reaches into objects.
    max_file_bytes
        Refuse a larger file before it is read.
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
    inputs = {name: own.pop(name) for name in list(own) if name in chosen.inputs}
    for name, source in zip([n for n in chosen.inputs if n not in inputs], given, strict=False):
        inputs[name] = source
    if len(given) > len(chosen.inputs) or len(inputs) < len(chosen.inputs):
        wanted = ", ".join(chosen.inputs)
        raise UsageError(audit, f"takes {len(chosen.inputs)} input(s): {wanted}; got {len(given)}")
    shaping = {
        "slice_by": [slice_by] if isinstance(slice_by, str) else list(slice_by),
        "min_slice_count": min_slice_count,
        "map": dict(map or {}),
    }
    texts = [gates] if isinstance(gates, str) else gates
    made = plan(audit, own, shaping, [(gate.parse(text), None) for text in texts])
    return execute(made, {name: sources.listed(source) for name, source in inputs.items()}, max_file_bytes)


def plan(
    audit: str,
    own: Mapping[str, Any],
    shaping: Mapping[str, Any],
    gates: Iterable[tuple[Gate, str | None]],
    spelled: Any = str,
) -> Plan:
    """Check options, settings and gates (each with the caller's spelling of it, if that differs)."""
    chosen = find(audit)
    made = options.build(chosen.Options, own, spelled)
    settings = options.build(Settings, shaping, spelled)
    settings = Settings(tuple(dict.fromkeys(settings.slice_by)), settings.min_slice_count, settings.map)
    judged = list(gates)
    for one, where in judged:
        gate.check(one, chosen.Result, settings.slice_by, where)
    result = Plan(chosen, made, settings, tuple(one for one, _ in judged))
    for source in chosen.inputs:
        result.shape(source)
    return result


def execute(
    plan: Plan, inputs: Mapping[str, list[Source]], max_file_bytes: int | None = None
) -> Report:
    """Read the inputs of a plan, and build the report."""
    started = time.time()
    facts: list[Facts] = []
    batches = _batches(plan, inputs, facts, max_file_bytes)
    if plan.audit.unique is not None:
        batches = units.distinct(batches, plan.audit.unique)
    state = local.accumulate(plan.state(), batches)
    return build(plan, state, facts, started)


def _batches(
    plan: Plan, inputs: Mapping[str, list[Source]], facts: list[Facts], max_file_bytes: int | None
) -> Iterator[Batch]:
    """Read every source of every input, and refuse one without records."""
    for name, listed in inputs.items():
        shape = plan.shape(name)
        records = 0
        for source in listed:
            known, batches = sources.read(source, shape, name, max_file_bytes)
            facts.append(known)
            yield from batches
            records += known.records
        if not records:
            where = ", ".join(fact.name for fact in facts if fact.source == name)
            raise SourceError(where, "no records", "an audit of nothing would decide nothing")


def build(plan: Plan, state: Sliced, facts: list[Facts], started: float) -> Report:
    """Finish the tallies, judge the gates, and put the report together."""
    inputs = sorted((fact.body() for fact in facts), key=lambda b: (b["input"], b["sha256"] or "", b["records"]))
    body = {
        "schema": SCHEMA,
        "audit": plan.audit.name,
        "revision": plan.audit.revision,
        "options": options.plain(plan.options) | options.plain(plan.settings),
        "inputs": inputs,
        **findings(plan.audit, state, plan.options, plan.settings.min_slice_count, plan.gates),
    }
    produced = {
        "by": f"tallystick {__version__}",
        "at": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(started)),
        "seconds": round(time.time() - started, 3),
        "files": [fact.name for fact in facts],
    }
    return Report(body, produced)
