"""What every rendering of a report shows, before it is dressed for its medium."""

import math
from collections.abc import Iterator, Mapping
from typing import Any

from ..fields import line

SHOWN = 20
"""Rows of a table, and items of a list, that are shown; the JSON report holds them all."""


LONGEST = 80
"""Characters of a text from data that are shown."""


def clean(value: str) -> str:
    """Make text from data one safe line: what cannot be seen is spelled out."""
    return line(value)


def number(value: object) -> str:
    """Write a number for people."""
    if value is None:
        return "undefined"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if not isinstance(value, float):
        return str(value)
    if not 1e-3 <= abs(value) < 1e6 and value != 0:
        return f"{value:.4g}"
    short = 1 - abs(value)
    if 1e-9 < abs(short) < 5e-5:  # what is nearly 1 is not 1
        return f"{value:.{-math.floor(math.log10(abs(short)))}f}".rstrip("0")
    return f"{value:.4f}"


def cell(value: Any) -> str:
    """Write a value of a result or of a row as one safe line, cut where it is long."""
    if isinstance(value, list):
        more = [f"{len(value) - SHOWN} more"] if len(value) > SHOWN else []
        return ", ".join([*(cut(str(item)) for item in value[:SHOWN]), *more])
    return cut(value if isinstance(value, str) else number(value))


def cut(value: str) -> str:
    """Make text from data one safe line of a readable length."""
    text = clean(value)
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def is_table(value: Any) -> bool:
    """Whether a value of a result is a table that has rows."""
    return isinstance(value, list) and bool(value) and isinstance(value[0], dict)


def columns(row: Mapping[str, Any], *, lists: bool) -> list[str]:
    """Name what is shown of a row, or of a slice's result (which has tables): no ends of intervals."""
    hidden = dict if lists else dict | list
    return [
        key
        for key, value in row.items()
        if not isinstance(value, hidden) and not key.endswith(("_low", "_high"))
    ]


def scalars(result: Mapping[str, Any], undefined: Mapping[str, str]) -> Iterator[tuple[str, str, str]]:
    """Give each measure of a result with its value and its interval; an undefined one with the reason."""
    for name, value in result.items():
        if isinstance(value, dict) or value == [] or is_table(value):
            continue
        if name.removesuffix("_low").removesuffix("_high") in result.keys() - {name}:
            continue
        low, high = result.get(f"{name}_low"), result.get(f"{name}_high")
        interval = f"{number(low)} to {number(high)}" if low is not None and high is not None else ""
        shown = cell(value) if value is not None else clean(f"undefined: {undefined.get(name, '')}")
        yield name, shown, interval
