"""What is measured in one go: which commands run on which data, in turn with what."""

import argparse
import sys
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from importlib.util import find_spec
from pathlib import Path

import msgspec
from cases import CASES, EVIDENTLY, HELD, SIZES, Case, Peer
from figures import ALONE, Timing
from measure import CommandError, Cost, cost, in_turn
from same import differences

HERE = Path(__file__).parent
START_UP = 20
"""Runs of the whole command on ten rows."""
PATIENCE = 12.0
"""Seconds after which a contender is not run once more."""
INNER = {"jsonl": 1_000, "parquet": 10_000_000}
"""The most rows at which a run without its start is timed as well, by format: where the start tells."""
RESAMPLED = ((100_000, 1), (100_000, 4), (100_000, 12), (100_000, 60), (1_000_000, 12))
"""Cases and most tokens of the bootstrap intervals."""


class Measurements:
    """Measurements: a folder of data, and what was asked for."""

    def __init__(self, asked: argparse.Namespace, folder: Path) -> None:
        self._asked, self._folder = asked, folder
        self._tally = (
            [_beside_python("tally")] if _beside_python("tally") else [sys.executable, "-m", "tallystick"]
        )
        self.skipped: dict[str, str] = {}
        self.failed: list[str] = []

    def all(self) -> Iterator[Timing]:
        """Measure all that was asked for."""
        if not self._asked.audits:
            yield from self._start_up()
        for case in _chosen(self._asked.audits):
            try:
                yield from self._case(case)
            except CommandError as fault:
                self.failed.append(str(fault))
                _say(str(fault))
        if self._asked.peers and not self._asked.audits:
            yield from self._resampled()

    def _start_up(self) -> Iterator[Timing]:
        """Time the whole command on ten rows beside the import of the libraries that it stands on."""
        case = next(case for case in CASES if case.name == "classification")
        files = self._data(case, 10)
        imports = [sys.executable, "-c", "import numpy, msgspec, cyclopts"]
        yield from self._timed(
            "start-up", 10, {"tally": self._run(case, files), "imports": partial(cost, imports)}, START_UP
        )

    def _case(self, case: Case) -> Iterator[Timing]:
        peers = list(self._equal(case)) if self._asked.peers and case.peers else []
        for rows in self._sizes(case):
            files = self._data(case, rows)
            contenders = {"tally": self._run(case, files)}
            if rows == 1_000_000 < max(case.sizes):
                contenders[ALONE] = self._run(case, files, jobs=1)
            if rows >= 100_000:
                contenders |= {f"floor: {name}": self._floor(name, case, files, rows) for name in case.floors}
            contenders |= {
                peer.name: self._peer(peer, files) for peer in peers if rows in _compared(peer, case)
            }
            inner = self._inner(case, files) if rows <= INNER.get(case.form, 0) else None
            yield from self._timed(case.name, rows, contenders, self._rounds(rows), inner)
            if case.holds and rows == 1_000_000 == max(case.sizes):
                fewer = self._data(case, HELD)
                yield from self._alone(case, HELD, fewer)
                yield from self._alone(case, rows, files)
                self._forget(fewer)
            self._forget(files)

    def _alone(self, case: Case, rows: int, files: list[Path]) -> Iterator[Timing]:
        """Run once in one process, whose memory is not that of a changing number of them."""
        yield from self._timed(case.name, rows, {ALONE: self._run(case, files, jobs=1)}, 1)

    def _timed(
        self,
        case: str,
        rows: int,
        contenders: dict[str, Callable[[], Cost]],
        rounds: int,
        inner: Callable[[], float] | None = None,
    ) -> Iterator[Timing]:
        """Run contenders in turn, and say how they did."""
        inside = inner() if inner else None
        patience = PATIENCE if rounds < START_UP else float("inf")
        for name, costs in in_turn(contenders, rounds, patience).items():
            within, alone = inside if name == "tally" else None, [one.processor for one in costs]
            if name.startswith("floor"):
                printed = [[float(word) for word in one.printed.split()] for one in costs]
                within, alone = min(one for one, _ in printed), [other for _, other in printed]
            made = Timing(
                case,
                rows,
                name,
                seconds=min(one.seconds for one in costs),
                processor=min(alone),
                peak=max(one.peak for one in costs),
                inside=within,
                runs=len(costs),
            )
            seconds = made.seconds if within is None or name == "tally" else within
            _say(f"{case:24}{rows:>12,}  {name:40}{seconds:9.3f} s{made.peak / 1e6:8.0f} MB")
            yield made

    def _run(self, case: Case, files: list[Path], jobs: int | None = None) -> Callable[[], Cost]:
        chosen = jobs or self._asked.jobs
        flags = [*case.flags, *(["--jobs", str(chosen)] if chosen else [])]
        return partial(cost, [*self._tally, case.audit, *files, *flags], case.codes)

    def _inner(self, case: Case, files: list[Path]) -> Callable[[], float]:
        """Give the seconds of a run without its start: what the report says of itself."""

        def seconds() -> float:
            report = self._report(case, files)
            return float(report["produced"]["seconds"])

        return seconds

    def _report(self, case: Case, files: list[Path]) -> dict[str, dict[str, float]]:
        written = self._folder / "report.json"
        run = self._run(case, files)
        cost([*run.args[0], "--output", written], case.codes)  # type: ignore[attr-defined]
        report: dict[str, dict[str, float]] = msgspec.json.decode(written.read_bytes())
        written.unlink()
        return report

    def _floor(self, name: str, case: Case, files: list[Path], rows: int) -> Callable[[], Cost]:
        runs = 1 if rows >= 1_000_000 else 3
        return partial(cost, [sys.executable, HERE / "floor.py", name, str(runs), case.audit, *files])

    def _peer(self, peer: Peer, files: list[Path]) -> Callable[[], Cost]:
        python = self._asked.evidently if peer is EVIDENTLY and self._asked.evidently else sys.executable
        return partial(cost, [python, "-W", "ignore", HERE / "peers" / peer.script, *files, *peer.arguments])

    def _equal(self, case: Case) -> Iterator[Peer]:
        """Give the peers that can be run, all of which find what the audit finds."""
        files = self._data(case, 1_000)
        result = self._report(case, files)["result"]
        for peer in case.peers:
            missing = [name for name in peer.needs if not find_spec(name)]
            if missing and not (peer is EVIDENTLY and self._asked.evidently):
                self._skip(peer, f"not installed: {', '.join(missing)}")
                continue
            try:
                printed = self._peer(peer, files)().printed
            except CommandError as fault:
                if "ImportError" not in str(fault):
                    raise
                self._skip(peer, f"does not import: {str(fault).splitlines()[-1]}")
                continue
            theirs = msgspec.json.decode(printed)
            if found := differences(result, theirs):
                raise SystemExit(f"{case.name}: {peer.name} finds other numbers: {'; '.join(found)}")
            _say(f"{case.name:24}{1_000:>12,}  {peer.name:40} the same {len(theirs)} measures")
            yield peer
        self._forget(files)

    def _skip(self, peer: Peer, why: str) -> None:
        self.skipped[peer.name] = why
        _say(f"{peer.name} is left out: {why}")

    def _resampled(self) -> Iterator[Timing]:
        """Time bootstrap intervals by themselves, in one process each."""
        if not find_spec("scipy"):
            return
        for cases, most in RESAMPLED[:3] if self._asked.quick else RESAMPLED:
            run = cost([sys.executable, HERE / "resampling.py", str(cases), str(most)])
            found = msgspec.json.decode(run.printed)
            name = f"bootstrap of {found['distinct']:,} distinct differences"
            for who in ("tally", "scipy"):
                _say(f"{name:48}{cases:>12,}  {who:16}{found[who]:9.4f} s")
                yield Timing(name, cases, who, found[who], found[who], run.peak, found[who], 1)

    def _data(self, case: Case, rows: int) -> list[Path]:
        """Make the files of a case, in a process of its own, whose memory those measured would inherit."""
        cost([sys.executable, HERE / "data.py", case.maker, str(rows), self._folder, case.form])
        made = self._folder.glob(f"{case.maker}-{rows}-*.{case.form}")
        return sorted(made, key=lambda path: ("candidate" in path.name, "gold" in path.name))

    def _forget(self, files: Iterable[Path]) -> None:
        """Delete large files from a folder that is temporary anyway."""
        for path in files:
            if not self._asked.folder and path.stat().st_size > 1_000_000:
                path.unlink()

    def _sizes(self, case: Case) -> list[int]:
        if self._asked.rows:
            return [rows for rows in self._asked.rows if rows <= max(case.sizes)]
        return [rows for rows in case.sizes if rows <= 10_000 or not self._asked.quick] or [10_000]

    def _rounds(self, rows: int) -> int:
        return 1 if self._asked.quick else 3 if rows < 10_000_000 else 2


def _compared(peer: Peer, case: Case) -> tuple[int, ...]:
    """Give the sizes at which a peer runs."""
    return (*(size for size in SIZES if size == peer.rows), *((SIZES[-1],) if case.form == "parquet" else ()))


def _beside_python(name: str) -> str | None:
    path = Path(sys.executable).parent / name
    return str(path) if path.exists() else None


def _chosen(names: list[str]) -> list[Case]:
    if unknown := set(names) - {case.name for case in CASES}:
        raise SystemExit(f"unknown: {', '.join(sorted(unknown))}; known: {', '.join(c.name for c in CASES)}")
    return [case for case in CASES if not names or case.name in names]


def _say(line: str) -> None:
    print(line, file=sys.stderr, flush=True)
