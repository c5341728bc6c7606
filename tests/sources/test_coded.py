"""Columns of strings of which few differ, by number."""

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tallystick import spill
from tallystick.sources import Batch
from tallystick.sources.coded import FEW, Coded, light

few = st.lists(st.sampled_from(["a", "b", "", "é", "a\0"]), max_size=400)
columns = st.one_of(
    few,
    st.lists(st.text(max_size=2), max_size=9),
    st.lists(st.sampled_from(["1", 1, True, 1.0, None, ["1"]]), max_size=9),
    few.map(lambda column: [*column, None]),
    st.integers(FEW, 3 * FEW).map(lambda size: ["a"] * FEW + [str(n) for n in range(size)]),
)


@given(column=columns)
def test_a_light_column_reads_as_it_did(column: list[Any]) -> None:
    made = light(column)
    assert list(made) == column
    assert list(map(type, made)) == list(map(type, column))
    assert list(map(made.__getitem__, range(len(column)))) == column


def test_strings_of_which_few_differ_become_numbers() -> None:
    column = ["first", "second", "tie"] * 100
    made = light(column)
    assert isinstance(made, Coded)
    assert made.codes.itemsize == 1
    assert made.words == ["first", "second", "tie"]
    assert light(list(map(str, range(300)))) == list(map(str, range(300)))


@given(parts=st.lists(columns, min_size=1, max_size=4), data=st.data())
def test_light_batches_are_joined_and_taken_from_like_lists(
    parts: list[list[Any]], data: st.DataObject
) -> None:
    whole = Batch.concatenated([Batch({"one": part}, len(part)).light() for part in parts])
    column = [value for part in parts for value in part]
    rows = data.draw(st.lists(st.integers(0, len(column) - 1)) if column else st.just([]))
    assert list(whole.one) == column
    assert list(whole.take(rows).one) == [column[row] for row in rows]
    assert list(whole.take(np.array(rows, np.intp)).light().one) == [column[row] for row in rows]


@given(column=columns)
def test_a_light_column_is_written_and_read_back(column: list[Any]) -> None:
    assert list(spill._unpacked(spill._packed(light(column)))) == column
