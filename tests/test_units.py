"""Units: unique ids, groups by a key, and two inputs joined by an id."""

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallystick import units
from tallystick.errors import RecordError
from tallystick.sources import Batch

IDS = st.sampled_from(["a", "b", "c", "A", "é", "e\u0301", "a\0", "\0a", "1", "01"])
Rows = list[dict[str, str]]


def batches(rows: Rows, size: int, source: str = "records") -> Iterator[Batch]:
    """Make batches of rows, each row named by its place."""
    for start in range(0, len(rows), size):
        part = rows[start : start + size]
        columns = {name: [row[name] for row in part] for name in part[0] if name != "part"}
        slices: dict[str, list[str | None]] = (
            {"part": [row["part"] for row in part]} if "part" in part[0] else {}
        )
        yield Batch(
            columns,
            len(part),
            source=source,
            slices=slices,
            where=lambda row, start=start: f"{source}:{start + row + 1}",  # type: ignore[misc]
        )


def first_repeat(ids: list[str]) -> int | None:
    """Find the first row whose id stood before."""
    return next((row for row, one in enumerate(ids) if one in ids[:row]), None)


@given(ids=st.lists(IDS | st.text(max_size=3), max_size=40), size=st.integers(1, 8))
def test_the_first_id_that_occurs_again_is_named(ids: list[str], size: int) -> None:
    rows = [{"id": one} for one in ids]
    passed: list[str] = []
    repeat = first_repeat(ids)
    if repeat is None:
        for batch in units.distinct(batches(rows, size), "id"):
            passed += batch.id
        assert passed == ids
    else:
        with pytest.raises(RecordError) as refused:
            list(units.distinct(batches(rows, size), "id"))
        assert refused.value.where == f"records:{repeat + 1}"
        assert "occurs more than once" in refused.value.what


LONG = "long" * 32
"""What ids begin with that have one digest."""


@given(
    keys=st.lists(IDS | st.sampled_from([f"{LONG}a", f"{LONG}b"]), max_size=30),
    size=st.integers(1, 8),
    most=st.integers(1, 9),
)
def test_groups_come_whole_whatever_the_batches(keys: list[str], size: int, most: int) -> None:
    rows = [{"key": key, "row": str(row)} for row, key in enumerate(keys)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(units, "GROUPED", most)
        made = list(units.grouped(batches(rows, size), "key"))
    assert sorted(key for batch in made for key in batch.key) == sorted(keys)
    assert sorted(int(row) for batch in made for row in batch.row) == list(range(len(rows)))
    groups = [set(batch.key) for batch in made]
    assert sum(map(len, groups)) == len(set(keys)), "a group is cut"
    for batch in made:
        starts = batch.starts("key").tolist()
        assert len(starts) == len(set(batch.key)), "a group is apart"
        assert starts == [row for row, key in enumerate(batch.key) if row == 0 or batch.key[row - 1] != key]
        for row, number in enumerate(batch.row):
            assert batch.where(row) == f"records:{int(number) + 1}"
            assert keys[int(number)] == batch.key[row]


def test_records_of_a_group_in_two_slices_are_refused() -> None:
    rows = [{"key": "a", "part": "x"}, {"key": "b", "part": "x"}, {"key": "a", "part": "y"}]
    with pytest.raises(RecordError, match=r'^records:3: part: "y", but "x" in another record of key "a"$'):
        list(units.grouped(batches(rows, 2), "key"))


UNIQUE = st.lists(IDS, unique=True, max_size=10)


@given(ones=UNIQUE, others=UNIQUE, size=st.integers(1, 4))
def test_a_join_is_that_of_two_dicts(ones: list[str], others: list[str], size: int) -> None:
    left = [{"id": one, "value": f"left {one}"} for one in ones]
    right = [{"id": one, "value": f"right {one}"} for one in others]
    streams = {"left": batches(left, size, "left"), "right": batches(right, size, "right")}
    pairs: dict[str, Any] = {}
    alone: dict[str, list[str]] = {"left": [], "right": []}
    for batch in units.joined(streams, "id"):
        if batch.source:
            alone[batch.source] += batch.id
            continue
        assert not any(alone.values()), "those with a partner come first"
        one, other = batch.sides["left"], batch.sides["right"]
        assert batch.id == one.id == other.id
        pairs |= dict(zip(batch.id, zip(one.value, other.value, strict=True), strict=True))
    assert pairs == {one: (f"left {one}", f"right {one}") for one in ones if one in others}
    assert sorted(alone["left"]) == sorted(set(ones) - set(others))
    assert sorted(alone["right"]) == sorted(set(others) - set(ones))


@pytest.mark.parametrize("side", ["left", "right"])
def test_an_id_twice_on_a_side_is_refused(side: str) -> None:
    twice, once = [{"id": "a"}, {"id": "b"}, {"id": "a"}], [{"id": "a"}]
    rows = {"left": once, "right": once} | {side: twice}
    with pytest.raises(RecordError, match=f'^{side}:3: id: "a" occurs more than once'):
        list(units.joined({name: batches(listed, 2, name) for name, listed in rows.items()}, "id"))


def test_joined_records_in_two_slices_are_refused() -> None:
    rows = {"left": [{"id": "a", "part": "x"}], "right": [{"id": "b", "part": "x"}, {"id": "a", "part": "y"}]}
    with pytest.raises(RecordError, match=r'^right:2: part: "y", but "x" in left for id "a"$'):
        list(units.joined({name: batches(listed, 2, name) for name, listed in rows.items()}, "id"))
