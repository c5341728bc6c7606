"""Reports whose labels mean something to XML, Markdown, templates, terminals and runners."""

import pytest

import tallystick
from tallystick import Report

HOSTILE = [
    "</script>",
    "]]>",
    "a|b",
    "`c`",
    "{{x}}",
    "{% x %}",
    "$x$",
    "[a](javascript:b)",
    "![i](j)",
    "# head",
    "*b*",
    "&amp;",
    '"q"',
    "\\|",
    "a\nb",
    "\r\n::error::c",
    "::set-output name=x::y",
    "\x00\x01\x1b[31m",
    "\u202eabc",
    "\ufffe",
    "@team",
    "100%",
]


@pytest.fixture(scope="session")
def hostile() -> Report:
    """Make a report in which every hostile label has a row, and some have gates that do not pass."""
    rows = [{"expected": label, "predicted": "fine", "part": label} for label in HOSTILE]
    gates = ['recall["</script>"] >= 0.5', 'recall["no, such: 100%\\n"] >= 0.5', "accuracy[part=*] >= 0"]
    return tallystick.run("classification", rows, gates=gates, slice_by="part")


@pytest.fixture(scope="session")
def plain() -> Report:
    """Make a report that was asked for no gates."""
    return tallystick.run("calibration", [{"expected": "a", "predicted": "a", "confidence": 1}])


@pytest.fixture(scope="session")
def passed() -> Report:
    """Make a report all of whose gates passed."""
    rows = [{"expected": "a", "predicted": "a", "confidence": 1}] * 40
    return tallystick.run("calibration", rows, gates=["accuracy >= 0.9", "ece <= 0.1"])
