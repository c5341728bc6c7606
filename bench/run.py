"""Measure every audit beside the floor and beside peers that do the same job from the same files.

    python bench/run.py [--audits classification,answers-long] [--rows 10,1000] [--no-peers] [--quick]
                        [--jobs N] [--folder FOLDER] [--evidently PYTHON] [--json | --write]

Contenders run in turn, each command in a process of its own, and the least time of several runs counts.
Before a peer is timed its numbers are compared with the audit's on a thousand records. Progress goes to
standard error, the tables to standard output; `--json` prints each figure as a line of JSON instead, and
`--write` puts the tables into `bench/README.md`. `--from FILE` makes tables of lines printed before.
"""

import argparse
import os
import shutil
import sys
import tempfile
import time
from pathlib import Path

import msgspec
from figures import Timing
from machine import Load, Machine, here
from measurements import Measurements
from tables import page

README = Path(__file__).with_name("README.md")
MARKERS = ("<!-- figures: python bench/run.py --write -->", "<!-- end of figures -->")


def _words(text: str) -> list[str]:
    return [word for word in text.split(",") if word]


def _numbers(text: str) -> list[int]:
    return [int(word.replace("_", "")) for word in _words(text)]


def arguments() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--audits", type=_words, default=[], help="cases, comma separated; all by default")
    parser.add_argument("--rows", type=_numbers, default=[], help="sizes; those of each case by default")
    parser.add_argument("--peers", action=argparse.BooleanOptionalAction, default=True)
    parser.add_argument("--quick", action="store_true", help="small sizes, once each, to try things out")
    parser.add_argument("--jobs", type=int, help="processes of each audit; its own choice by default")
    parser.add_argument("--folder", type=Path, help="keep the data here, and use what is here")
    parser.add_argument("--evidently", help="the Python that has Evidently, if it is another one")
    parser.add_argument("--json", action="store_true", help="print lines of JSON")
    parser.add_argument("--write", action="store_true", help="put the tables into bench/README.md")
    parser.add_argument("--from", dest="earlier", type=Path, help="make tables of printed lines of JSON")
    asked = parser.parse_args()
    if asked.write and not asked.earlier and (asked.audits or asked.rows or asked.quick or not asked.peers):
        parser.error("--write goes with a whole run")
    return asked


def measured(asked: argparse.Namespace) -> tuple[Machine, list[Timing]]:
    """Measure as asked, in a folder that is deleted unless it was named."""
    folder = asked.folder or Path(tempfile.mkdtemp(prefix="bench-"))
    folder.mkdir(exist_ok=True)
    _keep_byte_code(folder / "byte-code")
    started, load, timings = time.monotonic(), Load(), list[Timing]()
    measurements = Measurements(asked, folder)
    try:
        for timing in measurements.all():
            timings.append(timing)
            if asked.json:
                print(msgspec.json.encode(timing).decode(), flush=True)
    finally:
        if not asked.folder:
            shutil.rmtree(folder)
    machine = here(load.elsewhere(), measurements.skipped)
    if asked.json:
        print(msgspec.json.encode(machine).decode(), flush=True)
    print(f"{(time.monotonic() - started) / 60:.1f} minutes", file=sys.stderr)
    if measurements.failed:
        raise SystemExit("\n".join(["failed:", *measurements.failed]))
    return machine, timings


def _keep_byte_code(folder: Path) -> None:
    """Have modules compiled once, as they are where a package is installed."""
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    os.environ["PYTHONPYCACHEPREFIX"] = str(folder.absolute())


def printed_before(path: Path) -> tuple[Machine, list[Timing]]:
    """Read what an earlier run printed with `--json`: figures, and last the machine."""
    *lines, last = path.read_bytes().splitlines()
    return msgspec.json.decode(last, type=Machine), [msgspec.json.decode(line, type=Timing) for line in lines]


def write(tables: str) -> None:
    """Put tables between the markers of the page."""
    before, _, rest = README.read_text(encoding="utf-8").partition(MARKERS[0])
    after = rest.partition(MARKERS[1])[2]
    README.write_text(f"{before}{MARKERS[0]}\n\n{tables}\n{MARKERS[1]}{after}", encoding="utf-8")


def main() -> None:
    """Measure, print and write."""
    asked = arguments()
    tables = page(*(printed_before(asked.earlier) if asked.earlier else measured(asked)))
    if not asked.json:
        print(tables)
    if asked.write:
        write(tables)


if __name__ == "__main__":
    main()
