"""A suite: one TOML file of many audits, one verdict.

    [[calibration]]
    files = "predictions/*.jsonl"
    bins = 15
    gates = ["ece <= 0.05", "accuracy >= 0.9"]
    required = ["ece"]

Each table is named for its audit (`[calibration]` once, `[[calibration]]` for several, told apart by `name`).
Its keys are the audit's options and inputs as the command line has them, with underscores. Paths are
relative to the file, and may be globs. The verdict is GO when every gate of every audit passed.
"""

import hashlib
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from msgspec import Struct

from . import gate, sources
from .audits import AUDITS, find
from .errors import SourceError, UsageError, suggest
from .fields import show
from .options import hint_for
from .plan import Plan, Settings, placed, plan
from .sources import formats
from .sources.streams import is_remote

KEYS = (
    "name",
    "files",
    "gates",
    "required",
    "against",
    "slice_by",
    "min_slice_count",
    "max_slices",
    "map",
    "as_text",
    "max_file_bytes",
    "input_format",
)
"""What an audit's table may hold besides its options and inputs."""


class Entry(Struct, frozen=True):
    """One audit of a suite, checked before any file is opened."""

    name: str
    plan: Plan
    inputs: dict[str, list[str]]
    max_file_bytes: int | None
    input_format: str | None
    against: str | None = None
    """The file of the baseline, if there is one."""


class Suite(Struct, frozen=True):
    """A suite file that is known to make sense."""

    path: str
    sha256: str
    entries: tuple[Entry, ...]
    only: tuple[str, ...] = ()
    """The names of the audits, where not all of the file are to run."""

    @property
    def paths(self) -> list[str]:
        """Every file that it reads."""
        inputs = [path for entry in self.entries for paths in entry.inputs.values() for path in paths]
        return inputs + [entry.against for entry in self.entries if entry.against is not None]


def load(path: str | os.PathLike[str], only: Iterable[str] = ()) -> Suite:
    """Read a suite file and check all of it.

    Parameters
    ----------
    path
        The file.
    only
        Names of the audits to keep; all, where none is given.

    Raises
    ------
    UsageError
        For anything in the file that could not be honoured, by its place in it.
    SourceError
        Where the file cannot be read, or a glob finds no file.
    """
    where = os.fspath(path)
    try:
        data = Path(path).read_bytes()
    except OSError as fault:
        raise SourceError(where, f"cannot be read: {fault.strerror}") from fault
    import tomllib  # noqa: PLC0415

    try:
        tables = tomllib.loads(data.decode("utf-8"))
    except (ValueError, RecursionError) as fault:
        raise UsageError(where, f"is not TOML: {fault}") from fault
    entries = [
        _entry(f"{where}: {place}", audit, table, Path(where).parent)
        for audit, value in tables.items()
        for place, table in _tables(where, audit, value)
    ]
    if not entries:
        raise UsageError(
            where, "no audits", "write a table such as [calibration], or let tally init write one"
        )
    if not any(entry.plan.gates for entry in entries):
        hint = 'add a key such as gates = ["accuracy >= 0.9"]'
        raise UsageError(where, "no gate in any audit, so a verdict would say nothing", hint)
    names = list(only)
    return Suite(where, hashlib.sha256(data).hexdigest(), _chosen(where, entries, names), tuple(names))


def _tables(where: str, audit: str, value: Any) -> list[tuple[str, dict[str, Any]]]:
    """Give the tables of one audit, each with its place in the file."""
    if audit not in AUDITS:
        raise UsageError(where, f"unknown audit {audit!r}", suggest(audit, AUDITS) or "tally list names them")
    if isinstance(value, dict):
        return [(audit, value)]
    if isinstance(value, list) and all(isinstance(table, dict) for table in value):
        return [(f"{audit}[{place}]", table) for place, table in enumerate(value)]
    raise UsageError(f"{where}: {audit}", f"expected a table, got {show(value)}")


def _entry(where: str, name: str, table: dict[str, Any], folder: Path) -> Entry:
    """Check one audit's table."""
    audit = find(name)

    def spelled(key: str) -> str:
        return f"{where}.{key}"

    held = {key: table[key] for key in KEYS if key in table}
    named = {key: table[key] for key in table if key in {**audit.inputs, **audit.sides}}
    own = {key: value for key, value in table.items() if key not in held and key not in named}
    known = [*KEYS, *audit.inputs, *audit.sides, *audit.Options.__struct_fields__]
    for key in own:
        if key not in audit.Options.__struct_fields__:
            raise UsageError(spelled(key), "no such key", hint_for(key, known))
    found = {key: _files(spelled(key), value, folder) for key, value in named.items()}
    files = _files(spelled("files"), held["files"], folder) if "files" in held else []
    by_place = [files] if len(audit.inputs) == 1 and files else [[file] for file in files]
    inputs = _within(where, lambda: placed(audit, by_place, found))
    shaping: dict[str, Any] = {key: held[key] for key in Settings.__struct_fields__ if key in held}
    for key in ("slice_by", "as_text"):
        if isinstance(shaping.get(key), str):
            shaping[key] = [shaping[key]]
    gates = [
        (gate.parse(text, spelled("gates")), None) for text in _texts(spelled("gates"), held.get("gates", []))
    ]
    against = held.get("against")
    if against is not None:
        if not isinstance(against, str):
            raise UsageError(spelled("against"), f"expected a path, got {show(against)}")
        against = os.path.join(folder, against)
    planned = _within(where, lambda: plan(name, inputs, own, shaping, gates, spelled, against))
    gated = {one.measure for one in planned.gates}
    for measure in _texts(spelled("required"), held.get("required", [])):
        if measure not in gated:
            raise UsageError(spelled("required"), f"no gate is on {measure!r}", suggest(measure, gated))
    limit = held.get("max_file_bytes")
    if limit is not None and (type(limit) is not int or limit < 1):
        raise UsageError(spelled("max_file_bytes"), f"expected a whole number from 1, got {show(limit)}")
    input_format = held.get("input_format")
    formats.check(input_format, spelled("input_format"))
    title = held.get("name", name)
    if not isinstance(title, str) or not title:
        raise UsageError(spelled("name"), f"expected a non-empty string, got {show(title)}")
    return Entry(title, planned, inputs, limit, input_format, against)


def _within(where: str, make: Any) -> Any:
    """Make something, and say in which table of the suite it was refused."""
    try:
        return make()
    except UsageError as fault:
        if fault.where.startswith(where):
            raise
        raise UsageError(where, str(fault), fault.hint) from fault


def _texts(where: str, value: Any) -> list[str]:
    listed = [value] if isinstance(value, str) else value
    if isinstance(listed, list) and all(isinstance(text, str) for text in listed):
        return listed
    raise UsageError(where, f"expected an array of strings, got {show(value)}")


def _files(where: str, value: Any, folder: Path) -> list[str]:
    """Find the files of an input: relative to the suite's folder, globs in order of name."""
    files: list[str] = []
    for text in _texts(where, value):
        path = text if is_remote(text) else os.path.join(folder, text)
        try:
            files += sources.found(path)
        except SourceError as fault:
            raise SourceError(where, f"no file matches {text!r}") from fault
    return files


def _chosen(where: str, entries: list[Entry], only: list[str]) -> tuple[Entry, ...]:
    """Keep the audits that are asked for; names must differ."""
    names = [entry.name for entry in entries]
    for place, name in enumerate(names):
        if name in names[:place]:
            raise UsageError(
                where, f"two audits are called {name!r}", 'give each a key such as name = "by topic"'
            )
    for name in only:
        if name not in names:
            raise UsageError(
                "--only", f"no audit is called {name!r}", suggest(name, names) or ", ".join(names)
            )
    return tuple(entry for entry in entries if not only or entry.name in only)
