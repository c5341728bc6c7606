"""Compressed files, JSON arrays, globs, and what a file is taken for."""

import gzip
import hashlib
import io
import json
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Struct

import tallystick
from tallystick.errors import RecordError, SourceError, UsageError
from tallystick.sources import Facts, Shape, found, json_array, jsonl
from tallystick.sources import read as open_source

LINES = [b'{"id":"%d","reference":"x","rater":"x"}\n' % n for n in range(6)]
TEXT = b"".join(LINES)


def zstd(data: bytes) -> bytes:
    name = "compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd"
    packed: bytes = pytest.importorskip(name).compress(data)
    return packed


PACKERS = {".gz": gzip.compress, ".zst": zstd}
packers = pytest.mark.parametrize("suffix", PACKERS)


def run(path: Path, **settings: Any) -> tallystick.Report:
    return tallystick.run("agreement", path, **settings)


@packers
def test_all_members_of_a_compressed_file_are_read(tmp_path: Path, suffix: str) -> None:
    packed = PACKERS[suffix](b"".join(LINES[:2]) + LINES[2][:9]) + PACKERS[suffix](LINES[2][9:])
    (tmp_path / f"a.jsonl{suffix}").write_bytes(packed)
    (tmp_path / "plain.jsonl").write_bytes(b"".join(LINES[:3]))
    report = run(tmp_path / f"a.jsonl{suffix}")
    assert report.result == run(tmp_path / "plain.jsonl").result
    assert report.inputs[0]["sha256"] == hashlib.sha256(packed).hexdigest()
    assert report.inputs[0]["bytes"] == len(packed)


@packers
def test_a_compressed_file_that_is_cut_or_damaged_is_refused(tmp_path: Path, suffix: str) -> None:
    packed = PACKERS[suffix](TEXT)
    path = tmp_path / f"a.jsonl{suffix}"
    for cut in (5, len(packed) // 2, len(packed) - 1):
        path.write_bytes(packed[:cut])
        with pytest.raises(SourceError, match="is cut short"):
            run(path)
    for damaged in (packed + b"x", packed[:-6] + bytes([packed[-6] ^ 1]) + packed[-5:]):
        path.write_bytes(damaged)
        with pytest.raises(SourceError, match=r"is not sound|is cut short"):
            run(path)
    path.write_bytes(TEXT)
    with pytest.raises(SourceError, match="as its name says"):
        run(path)


@packers
def test_the_size_of_what_is_inside_counts(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"a.jsonl{suffix}"
    path.write_bytes(PACKERS[suffix](TEXT + b"\n" * 5000))
    assert path.stat().st_size < 1000
    size = len(TEXT) + 5000
    assert run(path, max_file_bytes=size).records == 6
    with pytest.raises(SourceError, match=f"larger than --max-file-bytes {size - 1}"):
        run(path, max_file_bytes=size - 1)


@packers
def test_compression_is_told_by_the_first_bytes(
    tmp_path: Path, suffix: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.jsonl").write_bytes(PACKERS[suffix](TEXT))
    assert run(tmp_path / "a.jsonl").records == 6
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(PACKERS[suffix](TEXT))))
    assert tallystick.run("agreement", "-").records == 6


def test_without_the_extra_zstd_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a.jsonl.zst").write_bytes(b"\x28\xb5\x2f\xfd....")
    monkeypatch.setitem(sys.modules, "backports.zstd", None)
    monkeypatch.setitem(sys.modules, "compression.zstd", None)
    with pytest.raises(SourceError, match=r"install tallystick\[zstd\] to read .*a\.jsonl\.zst"):
        run(tmp_path / "a.jsonl.zst")


class Record(Struct):
    id: str
    p: float = 0.0


def array(text: str | bytes) -> list[tuple[str, str]]:
    """Read an array, and give the place and the id of each record."""
    data = text if isinstance(text, bytes) else text.encode()
    batches = json_array.read(io.BytesIO(data), "f", Shape(Record), "records", Facts("records", "f"))
    return [(batch.where(row), batch.id[row]) for batch in batches for row in range(len(batch))]


def test_elements_of_an_array_know_their_lines() -> None:
    assert array('\ufeff [\n{"id":"a"}, {"id":\n\n"b"}\r\n,\n\t{"id":"\u2028c"}]\n') == [
        ("f:2", "a"),
        ("f:2", "b"),
        ("f:6", "\u2028c"),
    ]
    assert array("[]") == []


@pytest.mark.parametrize(
    ("text", "where", "what"),
    [
        ('[{"id":"a"},\n{"id":"b","id":"b"}]', "f:2", 'duplicate key "id"'),
        ('[{"id":"a"},\n{"id":1}]', "f:2", "id: expected a string, got 1"),
        ('[{"id":"a"},\n{"id":"b","x":NaN}]', "f:2", "NaN is not a number"),
        ('[{"id":"a","p":\n1e999}]', "f:1", "p: expected a number"),
        ('[{"id":"a\n"}]', "f:1", "id: not valid JSON: invalid control character"),
        ('[{"id":"a","x":"b\n"}]', "f:1", "x: not valid JSON: invalid control character"),
        ('[{"id":"a"},\n3]', "f:2", "expected an object"),
        ('[{"id":"a"},\n]', "f:2", "a comma before the end"),
        ('[{"id":"a"}\n{"id":"b"}]', "f:2", "expected a comma"),
        ('[{"id":"a"},\n{"id":"b"', "f:2", "does not end"),
        ('[{"id":"a"}]\n{', "f:2", "unexpected text after the array"),
        ('[{"id":"a","x":"\\ud800"}]', "f:1", "surrogate"),
        ('{"id":"a"}', "f:1", "expected a JSON array"),
        (b'[{"id":"a"},\n{"id":"\xff"}]', "f:2", "not valid UTF-8"),
        ("[" * 100_000, "f:1", "nested too deeply"),
    ],
)
def test_elements_meet_the_checks_of_lines(text: str | bytes, where: str, what: str) -> None:
    with pytest.raises(RecordError, match=re.escape(what)) as caught:
        array(text)
    assert caught.value.where == where


@given(
    rows=st.lists(
        st.dictionaries(st.sampled_from(["id", "p", "x\n"]), st.sampled_from(["a\n", 1, None, [{}]]))
    ),
    indent=st.sampled_from([None, 0, 2]),
    piece=st.sampled_from([1, 40, 8_000_000]),
)
def test_an_array_is_judged_as_its_lines_are(
    rows: list[dict[str, Any]], indent: int | None, piece: int
) -> None:
    def ids(read: Any, text: str) -> list[str] | str:
        facts = Facts("records", "f")
        try:
            return [
                one
                for batch in read(io.BytesIO(text.encode()), "f", Shape(Record), "r", facts)
                for one in batch.id
            ]
        except RecordError as refused:
            return refused.what

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(jsonl, "PIECE", piece)
        lines = "".join(json.dumps(row) + "\n" for row in rows)
        assert ids(json_array.read, json.dumps(rows, indent=indent)) == ids(jsonl.read, lines)


@pytest.mark.parametrize("name", ["a.json", "a"])
def test_what_begins_with_a_bracket_is_an_array_unless_its_name_says_lines(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(b"\n [" + b",".join(LINES) + b"]")
    assert run(tmp_path / name).records == 6
    (tmp_path / "a.jsonl").write_bytes((tmp_path / name).read_bytes())
    with pytest.raises(RecordError, match=r"a\.jsonl:2: expected an object, got an array|not valid JSON"):
        run(tmp_path / "a.jsonl")
    assert run(tmp_path / "a.jsonl", input_format="json").records == 6
    (tmp_path / name).write_bytes(TEXT)
    assert run(tmp_path / name).records == 6


def test_a_format_that_there_is_none_of_is_refused() -> None:
    with pytest.raises(UsageError, match="input_format: expected one of jsonl, json, csv") as caught:
        tallystick.run("agreement", "a", input_format="jsnl")
    assert caught.value.hint is not None


def test_globs_are_expanded_in_order_of_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in (2, 0, 1):
        (tmp_path / f"{number}.jsonl").write_bytes(LINES[number])
    (tmp_path / "3.jsonl").mkdir()
    monkeypatch.chdir(tmp_path)
    report = tallystick.run("agreement", "*.jsonl")
    assert found("*.jsonl") == ["0.jsonl", "1.jsonl", "2.jsonl"]
    assert sorted(report.produced["files"]) == ["0.jsonl", "1.jsonl", "2.jsonl"]
    assert tallystick.run("agreement", ["[01].jsonl", "2.jsonl"]) == report
    (tmp_path / "[01].jsonl").write_bytes(LINES[5])
    assert found("[01].jsonl") == ["[01].jsonl"]
    with pytest.raises(SourceError, match=r"x\*: no such file, and as a glob it matches none"):
        tallystick.run("agreement", "x*")


def test_numbers_in_a_field_of_text_are_read_as_text_on_demand(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(
        '{"id":1,"reference":10,"rater":"10"}\n{"id":"01","reference":"x","rater":"x"}\n'
    )
    with pytest.raises(RecordError, match=r"a\.jsonl:1: id: expected a non-empty string, got 1"):
        run(tmp_path / "a.jsonl")
    report = run(tmp_path / "a.jsonl", as_text=["id", "reference"])
    assert report.agreement == 1
    assert report.options["as_text"] == ["id", "reference"]
    with pytest.raises(UsageError, match="--as-text: no field 'idd'"):
        run(tmp_path / "a.jsonl", as_text="idd")
    (tmp_path / "b.jsonl").write_text(
        '{"id":1,"reference":"x","rater":"x"}\n{"id":"1","reference":"x","rater":"x"}\n'
    )
    with pytest.raises(RecordError, match=r'b\.jsonl:2: id: "1" occurs more than once'):
        run(tmp_path / "b.jsonl", as_text="id")
    (tmp_path / "c.jsonl").write_text('{"id":true,"reference":"x","rater":"x"}\n')
    with pytest.raises(RecordError, match=r"c\.jsonl:1: id: expected .*, got true"):
        run(tmp_path / "c.jsonl", as_text="id")


def test_only_fields_of_text_are_read_as_text() -> None:
    with pytest.raises(UsageError, match="--as-text: 'confidence' is not a field of text"):
        tallystick.run("calibration", [], as_text="confidence")


def test_blank_facts_of_an_empty_file(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(b"")
    facts, batches = open_source(str(tmp_path / "a.csv"), Shape(Record), "records")
    assert list(batches) == []
    assert facts.sha256 == hashlib.sha256(b"").hexdigest()
