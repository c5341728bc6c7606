"""The machine, the day and the versions that figures belong to."""

import os
import platform
import resource
import time
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from msgspec import Struct

LIBRARIES = ("numpy", "msgspec", "cyclopts", "pyarrow")
PEERS = (
    "polars",
    "pandas",
    "scikit-learn",
    "evidently",
    "ranx",
    "ir-measures",
    "pytrec-eval-terrier",
    "scipy",
)


class Machine(Struct, frozen=True):
    """What figures depend on."""

    elsewhere: float
    """The share of its cores' time that other work took meanwhile."""
    skipped: dict[str, str]
    """Peers that were left out, and why."""
    date: str
    processor: str
    cores: int
    gigabytes: int
    python: str
    versions: dict[str, str]


class Load:
    """How much of the cores' time goes to other work than ours."""

    def __init__(self) -> None:
        self._start = self._now()

    def elsewhere(self) -> float:
        """Give the share since the start."""
        ours, busy, all_ = (now - then for now, then in zip(self._now(), self._start, strict=True))
        return max(0.0, (busy - ours) / all_)

    @staticmethod
    def _now() -> tuple[float, float, float]:
        """Give seconds of processors: of ours, of all work, and of all work and idling."""
        usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
        ours = sum(usage.ru_utime + usage.ru_stime for usage in usages)
        ticks = [int(word) for word in Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]]
        second = os.sysconf("SC_CLK_TCK")
        return ours, (sum(ticks) - sum(ticks[3:5])) / second, sum(ticks) / second


def here(elsewhere: float, skipped: dict[str, str]) -> Machine:
    """Describe this machine, without naming it."""
    models = [
        line.partition(":")[2].strip()
        for line in Path("/proc/cpuinfo").read_text().splitlines()
        if line.startswith("model name")
    ]
    kilobytes = int(Path("/proc/meminfo").read_text().partition("MemTotal:")[2].split()[0])
    return Machine(
        elsewhere,
        skipped,
        time.strftime("%Y-%m-%d"),
        models[0] if models else platform.machine(),
        len(os.sched_getaffinity(0)),
        round(kilobytes / 2**20),
        f"{platform.python_implementation()} {platform.python_version()}",
        {name: found for name in (*LIBRARIES, *PEERS) if (found := _version(name))},
    )


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None
