"""Tables of a page: cells, cut to what is shown and what is folded away, with what to say of the rest."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from msgspec import Struct
from msgspec.structs import replace

from ..layout import SHOWN, cell, number

if TYPE_CHECKING:
    from ...glossary import Term

WIDE = 12
"""Columns of a table beyond which it is laid on its side, if it has no more than `FEW` rows."""

FEW = 6


class Cell(Struct, frozen=True):
    """One cell of a table."""

    text: str
    numeric: bool = False
    interval: str = ""
    status: str = ""
    code: bool = False
    name: bool = False
    """Whether it may break inside, where a name may."""


class Grid(Struct, frozen=True):
    """One table: the rows that are shown, those that are folded away, and what to say of the rest."""

    id: str
    name: str
    heads: list[Cell]
    shown: list[list[Cell]]
    folded: list[list[Cell]]
    extent: str
    """Which rows are shown."""
    rest: str
    """Which rows are folded away."""
    notes: list[str]
    about: str = ""
    terms: "Mapping[str, Term]" = {}
    stacked: bool = False
    """Whether a narrow page lays the cells of a row below each other."""


class Columns(Struct, frozen=True):
    """The columns of a table, and as many of its rows as a page may hold."""

    heads: list[Cell]
    lines: list[list[Cell]]
    total: int
    """Rows of the table in the report."""


def columns_of(heads: Sequence[str], rows: Sequence[Mapping[str, Any]], most: int) -> Columns:
    """Make cells of rows: numbers to the right, with their interval where there is one."""
    kept = rows[: SHOWN + most]
    numeric = {head for head in heads if all(_is_number(row.get(head)) for row in kept)}
    lines = [
        [Cell(cell(row.get(head)), head in numeric, _interval(row, head)) for head in heads] for row in kept
    ]
    return Columns([Cell(head, head in numeric) for head in heads], lines, len(rows))


def grid(
    id: str,  # noqa: A002
    name: str,
    held: Columns,
    notes: Sequence[str] = (),
    about: str = "",
    terms: "Mapping[str, Term] | None" = None,
) -> Grid:
    """Part the rows of a table into those shown and those folded away, and say which are not on the page."""
    heads, lines, total = held.heads, held.lines, held.total
    used = {head.text: terms[head.text] for head in heads if head.text in terms} if terms else {}
    spans = (
        "; value and interval share a column" if any(one.interval for line in lines for one in line) else ""
    )
    if len(heads) > WIDE and total <= FEW:
        extent = f"{total} row{'s' if total != 1 else ''}, each in a column{spans}"
        return Grid(id, name, *_turned(heads, lines), [], extent, "", [*notes], about, used)
    shown, folded = lines[:SHOWN], lines[SHOWN:]
    extent = (
        f"rows 1 to {len(shown)} of {total}" if total > SHOWN else f"{total} row{'s' if total != 1 else ''}"
    )
    extent += spans
    rest = f"rows {SHOWN + 1} to {len(lines)} of {total}"
    left = total - len(lines)
    said = [f"{more(left, 'row')} in the JSON report."] if left else []
    return Grid(id, name, heads, shown, folded, extent, rest, [*said, *notes], about, used)


def more(count: int, of: str) -> str:
    """Say how many are not here."""
    return f"1 more {of} is" if count == 1 else f"{count} more {of}s are"


def _turned(heads: list[Cell], lines: list[list[Cell]]) -> tuple[list[Cell], list[list[Cell]]]:
    """Lay a table on its side: a line a field, named as its column was, and a column a row."""
    fields = [
        [Cell(head.text, name=True), *(replace(line[place], numeric=True) for line in lines)]
        for place, head in enumerate(heads)
    ]
    return [heads[0], *(Cell(line[0].text, numeric=True) for line in lines)], fields[1:]


def _interval(row: Mapping[str, Any], name: str) -> str:
    low, high = row.get(f"{name}_low"), row.get(f"{name}_high")
    return f"{number(low)} to {number(high)}" if low is not None and high is not None else ""


def _is_number(value: Any) -> bool:
    return value is None or (isinstance(value, int | float) and not isinstance(value, bool))
