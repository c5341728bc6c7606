"""Files in parts: together they hold the records, blank lines and places of the whole file."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Struct

from tallystick.errors import RecordError, SourceError
from tallystick.fields import Id
from tallystick.sources import Shape, cuts, read


class Record(Struct):
    id: Id


SHAPE = Shape(Record)
LINES = st.lists(
    st.sampled_from(['{"id": "a"}', '{"id": "é\\u0301"}', '{"id": "' + "x" * 30 + '"}', "", "  "])
)


def seen(parts: list[cuts.Part]) -> tuple[list[tuple[str, str]], int, int]:
    """Read parts one by one: ids with their places, records, blank lines."""
    found, records, blank = [], 0, 0
    for part in parts:
        facts, batches = cuts.batches(part, SHAPE, None, None)
        found += [(batch.id[row], batch.where(row)) for batch in batches for row in range(len(batch))]
        records, blank = records + facts.records, blank + facts.blank_lines
    return found, records, blank


@given(lines=LINES, ending=st.sampled_from(["\n", "\r\n"]), closed=st.booleans(), size=st.integers(1, 60))
def test_parts_of_any_size_hold_what_the_file_holds(
    tmp_path_factory: pytest.TempPathFactory, lines: list[str], ending: str, closed: bool, size: int
) -> None:
    path = tmp_path_factory.mktemp("cuts") / "r.jsonl"
    path.write_bytes((ending.join(lines) + (ending if closed else "")).encode())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cuts, "BYTES", size)
        parts = cuts.cut("records", str(path), size, None, None)
        cut = seen(parts)
    facts, batches = read(path, SHAPE, "records")
    whole = [(batch.id[row], batch.where(row)) for batch in batches for row in range(len(batch))]
    assert cut == (whole, facts.records, facts.blank_lines)


def test_a_fault_in_a_later_part_names_its_line(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    path.write_text('{"id": "a"}\n' * 40 + "\n" + '{"id": 7}\n' + '{"id": "b"}\n' * 5)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cuts, "BYTES", 100)
        parts = cuts.cut("records", str(path), 100, None, None)
        assert len(parts) > 4
        with pytest.raises(RecordError, match=r"r\.jsonl:42: id: "):
            seen(parts)


def test_a_byte_order_mark_counts_at_the_start_only(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    path.write_bytes(b"\xef\xbb\xbf" + b'{"id": "a"}\n' * 9 + b"\xef\xbb\xbf" + b'{"id": "a"}\n')
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cuts, "BYTES", 123)
        with pytest.raises(RecordError, match=r"r\.jsonl:10: "):
            seen(cuts.cut("records", str(path), 123, None, None))


def test_row_groups_are_read_apart(tmp_path: Path) -> None:
    pa, pq = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "r.parquet"
    pq.write_table(pa.table({"id": [f"i{n}" for n in range(25)]}), path, row_group_size=10)
    parts = cuts.cut("records", str(path), 1_000, None, None)
    assert [(part.start, part.before) for part in parts] == [(0, 0), (1, 10), (2, 20)]
    found, records, _ = seen(parts)
    assert records == 25
    assert found[24] == ("i24", f"{path}:row 25")


def test_what_cannot_be_cut_is_one_part(tmp_path: Path) -> None:
    path = tmp_path / "r.csv"
    path.write_text("id\na\nb\n")
    parts = cuts.cut("records", str(path), 1_000, None, None)
    assert [part.kind for part in parts] == ["whole"]
    assert seen(parts)[1] == 2


def test_a_file_that_changes_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    path.write_text('{"id": "a"}\n')
    was = cuts.stamp(str(path))
    was.check()
    path.write_text('{"id": "abc"}\n')
    with pytest.raises(SourceError, match="changed while it was read"):
        was.check()


def test_a_file_that_is_too_large_is_refused_before_it_is_cut(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    path.write_text('{"id": "a"}\n' * 3)
    with pytest.raises(SourceError, match="--max-file-bytes 20"):
        cuts.cut("records", str(path), 1_000, 20, None)
