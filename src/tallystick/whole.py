"""Reports read back from their files: whole, and with the digest of what they hold.

A file may have been damaged, or be of a newer release. What every reader of a report leans on is checked
here, once, so that none of them need ask again; what it has beyond that is left alone.
"""

import os
from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import Struct

from .errors import ReportError
from .report import Report, SuiteReport, digest, read

OUTSIDE = ("digest", "produced")
"""What stands in a report's file beside its body."""


def whole(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Read the body of the report of an audit.

    Raises
    ------
    ReportError
        Where the file is no report, has not every part of one, or its digest is not its own.
    """
    return checked(os.fspath(path), read(path))


def load(path: str | os.PathLike[str]) -> Report | SuiteReport:
    """Read the report of an audit, or the combined report of a suite.

    Raises
    ------
    ReportError
        Where the file is neither, has not every part of one, or its digest is not its own.
    """
    where, held = os.fspath(path), read(path)
    made = _object(held.get("produced"))
    if "audits" not in held:
        return Report(checked(where, held), made)
    body = _true(where, held, _Combined)
    runs = _object(made.get("runs"))
    reports = {}
    for one in body["audits"]:
        name = one["name"]
        reports[name] = Report({k: v for k, v in one.items() if k != "name"}, _object(runs.get(name)))
    return SuiteReport(reports, body["suite"], made.get("suite"), made.get("only", ()))


def checked(where: str, held: Mapping[str, Any]) -> dict[str, Any]:
    """Give the body of what the file of an audit's report holds, or refuse it."""
    if "audits" in held:
        raise ReportError(where, "is the report of a suite", "give the report of one audit")
    return _true(where, held, _Body)


class _Slice(Struct):
    value: str | None
    result: dict[str, Any]


class _Slices(Struct):
    field: str
    slices: list[_Slice]
    omitted_slices: int
    omitted_records: int


class _Input(Struct):
    input: str
    sha256: str | None
    records: int


class _Gate(Struct):
    gate: str
    status: str
    measure: str
    limit: float | None
    actual: float | None
    message: str


class _Body(Struct):
    """What every report's body has."""

    schema: int
    audit: str
    revision: int
    options: dict[str, Any]
    inputs: list[_Input]
    result: dict[str, Any]
    slices: list[_Slices]
    undefined: dict[str, str]
    gates: list[_Gate]
    passed: bool
    warnings: list[str]


class _Named(_Body):
    """What every audit of a suite has."""

    name: str


class _Combined(Struct):
    """What the body of a suite's report has."""

    schema: int
    suite: str
    verdict: str
    passed: bool
    audits: list[_Named]


def _true(where: str, held: Mapping[str, Any], kind: type[Struct]) -> dict[str, Any]:
    body = {key: value for key, value in held.items() if key not in OUTSIDE}
    try:
        msgspec.convert(body, kind, strict=True)
        own = digest(body)
    except ValueError as fault:
        raise ReportError(where, f"is not a whole report: {fault}") from None
    if held.get("digest") != own:
        hint = "it was changed after it was made; make it again"
        raise ReportError(where, "its digest is not that of what it holds", hint)
    return body


def _object(held: Any) -> dict[str, Any]:
    return held if isinstance(held, dict) else {}
