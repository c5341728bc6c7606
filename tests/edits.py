"""Every change of a single field of a report."""

import json
from collections.abc import Iterator
from typing import Any


def edits(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Give every change of one field of a value: another value, and the field gone."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from edits(inner, (*path, key))
            yield (*path, key), "GONE"
        yield (*path, "strange"), 1
    elif isinstance(value, list):
        for place, inner in enumerate(value):
            yield from edits(inner, (*path, place))
    elif isinstance(value, bool):
        yield path, not value
    elif isinstance(value, int | float):
        yield path, value + 1 if value + 1 != value else value / 2
        yield path, float(value) if isinstance(value, int) else int(value)
        yield path, None
    elif isinstance(value, str):
        yield path, value + "x"
    else:
        yield path, 0


def edited(report: dict[str, Any], path: tuple[Any, ...], value: Any) -> dict[str, Any]:
    made = json.loads(json.dumps(report))
    holder = made
    for key in path[:-1]:
        holder = holder[key]
    if value == "GONE":
        del holder[path[-1]]
    else:
        holder[path[-1]] = value
    return dict(made)
