"""Whether a peer found what an audit found, so that both are known to do the same job."""

from collections.abc import Mapping
from math import isclose
from typing import Any

TOLERANCE = 1e-9
DRAWN = 0.01
"""How far apart interval ends may be that are made of other random draws, of a thousand records."""


def differences(
    ours: Mapping[str, Any], theirs: Mapping[str, Any], tolerance: float = TOLERANCE
) -> list[str]:
    """Say what of a peer's numbers is not in the audit's result, or is another number there."""
    found: list[str] = []
    for name, value in theirs.items():
        if name == "drawn":
            found += differences(ours, value, DRAWN)
        elif not _same(ours.get(name), value, tolerance):
            found.append(f"{name}: {ours.get(name)!r}, but {value!r}")
    return found


def _same(ours: Any, theirs: Any, tolerance: float) -> bool:
    if isinstance(theirs, list):
        return isinstance(ours, list) and _same_rows(ours, theirs, tolerance)
    if isinstance(theirs, float) and isinstance(ours, int | float):
        return isclose(ours, theirs, rel_tol=tolerance, abs_tol=tolerance)
    return bool(ours == theirs)


def _same_rows(ours: list[Any], theirs: list[Any], tolerance: float) -> bool:
    """Compare the fields of rows that the peer gives, whatever their order."""
    if not theirs or len(ours) != len(theirs):
        return len(ours) == len(theirs)
    part = [{name: row[name] for name in theirs[0]} for row in ours]
    pairs = zip(sorted(part, key=_key), sorted(theirs, key=_key), strict=True)
    return all(_same(one[name], other[name], tolerance) for one, other in pairs for name in other)


def _key(row: Mapping[str, Any]) -> list[str]:
    """Give what tells rows apart: what is no measure."""
    return [str(value) for value in row.values() if isinstance(value, str | int)]
