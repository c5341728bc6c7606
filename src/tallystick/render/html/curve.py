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
    given: float | None = None
    """The threshold that the report acts on, if it has one."""

    @property
    def apart(self) -> str:
        """The threshold that the report acts on where the curve has it not, else nothing."""
        given = self.given
        return "" if given is None or any(given == at for at, _, _ in self.points) else _written(given)

    @property
    def ticks(self) -> list[str]:
        """The lowest threshold, the one in the middle, and the highest, as they stand below the lines."""
        low, high = self.points[0][0], self.points[-1][0]
        return [number(low), number(low / 2 + high / 2), number(high)]

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
            "threshold": _written(threshold),
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
        low, high = self.points[0][0], self.points[-1][0]
        places = (
            (100 * (threshold - low) / ((high - low) or 1), 100 - 100 * share)
            for (threshold, _, _), share in zip(self.points, shares, strict=True)
            if share is not None
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
                    given = _given(report)
                    yield Curve(table, total, known, _start(given, known), given)
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


def _given(report: Report) -> float | None:
    given = report.options.get("confidence_threshold")
    return float(given) if isinstance(given, int | float) else None


def _written(threshold: float) -> str:
    return repr(threshold).removesuffix(".0")


def _start(given: float | None, points: list[Point]) -> int:
    """Stand where the report's own threshold acts: at the least one of the curve that is not below it."""
    if given is None:
        return 0
    return next((at for at, (threshold, _, _) in enumerate(points) if threshold >= given), len(points) - 1)
