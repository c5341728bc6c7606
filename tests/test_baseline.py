"""Gates relative to an earlier report, what may be blessed, and how two reports differ."""

import json
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Struct

import tallystick
from tallystick import Report, ReportError, UsageError, baseline, gate
from tallystick.cli import main
from tallystick.gate import Gate, Judged
from tallystick.measure import SHARE, Measure, Number
from tallystick.report import digest
from tallystick.schema import schema

Rows = list[dict[str, Any]]
Printed = pytest.CaptureFixture[str]


def records(right: int, wrong: int, part: str = "x") -> Rows:
    """Give records of which some are right."""
    row = {"expected": "a", "confidence": 0.75, "part": part}
    return [{**row, "predicted": "a"}] * right + [{**row, "predicted": "b"}] * wrong


def written(path: Path, rows: Rows) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def judged(old: Rows, new: Rows, text: str, audit: str = "classification", **settings: Any) -> Any:
    """Judge one gate on the new records, relative to a report of the old ones."""
    earlier = tallystick.run(audit, old, **settings)
    return tallystick.run(audit, new, against=earlier, gates=[text], **settings).gates[0]


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("accuracy >= baseline", "accuracy >= baseline"),
        ("accuracy>=baseline-0.01", "accuracy >= baseline - 0.01"),
        ("ece<= baseline   +  5e-3 ", "ece <= baseline + 5e-3"),
        ("recall[billing] >= baseline", "recall[billing] >= baseline"),
        ('recall["a=b"] >= baseline - .1', 'recall["a=b"] >= baseline - 0.1'),
        ("accuracy[part=*] >= baseline - 0.1", "accuracy[part=*] >= baseline - 0.1"),
    ],
)
def test_a_relative_gate_is_written_one_way_and_read_back(text: str, canonical: str) -> None:
    parsed = gate.parse(text)
    assert str(parsed) == canonical
    assert gate.parse(str(parsed)) == parsed
    assert parsed.relative


@pytest.mark.parametrize(
    "limit",
    ["baseline * 0.9", "baseline 0.1", "baseline -", "baseline + -0.1", "baseline - inf", "baselines"],
)
def test_what_is_no_limit_is_refused_before_a_file_is_opened(limit: str) -> None:
    with pytest.raises(UsageError, match=r"not a gate|finite decimal number"):
        tallystick.run("classification", "no such file", gates=[f"accuracy >= {limit}"], against="none")


def test_an_offset_beyond_the_range_of_the_measure_is_refused() -> None:
    with pytest.raises(UsageError, match="no two differ by 2"):
        tallystick.run("classification", "no such file", gates=["accuracy >= baseline - 2"], against="none")


def test_without_a_baseline_a_relative_gate_is_refused_before_a_file_is_opened(capsys: Printed) -> None:
    with pytest.raises(UsageError, match="no baseline is given"):
        tallystick.run("classification", "no such file", gates=["accuracy >= baseline"])
    assert main(["classification", "no such file", "--min-accuracy", "baseline"]) == 2
    said = capsys.readouterr().err
    assert "--min-accuracy: no baseline is given" in said
    assert "--against" in said


def test_the_limit_is_resolved_by_decimals_and_stated() -> None:
    outcome = judged(records(84, 16), records(83, 17), "accuracy >= baseline - 0.01")
    assert (outcome["status"], outcome["limit"], outcome["actual"]) == ("passed", 0.83, 0.83)
    assert outcome["gate"] == "accuracy >= baseline - 0.01"
    outcome = judged(records(84, 16), records(82, 18), "accuracy >= baseline - 0.01")
    assert (outcome["status"], outcome["limit"]) == ("failed", 0.83)
    assert "0.01 short of the limit baseline - 0.01 = 0.83" in outcome["message"]


def test_a_measure_that_is_better_lower_may_rise_by_its_offset() -> None:
    old, new = records(75, 25), records(70, 30)  # ece 0 and 0.05
    assert judged(old, new, "ece <= baseline + 0.05", "calibration")["status"] == "passed"
    assert judged(old, new, "ece <= baseline + 0.049", "calibration")["status"] == "failed"
    assert judged(old, new, "ece <= baseline", "calibration")["status"] == "failed"


class Result(Struct, frozen=True):
    records: int
    accuracy: Annotated[Number, Measure("A share.", better="higher", within=SHARE, counted=True)]


class Stated(Struct, frozen=True):
    """A baseline that states one number."""

    number: float | None

    def value(self, gate: Gate) -> float | None:  # noqa: ARG002
        return self.number

    def slices(self, field: str) -> Mapping[str | None, Mapping[str, Any]]:  # noqa: ARG002
        return {}


def passes(number: float | None, actual: Number, text: str) -> str:
    return gate.judge(gate.parse(text), Judged(Result(1, actual), {}, {}, Stated(number))).status


@given(right=st.integers(1, 10**6), wrong=st.integers(0, 10**6), times=st.integers(1, 5))
def test_an_equal_share_passes_however_it_was_rounded_and_one_record_less_does_not(
    right: int, wrong: int, times: int
) -> None:
    share, records = Fraction(right, right + wrong), (right + wrong) * times
    assert passes(float(share), share, "accuracy >= baseline") == "passed"
    assert passes(float(share), share - Fraction(1, records), "accuracy >= baseline") == "failed"


@given(right=st.integers(10, 10**6), wrong=st.integers(0, 10**6))
def test_a_share_that_is_short_by_the_offset_exactly_passes(right: int, wrong: int) -> None:
    share = Fraction(right, right + wrong)
    if share > Fraction(1, 100):
        lower = share - Fraction(1, 100)
        assert passes(float(share), lower, "accuracy >= baseline - 0.01") == "passed"
        assert passes(float(share), lower - Fraction(1, 10**13), "accuracy >= baseline - 0.01") == "failed"


def test_a_number_that_the_baseline_does_not_have_makes_the_gate_undefined() -> None:
    assert passes(None, Fraction(1), "accuracy >= baseline") == "undefined"
    assert passes(None, Fraction(1), "accuracy >= baseline - 1") == "undefined"
    assert passes(0.0, None, "accuracy >= baseline - 1") == "undefined"
    outcome = judged(records(1, 0), records(1, 1), "recall[b] >= baseline - 1")
    assert (outcome["status"], outcome["limit"]) == ("undefined", None)


def test_rows_are_relative_to_the_same_row() -> None:
    two = [*records(3, 1), {"expected": "b", "predicted": "b"}]
    outcome = judged(two, two, "recall[a] >= baseline")
    assert (outcome["status"], outcome["limit"]) == ("passed", 0.75)
    assert judged(two, two, "recall[a] >= baseline + 0.1")["status"] == "failed"


def test_each_slice_is_relative_to_the_same_slice() -> None:
    old = [*records(9, 1, "x"), *records(5, 5, "y")]
    new = [*records(8, 2, "x"), *records(5, 5, "y")]
    every = judged(old, new, "accuracy[part=*] >= baseline - 0.1", slice_by="part")
    assert every["status"] == "passed"
    one = judged(old, new, "accuracy[part=y] >= baseline", slice_by="part")
    assert (one["status"], one["limit"]) == ("passed", 0.5)
    worst = judged(old, new, "accuracy[part=*] >= baseline - 0.05", slice_by="part")
    assert (worst["status"], worst["limit"], worst["actual"]) == ("failed", 0.85, 0.8)
    assert "accuracy[part=x]" in worst["message"]


def test_the_worst_slice_is_the_one_farthest_beyond_its_own_limit() -> None:
    old = [*records(10, 0, "x"), *records(5, 5, "y")]
    new = [*records(7, 3, "x"), *records(4, 6, "y")]
    worst = judged(old, new, "accuracy[part=*] >= baseline", slice_by="part")
    assert worst["actual"] == 0.7


@pytest.mark.parametrize(("old", "new"), [("x", "xy"), ("xy", "x")])
def test_a_slice_that_only_one_side_has_is_undefined(old: str, new: str) -> None:
    before, after = ([row for part in parts for row in records(3, 1, part)] for parts in (old, new))
    outcome = judged(before, after, "accuracy[part=*] >= baseline - 0.5", slice_by="part")
    assert outcome["status"] == "undefined"
    assert "part=y" in outcome["message"]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a folder with an old and a new file, and the blessed report of the old one."""
    monkeypatch.chdir(tmp_path)
    old = written(tmp_path / "old.jsonl", records(84, 16))
    written(tmp_path / "new.jsonl", records(83, 17))
    tallystick.run("calibration", old, gates=["accuracy >= 0.8"]).save("report.json")
    assert main(["bless", "report.json", "--as", "baseline.json"]) == 0
    return tmp_path


NEW = ["calibration", "new.jsonl", "--against", "baseline.json", "--gate", "accuracy >= baseline - 0.01"]


def test_a_run_states_its_baseline_and_verifies(folder: Path, capsys: Printed) -> None:
    assert main([*NEW, "--output", "new.json"]) == 0
    report = json.loads((folder / "new.json").read_text())
    assert report["baseline"] == {
        "audit": "calibration",
        "revision": report["revision"],
        "digest": Report.load("baseline.json").digest,
    }
    jsonschema.validate(report, schema("calibration")["report"])
    assert main(["verify", "new.json", *NEW]) == 0
    assert capsys.readouterr().out.endswith("0 differences\n")


@pytest.mark.usefixtures("folder")
def test_a_swapped_baseline_is_found_though_no_gate_notices(capsys: Printed) -> None:
    assert main([*NEW, "--output", "new.json"]) == 0
    other = tallystick.run("calibration", "old.jsonl", gates=["accuracy >= 0.7"])
    other.save("baseline.json")
    assert main(["verify", "new.json", *NEW]) == 1
    said = capsys.readouterr().out
    assert "baseline.digest: claimed" in said
    assert Report.load("report.json").digest in said.split("hint:")[1]


@pytest.mark.usefixtures("folder")
def test_a_claim_without_its_baseline_or_with_one_too_many_is_found(capsys: Printed) -> None:
    words = ["calibration", "new.jsonl"]
    assert main([*words, "--output", "bare.json"]) == 0
    assert main(["verify", "bare.json", *words, "--against", "baseline.json"]) == 1
    assert "the claim was judged without a baseline" in capsys.readouterr().out
    assert main([*words, "--against", "baseline.json", "--output", "new.json"]) == 0
    assert main(["verify", "new.json", *words]) == 1
    assert "the claim was judged against the baseline whose digest is" in capsys.readouterr().out


def test_every_edit_of_what_is_said_of_the_baseline_is_found(folder: Path) -> None:
    assert main([*NEW, "--output", "new.json"]) == 0
    held = json.loads((folder / "new.json").read_text())
    for key in held["baseline"]:
        body = {k: v for k, v in held.items() if k not in ("digest", "produced")}
        body["baseline"] = {**body["baseline"], key: "other"}
        (folder / "new.json").write_text(json.dumps({**body, "digest": digest(body)}))
        assert main(["verify", "new.json", *NEW]) == 1, key


def test_other_records_and_other_settings_than_the_baselines_carry_warnings(folder: Path) -> None:
    written(folder / "new.jsonl", records(3, 1))
    said = tallystick.run("calibration", "new.jsonl", bins=5, against="baseline.json").warnings
    assert "the baseline is of 100 records, this run of 4" in said
    assert "bins is 10 in the baseline, and 5 in this run" in said
    assert not tallystick.run("calibration", "old.jsonl", against="baseline.json").warnings


def test_a_baseline_of_another_audit_or_revision_is_refused(folder: Path, capsys: Printed) -> None:
    assert main(["classification", "new.jsonl", "--against", "baseline.json"]) == 2
    assert "baseline.json: is a report of 'calibration', not of 'classification'" in capsys.readouterr().err
    rewrite(folder / "baseline.json", revision=0)
    assert main(NEW) == 2
    assert "revision 0 of calibration" in capsys.readouterr().err


def rewrite(path: Path, **changes: Any) -> None:
    """Change a report, and give it the digest of what it then holds."""
    held = json.loads(path.read_text()) | changes
    body = {k: v for k, v in held.items() if k not in ("digest", "produced") and v != "GONE"}
    path.write_text(json.dumps({**body, "digest": digest(body)}))


def test_a_report_that_was_changed_is_no_baseline(folder: Path, capsys: Printed) -> None:
    path = folder / "baseline.json"
    path.write_text(path.read_text().replace('"accuracy": 0.84', '"accuracy": 0.5'))
    assert main(NEW) == 2
    assert main(["bless", "baseline.json", "--as", "other.json"]) == 2
    assert main(["diff", "baseline.json", "report.json"]) == 2
    assert capsys.readouterr().err.count("its digest is not that of what it holds") == 3
    assert not (folder / "other.json").exists()


@pytest.mark.parametrize("key", ["options", "inputs", "result", "slices", "undefined", "gates", "passed"])
def test_a_report_that_lacks_a_part_is_not_whole(folder: Path, key: str, capsys: Printed) -> None:
    rewrite(folder / "report.json", **{key: "GONE"})
    assert main(["bless", "report.json", "--as", "other.json"]) == 2
    assert "not a" in capsys.readouterr().err
    assert not (folder / "other.json").exists()


def test_a_report_that_did_not_pass_is_not_blessed(folder: Path, capsys: Printed) -> None:
    before = (folder / "baseline.json").read_bytes()
    tallystick.run("calibration", "new.jsonl", gates=["accuracy >= 0.99"]).save("failed.json")
    assert main(["bless", "failed.json", "--as", "baseline.json"]) == 2
    assert "failed.json: did not pass: accuracy >= 0.99" in capsys.readouterr().err
    rewrite(folder / "failed.json", passed=True)
    assert main(["bless", "failed.json", "--as", "baseline.json"]) == 2
    assert (folder / "baseline.json").read_bytes() == before


def test_a_blessed_report_is_the_report_and_is_not_written_onto_itself(folder: Path) -> None:
    assert (folder / "baseline.json").read_bytes() == (folder / "report.json").read_bytes()
    (folder / "link.json").symlink_to("report.json")
    assert main(["bless", "report.json", "--as", "link.json"]) == 2
    tallystick.run("calibration", "new.jsonl").save("bare.json")
    assert main(["bless", "bare.json", "--as", "baseline.json"]) == 0


@pytest.mark.usefixtures("folder")
def test_diff_shows_each_change_and_its_direction(capsys: Printed) -> None:
    tallystick.run("calibration", "new.jsonl").save("new.json")
    assert main(["diff", "report.json", "new.json"]) == 2
    assert "--allow-different-data" in capsys.readouterr().err
    assert main(["diff", "report.json", "new.json", "--allow-different-data"]) == 0
    lines = {line.split()[0]: line.split()[1:] for line in capsys.readouterr().out.splitlines() if line}
    assert lines["accuracy"] == ["0.8400", "0.8300", "-0.0100", "worse"]
    assert lines["ece"][-1] == "better"
    assert lines["records"] == ["100", "100", "0", "same"]
    assert lines["mean_confidence"][-1] == "same"


@pytest.mark.usefixtures("folder")
def test_diff_as_json_subtracts_decimals(capsys: Printed) -> None:
    tallystick.run("calibration", "new.jsonl").save("new.json")
    assert main(["diff", "report.json", "new.json", "--allow-different-data", "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    accuracy = next(line for line in found["measures"] if line["measure"] == "accuracy")
    assert accuracy == {
        "measure": "accuracy",
        "old": 0.84,
        "new": 0.83,
        "change": -0.01,
        "verdict": "worse",
    }


@pytest.mark.usefixtures("folder")
def test_reports_of_the_same_data_differ_by_their_settings(capsys: Printed) -> None:
    tallystick.run("calibration", "old.jsonl", bins=2).save("two.json")
    assert main(["diff", "report.json", "two.json"]) == 0
    assert "warning: bins is 10 in the old report, and 2 in the new one" in capsys.readouterr().out


@pytest.mark.usefixtures("folder")
def test_an_undefined_measure_has_no_change() -> None:
    for name, confidence in (("old", "0.9"), ("new", "0.7")):
        report = tallystick.run("selective", "old.jsonl", confidence_threshold=float(confidence))
        report.save(f"{name}.json")
    lines = {line.measure: line for line in baseline.compare("old.json", "new.json").measures}
    assert (lines["risk"].old, lines["risk"].change, lines["risk"].verdict) == (None, None, "undefined")
    assert lines["coverage"].verdict == "better"


def test_diff_refuses_other_audits_and_revisions(folder: Path, capsys: Printed) -> None:
    tallystick.run("classification", "old.jsonl").save("other.json")
    assert main(["diff", "report.json", "other.json", "--allow-different-data"]) == 2
    assert "different audits: 'calibration' and 'classification'" in capsys.readouterr().err
    rewrite(folder / "report.json", revision=9)
    assert main(["diff", "report.json", "baseline.json", "--allow-different-data"]) == 2
    assert "different revisions" in capsys.readouterr().err


@pytest.mark.usefixtures("folder")
def test_records_without_a_digest_are_not_known_to_be_the_same() -> None:
    for name in ("one.json", "two.json"):
        tallystick.run("calibration", records(3, 1)).save(name)
    with pytest.raises(ReportError, match="not known to be of the same inputs"):
        baseline.compare("one.json", "two.json")
    assert baseline.compare("one.json", "two.json", different_data=True).warnings == ()


def test_a_suite_names_a_baseline_beside_it(folder: Path, capsys: Printed) -> None:
    named = 'against = "baseline.json"\n'
    suite = f'[calibration]\nfiles = "new.jsonl"\n{named}gates = "accuracy >= baseline - OFFSET"\n'
    (folder / "suite.toml").write_text(suite.replace("OFFSET", "0.01"))
    assert main(["run", "suite.toml", "--output", "suite.json"]) == 0
    assert main(["verify", "suite.json", "--suite", "suite.toml"]) == 0
    assert main(["run", "suite.toml", "--output", "baseline.json"]) == 2
    (folder / "suite.toml").write_text(suite.replace("OFFSET", "0.001"))
    assert main(["run", "suite.toml"]) == 1
    (folder / "suite.toml").write_text(suite.replace(named, ""))
    assert main(["run", "suite.toml"]) == 2
    assert "suite.toml: calibration" in capsys.readouterr().err
