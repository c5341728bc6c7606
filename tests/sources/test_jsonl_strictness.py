"""The fast reader takes and refuses exactly what the slowest reader does, at the same line."""

import io
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from sources.lines import Path, Record, files, read
from tallystick.errors import RecordError
from tallystick.sources import Facts, Shape, jsonl

FIELDS = ("id", "text", "confidence", "count", "flag", "scores", "trees", "parts")
PLAIN: dict[str, Path] = {field: (field,) for field in FIELDS}
MAPPED: dict[str, Path] = {
    **PLAIN,
    "text": ("gold", "label"),
    "confidence": ("gold", "conf"),
    "scores": ("more", "scores"),
}
NESTED = {"gold": ("label", "conf"), "more": ("scores",)}
PIECES = st.sampled_from([1, 2, 3, 7, 16, 64, 8_000_000])


def quick(data: bytes, piece: int, paths: dict[str, Path]) -> tuple[list[dict[str, Any]], int] | int:
    """Read with the reader under test, and give its verdict as the slow reader does."""
    names = {field: ".".join(path) for field, path in paths.items()}
    shape, facts = Shape(Record, (), names), Facts("records", "f")
    records: list[dict[str, Any]] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(jsonl, "PIECE", piece)
        try:
            for batch in jsonl.read(io.BytesIO(data), "f", shape, "records", facts):
                columns = [np.asarray(getattr(batch, field), object).tolist() for field in FIELDS]
                records += [dict(zip(FIELDS, row, strict=True)) for row in zip(*columns, strict=True)]
        except RecordError as refused:
            return int(refused.where.removeprefix("f:"))
    assert facts.records == len(records)
    return records, facts.blank_lines


LINE = b'{"id":"a","text":"","confidence":1,"count":1,"flag":true}\n'


@settings(max_examples=600)
@given(data=files(FIELDS), piece=PIECES)
@example(data=b"", piece=8)
@example(data=b"\xef\xbb\xbf", piece=1)
@example(data=b"\xef\xbb\xbf" + LINE, piece=1)
@example(data=LINE + b"\xef\xbb\xbf" + LINE, piece=8)
@example(data=LINE + LINE[:-1] + LINE[:-1] + b"\n\n", piece=1000)
@example(data=LINE[:-1] + b"\r" + LINE, piece=1000)
@example(data=LINE.replace(b"confidence", b"conf\\u0069dence") + LINE, piece=1000)
@example(data=LINE + LINE.replace(b"}", b',"conf\\u0069dence":0}'), piece=1000)
@example(data=LINE.replace(b"}", b',"parts":[{"k":1,"k":2}]}'), piece=1000)
@example(data=LINE.replace(b"}", b',"trees":{"a":{"b":1,"b":2}}}'), piece=1000)
@example(data=LINE.replace(b"}", b',"parts":[{"k":1,"z":{"a":1,"a":2}}]}'), piece=1000)
@example(data=LINE + LINE.replace(b"}", b',"note":{"a":1,"a":2}}'), piece=1000)
@example(data=LINE + LINE.replace(b"}", b',"a\\\\":1,"a\\\\":2}'), piece=1000)
@example(data=LINE + LINE.replace(b"}", b',"note" : 1, "note" : 2}'), piece=1000)
@example(data=LINE + LINE.replace(b"}", b',"note":' + b"[" * 100_000 + b"]" * 100_000 + b"}"), piece=10**6)
@example(data=LINE + LINE.replace(b"1,", b"1" * 305 + b",", 1), piece=1000)
def test_the_verdict_on_a_file_is_the_reference_s(data: bytes, piece: int) -> None:
    assert quick(data, piece, PLAIN) == read(data, PLAIN)


@settings(max_examples=300)
@given(data=files(tuple(f for f in FIELDS if MAPPED[f] == (f,)), NESTED), piece=PIECES)
@example(data=LINE.replace(b'"text":"","confidence":1', b'"gold":{"label":"","conf":1}'), piece=1000)
@example(data=LINE.replace(b'"text":"","confidence":1', b'"gold":{"label":"","conf":1,"conf":1}'), piece=1000)
def test_the_verdict_with_dotted_paths_is_the_reference_s(data: bytes, piece: int) -> None:
    assert quick(data, piece, MAPPED) == read(data, MAPPED)


@settings(max_examples=300)
@given(
    lines=st.lists(st.sampled_from([LINE, LINE.replace(b"}", b',"note":"\\":"}'), b"\n"]), max_size=40),
    cut=st.data(),
)
def test_one_byte_changed_anywhere_is_judged_alike(lines: list[bytes], cut: st.DataObject) -> None:
    data = bytearray(b"".join(lines) or LINE)
    place = cut.draw(st.integers(0, len(data) - 1))
    data[place] = cut.draw(st.integers(1, 255) | st.sampled_from(b'"\\{}[]:,\n\r\t -0e'))
    assert quick(bytes(data), 1000, PLAIN) == read(bytes(data), PLAIN)
