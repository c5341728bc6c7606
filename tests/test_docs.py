"""What the pages on baselines, CI and charts show is run."""

import json
import re
import shlex
from pathlib import Path

import pytest

from tallystick.cli import main

ROOT = Path(__file__).resolve().parent.parent
PAGES = {name: (ROOT / "docs" / f"{name}.md").read_text("utf-8") for name in ("baselines", "charts", "ci")}
README = (ROOT / "README.md").read_text("utf-8")
COMMAND = re.compile(r"\s*(?:run: |entry: |- )?tally (.+)")


def blocks(name: str, kind: str) -> list[str]:
    return re.findall(rf"```{kind}\n(.*?)```", PAGES[name], re.DOTALL)


def commands(text: str) -> list[list[str]]:
    """Give the words of each `tally` command of a block."""
    found = [COMMAND.fullmatch(line) for line in text.replace("\\\n", " ").splitlines()]
    return [shlex.split(one[1], comments=True) for one in found if one]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a folder as the pages assume it: a suite, its files, and the predictions of a new model."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    for path in (ROOT / "examples").iterdir():
        (tmp_path / path.name).symlink_to(path)
    (tmp_path / "predictions.jsonl").symlink_to(ROOT / "examples" / "digits-candidate.jsonl")
    return tmp_path


@pytest.mark.usefixtures("folder")
def test_the_commands_on_baselines_run() -> None:
    shown = commands(blocks("baselines", "bash")[0])
    assert [words[0] for words in shown] == ["calibration", "bless", "calibration", "verify", "diff"]
    for words in shown:
        assert main(words) == 0, words


@pytest.mark.usefixtures("folder")
def test_the_python_on_baselines_runs() -> None:
    exec(blocks("baselines", "python")[0], {})  # noqa: S102  the point of the test


def test_the_commands_and_the_python_on_charts_run(folder: Path) -> None:
    shown = commands(blocks("charts", "bash")[0])
    assert [words[0] for words in shown] == ["calibration", "plot", "plot", "plot"]
    for words in shown:
        assert main(words) == 0, words
    exec(blocks("charts", "python")[0], {})  # noqa: S102  the point of the test
    kept = {path.name for path in folder.glob("reliability.*")}
    assert kept == {"reliability.svg", "reliability.png", "reliability.json"}


@pytest.mark.usefixtures("folder")
def test_the_commands_of_the_readme_run_after_its_first() -> None:
    assert main(["calibration", "examples/digits-candidate.jsonl", "--output", "report.json"]) == 0
    shown = next(
        block for block in re.findall(r"```bash\n(.*?)```", README, re.DOTALL) if "tally bless" in block
    )
    assert [words[0] for words in commands(shown)] == ["bless", "calibration", "diff", "run"]
    for words in commands(shown):
        assert main(words) == 0, words


def test_the_commands_of_workflows_and_hooks_run(folder: Path) -> None:
    shown = [commands(block) for block in blocks("ci", "yaml")]
    assert [len(block) for block in shown] == [2, 1, 1]
    for block in shown:
        for words in block:
            assert main(words) == 0, words
    kept = re.findall(r"^ +(?:- |junit: )?(\w+\.(?:json|xml|md))$", PAGES["ci"], re.MULTILINE)
    assert set(kept) == {"calibration.json", "report.json", "gates.xml", "report.md"}
    assert all((folder / name).exists() for name in kept)
    assert json.loads((folder / "report.json").read_text())["verdict"] == "GO"


def test_every_flag_and_variable_that_the_pages_name_exists(capsys: pytest.CaptureFixture[str]) -> None:
    known = (ROOT / "docs" / "cli.md").read_text("utf-8")
    for words in (["bless", "--help"], ["diff", "--help"], ["calibration", "--help"]):
        assert main(words) == 0
        known += capsys.readouterr().out
    for page in PAGES.values():
        for flag in re.findall(r"`(--[a-z-]+)", page):
            assert flag in known, flag
