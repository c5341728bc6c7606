from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.proportion import proportion_confint

import tallystick

WINNERS = ["first", "second", "tie"]

pairs = st.lists(
    st.tuples(st.sampled_from(WINNERS), st.one_of(st.none(), st.sampled_from(WINNERS))),
    min_size=1,
    max_size=20,
)


def records(pairs: list[tuple[str, str | None]]) -> list[dict[str, str]]:
    """Present x before y, and y before x where there is a second winner."""
    made = []
    for number, (one, other) in enumerate(pairs):
        made.append({"pair_id": f"{number:03}", "first": "x", "second": "y", "winner": one})
        if other is not None:
            made.append({"pair_id": f"{number:03}", "first": "y", "second": "x", "winner": other})
    return made


def result(pairs: list[tuple[str, str | None]], **options: Any) -> dict[str, Any]:
    found: dict[str, Any] = tallystick.run("position-bias", records(pairs), **options).result
    return found


def naive(one: str, other: str | None) -> str:
    """Class a pair by the candidates that win, x being shown first at first."""
    if other is None:
        return "incomplete"
    winners = (
        {"first": "x", "second": "y", "tie": None}[one],
        {"first": "y", "second": "x", "tie": None}[other],
    )
    if winners == (None, None):
        return "stable_tie"
    if None in winners:
        return "tie_instability"
    if winners[0] == winners[1]:
        return "stable_preference"
    return "first_position_flip" if winners == ("x", "y") else "second_position_flip"


COUNTS = {
    "stable_preference": "stable_preferences",
    "stable_tie": "stable_ties",
    "first_position_flip": "first_position_flips",
    "second_position_flip": "second_position_flips",
    "tie_instability": "tie_instabilities",
    "incomplete": "incomplete_pairs",
}


@pytest.mark.parametrize(("one", "other"), list(product(WINNERS, WINNERS)))
def test_two_winners_make_the_class_that_their_candidates_make(one: str, other: str) -> None:
    found = result([(one, other)])
    kind = naive(one, other)
    assert found["details"] == [{"pair_id": "000", "classification": kind}]
    assert {name: found[name] for name in COUNTS.values()} == {n: int(k == kind) for k, n in COUNTS.items()}


@given(pairs)
def test_every_measure_is_its_definition(pairs: list[tuple[str, str | None]]) -> None:
    found = result(pairs, max_details=1000)
    kinds = [naive(*pair) for pair in pairs]
    complete = len(pairs) - kinds.count("incomplete")
    assert {kind: found[name] for kind, name in COUNTS.items()} == {
        kind: kinds.count(kind) for kind in COUNTS
    }
    assert found["complete_pairs"] == complete
    assert found["records"] == len(records(pairs))
    rates = {
        "robust_preference_rate": kinds.count("stable_preference"),
        "stable_tie_rate": kinds.count("stable_tie"),
        "position_flip_rate": kinds.count("first_position_flip") + kinds.count("second_position_flip"),
        "tie_instability_rate": kinds.count("tie_instability"),
    }
    for name, count in rates.items():
        ends = found[f"{name}_low"], found[f"{name}_high"]
        if complete:
            assert found[name] == float(Fraction(count, complete))
            assert ends == pytest.approx(
                proportion_confint(count, complete, method="wilson"), rel=1e-9, abs=1e-12
            )
        else:
            assert (found[name], *ends) == (None, None, None)
    assert {row["pair_id"]: row["classification"] for row in found["details"]} == {
        f"{number:03}": kind for number, kind in enumerate(kinds)
    }


@given(pairs, st.randoms(use_true_random=False))
def test_the_order_of_presentations_never_matters(pairs: list[tuple[str, str | None]], random: Any) -> None:
    shuffled = records(pairs)
    random.shuffle(shuffled)
    assert tallystick.run("position-bias", shuffled, max_details=5).result == result(pairs, max_details=5)


def test_without_a_complete_pair_the_rates_are_undefined_and_their_gates_do_not_pass() -> None:
    gates = ["robust_preference_rate >= 0", "position_flip_rate <= 1", "incomplete_pairs <= 1"]
    report = tallystick.run("position-bias", records([("first", None)]), gates=gates)
    assert [gate["status"] for gate in report.gates] == ["undefined", "undefined", "passed"]
    assert report.undefined["robust_preference_rate"] == "no pair is complete"


def test_details_hold_flips_first_and_stable_preferences_last() -> None:
    found = result([("first", "second"), ("tie", "tie"), ("tie", "first"), ("first", "first"), ("tie", None)])
    assert [row["pair_id"] for row in found["details"]] == ["003", "002", "004", "001", "000"]
    assert result([("first", "second"), ("first", "first")], max_details=1)["omitted"] == {"details": 1}


def test_few_complete_pairs_among_many_presentations_are_warned_of() -> None:
    report = tallystick.run("position-bias", records([("first", "second")] * 20))
    assert report.warnings == ["fewer than 30 complete pairs (20): numbers made of so few are uncertain"]


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ('"p", "first": "x", "second": "y"', 'first: "x" before "y" does not reverse'),
        ('"p", "first": "y", "second": "z"', 'first: "y" before "z" does not reverse'),
        ('"p", "first": "y", "second": "X"', 'first: "y" before "X" does not reverse'),
        ('"q", "first": "x", "second": "x"', 'second: "x" is shown beside itself'),
    ],
)
def test_a_presentation_that_does_not_fit_is_refused_naming_line_and_field(
    tmp_path: Path, line: str, what: str
) -> None:
    path = tmp_path / "data.jsonl"
    row = '{{"pair_id": {}, "winner": "tie"}}\n'
    path.write_text(row.format('"p", "first": "x", "second": "y"') + row.format(line))
    with pytest.raises(tallystick.RecordError) as refused:
        tallystick.run("position-bias", path)
    assert str(refused.value).startswith(f"{path}:2: {what}")


def test_a_third_presentation_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "data.jsonl"
    lines = [
        f'{{"pair_id": "p", "first": "{one}", "second": "{other}", "winner": "tie"}}'
        for one, other in [("x", "y"), ("y", "x"), ("x", "y")]
    ]
    path.write_text("\n".join(lines))
    with pytest.raises(tallystick.RecordError, match=r'data\.jsonl:3: pair_id: "p" occurs more than twice'):
        tallystick.run("position-bias", path)


def test_the_presentations_of_a_pair_must_be_in_one_slice() -> None:
    rows = [row | {"judge": str(i)} for i, row in enumerate(records([("first", "second")]))]
    with pytest.raises(tallystick.RecordError, match="judge"):
        tallystick.run("position-bias", rows, slice_by="judge")


def test_each_slice_has_its_own_pairs() -> None:
    rows = [row | {"judge": row["pair_id"]} for row in records([("first", "second"), ("first", None)])]
    report = tallystick.run(
        "position-bias", rows, slice_by="judge", gates=["robust_preference_rate[judge=*] >= 1"]
    )
    parts = report.slices[0]["slices"]
    assert [part["result"]["robust_preference_rate"] for part in parts] == [1, None]
    assert "details" not in parts[0]["result"]
    assert report.gates[0]["status"] == "undefined"
