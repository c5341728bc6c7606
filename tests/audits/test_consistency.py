import json
from collections import Counter, defaultdict
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tallystick
from tallystick import units
from tallystick.cli import main
from tallystick.metrics import repeats
from tallystick.metrics.text import normalize

texts = st.sampled_from(
    ["", "a", "A.", "the a", "a b", "b a b", "b  a b", "...", "é", "e\u0301", "\0 a", "a\u00a0b"]
)
tables = st.lists(st.tuples(st.sampled_from(["1", "2", "10", "é"]), texts), min_size=1, max_size=16)
rules = st.sampled_from(["words", "squad", "exact"])

Rows = list[tuple[str, str]]


def records(rows: Rows) -> list[dict[str, str]]:
    return [{"case_id": case, "predicted": text} for case, text in rows]


def run(rows: Rows, **options: Any) -> Any:
    return tallystick.run("consistency", records(rows), **options)


def f1(one: list[str], other: list[str]) -> Fraction:
    if not one or not other:
        return Fraction(int(one == other))
    return Fraction(2 * sum((Counter(one) & Counter(other)).values()), len(one) + len(other))


@given(tables, rules)
def test_every_measure_is_that_of_the_naive_twin(rows: Rows, rule: Any) -> None:
    found = run(rows, normalize=rule).result
    by_case: dict[str, list[str]] = defaultdict(list)
    for case, text in rows:
        by_case[case].append(normalize(text, rule))
    pairs = {case: list(combinations(forms, 2)) for case, forms in by_case.items()}
    every = [pair for of in pairs.values() for pair in of]
    same = [one == other for one, other in every]
    scores = [f1(one.split(), other.split()) for one, other in every]
    assert found["records"] == len(rows)
    assert found["cases"] == len(by_case)
    assert found["cases_with_pairs"] == sum(map(bool, pairs.values()))
    assert found["singleton_cases"] == sum(len(forms) == 1 for forms in by_case.values())
    assert found["pairs"] == len(every)
    assert found["exact_agreement"] == (sum(same) / len(every) if every else None)
    mean = sum(scores, Fraction(0)) / len(every) if every else None
    assert found["token_f1_agreement"] == (mean if mean is None else float(mean))

    agreeing = {case: sum(one == other for one, other in of) for case, of in pairs.items()}
    order = sorted((case for case in pairs if pairs[case]), key=lambda c: (-len(pairs[c]), agreeing[c], c))
    assert [row["case_id"] for row in found["per_case"]] == order
    for row in found["per_case"]:
        forms, of = by_case[row["case_id"]], pairs[row["case_id"]]
        total = sum((f1(one.split(), other.split()) for one, other in of), Fraction(0))
        assert row == {
            "case_id": row["case_id"],
            "runs": len(forms),
            "pairs": len(of),
            "exact_agreement": agreeing[row["case_id"]] / len(of),
            "token_f1_agreement": float(total / len(of)),
            "most_frequent_share": max(Counter(forms).values()) / len(forms),
        }


@given(tables, st.randoms(use_true_random=False))
def test_the_order_of_runs_never_matters(rows: Rows, random: Any) -> None:
    shuffled = list(rows)
    random.shuffle(shuffled)
    assert run(shuffled, max_rows=2).result == run(rows, max_rows=2).result


@given(tables)
def test_batches_hold_whole_cases_and_pairs_are_compared_piece_by_piece(rows: Rows) -> None:
    whole = run(rows).result
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(units, "GROUPED", 1)
        patch.setattr(repeats, "PIECE", 2)
        assert run(rows).result == whole


def test_pairs_weigh_alike_whatever_their_case() -> None:
    rows = [("1", "a")] * 4 + [("2", "x"), ("2", "y")]
    found = run(rows).result
    assert found["exact_agreement"] == found["token_f1_agreement"] == 6 / 7


@pytest.mark.parametrize("runs", [2, 3, 50])
def test_r_runs_make_all_their_pairs(runs: int) -> None:
    found = run([("1", f"word{i} same") for i in range(runs)]).result
    assert found["pairs"] == runs * (runs - 1) // 2
    assert (found["exact_agreement"], found["token_f1_agreement"]) == (0, 0.5)
    assert found["per_case"][0]["most_frequent_share"] == 1 / runs


def test_without_a_pair_agreement_is_undefined_and_a_gate_does_not_pass(tmp_path: Path) -> None:
    path = tmp_path / "data.jsonl"
    path.write_text("".join(f"{json.dumps(row)}\n" for row in records([("1", "a"), ("2", "a")])))
    report = tallystick.run("consistency", path)
    assert (report.result["exact_agreement"], report.result["token_f1_agreement"]) == (None, None)
    assert report.undefined["exact_agreement"] == "no case has two predictions"
    assert report.result["per_case"] == []
    assert main(["consistency", str(path)]) == 0
    assert main(["consistency", str(path), "--min-exact-agreement", "0"]) == 1


@pytest.mark.parametrize(
    ("gates", "code"),
    [
        (["--min-exact-agreement", "0.25", "--min-token-f1-agreement", "0.5"], 0),
        (["--min-exact-agreement", "0.26"], 1),
        (["--min-token-f1-agreement", "0.5000000001"], 1),
        (["--max-exact-agreement", "0.5"], 2),
        (["--gate", "exact_agreement[1] >= 0.3"], 2),
    ],
)
def test_gates(tmp_path: Path, gates: list[str], code: int) -> None:
    path = tmp_path / "data.jsonl"
    rows = [("1", "red car"), ("2", "x"), ("1", "Red car"), ("1", "red bike"), ("3", "x"), ("3", "y")]
    path.write_text("".join(f"{json.dumps(row)}\n" for row in records(rows)))
    assert main(["consistency", str(path), *gates]) == code


def test_the_least_consistent_of_the_largest_cases_are_kept() -> None:
    rows = [(f"c{n}", text) for n in range(5) for text in ("a", "a", "b" if n == 3 else "a")] + [
        ("d", "a")
    ] * 2
    found = run(rows, max_rows=2).result
    assert [row["case_id"] for row in found["per_case"]] == ["c3", "c0"]
    assert found["omitted"]["per_case"] == 4


def test_agreement_of_any_size_survives_the_way_between_machines() -> None:
    # A common denominator of all these token counts has more than 64 bits.
    texts = [" ".join(["a"] * n) for n in range(1, 60)]
    found = run([("1", text) for text in texts]).result
    scores = [Fraction(2 * min(n, m), n + m) for n, m in combinations(range(1, 60), 2)]
    assert found["per_case"][0]["token_f1_agreement"] == float(sum(scores) / len(scores))
    assert found["token_f1_agreement"] == float(sum(scores) / len(scores))


def test_runs_of_a_case_are_in_one_slice() -> None:
    rows = [row | {"kind": kind} for row, kind in zip(records([("1", "a"), ("1", "a")]), "xy", strict=True)]
    with pytest.raises(tallystick.RecordError, match='kind: "y", but "x" in another record of case_id "1"'):
        tallystick.run("consistency", rows, slice_by="kind")


@pytest.mark.parametrize("case", ['""', "1", "null"])
def test_a_case_is_a_name(tmp_path: Path, capsys: Any, case: str) -> None:
    path = tmp_path / "data.jsonl"
    path.write_text(f'{{"case_id": {case}, "predicted": "a"}}\n')
    assert main(["consistency", str(path)]) == 2
    assert f"{path}:1: case_id: " in capsys.readouterr().err
