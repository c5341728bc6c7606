"""Counts of pairs of labels, as reports hold them."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from ...report import Report
from .rows import Listed, count, listed

MODELS = 4
"""Competing models whose counts are drawn."""


class Matrix(NamedTuple):
    """Counts by row and column label, and what the rows and the columns are."""

    row: str
    column: str
    cells: Mapping[tuple[str, str], int]
    totals: Mapping[str, int]
    """Records of a row, where the report says so: its cells may not all be there."""

    @property
    def classes(self) -> list[str]:
        """All labels, in natural order: numbers by size, then the rest by letters."""
        return sorted({name for pair in self.cells for name in pair}, key=natural)

    def sizes(self) -> dict[str, int]:
        """Count the records of each row."""
        sizes: dict[str, int] = {}
        for (row, _), records in self.cells.items():
            sizes[row] = sizes.get(row, 0) + records
        return {row: max(records, self.totals.get(row, 0)) for row, records in sizes.items()}


def matrices(table: Listed, totals: Mapping[str, int]) -> Iterator[tuple[str, Matrix]]:
    """Read the counts of a table, of each model by its name, or of the only one without."""
    columns = list(table.rows[0])
    if columns == ["model", "cell", "records"]:
        models = list(dict.fromkeys(str(row["model"]) for row in table.rows))
        for model in models[:MODELS]:
            rows = [row for row in table.rows if row["model"] == model]
            cells = {_parted(str(row["cell"])): count(row["records"]) for row in rows}
            yield model, Matrix("expected", "suggested", _there(cells), {})
    elif len(columns) == 3 and columns[2] == "records":
        first, second, _ = columns
        if all(isinstance(row[first], str) and isinstance(row[second], str) for row in table.rows):
            cells = {(row[first], row[second]): count(row["records"]) for row in table.rows}
            yield "", Matrix(first, second, _there(cells), totals)


def _there(cells: Mapping[tuple[str, str], int]) -> dict[tuple[str, str], int]:
    return {pair: records for pair, records in cells.items() if records > 0}


def _parted(cell: str) -> tuple[str, str]:
    """Part the name of a cell, `right->suggested`, where a label may be a JSON string."""
    try:
        if cell.startswith('"'):
            first, end = json.JSONDecoder().raw_decode(cell)
        else:
            first, end = cell.partition("->")[0], cell.index("->")
        second = cell[end + 2 :]
        return str(first), str(json.loads(second)) if second.startswith('"') else second
    except ValueError:
        return cell, ""


def totals(report: Report) -> dict[str, int]:
    """Find how many records each label has as a row."""
    for table in listed(report):
        for column in ("support", "reference"):
            if table.has("label", column):
                return {
                    row["label"]: count(row[column]) for row in table.rows if isinstance(row["label"], str)
                }
    return {}


def natural(text: str) -> list[tuple[bool, int, str]]:
    """Give the key by which labels are sorted: what is a number in them by its size."""
    parts = re.split(r"(\d{1,18})", text)
    return [(not part.isdecimal(), int(part) if part.isdecimal() else 0, part) for part in parts if part]
