"""One run: accumulate, finish, judge, build.

`execute` reads the inputs of a plan into tallies, and builds the report from them.
"""

import os
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from . import __version__, gate, options, sources, units
from .audit import Sliced
from .audits import find
from .engines import local
from .errors import RecordError, SourceError, UsageError
from .findings import findings
from .plan import Plan, placed, plan
from .report import SCHEMA, Report
from .share import shared
from .sources import Batch, Facts, Source, formats


def run(
    audit: str,
    *given: Source | list[Source],
    gates: Iterable[str] = (),
    slice_by: str | Iterable[str] = (),
    min_slice_count: int = 1,
    max_slices: int = 10_000,
    map: Mapping[str, str] | None = None,  # noqa: A002  the name of the flag
    as_text: str | Iterable[str] = (),
    max_file_bytes: int | None = None,
    input_format: str | None = None,
    against: str | os.PathLike[str] | Report | None = None,
    jobs: int | None = None,
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
    max_slices
        Refuse to slice by a field that has more values.
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
    jobs
        How many processes read large files; by default one for each 16 MB, and no more than there are cores.
        It changes no number.
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
        "max_slices": max_slices,
        "map": {} if map is None else dict(map) if hasattr(map, "keys") else map,
        "as_text": _listed(as_text),
    }
    formats.check(input_format, "input_format")
    judged = [(gate.parse(text), None) for text in _listed(gates)]
    made = plan(audit, list(inputs), own, shaping, judged, against=against)
    if jobs is not None and (type(jobs) is not int or jobs < 1):
        raise UsageError("jobs", f"expected a whole number from 1, got {jobs!r}")
    return execute(made, inputs, max_file_bytes, input_format, jobs=jobs)


def _listed(given: Any) -> list[Any]:
    """Give one thing, or several, as a list."""
    return list(given) if isinstance(given, Iterable) and not isinstance(given, str | Mapping) else [given]


def execute(
    plan: Plan,
    inputs: Mapping[str, list[Source]],
    max_file_bytes: int | None = None,
    input_format: str | None = None,
    watched: list[Facts] | None = None,
    jobs: int | None = None,
) -> Report:
    """Read the inputs of a plan, with some processes (by size and cores, unless told), and build the report.

    `watched` is an empty list that gets what is known of each source from when it is opened, and grows while
    it is read: who holds it can say how far the reading is.
    """
    started = time.time()
    facts: list[Facts] = [] if watched is None else watched
    try:
        state = _accumulate(plan, inputs, facts, max_file_bytes, input_format, jobs)
    except RecordError as fault:
        if plan.audit.sides and plan.inputs.keys() != plan.audit.sides.keys() and ": missing" in fault.what:
            flags = " ".join(f"{options.spelled(name)} FILE" for name in plan.audit.sides)
            fault.hint = fault.hint or f"if each system has its own file: {flags}"
        raise
    return build(plan, state, facts, started)


def _accumulate(
    plan: Plan,
    inputs: Mapping[str, list[Source]],
    facts: list[Facts],
    max_file_bytes: int | None,
    input_format: str | None,
    jobs: int | None,
) -> Sliced:
    """Count all records, in one process or in several."""
    if share := shared(plan, inputs, jobs):
        from .dispatch import accumulate  # noqa: PLC0415  what it needs, small inputs do without

        state = accumulate(plan, share, facts, max_file_bytes, input_format)
        if state is not None:
            for name in inputs:
                _check([fact for fact in facts if fact.source == name])
            return state
        facts.clear()
    streams = {
        name: _stream(plan, name, listed, facts, max_file_bytes, input_format)
        for name, listed in inputs.items()
    }
    return local.accumulate(plan.state(), units.arrange(plan.audit, streams))


def _check(facts: list[Facts]) -> None:
    """Refuse an input without any records."""
    if not any(fact.records for fact in facts):
        where = ", ".join(fact.name for fact in facts)
        raise SourceError(where, "no records", "an audit of nothing would decide nothing")


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
    _check(own)


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
