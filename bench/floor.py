"""The floors: what it takes to read the same bytes and do nothing with them.

    python bench/floor.py decode RUNS AUDIT FILE ...
    python bench/floor.py columns RUNS AUDIT FILE
    python bench/floor.py polars RUNS AUDIT FILE

`decode` decodes JSON Lines strictly into an audit's records: `msgspec`, `decode_lines` over pieces of 8 MB
cut at a line's end, in one process, with the garbage collector off. `columns` and `polars` read what columns
of a Parquet file the audit needs, with pyarrow and with polars. Printed are the seconds and the
seconds of processors of the fastest of so many runs, imports left out.
"""

import gc
import sys
import time
from collections.abc import Callable
from importlib import import_module
from typing import Any

import msgspec

from tallystick.audits import find

PIECE = 8_000_000


def decode(paths: list[str], types: list[Any]) -> None:
    """Decode files."""
    for path, kind in zip(paths, types, strict=True):
        decoder = msgspec.json.Decoder(kind)
        with open(path, "rb") as file:
            carried = b""
            while piece := file.read(PIECE):
                cut = piece.rfind(b"\n") + 1
                decoder.decode_lines(carried + piece[:cut])
                carried = piece[cut:]
            decoder.decode_lines(carried)


def columns(paths: list[str], types: list[Any]) -> None:
    """Read columns with pyarrow."""
    parquet = import_module("pyarrow.parquet")
    for path, kind in zip(paths, types, strict=True):
        parquet.read_table(path, columns=list(kind.__struct_fields__))


def polars(paths: list[str], types: list[Any]) -> None:
    """Read columns with polars."""
    frames = import_module("polars")
    for path, kind in zip(paths, types, strict=True):
        frames.read_parquet(path, columns=list(kind.__struct_fields__))


FLOORS: dict[str, Callable[[list[str], list[Any]], None]] = {
    "decode": decode,
    "columns": columns,
    "polars": polars,
}
NEEDS = {"decode": "msgspec", "columns": "pyarrow.parquet", "polars": "polars"}


def main(floor: str, runs: int, name: str, *paths: str) -> None:
    """Time a floor."""
    audit = find(name)
    required = {field.name: 0.5 for field in msgspec.structs.fields(audit.Options) if field.required}
    records = audit.records(audit.Options(**required))
    types = [records[source] for source in audit.inputs]
    import_module(NEEDS[floor])
    gc.disable()
    taken = []
    for _ in range(runs):
        started, processor = time.perf_counter(), time.process_time()
        FLOORS[floor](list(paths), types)
        taken.append((time.perf_counter() - started, time.process_time() - processor))
    print(*min(taken))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), *sys.argv[3:])
