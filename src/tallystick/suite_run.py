"""The audits of a suite, run one after another or side by side, and what they come to together."""

import os
from collections.abc import Callable, Iterable, Sequence
from contextlib import nullcontext
from typing import Any

import msgspec
from msgspec import Struct

from . import errors, sources
from .errors import TallystickError
from .fields import lines
from .report import Report, SuiteReport
from .run import execute
from .share import processes
from .sources import Facts, Source, Watch
from .suite import Entry, Suite, load

EACH = 24_000_000
"""Bytes of inputs for each audit that runs beside others; with fewer, starting processes costs more."""


class Outcome(Struct, frozen=True):
    """What came of one audit, as plain data: its report, or its fault; and what is known of its inputs."""

    report: tuple[dict[str, Any], dict[str, Any]] | None
    fault: tuple[str, str, str, str | None] | None
    facts: list[Facts]

    @property
    def made(self) -> Report | TallystickError:
        """The report, or the error."""
        if self.report is not None:
            return Report(*self.report)
        kind, where, what, hint = self.fault or ("TallystickError", "", "", None)
        fault: TallystickError = getattr(errors, kind)(where, what, hint)
        return fault


def run_suite(
    suite: Suite | str | os.PathLike[str],
    only: Iterable[str] = (),
    watch: Watch | None = None,
    jobs: int | None = None,
) -> SuiteReport:
    """Run every audit of a suite, with all of its inputs watched together.

    Parameters
    ----------
    suite
        The suite, or its file.
    only
        Names of the audits to run, where it is a file; all, where none is given.
    watch
        Runs beside the reading and shows how far it is.
    jobs
        How many processes there are at a time; by default one for each audit, and no more than cores, where
        the inputs are large.

    Raises
    ------
    TallystickError
        Where one of the audits could decide nothing; then the suite decides nothing. All such errors are
        in its text.
    """
    loaded = suite if isinstance(suite, Suite) else load(suite, only)
    names = [entry.name for entry in loaded.entries]
    seen: list[list[Facts]] = [[] for _ in names]
    read = [path for entry in loaded.entries for paths in entry.inputs.values() for path in paths]
    with watch(seen, sources.size(read)) if watch else nullcontext():
        outcomes = _outcomes(loaded, seen, jobs)
    faults = {name: o for name, o in zip(names, outcomes, strict=True) if isinstance(o, TallystickError)}
    if faults:
        said = [one for name, fault in faults.items() for one in f"{name}: {fault}".split("\n")]
        raise TallystickError("", lines(said), next((f.hint for f in faults.values() if f.hint), None))
    reports = {name: o for name, o in zip(names, outcomes, strict=True) if isinstance(o, Report)}
    return SuiteReport(reports, loaded.sha256, loaded.path, loaded.only, [loaded.path, *loaded.paths])


def _outcomes(loaded: Suite, seen: Sequence[list[Facts]], jobs: int | None) -> list[Report | TallystickError]:
    """Run the audits; `seen` gets what is known of the inputs of each."""
    size = sum(map(_size, loaded.paths))
    count = min(len(loaded.entries), processes(jobs, size // EACH))
    if count == 1:
        return [_attempt(entry, facts, jobs).made for entry, facts in zip(loaded.entries, seen, strict=True)]
    from .engines.processes import Crew  # noqa: PLC0415  slow to import, and rarely needed

    made: dict[int, Report | TallystickError] = {}

    def done(number: int, answer: bytes) -> None:
        outcome = msgspec.msgpack.decode(answer, type=Outcome)
        seen[number].extend(outcome.facts)
        made[number] = outcome.made

    with Crew(member, loaded.path.encode(), count) as crew:
        crew.share([entry.name.encode() for entry in loaded.entries], done)
    return [made[number] for number in range(len(loaded.entries))]


def member(path: bytes, _name: str) -> Callable[[bytes], bytes]:
    """Make what runs audits of a suite file by their names, in a process of its own."""

    def answer(request: bytes) -> bytes:
        entry = load(path.decode(), [request.decode()]).entries[0]
        return msgspec.msgpack.encode(_attempt(entry, [], 1))

    return answer


def _attempt(entry: Entry, facts: list[Facts], jobs: int | None) -> Outcome:
    inputs: dict[str, list[Source]] = {name: [*paths] for name, paths in entry.inputs.items()}
    try:
        report = execute(entry.plan, inputs, entry.max_file_bytes, entry.input_format, facts, jobs)
    except TallystickError as fault:
        return Outcome(None, (type(fault).__name__, fault.where, fault.what, fault.hint), facts)
    return Outcome((report.body, report.produced), None, facts)


def _size(path: str) -> int:
    return os.path.getsize(path) if os.path.isfile(path) else 0
