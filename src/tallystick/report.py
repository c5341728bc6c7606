"""The report: a claim, with the digests of its evidence and every setting that shaped its numbers.

The body holds nothing of the clock, the host or paths, so equal inputs and settings give equal bytes.
Its digest finds accidents, not forgery: whoever edits a body can make a new digest. Only recomputing
from the inputs finds a wrong number.
"""

import hashlib
import json
import os
import stat
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal

from . import __version__
from .errors import ReportError, UsageError
from .fields import line, safe_json

SCHEMA = 1
"""Version of the envelope. It grows compatibly; a change of meaning would be the next integer."""


class Report:
    """What an audit found and how it was judged.

    Every key of the body is an attribute, and so is every measure: ``report.passed``, ``report.ece``.
    Numbers are floats, counts are integers, undefined is None with its reason in ``report.undefined``.
    """

    def __init__(self, body: Mapping[str, Any], produced: Mapping[str, Any] | None = None) -> None:
        self.body = dict(body)
        self.produced = dict(produced or {})

    def __getattr__(self, name: str) -> Any:
        body = self.__dict__.get("body", {})
        if name in body:
            return body[name]
        if name in body.get("result", {}):
            return body["result"][name]
        raise AttributeError(f"a report of {body.get('audit')} has no {name!r}")

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *self.body, *self.body["result"]})

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Report) and canonical(self.body) == canonical(other.body)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        measures = {n: v for n, v in self.body["result"].items() if isinstance(v, int | float) or v is None}
        shown = "".join(f"\n  {line(name)} = {_short(value)}" for name, value in measures.items())
        return f"<Report of {line(self.body['audit'])}: {verdict(self.body)}{shown}>"

    def _repr_html_(self) -> str | None:
        """Give a notebook the picture of the report; without the extra `html` it shows the text."""
        from .glossary import glossaries  # noqa: PLC0415  what makes pictures knows reports
        from .render.html import fragment, is_installed  # noqa: PLC0415  likewise

        return fragment(self, glossaries(self)) if is_installed() else None

    def chart(self, name: str) -> Any:
        """Draw what the report holds: give one of its plots as an altair chart, which a notebook shows.

        `tally plot` lists the names; so does the error for a name that there is not.

        Raises
        ------
        UsageError
            Where the report has no such plot, or altair is not installed.
        """
        from .render.charts import chart  # noqa: PLC0415  what makes pictures knows reports

        return chart(self, name)

    @property
    def shortfalls(self) -> list[dict[str, Any]]:
        """The gates that did not pass, and count: where rows compete and one passes, no other row's do."""
        if self.passed:
            return []
        return [gate for gate in self.gates if gate["status"] != "passed"]

    @property
    def exit_code(self) -> int:
        """What the command exits with: 0 where it passed, else 1, or 3 where none of several may ship."""
        return 0 if self.passed else 3 if "verdict" in self.body else 1

    @property
    def digest(self) -> str:
        """SHA-256 of the canonical bytes of the body, in hexadecimal."""
        return digest(self.body)

    def to_dict(self) -> dict[str, Any]:
        """Give the whole report as plain data: the body's keys, `digest` and `produced`."""
        return {**self.body, "digest": self.digest, "produced": self.produced}

    def to_json(self) -> bytes:
        """Give the report as the bytes of its file: JSON, indented, UTF-8."""
        return file_bytes(self.to_dict())

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the report to a file, whole or not at all, and never onto one that it was made of.

        Raises
        ------
        ReportError
            Where the file cannot be written.
        UsageError
            Where it is one of the report's inputs.
        """
        guard(path, self.produced.get("files", ()), "save")
        write(path, self.to_json())

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> "Report":
        """Read a report file.

        Raises
        ------
        ReportError
            Where the file cannot be read, is no report, or has a newer schema.
        """
        held = read(path)
        if "result" not in held:
            raise ReportError(os.fspath(path), "is the report of a suite; its audits are under 'audits'")
        produced = held.pop("produced", {})
        held.pop("digest", None)
        return cls(held, produced)


class SuiteReport:
    """The reports of a suite's audits, by name, and the verdict on all of them."""

    def __init__(
        self,
        reports: Mapping[str, Report],
        suite: str,
        path: str | None = None,
        only: Iterable[str] = (),
        files: Iterable[str] = (),
    ) -> None:
        self.reports = dict(reports)
        self.suite = suite
        """SHA-256 of the suite's file."""
        self.path = path
        """The suite's file, as the caller spelled it."""
        self.only = tuple(only)
        """The names of the audits, where not all of the suite were run."""
        self._read = tuple(files)

    @property
    def passed(self) -> bool:
        """Whether every gate of every audit passed."""
        return all(report.passed for report in self.reports.values())

    @property
    def exit_code(self) -> int:
        """What the command exits with: 0 where every audit passed, else 1."""
        return 0 if self.passed else 1

    @property
    def verdict(self) -> Literal["GO", "BLOCKED"]:
        """GO, or BLOCKED where a gate of any audit did not pass."""
        return "GO" if self.passed else "BLOCKED"

    @property
    def body(self) -> dict[str, Any]:
        """What the digest is of: the verdict, and the body of each report, in the order of the suite."""
        return {
            "schema": SCHEMA,
            "suite": self.suite,
            "verdict": self.verdict,
            "passed": self.passed,
            "audits": [{"name": name, **report.body} for name, report in self.reports.items()],
        }

    @property
    def digest(self) -> str:
        """SHA-256 of the canonical bytes of the body, in hexadecimal."""
        return digest(self.body)

    @property
    def produced(self) -> dict[str, Any]:
        """By what, from which suite, and from which files each report was made."""
        runs = {name: report.produced for name, report in self.reports.items()}
        only = {"only": list(self.only)} if self.only else {}
        return {"by": f"tallystick {__version__}", "suite": self.path, **only, "runs": runs}

    def to_json(self) -> bytes:
        """Give the combined report as the bytes of its file."""
        return file_bytes({**self.body, "digest": self.digest, "produced": self.produced})

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the combined report to a file, whole or not at all, never onto one that it was made of."""
        guard(path, self._read, "save")
        write(path, self.to_json())

    def __repr__(self) -> str:
        lines = "".join(f"\n  {line(name)}: {verdict(report.body)}" for name, report in self.reports.items())
        return f"<Suite: {self.verdict}{lines}>"


def read(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Read a report file as it is: the body's keys, `digest` and `produced`.

    Raises
    ------
    ReportError
        Where the file cannot be read, is no report, or has a newer schema.
    """
    where = os.fspath(path)
    try:
        held = json.loads(Path(path).read_bytes())
    except OSError as fault:
        raise ReportError(where, f"cannot be read: {fault.strerror}") from fault
    except (ValueError, RecursionError) as fault:
        raise ReportError(where, f"is not JSON: {fault}") from fault
    if (
        not isinstance(held, dict)
        or type(held.get("schema")) is not int
        or not {"result", "audits"} & held.keys()
    ):
        raise ReportError(where, "is not a report")
    if held["schema"] > SCHEMA:
        what = f"has schema {held['schema']}; this release reads up to {SCHEMA}"
        raise ReportError(where, what, "upgrade tallystick")
    return held


def is_report(path: str | os.PathLike[str]) -> bool:
    """Whether a file holds a report that `read` takes."""
    with suppress(ReportError):
        return bool(read(path))
    return False


def canonical(body: Mapping[str, Any]) -> bytes:
    """Give the bytes that the digest is of: JSON with sorted keys, no spaces, UTF-8."""
    text = json.dumps(body, ensure_ascii=False, allow_nan=False, sort_keys=True, separators=(",", ":"))
    return text.encode("utf-8")


def file_bytes(report: Mapping[str, Any]) -> bytes:
    """Give the bytes of a report's file: indented JSON, UTF-8, in which nothing steers who prints it."""
    text = json.dumps(report, ensure_ascii=False, allow_nan=False, indent=2)
    return safe_json(text).encode("utf-8") + b"\n"


def digest(body: Mapping[str, Any]) -> str:
    """Give the SHA-256 of the canonical bytes of a body, in hexadecimal."""
    return hashlib.sha256(canonical(body)).hexdigest()


def verdict(body: Mapping[str, Any], spell: Callable[[str], str] = line) -> str:
    """Say in a few words how the gates were judged; `spell` writes a name that comes from data."""
    gates = body["gates"]
    if "verdict" in body:
        chosen = body["recommended"]
        return "BLOCKED (none passes all gates)" if chosen is None else f"GO (recommended: {spell(chosen)})"
    if not gates:
        return "no gates were asked for"
    short = sum(gate["status"] != "passed" for gate in gates)
    if short:
        return f"FAILED ({short} of {_gates(len(gates))} did not pass)"
    return f"PASSED ({_gates(len(gates))})"


def _gates(count: int) -> str:
    return "1 gate" if count == 1 else f"{count} gates"


def _short(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.6g}"


def guard(path: str | os.PathLike[str], inputs: Iterable[str], flag: str = "--output") -> None:
    """Refuse to write onto an input, by whatever name it goes.

    Raises
    ------
    UsageError
        Where the output is one of the inputs, is a directory, or lies in none.
    """
    where = os.fspath(path)
    if where == "-":
        raise UsageError(flag, "'-' is not a file", "--format json prints the report")
    if not where:
        raise UsageError(flag, "expected a file, got an empty name")
    # The folder as it is written, too: "missing/../data.jsonl" is another name of data.jsonl once resolved.
    for folder in (os.path.dirname(where) or ".", os.path.dirname(os.path.realpath(where))):
        if not os.path.isdir(folder):
            raise UsageError(flag, f"{where!r}: there is no directory {folder!r}")
    if os.path.isdir(where):
        raise UsageError(flag, f"{where!r} is a directory")
    for name in inputs:
        if is_same_file(where, name):
            raise UsageError(flag, f"{where!r}: output would overwrite the input {name!r}")


def is_same_file(one: str | os.PathLike[str], other: str | os.PathLike[str]) -> bool:
    """Whether two names are those of one regular file that exists."""
    with suppress(OSError):
        return os.path.samefile(one, other) and stat.S_ISREG(os.stat(one).st_mode)
    return False


def write(path: str | os.PathLike[str], data: bytes) -> None:
    """Write a file whole or not at all; a link is followed, a device or a pipe is written in place.

    Raises
    ------
    ReportError
        Where that cannot be done; an existing file is then as it was.
    """
    where = os.fspath(path)
    try:
        if os.path.exists(where) and not os.path.isfile(where):
            _write_in_place(where, data)
        else:
            _replace(os.path.realpath(where), data)
    except OSError as fault:
        raise ReportError(where, f"cannot be written: {fault.strerror or fault}") from fault


def _write_in_place(path: str, data: bytes) -> None:
    with suppress(BrokenPipeError), open(path, "wb") as stream:  # who reads a pipe may have seen enough
        stream.write(data)


def _replace(target: str, data: bytes) -> None:
    import tempfile  # noqa: PLC0415  slow to import, and most reports are only printed

    folder = os.path.dirname(target)
    handle, draft = tempfile.mkstemp(prefix=".tally-", dir=folder)
    try:
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        os.chmod(draft, _mode(target))
        os.replace(draft, target)
    except BaseException:
        with suppress(OSError):
            os.unlink(draft)
        raise


def _mode(target: str) -> int:
    """Permissions for a file: those that it has, or those that a new file gets."""
    with suppress(OSError):
        return stat.S_IMODE(os.stat(target).st_mode)
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
