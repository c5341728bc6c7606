"""Tables that hold at any width: heads break at underscores, texts wrap, and what still has no room is named.

Numbers are never broken. A table that does not fit is laid on its side where that does; else its last columns
are left out, and a line below says which.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import repeat
from typing import TYPE_CHECKING, Literal, TypeAlias

from msgspec import Struct

from .paper import Laid, Text, cell_len

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderableType
    from rich.table import Table

MANY = 12
"""Columns beyond which a table is laid on its side, if it fits so."""

GAP = 2
"""Spaces between columns."""

NARROW = 10
"""Columns that a text keeps when it is wrapped."""

WORD = 16
"""Columns from which a word of a head may be broken."""

Rows: TypeAlias = Sequence[Sequence[Text]]


class Column(Struct, frozen=True):
    """A column: its head, whether it stands to the right, and how narrow its texts may be wrapped."""

    head: str
    right: bool = False
    least: int = NARROW


class Grid:
    """A table of lines of cells, which are safe texts.

    `plain` leaves out the rule below the heads; `turns` allows to lay it on its side; `otherwise` is shown
    instead of it where it has no room.
    """

    def __init__(
        self,
        columns: Sequence[Column],
        rows: Rows,
        *,
        plain: bool,
        turns: bool = True,
        otherwise: Sequence[Laid] = (),
    ) -> None:
        self._columns, self._rows, self._plain, self._turns = columns, rows, plain, turns
        self._otherwise = otherwise

    def plainly(self, width: int) -> list[str] | None:
        """Give its lines where it has no rule, and no cell has to be wrapped."""
        columns, rows = self._placed(width)
        widths = _widths(columns, rows, width)
        if not self._plain or not widths or not all(map(_fit, rows, repeat(widths))):
            return None
        heads = _heads(columns, widths)
        lines = [*zip(*(head.split("\n") for head in heads), strict=True)]
        lines += [tuple(cell.plain for cell in row) for row in rows]
        return [_padded(line, columns, widths) for line in lines]

    def __rich_console__(self, _console: "Console", options: "ConsoleOptions") -> "Iterator[RenderableType]":
        """Lay the table out for the width that there is."""
        room = options.max_width
        columns, rows = self._placed(room)
        if self._otherwise and not _widths(columns, rows, room):
            yield from self._otherwise  # type: ignore[misc]
            return
        count = len(columns)
        while count > 1 and not _widths(columns[:count], rows, room):
            count -= 1
        yield _drawn(columns[:count], rows, _widths(columns[:count], rows, room) or [room], plain=self._plain)
        if left := [column.head for column in columns[count:]]:
            yield left_out(left)

    def _placed(self, room: int) -> "tuple[Sequence[Column], Rows]":
        """Lay the table on its side where it has room only so."""
        columns, rows = self._columns, self._rows
        if self._turns and (len(columns) > MANY or not _widths(columns, rows, room)):
            turned = _turned(columns, rows)
            return turned if _widths(*turned, room) else (columns, rows)
        return columns, rows


class Hanging:
    """A text whose further lines are indented more than its first."""

    def __init__(self, text: str, style: str = "", indent: int = 2) -> None:
        self._text, self._style, self._indent = text, style, indent

    def plainly(self, width: int) -> list[str] | None:
        """Give the text on its first line, if it fits."""
        return [" " * self._indent + self._text] if cell_len(self._text) <= width - self._indent - 2 else None

    def __rich_console__(self, console: "Console", options: "ConsoleOptions") -> "Iterator[RenderableType]":
        """Wrap the text, and indent what is wrapped."""
        from rich.text import Text as Rich  # noqa: PLC0415  slow to import

        deeper = self._indent + 2
        lines = Rich(self._text, self._style).wrap(
            console, max(1, options.max_width - deeper), overflow="fold"
        )
        for place, line in enumerate(lines):
            yield Rich(" " * (deeper if place else self._indent)).append_text(line)


def left_out(heads: Sequence[str]) -> Hanging:
    """Name the columns for which there is no room, and where they are."""
    where = "on a wider terminal, or in the JSON report: --format json"
    return Hanging(f"not shown: {', '.join(heads)} ({where})", "dim")


def broken(text: str, width: int) -> str:
    """Break a line after underscores and spaces, where it is longer than a width."""
    lines = [""]
    for word in _words(text):
        if lines[-1] and cell_len(lines[-1]) + cell_len(word.rstrip()) > width:
            lines.append("")
        lines[-1] += word
    return "\n".join(lines)


def _words(text: str) -> list[str]:
    return re.findall(r"[^_ ]*[_ ]+|[^_ ]+", text)


def _turned(columns: Sequence[Column], rows: Rows) -> tuple[Sequence[Column], Rows]:
    """Lay a table on its side: a line a column, whose first cell is the head."""
    first, *rest = columns
    lines = [[Text(column.head), *(row[place] for row in rows)] for place, column in enumerate(rest, 1)]
    return [Column(first.head), *(Column(row[0].plain, right=True) for row in rows)], lines


def _widths(columns: Sequence[Column], rows: Rows, room: int) -> list[int] | None:
    """Give the width of each column, or None where they have no room."""
    cells = [max((row[place].cell_len for row in rows), default=0) for place in range(len(columns))]
    room -= GAP * (len(columns) - 1)
    whole = [max(width, cell_len(column.head)) for width, column in zip(cells, columns, strict=True)]
    if sum(whole) <= room:
        return whole
    words = [min(WORD, max(map(cell_len, _words(column.head)), default=0)) for column in columns]
    widths = [
        max(width if column.right else min(width, column.least), word)
        for width, word, column in zip(cells, words, columns, strict=True)
    ]
    if sum(widths) > room:
        return None
    for wanted in (list(map(max, cells, words)), whole):
        while short := [place for place, width in enumerate(widths) if width < wanted[place]]:
            if sum(widths) == room:
                return widths
            widths[min(short, key=lambda place: widths[place])] += 1
    return widths


def _heads(columns: Sequence[Column], widths: Sequence[int]) -> list[str]:
    """Break the heads where they are long, and give all as many lines."""
    heads = [broken(column.head, width) for column, width in zip(columns, widths, strict=True)]
    high = max(head.count("\n") for head in heads)
    return ["\n" * (high - head.count("\n")) + head for head in heads]


def _fit(cells: Sequence[Text], widths: Sequence[int]) -> bool:
    return all(cell.cell_len <= width for cell, width in zip(cells, widths, strict=True))


def _padded(texts: Sequence[str], columns: Sequence[Column], widths: Sequence[int]) -> str:
    """Put texts side by side, each as wide as its column."""
    cells = []
    for text, column, width in zip(texts, columns, widths, strict=True):
        space = " " * (width - cell_len(text))
        cells.append(space + text if column.right else text + space)
    return (" " * GAP).join(cells)


def _drawn(columns: Sequence[Column], rows: Rows, widths: Sequence[int], *, plain: bool) -> "Table":
    from rich import box  # noqa: PLC0415  slow to import
    from rich.table import Table  # noqa: PLC0415  slow to import

    frame, gap = (None, GAP) if plain else (box.SIMPLE_HEAD, GAP - 1)  # between columns a frame has a space
    table = Table(box=frame, padding=(0, gap, 0, 0), pad_edge=False, show_edge=False, header_style="bold")
    for column, width, head in zip(columns, widths, _heads(columns, widths), strict=True):
        justify: Literal["left", "right"] = "right" if column.right else "left"
        table.add_column(Text(head), justify=justify, width=width, overflow="fold")
    for row in rows:
        table.add_row(*map(_wrapped, row, widths))
    return table


def _wrapped(cell: Text, width: int) -> Text:
    return cell if cell.cell_len <= width else Text(broken(cell.plain, width), cell.style)
