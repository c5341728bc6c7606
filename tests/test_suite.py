"""Suites: one file, many audits, one verdict, and a report of it that verifies."""

import json
from pathlib import Path
from typing import Any

import pytest

from tallystick import SourceError, TallystickError, UsageError
from tallystick.cli import main
from tallystick.report import digest
from tallystick.suite import load
from tallystick.suite_run import run_suite

ROOT = Path(__file__).resolve().parent.parent
ROWS = [
    {"id": str(i), "expected": "ab"[i % 2], "predicted": "ab"[i % 3 == 0], "confidence": 0.5}
    for i in range(40)
]

SUITE = """
[[classification]]
name = "labels"
files = "data/*.jsonl"
gates = ["accuracy >= 0.3", "records >= 40"]
required = ["accuracy"]

[calibration]
files = ["data/one.jsonl", "data/two.jsonl"]
bins = 5
gates = "ece <= 0.9"
slice_by = "expected"
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "data").mkdir()
    for name, rows in (("one", ROWS[:25]), ("two", ROWS[25:])):
        text = "".join(json.dumps(row) + "\n" for row in rows)
        (tmp_path / "data" / f"{name}.jsonl").write_text(text)
    (tmp_path / "suite.toml").write_text(SUITE)
    monkeypatch.chdir(tmp_path.parent)
    return tmp_path


def test_paths_are_relative_to_the_suite_and_may_be_globs(folder: Path) -> None:
    report = run_suite(folder / "suite.toml")
    assert list(report.reports) == ["labels", "calibration"]
    assert report.reports["labels"].records == 40
    assert report.reports["calibration"].options["bins"] == 5
    assert report.verdict == "GO"


def test_one_failed_gate_blocks_and_every_failure_is_listed(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = folder / "suite.toml"
    hard = SUITE.replace("accuracy >= 0.3", "accuracy >= 0.99").replace("ece <= 0.9", "brier_score <= 0.1")
    path.write_text(hard)
    assert main(["run", str(path)]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("BLOCKED")
    assert lines[-1] == "BLOCKED"
    assert sum("failed:" in line for line in lines) == 2


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("bins = 5", "binz = 5", r"calibration\.binz: no such key"),
        ("bins = 5", "bins = 0", r"calibration\.bins: expected a whole number from 1 to 1000, got 0"),
        ("bins = 5", 'bins = "5"', r"calibration\.bins: expected a whole number .*, got \"5\""),
        ("[calibration]", "[calibratoin]", "unknown audit 'calibratoin'"),
        ('"ece <= 0.9"', '"ecce <= 0.9"', "no measure 'ecce'"),
        ('required = ["accuracy"]', 'required = ["macro_f1"]', r"required: no gate is on 'macro_f1'"),
        ('slice_by = "expected"', "slice_by = 3", r"slice_by: expected an array"),
        ('name = "labels"', 'name = "calibration"', "two audits are called 'calibration'"),
        ('gates = "ece <= 0.9"', "gates = [1]", r"gates: expected an array of strings, got \[1\]"),
        ("bins = 5", "bins = ", "is not TOML"),
        ('files = "data/*.jsonl"', "", "no file given for records"),
    ],
)
def test_what_a_suite_cannot_mean_is_refused_by_its_place(
    folder: Path, old: str, new: str, message: str
) -> None:
    path = folder / "suite.toml"
    assert old in SUITE
    path.write_text(SUITE.replace(old, new))
    with pytest.raises(UsageError, match=message) as caught:
        load(path)
    assert "suite.toml" in str(caught.value)


def test_a_misspelt_key_has_a_suggestion(folder: Path) -> None:
    (folder / "suite.toml").write_text(SUITE.replace("bins = 5", "slice_bye = 'x'"))
    with pytest.raises(UsageError) as caught:
        load(folder / "suite.toml")
    assert caught.value.hint == "did you mean 'slice_by'?"


def test_a_glob_without_files_is_refused(folder: Path) -> None:
    (folder / "suite.toml").write_text(SUITE.replace("data/*.jsonl", "data/*.json"))
    with pytest.raises(SourceError, match="no file matches"):
        load(folder / "suite.toml")


def test_an_empty_suite_is_refused(tmp_path: Path) -> None:
    (tmp_path / "s.toml").write_text("# nothing\n")
    with pytest.raises(UsageError, match="no audits"):
        load(tmp_path / "s.toml")


@pytest.mark.parametrize("gates", ["", "gates = []"])
def test_a_suite_that_judges_nothing_is_refused(folder: Path, gates: str) -> None:
    path = folder / "s.toml"
    path.write_text(f'[classification]\nfiles = "data/one.jsonl"\n{gates}\n')
    with pytest.raises(UsageError, match="no gate in any audit"):
        load(path)


def test_gates_on_the_number_of_records_only_are_said_to_be_so(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = folder / "s.toml"
    path.write_text('[classification]\nfiles = "data/one.jsonl"\ngates = ["records >= 1"]\n')
    assert main(["run", str(path)]) == 0
    assert "classification: PASSED (1 gate) on the number of records only" in capsys.readouterr().out


def test_a_gate_written_as_a_key_has_a_hint(folder: Path) -> None:
    (folder / "suite.toml").write_text(SUITE.replace("bins = 5", "min_accuracy = 0.5"))
    with pytest.raises(UsageError) as caught:
        load(folder / "suite.toml")
    assert caught.value.hint == 'gates are texts: gates = ["accuracy >= LIMIT"]'


def test_only_the_named_audits_run(folder: Path) -> None:
    assert list(run_suite(folder / "suite.toml", ["labels"]).reports) == ["labels"]
    with pytest.raises(UsageError, match="no audit is called 'lables'") as caught:
        run_suite(folder / "suite.toml", ["lables"])
    assert caught.value.hint == "did you mean 'labels'?"


def test_a_bad_record_in_one_audit_decides_nothing_and_leaves_the_old_report(folder: Path) -> None:
    (folder / "data" / "two.jsonl").write_text("{}\n")
    (folder / "report.json").write_text("old")
    assert main(["run", str(folder / "suite.toml"), "--output", str(folder / "report.json")]) == 2
    assert (folder / "report.json").read_text() == "old"
    with pytest.raises(TallystickError) as caught:
        run_suite(folder / "suite.toml")
    assert "labels: " in str(caught.value)
    assert "calibration: " in str(caught.value)


def test_processes_give_the_same_bytes(folder: Path) -> None:
    assert run_suite(folder / "suite.toml", jobs=3).body == run_suite(folder / "suite.toml", jobs=1).body


def test_the_combined_report_verifies_and_an_edit_of_any_audit_is_found(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    suite, report = str(folder / "suite.toml"), folder / "report.json"
    assert main(["run", suite, "--output", str(report)]) == 0
    assert main(["verify", str(report), "--suite", suite]) == 0
    held: dict[str, Any] = json.loads(report.read_text())
    held["audits"][1]["result"]["ece"] = 0.125
    report.write_text(
        json.dumps({**held, "digest": digest({k: held[k] for k in held if k not in ("digest", "produced")})})
    )
    assert main(["verify", str(report), "--suite", suite]) == 1
    assert "calibration: result.ece: claimed 0.125" in capsys.readouterr().out


@pytest.mark.parametrize("edit", ["drop", "double", "verdict", "rename"])
def test_an_edited_list_of_audits_is_found(folder: Path, edit: str) -> None:
    suite, report = str(folder / "suite.toml"), folder / "report.json"
    main(["run", suite, "--output", str(report)])
    held: dict[str, Any] = json.loads(report.read_text())
    if edit == "drop":
        held["audits"].pop()
    elif edit == "double":
        held["audits"].append(held["audits"][0])
    elif edit == "verdict":
        held["verdict"] = "BLOCKED"
    else:
        held["audits"][0]["name"] = "other"
    body = {key: held[key] for key in held if key not in ("digest", "produced")}
    report.write_text(json.dumps({**held, "digest": digest(body)}))
    assert main(["verify", str(report), "--suite", suite]) == 1


def test_a_blocked_report_that_is_true_verifies(folder: Path) -> None:
    suite, report = folder / "suite.toml", folder / "report.json"
    suite.write_text(SUITE.replace("accuracy >= 0.3", "accuracy >= 0.99"))
    assert main(["run", str(suite), "--output", str(report)]) == 1
    assert main(["verify", str(report), "--suite", str(suite)]) == 0


def test_a_report_is_never_written_onto_the_suite_or_its_files(folder: Path) -> None:
    suite = folder / "suite.toml"
    made = run_suite(suite)
    for target in (suite, folder / "data" / "one.jsonl"):
        before = target.read_bytes()
        assert main(["run", str(suite), "--output", str(target)]) == 2
        with pytest.raises(UsageError, match="would overwrite"):
            made.save(target)
        assert target.read_bytes() == before


def test_init_writes_a_suite_that_runs(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    assert main(["init", "data/one.jsonl", "--output", "made.toml"]) == 0
    text = (folder / "made.toml").read_text()
    assert "[[classification]]" in text
    assert "[[calibration]]" in text
    assert main(["run", "made.toml"]) == 0
    assert main(["init", "data/one.jsonl", "--output", "made.toml"]) == 2


def test_the_example_suite_says_go() -> None:
    assert run_suite(ROOT / "examples" / "suite.toml").verdict == "GO"
