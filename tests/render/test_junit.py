"""JUnit XML as its readers take it."""

from xml.etree import ElementTree as ET

import junitparser
import pytest

from tallystick import Report
from tallystick.render.junit import junit

SHAPE = {
    "testsuites": ({"name", "tests", "failures", "errors", "skipped", "time"}, ["testsuite"]),
    "testsuite": (
        {"name", "tests", "failures", "errors", "skipped", "time", "timestamp"},
        ["testcase", "system-out"],
    ),
    "testcase": ({"name", "classname", "time"}, ["skipped", "failure"]),
    "failure": ({"type", "message"}, []),
    "skipped": ({"message"}, []),
    "system-out": (set(), []),
}
"""What Surefire and Jenkins agree on: the attributes of each element, and its children in their order."""


def check(element: ET.Element) -> None:
    attributes, children = SHAPE[element.tag]
    assert set(element.attrib) == attributes
    places = [children.index(child.tag) for child in element]
    assert places == sorted(places)
    for child in element:
        check(child)


@pytest.fixture
def reports(hostile: Report, plain: Report, passed: Report) -> list[tuple[str, Report]]:
    return [("hostile <|>", hostile), ("plain", plain), ("passed", passed)]


def test_it_has_the_shape_that_jenkins_and_surefire_share(reports: list[tuple[str, Report]]) -> None:
    root = ET.fromstring(junit(reports))  # noqa: S314  our own
    assert root.tag == "testsuites"
    check(root)


def test_junitparser_reads_a_suite_an_audit_and_a_case_a_gate(reports: list[tuple[str, Report]]) -> None:
    read = junitparser.JUnitXml.fromstring(junit(reports).encode())
    suites = list(read)
    assert [suite.name for suite in suites] == ["hostile <|>", "plain", "passed"]
    assert (read.tests, read.failures, read.errors, read.skipped) == (6, 2, 0, 1)
    assert [(s.tests, s.failures, s.skipped) for s in suites] == [(3, 2, 0), (1, 0, 1), (2, 0, 0)]
    counted = [sum(bool(case.result) for case in suite) for suite in suites]
    assert counted == [2, 1, 0]
    assert [case.name for case in suites[2]] == ["accuracy >= 0.9", "ece <= 0.1"]
    assert [case.classname for case in suites[2]] == ["tally.passed"] * 2


def test_a_failed_and_an_undefined_gate_are_failures_with_their_message(hostile: Report) -> None:
    (suite,) = junitparser.JUnitXml.fromstring(junit([("h", hostile)]).encode())
    failed, undefined, _ = (case.result for case in suite)
    assert isinstance(failed[0], junitparser.Failure)
    assert (failed[0].type, failed[0].message) == ("failed", "recall is 0, 0.5 short of the limit 0.5")
    assert isinstance(undefined[0], junitparser.Failure)
    assert undefined[0].type == "undefined"
    assert 'there is no row "no, such: 100%\\n"' in undefined[0].message
    assert failed[0].text.startswith('recall["</script>"] >= 0.5: ')


def test_an_audit_without_gates_is_one_skipped_case(plain: Report) -> None:
    text = junit([("plain", plain)])
    (suite,) = junitparser.JUnitXml.fromstring(text.encode())
    (case,) = suite
    assert case.name == "plain"
    assert isinstance(case.result[0], junitparser.Skipped)
    assert case.result[0].message == "no gates were asked for"
    said = ET.fromstring(text).findtext("testsuite/system-out") or ""  # noqa: S314  our own
    assert said.splitlines()[0] == "calibration: no gates were asked for"
    assert said.splitlines()[1].startswith("warning: fewer than 30 records (1)")


def test_nothing_that_xml_or_a_terminal_forbids_remains(hostile: Report) -> None:
    text = junit([("\x00\u202e\n", hostile)])
    assert all(c.isprintable() or c == "\n" for c in text)
    assert ET.fromstring(text)[0].get("name") == "\\u0000\\u202e\\n"  # noqa: S314  our own


def test_no_reports_are_an_empty_document() -> None:
    assert ET.fromstring(junit([])).get("tests") == "0"  # noqa: S314  our own
