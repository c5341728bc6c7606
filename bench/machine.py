"""The machine, the day and the versions that figures belong to."""

import os
import platform
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

    date: str
    processor: str
    cores: int
    gigabytes: int
    python: str
    versions: dict[str, str]


def here() -> Machine:
    """Describe this machine, without naming it."""
    models = [
        line.partition(":")[2].strip()
        for line in Path("/proc/cpuinfo").read_text().splitlines()
        if line.startswith("model name")
    ]
    kilobytes = int(Path("/proc/meminfo").read_text().partition("MemTotal:")[2].split()[0])
    return Machine(
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
