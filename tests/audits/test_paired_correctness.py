import json
from math import isclose
from pathlib import Path
from typing import Any

import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.contingency_tables import mcnemar
from statsmodels.stats.proportion import proportion_confint

import tallystick
from tallystick.cli import main

ANSWERS = {True: "Go!", False: "stop"}
NO_DISCORDANT = "no case is discordant: both systems are right, or wrong, on the same cases"
cases = st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=40)

Cases = list[tuple[bool, bool]]


def records(given: Cases) -> list[dict[str, str]]:
    return [
        {"id": f"{i:02}", "expected": "go", "baseline": ANSWERS[before], "candidate": ANSWERS[after]}
        for i, (before, after) in enumerate(given)
    ]


def sides(given: Cases) -> dict[str, Any]:
    rows = records(given)
    return {
        name: [{"id": row["id"], "expected": row["expected"], "predicted": row[name]} for row in rows]
        for name in ("baseline", "candidate")
    }


def made(both: int = 0, neither: int = 0, regressions: int = 0, improvements: int = 0) -> Cases:
    return (
        [(True, True)] * both
        + [(False, False)] * neither
        + [(True, False)] * regressions
        + [(False, True)] * improvements
    )


def run(given: Cases, **options: Any) -> Any:
    return tallystick.run("paired-correctness", records(given), **options)


@given(cases)
def test_every_measure_is_its_definition(drawn: Cases) -> None:
    found = run(drawn).result
    before, after = sum(b for b, _ in drawn), sum(a for _, a in drawn)
    expected = {
        "records": len(drawn),
        "baseline_only_records": 0,
        "candidate_only_records": 0,
        "both_correct": drawn.count((True, True)),
        "both_incorrect": drawn.count((False, False)),
        "regressions": drawn.count((True, False)),
        "improvements": drawn.count((False, True)),
        "discordant": sum(b != a for b, a in drawn),
        "baseline_accuracy": before / len(drawn),
        "candidate_accuracy": after / len(drawn),
        "accuracy_difference": (after - before) / len(drawn),
    }
    assert {name: found[name] for name in expected} == expected
    wins, discordant = found["improvements"], found["discordant"]
    assert found["discordant_win_rate"] == (wins / discordant if discordant else None)
    for name, part, whole in [
        ("baseline_accuracy", before, len(drawn)),
        ("candidate_accuracy", after, len(drawn)),
        ("discordant_win_rate", wins, discordant),
    ]:
        ends = found[f"{name}_low"], found[f"{name}_high"]
        theirs = proportion_confint(part, whole, method="wilson") if whole else (None, None)
        assert ends == (pytest.approx(theirs, rel=1e-9, abs=1e-12) if whole else theirs)


@given(cases)
def test_the_p_value_is_that_of_statsmodels_and_scipy(drawn: Cases) -> None:
    found = run(drawn).result
    regressions, improvements = found["regressions"], found["improvements"]
    table = [[0, regressions], [improvements, 0]]
    p = found["exact_p_value"]
    if regressions + improvements:
        assert isclose(p, mcnemar(table, exact=True).pvalue, rel_tol=1e-12)
        assert isclose(
            p, scipy.stats.binomtest(improvements, regressions + improvements).pvalue, rel_tol=1e-9
        )
    assert isclose(10 ** found["exact_p_value_log10"], p, rel_tol=1e-12)
    assert 0 < p <= 1


@given(cases, st.randoms(use_true_random=False))
def test_the_order_of_cases_never_matters(drawn: Cases, random: Any) -> None:
    shuffled = records(drawn)
    random.shuffle(shuffled)
    report = tallystick.run("paired-correctness", shuffled, max_details=4)
    assert report.result == run(drawn, max_details=4).result


@given(cases)
def test_two_files_give_what_one_file_gives(drawn: Cases) -> None:
    apart = sides(drawn)
    apart["baseline"].reverse()
    assert tallystick.run("paired-correctness", **apart).result == run(drawn).result


@given(cases, st.integers(0, 6))
def test_details_hold_discordant_cases_first_then_ids(drawn: Cases, limit: int) -> None:
    report = run(drawn, max_details=limit)
    names = {
        (True, True): "both_correct",
        (False, False): "both_incorrect",
        (True, False): "regression",
        (False, True): "improvement",
    }
    rows = sorted((b == a, f"{i:02}", names[b, a]) for i, (b, a) in enumerate(drawn))
    assert [(d["id"], d["transition"]) for d in report.result["details"]] == [r[1:] for r in rows[:limit]]
    assert report.result["omitted"]["details"] == max(0, len(rows) - limit)


def test_without_a_discordant_case_p_is_1_and_the_win_rate_is_undefined() -> None:
    report = run(made(both=2, neither=1), gates=["exact_p_value <= 1"])
    assert report.result["exact_p_value"] == 1
    assert report.result["exact_p_value_log10"] == 0
    for name in ("discordant_win_rate", "discordant_win_rate_low", "discordant_win_rate_high"):
        assert report.result[name] is None
        assert report.undefined[name] == NO_DISCORDANT
    assert not report.passed


@pytest.mark.parametrize(
    ("regressions", "improvements", "limit", "passed"),
    [
        (1, 8, "0.05", True),
        (8, 1, "0.05", False),
        (8, 1, "1", False),
        (4, 4, "1", False),
        (0, 0, "1", False),
        (4, 5, "1", True),
        (0, 1, "1", True),
        (1, 8, "0.0390625", True),
        (1, 8, "0.03906249999999999", False),
    ],
)
def test_a_gate_on_p_also_needs_a_net_advantage(
    regressions: int, improvements: int, limit: str, passed: bool
) -> None:
    drawn = made(both=5, regressions=regressions, improvements=improvements)
    report = run(drawn, gates=[f"exact_p_value <= {limit}"])
    assert report.passed == passed
    behind = "candidate is not ahead on discordant cases" in report.gates[0]["message"]
    assert behind == (improvements <= regressions)


def test_each_slice_needs_a_net_advantage_of_its_own() -> None:
    ahead, behind = records(made(improvements=9)), records(made(regressions=2))
    rows = [r | {"kind": "x"} for r in ahead] + [r | {"kind": "y", "id": "y" + r["id"]} for r in behind]
    gates = ["exact_p_value[kind=x] <= 0.1", "exact_p_value[kind=y] <= 1", "exact_p_value[kind=*] <= 1"]
    report = tallystick.run("paired-correctness", rows, slice_by="kind", gates=gates)
    assert [gate["status"] for gate in report.gates] == ["passed", "failed", "failed"]


def test_a_p_value_too_small_for_a_float_keeps_its_logarithm() -> None:
    found = run(made(improvements=1100)).result
    assert found["exact_p_value"] == 5e-324
    assert found["exact_p_value_log10"] == pytest.approx(-1099 * 0.3010299956639812, rel=1e-12)


@pytest.mark.parametrize(
    ("gates", "code"),
    [
        (["--max-regressions", "1", "--min-improvements", "2", "--min-accuracy-difference", "0.2"], 0),
        (["--max-regressions", "0"], 1),
        (["--min-accuracy-difference", "0.3"], 1),
        (["--max-exact-p-value", "0.99"], 1),
        (["--max-exact-p-value", "1.5"], 2),
        (["--min-exact-p-value", "0.5"], 2),
        (["--min-discordant-win-rate", "0.5"], 2),
    ],
)
def test_gates(tmp_path: Path, gates: list[str], code: int) -> None:
    path = tmp_path / "data.jsonl"
    rows = records(made(both=2, regressions=1, improvements=2))
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    assert main(["paired-correctness", str(path), *gates]) == code


def test_ids_are_unique_in_one_file_and_in_each_of_two() -> None:
    rows = records([(True, True)] * 2)
    rows[1]["id"] = rows[0]["id"]
    with pytest.raises(tallystick.RecordError, match='2: id: "00" occurs more than once'):
        tallystick.run("paired-correctness", rows)
    apart = sides([(True, True)] * 2)
    apart["baseline"][1]["id"] = "00"
    with pytest.raises(tallystick.RecordError, match='baseline:2: id: "00" occurs more than once'):
        tallystick.run("paired-correctness", **apart)


def test_files_that_hold_other_cases_are_refused_unless_the_join_is_inner() -> None:
    apart = sides(made(both=3, improvements=4))
    del apart["candidate"][0], apart["baseline"][4:]
    with pytest.raises(
        tallystick.SourceError, match=r'1 id \("00"\) only in b.*3 ids \("04", "05", "06"\) only'
    ):
        tallystick.run("paired-correctness", **apart)
    found = tallystick.run("paired-correctness", join="inner", **apart).result
    assert [found[n] for n in ("records", "baseline_only_records", "candidate_only_records")] == [3, 1, 3]
