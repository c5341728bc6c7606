"""Where an audit gathers them, records that are not as declared come in batches beside those that are."""

import json
from pathlib import Path
from typing import Any

import pytest
from msgspec import Struct

from tallystick.errors import RecordError
from tallystick.sources import Facts, Shape, mappings, read


class Record(Struct):
    id: str
    score: float


GOOD: list[Any] = [{"id": "a", "score": 1.0}, {"id": "b", "score": 2.0}]
BAD: list[Any] = [{"id": 1, "score": 1.0}, {"id": "c"}]
ROWS = [BAD[0], GOOD[0], BAD[1], GOOD[1]]


def of_mappings(rows: list[Any], **traits: Any) -> Any:
    return list(mappings.read(rows, "rows", Shape(Record, **traits), "records", Facts("records", "rows")))


def test_mappings_at_fault_are_kept_apart_and_all_keep_their_places() -> None:
    (batch,) = of_mappings(ROWS, gathers=True)
    assert batch.id == ["a", "b"]
    assert [batch.where(row) for row in range(2)] == ["rows:2", "rows:4"]
    assert [(one.place, one.field) for one in batch.refused] == [("rows:1", "id"), ("rows:3", "score")]


def test_otherwise_the_first_is_refused() -> None:
    with pytest.raises(RecordError, match="rows:1: id"):
        of_mappings(ROWS)


def test_lines_at_fault_are_kept_apart_and_all_keep_their_places(tmp_path: Path) -> None:
    lines = [*map(json.dumps, ROWS), "", "{", '{"id": "d", "score": 1, "score": 2}', json.dumps(GOOD[0])]
    (tmp_path / "rows.jsonl").write_text("".join(f"{line}\n" for line in lines))
    facts, batches = read(str(tmp_path / "rows.jsonl"), Shape(Record, gathers=True), "records")
    (batch,) = batches
    assert batch.id == ["a", "b", "a"]
    assert [batch.where(row).rpartition(":")[2] for row in range(3)] == ["2", "4", "8"]
    assert [one.place.rpartition(":")[2] for one in batch.refused] == ["1", "3", "6", "7"]
    assert "duplicate key" in batch.refused[-1].what
    assert (facts.records, facts.blank_lines) == (7, 1)


def test_a_file_of_nothing_but_faults_gives_them(tmp_path: Path) -> None:
    (tmp_path / "rows.jsonl").write_text("{\n[]\n")
    _, batches = read(str(tmp_path / "rows.jsonl"), Shape(Record, gathers=True), "records")
    (batch,) = batches
    assert len(batch) == 0
    assert len(batch.refused) == 2
