"""Files, several of them, and standard input."""

import hashlib
import io
import sys
from pathlib import Path
from typing import Any

import pytest

import tallystick
from tallystick.errors import RecordError, SourceError, UsageError

LINE = b'{"id":"%s","reference":"x","rater":"x"}\n'


def lay(folder: Path, **files: bytes) -> dict[str, Path]:
    for name, data in files.items():
        (folder / name).write_bytes(data)
    return {name: folder / name for name in files}


def test_facts_of_a_file_are_in_the_body_and_its_name_is_not(tmp_path: Path) -> None:
    data = b"\xef\xbb\xbf" + LINE % b"a" + b"\r\n \n" + (LINE % b"b").rstrip()
    laid = lay(tmp_path, a=data)
    report = tallystick.run("agreement", laid["a"])
    digest = hashlib.sha256(data).hexdigest()
    facts = {"input": "records", "sha256": digest, "bytes": len(data), "records": 2, "blank_lines": 2}
    assert report.inputs == [facts]
    assert report.produced["files"] == [str(laid["a"])]
    assert str(tmp_path) not in str(report.body)


def test_the_order_of_files_changes_nothing(tmp_path: Path) -> None:
    laid = lay(tmp_path, a=LINE % b"a", b=LINE % b"b" + b"\n", c=b"\n")
    one = tallystick.run("agreement", [laid["a"], laid["b"], laid["c"]])
    assert one == tallystick.run("agreement", [laid["c"], laid["b"], laid["a"]])
    assert one.records == 2
    assert sum(fact["blank_lines"] for fact in one.inputs) == 2


def test_standard_input_reads_like_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    laid = lay(tmp_path, a=LINE % b"a")
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(LINE % b"a")))
    read = tallystick.run("agreement", "-")
    assert read == tallystick.run("agreement", laid["a"])
    assert read.produced["files"] == ["<stdin>"]


def test_an_id_that_two_files_share_is_named_in_the_later_one(tmp_path: Path) -> None:
    laid = lay(tmp_path, a=LINE % b"a" + LINE % b"b", b=b"\n" + LINE % b"c" + LINE % b"b")
    with pytest.raises(RecordError, match=r'b:3: id: "b" occurs more than once'):
        tallystick.run("agreement", [laid["a"], laid["b"]])


@pytest.mark.parametrize("data", [b"", b"\n", b"\xef\xbb\xbf", b" \t\r\n\n"])
def test_an_input_without_records_is_refused(tmp_path: Path, data: bytes) -> None:
    laid = lay(tmp_path, empty=data)
    with pytest.raises(SourceError, match="empty: no records"):
        tallystick.run("agreement", laid["empty"])


def test_no_objects_at_all_are_refused() -> None:
    with pytest.raises(SourceError, match="no records"):
        tallystick.run("agreement", iter([]))


def test_a_missing_file_and_a_directory_are_named(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="nowhere: no such file"):
        tallystick.run("agreement", tmp_path / "nowhere")
    with pytest.raises(SourceError, match="is a directory"):
        tallystick.run("agreement", tmp_path)


def test_the_largest_size_is_inclusive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data = LINE % b"a"
    laid = lay(tmp_path, a=data)
    assert tallystick.run("agreement", laid["a"], max_file_bytes=len(data)).records == 1
    with pytest.raises(SourceError, match=f"larger than --max-file-bytes {len(data) - 1}"):
        tallystick.run("agreement", laid["a"], max_file_bytes=len(data) - 1)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    with pytest.raises(SourceError, match="<stdin>: larger than"):
        tallystick.run("agreement", "-", max_file_bytes=len(data) - 1)


def test_closed_standard_input_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", None)
    with pytest.raises(SourceError, match="standard input is closed"):
        tallystick.run("classification", "-")


@pytest.mark.parametrize(
    "wrong",
    [
        {"against": 5},
        {"against": {}},
        {"map": "a=b"},
        {"gates": 5},
        {"gates": {"a": 1}},
        {"slice_by": 5},
        {"as_text": 3},
    ],
)
def test_keywords_of_other_types_are_refused_as_such(wrong: dict[str, Any]) -> None:
    rows = [{"expected": "a", "predicted": "a"}]
    with pytest.raises(tallystick.UsageError, match=next(iter(wrong)).removesuffix("s")):
        tallystick.run("classification", rows, **wrong)
    with pytest.raises(tallystick.UsageError, match="unknown audit None"):
        tallystick.run(None, rows)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ['x"y', "x\\y", "x\ny"])
@pytest.mark.parametrize("how", ["map", "slice_by"])
def test_a_field_whose_name_the_decoder_cannot_hold_is_refused(name: str, how: str) -> None:
    given: Any = {"map": {"expected": name}} if how == "map" else {"slice_by": name}
    with pytest.raises(UsageError, match="no field is read whose name holds a quote"):
        tallystick.run("classification", [{"expected": "a", "predicted": "a", name: "b"}], **given)
