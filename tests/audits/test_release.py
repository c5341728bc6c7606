"""The release audit against a slow twin, its refusals, and that test records never move a threshold."""

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import f1_score

import tallystick
from tallystick.cli import main
from tallystick.errors import SourceError, UsageError
from tallystick.plan import plan
from tallystick.render.github import annotations
from tallystick.render.junit import junit
from tallystick.sources import Facts, mappings

Row = dict[str, Any]
CONFIDENCES = [0.0, 0.29, 0.5, 0.7, 0.8999999999999999, 0.9, 1.0]
FIRST = {"train": 0x10, "validation": 0xD0, "test": 0xF0}


def row(
    model: str, split: str, number: int, truth: Any, suggested: Any = None, confidence: float = 0.9
) -> Row:
    prediction = None if suggested is None else {"label": suggested, "confidence": confidence}
    return {
        "model": model,
        "subjectKey": f"{FIRST[split]:02x}{number:014x}",
        "split": split,
        "truth": {"label": truth},
        "prediction": prediction,
    }


def certain(model: str = "m", records: int = 20, wrong: int = 0) -> list[Row]:
    """One candidate of two classes, always certain, and wrong in some test records of the second class."""
    rows = [row(model, "validation", n, 1 + n % 2, 1 + n % 2, 1.0) for n in range(records)]
    for n in range(records):
        truth = 1 + n % 2
        rows.append(row(model, "test", n, truth, 1 if n // 2 < wrong else truth, 1.0))
    return rows


@st.composite
def records(draw: st.DrawFn, models: tuple[str, ...] = ("a", "b")) -> list[Row]:
    labels: list[Any] = draw(st.sampled_from([[1, 2, 3], ["a", "b", "a->b"]]))
    rows = []
    for model in models:
        splits = ["validation", "test", *draw(st.lists(st.sampled_from(list(FIRST)), max_size=14))]
        for split in splits:
            suggested = draw(st.none() | st.sampled_from(labels))
            truth, number = draw(st.sampled_from(labels)), draw(st.integers(0, 5))
            rows.append(row(model, split, number, truth, suggested, draw(st.sampled_from(CONFIDENCES))))
    return draw(st.permutations(rows))


def threshold(rows: Iterable[Row], floor: Fraction) -> float | None:
    """Try every confidence, as slowly as can be."""
    validation = [one for one in rows if one["split"] == "validation"]
    known = [one for one in validation if one["prediction"]]
    best: tuple[Fraction, Fraction, float] | None = None
    for t in {one["prediction"]["confidence"] for one in known}:
        accepted = [one for one in known if one["prediction"]["confidence"] >= t]
        right = sum(one["truth"]["label"] == one["prediction"]["label"] for one in accepted)
        coverage, precision = Fraction(len(accepted), len(validation)), Fraction(right, len(accepted))
        if coverage >= floor and (best is None or (precision, coverage) > best[:2]):
            best = (precision, coverage, t)
    return best[2] if best else None


def scored(rows: Iterable[Row], t: float) -> Row:
    """Score the test records at a threshold, as slowly as can be."""
    test = [one for one in rows if one["split"] == "test"]
    taken = [one for one in test if one["prediction"] and one["prediction"]["confidence"] >= t]
    pairs = [(one["truth"]["label"], one["prediction"]["label"]) for one in taken]
    right = sum(truth == label for truth, label in pairs)
    f1s = []
    for label in {truth for truth, _ in pairs}:
        support = sum(truth == label for truth, _ in pairs)
        predicted = sum(suggested == label for _, suggested in pairs)
        f1s.append(Fraction(2 * pairs.count((label, label)), support + predicted))
    bins: dict[int, list[Fraction]] = defaultdict(list)
    for one, (truth, label) in zip(taken, pairs, strict=True):
        c = one["prediction"]["confidence"]
        index = max(b for b in range(10) if b / 10 <= c)
        bins[index].append(Fraction(int(truth == label)) - Fraction(c))
    none = sum(one["prediction"] is None for one in test)
    return {
        "accepted": len(taken),
        "no_suggestion": none,
        "low_confidence": len(test) - none - len(taken),
        "coverage": Fraction(len(taken), len(test)),
        "precision_at_coverage": Fraction(right, len(taken)) if taken else None,
        "macro_f1": sum(f1s, Fraction(0)) / len(f1s) if f1s else None,
        "ece": Fraction(sum(abs(sum(gaps, Fraction(0))) for gaps in bins.values())) / len(taken)
        if taken
        else None,
        "cells": Counter(pairs),
    }


def result_of(rows: list[Row], **options: Any) -> Any:
    """Give the exact result."""
    return state_of(rows, **options).finish()


def state_of(rows: list[Row], **options: Any) -> Any:
    made = plan("release", ["predictions"], options, {}, [])
    state = made.state()
    shape = made.shape("predictions")
    for batch in mappings.read(rows, "predictions", shape, "predictions", Facts("predictions", "p")):
        state.update(batch)
    return state.overall


@given(rows=records(), floor=st.sampled_from(["0.1", "0.3", "0.5", "1"]))
def test_thresholds_and_scores_are_those_of_the_slow_twin(rows: list[Row], floor: str) -> None:
    result = result_of(rows, min_coverage=float(floor))
    for candidate in result.candidates:
        own = [one for one in rows if one["model"] == candidate.model]
        t = threshold(own, Fraction(floor))
        assert candidate.threshold == (None if t is None else Fraction(t))
        if t is None:
            assert candidate.macro_f1 is candidate.coverage is candidate.accepted is None
            continue
        twin = scored(own, t)
        cells = {c.cell: c.records for c in result.confusion if c.model == candidate.model}
        assert Counter(cells.values()) == Counter(twin.pop("cells").values())
        assert {name: getattr(candidate, name) for name in twin} == twin


@given(rows=records(models=("a",)))
def test_macro_f1_is_that_of_scikit_learn_over_the_classes_of_accepted_truth(rows: list[Row]) -> None:
    (candidate,) = result_of(rows, min_coverage=0.1).candidates
    if not candidate.accepted:
        return
    taken = [
        (str(one["truth"]["label"]), str(one["prediction"]["label"]))
        for one in rows
        if one["split"] == "test"
        and one["prediction"]
        and one["prediction"]["confidence"] >= candidate.threshold
    ]
    truth, suggested = zip(*taken, strict=True)
    expected = f1_score(truth, suggested, labels=sorted(set(truth)), average="macro", zero_division=0)
    assert float(candidate.macro_f1) == pytest.approx(expected, rel=1e-12)


@given(rows=records(), data=st.data())
def test_no_change_of_test_records_moves_a_threshold(rows: list[Row], data: st.DataObject) -> None:
    before = {c.model: c.threshold for c in result_of(rows).candidates}
    changed = []
    for one in rows:
        if one["split"] != "test":
            changed.append(one)
            continue
        labels = [1, 2, 3] if isinstance(one["truth"]["label"], int) else ["a", "b", "a->b"]
        suggested, truth = data.draw(st.none() | st.sampled_from(labels)), data.draw(st.sampled_from(labels))
        confidence = data.draw(st.sampled_from(CONFIDENCES))
        times = data.draw(st.integers(1, 3))
        changed += [row(one["model"], "test", n, truth, suggested, confidence) for n in range(times)]
    assert {c.model: c.threshold for c in result_of(changed).candidates} == before


def test_nineteen_right_of_twenty_at_confidence_one_has_an_ece_of_a_twentieth_and_passes() -> None:
    report = tallystick.run("release", certain(wrong=0) + certain("n", wrong=1))
    by_model = {one["model"]: one for one in report.candidates}
    assert by_model["n"]["ece"] == 1 / 20
    assert by_model["n"]["precision_at_coverage"] == 19 / 20
    assert [gate["status"] for gate in report.gates] == ["passed"] * 6
    assert (report.verdict, report.recommended, report.exit_code) == ("GO", "m", 0)


def test_equal_precision_goes_to_the_wider_coverage_by_exact_fractions() -> None:
    confidence = {0.9: (9, 1), 0.8: (9, 1), 0.5: (9, 1)}
    rows, n = certain(), 0
    rows = [one for one in rows if one["split"] == "test"]
    for c, (right, wrong) in confidence.items():
        for suggested in [1] * right + [2] * wrong:
            rows.append(row("m", "validation", n := n + 1, 1, suggested, c))
    (candidate,) = result_of(rows, min_coverage=0.1).candidates
    assert candidate.threshold == Fraction(0.5)
    assert candidate.validation_precision == Fraction(9, 10)
    assert candidate.validation_coverage == 1


@pytest.mark.parametrize(("floor", "chosen"), [("0.3", 0.9), ("0.30000000000000001", 0.5), ("0.31", 0.5)])
def test_the_floor_of_coverage_is_the_decimal_written(
    floor: str, chosen: float, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [one for one in certain() if one["split"] == "test"]
    rows += [row("m", "validation", n, 1, 1, 0.9) for n in range(3)]
    rows += [row("m", "validation", n, 1, 2 if n == 9 else 1, 0.5) for n in range(3, 10)]
    file = lay(tmp_path, rows)
    main(["release", file, "--min-coverage", floor, "--format", "json"])
    assert json.loads(capsys.readouterr().out)["result"]["candidates"][0]["threshold"] == chosen


def test_the_recommended_candidate_is_the_best_of_those_that_pass() -> None:
    rows = [*certain("worse", wrong=1), *certain("better"), *certain("alike")]
    report = tallystick.run("release", rows)
    assert [one["model"] for one in report.candidates] == ["alike", "better", "worse"]
    assert report.recommended == "alike"
    report = tallystick.run("release", rows, gates=["macro_f1[alike] >= 1", "test_records[better] >= 21"])
    assert report.recommended == "alike"
    report = tallystick.run("release", rows, gates=["test_records[alike] >= 21"])
    assert report.recommended == "better"
    assert report.passed
    assert [gate["gate"] for gate in report.shortfalls] == []


def test_gates_replace_the_defaults_on_their_measure_and_leave_the_others() -> None:
    report = tallystick.run("release", certain(wrong=3), gates=["ece <= 0.2"])
    assert [gate["gate"] for gate in report.gates] == [
        "macro_f1[m] >= 0.8",
        "precision_at_coverage[m] >= 0.9",
        "ece[m] <= 0.2",
    ]
    assert (report.verdict, report.recommended, report.passed, report.exit_code) == (
        "BLOCKED",
        None,
        False,
        3,
    )


@pytest.mark.parametrize("gate", ["records >= 1000", "macro_f1[nobody] >= 0"])
def test_a_gate_on_the_whole_or_on_nobody_blocks_every_candidate(gate: str) -> None:
    report = tallystick.run("release", certain(), gates=[gate])
    assert (report.verdict, report.recommended) == ("BLOCKED", None)
    assert report.shortfalls[0]["gate"] == gate


def test_a_class_that_is_abstained_from_is_named_and_in_no_mean() -> None:
    rows = [
        *certain(),
        row("m", "test", 50, 7),
        row("m", "test", 51, 6, 6, 0.2),
        row("m", "test", 52, 1, 5, 1.0),
    ]
    (candidate,) = result_of(rows).candidates
    assert candidate.excluded_classes == [5, 6, 7]
    assert (candidate.no_suggestion, candidate.low_confidence) == (1, 1)
    per_class = {one.label: one for one in result_of(rows).per_class}
    assert candidate.macro_f1 == (per_class[1].f1 + per_class[2].f1) / 2
    assert per_class[5].support == 0


def test_no_threshold_and_nothing_accepted_are_told_apart() -> None:
    quiet = [row("quiet", "validation", n, 1, *((1,) if n < 4 else ())) for n in range(10)]
    shy = [row("shy", "validation", n, 1, 1, 0.9) for n in range(10)]
    test = [row(model, "test", n, 1, 1, 0.3) for n in range(10) for model in ("quiet", "shy")]
    report = tallystick.run("release", [*quiet, *shy, *test])
    assert report.exit_code == 3
    assert "floor" in report.undefined["macro_f1[quiet]"]
    assert "reaches the threshold" in report.undefined["macro_f1[shy]"]
    assert {gate["status"] for gate in report.gates} == {"undefined"}
    assert any("shy: test coverage 0 is under the floor" in warning for warning in report.warnings)


def lay(folder: Path, rows: Iterable[Row | str], name: str = "p.jsonl") -> str:
    lines = [one if isinstance(one, str) else json.dumps(one) for one in rows]
    (folder / name).write_text("".join(f"{line}\n" for line in lines))
    return str(folder / name)


def refusal(folder: Path, capsys: pytest.CaptureFixture[str], rows: Iterable[Row | str], *words: str) -> str:
    """Run what must be refused over a report that is there already, and give what is said."""
    file, report = lay(folder, rows), folder / "report.json"
    report.write_text("the report of yesterday")
    assert main(["release", file, "--output", str(report), *words]) == 2
    assert report.read_text() == "the report of yesterday"
    assert sorted(path.name for path in folder.iterdir()) == ["p.jsonl", "report.json"]
    return capsys.readouterr().err.replace(str(folder) + "/", "")


def test_malformed_records_are_listed_by_kind_with_place_and_count(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows: list[Any] = certain()
    rows[2] = rows[2] | {"split": "dev"}
    rows[3] = {key: value for key, value in rows[3].items() if key != "prediction"}
    rows[4] = rows[4] | {"split": "final"}
    rows[5] = rows[5] | {"prediction": {"label": 1, "confidence": 1.01}}
    rows[6] = rows[6] | {"truth": {"label": True}}
    rows[7] = "{"
    rows[8] = rows[8] | {"model": ""}
    rows[9] = rows[9] | {"subjectKey": "D0" + rows[9]["subjectKey"][2:]}
    said = refusal(tmp_path, capsys, rows)
    listed = [line.strip() for line in said.splitlines()[1:]]
    assert [line.split(": ")[0] for line in listed] == [f"p.jsonl:{n}" for n in (3, 4, 6, 7, 8, 9, 10)]
    assert listed[0].endswith('got "dev"; 1 more like it')
    assert listed[1].startswith("p.jsonl:4: prediction: missing")
    assert 'at "confidence"' in listed[2]


def test_a_subject_in_two_splits_is_named_with_both_places_over_files_and_candidates(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = certain()
    leak = certain("n")[20] | {"split": "validation"}
    other = lay(tmp_path, rows, "first.jsonl")
    file = lay(tmp_path, [*certain("n"), leak])
    assert main(["release", "--predictions", other, "--predictions", file]) == 2
    said = capsys.readouterr().err
    key = leak["subjectKey"]
    assert f"first.jsonl:21: subject {key} is in test, and in validation at" in said
    assert "p.jsonl:41: split: validation, but" in said
    assert said.index("is in test") < said.index("belongs to test")
    assert main(["release", file, "--split-rule", "declared"]) == 2


def test_a_split_that_the_key_does_not_derive_is_refused_unless_splits_are_declared(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [
        one | {"subjectKey": "00" + one["subjectKey"][1] + one["subjectKey"][3:] + "a"} for one in certain()
    ]
    rows = [one | {"subjectKey": f"{n:016x}"} for n, one in enumerate(rows)]
    said = refusal(tmp_path, capsys, rows)
    assert f"p.jsonl:1: split: validation, but subject {0:016x} belongs to train; 39 more like it" in said
    report = tallystick.run("release", rows, split_rule="declared")
    assert any("as declared" in warning for warning in report.warnings)
    assert report.options["split_rule"] == "declared"


@pytest.mark.parametrize(
    ("rule", "byte", "split"),
    [
        ("205,230", 204, "train"),
        ("205,230", 205, "validation"),
        ("205,230", 229, "validation"),
        ("205,230", 230, "test"),
        ("0,128", 0, "validation"),
        ("10,20", 255, "test"),
    ],
)
def test_the_first_byte_of_the_key_gives_the_split(rule: str, byte: int, split: str) -> None:
    one = row("m", split, 1, 1, 1) | {"subjectKey": f"{byte:02x}{'f' * 14}"}
    assert not state_of([one], split_rule=rule).moved
    for other in FIRST:
        if other != split:
            assert len(state_of([one | {"split": other}], split_rule=rule).moved) == 1


@pytest.mark.parametrize("missing", ["validation", "test"])
def test_a_candidate_without_validation_or_test_records_is_refused(missing: str) -> None:
    rows = certain() + [one for one in certain("n") if one["split"] != missing]
    with pytest.raises(SourceError, match=f"candidate 'n' has no {missing} records"):
        tallystick.run("release", rows)


def test_candidates_with_other_test_records_are_warned_of_or_refused() -> None:
    same = [*certain("m"), *reversed(certain("n", wrong=2))]
    assert not any("not tested" in warning for warning in tallystick.run("release", same).warnings)
    tallystick.run("release", same, same_records=True)
    for other in (same[:-1], [*same[:-1], same[-1] | {"truth": {"label": 9}}], [*same, same[-1]]):
        one = [row for row in other if row["split"] == "test"]
        rows = [row for row in same if row["split"] != "test"] + one
        if Counter(map(json.dumps, one)) == Counter(json.dumps(r) for r in same if r["split"] == "test"):
            continue
        assert any("'n' was not tested on" in warning for warning in tallystick.run("release", rows).warnings)
        with pytest.raises(SourceError, match="'n' was not tested on"):
            tallystick.run("release", rows, same_records=True)


def test_labels_are_whole_numbers_or_strings_and_never_mixed() -> None:
    rows = certain()
    rows[3] = rows[3] | {"truth": {"label": "1"}}
    with pytest.raises(SourceError, match="predictions:4: the label '1' is a string, but 1 at predictions:1"):
        tallystick.run("release", rows)
    with pytest.raises(SourceError, match="expected a whole number from 1 to 2"):
        tallystick.run("release", rows, labels="1..2")
    with pytest.raises(SourceError, match="expected one of 1, 3"):
        tallystick.run("release", certain(), labels="3,1")
    with pytest.raises(SourceError, match="expected one of no, yes"):
        tallystick.run("release", certain(), labels="yes,no")


def test_the_label_and_other_fields_may_go_by_other_names() -> None:
    rows = [
        {
            "who": {"patient": one["subjectKey"]},
            "model": one["model"],
            "split": one["split"],
            "gold": {"kind": one["truth"]["label"]},
            "prediction": {"kind": one["prediction"]["label"], "confidence": 1.0, "note": "kept out"},
        }
        for one in certain()
    ]
    names = {"subjectKey": "who.patient", "truth": "gold"}
    report = tallystick.run("release", predictions=rows, label_field="kind", map=names)
    assert report.candidates == tallystick.run("release", certain()).candidates


@pytest.mark.parametrize(
    ("options", "what"),
    [
        ({"split_rule": "230,205"}, "split_rule: expected A,B"),
        ({"split_rule": "205,256"}, "split_rule: expected A,B"),
        ({"split_rule": "derived"}, "split_rule: expected A,B"),
        ({"min_coverage": 0}, "min_coverage: expected a number above 0"),
        ({"min_coverage": 1.01}, "min_coverage: expected a number above 0"),
        ({"min_coverage": "nan"}, "min_coverage: expected a number above 0"),
        ({"min_coverage": "half"}, "min_coverage: expected a decimal number"),
        ({"labels": "1,a"}, "labels: whole numbers and strings are mixed"),
        ({"labels": "7..1"}, "labels: 7 is above 1"),
        ({"labels": "a,a"}, "labels: an empty label, or one twice"),
        ({"labels": "a,"}, "labels: an empty label, or one twice"),
        ({"label_field": "confidence"}, "label_field: confidence is another field"),
        ({"label_field": ""}, "label_field"),
        ({"slice_by": "model"}, "slice_by: release is not sliced"),
        ({"gates": ["ece >= 0.1"]}, "ece is better lower"),
        ({"gates": ["coverage <= 0.1"]}, "coverage is better higher"),
        ({"gates": ["precision[m] >= 0.1"]}, "precision has no better side"),
        ({"gates": ["macro_f1 >= 1.5"]}, "out of range"),
    ],
)
def test_what_cannot_be_honoured_is_refused_before_a_record_is_read(
    options: dict[str, Any], what: str
) -> None:
    def unread() -> Iterator[Row]:
        yield pytest.fail("a record was read")

    with pytest.raises(UsageError, match=what.replace("(", r"\(")):
        tallystick.run("release", unread(), **options)


def test_flags_override_the_gates_and_files_may_be_given_both_ways(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    one, other = lay(tmp_path, certain(wrong=3), "a.jsonl"), lay(tmp_path, certain("n", wrong=4), "b.jsonl")
    loose = ["--min-macro-f1", "0.7", "--min-precision-at-coverage", "0.7", "--max-ece", "0.3"]
    assert main(["release", one, other]) == 3
    assert capsys.readouterr().out.startswith("release: BLOCKED")
    assert main(["release", "--predictions", one, "--predictions", other, *loose]) == 0
    assert main(["release", "--predictions", one, other, *loose]) == 0
    assert capsys.readouterr().out.startswith("release: GO (recommended: m)")
    assert main(["release", one, other, *loose, "--min-test-coverage", "1", "--min-records", "80"]) == 0


def test_a_blocked_report_is_written_verified_and_fails_a_suite(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, report = lay(tmp_path, certain(wrong=3)), str(tmp_path / "report.json")
    assert main(["release", file, "--output", report]) == 3
    assert main(["verify", report, "release", file]) == 0
    held = json.loads(Path(report).read_text())
    assert (held["verdict"], held["recommended"], held["passed"]) == ("BLOCKED", None, False)
    assert main(["verify", report, "release", file, "--max-ece", "0.3"]) == 1
    forged = held | {"verdict": "GO", "recommended": "m", "passed": True}
    Path(report).write_text(json.dumps(forged))
    assert main(["verify", report, "release", file]) == 1
    said = capsys.readouterr().out
    assert 'verdict: claimed "GO", recomputed "BLOCKED"' in said
    suite = tmp_path / "suite.toml"
    suite.write_text('[release]\npredictions = "p.jsonl"\n')
    assert main(["run", str(suite)]) == 1
    suite.write_text('[release]\nfiles = "p.jsonl"\ngates = ["ece <= 0.2", "precision_at_coverage >= 0.8"]\n')
    assert main(["run", str(suite)]) == 0


def test_what_others_miss_is_no_failure_of_a_release_that_is_go() -> None:
    go = tallystick.run("release", certain() + certain("n", wrong=3))
    blocked = tallystick.run("release", certain(wrong=3))
    assert 'failures="0" errors="0" skipped="2"' in junit([("release", go)])
    assert 'failures="2" errors="0" skipped="0"' in junit([("release", blocked)])
    assert annotations([("release", go)]) == ""
    assert annotations([("release", blocked)]).count("::error") == len(blocked.shortfalls) == 2


def test_the_text_begins_with_the_verdict_and_then_each_candidate_by_gate(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["release", lay(tmp_path, certain() + certain("n", wrong=3))])
    verdict, _, *lines = (line.split() for line in capsys.readouterr().out.splitlines())
    assert verdict == ["release:", "GO", "(recommended:", "m)"]
    assert lines[0] == ["m", "macro_f1", ">=", "0.8", "1.0000", "passed"]
    assert [line[0] for line in lines[:6]] == ["m"] * 3 + ["n"] * 3
    assert lines[4][:6] == ["n", "precision_at_coverage", ">=", "0.9", "0.8500", "failed"]
    assert ["threshold", "1.0000", "1.0000"] in lines
    assert ["coverage", "1.0000", "1.0000"] in lines
