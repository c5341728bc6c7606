"""The confusion heat map: the shares of each row, in blue what is right, in orange what is confused."""

import json
import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

from ...report import Report
from .plot import Drawing, Plot
from .rows import Listed, count, hyphened, label, labels, listed, plural, short, tick, words
from .theme import INK, PAPER, QUIET, RIGHT, WRONG, finished, rows_of

CLASSES = 100
"""Classes that are drawn; of more, the largest."""

WRITTEN = 12
"""Classes up to which each cell has its count."""

MODELS = 4
LEVELS = (0.01, 0.05, 0.2, 0.5)
RANGES = ("below 1%", "1% to 5%", "5% to 20%", "20% to 50%", "from 50%")


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
        return sorted({name for pair in self.cells for name in pair}, key=_natural)

    def sizes(self) -> dict[str, int]:
        """Count the records of each row."""
        sizes: dict[str, int] = {}
        for (row, _), records in self.cells.items():
            sizes[row] = sizes.get(row, 0) + records
        return {row: max(records, self.totals.get(row, 0)) for row, records in sizes.items()}


def found(report: Report) -> Iterator[Drawing]:
    """Find counts of pairs of labels, of one model or of several; one table of such pairs is enough."""
    drawn: set[tuple[str, ...]] = set()
    for table in listed(report):
        columns = tuple(table.rows[0])
        for model, matrix in _matrices(table, _totals(report)) if columns not in drawn else ():
            if matrix.cells:
                drawn.add(columns)
                yield _drawing(table, model, matrix)


def _matrices(table: Listed, totals: Mapping[str, int]) -> Iterator[tuple[str, Matrix]]:
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


def _totals(report: Report) -> dict[str, int]:
    """Find how many records each label has as a row."""
    for table in listed(report):
        for column in ("support", "reference"):
            if table.has("label", column):
                return {
                    row["label"]: count(row[column]) for row in table.rows if isinstance(row["label"], str)
                }
    return {}


def _natural(text: str) -> list[tuple[bool, int, str]]:
    parts = re.split(r"(\d{1,18})", text)
    return [(not part.isdecimal(), int(part) if part.isdecimal() else 0, part) for part in parts if part]


def _drawing(table: Listed, model: str, matrix: Matrix) -> Drawing:
    classes = matrix.classes
    of = f" of {label(model)}" if model else ""
    title = f"{words(table.name)}{of}: {matrix.column} against {matrix.row}"
    notes = ["Colour: share of the row. Blue is right, orange is confused."]
    if len(classes) > CLASSES:
        sizes = dict.fromkeys(classes, 0)
        for (row, column), records in matrix.cells.items():
            sizes[row] += records
            sizes[column] += records
        largest = sorted(classes, key=lambda name: -sizes[name])[:CLASSES]
        title = f"{words(table.name)}{of} of the {CLASSES} largest of {len(classes):,} classes"
        classes = sorted(largest, key=_natural)
    if table.omitted:
        notes.append(f"{plural(table.omitted, 'more cell')} beyond the limit of the table.")
    plot = Plot(hyphened(f"{table.name} {model}"), title, _about(matrix))
    return Drawing(plot, partial(_draw, matrix=matrix, classes=classes, notes=notes))


def _about(matrix: Matrix) -> str:
    records = sum(matrix.cells.values())
    right = sum(n for (row, column), n in matrix.cells.items() if row == column)
    said = f"{_classes(len(matrix.classes))}; "
    said += f"{right:,} of {plural(records, 'record')} in these cells are on the diagonal"
    said += f" ({short(right / records)})." if records else "."
    wrong = [(pair, n) for pair, n in matrix.cells.items() if pair[0] != pair[1]]
    if wrong:
        (row, column), n = min(wrong, key=lambda cell: (-cell[1], cell[0]))
        said += (
            f" The most frequent confusion is {matrix.row} {label(row)}, {matrix.column} {label(column)}: "
            f"{n:,} of {matrix.sizes()[row]:,}."
        )
    return said


def _classes(amount: int) -> str:
    return "1 class" if amount == 1 else f"{amount:,} classes"


def _draw(plot: Plot, *, matrix: Matrix, classes: Sequence[str], notes: Sequence[str]) -> Any:
    import altair as alt

    names = dict(zip(classes, labels(classes, 18), strict=True))
    few = len(classes) <= WRITTEN
    cell = 32 if few else max(5, 400 // len(classes))
    cells = _cells(matrix, names, merge=cell < 10)
    every = -(-13 // cell)
    ticks = list(names.values())[::every]
    scale = alt.Scale(domain=list(names.values()), padding=0)
    flat = all(len(name) <= max(2, cell // 8) for name in ticks) if every == 1 else False
    look: dict[str, Any] = {
        "grid": not few,
        "values": ticks,
        "labelOverlap": False,
        "ticks": False,
        "zindex": 0,
    }
    across = alt.Axis(**look, labelAngle=0 if flat else 270, labelPadding=4, orient="bottom")
    x = alt.X(
        "from:N",
        scale=scale,
        sort=None,
        title=f"{matrix.column.capitalize()} label",
        axis=across,
        bandPosition=0,
    )
    title = f"{matrix.row.capitalize()} label"
    y = alt.Y("row:N", scale=scale, sort=None, title=title, axis=alt.Axis(**look, labelPadding=4))
    colour = alt.Color(
        "level:N", scale=alt.Scale(domain=list(range(10)), range=[*RIGHT, *WRONG]), legend=None
    )
    data = alt.Chart(rows_of(cells))
    edge = {"stroke": PAPER, "strokeWidth": 1} if cell >= 10 else {"strokeWidth": 0}
    layers = [data.mark_rect(**edge).encode(x=x, x2=alt.X2("to:N", bandPosition=1), y=y, color=colour)]
    if few:
        for text, weak in ((INK, True), (PAPER, False)):
            here = data.transform_filter(f"datum.weak === {str(weak).lower()}")
            written = here.mark_text(color=text, fontSize=11)
            layers.append(
                written.encode(x=alt.X("from:N", bandPosition=0.5), y=alt.Y("row:N"), text=alt.Text("said:N"))
            )
    side = alt.Step(cell)
    heat = alt.layer(*layers).properties(width=side, height=side)
    return finished(alt.vconcat(heat, _key(), spacing=14), plot, notes)


def _cells(matrix: Matrix, names: Mapping[str, str], *, merge: bool) -> list[dict[str, Any]]:
    """Give the cells to draw, of one level together; neighbours in a row are one where they look alike."""
    places = {name: place for place, name in enumerate(names)}
    shown = [pair for pair in matrix.cells if pair[0] in names and pair[1] in names]
    totals = matrix.sizes()
    cells: list[dict[str, Any]] = []
    for row, column in sorted(shown, key=lambda pair: (places[pair[0]], places[pair[1]])):
        records = matrix.cells[row, column]
        level = bisect_right(LEVELS, records / totals[row]) + (0 if row == column else 5)
        last = cells[-1] if cells else {}
        if (
            merge
            and (last.get("row"), last.get("level")) == (names[row], level)
            and last["at"] == places[column] - 1
        ):
            last.update(to=names[column], at=places[column])
            continue
        where = {"row": names[row], "from": names[column], "to": names[column], "at": places[column]}
        cells.append({**where, "level": level, "weak": level % 5 == 0, "said": tick(records)})
    return sorted(cells, key=lambda one: one["level"])


def _key() -> Any:
    """Draw which colour stands for which share."""
    import altair as alt

    levels = [
        {"level": level + 5 * kind, "range": said, "kind": name}
        for kind, name in enumerate(("right", "confused"))
        for level, said in enumerate(RANGES)
    ]
    plain = alt.Axis(
        labelAngle=0, ticks=False, domain=False, labelColor=QUIET, labelFontSize=11, labelPadding=3
    )
    x = alt.X("range:N", scale=alt.Scale(domain=list(RANGES)), title=None, axis=plain)
    y = alt.Y("kind:N", scale=alt.Scale(domain=["right", "confused"]), title=None, axis=plain)
    colour = alt.Color(
        "level:N", scale=alt.Scale(domain=list(range(10)), range=[*RIGHT, *WRONG]), legend=None
    )
    squares = alt.Chart(rows_of(levels)).mark_rect(stroke=PAPER)
    return squares.encode(x=x, y=y, color=colour).properties(width=alt.Step(66), height=alt.Step(14))
