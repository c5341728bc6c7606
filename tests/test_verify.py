"""A report verifies against its evidence, and no single edit goes unseen."""

import json
from pathlib import Path
from typing import Any

import pytest

import tallystick
from edits import edited, edits
from tallystick.cli import main
from tallystick.report import digest

ROWS = [
    {"expected": e, "predicted": p, "confidence": c, "part": s}
    for e, p, c, s in [
        ("a", "a", 0.9, "x"),
        ("a", "b", 0.6, "x"),
        ("b", "b", 0.75, "y"),
        ("b", "b", 1.0, "y"),
    ]
]
GATES = ["ece <= 0.5", "accuracy[part=*] >= 0.5", "mce <= 0.1"]


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, Path]:
    data, report = tmp_path / "data.jsonl", tmp_path / "report.json"
    data.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    tallystick.run("calibration", data, gates=GATES, slice_by="part").save(report)
    return data, report


def check(files: tuple[Path, Path], **settings: Any) -> Any:
    data, report = files
    return tallystick.verify(report, "calibration", data, **{"gates": GATES, "slice_by": "part", **settings})


def test_a_true_report_verifies(files: tuple[Path, Path]) -> None:
    outcome = check(files)
    assert outcome.passed
    assert outcome.checks > 50
    assert outcome.steps[0].name == "digest"


def test_every_single_edit_is_found_even_with_a_new_digest(files: tuple[Path, Path]) -> None:
    _, report = files
    true = json.loads(report.read_text())
    body = {key: value for key, value in true.items() if key not in ("digest", "produced")}
    seen = 0
    for path, value in edits(body):
        changed = edited(body, path, value)
        forged = {**changed, "digest": digest(changed), "produced": true["produced"]}
        report.write_text(json.dumps(forged))
        seen += 1
        try:
            assert not check(files).passed, path
        except tallystick.ReportError:
            assert path[0] in ("schema", "audit", "revision", "result")
    assert seen > 200


def test_an_edit_that_keeps_the_digest_is_found_twice(files: tuple[Path, Path]) -> None:
    _, report = files
    held = json.loads(report.read_text())
    held["result"]["ece"] = 0.0
    report.write_text(json.dumps(held))
    assert [d.path for d in check(files).differences] == ["digest", "result.ece"]


def test_a_changed_byte_of_an_input_is_found(files: tuple[Path, Path]) -> None:
    data, _ = files
    data.write_text(data.read_text().replace("0.75", "0.76"))
    assert "inputs[0].sha256" in [d.path for d in check(files).differences]


def test_a_loosened_gate_is_found_and_the_claimed_gates_are_named(files: tuple[Path, Path]) -> None:
    outcome = check(files, gates=["ece <= 0.4", *GATES[1:]])
    step = outcome.steps[-1]
    assert step.differences[0].path == "gates[0].gate"
    assert step.hint is not None
    assert "ece <= 0.5" in step.hint


def test_other_settings_are_found_and_the_claimed_ones_are_named(files: tuple[Path, Path]) -> None:
    outcome = check(files, bins=7)
    step = outcome.steps[1]
    assert [d.path for d in step.differences] == ["options.bins"]
    assert step.hint == "to reproduce the claim: --bins 10"


def test_the_tolerance_is_the_callers(files: tuple[Path, Path]) -> None:
    _, report = files
    held = json.loads(report.read_text())
    held["result"]["ece"] += 1e-6
    body = {key: value for key, value in held.items() if key not in ("digest", "produced")}
    report.write_text(json.dumps({**held, "digest": digest(body), "tolerance": 1}))
    assert "result.ece" in [d.path for d in check(files).differences]
    assert "result.ece" not in [d.path for d in check(files, tolerance=1e-5).differences]


@pytest.mark.parametrize("tolerance", ["nan", "inf", "-1", "-1e-9", "x"])
def test_an_impossible_tolerance_is_refused(
    files: tuple[Path, Path], tolerance: str, capsys: pytest.CaptureFixture[str]
) -> None:
    data, report = files
    assert main(["verify", "--tol", tolerance, str(report), "calibration", str(data)]) == 2
    assert "--tol" in capsys.readouterr().err


def test_the_command_counts_and_names(files: tuple[Path, Path], capsys: pytest.CaptureFixture[str]) -> None:
    data, report = files
    words = ["verify", str(report), "calibration", str(data), "--slice-by", "part"]
    gates = [word for gate in GATES for word in ("--gate", gate)]
    assert main([*words, *gates]) == 0
    assert capsys.readouterr().out.splitlines()[-1].endswith("checks, 0 differences")
    assert main([*words, *gates, "--bins", "3"]) == 1
    assert "options.bins: claimed 10, recomputed 3" in capsys.readouterr().out


def test_an_older_revision_is_refused_with_the_release_that_made_it(files: tuple[Path, Path]) -> None:
    _, report = files
    held = json.loads(report.read_text())
    held["revision"] = 0
    report.write_text(json.dumps(held))
    with pytest.raises(tallystick.ReportError, match="revision 0") as caught:
        check(files)
    assert caught.value.hint is not None
    assert "tallystick" in caught.value.hint
