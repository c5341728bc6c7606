"""Pages to visit: made by the commands that make them for everybody."""

import json
from contextlib import redirect_stdout
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import Any, NamedTuple

from tallystick.cli import main

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"


class Made(NamedTuple):
    """A page on disk, and what the JSON report of the same run holds."""

    page: Path
    report: dict[str, Any]


def made(folder: Path, *words: str) -> Made:
    """Run a command that writes its report and its page to a folder."""
    page, report = folder / "page.html", folder / "report.json"
    said = TextIOWrapper(BytesIO(), "utf-8")
    with redirect_stdout(said):
        code = main([*words, "--output", str(report), "--html", str(page)])
    assert code in (0, 1, 3), code
    return Made(page, json.loads(report.read_bytes()))


def rendered(report: Path, folder: Path) -> Path:
    """Make a page of a report's file."""
    page = folder / "rendered.html"
    with redirect_stdout(TextIOWrapper(BytesIO(), "utf-8")):
        assert main(["render", str(report), "--html", str(page)]) == 0
    return page
