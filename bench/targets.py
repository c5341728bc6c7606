"""What was promised, as limits of ratios that were measured."""

from collections.abc import Iterator

from cases import MILLION
from figures import Figures
from msgspec import Struct

TEN = 10 * MILLION
TEXTS = ("answers", "comparison", "paired-correctness", "consistency", "disparity")
COUNTING = ("classification", "calibration", "probabilities", "answers")
"""Audits measured on ten million records whose memory must not grow with them."""


class Target(Struct, frozen=True):
    """A ratio, and the limit that it has to keep."""

    about: str
    limit: float
    found: float | None
    least: bool = False
    """Whether the limit is the least, not the most."""

    @property
    def met(self) -> bool | None:
        """Say whether the limit is kept, where the ratio was measured."""
        if self.found is None:
            return None
        return self.found >= self.limit if self.least else self.found <= self.limit


def targets(figures: Figures) -> list[Target]:
    """List all targets, with what was measured."""
    return [*_floors(figures), *_peers(figures), *_growth(figures)]


def _floors(figures: Figures) -> Iterator[Target]:
    start, imports = figures.of("start-up", 10), figures.of("start-up", 10, "imports")
    ratio = start.seconds / imports.seconds if start and imports else None
    yield Target("ten rows, whole command to the import of numpy, msgspec and cyclopts", 1.6, ratio)
    for case in ("classification", "calibration", "runtime"):
        yield Target(f"{case} to bare decoding, 1 million rows", 2, figures.to_floor(case, MILLION))
        yield Target(f"{case} to bare decoding, 10 million rows", 1.5, figures.to_floor(case, TEN))
    for case in ("probabilities", "agreement", *TEXTS):
        yield Target(f"{case} to bare decoding, 1 million rows", 2, figures.to_floor(case, MILLION))


def _peers(figures: Figures) -> Iterator[Target]:
    def ours(case: str, rows: int, peer: str) -> float | None:
        faster = figures.to_peer(case, rows, peer)
        return 1 / faster if faster else None

    case = "classification"
    yield Target("classification to polars, 1 million rows", 3, ours(case, MILLION, "polars"))
    for peer in ("pandas, scikit-learn", "pandas (pyarrow reader), scikit-learn"):
        ratio = figures.to_peer(case, MILLION, peer)
        yield Target(f"{peer} to classification, 1 million rows", 10, ratio, least=True)
    for rows, name in ((MILLION, "1 million"), (TEN, "10 million")):
        ratio = ours("classification-parquet", rows, "polars")
        yield Target(f"classification of Parquet to polars, {name} rows", 2, ratio)
    for peer in ("ranx", "ir-measures", "pytrec_eval"):
        ratio = figures.to_peer("retrieval", 100_000, peer)
        yield Target(f"{peer} to retrieval, 100,000 queries", 1, ratio, least=True)
    for timing in figures:
        if timing.case.startswith("bootstrap") and timing.contender == "scipy":
            ratio = figures.to_peer(timing.case, timing.rows, "scipy")
            about = f"scipy to {timing.case}, {timing.rows:,} cases"
            yield Target(about, 100, ratio, least=True)


def _growth(figures: Figures) -> Iterator[Target]:
    for case in (*COUNTING, "agreement", "runtime", "classification-parquet"):
        ratio = figures.growth(case, TEN, MILLION)
        yield Target(f"{case}: time of 10 million rows to 1 million", 12, ratio)
    for case in COUNTING:
        ratio = figures.swelling(case, TEN, MILLION)
        yield Target(f"{case}: memory of 10 million rows to 1 million", 1.1, ratio)
