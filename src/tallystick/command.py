"""From the given flags of an audit's command to its report."""

from collections.abc import Mapping
from contextlib import nullcontext
from typing import Any

from . import flags, options, sources
from .errors import UsageError
from .outputs import Outputs
from .plan import placed, plan
from .report import Report
from .run import execute
from .sources import Facts, Source, Watch, formats, found


def made(audit: Any, given: Mapping[str, Any], outputs: Outputs, watch: Watch | None = None) -> Report:
    """Make the report that flags ask for; where things will be written is checked before a file is read."""
    own, settings, gates = flags.parts(audit, given)
    named = _inputs(audit, given)
    against = given["against"]
    planned = plan(audit.name, named, own, settings, gates, options.spelled, against)
    limit, jobs = count(given, "max_file_bytes"), count(given, "jobs")
    if given["format"] not in ("text", "json"):
        raise UsageError("--format", f"expected one of text, json, got {given['format']!r}")
    formats.check(given["input_format"], "--input-format")
    inputs = {name: [path for glob in globs for path in found(glob)] for name, globs in named.items()}
    paths = [path for listed in inputs.values() for path in listed]
    if paths.count("-") > 1:
        raise UsageError("-", "standard input can be read only once")
    outputs.check([*paths, *([against] if against is not None else [])])
    held: dict[str, list[Source]] = {name: [*listed] for name, listed in inputs.items()}
    facts: list[Facts] = []
    with watch([facts], sources.size(paths)) if watch and not given["quiet"] else nullcontext():
        return execute(planned, held, limit, given["input_format"], facts, jobs)


def count(given: Mapping[str, Any], name: str) -> int | None:
    """Read a flag that takes a whole number from 1; None where it is not given.

    Raises
    ------
    UsageError
        For anything else.
    """
    if given[name] is None:
        return None
    number = options.parse(given[name], int)
    if type(number) is not int or number < 1:
        raise UsageError(options.spelled(name), f"expected a whole number from 1, got {given[name]!r}")
    return number


def _inputs(audit: Any, given: Mapping[str, Any]) -> dict[str, Any]:
    """Give each input its files: by flag, or by place; an only input takes all that are named."""
    named = {name: given[name] for name in {**audit.inputs, **audit.sides} if given.get(name)}
    files = list(given["files"])
    if len(audit.inputs) == 1 and named.keys() == audit.inputs.keys():
        return {name: [*named[name], *files] for name in named}
    by_place = [files] if len(audit.inputs) == 1 and files else [[file] for file in files]
    return placed(audit, by_place, named)
