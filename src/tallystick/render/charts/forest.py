"""Measures of the whole with their intervals: forest plots about the even point, and the rest.

Beside each stand the limits of the gates on it.
"""

from collections.abc import Iterator, Sequence

from ...errors import TallystickError
from ...gate import Gate, parse
from ...report import Report
from .dots import drawing
from .lines import Dots, Line
from .plot import Drawing
from .rows import estimate, intervals, number, shares, words

EVEN = {
    "candidate_share": 0.5,
    "candidate_win_rate": 0.5,
    "baseline_win_rate": 0.5,
    "discordant_win_rate": 0.5,
}
"""Where a rate of wins says that both sides are alike."""

SIDES = ("baseline_", "candidate_")


def even(measure: str) -> float | None:
    """Give the value of a measure that means that nothing differs, if it has one."""
    return 0.0 if measure.endswith("_difference") else EVEN.get(measure)


def gates(report: Report) -> list[tuple[Gate, float | None]]:
    """Read the gates of a report, each with its limit."""
    read = []
    for gate in report.body.get("gates", []):
        try:
            read.append((parse(gate["gate"]), number(gate.get("limit"))))
        except TallystickError:
            continue
    return read


def gated(gate: Gate) -> str:
    """Name the measure that a gate is on, for an end of an interval the measure itself."""
    return gate.measure.removesuffix("_low").removesuffix("_high")


def found(report: Report) -> Iterator[Drawing]:
    """Find measures that compare two sides."""
    compared = [name for name in intervals(report.result) if even(name) is not None]
    for point, title, axis in (
        (0.5, "Which side wins", "Share"),
        (0.0, "Candidate less baseline", "Difference"),
    ):
        names = [name for name in compared if even(name) == point]
        yield from _drawn("forest", title, report, names, Dots(["value"], even=point, sorts=False, axis=axis))


def rest(report: Report) -> Iterator[Drawing]:
    """Find what else has an interval, or is a share with a gate."""
    named = {gated(gate) for gate, _ in gates(report) if gate.key is None and gate.field is None}
    plain = [name for name in shares([report.result]) if name in named or name in intervals(report.result)]
    beyond = {gated(gate) for gate, limit in gates(report) if limit is not None and not 0 <= limit <= 1}
    names = [
        name for name in plain if even(name) is None and not name.startswith(SIDES) and name not in beyond
    ]
    yield from _drawn(
        "measures", "Measures of all records", report, names, Dots(["value"], sorts=False, axis="Value")
    )


def _drawn(name: str, title: str, report: Report, measures: Sequence[str], dots: Dots) -> Iterator[Drawing]:
    limits: dict[str, list[float]] = {}
    for gate, limit in gates(report):
        if limit is not None and gate.key is None and gate.field is None:
            limits.setdefault(gated(gate), []).append(limit)
    lines = []
    for measure in measures:
        held = estimate(report.result, measure)
        marks = tuple(limits.get(measure, ()))
        lines.append(Line(words(measure), {"value": held}, said=str(held), limits=marks))
    notes = ["Upright orange marks are the limits of gates."] if any(line.limits for line in lines) else []
    if drawn := drawing(name, title, lines, dots, notes) if lines else None:
        yield drawn
