"""What the page on formats shows is run."""

import re
import shlex
from pathlib import Path

import pytest

from tallystick.cli import main

ROOT = Path(__file__).resolve().parent.parent
PAGE = (ROOT / "docs" / "formats.md").read_text("utf-8")


def test_every_block_of_the_page_runs_in_its_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    for kind, block in re.findall(r"```(\w+)\n(.*?)```", PAGE, re.DOTALL):
        if kind == "python":
            exec(compile(block, "formats.md", "exec"), {})  # noqa: S102  the point of the test
            continue
        for line in block.splitlines():
            tally, *words = shlex.split(line.replace("$PWD", str(tmp_path)))
            assert tally == "tally"
            assert main(words) == 0, line
