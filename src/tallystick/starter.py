"""A first suite for given files: which audits their fields allow, written as a commented TOML file.

The first records of a file are looked at, never shown: a suite holds names of fields, not what is in them.
"""

import json
import os
from collections.abc import Iterable
from itertools import islice
from typing import Any

import msgspec

from .audits import AUDITS, find
from .errors import SourceError
from .fields import misfit
from .measure import measures

LOOKED_AT = 100
"""Records of a file that are looked at."""

OPENING = """\
# A suite: `tally run` makes every audit in it and gives one verdict, GO or BLOCKED.
# Take the # from the gates that you want, and choose limits before you look at the numbers.
"""


def starter(paths: Iterable[str | os.PathLike[str]], folder: str | os.PathLike[str] = ".") -> str:
    """Write the text of a suite for some files of JSON Lines, with paths relative to a folder.

    Raises
    ------
    SourceError
        Where a file cannot be read, or its first lines are not JSON objects.
    """
    parts = [OPENING]
    for path in paths:
        where = os.fspath(path)
        rows = _rows(where)
        fitting = [name for name in AUDITS if _fits(name, rows)]
        relative = os.path.relpath(where, folder)
        said = f"fits {', '.join(fitting)}" if fitting else "fits no audit as it is: map its fields"
        parts.append(f"# {relative} has the fields {', '.join(sorted(rows[0]))}; it {said}.\n")
        parts += [_table(name, relative, rows) for name in fitting]
    return "\n".join(parts)


def _rows(where: str) -> list[dict[str, Any]]:
    try:
        with open(where, encoding="utf-8-sig") as file:
            lines = list(islice((line for line in file if line.strip()), LOOKED_AT))
        rows = [json.loads(line) for line in lines]
    except OSError as fault:
        raise SourceError(where, f"cannot be read: {fault.strerror}") from fault
    except (ValueError, RecursionError) as fault:
        raise SourceError(where, f"is not JSON Lines: {fault}") from fault
    if not rows or not all(isinstance(row, dict) for row in rows):
        raise SourceError(where, "no records" if not rows else "not every line is an object")
    return rows


def _fits(name: str, rows: list[dict[str, Any]]) -> bool:
    """Whether an audit of one input can read the records as they are, and needs no option."""
    audit = find(name)
    if len(audit.inputs) > 1 or any(field.required for field in msgspec.structs.fields(audit.Options)):
        return False
    fields = msgspec.structs.fields(next(iter(audit.inputs.values())))
    return all(
        misfit(row[field.name], field.type) is None if field.name in row else not field.required
        for row in rows
        for field in fields
    )


def _table(name: str, path: str, rows: list[dict[str, Any]]) -> str:
    audit = find(name)
    read = {field.name for record in audit.inputs.values() for field in msgspec.structs.fields(record)}
    slices = [key for key in rows[0] if key not in read and _sliceable(key, rows)]
    gates = [
        f"{n} {m.operator} " for n, m in measures(audit.Result).items() if m.operator and "_low" not in n
    ]
    lines = [
        f"[[{name}]]  # {AUDITS[name]}",
        f"name = {json.dumps(f'{name} of {os.path.basename(path)}', ensure_ascii=False)}",
        f"files = {json.dumps(path, ensure_ascii=False)}",
        "gates = [",
        *(
            f'    # "{gate}LIMIT",'
            for gate in gates
            if not gate.startswith("records") and "_high" not in gate
        ),
        f'    "records >= {len(rows)}",  # guards against a file that was cut short',
        "]",
    ]
    if slices:
        lines.append(f"# slice_by = {json.dumps(slices, ensure_ascii=False)}")
    return "\n".join(lines) + "\n"


def _sliceable(key: str, rows: list[dict[str, Any]]) -> bool:
    """Whether a field is a string in every record, and says something about groups of them."""
    values = [row.get(key) for row in rows]
    return all(isinstance(value, str) for value in values) and len(set(map(str, values))) <= len(rows) // 2
