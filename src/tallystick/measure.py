"""What an audit declares of the numbers it reports: measures, tables, and the rows of tables.

From a `Measure` come the gate flags, the range in which a limit may lie, the way a gate compares, and
the text of the audit's page. A number in a result is a `Number`: an exact rational, or None where it is
undefined. It is rounded to float64 once, where the report is written.
"""

import typing
from collections.abc import Callable, Iterable
from fractions import Fraction
from functools import cache
from typing import Any, Literal, TypeAlias, TypeVar

from msgspec import Struct

Number: TypeAlias = Fraction | None
T = TypeVar("T")


class Measure(Struct, frozen=True):
    """One number of a result.

    Parameters
    ----------
    about
        What it is, in one sentence.
    better
        Which side is better; without one it is reported and cannot be gated.
    within
        The least and the greatest value that it can take; None where there is no bound.
    counted
        Made from counts alone, so that gates compare it exactly, without slack.
    exact
        False where a logarithm or an iteration is unavoidable: machines may differ by 1e-12 relative.
    slack
        Whether a gate on an uncounted measure admits the slack of 1e-9; p-values do not.
    undefined
        When it is undefined: the reason that a report gives for a null.
    reason
        Where there are several: a function of the result (or row) that holds it, whose text is the reason.
    flag
        The name in the gate flag, where it is not the measure's own.
    needs
        What a gate on it also needs: a predicate of the whole result, and the reason when it fails.
    remark
        What the message of a gate on it adds: a predicate of the whole result, and the remark where it holds.
    instead
        The measure to gate in its place, where it has no better side.
    sample
        A count that other measures are made of, so that a report warns where it is small.
    """

    about: str
    better: Literal["higher", "lower"] | None = None
    within: tuple[float | None, float | None] = (None, None)
    counted: bool = False
    exact: bool = True
    slack: bool = True
    undefined: str = "there are no records"
    reason: Callable[[Any], str] | None = None
    flag: str | None = None
    needs: tuple[Callable[[Any], bool], str] | None = None
    remark: tuple[Callable[[Any], bool], str] | None = None
    instead: str | None = None
    sample: bool = False

    @property
    def operator(self) -> Literal[">=", "<="] | None:
        """The comparison in the better direction: ``>=``, ``<=``, or None."""
        if self.better is None:
            return None
        return ">=" if self.better == "higher" else "<="

    def why(self, holder: Any) -> str:
        """Say why it is undefined in a result or row."""
        return self.reason(holder) if self.reason else self.undefined

    def flag_name(self, name: str) -> str | None:
        """Give the gate flag of a measure: ``--max-ece``; None where it has no better side."""
        if self.better is None:
            return None
        side = "min" if self.better == "higher" else "max"
        return f"--{side}-{(self.flag or name).replace('_', '-')}"


class Table(Struct, frozen=True):
    """A list of rows in a result; a row's first field is its key.

    `limit` names the option that bounds it (such as `max_rows`), or is None for a table whose
    size the options already bound. `order` states the rule by which rows are ordered, and so kept.

    Where its rows compete, a gate on a measure of theirs speaks of every row, and one row that passes all of
    its gates is enough; the first that does is recommended.
    """

    about: str
    order: str
    limit: Literal["max_rows", "max_details", "max_curve_points"] | None = None
    competes: bool = False


class Rows(list[T]):
    """Rows of a table of which some were already left out."""

    __slots__ = ("omitted",)

    def __init__(self, rows: Iterable[T], omitted: int) -> None:
        super().__init__(rows)
        self.omitted = omitted


SHARE: tuple[float, float] = (0, 1)
"""The range of a share."""

COUNT: tuple[float, None] = (0, None)
"""The range of a count."""

RECORDS = Measure("Records counted.", better="higher", within=COUNT, counted=True, sample=True)
"""The measure `records` of every audit."""


def end(side: Literal["low", "high"], of: str, **traits: Any) -> Measure:
    """Declare an end of the interval of a share: better higher, in [0, 1] unless told otherwise."""
    given: dict[str, Any] = {"better": "higher", "within": SHARE, "exact": False} | traits
    return Measure(f"{'Lower' if side == 'low' else 'Upper'} end of the interval of {of}.", **given)


def degenerate(of: str) -> tuple[Callable[[Any], bool], str]:
    """Make the remark on an end of a bootstrap interval that its degenerate flag calls for."""
    return (
        lambda result: bool(getattr(result, f"{of}_degenerate")),
        "all values are equal, so resampling shows nothing",
    )


@cache
def measures(result: type) -> dict[str, Measure]:
    """Collect the measures that a result (or a row of a table) declares, by name, in order."""
    return {name: m for name, m in _declared(result).items() if isinstance(m, Measure)}


@cache
def tables(result: type) -> dict[str, tuple[Table, type]]:
    """Collect the tables that a result declares, by name: their declaration and the type of a row."""
    hints = typing.get_type_hints(result)
    found = {name: t for name, t in _declared(result).items() if isinstance(t, Table)}
    return {name: (table, typing.get_args(hints[name])[0]) for name, table in found.items()}


def competitors(result: type) -> tuple[str, type] | None:
    """Give the name and the row type of the table whose rows compete, if a result has one."""
    return next(((name, row) for name, (table, row) in tables(result).items() if table.competes), None)


def gateable(result: type) -> dict[str, Measure]:
    """Collect the measures that a gate may name without a row: those of the result, and of competing rows."""
    rows = competitors(result)
    return {**measures(result), **(measures(rows[1]) if rows else {})}


def _declared(result: type) -> dict[str, object]:
    hints = typing.get_type_hints(result, include_extras=True)
    return {
        name: note
        for name, hint in hints.items()
        for note in getattr(hint, "__metadata__", ())
        if isinstance(note, Measure | Table)
    }
