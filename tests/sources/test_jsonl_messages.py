"""A refused line is named by file, line and field, with the value that is wrong."""

from pathlib import Path

import pytest

import tallystick
from tallystick.errors import RecordError, SourceError

GOOD = b'{"expected":"x","predicted":"x","confidence":0.5}'


def refusal(folder: Path, line: bytes, **settings: object) -> str:
    """Put a bad line after a good one and a blank one, and give the message."""
    (folder / "data.jsonl").write_bytes(b"\xef\xbb\xbf" + GOOD + b"\r\n \t\n" + line + b"\n" + GOOD)
    with pytest.raises(RecordError) as refused:
        tallystick.run("calibration", folder / "data.jsonl", **settings)  # type: ignore[arg-type]
    where, _, what = str(refused.value).partition("data.jsonl:3: ")
    assert where == f"{folder}/"
    return what


CONFIDENCE = "confidence: expected a number from 0 to 1, got"
MALFORMED = "not valid JSON"


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (b"0.5", b"1.5", f"{CONFIDENCE} 1.5"),
        (b"0.5", b"true", f"{CONFIDENCE} true"),
        (b"0.5", b'"0.5"', f'{CONFIDENCE} "0.5"'),
        (b"0.5", b"null", f"{CONFIDENCE} null"),
        (b"0.5", b"1e999", f"{CONFIDENCE} 1e999"),
        (b"0.5", b"1" * 400, f"{CONFIDENCE} {'1' * 20}… (400 characters)"),
        (b"0.5", b"1" + b"0" * 304, f"{CONFIDENCE} 1e+304"),
        (b"0.5", b"-1e-300", f"{CONFIDENCE} -1e-300"),
        (b"0.5", b"NaN", f"confidence: {MALFORMED}: NaN is not a number"),
        (b"0.5", b"-Infinity", f"confidence: {MALFORMED}: -Infinity is not a number"),
        (b"0.5", b"0x1", f"confidence: {MALFORMED}"),
        (b"0.5", b".5", f"confidence: {MALFORMED}"),
        (b"0.5", b"1.", f"confidence: {MALFORMED}"),
        (b"0.5", b"+1", f"confidence: {MALFORMED}"),
        (b"0.5", b"01", f"confidence: {MALFORMED}"),
        (b"0.5", b"1_0", f"confidence: {MALFORMED}"),
        (b'"expected":"x"', b'"expected":1', "expected: expected a string, got 1"),
        (b'"expected":"x",', b"", "expected: missing (expected a string)"),
        (b'"expected":"x"', b'"expected":"\\ud800"', "expected: an unpaired surrogate in a string"),
        (b'"expected":"x"', b'"expected":"x","expected":"x"', 'expected: duplicate key "expected"'),
        (b'"expected"', b'"note":1,"note":2,"expected"', 'note: duplicate key "note"'),
        (b'"expected"', b'"conf\\u0069dence":1,"expected"', 'confidence: duplicate key "confidence"'),
        (b"{", b'{"note":NaN,', f"note: {MALFORMED}: NaN is not a number"),
        (b'"x"', b'"\xff"', "not valid UTF-8 (byte 0xff at position 14)"),
        (b"{", b'{"note":"\xed\xa0\x80",', "not valid UTF-8 (byte 0xed at position 10)"),
        (b'"x"', b'"\x01"', f"expected: {MALFORMED}"),
        (b"}", b"}{}", "more than one object on the line"),
        (b"}", b"} []", 'unexpected text after the object: "[]"'),
        (b"}", b"", "the object does not end on this line"),
        (b"0.5}", b'"0.5}', "the object does not end on this line"),
        (b"{", b"\xef\xbb\xbf{", "unexpected U+FEFF (a byte order mark belongs at the start of a file only)"),
        (GOOD, b"[" + GOOD + b"]", "expected an object, got an array"),
        (GOOD, b'"text"', "expected an object, got a string"),
        (GOOD, b"4", "expected an object, got a number"),
        (GOOD, b"true", "expected an object, got a boolean"),
        (GOOD, b"null", "expected an object, got null"),
        (b"{", b'{"note":' + b"[" * 100_000 + b"]" * 100_000 + b",", "nested too deeply"),
    ],
)  # fmt: skip
def test_a_bad_line_is_named_with_its_field(tmp_path: Path, old: bytes, new: bytes, message: str) -> None:
    line = GOOD.replace(old, new, 1)
    assert line != GOOD
    assert message in refusal(tmp_path, line)


def test_a_field_read_under_another_name_is_named_as_the_file_spells_it(tmp_path: Path) -> None:
    (tmp_path / "data.jsonl").write_bytes(b'{"gold":{"y":"x"},"predicted":"x","p":2}\n')
    with pytest.raises(RecordError, match=r"data\.jsonl:1: p: expected a number from 0 to 1, got 2$"):
        tallystick.run("calibration", tmp_path / "data.jsonl", map={"expected": "gold.y", "confidence": "p"})


@pytest.mark.parametrize(
    ("gold", "message"),
    [
        ('"x"', "gold: expected an object with 'gold.y', got \"x\""),
        ("{}", r"gold\.y: missing \(expected a string\)"),
        ('{"y":1}', r"gold\.y: expected a string, got 1"),
        ('{"y":"x","y":"x"}', 'gold.y: duplicate key "y"'),
    ],
)
def test_a_fault_inside_an_object_is_named_by_its_path(tmp_path: Path, gold: str, message: str) -> None:
    (tmp_path / "data.jsonl").write_text(f'{{"gold":{gold},"predicted":"x","confidence":1}}\n')
    with pytest.raises(RecordError, match=message):
        tallystick.run("calibration", tmp_path / "data.jsonl", map={"expected": "gold.y"})


@pytest.mark.parametrize("codec", ["utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_another_encoding_of_unicode_is_called_by_its_name(tmp_path: Path, codec: str) -> None:
    (tmp_path / "data.jsonl").write_bytes(GOOD.decode().encode(codec))
    with pytest.raises(SourceError, match="UTF-16 or UTF-32: save as UTF-8"):
        tallystick.run("calibration", tmp_path / "data.jsonl")


def test_a_long_value_is_quoted_in_part(tmp_path: Path) -> None:
    what = refusal(tmp_path, GOOD.replace(b"0.5", b'"' + b"y" * 5000 + b'"'))
    assert len(what) < 150
    assert what.endswith("y…")


def test_what_would_steer_a_terminal_is_spelled_out(tmp_path: Path) -> None:
    what = refusal(tmp_path, GOOD.replace(b"0.5", b'"\\u001b[31m\\u202e"'))
    assert what.isprintable()
    assert "u202e" in what
