"""What a run writes: several files at once, each whole, none onto another, none when it is refused."""

import json
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from tallystick import Report
from tallystick.cli import main

Printed = pytest.CaptureFixture[str]

ROWS = [{"expected": "a", "predicted": p, "confidence": 0.5, "part": "::add-mask::x"} for p in "aab"]
RUN = ["calibration", "data.jsonl", "--min-accuracy", "0.9", "--max-ece", "0.5"]
SUITE = """
[calibration]
files = "data.jsonl"
gates = "accuracy >= 0.9"

[classification]
files = "data.jsonl"
"""
WRITTEN = ["--output", "r.json", "--junit", "r.xml", "--markdown", "r.md"]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    (tmp_path / "suite.toml").write_text(SUITE)
    return tmp_path


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()} - {"data.jsonl", "suite.toml"}


@pytest.mark.parametrize("words", [RUN, ["run", "suite.toml"]])
def test_one_run_writes_them_all(folder: Path, words: list[str], capsys: Printed) -> None:
    assert main([*words, *WRITTEN]) == 1
    assert names(folder) == {"r.json", "r.xml", "r.md"}
    assert json.loads((folder / "r.json").read_text())["passed"] is False
    assert ET.fromstring((folder / "r.xml").read_text()).get("failures") == "1"  # noqa: S314  our own
    assert "FAILED" in (folder / "r.md").read_text()
    assert "::" not in capsys.readouterr().out.replace("::add-mask::x", "")


def test_a_suite_has_one_document_with_a_suite_for_each_audit(folder: Path) -> None:
    assert main(["run", "suite.toml", *WRITTEN]) == 1
    suites = ET.fromstring((folder / "r.xml").read_text())  # noqa: S314  our own
    assert [suite.get("name") for suite in suites] == ["calibration", "classification"]
    assert (folder / "r.md").read_text().startswith("# BLOCKED\n")


@pytest.mark.parametrize("words", [RUN, ["run", "suite.toml"]])
@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (["--junit", "data.jsonl"], "--junit: 'data.jsonl': output would overwrite the input"),
        (["--markdown", "data.jsonl"], "--markdown: 'data.jsonl': output would overwrite the input"),
        (["--junit", "new.x", "--markdown", "./new.x"], "--markdown: './new.x' is what --junit writes"),
        (["--output", "old.x", "--junit", "hard.x"], "--junit: 'hard.x' is what --output writes"),
        (["--output", "old.x", "--markdown", "no/where"], "--markdown: 'no/where': there is no directory"),
        (["--junit", "-"], "--junit"),
    ],
)
def test_a_refused_run_writes_nothing(
    folder: Path, words: list[str], flags: list[str], said: str, capsys: Printed
) -> None:
    (folder / "old.x").write_text("old")
    (folder / "hard.x").hardlink_to(folder / "old.x")
    before = (folder / "data.jsonl").read_bytes()
    assert main([*words, *flags]) == 2
    assert said in capsys.readouterr().err
    assert names(folder) == {"old.x", "hard.x"}
    assert (folder / "old.x").read_text() == "old"
    assert (folder / "data.jsonl").read_bytes() == before


def test_a_run_whose_records_are_refused_writes_nothing(folder: Path) -> None:
    (folder / "data.jsonl").write_text("{}\n")
    assert main([*RUN, *WRITTEN]) == 2
    assert names(folder) == set()


def test_the_baseline_is_not_written_onto(folder: Path, capsys: Printed) -> None:
    assert main(["calibration", "data.jsonl", "--output", "base.json"]) == 0
    before = (folder / "base.json").read_bytes()
    for flag in ("--output", "--junit", "--markdown"):
        assert main(["calibration", "data.jsonl", "--against", "base.json", flag, "base.json"]) == 2
        assert f"{flag}: 'base.json': output would overwrite" in capsys.readouterr().err
    assert (folder / "base.json").read_bytes() == before


def test_devices_may_take_several(folder: Path) -> None:
    assert main([*RUN, "--junit", "/dev/null", "--markdown", "/dev/null"]) == 1
    assert names(folder) == set()


def test_github_is_told_of_failed_gates_after_the_text(capsys: Printed) -> None:
    assert main([*RUN, "--github"]) == 1
    lines = capsys.readouterr().out.splitlines()
    stop = next(n for n, line in enumerate(lines) if line.startswith("::stop-commands::"))
    resume = lines.index(f"::{lines[stop].removeprefix('::stop-commands::')}::")
    assert (stop, lines[1]) == (0, "calibration: FAILED (1 of 2 gates did not pass)")
    assert lines[resume + 1 :] == [
        "::error title=calibration%3A accuracy >= 0.9::accuracy is 0.666667, 0.233333 short of the limit 0.9"
    ]


@pytest.mark.parametrize("words", [RUN, ["run", "suite.toml"]])
def test_the_summary_of_the_step_is_appended_to(
    folder: Path, words: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "summary.md").write_text("before\n")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "summary.md")
    assert main([*words, "--markdown", "quiet.md"]) == 1
    assert (folder / "summary.md").read_text() == "before\n"
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    assert main([*words, "--markdown", "loud.md"]) == 1
    assert (folder / "summary.md").read_text() == "before\n" + (folder / "loud.md").read_text()


def test_printed_json_stays_json_on_a_runner(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: Printed
) -> None:
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    assert main([*RUN, "--format", "json", "--output", "r.json"]) == 1
    printed = capsys.readouterr()
    assert json.loads(printed.out)["digest"] == Report.load(folder / "r.json").digest
    assert printed.err.startswith("::error title=calibration")


def test_a_summary_that_cannot_be_written_changes_no_verdict(
    monkeypatch: pytest.MonkeyPatch, capsys: Printed
) -> None:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "no/where.md")
    assert main(["calibration", "data.jsonl", "--github"]) == 0
    assert capsys.readouterr().err == (
        "warning: GITHUB_STEP_SUMMARY: cannot be written: No such file or directory\n"
    )


def test_the_summary_is_no_input_and_no_output(monkeypatch: pytest.MonkeyPatch, capsys: Printed) -> None:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "data.jsonl")
    assert main([*RUN, "--github"]) == 2
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "r.md")
    assert main([*RUN, "--github", "--markdown", "r.md"]) == 2
    assert capsys.readouterr().err.count("is read or written by this command") == 2


def test_verifying_writes_nothing(folder: Path) -> None:
    assert main([*RUN, "--output", "r.json"]) == 1
    assert main(["verify", "r.json", *RUN, "--output", "s.json", "--junit", "s.xml", "--github"]) == 0
    assert names(folder) == {"r.json"}
