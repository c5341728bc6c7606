import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallystick.metrics.rankings import hits, ndcg, shared

GRADES = st.dictionaries(st.sampled_from("abcdefgh"), st.floats(0, 1e3), min_size=1).filter(
    lambda grades: any(grades.values())
)
ORDER = st.permutations("abcdefgh")
RANKINGS = st.lists(st.sampled_from("abcdefgh"), unique=True)


@given(GRADES, ORDER)
def test_ndcg_lies_in_0_to_1_and_no_order_beats_the_ideal(grades: dict[str, float], order: list[str]) -> None:
    ideal = sorted(grades, key=lambda item: -grades[item])
    assert ndcg(hits(grades, ideal), (1, 3, 8)) == [1.0, 1.0, 1.0]
    assert all(0 <= gain <= 1 for gain in ndcg(hits(grades, order), (1, 3, 8)))


def test_ndcg_of_one_document_is_its_discount() -> None:
    ranking = ["x", "y", "a"]
    assert ndcg(hits(["a"], ranking), (2, 3)) == [0.0, 1 / math.log2(4)]
    assert ndcg(hits({"a": 0.25, "x": 0}, ranking), (2, 3)) == [0.0, 0.5]


def test_grades_are_scaled_by_a_power_of_two() -> None:
    found = hits({"a": 12.0, "b": 3.0, "c": 0.0}, ["c", "b", "a"])
    assert (found.ranks, found.gains, found.ideal) == ((2, 3), (3 / 16, 12 / 16), (12 / 16, 3 / 16))


@pytest.mark.parametrize("relevant", [[], {}, {"a": 0.0}])
def test_without_relevant_documents_there_is_nothing_to_find(relevant: list[str] | dict[str, float]) -> None:
    assert hits(relevant, ["a"]) == ((), (), ())


def test_two_rankings_share_what_is_in_both_up_to_the_cutoff() -> None:
    found = shared([["a", "b", "c"]], [["b", "c", "d", "a"]], [1, 2, 3, 9])
    assert found.common.tolist() == [[0], [1], [2], [3]]
    assert found.either.tolist() == [[2], [3], [4], [4]]
    assert found.displacement.tolist() == [[0], [1], [2], [5]]
    assert found.same_first.tolist() == [False]


@given(
    st.lists(st.tuples(RANKINGS, RANKINGS), max_size=8),
    st.lists(st.integers(1, 12) | st.just(2**31 - 1), unique=True, min_size=1, max_size=5).map(sorted),
)
def test_many_pairs_of_rankings_share_what_each_pair_does(
    pairs: list[tuple[list[str], list[str]]], cutoffs: list[int]
) -> None:
    found = shared([one for one, _ in pairs], [other for _, other in pairs], cutoffs)
    assert found.common.shape == found.either.shape == found.displacement.shape == (len(cutoffs), len(pairs))
    for place, (one, other) in enumerate(pairs):
        assert found.same_first[place] == (one[:1] == other[:1])
        for cell, cutoff in enumerate(cutoffs):
            first, second = one[:cutoff], other[:cutoff]
            both = set(first) & set(second)
            assert found.common[cell, place] == len(both)
            assert found.either[cell, place] == len(set(first) | set(second))
            moves = (abs(first.index(item) - second.index(item)) for item in both)
            assert found.displacement[cell, place] == sum(moves)
