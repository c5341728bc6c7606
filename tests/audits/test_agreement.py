from collections import Counter
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import sklearn
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score
from statsmodels.stats.inter_rater import cohens_kappa
from statsmodels.stats.proportion import proportion_confint

import tallystick
from tallystick.cli import main

LEVELS = ["low", "Low", "mid", "high"]

ratings = st.lists(st.tuples(st.sampled_from(LEVELS), st.sampled_from(LEVELS)), min_size=1, max_size=25)


def records(pairs: list[tuple[str, str]]) -> list[dict[str, str]]:
    return [{"id": f"{i:03}", "reference": one, "rater": other} for i, (one, other) in enumerate(pairs)]


def result(pairs: list[tuple[str, str]], **options: Any) -> dict[str, Any]:
    found: dict[str, Any] = tallystick.run("agreement", records(pairs), **options).result
    return found


def naive_kappa(pairs: list[tuple[str, str]], weight: Any) -> float | None:
    """One less observed disagreement over that of all pairs of one rater's labels with the other's."""
    observed = sum(weight(one, other) for one, other in pairs)
    chance = sum(weight(one, other) for one, other in product([p[0] for p in pairs], [p[1] for p in pairs]))
    return float(1 - Fraction(observed * len(pairs), chance)) if chance else None


@given(ratings)
def test_kappas_are_their_definitions_rounded_once(pairs: list[tuple[str, str]]) -> None:
    found = result(pairs, levels=LEVELS)

    def distance(one: str, other: str) -> int:
        return abs(LEVELS.index(one) - LEVELS.index(other))

    assert found["kappa"] == naive_kappa(pairs, lambda one, other: int(one != other))
    assert found["kappa_linear"] == naive_kappa(pairs, distance)
    assert found["kappa_quadratic"] == naive_kappa(pairs, lambda one, other: distance(one, other) ** 2)


@given(ratings)
def test_counts_are_those_of_the_pairs(pairs: list[tuple[str, str]]) -> None:
    found = result(pairs, max_details=100)
    table = Counter(pairs)
    differing = [i for i, (one, other) in enumerate(pairs) if one != other]
    assert found["disagreements"] == len(differing)
    assert [row["id"] for row in found["details"]] == [f"{i:03}" for i in differing]
    cells = sorted(table.items(), key=lambda cell: (-cell[1], cell[0]))
    assert [tuple(row.values()) for row in found["confusion"]] == [(*pair, n) for pair, n in cells]
    assert [tuple(row.values()) for row in found["disagreement_pairs"]] == [
        (*pair, n) for pair, n in cells if pair[0] != pair[1]
    ]
    for row in found["per_label"]:
        uses = [sum(pair[side] == row["label"] for pair in pairs) for side in (0, 1)]
        assert [row["reference"], row["rater"], row["both"]] == [*uses, table[row["label"], row["label"]]]
    low, high = proportion_confint(len(pairs) - len(differing), len(pairs), method="wilson")
    assert (found["agreement_low"], found["agreement_high"]) == pytest.approx(
        (low, high), rel=1e-9, abs=1e-12
    )


@pytest.mark.filterwarnings("ignore:invalid value encountered:RuntimeWarning")
def test_two_thousand_random_tables_agree_with_scikit_learn() -> None:
    random = np.random.default_rng(11)
    names = [f"level {i}" for i in range(6)]
    with sklearn.config_context(skip_parameter_validation=True, assume_finite=True):
        for _ in range(2000):
            used = random.choice(6, random.integers(1, 7), replace=False)
            one = random.choice(used, random.integers(1, 40))
            other = np.where(random.random(len(one)) < random.random(), one, random.choice(used, len(one)))
            pairs = [(names[i], names[j]) for i, j in zip(one, other, strict=True)]
            found = result(pairs, levels=names)
            if len({*one.tolist(), *other.tolist()}) == 1:
                assert found["kappa"] is found["kappa_linear"] is found["kappa_quadratic"] is None
                continue
            for name, weights in [
                ("kappa", None),
                ("kappa_linear", "linear"),
                ("kappa_quadratic", "quadratic"),
            ]:
                theirs = cohen_kappa_score(one, other, labels=range(6), weights=weights)
                assert found[name] == pytest.approx(theirs, rel=1e-10, abs=1e-12), name


def test_kappas_of_a_table_agree_with_statsmodels() -> None:
    table = np.array([[12, 3, 1], [4, 9, 5], [0, 2, 14]])
    names = ["a", "b", "c"]
    pairs = [(names[i], names[j]) for i in range(3) for j in range(3) for _ in range(table[i, j])]
    found = result(pairs, levels=names)
    assert found["kappa"] == pytest.approx(cohens_kappa(table).kappa, rel=1e-12)
    assert found["kappa_linear"] == pytest.approx(cohens_kappa(table, wt="linear").kappa, rel=1e-12)
    assert found["kappa_quadratic"] == pytest.approx(cohens_kappa(table, wt="quadratic").kappa, rel=1e-12)


def test_agreement_that_chance_would_give_has_a_kappa_of_exactly_0() -> None:
    pairs = [("a", "a")] * 3 + [("a", "b")] * 21 + [("b", "a")] * 7 + [("b", "b")] * 49
    found = result(pairs, levels=["a", "b"])
    assert found["kappa"] == found["kappa_linear"] == found["kappa_quadratic"] == 0
    assert tallystick.run("agreement", records(pairs), gates=["kappa >= 0"]).passed
    worse = [*pairs, ("a", "b")]
    assert not tallystick.run("agreement", records(worse), gates=["kappa >= 0"]).passed


def test_two_raters_with_one_and_the_same_label_have_no_kappa() -> None:
    gates = ["agreement >= 1", "kappa >= -1", "kappa_linear >= -1"]
    report = tallystick.run("agreement", records([("a", "a")] * 4), levels=["a", "b"], gates=gates)
    assert [gate["status"] for gate in report.gates] == ["passed", "undefined", "undefined"]
    assert report.result["expected_agreement"] == 1
    assert "one and the same label" in report.undefined["kappa"]
    assert "one and the same level" in report.undefined["kappa_linear"]


def test_two_raters_with_one_label_each_have_a_kappa_of_0() -> None:
    found = result([("a", "b")] * 4, levels=["a", "b"])
    assert found["kappa"] == found["kappa_linear"] == found["kappa_quadratic"] == 0


def test_without_levels_the_weighted_kappas_are_undefined() -> None:
    report = tallystick.run("agreement", records([("a", "b"), ("b", "b")]), gates=["kappa_linear >= -1"])
    assert report.result["kappa_linear"] is report.result["kappa_quadratic"] is None
    assert report.gates[0]["status"] == "undefined"


def test_a_level_that_nobody_used_keeps_its_place_in_the_order() -> None:
    pairs = [("low", "low"), ("low", "high"), ("high", "high"), ("high", "low"), ("mid", "low")]
    wide = result(pairs, levels=["low", "mid", "unused", "high"])
    narrow = result(pairs, levels=["low", "mid", "high"])
    assert wide["kappa"] == narrow["kappa"]
    assert wide["labels"] == narrow["labels"] == 3
    assert wide["kappa_linear"] != narrow["kappa_linear"]
    at_the_ends = result(pairs, levels=["below", "low", "mid", "high", "above"])
    assert at_the_ends["kappa_quadratic"] == narrow["kappa_quadratic"]


def test_reversing_the_levels_changes_nothing() -> None:
    pairs = [("low", "mid"), ("mid", "high"), ("high", "high"), ("low", "low")]
    one, other = (result(pairs, levels=levels) for levels in (["low", "mid", "high"], ["high", "mid", "low"]))
    assert one == other


@pytest.mark.parametrize("levels", ["a,b,a", "a,a", "a,b,b"])
def test_a_level_given_twice_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], levels: str
) -> None:
    path = tmp_path / "data.jsonl"
    path.write_text('{"id": "1", "reference": "a", "rater": "b"}\n')
    assert main(["agreement", str(path), "--levels", levels]) == 2
    assert capsys.readouterr().err.startswith("error: --levels: ")
    with pytest.raises(tallystick.UsageError, match="occurs more than once"):
        tallystick.run("agreement", path, levels=levels.split(","))


def test_a_label_that_is_no_level_is_refused_naming_line_and_field(tmp_path: Path) -> None:
    path = tmp_path / "data.jsonl"
    path.write_text(
        '{"id": "1", "reference": "a", "rater": "b"}\n{"id": "2", "reference": "a", "rater": "B"}\n'
    )
    with pytest.raises(tallystick.RecordError) as refused:
        tallystick.run("agreement", path, levels=["a", "b"])
    assert str(refused.value) == f'{path}:2: rater: "B" is none of the --levels'


def test_ids_are_text_and_differ_when_they_print_differently() -> None:
    rows = [{"id": i, "reference": "a", "rater": "b"} for i in ("007", "7", "8213377204559163201")]
    assert tallystick.run("agreement", rows).result["details"] == [
        {"id": i} for i in sorted(r["id"] for r in rows)
    ]
    with pytest.raises(tallystick.RecordError, match="id"):
        tallystick.run("agreement", [*rows, {"id": 7, "reference": "a", "rater": "a"}])
    with pytest.raises(tallystick.RecordError, match="more than once"):
        tallystick.run("agreement", [*rows, rows[0]])
