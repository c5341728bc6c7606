"""What reading Parquet costs beside polars, which reads the needed columns and counts them.

    python bench/bench_parquet.py [rows]

Writes rows of classification (id, expected, predicted, confidence) to a file, one million by default, and
times in turn, each in processes of their own after imports, the least of five runs: polars reading the
needed columns, `tallystick.sources.read` giving all batches of them (checks and digest included), and a
whole `tallystick.run` beside polars reading and counting. Peak memory is that of the process.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

LABELS = ("billing", "refund", "shipping", "login", "other")
COLUMNS = ["expected", "predicted"]
RUNS = 5

WORK = {
    "polars reads": "polars.read_parquet(path, columns=COLUMNS)",
    "tally reads": "sum(map(len, read(path, Shape(find('classification').inputs['records']), 'records')[1]))",
    "polars counts": "polars.scan_parquet(path).group_by(COLUMNS).len().collect()",
    "tally runs": "tallystick.run('classification', path)",
}
TIMED = """
import json, resource, sys, time
path, COLUMNS = sys.argv[1], {columns!r}
{imports}
start = time.perf_counter()
{work}
print(json.dumps([time.perf_counter() - start, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024]))
"""
IMPORTS = {
    "polars": "import polars",
    "tally": "import tallystick; from tallystick.audits import classification, find; "
    "from tallystick.sources import Shape, parquet, read",
}


def write(rows: int, path: Path) -> None:
    """Write the same rows for the same number of them, a million at a time."""
    draw = np.random.default_rng(rows)
    names = np.array(LABELS)
    writer = None
    for start in range(0, rows, 1_000_000):
        size = min(1_000_000, rows - start)
        expected = draw.integers(0, len(LABELS), size)
        predicted = np.where(draw.random(size) < 0.8, expected, draw.integers(0, len(LABELS), size))
        part = pa.table(
            {
                "id": [f"case-{row:08d}" for row in range(start, start + size)],
                "expected": names[expected],
                "predicted": names[predicted],
                "confidence": draw.random(size),
            }
        )
        writer = writer or pq.ParquetWriter(path, part.schema)
        writer.write_table(part)
    if writer is not None:
        writer.close()


def timed(name: str, path: Path) -> tuple[float, float]:
    """Seconds of a piece of work, and peak memory in MB, in a process of its own."""
    imports = IMPORTS[name.partition(" ")[0]]
    code = TIMED.format(columns=COLUMNS, imports=imports, work=WORK[name])
    done = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, check=True)
    seconds, memory = json.loads(done.stdout)
    return seconds, memory


def main(rows: int) -> None:
    """Write a file, time everything, and print it."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.parquet"
        subprocess.run([sys.executable, __file__, str(rows), str(path)], check=True)
        print(f"{rows:,} rows, {path.stat().st_size / 1e6:.0f} MB")
        taken: dict[str, list[tuple[float, float]]] = {name: [] for name in WORK}
        for _ in range(RUNS):
            for name in WORK:
                taken[name].append(timed(name, path))
        best = {name: min(seconds for seconds, _ in runs) for name, runs in taken.items()}
        for name, seconds in best.items():
            beside = best[name.replace("tally", "polars").replace("runs", "counts")]
            memory = max(memory for _, memory in taken[name])
            print(f"{name:14}{seconds:8.3f} s{seconds / beside:7.2f}{memory:8.0f} MB")


if __name__ == "__main__":
    ROWS = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    if len(sys.argv) > 2:  # in a process of its own, whose memory those that are measured would inherit
        write(ROWS, Path(sys.argv[2]))
    else:
        main(ROWS)
