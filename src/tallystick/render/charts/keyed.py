"""Tables of shares by a key: labels, groups, questions, categories, candidates, cases."""

from collections.abc import Iterator

from ...report import Report
from .dots import drawing
from .lines import Dots, Line
from .plot import Drawing
from .rows import Listed, count, estimate, hyphened, intervals, listed, number, plural, shares, within, words

PANELS = 3
COUNTS = ("records", "support", "answers", "test_records", "pairs")
"""Columns that say of how many records a row is."""


def found(report: Report) -> Iterator[Drawing]:
    """Find tables that say how a measure differs between rows; lists of single records are none."""
    for table in listed(report):
        key = next(iter(table.rows[0]))
        named = all(isinstance(row[key], str) for row in table.rows)
        is_drawn_better = (
            table.has("lower", "upper") or table.has("label", "mean_baseline") or table.has("shift")
        )
        if named and table.name != "details" and not is_drawn_better:
            yield from filter(None, [_drawing(table, key, report)])


def _drawing(table: Listed, key: str, report: Report) -> Drawing | None:
    measures = (intervals(table.rows[0]) or shares(table.rows))[:PANELS]
    measures = [one for one in measures if one not in ("threshold", "coverage") or table.has("coverage_low")]
    if not measures:
        return None
    keys = ("label", key) if key == "model" and table.has("label") else (key,)
    counts = next((column for column in COUNTS if table.has(column)), None)
    lines = [
        Line(
            " · ".join(str(row[column]) for column in keys),
            {measure: estimate(row, measure) for measure in measures},
            count(row[counts]) if counts else None,
        )
        for row in table.rows
    ]
    overall = {measure: number(report.result.get(measure)) for measure in measures}
    notes = [f"{plural(table.omitted, 'more row')} beyond the limit of the table."] if table.omitted else []
    title = f"{words(table.name)}: {', '.join(map(within, measures))}"
    return drawing(
        hyphened(table.name), title, lines, Dots(measures, overall, column=words(counts or "")), notes
    )
