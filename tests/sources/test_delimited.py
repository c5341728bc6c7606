"""CSV and TSV: strict cells, a header, true line numbers."""

import csv
import io
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Struct

import tallystick
from tallystick.errors import RecordError, SourceError
from tallystick.fields import Answer, Distribution, Id, Labels, Probability, Whole
from tallystick.sources import Facts, Shape, delimited, distinct


class Record(Struct):
    id: Id
    text: str
    p: Probability = 0.5
    count: Whole = 0
    flag: bool = False
    answer: Answer = ""
    scores: Distribution | None = None
    labels: Labels | None = None
    note: str | None = None


HEADER = "id,text,p,count,flag,answer,scores,labels,note\n"


def read(data: str | bytes, delimiter: str = ",", **names: str) -> list[dict[str, Any]]:
    """Read a file that has the header already, and give its records."""
    data = data if isinstance(data, bytes) else data.encode()
    facts = Facts("records", "f.csv")
    shape = Shape(Record, (), names)
    rows: list[dict[str, Any]] = []
    batches = delimited.read(io.BytesIO(data), "f.csv", shape, "records", facts, delimiter)
    for batch in distinct(batches, shape):
        columns = {field: list(getattr(batch, field)) for field in Record.__struct_fields__}
        rows += [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    assert facts.records == len(rows)
    return rows


def test_cells_are_typed_by_what_is_declared() -> None:
    (row,) = read(HEADER + 'a,,0.25,3,true,"[""x"", ""y""]","{""b"": 1}","[]",\n')
    assert row == {
        "id": "a",
        "text": "",
        "p": 0.25,
        "count": 3,
        "flag": True,
        "answer": ["x", "y"],
        "scores": {"b": 1.0},
        "labels": [],
        "note": None,
    }


def test_a_text_stands_as_it_is() -> None:
    rows = read('id,text,answer\n1,"[1]","[1]"\n 2 , 1.0,"[""a"", 2]"\n')
    assert [(row["id"], row["text"], row["answer"]) for row in rows] == [
        ("1", "[1]", "[1]"),
        (" 2 ", " 1.0", '["a", 2]'),
    ]


def test_an_absent_column_and_an_empty_cell_are_the_default() -> None:
    (row,) = read("id,text,note\na,b,\n")
    assert (row["p"], row["count"], row["flag"], row["scores"], row["note"]) == (0.5, 0, False, None, None)


@pytest.mark.parametrize(
    "cell",
    ["nan", "NaN", "inf", "-inf", "1_0", "0x1", " 1", "1 ", "1,", "+1", ".5", "1.", "1e999", "true", "01"],
)
def test_what_is_no_number_of_json_is_no_number(cell: str) -> None:
    with pytest.raises(RecordError, match=r"^f\.csv:3: p: expected a number from 0 to 1, got "):
        read(f'id,text,p\na,b,1\nc,d,"{cell}"\n')


@pytest.mark.parametrize("cell", ["1.0", "1e2", "-1", "9223372036854775808", "true"])
def test_what_is_no_whole_number_is_refused(cell: str) -> None:
    with pytest.raises(
        RecordError, match=r"^f\.csv:2: count: expected a whole number from 0 to 9223372036854775807, got "
    ):
        read(f"id,text,count\na,b,{cell}\n")


@pytest.mark.parametrize("cell", ["True", "TRUE", "1", "yes", "t", " true"])
def test_booleans_are_true_and_false(cell: str) -> None:
    with pytest.raises(RecordError, match=r"^f\.csv:2: flag: expected true or false, got "):
        read(f"id,text,flag\na,b,{cell}\n")


@pytest.mark.parametrize(
    ("cell", "what"),
    [
        ('{""a"":0.5,""a"":0.5}', 'duplicate key "a"'),
        ('{""a:"":0.5,""a:"":0.5}', 'duplicate key "a:"'),
        ('{""a"":2}', "expected a number from 0 to 1, got 2"),
        ('{""a"":NaN}', "expected a non-empty object"),
        ("{}", "expected a non-empty object"),
        ("[]", "expected a non-empty object"),
        ('{""\\ud800"":1}', "expected a non-empty object"),
    ],
)
def test_cells_of_json_are_as_strict_as_lines(cell: str, what: str) -> None:
    with pytest.raises(RecordError, match=r"^f\.csv:2: scores: ") as caught:
        read(f'id,text,scores\na,b,"{cell}"\n')
    assert what in caught.value.what


def test_items_of_a_cell_differ() -> None:
    with pytest.raises(RecordError, match=r'f\.csv:2: labels: "x" occurs more than once'):
        read('id,text,labels\na,b,"[""x"",""x""]"\n')


def test_an_error_names_the_line_on_which_its_record_begins() -> None:
    text = 'id,text,p\r\na,"one\r\ntwo\n\nthree",0\r\n\r\nb,"x ""y"" z",7\r\n'
    with pytest.raises(RecordError, match=r"^f\.csv:7: p: expected a number from 0 to 1, got 7$"):
        read(text)
    row, _ = read(text.replace("7\r", "1\r"))
    assert row["text"] == "one\r\ntwo\n\nthree"


@pytest.mark.parametrize(
    ("text", "where", "what"),
    [
        ("id,text,id\n", "f.csv:1", "two columns are called 'id'"),
        ("id\n", "f.csv:1", "no column 'text'"),
        ("id;text\n", "f.csv:1", "no column 'id'"),
        ("id,text\na\n", "f.csv:2", "1 cell, but the header has 2"),
        ("id,text\na,b,c\n", "f.csv:2", "3 cells, but the header has 2"),
        ('id,text\na,"b\nc\n', "f.csv:2", "a quoted cell does not end"),
        ('id,text\na,b"c"\n', "f.csv:2", "cell 2: a quote inside a cell"),
        ('id,text\na,"b"c\n', "f.csv:2", "cell 2: a quote inside a cell"),
        ("id,text\ra,b\r", "f.csv:1", "a carriage return outside quotes"),
        ("id,text\n,b\n", "f.csv:2", 'id: expected a non-empty string, got ""'),
    ],
)
def test_what_is_not_a_table_is_refused(text: str, where: str, what: str) -> None:
    with pytest.raises((RecordError, SourceError)) as caught:
        read(text)
    assert caught.value.where == where
    assert what in caught.value.what


def test_a_byte_order_mark_opens_a_file_and_utf_16_is_named() -> None:
    assert read("\ufeffid,text\na,b\n")[0]["id"] == "a"
    with pytest.raises(SourceError, match=r"f\.csv:1: this is UTF-16"):
        read("id,text\na,b\n".encode("utf-16"))
    with pytest.raises(RecordError, match=r"f\.csv:3: not valid UTF-8 \(byte 0xff at position 3\)"):
        read(b"id,text\na,b\nc,\xff\n")


def test_only_lf_and_crlf_end_a_line() -> None:
    text = "id,text\na,\u2028\u2029\x85\x0b\x0c\x1c\n"
    assert read(text)[0]["text"] == "\u2028\u2029\x85\x0b\x0c\x1c"


def test_a_dotted_name_is_a_column_or_reaches_into_json() -> None:
    assert read("id,gold.label\na,b\n", text="gold.label")[0]["text"] == "b"
    assert read('id,gold\na,"{""label"": ""b""}"\n', text="gold.label")[0]["text"] == "b"
    with pytest.raises(RecordError, match=r"f\.csv:2: gold\.label: missing"):
        read('id,gold\na,"{}"\n', text="gold.label")


CELLS = st.text(st.sampled_from('a,"\n\r\t; é\u2028'), max_size=6)


@given(
    rows=st.lists(st.tuples(CELLS, CELLS), max_size=8),
    end=st.sampled_from(["\n", "\r\n"]),
    mark=st.booleans(),
)
def test_what_the_standard_library_writes_is_read_back(
    rows: list[tuple[str, str]], end: str, mark: bool
) -> None:
    file = io.StringIO()
    quoting: Any = (
        csv.QUOTE_ALL if end == "\n" else csv.QUOTE_MINIMAL
    )  # it leaves a bare CR bare before an LF
    csv.writer(file, lineterminator=end, quoting=quoting).writerows(
        [("id", "text"), *((f"i{one}", other) for one, other in rows)]
    )
    read_back = read(("\ufeff" if mark else "") + file.getvalue())
    assert [(row["id"], row["text"]) for row in read_back] == [(f"i{one}", other) for one, other in rows]


@given(rows=st.lists(st.tuples(CELLS, CELLS), max_size=6), piece=st.integers(1, 9))
def test_where_a_piece_is_cut_changes_nothing(rows: list[tuple[str, str]], piece: int) -> None:
    file = io.StringIO()
    csv.writer(file, delimiter="\t").writerows([("id", "text"), *((f"i{one}", other) for one, other in rows)])
    whole = read(file.getvalue(), "\t")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(delimited, "PIECE", piece)
        assert read(file.getvalue(), "\t") == whole


def test_files_are_told_by_suffix_or_flag(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("id,reference,rater\n1,x,x\n\n2,x,y\n")
    (tmp_path / "a.tsv").write_text("id\treference\trater\n1\tx\tx\n2\tx\ty\n")
    (tmp_path / "a.txt").write_text("id,reference,rater\n1,x,x\n2,x,y\n")
    one = tallystick.run("agreement", tmp_path / "a.csv")
    assert one.inputs[0]["blank_lines"] == 1
    assert one.result == tallystick.run("agreement", tmp_path / "a.tsv").result
    assert one.result == tallystick.run("agreement", tmp_path / "a.txt", input_format="csv").result
