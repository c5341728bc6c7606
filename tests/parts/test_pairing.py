"""What stands in the way of comparing two files is counted alike in any order and split."""

from typing import Any

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from tallystick.parts.pairing import Pairing
from tallystick.sources.batch import Batch
from trees import join, split

KINDS = ["baseline", "candidate", "same", "differing"]
rows = st.dictionaries(st.integers(0, 99).map("q{}".format), st.sampled_from(KINDS), max_size=20).map(
    lambda drawn: list(drawn.items())
)


def counted(drawn: list[tuple[str, str]]) -> Pairing:
    """Add rows one by one, as a join would give them."""
    tally = Pairing()
    for id_, kind in drawn:
        if kind in ("baseline", "candidate"):
            assert tally.add(Batch({"id": [id_]}, 1, source=kind)) == ([], [], [])
            continue
        expected = {"baseline": "x", "candidate": "x" if kind == "same" else "X"}
        sides = {
            name: Batch({"id": [id_], "expected": [text], "predicted": [name]}, 1, source=name)
            for name, text in expected.items()
        }
        cases = tally.add(Batch({"id": [id_]}, 1, source="", sides=sides))
        assert cases == (["x"], ["baseline"], ["candidate"])
    return tally


def sent(tally: Pairing) -> Pairing:
    other = Pairing()
    other.load(msgspec.msgpack.decode(msgspec.msgpack.encode(tally.dump())))
    return other


@given(rows, st.data())
def test_any_split_and_merge_tree_counts_alike(drawn: list[tuple[str, str]], data: st.DataObject) -> None:
    parts = [sent(counted(part)) for part in split(data, drawn)]
    joined: Any = join(data, parts, lambda one, other: one.merge(other))
    whole = counted(drawn)
    assert joined.dump() == whole.dump()
    assert (joined.cases, joined.baseline_only, joined.candidate_only) == (
        sum(kind in ("same", "differing") for _, kind in drawn),
        sum(kind == "baseline" for _, kind in drawn),
        sum(kind == "candidate" for _, kind in drawn),
    )
    assert joined.lacking("all") == whole.lacking("all")


@given(rows)
def test_an_inner_join_forgives_ids_that_one_file_lacks_and_nothing_else(
    drawn: list[tuple[str, str]],
) -> None:
    kinds = {kind for _, kind in drawn}
    tally = counted(drawn)
    paired, differing = bool(kinds & {"same", "differing"}), "differing" in kinds
    assert (tally.lacking("inner") is None) == (paired and not differing)
    assert (tally.lacking("all") is None) == (kinds == {"same"})


def test_one_file_is_always_paired() -> None:
    tally = Pairing()
    columns = {"expected": ["a"], "baseline": ["b"], "candidate": ["c"]}
    assert tally.add(Batch(columns, 1)) == (["a"], ["b"], ["c"])
    assert tally.lacking("all") is None
