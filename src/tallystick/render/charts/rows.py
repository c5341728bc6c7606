"""What a report holds, read for drawing: tables by their columns, and numbers.

A report is a file, which anybody may have written: of a result, what is not a finite number is not drawn.
"""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from ...report import Report
from ..layout import is_table
from .names import LONGEST

Row = Mapping[str, Any]

SHOWN = 40
"""Rows of a table, or slices, that are drawn."""

_ACRONYMS = {"ece": "ECE", "mce": "MCE", "mrr": "MRR", "ndcg": "nDCG", "map": "MAP", "f1": "F1", "mae": "MAE"}
_ACRONYMS |= {
    "rmse": "RMSE",
    "rps": "RPS",
    "js": "JS",
    "roc": "ROC",
    "auc": "AUC",
    "ms": "(ms)",
    "jaccard": "Jaccard",
}

_LOWER = re.compile(
    r"(?:^|_)(?:risk|risk_coverage_area|ece|mce|mae|rmse|rps|loss|brier_score|brier_binary|gap|divergence|variation"
    r"|changes?|shift|delta|p_value|(?:missing|tie|flip|instability|change|overlap)_rate"
    r"|latency_ms|tokens|tokens_total|failures|regressions|disagreements|matched_\w+|probability_count"
    r"|incomplete_pairs|unjudged_queries)$"
)
"""Measures of which less is better. A report says so of those alone that have a gate."""


class Listed(NamedTuple):
    """A table of a report: its name, its rows, and how many more its limit left out."""

    name: str
    rows: Sequence[Row]
    omitted: int

    def has(self, *columns: str) -> bool:
        """Whether its rows have these columns."""
        return all(column in self.rows[0] for column in columns)


class Estimate(NamedTuple):
    """A number with the ends of its interval; each is None where it is undefined or not reported."""

    value: float | None
    low: float | None = None
    high: float | None = None

    @property
    def numbers(self) -> list[float]:
        """The numbers that it has."""
        return [number for number in self if number is not None]

    def __str__(self) -> str:
        if self.value is None:
            return "undefined"
        if self.low is None or self.high is None:
            return short(self.value)
        return f"{short(self.value)} ({short(self.low)} to {short(self.high)})"


def listed(report: Report) -> Iterator[Listed]:
    """Give the tables of a report that have rows."""
    omitted = report.result.get("omitted")
    for name, value in report.result.items():
        if is_table(value) and value[0]:
            rows = [row for row in value if isinstance(row, dict) and row.keys() == value[0].keys()]
            yield Listed(name, rows, count(omitted.get(name)) if isinstance(omitted, dict) else 0)


def number(value: Any) -> float | None:
    """Give a finite number as it is, and None for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        return float(value) if math.isfinite(value) else None
    except OverflowError:
        return None


def count(value: Any) -> int:
    """Give a count, and 0 for what is none."""
    return int(number(value) or 0)


def numbers(row: Row, *columns: str) -> list[float] | None:
    """Give the numbers of some columns, or None where one of them is none."""
    values = [number(row.get(column)) for column in columns]
    return None if None in values else [value for value in values if value is not None]


def estimate(row: Row, measure: str) -> Estimate:
    """Read a measure with its interval."""
    return Estimate(*(number(row.get(f"{measure}{end}")) for end in ("", "_low", "_high")))


def intervals(row: Row) -> list[str]:
    """Name the measures that are reported with an interval."""
    return [name for name in row if f"{name}_low" in row and f"{name}_high" in row]


def shares(rows: Sequence[Row]) -> list[str]:
    """Name the columns that hold shares (or null) alone, and are no end of an interval."""
    ends = {f"{name}{end}" for name in intervals(rows[0]) for end in ("_low", "_high")}
    columns = [name for name in rows[0] if name not in ends]
    held = {name: [row[name] for row in rows if row.get(name) is not None] for name in columns}
    return [
        name
        for name, values in held.items()
        if values and all(isinstance(value, float) and 0 <= value <= 1 for value in values)
    ]


def lower_is_better(measure: str) -> bool:
    """Whether the least value of a measure is the best, by its name."""
    return _LOWER.search(measure) is not None


def words(name: str) -> str:
    """Write the name of a measure or table as words: ``token_f1`` is Token F1."""
    said = " ".join(_ACRONYMS.get(word, word) for word in name.replace("yes_no", "yes/no").split("_"))
    return said[:1].upper() + said[1:] if not said.startswith("nDCG") else said


def within(name: str) -> str:
    """Write the name of a measure as words within a sentence."""
    said = words(name)
    return said if said[:2].isupper() or said.startswith("nDCG") else said[:1].lower() + said[1:]


def hyphened(name: str) -> str:
    """Make the name of a plot of any text: words and hyphens."""
    return "-".join(re.findall(r"[a-z0-9]+", name.lower()))[:LONGEST].strip("-")


def short(value: float) -> str:
    """Write a number of a picture: three decimals, counts whole, four digits of what is large."""
    if float(value).is_integer() and 1 < abs(value) < 1e15:
        return f"{value:,.0f}"
    if value and not 1e-3 <= abs(value) < 1e5:
        return f"{value:.3g}"
    return f"{value:.3f}" if abs(value) < 100 else f"{value:,.1f}"


def tick(amount: int) -> str:
    """Write a count in little room: 950, 1.2k, 34M."""
    for size, unit in ((10**9, "G"), (10**6, "M"), (10**3, "k")):
        if amount >= size:
            return f"{amount / size:.3g}{unit}" if amount < 1000 * size else f"{amount:.1e}"
    return str(amount)


def plural(amount: float, noun: str) -> str:
    """Write a count with its noun."""
    return f"{amount:,.0f} {noun}{'' if amount == 1 else 's'}"
