"""A first suite for given files: which audits their fields allow, written as a commented TOML file.

The first records of a file are looked at, never shown: a suite holds names of fields, not what is in them.
"""

import json
import os
from collections.abc import Sequence
from typing import Any

import msgspec

from .audits import AUDITS, find
from .errors import SourceError
from .fields import is_seen, line
from .look import Fit, Look, look
from .measure import measures

OPENING = """\
# A suite: `tally run` makes every audit in it and gives one verdict, GO or BLOCKED.
# Take the # from the gates that you want, and choose limits before you look at the numbers.
"""


def starter(paths: Sequence[str | os.PathLike[str]], folder: str | os.PathLike[str] = ".") -> str:
    """Write the text of a suite for some files, with paths relative to a folder.

    Raises
    ------
    TallystickError
        Where a file cannot be read or holds no records, or no audit can read any of them.
    """
    parts = [OPENING]
    found = False
    for path in paths:
        seen = look(path)
        whole = [fit for fit in seen.fits if fit.whole]
        fitting = [fit for fit in whole if not (fit.map or fit.as_text)] or whole
        relative = os.path.relpath(path, folder)
        if any("\ud800" <= character <= "\udfff" for character in relative):
            raise SourceError(relative, "its name is not UTF-8, so no suite can name it", "rename it")
        names = ", ".join(field.path for field in seen.fields)
        said = (
            f"fits {', '.join(fit.audit for fit in fitting)}" if fitting else "fits no audit: map its fields"
        )
        parts.append(line(f"# {relative} has the fields {names}; it {said}.") + "\n")
        parts += [_table(fit, relative, seen) for fit in fitting]
        found = found or bool(fitting)
    if not found:
        listed = ", ".join(os.fspath(path) for path in paths)
        raise SourceError(listed, "no audit reads it as it is", "tally peek says what it holds")
    return "\n".join(parts)


def _table(fit: Fit, path: str, seen: Look) -> str:
    audit = find(fit.audit)
    rows = seen.sample.rows
    declared = {field.name for record in audit.inputs.values() for field in msgspec.structs.fields(record)}
    read = declared | set(fit.map.values())
    slices = [key for key in rows[0] if key not in read and _sliceable(key, rows)] if audit.sliceable else []
    gates = [
        f"{n} {m.operator} " for n, m in measures(audit.Result).items() if m.operator and "_low" not in n
    ]
    lines = [
        f"[[{fit.audit}]]  # {AUDITS[fit.audit]}",
        f"name = {_toml(f'{fit.audit} of {os.path.basename(path)}')}",
        f"files = {_toml(path)}",
        *(
            [f"map = {{ {', '.join(f'{key} = {_toml(name)}' for key, name in fit.map.items())} }}"]
            if fit.map
            else []
        ),
        *([f"as_text = {_toml(fit.as_text)}"] if fit.as_text else []),
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
        lines.append(f"# slice_by = {_toml(slices)}")
    return "\n".join(lines) + "\n"


def _toml(value: Any) -> str:
    """Spell a string or an array of strings as TOML does, which here is as JSON does."""
    return "".join(_in_toml(c) for c in json.dumps(value, ensure_ascii=False))


def _in_toml(character: str) -> str:
    code = ord(character)
    return character if is_seen(character) else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _sliceable(key: str, rows: list[dict[str, Any]]) -> bool:
    """Whether a field is a string in every record, and says something about groups of them."""
    values = [row.get(key) for row in rows]
    return all(isinstance(value, str) for value in values) and len(set(map(str, values))) <= len(rows) // 2
