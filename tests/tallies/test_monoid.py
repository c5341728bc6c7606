"""Every tally is a commutative monoid whose state can be sent as bytes."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Struct

from tallystick.tallies import (
    Copies,
    Counts,
    Crosstab,
    Extremes,
    Fingerprints,
    Firsts,
    KeyedSums,
    KeyedValues,
    Rationals,
    Sightings,
    Squares,
    Sums,
    Tally,
    Values,
)
from trees import join, split

FINITE = st.floats(allow_nan=False, allow_infinity=False)
WORDS = st.sampled_from(["", "a", "b", "B", "é", "\U0001f600", "a b"])


class Kind(Struct, frozen=True):
    """How a tally is made, what is added to it, and how."""

    make: Callable[[], Any]
    rows: st.SearchStrategy[list[Any]]
    add: Callable[[Any, Sequence[Any]], None]


def _add_counts(tally: Counts, rows: Sequence[int]) -> None:
    tally.add(np.array(rows, dtype=np.int64))


def _add_sums(tally: Sums, rows: Sequence[tuple[float, int]]) -> None:
    values, cells = np.array([v for v, _ in rows], float), np.array([c for _, c in rows], np.int64)
    tally.add(values, cells)


def _add_values(tally: Values, rows: Sequence[tuple[float, int]]) -> None:
    values, channels = np.array([v for v, _ in rows], float), np.array([c for _, c in rows], np.int64)
    tally.add(values, channels)


def _add_crosstab(tally: Crosstab, rows: Sequence[tuple[str, str]]) -> None:
    tally.add([a for a, _ in rows], [b for _, b in rows])


def _add_extremes(tally: Extremes, rows: Sequence[tuple[float, str]]) -> None:
    tally.add(rows)


def _add_keyed_sums(tally: KeyedSums, rows: Sequence[tuple[float, str]]) -> None:
    for value, key in rows:
        tally.add([key], np.array([[value]]))


def _add_squares(tally: Squares, rows: Sequence[float]) -> None:
    tally.add(np.array(rows, float))


def _add_rationals(tally: Rationals, rows: Sequence[Fraction]) -> None:
    tally.add(np.array([r.numerator for r in rows], int), np.array([r.denominator for r in rows], int))


def _add_copies(tally: Copies, rows: Sequence[tuple[int, int, str]]) -> None:
    for side in (0, 1):
        added = [(text, id_) for one, text, id_ in rows if one == side]
        digests = np.array([[text // 4, 7, text] for text, _ in added], dtype=np.uint64).reshape(-1, 3)
        tally.add(side, digests, [id_ for _, id_ in added])


def _add_keyed_values(tally: KeyedValues, rows: Sequence[tuple[float, str, str]]) -> None:
    tally.add([[a for _, a, _ in rows], [b for _, _, b in rows]], np.array([v for v, _, _ in rows], float))


def _add_fingerprints(tally: Fingerprints, rows: Sequence[tuple[str, str]]) -> None:
    tally.add([key for key, _ in rows], [text for _, text in rows])


def _add_firsts(tally: Firsts, rows: Sequence[tuple[str, str, int]]) -> None:
    for kind, file, line in rows:
        tally.add(kind, f"{file}:{line}", f"{kind} of {file}")


def _add_sightings(tally: Sightings, rows: Sequence[tuple[int, int, str, int]]) -> None:
    keys, groups = np.array([r[0] for r in rows], np.uint64), np.array([r[1] for r in rows], np.int64)
    tally.add(keys, groups, lambda row: f"{rows[row][2]}:{rows[row][3]}")


KEYS = st.sampled_from([0, 1, 2**63, 2**64 - 1])

KINDS = {
    "counts": Kind(lambda: Counts(4), st.lists(st.integers(0, 3)), _add_counts),
    "sums": Kind(lambda: Sums(3), st.lists(st.tuples(FINITE, st.integers(0, 2))), _add_sums),
    "squares": Kind(Squares, st.lists(FINITE), _add_squares),
    "values": Kind(lambda: Values(2), st.lists(st.tuples(FINITE, st.integers(0, 1))), _add_values),
    "keyed sums": Kind(KeyedSums, st.lists(st.tuples(FINITE, WORDS)), _add_keyed_sums),
    "crosstab": Kind(Crosstab, st.lists(st.tuples(WORDS, WORDS)), _add_crosstab),
    "copies": Kind(
        lambda: Copies(2), st.lists(st.tuples(st.integers(0, 1), st.integers(0, 7), WORDS)), _add_copies
    ),
    "keyed values": Kind(KeyedValues, st.lists(st.tuples(FINITE, WORDS, WORDS)), _add_keyed_values),
    "fingerprints": Kind(Fingerprints, st.lists(st.tuples(WORDS, WORDS)), _add_fingerprints),
    "firsts": Kind(Firsts, st.lists(st.tuples(WORDS, WORDS, st.integers(0, 20))), _add_firsts),
    "sightings": Kind(
        Sightings,
        st.lists(st.tuples(KEYS, st.integers(0, 2), WORDS, st.integers(0, 20))),
        _add_sightings,
    ),
    "rationals": Kind(Rationals, st.lists(st.fractions(-2, 2, max_denominator=6)), _add_rationals),
    "extremes": Kind(lambda: Extremes(3), st.lists(st.tuples(FINITE, WORDS), unique=True), _add_extremes),
    "extremes of none": Kind(lambda: Extremes(0), st.lists(st.tuples(FINITE, WORDS)), _add_extremes),
}
every = pytest.mark.parametrize("name", KINDS)


def encode(tally: Tally) -> bytes:
    return msgspec.msgpack.encode(tally.dump())


def counted(kind: Kind, rows: Sequence[Any]) -> Any:
    tally = kind.make()
    kind.add(tally, rows)
    return tally


def sent(kind: Kind, tally: Tally) -> Any:
    """Encode and decode a tally."""
    other = counted(kind, [])
    other.load(msgspec.msgpack.decode(encode(tally)))
    return other


@every
@given(data=st.data())
def test_any_split_order_and_merge_tree_counts_alike(name: str, data: st.DataObject) -> None:
    kind = KINDS[name]
    rows = data.draw(kind.rows)
    parts = [sent(kind, counted(kind, part)) for part in split(data, rows)]
    joined = join(data, parts, lambda one, other: one.merge(other))
    assert encode(joined) == encode(counted(kind, rows))


@every
@given(data=st.data())
def test_a_new_tally_is_the_identity_on_both_sides(name: str, data: st.DataObject) -> None:
    kind = KINDS[name]
    tally = counted(kind, data.draw(kind.rows))
    before = encode(tally)
    tally.merge(kind.make())
    assert encode(tally) == before
    new = kind.make()
    new.merge(tally)
    assert encode(new) == before


@every
@given(data=st.data())
def test_loading_replaces_what_was_there(name: str, data: st.DataObject) -> None:
    kind = KINDS[name]
    one, other = counted(kind, data.draw(kind.rows)), counted(kind, data.draw(kind.rows))
    one.load(msgspec.msgpack.decode(encode(other)))
    assert encode(one) == encode(other)


@every
@given(data=st.data())
def test_merging_leaves_the_other_tally_as_it_was(name: str, data: st.DataObject) -> None:
    kind = KINDS[name]
    one, other = counted(kind, data.draw(kind.rows)), counted(kind, data.draw(kind.rows))
    before = encode(other)
    one.merge(other)
    kind.add(one, data.draw(kind.rows))
    assert encode(other) == before


@every
def test_it_is_a_tally(name: str) -> None:
    assert isinstance(KINDS[name].make(), Tally)
