"""Frames, Parquet and Arrow files, and remote paths."""

import gzip
import io
import sys
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from msgspec import Struct

import tallystick
from tallystick.cli import main
from tallystick.errors import RecordError, SourceError, TallystickError
from tallystick.fields import Distribution, Id, Ids, Probability, Whole
from tallystick.sources import Facts, Shape, Slice, read

pa = pytest.importorskip("pyarrow")
pq = pytest.importorskip("pyarrow.parquet")


class Record(Struct):
    id: Id
    p: Probability
    count: Whole = 0
    flag: bool = False
    scores: Distribution | None = None
    ids: Ids | None = None


def columns(frame: Any, names: dict[str, str] | None = None, **traits: Any) -> dict[str, list[Any]]:
    """Read a frame, and give its columns."""
    _, batches = read(frame, Shape(Record, (), names, **traits), "rows")
    held: dict[str, list[Any]] = {field: [] for field in Record.__struct_fields__}
    for batch in batches:
        for field, values in held.items():
            values += list(getattr(batch, field))
    return held


def refused(frame: Any, names: dict[str, str] | None = None) -> TallystickError:
    with pytest.raises(TallystickError) as caught:
        columns(frame, names)
    return caught.value


def table(**given: Any) -> Any:
    return pa.table({"id": ["a", "b"], "p": [0.0, 1.0], **given})


TEXTS = [pa.string(), pa.large_string(), pa.dictionary(pa.int8(), pa.string())]
if int(pa.__version__.split(".")[0]) >= 20:
    TEXTS.append(pa.string_view())


@pytest.mark.parametrize("kind", TEXTS, ids=str)
def test_strings_of_any_kind_are_text(kind: Any) -> None:
    assert columns(table(id=pa.array(["a", "é"]).cast(kind)))["id"] == ["a", "é"]
    assert refused(table(id=pa.array(["a", ""]).cast(kind))).where == "rows:row 2"


@pytest.mark.parametrize("kind", [pa.float64(), pa.float32(), pa.float16(), pa.int8(), pa.uint64()], ids=str)
def test_numbers_of_any_width_are_numbers(kind: Any) -> None:
    values = [np.float16(0), np.float16(1)] if kind == pa.float16() else [0, 1]
    assert columns(table(p=pa.array(values, kind)))["p"] == [0.0, 1.0]


def test_a_float_of_32_bits_is_the_number_that_it_is() -> None:
    assert columns(table(p=pa.array([0.1, 0.2], pa.float32())))["p"] == [
        float(np.float32(x)) for x in (0.1, 0.2)
    ]


def test_a_decimal_is_the_number_that_it_prints_as() -> None:
    assert columns(table(p=[Decimal("0.1"), Decimal("0.7")]))["p"] == [0.1, 0.7]


@pytest.mark.parametrize(
    ("given", "what"),
    [
        ({"p": [0.5, 1.5]}, "p: expected a number from 0 to 1, got 1.5"),
        ({"p": [0.5, float("nan")]}, "p: expected a number from 0 to 1, got NaN"),
        ({"p": [0.5, None]}, "p: missing (expected a number from 0 to 1)"),
        ({"id": ["a", None]}, "id: missing (expected a non-empty string)"),
        ({"count": [1, -1]}, "count: expected a whole number from 0 to 9223372036854775807, got -1"),
        (
            {"count": pa.array([1, 2**64 - 1], pa.uint64())},
            "count: expected a whole number from 0 to 9223372036854775807, got 18446744073709551615",
        ),
        ({"scores": [{"a": 1.0}, {"a": 2.0}]}, 'scores: at "a": expected a number from 0 to 1, got 2.0'),
        ({"ids": [["x"], ["x", "x"]]}, 'ids: "x" occurs more than once'),
        ({"ids": [["x"], [None]]}, "ids: "),
        (
            {
                "scores": pa.array(
                    [[("a", 1.0)], [("a", 0.5), ("a", 0.5)]], pa.map_(pa.string(), pa.float64())
                )
            },
            "scores: a key occurs more than once",
        ),
    ],
)
def test_a_value_that_is_not_as_declared_names_row_and_column(given: Any, what: str) -> None:
    fault = refused(table(**given))
    assert isinstance(fault, RecordError)
    assert fault.where == "rows:row 2"
    assert fault.what.startswith(what)


@pytest.mark.parametrize(
    ("given", "what"),
    [
        ({"p": [False, True]}, "p: expected a number from 0 to 1, got false"),
        ({"p": ["0", "1"]}, 'p: expected a number from 0 to 1, got "0"'),
        ({"flag": [0, 1]}, "flag: expected true or false, got 0"),
        ({"count": [1.0, 2.0]}, "count: expected a whole number from 0 to 9223372036854775807, got 1.0"),
        ({"id": [b"a", b"b"]}, "id: a value of the type binary"),
        ({"p": pa.array([0, 1], pa.timestamp("s"))}, "p: a value of the type timestamp[s]"),
    ],
)
def test_types_are_strict(given: Any, what: str) -> None:
    fault = refused(table(**given))
    assert fault.where == "rows:row 1"
    assert fault.what == what


def test_whole_numbers_are_no_ids_unless_they_are_said_to_be_text() -> None:
    frame = table(id=[7, 8], ids=[[1], [1, 2]])
    fault = refused(frame)
    assert fault.what == "id: whole numbers (int64), expected a non-empty string"
    assert fault.hint is not None
    assert fault.hint.startswith("cast the column to strings, or read it as text: --as-text id")
    assert refused(table(ids=[[1], [2]])).what.startswith("ids: whole numbers (list<")
    read_as_text = columns(frame, as_text=["id", "ids"])
    assert read_as_text["id"] == ["7", "8"]
    assert read_as_text["ids"] == [["1"], ["1", "2"]]


def test_what_is_optional_may_be_missing() -> None:
    held = columns(table(scores=[None, {"a": 1.0}], ids=pa.nulls(2)))
    assert held["scores"] == [None, {"a": 1.0}]
    assert held["ids"] == [None, None]
    assert held["count"] == [0, 0]


def test_a_member_that_is_missing_in_a_struct_is_no_key() -> None:
    assert columns(table(scores=[{"a": 1.0}, {"b": 0.5, "c": 0.5}]))["scores"] == [
        {"a": 1.0},
        {"b": 0.5, "c": 0.5},
    ]


def test_parts_of_arrays_are_cut_where_they_begin() -> None:
    kind = pa.map_(pa.string(), pa.float64())
    maps = pa.array([[("z", 1.0)], None, [("a", 0.25), ("b", 0.75)], [("c", 1.0)]], kind)
    lists = pa.array([["z"], ["a", "b"], None, []], pa.large_list(pa.string()))
    rows = pa.table({"id": list("wxyz"), "p": [0.0] * 4, "scores": maps, "ids": lists})
    held = columns(rows.slice(1))
    assert held["scores"] == [None, {"a": 0.25, "b": 0.75}, {"c": 1.0}]
    assert held["ids"] == [["a", "b"], None, []]


def test_texts_of_json_are_read_where_an_object_is_due() -> None:
    assert columns(table(scores=['{"a": 1}', None]))["scores"] == [{"a": 1.0}, None]
    assert refused(table(scores=['{"a": 1}', "x"])).where == "rows:row 2"


def test_dotted_names_reach_into_structs() -> None:
    frame = pa.table({"id": ["a", "b"], "more": [{"p": 0.5}, {"p": 1.0}]})
    assert columns(frame, {"p": "more.p"})["p"] == [0.5, 1.0]
    assert refused(frame, {"p": "more.q"}).what.startswith("no column 'more.q': 'more' is struct<")
    assert (
        refused(pa.table({"id": ["a", "b"], "more": [{"p": 0.5}, None]}), {"p": "more.p"}).where
        == "rows:row 2"
    )
    flat = pa.table({"id": ["a"], "more.p": [0.25]})
    assert columns(flat, {"p": "more.p"})["p"] == [0.25]


def test_a_column_that_is_not_there_or_twice_is_named() -> None:
    assert refused(pa.table({"id": ["a"]})).what == "no column 'p' (expected a number from 0 to 1)"
    twice = pa.Table.from_arrays([pa.array(["a"]), pa.array([0.5]), pa.array([0.5])], ["id", "p", "p"])
    assert refused(twice).what == "two columns are called 'p'"


def test_faults_are_gathered_where_an_audit_gathers_them() -> None:
    frame = table(p=[2.0, 1.0])
    _, batches = read(frame, Shape(Record, gathers=True), "rows")
    (batch,) = batches
    assert list(batch.id) == ["b"]
    assert batch.where(0) == "rows:row 2"
    assert [one[:2] for one in batch.refused] == [("rows:row 1", "p")]


def test_slices_of_words_are_those_of_strings() -> None:
    part = pa.array(["x", "y"] * 50).dictionary_encode()
    frame = pa.table({"expected": ["a"] * 100, "predicted": ["a", "b"] * 50, "part": part})
    plain = tallystick.run("classification", frame.to_pylist(), slice_by="part")
    assert tallystick.run("classification", frame, slice_by="part") == plain


def test_words_are_counted_like_strings() -> None:
    words = pa.array(["a", "b", "b", "c"]).dictionary_encode()
    more = pa.DictionaryArray.from_arrays(pa.array([0, 0, 2, 1], pa.int8()), pa.array(["c", "b", "b"]))
    frame = pa.table({"expected": words, "predicted": more})
    assert tallystick.run("classification", frame) == tallystick.run("classification", frame.to_pylist())


ROWS = [{"id": f"q{n}", "reference": "ab"[n % 2], "rater": "ab"[n % 3 == 0]} for n in range(40)]
PLAIN = tallystick.run("agreement", ROWS)


def test_frames_of_other_libraries_give_the_same_report() -> None:
    pandas, polars, duckdb = (pytest.importorskip(name) for name in ("pandas", "polars", "duckdb"))
    frame = pandas.DataFrame(ROWS)
    connection = duckdb.connect()
    relation = connection.from_arrow(pa.Table.from_pylist(ROWS))
    held = pa.Table.from_pylist(ROWS)
    for one in (
        frame,
        frame.astype("category"),
        polars.DataFrame(ROWS),
        relation,
        held,
        held.to_reader(),
        held.to_batches()[0],
    ):
        assert tallystick.run("agreement", one) == PLAIN, type(one)
    assert tallystick.run("agreement", [frame[:10], polars.DataFrame(ROWS[10:])]).result == PLAIN.result


def test_a_frame_of_mixed_types_is_refused_by_name() -> None:
    frame = pytest.importorskip("pandas").DataFrame({"id": ["a", 1], "p": [0, 1]})
    assert "does not convert to Arrow" in refused(frame).what


def test_columns_by_name_are_a_frame() -> None:
    names = {name: [row[name] for row in ROWS] for name in ROWS[0]}
    assert tallystick.run("agreement", names) == PLAIN
    assert tallystick.run("agreement", {name: np.array(column) for name, column in names.items()}) == PLAIN
    assert columns({"id": ["a"], "p": np.array([1], np.float32), "scores": [{"a": np.float64(1)}]})["p"] == [
        1.0
    ]
    assert refused({"id": np.array([1]), "p": [0.5]}).what.startswith("id: whole numbers (int64)")
    assert refused({"id": ["a"], "p": [0.5, 0.5]}).what == "columns of different lengths: id 1, p 2"
    assert refused({"id": ["a", "\ud800"], "p": [0, 1]}).where == "rows:row 2"
    assert refused({"id": ["a", None], "p": [0, 1]}).what == "id: missing (expected a non-empty string)"
    assert refused({"id": "ab", "p": [0, 1]}).what == "id: expected an array or a list, got str"
    assert refused({"id": ["a"], "p": np.array([True])}).what == "p: expected a number from 0 to 1, got true"


def lay(folder: Path) -> Path:
    path = folder / "rows.parquet"
    pq.write_table(pa.Table.from_pylist(ROWS), path, row_group_size=7)
    return path


def test_parquet_reads_only_what_is_needed_and_says_where_it_fails(tmp_path: Path) -> None:
    path = lay(tmp_path)
    report = tallystick.run("agreement", path)
    assert report.result == PLAIN.result
    assert report.inputs[0]["bytes"] == path.stat().st_size
    pq.write_table(
        pa.Table.from_pylist([*ROWS, {"id": None, "reference": "a", "rater": "a"}]), path, row_group_size=7
    )
    with pytest.raises(RecordError, match=r"rows\.parquet:row 41: id: missing"):
        tallystick.run("agreement", path)


def test_what_is_not_sound_is_refused(tmp_path: Path) -> None:
    path = lay(tmp_path)
    data = path.read_bytes()
    path.write_bytes(data[:-20])
    with pytest.raises(SourceError, match="is not sound Parquet"):
        tallystick.run("agreement", path)
    (tmp_path / "a.arrow").write_bytes(b"ARROW1....")
    with pytest.raises(SourceError, match="is not sound Arrow"):
        tallystick.run("agreement", tmp_path / "a.arrow")
    (tmp_path / "a.parquet.gz").write_bytes(gzip.compress(data))
    with pytest.raises(SourceError, match="parquet inside gzip is not read"):
        tallystick.run("agreement", tmp_path / "a.parquet.gz")
    path.write_bytes(data)
    with pytest.raises(SourceError, match="larger than --max-file-bytes"):
        tallystick.run("agreement", path, max_file_bytes=len(data) - 1)


def test_parquet_comes_from_standard_input_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(lay(tmp_path).read_bytes())))
    report = tallystick.run("agreement", "-")
    assert report.result == PLAIN.result
    assert report.inputs == tallystick.run("agreement", tmp_path / "rows.parquet").inputs


def test_remote_files_read_like_local_ones(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fs = pytest.importorskip("pyarrow.fs")
    path = lay(tmp_path)
    (tmp_path / "rows.jsonl").write_text('{"id":"a","reference":"x","rater":"x"}\n')
    local = tallystick.run("agreement", path)
    assert tallystick.run("agreement", path.as_uri()) == local
    with pytest.raises(SourceError, match="no such file"):
        tallystick.run("agreement", path.as_uri() + "x")
    with pytest.raises(SourceError, match="no such file system"):
        tallystick.run("agreement", "nowhere://bucket/rows.parquet")

    def bucket(uri: str) -> tuple[Any, str]:
        return fs.SubTreeFileSystem(str(tmp_path), fs.LocalFileSystem()), uri.removeprefix("s3://bucket/")

    monkeypatch.setattr("tallystick.sources.parquet._system", bucket)
    assert tallystick.run("agreement", "s3://bucket/rows.parquet") == local
    assert tallystick.run("agreement", "s3://bucket/rows.j*").records == 1
    assert tallystick.run("agreement", "s3://bucket/*.parquet") == local


def test_without_the_extra_it_is_said_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, frame = lay(tmp_path), pa.Table.from_pylist(ROWS)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    for given, purpose in ((path, "read Parquet"), (frame, "read a Table"), ("s3://b/x", "read s3://b/x")):
        with pytest.raises(SourceError) as caught:
            tallystick.run("agreement", given)
        assert str(caught.value) == f"install tallystick[arrow] to {purpose}"


def test_peek_shows_shapes_and_commands_that_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "rows.parquet"
    rows = [
        {"idx": n, "gold": {"label": "secret"}, "prediction": "hidden", "prob": n / 10} for n in range(10)
    ]
    pq.write_table(pa.Table.from_pylist(rows), path)
    assert main(["peek", str(path)]) == 0
    shown = capsys.readouterr().out
    assert "secret" not in shown
    assert "hidden" not in shown
    assert "gold.label" in shown
    (command,) = [line.split() for line in shown.splitlines() if line.startswith("  tally calibration")]
    assert command[3:] == [
        "--map",
        "expected=gold.label",
        "--map",
        "predicted=prediction",
        "--map",
        "confidence=prob",
    ]
    assert main(command[1:]) == 0


def test_facts_of_frames_have_no_digest() -> None:
    facts, batches = read(table(), Shape(Record, [Slice("id", "id")]), "rows")
    assert [dict(batch.slices) for batch in batches] == [{"id": ["a", "b"]}]
    assert facts == Facts("rows", "rows", None, 0, 2)
