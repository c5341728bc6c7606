"""What every rendering of a report shows, before it is dressed for its medium."""

import math
import re
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


def cell(value: Any, *, plain: bool = False) -> str:
    """Write a value of a result or of a row as one safe line, cut where it is long."""
    if isinstance(value, list):
        more = [f"{len(value) - SHOWN} more"] if len(value) > SHOWN else []
        return ", ".join([*(label(str(item), plain=plain) for item in value[:SHOWN]), *more])
    return label(value, plain=plain) if isinstance(value, str) else number(value)


def label(value: str, *, plain: bool = False) -> str:
    """Make a label one safe line of a readable length, which another label does not share.

    Spaces that nobody would see, at the ends and after another, are written as `␣`, or `plain` in ASCII.
    What could be taken for something spelled out is told from it. A long label is cut in its middle.
    """
    text = _spelled(value, r"\x20" if plain else "␣")
    if len(text) <= LONGEST:
        return text
    return f"{text[: LONGEST // 2]}…{text[1 - LONGEST // 2 :]}"


_UNSEEN_SPACE = re.compile(r"(?<= ) |\A | \Z")


def _spelled(value: str, space: str) -> str:
    """Spell out what cannot be seen, and the signs of spelling where they are the label's own."""
    unseen = {found.start() for found in _UNSEEN_SPACE.finditer(value)}
    if not unseen and "\\" not in value and "␣" not in value:
        return clean(value)
    signs = [
        space if place in unseen else r"\u2423" if sign == "␣" else clean(sign)
        for place, sign in enumerate(value)
    ]
    taken = ("\\", *"nuUx")  # what would make of a backslash before it more than that
    return "".join(
        r"\\" if sign == "\\" and after.startswith(taken) else sign
        for sign, after in zip(signs, [*signs[1:], ""], strict=True)
    )


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


def scalars(
    result: Mapping[str, Any], undefined: Mapping[str, str], *, plain: bool = False
) -> Iterator[tuple[str, str, str]]:
    """Give each measure of a result with its value and its interval; an undefined one with the reason."""
    for name, value in result.items():
        if isinstance(value, dict) or value == [] or is_table(value):
            continue
        if name.removesuffix("_low").removesuffix("_high") in result.keys() - {name}:
            continue
        low, high = result.get(f"{name}_low"), result.get(f"{name}_high")
        interval = f"{number(low)} to {number(high)}" if low is not None and high is not None else ""
        shown = (
            cell(value, plain=plain) if value is not None else clean(f"undefined: {undefined.get(name, '')}")
        )
        yield name, shown, interval
