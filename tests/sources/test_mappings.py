"""Records given as Python objects meet the checks that a file meets."""

import json
from collections.abc import Iterator
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tallystick
from sources.lines import Record, files, read
from sources.test_jsonl_strictness import FIELDS, PLAIN
from tallystick.errors import RecordError, UsageError
from tallystick.sources import Facts, Shape, mappings

GOOD = {"expected": "x", "predicted": "x", "confidence": 0.5}


def quick(rows: list[Any]) -> list[dict[str, Any]] | int:
    shape, facts = Shape(Record), Facts("records", "records")
    records: list[dict[str, Any]] = []
    try:
        for batch in mappings.read(rows, "records", shape, "records", facts):
            columns = [np.asarray(getattr(batch, field), object).tolist() for field in FIELDS]
            records += [dict(zip(FIELDS, row, strict=True)) for row in zip(*columns, strict=True)]
    except RecordError as refused:
        return int(refused.where.removeprefix("records:"))
    return records


@settings(max_examples=200)
@given(data=files(FIELDS), batch=st.integers(1, 4))
def test_objects_are_judged_as_the_lines_that_they_came_from(data: bytes, batch: int) -> None:
    rows = []
    for line in data.removeprefix(b"\xef\xbb\xbf").split(b"\n"):
        try:
            rows.append(json.loads(line))
        except (ValueError, RecursionError):
            continue
    rows = [row for row in rows if isinstance(row, dict)]
    lines = "".join(json.dumps(row, ensure_ascii=True) + "\n" for row in rows if _strict(row))
    expected = read(lines.encode(), PLAIN)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(mappings, "BATCH", batch)
        got = quick([row for row in rows if _strict(row)])
    assert got == (expected if isinstance(expected, int) else expected[0])


def _strict(row: dict[str, Any]) -> bool:
    """Whether JSON can hold a row; what nobody reads of an object may be anything."""
    try:
        json.dumps(row, ensure_ascii=False, allow_nan=False).encode()
    except ValueError:
        return False
    return True


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"confidence": float("nan")}, "records:2: confidence: expected a number from 0 to 1, got NaN"),
        ({"confidence": float("inf")}, "records:2: confidence: expected a number from 0 to 1, got Infinity"),
        ({"confidence": True}, "records:2: confidence: expected a number from 0 to 1, got true"),
        ({"confidence": np.bool_(True)}, "records:2: confidence: expected a number from 0 to 1, got true"),
        ({"confidence": 10**400}, "records:2: confidence: expected a number from 0 to 1, got 1000"),
        ({"expected": None}, "records:2: expected: expected a string, got null"),
        ({"expected": "\ud800"}, "records:2: expected: an unpaired surrogate in a string"),
        ({1: 2}, "records:2: the key 1 is not a string"),
    ],
)
def test_a_bad_object_is_named_by_its_number(change: dict[Any, Any], message: str) -> None:
    with pytest.raises(RecordError) as refused:
        tallystick.run("calibration", [GOOD, {**GOOD, **change}])
    assert str(refused.value).startswith(message)


def test_an_item_that_is_no_mapping_is_named_by_its_number() -> None:
    with pytest.raises(RecordError, match=r"^records:2: expected a mapping, got list$"):
        tallystick.run("calibration", [GOOD, ["x"]])


@pytest.mark.parametrize("half", [np.float64(0.5), np.float32(0.5), np.array(0.5)[()]])
def test_numpy_scalars_are_taken_for_what_they_are(half: Any) -> None:
    rows = [{"expected": np.str_("x"), "predicted": "x", "confidence": half}]
    assert tallystick.run("calibration", rows) == tallystick.run("calibration", [GOOD])


def test_any_mapping_and_any_iterable_will_do() -> None:
    def generated() -> Iterator[Any]:
        yield MappingProxyType(GOOD)

    assert tallystick.run("calibration", generated()) == tallystick.run("calibration", (GOOD,))


@pytest.mark.parametrize("given", [3, None, b"data.jsonl"])
def test_what_is_no_source_is_refused(given: Any) -> None:
    with pytest.raises(UsageError, match="expected a path, a frame or an iterable of mappings"):
        tallystick.run("calibration", given)


def test_the_caller_s_objects_are_left_as_they_were() -> None:
    row = {**GOOD, "confidence": np.float64(0.5), "extra": object()}
    before = dict(row)
    tallystick.run("calibration", [row])
    assert row == before
