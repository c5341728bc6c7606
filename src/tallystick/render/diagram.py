"""The reliability diagram in text: a line a bin, with a bar of accuracy and a mark at mean confidence.

A table is drawn where its rows are bins of confidence, whatever audit made it. A bin without records has no
row there, and is shown as empty.
"""

from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any

from .grid import GAP, Column, Grid, Hanging, left_out
from .layout import SHOWN, cell, clean, is_table, number
from .paper import Group, Laid, Text, cell_len

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderableType

BIN = ("index", "lower", "upper", "records", "mean_confidence", "accuracy")
"""What the rows of such a table have; before it may stand whose bins they are."""

BESIDE = ("mean_confidence", "accuracy", "gap")
"""The numbers that stand beside a bar where there is room."""

LONG, SHORT, SHORTEST = 40, 12, 10
"""Columns of a bar: at most, at least where numbers are to stand beside it, and at least at all."""

ASCII, BLOCKS = "#=-|", "█▓░◆"
"""What a bar is drawn with: to the low end, to accuracy, to the high end, and at mean confidence."""

_STYLES = ("cyan", "cyan", "dim cyan", "bold yellow")


def is_drawn(value: Any) -> bool:
    """Whether a value of a result is a table of bins."""
    return is_table(value) and all(
        all(isinstance(row.get(key), int | float) for key in BIN) and row["lower"] < row["upper"]
        for row in value
    )


def diagrams(name: str, rows: Sequence[Mapping[str, Any]], *, plain: bool) -> Iterator[Laid]:
    """Draw a table of bins: a diagram, or one for each whose bins they are."""
    owner = list(rows[0])[: list(rows[0]).index(BIN[0])]
    for key, bins in groupby(rows, lambda row: [cell(row[head], plain=plain) for head in owner]):
        yield Text()
        yield Text(": ".join([clean(name), *key]), "bold")
        yield Diagram(list(bins), plain=plain)


class Diagram:
    """The bins that are not empty, ascending. `plain` draws with ASCII alone."""

    def __init__(self, bins: Sequence[Mapping[str, Any]], *, plain: bool) -> None:
        self._plain, self._signs = plain, ASCII if plain else BLOCKS
        self._count = round(1 / (bins[0]["upper"] - bins[0]["lower"]))
        most = sorted(bins, key=lambda row: (-row["records"], row["index"]))[:SHOWN]
        self._bins = sorted(most, key=lambda row: int(row["index"]))
        self._left, self._spans = len(bins) - len(most), "accuracy_low" in bins[0]

    def plainly(self, width: int) -> list[str]:
        """Give its lines without styles."""
        return Group(*self._parts(width)).plainly(width)

    def __rich_console__(self, _console: "Console", options: "ConsoleOptions") -> "Iterator[RenderableType]":
        """Draw the lines in styles."""
        yield from self._parts(options.max_width)  # type: ignore[misc]

    def _parts(self, width: int) -> Iterator[Laid]:
        """Draw a line for each bin, as wide as there is room."""
        lines = list(self._lines())
        columns = [Column("confidence"), Column("records", right=True)]
        numbers = [Column("bin", right=True), *columns, *(Column(head, right=True) for head in BESIDE)]
        texts = [cells for cells, _ in lines]
        if _room(numbers, texts) + SHORT <= width:
            columns = numbers
        length = min(LONG, width - _room(columns, texts))
        if length < SHORTEST:
            yield from self._without_bars(columns, texts, length)
            return
        scale = Column(f"0{'accuracy':^{length - 2}}1" if length > len("0accuracy1") else "accuracy")
        rows = [
            [*(Text(cells.get(column.head, "")) for column in columns), self._bar(row, length)]
            for cells, row in lines
        ]
        yield Grid([*columns, scale], rows, plain=self._plain, turns=False)
        sure, likely, possible, mark = list(self._signs)
        ends = f"{sure}{likely} accuracy, {likely}{possible} its interval"
        yield Hanging(f"{ends if self._spans else f'{sure} accuracy'}, {mark} mean confidence", "dim")
        if columns is not numbers:
            yield left_out(["bin", "mean_confidence", "accuracy as a number", "gap"])
        yield from self._more()

    def _without_bars(
        self, columns: Sequence[Column], texts: Sequence[Mapping[str, str]], room: int
    ) -> Iterator[Laid]:
        """Give what there is room for where bars have none: the number of accuracy, if it has some."""
        accuracy = Column("accuracy", right=True)
        columns = [*columns, accuracy] if _room([accuracy], texts) <= room + GAP else columns
        texts = [{"records": "empty", **cells} for cells in texts]
        rows = [[Text(cells.get(column.head, "")) for column in columns] for cells in texts]
        yield Grid(columns, rows, plain=self._plain, turns=False)
        heads = [column.head for column in columns]
        yield left_out([*(head for head in ("bin", *BESIDE) if head not in heads), "the bars"])
        yield from self._more()

    def _more(self) -> Iterator[Laid]:
        if self._left:
            yield Hanging(f"these bins have the most records; {self._left} more in the JSON report", "dim")

    def _lines(self) -> Iterator[tuple[dict[str, str], Mapping[str, Any] | int]]:
        """Give the cells of each line by the heads of their columns, with its bin or how many are empty."""
        start = 0
        for row in [*self._bins, None]:
            end = self._count if row is None else row["index"]
            if start < end and not self._left:
                yield {"confidence": self._range(start, end)}, end - start
            if row is not None:
                start = end + 1
                yield (
                    {
                        "bin": str(end),
                        "confidence": self._range(end, start),
                        "records": str(row["records"]),
                        **{head: number(row.get(head)) for head in BESIDE},
                    },
                    row,
                )

    def _range(self, start: int, end: int) -> str:
        digits = 2 if self._count <= 100 else 3
        return f"{start / self._count:.{digits}f}-{end / self._count:.{digits}f}"

    def _bar(self, row: Mapping[str, Any] | int, length: int) -> Text:
        """Draw the accuracy of a bin on a line from 0 to 1; say of empty ones how many they are."""
        if isinstance(row, int):
            return Text("empty" if row == 1 else f"{row} bins, empty", "dim")
        accuracy, confidence = row["accuracy"], row["mean_confidence"]
        low, high = (row.get(f"accuracy_{end}") for end in ("low", "high"))
        ends = [accuracy if low is None else low, accuracy, accuracy if high is None else high]
        cells = [(" ", "")] * length
        for end, sign, style in reversed(list(zip(ends, self._signs, _STYLES, strict=False))):
            filled = round(end * length)
            cells[:filled] = [(sign, style)] * filled
        cells[min(length - 1, int(confidence * length))] = (self._signs[-1], _STYLES[-1])
        return Text(parts=cells)


def _room(columns: Sequence[Column], lines: Sequence[Mapping[str, str]]) -> int:
    """Give the columns of a terminal that columns of a table take, with the gaps after them."""
    return sum(
        GAP + max(map(cell_len, [*column.head.split("_"), *(line.get(column.head, "") for line in lines)]))
        for column in columns
    )
