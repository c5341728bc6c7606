"""The confusion heat map: the shares of each row, in blue what is right, in orange what is confused."""

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

from ...report import Report
from .matrix import Matrix, matrices, natural, totals
from .names import SHOWN_OF_KEY, key, label, labels, remarks
from .plot import Drawing, Plot
from .rows import Listed, hyphened, listed, plural, short, tick, words
from .theme import INK, PAPER, QUIET, RIGHT, WRONG, finished, rows_of

CLASSES = 100
"""Classes that are drawn; of more, the largest."""

WRITTEN = 12
"""Classes up to which each cell has its count."""

CUT = 18
"""Characters of a label that are drawn."""

NTH = {2: "2nd", 3: "3rd"}

LEVELS = (0.01, 0.05, 0.2, 0.5)
RANGES = ("below 1%", "1% to 5%", "5% to 20%", "20% to 50%", "from 50%")


def found(report: Report) -> Iterator[Drawing]:
    """Find counts of pairs of labels, of one model or of several; one table of such pairs is enough."""
    drawn: set[tuple[str, ...]] = set()
    for table in listed(report):
        columns = tuple(table.rows[0])
        for model, matrix in matrices(table, totals(report)) if columns not in drawn else ():
            if matrix.cells:
                drawn.add(columns)
                yield _drawing(table, model, matrix)


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
        classes = sorted(largest, key=natural)
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

    shown = labels(classes, CUT)
    names = dict(zip(classes, map(key, shown), strict=True))
    few = len(classes) <= WRITTEN
    cell = 32 if few else max(5, 400 // len(classes))
    cells = _cells(matrix, names, merge=cell < 10)
    every = -(-13 // cell)
    ticks = list(names.values())[::every]
    scale = alt.Scale(domain=list(names.values()), padding=0)
    flat = all(len(name) <= max(2, cell // 8) for name in shown) if every == 1 else False
    room = 4 + max(map(len, shown[::every]))  # in some fonts labels are so much wider than in the layout
    look: dict[str, Any] = {
        "grid": not few,
        "values": ticks,
        "labelExpr": SHOWN_OF_KEY,
        "labelOverlap": False,
        "ticks": False,
        "titlePadding": room,
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
    said = [*notes, *([f"Every {NTH[every]} label is shown."] if every > 1 else []), *remarks(classes, CUT)]
    return finished(alt.vconcat(heat, _key(), spacing=14), plot, said)


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
