"""Reports that were written once are read for ever, and are what the published schemas say."""

import json
from pathlib import Path

import jsonschema
import pytest

from golden_cases import GOLDEN
from tallystick import Report
from tallystick.schema import envelope, schema
from tallystick.suite_run import run_suite

REPORTS = sorted(GOLDEN.glob("*/*/report.json"))
ROOT = Path(__file__).resolve().parent.parent
every_report = pytest.mark.parametrize(
    "path", REPORTS, ids=lambda p: f"{p.parent.parent.name}-{p.parent.name}"
)


@every_report
def test_a_report_is_read_and_has_its_own_digest(path: Path) -> None:
    held = json.loads(path.read_bytes())
    report = Report.load(path)
    assert report.digest == held["digest"]
    assert report.passed is held["passed"]
    assert report.records == held["result"]["records"]


@every_report
def test_a_report_is_what_the_schemas_say(path: Path) -> None:
    held = {**json.loads(path.read_bytes()), "produced": {}}
    for wanted in (envelope()["report"], schema(held["audit"])["report"]):
        jsonschema.Draft202012Validator.check_schema(wanted)
        jsonschema.validate(held, wanted)


def test_the_schema_refuses_what_is_no_report() -> None:
    held = {**json.loads(REPORTS[0].read_bytes()), "produced": {}}
    for key in ("digest", "gates", "result"):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate({k: v for k, v in held.items() if k != key}, envelope()["report"])


def test_the_report_of_a_suite_is_what_its_schema_says() -> None:
    held = json.loads(run_suite(ROOT / "examples" / "suite.toml").to_json())
    jsonschema.validate(held, envelope()["suite"])
    for audit in held["audits"]:
        wanted = schema(audit["audit"])["report"]
        body = {key: value for key, value in audit.items() if key != "name"}
        jsonschema.validate({**body, "digest": "0" * 64, "produced": {}}, wanted)
