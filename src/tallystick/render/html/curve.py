"""Curves over a threshold: from a table of thresholds to the counts that a slider shows."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct

from ...report import Report
from ..layout import is_table, number

Point = tuple[float, int, int]
"""A threshold, how many records are accepted at it, and how many of these are right."""


class Curve(Struct, frozen=True):
    """What each threshold of a table accepts, from the lowest threshold to the highest."""

    table: str
    total: int
    points: list[Point]
    start: int
    """The point at which the slider stands first."""

    @property
    def data(self) -> str:
        """The counts as JSON that is safe inside a script element, whatever it holds."""
        text = json.dumps({"total": self.total, "points": self.points}, separators=(",", ":"))
        for character in "<>&\u2028\u2029":
            text = text.replace(character, f"\\u{ord(character):04x}")
        return text

    @property
    def first(self) -> dict[str, str]:
        """What is shown of the point at which the slider stands first."""
        threshold, accepted, right = self.points[self.start]
        return {
            "threshold": repr(threshold).removesuffix(".0"),
            "accepted": f"{accepted} of {self.total}",
            "coverage": number(accepted / self.total),
            "accuracy": number(right / accepted if accepted else None),
        }

    @property
    def coverage(self) -> str:
        """The line of coverage, as the points of an SVG polyline in a box of 100 by 100."""
        return self._line([accepted / self.total for _, accepted, _ in self.points])

    @property
    def accuracy(self) -> str:
        """The line of accuracy, likewise; it ends where nothing is accepted."""
        return self._line([right / accepted if accepted else None for _, accepted, right in self.points])

    def _line(self, shares: list[float | None]) -> str:
        step = 100 / (len(shares) - 1)
        places = (
            (place * step, 100 - 100 * share) for place, share in enumerate(shares) if share is not None
        )
        return " ".join(f"{x:.4g},{y:.4g}" for x, y in places)


def curves(report: Report) -> Iterator[Curve]:
    """Find the tables that say of each threshold how many are accepted, and how many of these are right."""
    for table, rows in report.result.items():
        if is_table(rows) and {"threshold", "coverage"} <= rows[0].keys():
            for total in _totals(report.result, table):
                points = [_point(row, total) for row in rows]
                known = sorted(point for point in points if point is not None)
                if len(known) == len(points) > 1:
                    yield Curve(table, total, known, _start(report, known))
                    break


def _totals(result: Mapping[str, Any], table: str) -> Iterator[int]:
    """Give the counts of which a table's coverage may be a share: of its own kind of records, or of all."""
    for name in (f"{table.removesuffix('_curve')}_questions", "records"):
        total = result.get(name)
        if type(total) is int and total > 0:
            yield total


def _point(row: Mapping[str, Any], total: int) -> Point | None:
    """Give the counts behind a row; None where its shares are not those of counts."""
    threshold, coverage = row.get("threshold"), row.get("coverage")
    if type(threshold) is not float or type(coverage) is not float:
        return None
    accepted = round(coverage * total)
    if accepted / total != coverage:
        return None
    if not accepted:
        return threshold, 0, 0
    share, wanted = ("accuracy", row.get("accuracy")) if "accuracy" in row else ("risk", row.get("risk"))
    if type(wanted) is not float:
        return None
    counted = round(wanted * accepted)
    if counted / accepted != wanted:
        return None
    return threshold, accepted, counted if share == "accuracy" else accepted - counted


def _start(report: Report, points: list[Point]) -> int:
    """Stand where the report's own threshold acts: at the least one of the curve that is not below it."""
    given = report.options.get("confidence_threshold")
    if not isinstance(given, int | float):
        return 0
    return next((at for at, (threshold, _, _) in enumerate(points) if threshold >= given), len(points) - 1)
