"""Gates where the rows of a table compete: each is judged by its own, and one that passes all is enough.

A gate on a measure of the rows speaks of every row, one that names a row of that row alone, and one on a
measure of the whole (or on a row that is not there) must pass whichever row is chosen. The rows are in order
of preference, so the first that passes all of its gates is recommended.
"""

from collections.abc import Iterable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from . import gate
from .gate import Gate, Judged, Outcome
from .measure import competitors, measures


class Contest(Struct, frozen=True):
    """How every gate was judged, and the row that is recommended, if there is one."""

    outcomes: list[Outcome]
    recommended: str | None


def judge(gates: Iterable[Gate], findings: Judged, table: str, row: type[Struct]) -> Contest:
    """Judge checked gates for each row of the table whose rows compete."""
    keys = [str(getattr(one, row.__struct_fields__[0])) for one in getattr(findings.result, table)]
    shared: list[Gate] = []
    own: dict[str, list[Gate]] = {key: [] for key in keys}
    for one in gates:
        if one.key is None and one.field is None and one.measure in measures(row):
            for key in keys:
                own[key].append(replace(one, key=key))
        elif one.field is None and one.key in own:
            own[one.key].append(one)
        else:
            shared.append(one)
    outcomes = _judged(shared, findings)
    able = _passed(outcomes)
    recommended = None
    for key in keys:
        judged = _judged(own[key], findings)
        outcomes += judged
        if recommended is None and able and _passed(judged):
            recommended = key
    return Contest(outcomes, recommended)


def effective(given: Sequence[Gate], defaults: Iterable[str], result: type[Struct]) -> tuple[Gate, ...]:
    """Give the gates that hold: those given, and each default on whose measure none is given for all rows."""
    if competitors(result) is None:
        return tuple(given)
    replaced = {one.measure for one in given if one.key is None}
    standing = [one for one in map(gate.parse, defaults) if one.measure not in replaced]
    return (*standing, *given)


def _judged(gates: Iterable[Gate], findings: Judged) -> list[Outcome]:
    return [gate.judge(one, findings) for one in gates]


def _passed(outcomes: Iterable[Outcome]) -> bool:
    return all(outcome.passed for outcome in outcomes)
