"""`ranking-drift` against sets and lists written out, and where rankings are empty or share nothing."""

import json
import random
from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.proportion import proportion_confint

import tallystick
from tallystick.cli import main
from tallystick.errors import RecordError, UsageError

RANKINGS = st.lists(st.sampled_from("abcdefgh"), unique=True, max_size=8)
QUERIES = st.lists(st.tuples(RANKINGS, RANKINGS), min_size=1, max_size=15)
Query = tuple[list[str], list[str]]


def records(queries: Iterable[Query]) -> list[dict[str, Any]]:
    return [
        {"query_id": f"q{i:03}", "baseline": baseline, "candidate": candidate}
        for i, (baseline, candidate) in enumerate(queries)
    ]


def result(queries: Iterable[Query], **options: Any) -> dict[str, Any]:
    found: dict[str, Any] = tallystick.run("ranking-drift", records(queries), **options).result
    return found


def jaccard(baseline: list[str], candidate: list[str], cutoff: int) -> Fraction:
    one, other = set(baseline[:cutoff]), set(candidate[:cutoff])
    return Fraction(len(one & other), len(one | other)) if one | other else Fraction(1)


def moves(baseline: list[str], candidate: list[str], cutoff: int) -> list[int]:
    one, other = baseline[:cutoff], candidate[:cutoff]
    return [abs(one.index(item) - other.index(item)) for item in one if item in other]


@given(QUERIES, st.lists(st.integers(1, 10), min_size=1, max_size=4))
def test_every_measure_is_its_definition(queries: list[Query], cutoffs: list[int]) -> None:
    found = result(queries, cutoff=tuple(cutoffs))
    assert [row["cutoff"] for row in found["cutoffs"]] == sorted(set(cutoffs))
    for row in found["cutoffs"]:
        indices = [jaccard(*query, row["cutoff"]) for query in queries]
        assert row["mean_jaccard"] == float(sum(indices, Fraction(0)) / len(queries))
        pooled = [move for query in queries for move in moves(*query, row["cutoff"])]
        assert row["mean_displacement"] == (sum(pooled) / len(pooled) if pooled else None)
    assert found["mean_jaccard"] == found["cutoffs"][-1]["mean_jaccard"]


@given(QUERIES)
def test_the_first_item_changes_against_another_or_none(queries: list[Query]) -> None:
    found = result(queries)
    changes = sum(next(iter(one), None) != next(iter(other), None) for one, other in queries)
    assert (found["top_item_changes"], found["top_item_change_rate"]) == (changes, changes / len(queries))
    ends = found["top_item_change_rate_low"], found["top_item_change_rate_high"]
    assert ends == pytest.approx(proportion_confint(changes, len(queries), 0.05, "wilson"), abs=1e-12)


@given(QUERIES, st.integers(0, 6), st.integers(1, 4))
def test_the_least_stable_queries_come_first(queries: list[Query], limit: int, cutoff: int) -> None:
    rows = records(queries)
    random.Random(limit).shuffle(rows)  # noqa: S311
    found = tallystick.run("ranking-drift", rows, max_details=limit, cutoff=(cutoff,)).result

    def stability(row: dict[str, Any]) -> tuple[Fraction, bool, int, str]:
        pair = row["baseline"], row["candidate"]
        same = row["baseline"][:1] == row["candidate"][:1]
        return jaccard(*pair, cutoff), same, -sum(moves(*pair, cutoff)), row["query_id"]

    ordered = sorted(rows, key=stability)
    assert [row["query_id"] for row in found["details"]] == [row["query_id"] for row in ordered[:limit]]
    assert found["omitted"] == {"details": max(0, len(rows) - limit)}
    for row, detail in zip(ordered, found["details"], strict=False):
        index, same, displacement, _ = stability(row)
        assert (detail["jaccard"], detail["top_item_changed"]) == (float(index), not same)
        assert detail["displacement"] == -displacement
        assert detail["shared_items"] == len(moves(row["baseline"], row["candidate"], cutoff))


@given(QUERIES)
def test_a_ranking_does_not_drift_from_itself(queries: list[Query]) -> None:
    found = result([(baseline, baseline) for baseline, _ in queries])
    assert (found["mean_jaccard"], found["top_item_changes"]) == (1.0, 0)
    assert {row["mean_displacement"] for row in found["cutoffs"]} <= {0.0, None}


def test_reversal_keeps_the_set_and_moves_all_but_the_middle() -> None:
    items = [f"d{n}" for n in range(9)]
    row = result([(items, items[::-1])], cutoff=(9,))["cutoffs"][0]
    assert row["mean_jaccard"] == 1.0
    assert row["mean_displacement"] == sum(abs(2 * n - 8) for n in range(9)) / 9


def test_ranks_beyond_the_cutoff_are_not_shared() -> None:
    found = result([(["a", "b", "c"], ["b", "c", "a"])], cutoff=(1, 2, 3))
    assert [row["mean_displacement"] for row in found["cutoffs"]] == [None, 1.0, 4 / 3]
    assert [row["mean_jaccard"] for row in found["cutoffs"]] == [0.0, 1 / 3, 1.0]


def test_two_empty_rankings_are_equal_and_share_nothing() -> None:
    report = tallystick.run("ranking-drift", records([([], [])]), cutoff=(2,))
    assert report.result["mean_jaccard"] == 1.0
    assert report.result["top_item_change_rate"] == 0.0
    assert report.body["undefined"] == {"mean_displacement[2]": "no query has an id in both rankings"}


@pytest.mark.parametrize(
    ("gates", "status"),
    [
        (["mean_jaccard >= 0.3333333333333333"], "passed"),
        (["mean_jaccard >= 0.33333333333333334"], "failed"),
        (["mean_jaccard[1] >= 0.1"], "failed"),
        (["top_item_change_rate <= 1"], "passed"),
        (["top_item_change_rate <= 0.99"], "failed"),
        (["mean_jaccard[7] >= 0"], "undefined"),
    ],
)
def test_gates_are_judged_at_the_gated_cutoff_or_a_row(gates: list[str], status: str) -> None:
    rows = records([(["a", "b", "c"], ["b", "c", "a"])])
    report = tallystick.run("ranking-drift", rows, cutoff=(1, 2, 3), gate_cutoff=2, gates=gates)
    assert [gate["status"] for gate in report.gates] == [status]


def test_displacement_has_no_better_side() -> None:
    with pytest.raises(UsageError, match="mean_displacement"):
        tallystick.run("ranking-drift", records([([], [])]), gates=["mean_displacement[1] <= 1"])


@pytest.mark.parametrize("side", ["baseline", "candidate"])
@pytest.mark.parametrize(
    ("value", "what"), [(["a", "a"], "more than once"), ([1], "expected"), (None, "expected")]
)
def test_what_is_no_ranking_is_refused(side: str, value: object, what: str) -> None:
    row = {"query_id": "q", "baseline": ["a"], "candidate": ["b"]} | {side: value}
    with pytest.raises(RecordError, match=f"{side}: .*{what}"):
        tallystick.run("ranking-drift", [row])


def test_a_gated_cutoff_must_be_requested_before_a_file_is_opened(tmp_path: Path) -> None:
    missing = str(tmp_path / "missing.jsonl")
    with pytest.raises(UsageError, match="gate_cutoff: 4 is not requested by --cutoff"):
        tallystick.run("ranking-drift", missing, cutoff=(1, 2), gate_cutoff=4)
    path = tmp_path / "rankings.jsonl"
    path.write_text(json.dumps(records([(["a"], ["a"])])[0]) + "\n")
    assert main(["ranking-drift", str(path), "--cutoff", "0"]) == 2
    assert main(["ranking-drift", str(path), "--cutoff", "1.5"]) == 2
    assert main(["ranking-drift", str(path), "--cutoff", "2", "--gate-cutoff", "2"]) == 0
