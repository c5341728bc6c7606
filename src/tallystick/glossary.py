"""What the words of a report mean: the declarations of its audit as plain data, for who shows the report.

Pictures of a report know nothing of audits. Whoever asks for one hands it the glossary of the report's audit,
or none, where this release does not know the audit, or knows another revision of it.
"""

import sys
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec
from msgspec import NODEFAULT, Struct

from .audits import AUDITS, find
from .fields import about
from .measure import Measure, measures, tables
from .pages import span, undefined_when
from .plan import Settings
from .report import Report, SuiteReport


class Term(Struct, frozen=True):
    """What one number is."""

    about: str
    span: str
    """The least and the greatest value that it can take, in words; empty where there is no bound."""
    better: str
    undefined: str
    """When it is undefined; empty for what never is."""


class Sheet(Struct, frozen=True):
    """What one table is, and those of its columns that are measures."""

    about: str
    columns: Mapping[str, Term]


class Setting(Struct, frozen=True):
    """What one option or setting does, and what it is where it is not given."""

    about: str
    default: Any = NODEFAULT


class Glossary(Struct, frozen=True):
    """All that an audit declares of what its reports hold."""

    question: str
    definition: tuple[tuple[str, str], ...]
    """Blocks of text, each with its kind: ``p`` for prose, ``pre`` for formulas, ``li`` for an item."""
    measures: Mapping[str, Term]
    tables: Mapping[str, Sheet]
    settings: Mapping[str, Setting]


def glossaries(made: Report | SuiteReport) -> dict[str, Glossary]:
    """Give the glossary of each audit of a report that has one, by the audit's name."""
    reports = made.reports.values() if isinstance(made, SuiteReport) else [made]
    return {report.audit: known for report in reports if (known := glossary(report)) is not None}


def glossary(report: Report) -> Glossary | None:
    """Give the glossary of a report's audit; None where it is unknown, or has another revision."""
    if report.audit not in AUDITS:
        return None
    audit = find(report.audit)
    if report.revision != audit.revision:
        return None
    question, _, text = (sys.modules[audit.__module__].__doc__ or "").partition("\n")
    fields = [*msgspec.structs.fields(audit.Options), *msgspec.structs.fields(Settings)]
    return Glossary(
        question,
        tuple(_blocks(text)),
        _terms(audit.Result),
        {
            name: Sheet(f"{table.about} Ordered by {table.order}.", _terms(row))
            for name, (table, row) in tables(audit.Result).items()
        },
        {f.name: Setting(about(f.type), default(f)) for f in fields},
    )


def default(field: msgspec.structs.FieldInfo) -> Any:
    """Give the default of an option as a report would state it; NODEFAULT where it is required."""
    if field.required:
        return NODEFAULT
    value = field.default if field.default_factory is NODEFAULT else field.default_factory()
    return msgspec.json.decode(msgspec.json.encode(value))


def _terms(result: type[Struct]) -> dict[str, Term]:
    return {name: _term(result, name, measure) for name, measure in measures(result).items()}


def _term(result: type[Struct], name: str, measure: Measure) -> Term:
    return Term(measure.about, span(measure), measure.better or "", undefined_when(result, name, measure))


def _blocks(text: str) -> Iterator[tuple[str, str]]:
    """Part the text of a docstring into paragraphs, formulas (which are indented) and items."""
    for block in text.strip("\n").split("\n\n"):
        lines = block.splitlines()
        if all(line.startswith("    ") for line in lines):
            yield "pre", "\n".join(line[4:] for line in lines)
        elif lines and lines[0].startswith("- "):
            for item in ("\n" + block).split("\n- ")[1:]:
                yield "li", _joined(item)
        elif block.strip():
            yield "p", _joined(block)


def _joined(text: str) -> str:
    return " ".join(text.split())
