import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallystick.tallies import Sightings, sightings

ROWS = st.lists(
    st.tuples(
        st.sampled_from([0, 5, 2**64 - 1]), st.integers(0, 2), st.sampled_from("ab"), st.integers(0, 30)
    )
)


def seen(rows: list[tuple[int, int, str, int]], by: int = 1000) -> Sightings:
    tally = Sightings()
    for start in range(0, len(rows), by):
        part = rows[start : start + by]
        keys, groups = np.array([r[0] for r in part], np.uint64), np.array([r[1] for r in part], np.int64)
        tally.add(keys, groups, lambda row, part=part: f"{part[row][2]}:{part[row][3]}")  # type: ignore[misc]
    return tally


@given(rows=ROWS, by=st.integers(1, 4))
def test_keys_in_several_groups_are_given_with_the_first_place_in_each(
    rows: list[tuple[int, int, str, int]], by: int
) -> None:
    rows.sort(key=lambda row: row[2:])
    first: dict[tuple[int, int], tuple[str, int]] = {}
    for key, group, name, line in rows:
        first[key, group] = min(first.get((key, group), ("z", 0)), (name, line))
    expected = [
        [
            (key, group, f"{first[key, group][0]}:{first[key, group][1]}")
            for key, group in sorted(first)
            if key == one
        ]
        for one in sorted({key for key, _ in first})
        if sum(key == one for key, _ in first) > 1
    ]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sightings, "_COMPACT_AT", 2)
        tally = seen(rows, by)
        assert [[tuple(one) for one in group] for group in tally.shared()] == expected
        assert len(tally) == len(first)


def test_a_pair_takes_21_bytes() -> None:
    tally = seen([(n, 0, "a", n) for n in range(100)])
    names, pairs = tally.dump()
    assert names == ["a:"]
    assert len(pairs) == 2100
