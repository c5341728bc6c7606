import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.proportion import proportion_confint

import tallystick
from tallystick.audits import find
from tallystick.cli import main

groups = st.sampled_from(["a", "A", "é", "e\u0301", "overall", " ", "1"])
tables = st.lists(st.tuples(groups, st.booleans()), min_size=1, max_size=30)

Rows = list[tuple[str, bool]]


def records(rows: Rows) -> list[dict[str, str]]:
    return [{"group": g, "expected": "yes", "predicted": "Yes!" if right else "no"} for g, right in rows]


def run(rows: Rows, **options: Any) -> Any:
    return tallystick.run("disparity", records(rows), **options)


def made(counts: dict[str, tuple[int, int]]) -> Rows:
    """Make rows of a group's right and wrong answers."""
    return [(g, i < right) for g, (right, wrong) in counts.items() for i in range(right + wrong)]


@given(tables)
def test_every_measure_is_its_definition(rows: Rows) -> None:
    found = run(rows).result
    by_group = {g: [right for name, right in rows if name == g] for g, _ in rows}
    shares = {g: Fraction(sum(rights), len(rights)) for g, rights in by_group.items()}
    worst, best = min(shares.values()), max(shares.values())
    expected = {
        "records": len(rows),
        "groups": len(shares),
        "accuracy": sum(right for _, right in rows) / len(rows),
        "worst_group_accuracy": float(worst),
        "best_group_accuracy": float(best),
        "accuracy_gap": float(best - worst),
        "smallest_group": min(map(len, by_group.values())),
        "worst_groups": sorted(g for g, share in shares.items() if share == worst),
        "best_groups": sorted(g for g, share in shares.items() if share == best),
    }
    assert {name: found[name] for name in expected} == expected
    order = sorted(shares, key=lambda g: (-len(by_group[g]), g))
    assert [row["group"] for row in found["per_group"]] == order
    for row in found["per_group"]:
        rights = by_group[row["group"]]
        assert (row["records"], row["correct"], row["accuracy"]) == (
            len(rights),
            sum(rights),
            sum(rights) / len(rights),
        )
        theirs = proportion_confint(sum(rights), len(rights), method="wilson")
        assert (row["accuracy_low"], row["accuracy_high"]) == pytest.approx(theirs, rel=1e-9, abs=1e-12)


@given(tables, st.randoms(use_true_random=False))
def test_the_order_of_records_never_matters(rows: Rows, random: Any) -> None:
    shuffled = list(rows)
    random.shuffle(shuffled)
    assert run(shuffled, max_rows=2).result == run(rows, max_rows=2).result


def test_groups_tie_by_exact_shares() -> None:
    found = run(made({"a": (1, 2), "b": (2, 4), "c": (100, 201), "d": (3, 0)})).result
    assert found["worst_groups"] == ["c"]
    assert found["worst_group_accuracy"] == 100 / 301
    found = run(made({"a": (1, 2), "b": (2, 4), "d": (3, 0), "e": (1, 0)})).result
    assert (found["worst_groups"], found["best_groups"]) == (["a", "b"], ["d", "e"])


def test_shares_that_one_float_holds_may_differ() -> None:
    audit = find("disparity")
    counting: Any = audit(audit.Options())
    for group, right in (("a", 10**9), ("b", 10**9 + 1)):
        counting.outcomes.add_total(right, group, True)
        counting.outcomes.add_total(1, group, False)
    found = counting.finish()
    assert float(found.worst_group_accuracy) == float(found.best_group_accuracy)
    assert (found.worst_groups, found.best_groups) == (["a"], ["b"])
    assert found.accuracy_gap > 0


def test_the_interval_of_tied_worst_groups_is_the_widest_of_theirs() -> None:
    found = run(made({"a": (10, 20), "b": (1, 2), "c": (3, 0)})).result
    ends = found["worst_group_accuracy_low"], found["worst_group_accuracy_high"]
    assert ends == pytest.approx(proportion_confint(1, 3, method="wilson"), rel=1e-9)


def test_the_gap_is_gated_exactly() -> None:
    # 0.9 - 0.6 is 0.3 and not 0.30000000000000004.
    rows = made({"a": (9, 1), "b": (6, 4)})
    assert run(rows, gates=["accuracy_gap <= 0.3"]).passed
    assert not run(rows, gates=["accuracy_gap <= 0.2999999999999999"]).passed


@pytest.mark.parametrize(
    ("gates", "code"),
    [
        (["--min-group-count", "3"], 0),
        (["--min-group-count", "4"], 1),
        (["--min-worst-group-accuracy", "0.3"], 0),
        (["--min-worst-group-accuracy", "0.34"], 1),
        (["--max-accuracy-gap", "0.5"], 1),
        (["--gate", "accuracy[b] >= 1", "--gate", "records[a] >= 3"], 0),
        (["--gate", "accuracy[z] >= 0"], 1),
        (["--max-worst-group-accuracy", "0.3"], 2),
        (["--min-best-group-accuracy", "0.3"], 2),
    ],
)
def test_gates(tmp_path: Path, gates: list[str], code: int) -> None:
    path = tmp_path / "data.jsonl"
    rows = records(made({"a": (1, 2), "b": (4, 0)}))
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    assert main(["disparity", str(path), *gates]) == code


def test_many_groups_are_cut_the_largest_first_and_gates_see_them_all() -> None:
    rows = made({f"g{n:03}": (1, 0) for n in range(50)} | {"big": (0, 2)})
    report = run(rows, max_rows=2, gates=["accuracy[g049] >= 1"])
    assert [row["group"] for row in report.result["per_group"]] == ["big", "g000"]
    assert report.result["omitted"]["per_group"] == 49
    assert report.passed


@pytest.mark.parametrize("group", ["null", "1", '""', "true", '["a"]'])
def test_a_group_is_a_name(tmp_path: Path, capsys: Any, group: str) -> None:
    path = tmp_path / "data.jsonl"
    path.write_text(f'{{"group": {group}, "expected": "a", "predicted": "a"}}\n')
    assert main(["disparity", str(path)]) == 2
    assert f"{path}:1: group: " in capsys.readouterr().err
