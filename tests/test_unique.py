"""Whether values differ: against sets, for values of any length and script."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallystick.unique import LONG, Digester, Repeated, Unique, doubled, joined, merged

VALUES = (
    st.sampled_from(["a", "b", "é", "e\u0301", "a\0", "\0a", "", "01", "x" * LONG, "x" * LONG + "1"])
    | st.text()
)
BATCHES = st.lists(st.lists(VALUES, max_size=9), max_size=9)


class Place:
    """Names a row by its batch and itself."""

    def __init__(self, batch: int) -> None:
        self.batch = batch

    def __call__(self, row: int) -> str:
        return f"{self.batch}:{row}"


def first_repeat(batches: list[list[str]]) -> tuple[str, str] | None:
    """Find the first value that stood before, and its place."""
    seen: set[str] = set()
    for number, values in enumerate(batches):
        for row, value in enumerate(values):
            if value in seen:
                return value, f"{number}:{row}"
            seen.add(value)
    return None


def found(twice: Repeated | None) -> tuple[str, str] | None:
    return None if twice is None else (twice.value, twice.where(twice.row))


@given(batches=BATCHES)
def test_the_first_value_that_occurs_again_is_named(batches: list[list[str]]) -> None:
    seen = Unique(Digester())
    for number, values in enumerate(batches):
        if twice := seen.add(values, Place(number)):
            assert found(twice) == first_repeat(batches[: number + 1])
            return
    assert found(seen.repeated()) == first_repeat(batches)


@given(batches=BATCHES)
def test_where_all_digests_are_equal_values_decide(batches: list[list[str]]) -> None:
    seen = Unique(Digester(bytes(8 * (LONG // 2 + 1))))
    for number, values in enumerate(batches):
        if seen.add(values, Place(number)):
            break
    assert (found(seen.repeated()) is None) == (first_repeat(batches) is None)


def test_a_hundred_thousand_values_are_kept_apart() -> None:
    seen = Unique(Digester())
    for start in range(0, 100_000, 1000):
        assert seen.add([f"id-{n}" for n in range(start, start + 1000)], str) is None
    assert seen.repeated() is None
    assert len(seen.ascending()) == 100_000
    seen.add(["new", "id-54321"], "row {}".format)
    assert found(seen.repeated()) == ("id-54321", "row 1")


@given(values=st.lists(VALUES, unique=True, max_size=40))
def test_digests_of_short_values_that_differ_differ(values: list[str]) -> None:
    short = [value for value in values if len(value.encode()) <= LONG]
    digests = Digester()(*joined(short))
    assert len(set(digests.tolist())) == len(short)


@given(values=st.lists(VALUES, max_size=40))
def test_a_digest_depends_on_the_value_and_the_key_alone(values: list[str]) -> None:
    digest = Digester()
    together = digest(*joined(values)).tolist()
    assert together == [int(Digester(digest.key)(*joined([value]))[0]) for value in values]


def test_another_key_gives_other_digests() -> None:
    text, sizes = joined(["a", "b"])
    assert set(Digester()(text, sizes).tolist()).isdisjoint(Digester()(text, sizes).tolist())


def test_runs_of_digests_are_merged_and_what_is_double_found() -> None:
    runs = [np.array(run, np.uint64) for run in ([1, 4, 9], [2, 4, 4], [])]
    assert merged(runs).tolist() == [1, 2, 4, 4, 4, 9]
    assert doubled(merged(runs)).tolist() == [4]
    assert merged([]).tolist() == []


def test_values_are_found_by_their_digests() -> None:
    digest = Digester()
    seen = Unique(digest)
    seen.add(["a", "é", "c"], str)
    seen.add(["d"], str)
    wanted = digest(*joined(["é", "d", "elsewhere"]))
    assert seen.values(wanted) == ["é", "d"]
    assert seen.values(np.empty(0, np.uint64)) == []


@pytest.mark.parametrize("values", [[], ["é", "abc", ""], ["abc"] * 3])
def test_joined_values_are_their_utf8(values: list[str]) -> None:
    text, sizes = joined(values)
    assert text == "".join(values).encode()
    assert sizes.tolist() == [len(value.encode()) for value in values]
