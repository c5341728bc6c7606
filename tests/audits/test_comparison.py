import json
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.proportion import proportion_confint

import tallystick
from tallystick.cli import main
from tallystick.metrics.text import normalize

texts = st.sampled_from(["", "a", "A.", "the a", "a b", "b a b", "...", "é", "e\u0301 a", "x y z"])
tables = st.lists(st.tuples(texts, texts, texts), min_size=1, max_size=12)
rules = st.sampled_from(["words", "squad", "exact"])

Rows = Sequence[tuple[str, str, str]]


def records(rows: Rows) -> list[dict[str, str]]:
    return [{"expected": e, "baseline": b, "candidate": c} for e, b, c in rows]


def sides(rows: Rows) -> dict[str, Any]:
    """The same cases, each system apart, the candidate's in another order."""
    both = [
        [{"id": f"{i}", "expected": e, "predicted": answer} for i, (e, answer) in enumerate(column)]
        for column in ([(e, b) for e, b, _ in rows], [(e, c) for e, _, c in rows])
    ]
    return {"baseline": both[0], "candidate": both[1][::-1]}


def result(rows: Rows, **options: Any) -> dict[str, Any]:
    found: dict[str, Any] = tallystick.run("comparison", records(rows), **options).result
    return found


def naive(rows: Rows, rule: Any) -> dict[str, list[Fraction]]:
    """Score each answer, one at a time."""
    scores: dict[str, list[Fraction]] = {name: [] for name in ("be", "bf", "ce", "cf")}
    for expected, *answers in rows:
        wanted = normalize(expected, rule)
        for system, answer in zip("bc", answers, strict=True):
            form = normalize(answer, rule)
            scores[f"{system}e"].append(Fraction(form == wanted))
            scores[f"{system}f"].append(f1(wanted.split(), form.split()))
    return scores


def f1(one: list[str], other: list[str]) -> Fraction:
    if not one or not other:
        return Fraction(int(one == other))
    return Fraction(2 * sum((Counter(one) & Counter(other)).values()), len(one) + len(other))


def mean(scores: list[Fraction]) -> Fraction:
    return sum(scores, Fraction(0)) / len(scores)


@given(tables, rules)
def test_means_and_differences_are_those_of_the_naive_twin(rows: Rows, rule: str) -> None:
    scores = naive(rows, rule)
    found = result(rows, normalize=rule, samples=10)
    for letter, name in (("e", "exact_match"), ("f", "token_f1")):
        before, after = scores[f"b{letter}"], scores[f"c{letter}"]
        differences = [a - b for a, b in zip(after, before, strict=True)]
        assert found[f"baseline_{name}"] == float(mean(before))
        assert found[f"candidate_{name}"] == float(mean(after))
        assert found[f"{name}_difference"] == float(mean(differences))
        assert found[f"{name}_difference_degenerate"] == (len(set(differences)) == 1)
        for system, of in (("baseline", before), ("candidate", after)):
            if name == "exact_match":
                ends = [found[f"{system}_exact_match_{side}"] for side in ("low", "high")]
                theirs = proportion_confint(int(sum(of)), len(of), method="wilson")
                assert ends == pytest.approx(theirs, rel=1e-9, abs=1e-12)


@given(tables, st.integers(1, 40), st.integers(0, 1000))
def test_intervals_are_those_of_resampling_sorted_cases(rows: Rows, samples: int, seed: int) -> None:
    scores = naive(rows, "words")
    found = result(rows, samples=samples, seed=seed)
    for letter, name in (("e", "exact_match"), ("f", "token_f1")):
        ordered = sorted(a - b for a, b in zip(scores[f"c{letter}"], scores[f"b{letter}"], strict=True))
        generator = np.random.Generator(np.random.PCG64(seed))
        drawn = [generator.integers(len(rows), size=len(rows)) for _ in range(samples)]
        means = [float(mean([ordered[i] for i in some])) for some in drawn]
        ends = [found[f"{name}_difference_{side}"] for side in ("low", "high")]
        assert ends == pytest.approx(np.quantile(means, [0.025, 0.975]), rel=1e-12, abs=1e-12)


@given(tables, st.randoms(use_true_random=False))
def test_the_order_of_cases_never_matters(rows: Rows, random: Any) -> None:
    shuffled = list(rows)
    random.shuffle(shuffled)
    assert result(shuffled, samples=30) == result(rows, samples=30)


@given(tables)
def test_two_files_give_what_one_file_gives(rows: Rows) -> None:
    assert tallystick.run("comparison", samples=20, **sides(rows)).result == result(rows, samples=20)


def test_intervals_agree_with_scipy_on_pairs_within_monte_carlo_error() -> None:
    generator = np.random.default_rng(1)
    rows = [("a b", *generator.choice(["a b", "a", "c", "b a c"], size=2)) for _ in range(400)]
    scores = naive(rows, "words")
    found = result(rows, samples=10_000)
    for letter, name in (("e", "exact_match"), ("f", "token_f1")):
        before, after = (np.array(scores[f"{s}{letter}"], float) for s in "bc")
        theirs = scipy.stats.bootstrap(
            (after, before),
            lambda one, other, axis: (one - other).mean(axis=axis),
            paired=True,
            n_resamples=10_000,
            method="percentile",
        ).confidence_interval
        stray = 6 * 0.027 * (after - before).std() / 20
        assert abs(found[f"{name}_difference_low"] - theirs.low) < stray
        assert abs(found[f"{name}_difference_high"] - theirs.high) < stray


@pytest.mark.parametrize(("level", "ends"), [(0.4, (0.5, 0.5)), (0.6, (0.0, 1.0))])
@pytest.mark.parametrize("seed", [0, 7])
def test_two_cases_have_intervals_known_without_a_generator(
    level: float, ends: tuple[float, float], seed: int
) -> None:
    # Differences 1 and 0: the mean of a resample is 0, 1/2 or 1 with chances 1/4, 1/2 and 1/4.
    found = result(
        [("blue", "red", "blue"), ("blue", "blue", "blue")], confidence=level, seed=seed, samples=4000
    )
    for name in ("exact_match", "token_f1"):
        assert (found[f"{name}_difference_low"], found[f"{name}_difference_high"]) == ends


def test_identical_systems_differ_by_exactly_0() -> None:
    gates = ["exact_match_difference_low >= 0", "token_f1_difference_low >= 0"]
    report = tallystick.run("comparison", records([("x y", "x z", "x z")] * 4), gates=gates)
    assert report.passed
    assert "-0.0" not in report.to_json().decode()
    assert report.result["token_f1_difference_degenerate"] is True
    assert all("all values are equal" in gate["message"] for gate in report.gates)


def test_equal_differences_of_different_f1_are_equal() -> None:
    # 1/3 - 0 and 2/3 - 1/3: float64 makes two values of them.
    rows = [("a b c", "x y z", "a y z"), ("a b c", "a y z", "a b z")]
    assert result(rows)["token_f1_difference_degenerate"] is True


@pytest.fixture
def path(tmp_path: Path) -> Path:
    rows = [("a", "b", "a")] * 3 + [("a", "a", "a")] * 20 + [("a", "a", "b")]
    found = tmp_path / "data.jsonl"
    found.write_text("".join(f"{json.dumps(row)}\n" for row in records(rows)))
    return found


@pytest.mark.parametrize(
    ("gates", "code"),
    [
        (["--min-exact-match-difference", "-0.1"], 0),
        (["--min-exact-match-difference", "0.05"], 1),
        (["--min-token-f1-difference=-0.1", "--gate", "exact_match_difference_low >= -0.1"], 0),
        (["--gate", "exact_match_difference >= 0.05"], 2),
        (["--gate", "exact_match_difference_high >= 0.05"], 2),
        (["--min-exact-match-difference", "1.1"], 2),
        (["--min-exact-match-difference", "-1.1"], 2),
        (["--max-exact-match-difference", "0.5"], 2),
        (["--min-exact-match-difference-low", "0"], 2),
    ],
)
def test_gates_judge_the_low_end(path: Path, gates: list[str], code: int) -> None:
    # The mean difference is 2 / 24 and the low end of its interval below 0.
    assert main(["comparison", str(path), *gates]) == code


def test_a_gate_on_the_point_estimate_is_refused_with_a_hint(path: Path, capsys: Any) -> None:
    assert main(["comparison", str(path), "--gate", "token_f1_difference >= 0"]) == 2
    assert "gate token_f1_difference_low" in capsys.readouterr().err


def test_limits_of_0_have_no_slack_and_a_tiny_loss_fails() -> None:
    # At a level this low both ends are the median of the mean differences, which is -1 / 1000.
    rows = [("a", "a", "a")] * 999 + [("a", "a", "b")]
    report = tallystick.run(
        "comparison", records(rows), confidence=1e-9, gates=["exact_match_difference_low >= 0"]
    )
    assert report.result["exact_match_difference_low"] == -1 / 1000
    assert not report.passed


ROWS = [("a", "a", "b"), ("b c", "b", "b c"), ("d", "d", "d")]


def test_ids_that_only_one_file_has_are_counted_and_named() -> None:
    both = sides(ROWS)
    both["candidate"] = [
        row | {"id": row["id"] + "x"} if row["id"] == "1" else row for row in both["candidate"]
    ]
    with pytest.raises(
        tallystick.SourceError, match=r'1 id \("1"\) only in baseline.*1 id \("1x"\) only in cand'
    ):
        tallystick.run("comparison", **both)
    report = tallystick.run("comparison", join="inner", **both)
    assert report.warnings[-2:] == [
        '1 id ("1") only in baseline, left out',
        '1 id ("1x") only in candidate, left out',
    ]
    found = report.result
    assert [found[name] for name in ("records", "baseline_only_records", "candidate_only_records")] == [
        2,
        1,
        1,
    ]
    assert found["candidate_exact_match"] == 1 / 2


def test_expected_answers_that_differ_are_counted_and_named_whatever_the_join() -> None:
    both = sides(ROWS * 4)
    both["candidate"] = [row | {"expected": row["expected"] + " "} for row in both["candidate"]]
    for join in ("all", "inner"):
        with pytest.raises(tallystick.SourceError, match=r'12 ids \("0", "1", "10", "11", "2" and 7 more\)'):
            tallystick.run("comparison", join=join, **both)


def test_files_without_a_common_id_are_refused_whatever_the_join() -> None:
    both = sides(ROWS)
    both["candidate"] = [row | {"id": "x" + row["id"]} for row in both["candidate"]]
    for join in ("all", "inner"):
        with pytest.raises(tallystick.SourceError, match="no id is in both"):
            tallystick.run("comparison", join=join, **both)


def test_ids_of_each_file_are_unique() -> None:
    both = sides(ROWS)
    both["candidate"].append(both["candidate"][0])
    with pytest.raises(tallystick.RecordError, match='candidate:4: id: "2" occurs more than once'):
        tallystick.run("comparison", **both)


def test_one_file_needs_no_ids_and_two_files_are_given_both(tmp_path: Path, path: Path) -> None:
    names = {}
    for name, rows in sides(ROWS).items():
        names[name] = tmp_path / f"{name}.jsonl"
        names[name].write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    given = ["--baseline", str(names["baseline"]), "--candidate", str(names["candidate"])]
    assert main(["comparison", str(path)]) == 0
    assert main(["comparison", *given]) == 0
    assert main(["comparison", *given[:2]]) == 2
    assert main(["comparison", str(path), *given]) == 2
    assert main(["comparison"]) == 2


def test_slices_are_resampled_apart_each_from_the_seed() -> None:
    easy, hard = [("a", "b", "a")] * 5 + [("a", "a", "a")] * 5, [("a", "a", "b")] * 4 + [("a", "a", "a")] * 3
    rows = [r | {"kind": k} for k, part in (("easy", easy), ("hard", hard)) for r in records(part)]
    report = tallystick.run("comparison", rows, slice_by="kind", seed=3)
    found = {one["value"]: one["result"] for one in report.slices[0]["slices"]}
    assert found == {"easy": result(easy, seed=3), "hard": result(hard, seed=3)}
