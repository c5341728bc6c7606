"""What commands cost: seconds, seconds of processors, and memory, each command in processes of its own.

The peak memory of a command is the largest sum of the resident memory of its processes, which is looked at
every few milliseconds in `/proc`; memory that two processes share is in it twice. What the kernel knows to
have been the peak of a single one (`ru_maxrss`) is a lower bound of it, and is taken where it is larger.
"""

import os
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from msgspec import Struct

INTERVAL = 0.005
PAGE = os.sysconf("SC_PAGE_SIZE")


class Cost(Struct, frozen=True):
    """What one run of a command took, and what it printed."""

    seconds: float
    processor: float
    peak: int
    printed: bytes


class CommandError(Exception):
    """A command that did not end as it should."""


def cost(command: Sequence[str | Path], codes: Sequence[int] = (0,)) -> Cost:
    """Run a command.

    Raises
    ------
    CommandError
        Where its exit code is none of those that it may have.
    """
    words = [str(word) for word in command]
    with tempfile.TemporaryFile() as printed, tempfile.TemporaryFile() as complained:
        started = time.perf_counter()
        running = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=printed, stderr=complained)
        watch = Watch(running.pid)
        watch.start()
        _, status, usage = os.wait4(running.pid, 0)
        seconds = time.perf_counter() - started
        running.returncode = os.waitstatus_to_exitcode(status)
        watch.end()
        for file in (printed, complained):
            file.seek(0)
        if running.returncode not in codes:
            said = complained.read().decode(errors="replace").strip()
            raise CommandError(f"{' '.join(words[-4:])}: exit {running.returncode}: {said[-300:]}")
        peak = max(watch.peak, usage.ru_maxrss * 1024)
        return Cost(seconds, usage.ru_utime + usage.ru_stime, peak, printed.read())


class Watch(threading.Thread):
    """Looks at the memory of a process and its descendants until it is told to end."""

    def __init__(self, root: int) -> None:
        super().__init__(daemon=True)
        self.peak = 0
        self._root, self._over = root, threading.Event()

    def run(self) -> None:
        """Keep the largest sum."""
        while not self._over.wait(INTERVAL):
            self.peak = max(self.peak, sum(map(_resident, _tree(self._root))))

    def end(self) -> None:
        """Stop looking."""
        self._over.set()
        self.join()


def _tree(root: int) -> list[int]:
    """List a process and its descendants; those that end meanwhile have none."""
    found, look = [], [root]
    while look:
        process = look.pop()
        found.append(process)
        with suppress(OSError):
            for task in os.listdir(f"/proc/{process}/task"):
                look += map(int, Path(f"/proc/{process}/task/{task}/children").read_text().split())
    return found


def _resident(process: int) -> int:
    """Give the resident memory of a process in bytes, 0 where it has ended."""
    try:
        return int(Path(f"/proc/{process}/statm").read_text().split()[1]) * PAGE
    except (OSError, IndexError):
        return 0


def in_turn(
    contenders: Mapping[str, Callable[[], Cost]], rounds: int, patience: float
) -> dict[str, list[Cost]]:
    """Run contenders in turn, each so many times, or until its runs have used its patience, in seconds."""
    costs: dict[str, list[Cost]] = {name: [] for name in contenders}
    for _ in range(rounds):
        for name, run in contenders.items():
            if sum(one.seconds for one in costs[name]) < patience:
                costs[name].append(run())
    return costs
