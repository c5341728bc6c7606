"""Every golden case gives its report, byte for byte, and its exit code."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from golden_cases import GOLDEN, cases, run, without_run, words
from tallystick.audits import AUDITS, find
from tallystick.report import Report
from tallystick.verify import compare

CASES = list(cases())
every_case = pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.parent.name}-{case.name}")


def near(claim: str, made: str) -> bool:
    """Whether reports differ only in the last digits of measures that machines may compute differently."""
    held, fresh = json.loads(claim), json.loads(made)
    del fresh["digest"]
    if "audit" not in fresh:
        return False
    return compare(held, Report(fresh), find(fresh["audit"]).Result).passed


@every_case
def test_a_case_gives_its_report_and_exit_code(case: Path) -> None:
    for name, text in run(case).files.items():
        wanted = (case / name).read_text(encoding="utf-8")
        assert text == wanted or (name == "report.json" and near(wanted, text)), f"{case / name} differs"


def test_near_is_not_far() -> None:
    claim = (GOLDEN / "probability-drift" / "pass" / "report.json").read_text(encoding="utf-8")
    held = json.loads(claim)
    for measure, change in (("mean_js_divergence", 1e-11), ("mean_total_variation", 1e-15)):
        other = json.loads(claim)
        other["result"][measure] += change
        assert not near(claim, json.dumps(other)), measure
    other = json.loads(claim)
    other["result"]["mean_js_divergence"] *= 1 + 4e-16
    assert other["result"]["mean_js_divergence"] != held["result"]["mean_js_divergence"]
    assert near(claim, json.dumps(other))


@every_case
def test_a_case_is_named_for_what_it_shows(case: Path) -> None:
    code = int((case / "exit.txt").read_text())
    kind = case.name.partition("-")[0]
    assert code in {"pass": [0], "fail": [1, 3], "undefined": [1, 3], "refused": [2]}[kind]
    if kind == "undefined":
        report = json.loads((case / "report.json").read_bytes())
        assert report["undefined"] or any(gate["status"] == "undefined" for gate in report["gates"])


@pytest.mark.parametrize("case", CASES[:: max(1, len(CASES) // 3)], ids=str)
def test_a_process_gives_the_same_report(case: Path, tmp_path: Path) -> None:
    output = tmp_path / "report.json"
    command = [sys.executable, "-m", "tallystick", *words(case), "--output", str(output)]
    done = subprocess.run(command, cwd=case, capture_output=True, check=False)
    assert done.returncode == int((case / "exit.txt").read_text())
    if done.returncode == 2:
        assert not output.exists()
    else:
        made, wanted = without_run(output.read_bytes()), (case / "report.json").read_text(encoding="utf-8")
        assert made == wanted or near(wanted, made)


def test_every_folder_is_of_an_audit_and_every_case_has_a_command() -> None:
    for folder in GOLDEN.iterdir():
        if folder.is_dir() and not folder.name.startswith("_"):
            assert folder.name in {*AUDITS, "suite"}
            assert all((case / "command.txt").is_file() for case in folder.iterdir() if case.is_dir())
