"""Drift bars: how the share of each label moved, the largest move on top."""

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

from ...report import Report
from .names import SHOWN_OF_KEY, key, labels, remarks
from .plot import Drawing, Plot
from .rows import SHOWN, Listed, listed, numbers, plural, short
from .theme import AXIS, INK, ONE, TWO, finished, rows_of

COLUMNS = (("reference_share", "candidate_share", "shift"), ("mean_baseline", "mean_candidate", "mean_shift"))
STEP = 20
WIDTH = 240


class Move(NamedTuple):
    """A label, its share before and after, and the difference."""

    label: str
    old: float
    new: float
    shift: float


def found(report: Report) -> Iterator[Drawing]:
    """Find tables of a share before and after, and its shift."""
    for table in listed(report):
        for columns in COLUMNS:
            if table.has("label", *columns):
                held = [(str(row["label"]), numbers(row, *columns)) for row in table.rows]
                moves = [Move(name, *values) for name, values in held if values]
                if moves:
                    yield _drawing(table, columns[0], moves)


def _drawing(table: Listed, before: str, moves: Sequence[Move]) -> Drawing:
    moves = sorted(moves, key=lambda move: -abs(move.shift))
    names = labels(move.label for move in moves)
    named = list(zip(names, moves, strict=True))[:SHOWN]
    notes = []
    if len(moves) > SHOWN:
        notes.append(f"The {SHOWN} largest, and {len(moves) - SHOWN:,} more that are not drawn.")
    if table.omitted:
        notes.append(f"{plural(table.omitted, 'more label')} beyond the limit of the table.")
    if missing := len(table.rows) - len(moves):
        notes.append(f"{plural(missing, 'label')} left out, where the shift is undefined.")
    rose, fell = (sum(sign * move.shift > 0 for move in moves) for sign in (1, -1))
    told = ", ".join(f"{name} went from {short(move.old)} to {short(move.new)}" for name, move in named[:3])
    about = f"Of {plural(len(moves), 'label')} {rose} rose and {fell} fell. The largest moves: {told}."
    measure = "mean probability" if before.startswith("mean") else "share"
    first = before.removesuffix("_share").removeprefix("mean_")
    plot = Plot("drift", f"Shift of each label's {measure}: {first} to candidate", " ".join([about, *notes]))
    notes += remarks([move.label for _, move in named])
    rows = [
        {"name": key(name), "shift": 100 * shift, "said": f"{old:.1%} → {new:.1%}", "rose": shift > 0}
        for name, (_, old, new, shift) in named
    ]
    return Drawing(plot, partial(_draw, rows=rows, notes=notes))


def _draw(plot: Plot, *, rows: Sequence[dict[str, Any]], notes: Sequence[str]) -> Any:
    import altair as alt

    most = max(abs(row["shift"]) for row in rows) * 1.05 or 1.0
    data = alt.Chart(rows_of(rows))
    side = alt.Axis(domain=False, ticks=False, labelExpr=SHOWN_OF_KEY, labelPadding=6)
    y = alt.Y(
        "name:N", scale=alt.Scale(domain=[row["name"] for row in rows]), sort=None, title=None, axis=side
    )
    axis = alt.Axis(tickCount=5, format="+.3~r")
    x = alt.X(
        "shift:Q",
        scale=alt.Scale(domain=[-most, most], nice=False),
        title="Shift (percentage points)",
        axis=axis,
    )
    colour = alt.Color("rose:N", scale=alt.Scale(domain=[True, False], range=[ONE, TWO]), legend=None)
    zero = alt.Chart(rows_of([{"at": 0}])).mark_rule(color=AXIS).encode(x=alt.X("at:Q"))
    bars = data.mark_bar(height={"band": 0.65}).encode(x=x, x2=alt.X2Datum(0), y=y, color=colour)
    said = data.mark_text(color=INK, align="left", dx=8).encode(
        x=alt.value(WIDTH), y=y, text=alt.Text("said:N")
    )
    return finished(alt.layer(bars, zero, said).properties(width=WIDTH, height=alt.Step(STEP)), plot, notes)
