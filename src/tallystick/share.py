"""Whether the work of a run is shared: files are read in parts, by one process or by several."""

import os
import sys
from collections.abc import Mapping, Sequence

from msgspec import Struct

from . import units
from .plan import Plan
from .sources import Source, is_remote

SHARE = 16_000_000
"""Bytes of files for each process, unless the caller says how many there are."""

DEALT = 256_000_000
"""Bytes of files from which records that must come together are dealt out on disk, even by one process."""


class Share(Struct, frozen=True):
    """Files that are read in parts, and by how many processes."""

    files: tuple[tuple[str, str], ...]
    """Each with the name of the input that it belongs to."""
    size: int
    processes: int


def processes(asked: int | None, useful: int) -> int:
    """Say how many processes there are to be: as many as are asked for, else useful, but no more than cores.

    One, where this Python cannot be started again, since it is built into another program.
    """
    if not sys.executable or getattr(sys, "frozen", False):
        return 1
    return max(1, min(_cores(), useful)) if asked is None else asked


def _cores() -> int:
    """Give the processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def shared(plan: Plan, inputs: Mapping[str, Sequence[Source]], jobs: int | None) -> Share | None:
    """Say how files are read in parts; None where one process reads all inputs from end to end.

    `jobs` is the number of processes, by default one for each 16 MB, and no more than there are cores.
    """
    files = []
    for name, listed in inputs.items():
        for source in listed:
            if not isinstance(source, str | os.PathLike):
                return None
            path = os.fspath(source)
            if path == "-" or is_remote(path) or not os.path.isfile(path):
                return None
            files.append((name, path))
    size = sum(os.path.getsize(path) for _, path in files)
    count = processes(jobs, size // SHARE)
    dealt = units.dealt_by(plan.audit, plan.inputs) is not None and size >= DEALT
    return Share(tuple(files), size, count) if count > 1 or dealt else None
