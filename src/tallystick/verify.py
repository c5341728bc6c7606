"""Verify a report: every difference between what it claims and what can be derived again.

A report is a claim, the files are the evidence. Settings, gates and the tolerance are the caller's, never
the report's: a rewritten number cannot be excused by a looser setting, nor a loosened gate by a report
that states it. The digest finds accidents; only recomputing finds forgery.
"""

import json
import math
import os
import re
import shlex
from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct

from .audits import AUDITS, find
from .errors import ReportError, UsageError
from .fields import show
from .measure import measures, tables
from .options import flag, spelled
from .report import Report, SuiteReport, canonical, digest, read
from .run import run

MOST = 200
"""Characters of a value that a difference quotes."""

RELATIVE = 1e-12
"""Relative tolerance of measures declared `exact=False`: machines of another kind may differ by as much."""

STEPS = {
    "audit, revision, options": ("schema", "audit", "revision", "options"),
    "inputs": ("inputs", "baseline"),
    "numbers": ("result", "slices", "undefined", "warnings"),
    "gates and verdict": ("gates", "passed"),
}
"""The steps after the digest, and the keys of the body that each compares."""


class Difference(Struct, frozen=True):
    """One field in which the claim is not what was recomputed, both as JSON."""

    path: str
    claimed: str
    recomputed: str

    def __str__(self) -> str:
        return f"{self.path}: claimed {self.claimed}, recomputed {self.recomputed}"


class Step(Struct, frozen=True):
    """One step of a verification: what it compared, how many fields, and what differs."""

    name: str
    checks: int
    differences: tuple[Difference, ...]
    hint: str | None = None


class Verification(Struct, frozen=True):
    """The outcome of all five steps."""

    steps: tuple[Step, ...]

    @property
    def checks(self) -> int:
        """How many fields were compared."""
        return sum(step.checks for step in self.steps)

    @property
    def differences(self) -> tuple[Difference, ...]:
        """All differences, step by step."""
        return tuple(one for step in self.steps for one in step.differences)

    @property
    def passed(self) -> bool:
        """Whether nothing differs."""
        return not self.differences


def verify(
    report: str | os.PathLike[str], audit: str, *given: Any, tolerance: float = 0.0, **settings: Any
) -> Verification:
    """Check the report in a file against the files that it speaks of.

    Parameters
    ----------
    report
        The report's file.
    audit, given, settings
        What `tallystick.run` would be called with to make this report: nothing is taken from the report.
    tolerance
        Absolute, for every number that is not an integer.

    Raises
    ------
    TallystickError
        Where nothing can be decided: no report, another audit or revision, inputs that cannot be read.
    """
    chosen = find(audit)
    claim = claimed(report, audit, chosen.revision)
    return compare(claim, run(audit, *given, **settings), chosen.Result, tolerance)


def claimed(path: str | os.PathLike[str], audit: str, revision: int) -> dict[str, Any]:
    """Read the report to verify, and refuse one that this release cannot recompute.

    Raises
    ------
    ReportError
        Where it is no report, of another audit, or of another revision of the audit.
    """
    held, where = read(path), os.fspath(path)
    if "audits" in held:
        raise ReportError(where, "is the report of a suite", "verify it with --suite SUITE")
    if held.get("audit") != audit:
        raise ReportError(where, f"is a report of {held.get('audit')!r}, not of {audit!r}")
    if held.get("revision") != revision:
        produced = held.get("produced")
        by = str(produced.get("by", "")) if isinstance(produced, dict) else ""
        what = f"revision {held.get('revision')!r} of {audit}; this release computes revision {revision}"
        hint = f"install the release that made it ({by})" if by else "install the release that made it"
        raise ReportError(where, what, hint)
    return held


def claimed_suite(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Read the combined report of a suite, to verify it.

    Raises
    ------
    ReportError
        Where it is no such report, or one of its audits has another revision.
    """
    held, where = read(path), os.fspath(path)
    if "audits" not in held:
        raise ReportError(
            where, "is not the report of a suite", "name the command that made it, without --suite"
        )
    for one in _listed(held["audits"]):
        name = one.get("audit")
        if name in AUDITS and one.get("revision") != find(name).revision:
            what = f"revision {one.get('revision')!r} of {name}; this release computes {find(name).revision}"
            raise ReportError(where, what, "install the release that made it")
    return held


def compare(
    claim: Mapping[str, Any], fresh: Report, result: type[Struct], tolerance: float = 0.0
) -> Verification:
    """Compare a report, as read from its file, with one made afresh as the caller says.

    Parameters
    ----------
    claim
        The whole content of the report's file.
    fresh
        The report made by the caller's audit, files, settings and gates.
    result
        The audit's result type, which says which measures are exact.
    tolerance
        Absolute, for every number that is not an integer.

    Raises
    ------
    UsageError
        For a tolerance that is negative, infinite or not a number.
    """
    body = _body(claim)
    digests = Step("digest", *_counted(_digest(claim, body)))
    return Verification((digests, *_steps(body, fresh.body, result, _checked(tolerance))))


def compare_suite(claim: Mapping[str, Any], fresh: SuiteReport, tolerance: float = 0.0) -> Verification:
    """Compare the combined report of a suite with one made afresh from the suite's file.

    The steps of each audit follow those of the whole, and their paths start with the audit's name.
    """
    near = _Near(_checked(tolerance), frozenset())
    body, made = _body(claim), fresh.body
    steps = [Step("digest", *_counted(_digest(claim, body)))]
    stated, audits = _listed(body.pop("audits", None)), made.pop("audits")
    steps.append(Step("suite and verdict", *_counted(near.walk(body, made, "suite"))))
    names, own_names = ([one.get("name") for one in listed] for listed in (stated, audits))
    steps.append(Step("audits", *_counted(near.walk(names, own_names, "audits"))))
    for one, own in zip(stated, audits, strict=False):
        steps += _steps(one, own, find(own["audit"]).Result, tolerance, f"{own['name']}: ")
    return Verification(tuple(steps))


def _listed(audits: Any) -> list[dict[str, Any]]:
    """Give the audits of a combined report, an empty one for what is none."""
    listed = audits if isinstance(audits, list) else []
    return [one if isinstance(one, dict) else {} for one in listed]


def _checked(tolerance: float) -> float:
    if not (math.isfinite(tolerance) and tolerance >= 0):
        raise UsageError("--tol", f"expected a finite number from 0, got {tolerance!r}")
    return tolerance


def _body(claim: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in claim.items() if key not in ("digest", "produced")}


def _steps(
    body: Mapping[str, Any],
    fresh: Mapping[str, Any],
    result: type[Struct],
    tolerance: float,
    prefix: str = "",
) -> list[Step]:
    """Compare the body of one audit, step by step."""
    made: dict[str, Any] = json.loads(canonical(fresh))
    near = _Near(tolerance, _inexact(result))
    pairs = {k: near.walk(body.get(k, _Absent), made.get(k, _Absent), prefix + k) for k in {*body, *made}}
    hints = {"options": _flags(body, made), "gates": _gates(body, made), "baseline": _baseline(body, made)}
    steps = []
    for name, keys in STEPS.items():
        known = [pair for key in keys for pair in pairs.pop(key, [])]
        hint = next((hints[key] for key in keys if hints.get(key)), None)
        steps.append(Step(prefix + name, *_counted(known), hint))
    strange = Step(prefix + "nothing else", *_counted([pair for key in sorted(pairs) for pair in pairs[key]]))
    return [*steps, strange] if strange.differences else steps


class _Near:
    """Walk two values side by side; give a difference or None for every field."""

    def __init__(self, tolerance: float, inexact: frozenset[str]) -> None:
        self._tolerance, self._inexact = tolerance, inexact

    def walk(self, claim: Any, made: Any, path: str) -> list[Difference | None]:
        return list(self._walk(claim, made, path))

    def _walk(self, claim: Any, made: Any, path: str) -> Iterator[Difference | None]:
        if isinstance(claim, dict) and isinstance(made, dict):
            for key in sorted({*claim, *made}):
                yield from self._walk(claim.get(key, _Absent), made.get(key, _Absent), f"{path}.{_key(key)}")
        elif isinstance(claim, list) and isinstance(made, list):
            for place in range(max(len(claim), len(made))):
                one, other = (x[place] if place < len(x) else _Absent for x in (claim, made))
                yield from self._walk(one, other, f"{path}[{place}]")
        else:
            same = type(claim) is type(made) and (claim == made or self._close(claim, made, path))
            yield None if same else Difference(path, _json(claim), _json(made))

    def _close(self, claim: Any, made: Any, path: str) -> bool:
        if not isinstance(claim, float) or not isinstance(made, float):
            return False
        name = path.rpartition(".")[2]
        relative = RELATIVE if name in self._inexact or name == "actual" else 0.0
        return abs(claim - made) <= max(self._tolerance, relative * abs(made))


class _Absent:
    """Stands where one side has a field and the other has not."""


def _inexact(result: type[Struct]) -> frozenset[str]:
    """Name the measures, of the whole and of rows, that machines may compute differently."""
    kinds = [result, *(row for _, row in tables(result).values())]
    return frozenset(name for kind in kinds for name, m in measures(kind).items() if not m.exact)


def _digest(claim: Mapping[str, Any], body: Mapping[str, Any]) -> list[Difference | None]:
    try:
        own = digest(body)
    except ValueError:
        own = "none: the body holds a number that is not finite"
    stated = claim.get("digest", _Absent)
    return [None if stated == own else Difference("digest", _json(stated), _json(own))]


def _flags(body: Mapping[str, Any], made: Mapping[str, Any]) -> str | None:
    """Give the flags that would reproduce the settings of a claim."""
    stated, own = body.get("options"), made["options"]
    if not isinstance(stated, dict) or stated == own:
        return None
    flags = []
    for name in sorted((stated.keys() & own.keys()) | ({*stated, *own} & {"as_text"})):
        if stated.get(name) != own.get(name):
            flags += flag(name, stated.get(name)) or [f"(without {spelled(name)})"]
    return f"to reproduce the claim: {shlex.join(flags)}" if flags else None


def _gates(body: Mapping[str, Any], made: Mapping[str, Any]) -> str | None:
    """Give the gates that would reproduce those of a claim, where they are not the caller's."""
    stated, own = (
        [g.get("gate") for g in x if isinstance(g, dict)] for x in (body.get("gates") or [], made["gates"])
    )
    if stated == own:
        return None
    words = [word for text in stated for word in ("--gate", str(text))]
    return f"the claim was judged by: {shlex.join(words) if words else 'no gates'}"


def _baseline(body: Mapping[str, Any], made: Mapping[str, Any]) -> str | None:
    """Say which baseline the claim was judged against, where it is not the caller's."""
    stated = body.get("baseline")
    if stated == made.get("baseline"):
        return None
    if not isinstance(stated, dict):
        return "the claim was judged without a baseline"
    return f"the claim was judged against the baseline whose digest is {stated.get('digest')}"


def _counted(pairs: list[Difference | None]) -> tuple[int, tuple[Difference, ...]]:
    return len(pairs), tuple(pair for pair in pairs if pair is not None)


def _key(key: str) -> str:
    return key if re.fullmatch(r"[\w-]+", key) else json.dumps(key, ensure_ascii=False)


def _json(value: Any) -> str:
    return "nothing" if value is _Absent else show(value, MOST)
