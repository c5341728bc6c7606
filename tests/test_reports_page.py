"""What the page on reports shows is run."""

import re
import shlex
from pathlib import Path

import pytest

from tallystick.cli import main

ROOT = Path(__file__).resolve().parent.parent


def test_the_commands_on_reports_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for path in (ROOT / "examples").iterdir():
        (tmp_path / path.name).symlink_to(path)
    (tmp_path / "predictions.jsonl").symlink_to(ROOT / "examples" / "digits-candidate.jsonl")
    block = re.findall(r"```bash\n(.*?)```", (ROOT / "docs" / "reports.md").read_text("utf-8"), re.DOTALL)[0]
    shown = [shlex.split(line) for line in block.splitlines() if line]
    assert len(shown) > 5
    for tally, *words in shown:
        assert tally == "tally"
        assert main(words) == 0, words
    written = {path.name for path in tmp_path.iterdir() if not path.is_symlink()}
    assert written == {
        "report.json",
        "report.html",
        "suite.json",
        "suite.html",
        "summary.md",
        "reliability.svg",
    }
