"""The command that verifies a report, as far as the report itself can tell.

A report's body states every setting and gate, and its `produced` the files. What neither holds, such as the
bytes of standard input or where a baseline lies, is said beside the command.
"""

import os
import shlex
from collections.abc import Iterator
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from . import gate
from .audits import AUDITS, find
from .errors import UsageError
from .fields import is_seen
from .gate import Gate
from .glossary import default
from .measure import competitors
from .options import flag, spelled
from .plan import Settings
from .report import Report, SuiteReport

STANDARD_INPUT = "<stdin>"
"""How a report calls what was read from standard input."""


RELATIVE = "Names of files are relative to the folder in which the report was made."


class Recipe(Struct, frozen=True):
    """A command for a shell, None where no command can do it, and what to know about it."""

    command: str | None
    remarks: tuple[str, ...] = ()
    first: str = ""
    """What to do before it, if there is something."""


def recipe(made: Report | SuiteReport, path: str | None = None) -> Recipe:
    """Give the command that verifies the report in a file; without one, it is to be written first."""
    first = "" if path else "Write the report first with --output report.json: this page knows no file of it."
    report = path or "report.json"
    remarks: list[str] = []
    if isinstance(made, SuiteReport):
        return Recipe(_of_suite(made, report, remarks), tuple(remarks), first)
    try:
        files = list(_files(made, remarks))
    except LookupError:
        said = "The records were given as Python objects, which no command can read again:"
        return Recipe(None, (f"{said} call tallystick.verify with the same objects.",))
    words = ["tally", "verify", report, made.audit, *files, *_settings(made), *_gates(made)]
    if baseline := made.body.get("baseline"):
        words += ["--against", "BASELINE"]
        digest = baseline.get("digest") if isinstance(baseline, dict) else baseline
        remarks.append(f"BASELINE stands for the file of the report whose digest is {digest}.")
    if made.audit not in AUDITS or find(made.audit).revision != made.revision:
        by = made.produced.get("by", "the release that made it")
        remarks.append(f"This release cannot compute the report again; {by} can.")
    return Recipe(" ".join(map(quoted, words)), tuple(remarks), first)


def quoted(word: str) -> str:
    """Quote a word for a shell; characters that do not print, or steer what does, are spelled out."""
    if is_seen(word):
        return shlex.quote(word)
    return "$'" + "".join(map(_spelled_out, word)) + "'"


def _spelled_out(character: str) -> str:
    code = ord(character)
    if character in "\\'":
        return "\\" + character
    if is_seen(character):
        return character
    if 0xDC80 <= code <= 0xDCFF:  # a byte of a file's name that is not UTF-8
        return f"\\x{code - 0xDC00:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _of_suite(made: SuiteReport, report: str, remarks: list[str]) -> str:
    suite = made.path
    if suite is None:
        suite = "SUITE"
        remarks.append(f"SUITE stands for the file of the suite, whose SHA-256 is {made.suite}.")
    elif not os.path.isabs(suite):
        remarks.append(RELATIVE)
    words = ["tally", "verify", report, "--suite", suite]
    words += [word for name in made.only for word in ("--only", name)]
    return " ".join(map(quoted, words))


def _files(made: Report, remarks: list[str]) -> Iterator[str]:
    """Name the input files; those of an only input stand by themselves.

    Raises
    ------
    LookupError
        Where an input has no digest: it was no file.
    """
    inputs = made.inputs
    named = made.produced.get("files")
    names = named if isinstance(named, list) and len(named) == len(inputs) else ["FILE" for _ in inputs]
    if any(one.get("sha256") is None for one in inputs):
        raise LookupError
    if names and names == ["FILE" for _ in inputs]:
        remarks.append("FILE stands for each input, which the report knows by its digest only.")
    if STANDARD_INPUT in names:
        remarks.append("Standard input was read: give the same bytes again.")
    if any(name != STANDARD_INPUT and not os.path.isabs(name) for name in names):
        remarks.append(RELATIVE)
    alone = made.audit in AUDITS and len(find(made.audit).inputs) == 1
    for one, name in zip(inputs, names, strict=True):
        if not (alone and one["input"] in find(made.audit).inputs):
            yield spelled(one["input"])
        yield "-" if name == STANDARD_INPUT else f"./{name}" if name.startswith("-") else name


def _settings(made: Report) -> Iterator[str]:
    """Spell the options and settings that are not what they are where they are not given."""
    defaults = _defaults(made.audit)
    for name, value in made.options.items():
        if name not in defaults or value != defaults[name]:
            yield from flag(name, value)
    most = max((len(part["slices"]) + part["omitted_slices"] for part in made.slices), default=0)
    if most > Settings().max_slices:
        yield from flag("max_slices", most)


def _defaults(audit: str) -> dict[str, Any]:
    if audit not in AUDITS:
        return {}
    fields = [*msgspec.structs.fields(find(audit).Options), *msgspec.structs.fields(Settings)]
    return {field.name: default(field) for field in fields}


def _gates(made: Report) -> Iterator[str]:
    """Spell the gates; where rows compete, one by which every row was judged is given once, for all."""
    rows, stated = _competing(made), [one["gate"] for one in made.gates]
    told = set()
    for text in stated:
        judged = _of_row(text, rows)
        if judged and all(str(replace(judged, key=row)) in stated for row in rows):
            text = str(replace(judged, key=None))  # noqa: PLW2901
            if text in told:
                continue
            told.add(text)
        yield from ("--gate", text)


def _competing(made: Report) -> list[str]:
    """Name the rows that compete, if some do."""
    if made.audit not in AUDITS or (table := competitors(find(made.audit).Result)) is None:
        return []
    key = msgspec.structs.fields(table[1])[0].name
    return [str(row.get(key)) for row in made.result.get(table[0], ())]


def _of_row(text: str, rows: list[str]) -> Gate | None:
    """Read a gate on a competing row; None for any other."""
    try:
        judged = gate.parse(text) if rows else None
    except UsageError:
        return None
    return judged if judged and judged.field is None and judged.key in rows else None
