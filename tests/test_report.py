"""Reports as files: written whole or not at all, never onto an input, and read back as they were."""

import hashlib
import json
import os
import stat
import threading
from pathlib import Path
from typing import Any

import pytest

import tallystick
from tallystick.cli import main
from tallystick.errors import ReportError, UsageError
from tallystick.report import Report, guard

LINE = '{"id":"a","reference":"x","rater":"é"}\n'
ROWS = [{"id": "a", "reference": "x", "rater": "é"}]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with an input, as the current one."""
    (tmp_path / "data.jsonl").write_text(LINE, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def made() -> Report:
    return tallystick.run("agreement", ROWS)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_a_report_is_read_back_as_it_was(folder: Path, made: Report) -> None:
    made.save("report.json")
    read = Report.load("report.json")
    assert read == made
    assert read.to_json() == made.to_json() == (folder / "report.json").read_bytes()
    assert read.body == made.body
    assert names(folder) == ["data.jsonl", "report.json"]


def test_the_digest_is_that_of_the_sorted_body_without_spaces(made: Report) -> None:
    held = json.loads(made.to_json())
    digest = held.pop("digest")
    del held["produced"]
    text = json.dumps(held, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    assert hashlib.sha256(text.encode()).hexdigest() == digest == made.digest


def test_the_body_says_nothing_of_time_host_or_paths(folder: Path) -> None:
    (folder / "copy.jsonl").write_bytes((folder / "data.jsonl").read_bytes())
    one = tallystick.run("agreement", folder / "data.jsonl")
    other = tallystick.run("agreement", "copy.jsonl")
    assert one.body == other.body
    assert one.digest == other.digest
    assert one.produced["files"] != other.produced["files"]


def test_measures_and_body_are_attributes(made: Report) -> None:
    assert made.agreement == 0
    assert made.kappa == 0
    assert made.kappa_linear is None
    assert made.undefined["kappa_linear"]
    assert {"agreement", "passed", "digest", "save"} <= set(dir(made))
    assert "agreement = 0" in repr(made)
    with pytest.raises(AttributeError, match="a report of agreement has no 'ece'"):
        _ = made.ece


def test_a_new_report_gets_the_permissions_of_new_files(folder: Path, made: Report) -> None:
    mask = os.umask(0o027)
    try:
        made.save("report.json")
    finally:
        os.umask(mask)
    assert stat.S_IMODE((folder / "report.json").stat().st_mode) == 0o640


def test_a_report_that_is_replaced_keeps_its_permissions(folder: Path, made: Report) -> None:
    (folder / "report.json").write_text("old")
    (folder / "report.json").chmod(0o604)
    made.save("report.json")
    assert stat.S_IMODE((folder / "report.json").stat().st_mode) == 0o604
    assert Report.load("report.json") == made


def test_a_link_is_followed_and_stays_a_link(folder: Path, made: Report) -> None:
    (folder / "there").mkdir()
    for target in ("there/real.json", "there/new.json"):
        (folder / "link.json").unlink(missing_ok=True)
        (folder / "link.json").symlink_to(target)
        made.save("link.json")
        assert (folder / "link.json").is_symlink()
        assert Report.load(folder / target) == made
    assert names(folder / "there") == ["new.json", "real.json"]


def test_a_pipe_is_written_in_place(folder: Path, made: Report) -> None:
    os.mkfifo(folder / "pipe")
    read: list[bytes] = []
    reader = threading.Thread(target=lambda: read.append((folder / "pipe").read_bytes()))
    reader.start()
    made.save("pipe")
    reader.join(10)
    assert read == [made.to_json()]
    assert stat.S_ISFIFO((folder / "pipe").stat().st_mode)


def test_a_device_is_written_in_place(made: Report) -> None:
    made.save("/dev/null")
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)


def test_a_failed_write_leaves_the_old_report_and_no_draft(
    folder: Path, made: Report, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "report.json").write_text("old")

    def fail(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    for step in ("fsync", "replace", "chmod"):
        with monkeypatch.context() as patch:
            patch.setattr(f"tallystick.report.os.{step}", fail)
            with pytest.raises(ReportError, match=r"report\.json: cannot be written: No space left"):
                made.save("report.json")
        assert (folder / "report.json").read_text() == "old"
        assert names(folder) == ["data.jsonl", "report.json"]


def test_an_interrupted_write_leaves_the_old_report_and_no_draft(
    folder: Path, made: Report, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "report.json").write_text("old")

    def interrupt(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("tallystick.report.os.fsync", interrupt)
    with pytest.raises(KeyboardInterrupt):
        made.save("report.json")
    assert (folder / "report.json").read_text() == "old"
    assert names(folder) == ["data.jsonl", "report.json"]


@pytest.mark.parametrize("name", ["data.jsonl", "./sub/../data.jsonl", "link", "hard", "dirlink/data.jsonl"])
def test_an_output_is_never_an_input_by_whatever_name(
    folder: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "sub").mkdir()
    (folder / "link").symlink_to("data.jsonl")
    (folder / "hard").hardlink_to(folder / "data.jsonl")
    (folder / "dirlink").symlink_to(".")
    before = names(folder)
    assert main(["agreement", "data.jsonl", "--output", name]) == 2
    assert "output would overwrite the input 'data.jsonl'" in capsys.readouterr().err
    assert main(["agreement", name, "--output", "data.jsonl"]) == 2
    assert (folder / "data.jsonl").read_text(encoding="utf-8") == LINE
    assert names(folder) == before


def test_an_output_is_none_of_several_inputs(folder: Path) -> None:
    (folder / "more.jsonl").write_text(LINE.replace('"a"', '"b"'), encoding="utf-8")
    assert main(["agreement", "data.jsonl", "more.jsonl", "--output", "more.jsonl"]) == 2
    assert (
        main(["label-drift", "data.jsonl", "more.jsonl", "--map", "label=id", "--output", "more.jsonl"]) == 2
    )
    assert (folder / "more.jsonl").read_text(encoding="utf-8").startswith('{"id":"b"')


@pytest.mark.parametrize("name", [".", "nowhere/report.json", "-"])
def test_an_output_that_cannot_be_is_refused_before_reading(
    folder: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["agreement", "no-such-file", "--output", name]) == 2
    assert capsys.readouterr().err.startswith("error: --output: ")
    assert names(folder) == ["data.jsonl"]


@pytest.mark.parametrize(
    "words", [["no-such-file"], ["data.jsonl", "--bins", "3"], ["data.jsonl", "--min-kappa", "9"]]
)
def test_a_refused_run_leaves_the_old_report(folder: Path, words: list[str]) -> None:
    (folder / "report.json").write_text("old")
    assert main(["agreement", *words, "--output", "report.json"]) == 2
    assert (folder / "report.json").read_text() == "old"
    assert names(folder) == ["data.jsonl", "report.json"]


def test_a_bad_record_leaves_the_old_report(folder: Path) -> None:
    (folder / "report.json").write_text("old")
    (folder / "data.jsonl").write_text(LINE + "{}\n", encoding="utf-8")
    assert main(["agreement", "data.jsonl", "--output", "report.json"]) == 2
    assert (folder / "report.json").read_text() == "old"


def test_a_failed_gate_writes_its_report(folder: Path) -> None:
    assert main(["agreement", "data.jsonl", "--min-agreement", "1", "--output", "report.json"]) == 1
    assert Report.load(folder / "report.json").passed is False


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "is not JSON"),
        ("[]", "is not a report"),
        ('{"schema":"1","result":{}}', "is not a report"),
        ('{"schema":true,"result":{}}', "is not a report"),
        ('{"schema":1}', "is not a report"),
        ("[" * 100_000, "is not JSON"),
        ('{"schema":999,"result":{}}', "has schema 999; this release reads up to"),
    ],
)
def test_what_is_no_report_is_refused(folder: Path, text: str, message: str) -> None:
    (folder / "report.json").write_text(text)
    with pytest.raises(ReportError, match=message):
        Report.load("report.json")


def test_a_missing_report_is_refused(folder: Path) -> None:
    with pytest.raises(ReportError, match="cannot be read: No such file"):
        Report.load(folder / "nowhere.json")


def test_reports_hold_no_text_of_answers() -> None:
    rows = [{"expected": "secret one", "predicted": "secret two", "confidence": 0.5}]
    assert b"secret" not in tallystick.run("calibration", rows).to_json()


def test_a_folder_that_is_not_there_is_not_resolved_away(tmp_path: Path) -> None:
    data = tmp_path / "data.jsonl"
    data.write_text('{"expected": "a", "predicted": "a"}\n')
    before = data.read_bytes()
    for name in ("missing/../data.jsonl", "missing/../other.json"):
        with pytest.raises(UsageError, match="there is no directory"):
            guard(tmp_path / name, [str(data)])
    assert data.read_bytes() == before


def test_a_report_is_not_saved_onto_its_own_input(tmp_path: Path) -> None:
    data = tmp_path / "data.jsonl"
    data.write_text('{"expected": "a", "predicted": "a"}\n')
    made = tallystick.run("classification", data)
    with pytest.raises(UsageError, match="would overwrite the input"):
        made.save(data)
    assert data.read_text() == '{"expected": "a", "predicted": "a"}\n'
