"""`Copies` against dictionaries, in the face of repeated texts, odd ids and any split."""

from collections import defaultdict
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallystick.tallies import Copies, copies

KEYS = st.tuples(st.integers(0, 2), st.integers(0, 1), st.integers(0, 1), st.integers(0, 1))
IDS = st.text(st.sampled_from("ab\0é\uffff\U0001f600"), min_size=1, max_size=3)
RECORDS = st.lists(st.tuples(KEYS, IDS), max_size=30, unique_by=lambda record: (record[0][3], record[1]))
Record = tuple[tuple[int, int, int, int], str]


def counted(records: list[Record], limit: int) -> Copies:
    made = Copies(limit)
    for side in (0, 1):
        rows = [(key, id_) for key, id_ in records if key[3] == side]
        digests = np.array([key[:3] for key, _ in rows], dtype=np.uint64).reshape(-1, 3)
        made.add(side, digests, [id_ for _, id_ in rows])
    return made


def held(made: Copies) -> list[tuple[Any, ...]]:
    rows = made.rows
    names = made.ids(np.arange(len(rows)))
    return [(*row.tolist()[:5], name) for row, name in zip(rows, names, strict=True)]


@given(RECORDS, st.integers(0, 3))
def test_rows_are_the_smallest_ids_of_each_text_and_side(records: list[Record], limit: int) -> None:
    by_key = defaultdict(list)
    for key, id_ in records:
        by_key[key].append(id_)
    expected = []
    for key, names in sorted(by_key.items()):
        kept = sorted(names)[:limit] or [""]
        counts = [len(names) - len(kept) + 1] + [1] * (len(kept) - 1)
        expected += [(*key, count, name) for count, name in zip(counts, kept, strict=True)]
    assert held(counted(records, limit)) == expected


@given(RECORDS)
def test_texts_and_variants_are_numbered_from_0(records: list[Record]) -> None:
    made = counted(records, 2)
    texts = sorted({key[:2] for key, _ in records})
    variants = sorted({key[:3] for key, _ in records})
    keys = [tuple(row.tolist()[:3]) for row in made.rows]
    assert made.texts.tolist() == [texts.index(key[:2]) for key in keys]
    assert made.variants.tolist() == [variants.index(key) for key in keys]


@given(RECORDS, st.integers(0, 3))
def test_joining_rows_early_or_late_changes_nothing(records: list[Record], limit: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(copies, "_COMPACT_AT", 1)
        patch.setattr(copies, "_GATHERED", 2)
        early = Copies(limit)
        for record in records:
            early.merge(counted([record], limit))
    assert early.dump() == counted(records, limit).dump()
