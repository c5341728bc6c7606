"""What the README shows is run."""

import re
import shlex
from pathlib import Path

import pytest

from tallystick.audits import AUDITS
from tallystick.cli import main

ROOT = Path(__file__).resolve().parent.parent
README = (ROOT / "README.md").read_text("utf-8")
BLOCKS = re.findall(r"```(\w+)\n(.*?)```", README, re.DOTALL)


def commands(block: str) -> list[list[str]]:
    """Give the words after `tally` of each of its commands that a block runs on the examples."""
    words = shlex.split(block)
    found: list[list[str]] = []
    for word in words:
        if word.endswith("/tally"):
            found.append([])
        elif word == "&&":
            continue
        elif found:
            found[-1].append(word)
    return found


def test_the_first_command_ends_with_the_verdict_that_it_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    shown = next(text for kind, text in BLOCKS if kind == "bash")
    runs = commands(shown)
    assert [words[0] for words in runs] == ["classification", "calibration", "run"]
    for words in runs:
        assert main(words) == 0
    promised = re.search(r"verdict is the last line:\n\n```\n(.*)\n```", README)
    assert promised is not None
    assert capsys.readouterr().out.splitlines()[-1] == promised[1]
    assert {"report.json", "suite-report.json", "suite-report.md"} <= {
        path.name for path in tmp_path.iterdir()
    }


def test_the_other_model_fails_the_same_gates(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    shown = next(text for kind, text in BLOCKS if kind == "bash")
    for words in commands(shown)[:2]:
        assert main([word.replace("candidate", "baseline") for word in words]) == 1


def test_the_python_block_runs(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    exec(next(text for kind, text in BLOCKS if kind == "python"), {})  # noqa: S102  the point of the test
    assert (tmp_path / "report.json").exists()


def test_every_audit_is_named() -> None:
    assert not [name for name in AUDITS if f"`{name}`" not in README]


def test_the_test_command_is_what_ci_runs() -> None:
    shown = [text.strip() for kind, text in BLOCKS if kind == "bash"][-1]
    assert shown in (ROOT / ".ci" / "run").read_text("utf-8")
