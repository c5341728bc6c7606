"""The golden cases: a command, its files, and the report and exit code that it must give."""

import json
import os
import shlex
import tempfile
from collections.abc import Iterator
from contextlib import chdir, redirect_stderr, redirect_stdout
from io import BytesIO, StringIO, TextIOWrapper
from pathlib import Path
from typing import NamedTuple

from tallystick.cli import main

GOLDEN = Path(__file__).parent / "golden"


class Outcome(NamedTuple):
    """What a command gave: its exit code, and its report or its complaint."""

    code: int
    report: str | None
    complaint: str

    @property
    def files(self) -> dict[str, str]:
        """The files that hold it, by name."""
        files = {"exit.txt": f"{self.code}\n"}
        if self.report is not None:
            files["report.json"] = self.report
        if self.code == 2:
            files["error.txt"] = self.complaint
        return files


def cases() -> Iterator[Path]:
    """List the folders of all cases."""
    return iter(sorted(path.parent for path in GOLDEN.glob("*/*/command.txt")))


def words(case: Path) -> list[str]:
    """Give the words after `tally`."""
    return shlex.split((case / "command.txt").read_text(encoding="utf-8"))


def run(case: Path) -> Outcome:
    """Run a case in its folder; the report goes elsewhere, and what it says of the run is left out."""
    with tempfile.TemporaryDirectory() as folder, chdir(case):
        output = os.path.join(folder, "report.json")
        said = StringIO()
        with redirect_stdout(TextIOWrapper(BytesIO(), "utf-8")), redirect_stderr(said):
            code = main([*words(case), "--output", output])
        report = Path(output).read_bytes() if os.path.exists(output) else None
    return Outcome(code, None if report is None else without_run(report), said.getvalue())


def without_run(report: bytes) -> str:
    """Give a report file without what differs from run to run."""
    held = json.loads(report)
    del held["produced"]
    return json.dumps(held, ensure_ascii=False, allow_nan=False, indent=2) + "\n"
