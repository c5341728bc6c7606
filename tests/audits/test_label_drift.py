from collections import Counter
from fractions import Fraction
from math import log2
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.distance import jensenshannon

import tallystick

labels = st.lists(st.sampled_from(["A", "a", "b", "é", "猫"]), min_size=1, max_size=20)


def records(labels: list[str] | str) -> list[dict[str, str]]:
    return [{"label": label} for label in labels]


def result(reference: list[str] | str, candidate: list[str] | str, **options: Any) -> dict[str, Any]:
    found: dict[str, Any] = tallystick.run(
        "label-drift", records(reference), records(candidate), **options
    ).result
    return found


@given(labels, labels)
def test_every_measure_is_its_definition_rounded_once(reference: list[str], candidate: list[str]) -> None:
    found = result(reference, candidate)
    one, other = Counter(reference), Counter(candidate)
    p = {x: Fraction(one[x], len(reference)) for x in one | other}
    q = {x: Fraction(other[x], len(candidate)) for x in one | other}
    assert found["total_variation"] == float(sum(abs(p[x] - q[x]) for x in p) / 2)
    assert found["label_delta"] == float(max(abs(p[x] - q[x]) for x in p))
    theirs = jensenshannon([float(p[x]) for x in p], [float(q[x]) for x in p], base=2) ** 2
    assert found["js_divergence"] == pytest.approx(theirs, rel=1e-9, abs=1e-12)
    assert found["records"] == len(reference) + len(candidate)
    assert (found["reference_records"], found["candidate_records"]) == (len(reference), len(candidate))
    assert [(row["label"], row["records"]) for row in found["reference_only"]] == sorted(
        ((x, n) for x, n in one.items() if not other[x]), key=lambda item: (-item[1], item[0])
    )
    assert [row["label"] for row in found["shifts"]] == sorted(p, key=lambda x: (-abs(q[x] - p[x]), x))
    for row in found["shifts"]:
        x = row["label"]
        assert (row["reference_records"], row["candidate_records"]) == (one[x], other[x])
        assert (row["reference_share"], row["candidate_share"]) == (float(p[x]), float(q[x]))
        assert (row["shift"], row["label_delta"]) == (float(q[x] - p[x]), float(abs(q[x] - p[x])))


@given(labels, labels)
def test_the_distances_know_neither_side_nor_order(reference: list[str], candidate: list[str]) -> None:
    one, other = result(reference, candidate), result(candidate[::-1], reference[::-1])
    for measure in ("total_variation", "js_divergence", "label_delta"):
        assert one[measure] == other[measure]
        assert 0 <= one[measure] <= 1


def test_equal_shares_of_different_sizes_pass_limits_of_0() -> None:
    gates = ["js_divergence <= 0", "total_variation <= 0", "label_delta <= 0"]
    assert tallystick.run("label-drift", records("aab"), records("abaaba"), gates=gates).passed


def test_disjoint_labels_are_exactly_1_apart() -> None:
    found = result(["x"] * 49 + ["y"] * 7, [f"z{i}" for i in range(43)])
    assert found["js_divergence"] == found["total_variation"] == 1
    assert found["label_delta"] == 49 / 56


def test_half_of_a_mix_that_moves_has_the_divergence_of_its_closed_form() -> None:
    found = result("ab", "aa")
    assert found["js_divergence"] == pytest.approx(3 / 2 - 3 / 4 * log2(3), rel=1e-12)


def test_gates_on_shares_are_exact_and_on_the_divergence_inclusive() -> None:
    reference, candidate = records("a" * 9 + "b"), records("a" * 6 + "b" * 4)
    gates = ["total_variation <= 0.3", "label_delta <= 0.3", "label_delta[a] <= 0.3", "js_divergence <= 1"]
    assert tallystick.run("label-drift", reference, candidate, gates=gates).passed
    report = tallystick.run("label-drift", reference, candidate, gates=["label_delta <= 0.2999999999999999"])
    assert [gate["status"] for gate in report.gates] == ["failed"]


def test_a_slice_that_only_one_side_has_is_undefined() -> None:
    reference = [{"label": "a", "site": "x"}, {"label": "b", "site": "y"}]
    candidate = [{"label": "a", "site": "x"}]
    gates = ["total_variation[site=x] <= 0", "js_divergence[site=y] <= 1", "label_delta[site=*] <= 1"]
    report = tallystick.run("label-drift", reference, candidate, slice_by="site", gates=gates)
    assert [gate["status"] for gate in report.gates] == ["passed", "undefined", "undefined"]
    alone = report.slices[0]["slices"][1]["result"]
    assert (alone["reference_records"], alone["candidate_records"]) == (1, 0)
    assert alone["total_variation"] is alone["js_divergence"] is alone["label_delta"] is None
    assert report.undefined["total_variation[site=y]"] == "one of the inputs has no records here"


def test_an_input_without_records_is_refused() -> None:
    with pytest.raises(tallystick.SourceError, match="no records"):
        tallystick.run("label-drift", records("a"), [])


def test_files_may_be_given_by_place_or_by_name(tmp_path: Path) -> None:
    one, other = tmp_path / "one.jsonl", tmp_path / "other.jsonl"
    one.write_text('{"label": "a"}\n{"label": "b"}\n')
    other.write_text('{"label": "a"}\n')
    placed = tallystick.run("label-drift", one, other)
    named = tallystick.run("label-drift", candidate=other, reference=one)
    assert placed.body == named.body
    assert placed.result["reference_records"] == 2


def test_what_a_label_is_called_never_matters() -> None:
    found = result(["NaN", "null", "</script>"], ["NaN", 'a"b\\c\n\u2028', "Infinity"])
    assert found["total_variation"] == 2 / 3
    assert {row["label"] for row in found["candidate_only"]} == {'a"b\\c\n\u2028', "Infinity"}


def test_the_largest_shifts_are_kept_and_the_others_counted() -> None:
    found = result("aab", "bcc", max_rows=1)
    assert [row["label"] for row in found["shifts"]] == ["a"]
    assert found["omitted"] == {"reference_only": 0, "candidate_only": 0, "shifts": 2}


def test_a_small_side_is_warned_of() -> None:
    report = tallystick.run("label-drift", records("a" * 40), records("a" * 7))
    assert report.warnings == ["fewer than 30 candidate records (7): numbers made of so few are uncertain"]
