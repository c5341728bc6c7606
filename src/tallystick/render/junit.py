"""Reports as JUnit XML, which CI systems show as tests: a suite an audit, a test case a gate.

A gate that failed or is undefined is a failure, with its message; where rows compete and one passes, the
gates that others do not pass are skipped test cases. An audit without gates has one skipped test case of its
own name: it decided nothing, and a green test would say that it had.
"""

from collections.abc import Sequence
from typing import Any
from xml.etree import ElementTree as ET

from ..report import Report, verdict
from .layout import clean


def junit(reports: Sequence[tuple[str, Report]]) -> str:
    """Write named reports as one JUnit document."""
    root = _counted(ET.Element("testsuites", name="tally"), [report for _, report in reports])
    for name, report in reports:
        root.append(_suite(name, report))
    ET.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ET.tostring(root, encoding="unicode")}\n'


def _suite(name: str, report: Report) -> ET.Element:
    suite = _counted(ET.Element("testsuite", name=clean(name)), [report])
    if made := report.produced.get("at"):
        suite.set("timestamp", clean(str(made)).removesuffix("Z"))
    for gate in report.gates:
        _case(suite, name, gate, "failure" if gate in report.shortfalls else "skipped")
    if not report.gates:
        ET.SubElement(_named(suite, name, name), "skipped", message=verdict(report.body))
    said = [f"{report.audit}: {verdict(report.body)}", *(f"warning: {one}" for one in report.warnings)]
    ET.SubElement(suite, "system-out").text = "\n".join(map(clean, said))
    return suite


def _case(suite: ET.Element, audit: str, gate: dict[str, Any], otherwise: str) -> None:
    case = _named(suite, audit, gate["gate"])
    if gate["status"] != "passed":
        outcome = ET.SubElement(case, otherwise, message=clean(gate["message"]))
        if otherwise == "failure":
            outcome.set("type", clean(gate["status"]))
            outcome.text = clean(f"{gate['gate']}: {gate['message']}")


def _named(suite: ET.Element, audit: str, name: str) -> ET.Element:
    return ET.SubElement(suite, "testcase", classname=f"tally.{clean(audit)}", name=clean(name), time="0")


def _counted(element: ET.Element, reports: Sequence[Report]) -> ET.Element:
    """Set what JUnit counts; the time is that of the audits, for gates take none."""
    gates = [gate for report in reports for gate in report.gates]
    bare = sum(not report.gates for report in reports)
    short = sum(len(report.shortfalls) for report in reports)
    skipped = bare + sum(gate["status"] != "passed" for gate in gates) - short
    for name, count in {
        "tests": len(gates) + bare,
        "failures": short,
        "errors": 0,
        "skipped": skipped,
    }.items():
        element.set(name, str(count))
    element.set("time", f"{sum(report.produced.get('seconds', 0) for report in reports):.3f}")
    return element
