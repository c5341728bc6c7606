import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.proportion import proportion_confint

import tallystick
from tallystick.cli import main

WINNERS = ["baseline", "candidate", "tie"]
outcomes = st.lists(st.sampled_from(WINNERS), min_size=1, max_size=40)


def records(winners: list[str]) -> list[dict[str, str]]:
    return [{"id": f"{i:03}", "winner": winner} for i, winner in enumerate(winners)]


def result(winners: list[str], **options: Any) -> dict[str, Any]:
    found: dict[str, Any] = tallystick.run("pairwise", records(winners), **options).result
    return found


def share(part: int, whole: int) -> float | None:
    return part / whole if whole else None


@given(outcomes)
def test_every_measure_is_its_definition(winners: list[str]) -> None:
    baseline, candidate, ties = map(winners.count, WINNERS)
    expected = {
        "records": len(winners),
        "baseline_wins": baseline,
        "candidate_wins": candidate,
        "ties": ties,
        "decisive_comparisons": baseline + candidate,
        "tie_rate": ties / len(winners),
        "candidate_win_rate": share(candidate, baseline + candidate),
        "baseline_win_rate": share(baseline, baseline + candidate),
        "candidate_share": candidate / len(winners),
        "preference_margin": float(Fraction(candidate - baseline, len(winners))),
    }
    found = result(winners)
    assert {name: found[name] for name in expected} == expected


@given(outcomes, st.sampled_from([0.5, 0.8, 0.95, 0.999]))
def test_every_interval_is_that_of_statsmodels(winners: list[str], level: float) -> None:
    baseline, candidate, ties = map(winners.count, WINNERS)
    found = result(winners, confidence=level)
    for name, part, whole in [
        ("tie_rate", ties, len(winners)),
        ("candidate_win_rate", candidate, baseline + candidate),
        ("baseline_win_rate", baseline, baseline + candidate),
        ("candidate_share", candidate, len(winners)),
    ]:
        ends = found[f"{name}_low"], found[f"{name}_high"]
        if whole:
            theirs = proportion_confint(part, whole, alpha=1 - level, method="wilson")
            assert ends == pytest.approx(theirs, rel=1e-9, abs=1e-12)
            assert (ends[0] == 0) == (part == 0)
            assert (ends[1] == 1) == (part == whole)
        else:
            assert ends == (None, None)


@given(outcomes, st.randoms(use_true_random=False))
def test_the_order_of_comparisons_never_matters(winners: list[str], random: Any) -> None:
    shuffled = records(winners)
    random.shuffle(shuffled)
    assert tallystick.run("pairwise", shuffled, max_details=5).result == result(winners, max_details=5)


def test_when_all_tie_the_win_rates_are_undefined_and_a_gate_with_limit_0_does_not_pass() -> None:
    gates = ["candidate_win_rate >= 0", "candidate_win_rate_low >= 0", "tie_rate <= 1"]
    report = tallystick.run("pairwise", records(["tie"] * 5), gates=gates)
    assert [gate["status"] for gate in report.gates] == ["undefined", "undefined", "passed"]
    assert report.result["preference_margin"] == report.result["candidate_share"] == 0
    for name in (
        "candidate_win_rate",
        "candidate_win_rate_low",
        "candidate_win_rate_high",
        "baseline_win_rate",
    ):
        assert report.result[name] is None
        assert report.undefined[name] == "no comparison is decisive: all are ties"


def test_ties_count_neither_as_wins_nor_as_half_ones() -> None:
    found = result(["candidate"] * 4 + ["baseline"] * 2 + ["tie"] * 6)
    assert (found["candidate_win_rate"], found["candidate_share"], found["tie_rate"]) == (
        4 / 6,
        4 / 12,
        6 / 12,
    )


@pytest.mark.parametrize(("limit", "code"), [("0.3", 0), ("0.31", 1), ("1.1", 2)])
def test_the_lower_bound_has_a_flag_of_its_own(tmp_path: Path, limit: str, code: int) -> None:
    path = tmp_path / "data.jsonl"
    rows = records(["candidate"] * 3 + ["baseline"])
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    assert result(["candidate"] * 3 + ["baseline"])["candidate_win_rate_low"] == pytest.approx(
        0.3006, abs=1e-4
    )
    assert main(["pairwise", str(path), "--min-candidate-win-rate-lower-bound", limit]) == code


def test_a_wide_interval_fails_where_its_rate_passes() -> None:
    gates = ["candidate_win_rate >= 0.75", "candidate_win_rate_low >= 0.5"]
    report = tallystick.run("pairwise", records(["candidate"] * 3 + ["baseline"]), gates=gates)
    assert [gate["status"] for gate in report.gates] == ["passed", "failed"]


def test_rates_are_gated_exactly() -> None:
    winners = records(["candidate"] * 9 + ["baseline"] * 6 + ["tie"] * 15)
    report = tallystick.run(
        "pairwise", winners, gates=["preference_margin >= 0.1", "candidate_win_rate >= 0.6"]
    )
    assert report.passed
    assert not tallystick.run("pairwise", winners, gates=["candidate_win_rate >= 0.6000000000000001"]).passed


def test_details_hold_what_the_candidate_did_not_win_losses_first() -> None:
    report = tallystick.run(
        "pairwise", records(["tie", "baseline", "candidate", "tie", "baseline"]), max_details=3
    )
    assert [tuple(row.values()) for row in report.result["details"]] == [
        ("001", "baseline"),
        ("004", "baseline"),
        ("000", "tie"),
    ]
    assert report.result["omitted"]["details"] == 1


@pytest.mark.parametrize("winner", ['"Candidate"', '"candidate "', '""', "1", "null", "true", '["tie"]'])
def test_any_other_winner_is_refused_naming_line_and_field(tmp_path: Path, winner: str) -> None:
    path = tmp_path / "data.jsonl"
    path.write_text(f'{{"id": "a", "winner": "tie"}}\n{{"id": "b", "winner": {winner}}}\n')
    with pytest.raises(tallystick.RecordError, match=r"data\.jsonl:2: winner: .*baseline, candidate, tie"):
        tallystick.run("pairwise", path)


def test_an_id_twice_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "data.jsonl"
    path.write_text('{"id": "a", "winner": "tie"}\n{"id": "a", "winner": "tie"}\n')
    with pytest.raises(tallystick.RecordError, match=r'data\.jsonl:2: id: "a" occurs more than once'):
        tallystick.run("pairwise", path)


def test_few_decisive_comparisons_among_many_are_warned_of() -> None:
    report = tallystick.run("pairwise", records(["tie"] * 40 + ["candidate"] * 3))
    assert report.warnings == ["fewer than 30 decisive comparisons (3): numbers made of so few are uncertain"]
