"""What a run costs beside the floor: a bare strict decode of the same bytes, in the same process.

    python bench/floor.py [rows]

Prints for each audit the rows per second, the ratio of `tallystick.run` to the floor (the least of three
runs each, taken in turn), and the peak memory of a process of its own. Then a whole command on ten rows
beside the import of its libraries.
"""

import gc
import json
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

import tallystick
from tallystick.audits import find

PIECE = 8_000_000
LABELS = ("billing", "refund", "shipping", "login", "other")


def classification(row: int, draw: random.Random) -> dict[str, Any]:
    """Make a record of five classes."""
    expected = draw.choice(LABELS)
    predicted = expected if draw.random() < 0.8 else draw.choice(LABELS)
    return {"id": f"case-{row:08d}", "expected": expected, "predicted": predicted}


def calibration(row: int, draw: random.Random) -> dict[str, Any]:
    """Make a record with a confidence."""
    return classification(row, draw) | {"confidence": draw.random()}


def agreement(row: int, draw: random.Random) -> dict[str, Any]:
    """Make an item with two labels."""
    made = classification(row, draw)
    return {"id": made["id"], "reference": made["expected"], "rater": made["predicted"]}


MAKERS: dict[str, Callable[[int, random.Random], dict[str, Any]]] = {
    "classification": classification,
    "calibration": calibration,
    "agreement": agreement,
}


def write(audit: str, rows: int, path: Path) -> None:
    """Write the records of one audit, the same for the same number of rows."""
    draw = random.Random(rows)  # noqa: S311  data, not secrets
    with path.open("w", encoding="utf-8") as file:
        file.writelines(json.dumps(MAKERS[audit](row, draw)) + "\n" for row in range(rows))


def floor(audit: str, path: Path) -> None:
    """Decode a file strictly and do nothing else."""
    decoder = msgspec.json.Decoder(find(audit).inputs["records"])
    gc.disable()
    with path.open("rb") as file:
        carried = b""
        while piece := file.read(PIECE):
            cut = piece.rfind(b"\n") + 1
            decoder.decode_lines(carried + piece[:cut])
            carried = piece[cut:]
    gc.enable()


def seconds(work: Callable[[], object]) -> float:
    """Time a piece of work."""
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def peak(audit: str, path: Path) -> float:
    """Peak memory in MB of a process that runs one audit."""
    code = (
        "import resource, sys, tallystick; tallystick.run(*sys.argv[1:]);"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)"
    )
    done = subprocess.run([sys.executable, "-c", code, audit, str(path)], capture_output=True, check=True)
    return float(done.stdout)


def start_up(folder: Path) -> tuple[float, float]:
    """Seconds of the whole command on ten rows, and of importing what it stands on: the least of 20."""
    path = folder / "ten.jsonl"
    write("classification", 10, path)
    command = [sys.executable, "-m", "tallystick", "classification", str(path)]
    bare = [sys.executable, "-c", "import numpy, msgspec, cyclopts"]
    runs = [
        (
            seconds(lambda: subprocess.run(command, stdout=subprocess.DEVNULL, check=True)),
            seconds(lambda: subprocess.run(bare, check=True)),
        )
        for _ in range(20)
    ]
    return min(one for one, _ in runs), min(other for _, other in runs)


def main(rows: int) -> None:
    """Print the table."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        print(f"{rows:,} rows")
        print(f"{'audit':16}{'rows/s':>12}{'floor s':>10}{'run s':>10}{'ratio':>8}{'peak MB':>10}")
        for audit in MAKERS:
            path = folder / f"{audit}.jsonl"
            write(audit, rows, path)
            pairs = [
                (seconds(lambda: floor(audit, path)), seconds(lambda: tallystick.run(audit, path)))  # noqa: B023
                for _ in range(3)
            ]
            base, run = min(one for one, _ in pairs), min(other for _, other in pairs)
            speed, memory = rows / run, peak(audit, path)
            print(f"{audit:16}{speed:12,.0f}{base:10.2f}{run:10.2f}{run / base:8.2f}{memory:10.0f}")
            path.unlink()
        command, bare = start_up(folder)
        print(f"\nten rows, whole command: {command:.3f} s; importing its libraries: {bare:.3f} s;", end=" ")
        print(f"ratio {command / bare:.2f}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000)
