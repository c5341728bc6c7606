"""The command that verifies a report is spelled from the report alone, and it does verify it."""

import json
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

import tallystick
from golden_cases import GOLDEN, words
from tallystick.cli import main
from tallystick.recipe import RELATIVE, quoted, recipe
from tallystick.whole import load

EXAMPLES = Path(__file__).resolve().parent.parent / "examples"
CASES = [path.parent for path in sorted(GOLDEN.glob("*/*/report.json"))]
Printed = pytest.CaptureFixture[str]


def verifies(report: str, capsys: Printed) -> str:
    """Run the command of a report's recipe, and give it."""
    command = recipe(load(report), report).command
    assert command is not None
    tally, *given = shlex.split(command)
    assert tally == "tally"
    capsys.readouterr()
    assert main(given) == 0, capsys.readouterr()
    return command


@pytest.mark.parametrize("case", CASES, ids=lambda c: f"{c.parent.name}-{c.name}")
def test_it_verifies_every_golden_case(
    case: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Printed
) -> None:
    monkeypatch.chdir(case)
    report = str(tmp_path / "a report.json")
    main([*words(case), "--output", report])
    verifies(report, capsys)


def test_it_verifies_the_example_suite_and_a_part_of_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Printed
) -> None:
    monkeypatch.chdir(EXAMPLES)
    report = str(tmp_path / "report.json")
    main(["run", "suite.toml", "--output", report])
    assert verifies(report, capsys).endswith("--suite suite.toml")
    assert RELATIVE in recipe(load(report), report).remarks
    main(["run", "suite.toml", "--only", "candidate is calibrated", "--output", report])
    assert verifies(report, capsys).endswith("--only 'candidate is calibrated'")


def test_settings_that_are_as_by_default_are_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(EXAMPLES)
    main(
        [
            "calibration",
            "digits-candidate.jsonl",
            "--bins",
            "10",
            "--max-ece",
            "0.05",
            "--output",
            str(tmp_path / "r"),
        ]
    )
    command = recipe(load(tmp_path / "r"), "r.json").command
    assert command == "tally verify r.json calibration digits-candidate.jsonl --gate 'ece <= 0.05'"


def test_what_a_report_cannot_tell_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    row = {"expected": "a", "predicted": "a", "confidence": 1}
    held = recipe(tallystick.run("calibration", [row]))
    assert held.command is None
    assert "Python objects" in held.remarks[0]
    monkeypatch.chdir(tmp_path)
    Path("-odd.jsonl").write_text(json.dumps(row))
    made = tallystick.run(
        "calibration",
        "-odd.jsonl",
        gates=["accuracy >= baseline"],
        against=tallystick.run("calibration", [row]),
    )
    told = recipe(made)
    assert told.command is not None
    assert "calibration ./-odd.jsonl" in told.command
    assert told.command.endswith("--against BASELINE")
    assert "first with --output report.json" in told.first
    assert recipe(made, "made.json").first == ""
    assert made.baseline["digest"] in told.remarks[-1]
    bare = recipe(tallystick.Report(made.body))
    assert bare.command is not None
    assert "calibration FILE" in bare.command
    piped = recipe(tallystick.Report(made.body, {"files": ["<stdin>"]}))
    assert piped.command is not None
    assert "calibration -" in piped.command
    assert any("Standard input" in remark for remark in piped.remarks)
    newer = recipe(
        tallystick.Report({**made.body, "audit": "prophecy"}, {"by": "tallystick 9", "files": ["a"]})
    )
    assert newer.command is not None
    assert "--records a" in newer.command
    assert "This release cannot compute the report again; tallystick 9 can." in newer.remarks


@pytest.mark.parametrize(
    "word", ["plain", "a b", "it's", "$HOME", "a\nb", "\u202eabc'\\", "é", "\x1b[31m", "\U000e0001"]
)
def test_a_quoted_word_is_safe_to_print_and_means_itself(word: str) -> None:
    assert quoted(word).isprintable()
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("no bash")
    said = subprocess.run(
        [bash, "-c", f"printf %s {quoted(word)}"], capture_output=True, check=True, env={"LC_ALL": "C.UTF-8"}
    )
    assert said.stdout.decode("utf-8") == word
