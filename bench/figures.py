"""What was measured, and the ratios that are made of it."""

from collections.abc import Iterable, Iterator

from msgspec import Struct

ALONE = "tally --jobs 1"
"""The contender that is our command in one process."""


class Timing(Struct, frozen=True):
    """How a contender did on a case: the least seconds of its runs, and the largest peak of their memory."""

    case: str
    rows: int
    contender: str
    seconds: float
    """Of the whole command, its start included."""
    processor: float
    """Of all processors together; of a floor without the start."""
    peak: int
    """Bytes of all processes together."""
    inside: float | None
    """Seconds without the start, where they are known: what a floor counts with."""
    runs: int


class Figures:
    """Timings by case, rows and contender. What was not measured is None, and so is what is made of it."""

    def __init__(self, timings: Iterable[Timing]) -> None:
        self._timings = {(one.case, one.rows, one.contender): one for one in timings}

    def __iter__(self) -> Iterator[Timing]:
        return iter(self._timings.values())

    def of(self, case: str, rows: int, contender: str = "tally") -> Timing | None:
        """Give one timing."""
        return self._timings.get((case, rows, contender))

    def to_floor(self, case: str, rows: int, floor: str = "decode") -> float | None:
        """Divide the whole command by the floor, which has no start."""
        ours, base = self.of(case, rows), self.of(case, rows, f"floor: {floor}")
        return ours.seconds / base.inside if ours and base and base.inside else None

    def processor_to_floor(self, case: str, rows: int, floor: str = "decode") -> float | None:
        """Divide the seconds of processors of the whole command by those of the floor."""
        ours, base = self.of(case, rows), self.of(case, rows, f"floor: {floor}")
        return ours.processor / base.processor if ours and base and base.processor else None

    def to_peer(self, case: str, rows: int, peer: str) -> float | None:
        """Divide a peer's whole command by ours: above 1 where ours is faster."""
        ours, theirs = self.of(case, rows), self.of(case, rows, peer)
        return theirs.seconds / ours.seconds if ours and theirs else None

    def inside_to_floor(self, case: str, rows: int, floor: str) -> float | None:
        """Divide our seconds without the start by the floor."""
        ours, base = self.of(case, rows), self.of(case, rows, f"floor: {floor}")
        return ours.inside / base.inside if ours and base and ours.inside and base.inside else None

    def growth(self, case: str, rows: int, less: int) -> float | None:
        """Divide the whole command on more rows by that on less."""
        more, fewer = self.of(case, rows), self.of(case, less)
        return more.seconds / fewer.seconds if more and fewer else None

    def swelling(self, case: str, rows: int, less: int) -> float | None:
        """Divide the peak memory on more rows by that on less."""
        more, fewer = self.of(case, rows), self.of(case, less)
        return more.peak / fewer.peak if more and fewer else None

    def bytes_a_row(self, case: str, less: int, more: int, contender: str) -> float | None:
        """Give what a row adds to the peak, told from two sizes."""
        small, large = self.of(case, less, contender), self.of(case, more, contender)
        return (large.peak - small.peak) / (more - less) if small and large else None
