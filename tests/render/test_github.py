"""Workflow commands, as a GitHub runner parses them."""

import pytest

from tallystick import Report
from tallystick.render.github import annotations, escape, quiet

CODES = {"%0D": "\r", "%0A": "\n", "%3A": ":", "%2C": ",", "%25": "%"}


def obeyed(output: str) -> list[tuple[str, dict[str, str], str]]:
    """Give the commands in a step's output: name, properties, message; between stop and resume none."""
    found, token = [], None
    for line in output.splitlines():
        text = line.strip()
        if token is not None:
            token = None if text == f"::{token}::" else token
            continue
        if not text.startswith("::") or "::" not in text[2:]:
            continue
        head, _, message = text[2:].partition("::")
        name, _, rest = head.partition(" ")
        if name == "stop-commands":
            token = message
            continue
        properties = dict(part.partition("=")[::2] for part in rest.split(",") if part)
        found.append((name, {k: decoded(v) for k, v in properties.items()}, decoded(message)))
    return found


def decoded(text: str) -> str:
    for code, character in CODES.items():
        text = text.replace(code, character)
    return text


def test_each_gate_that_did_not_pass_is_one_error(hostile: Report, plain: Report, passed: Report) -> None:
    reports = [("h: 1, 2%", hostile), ("plain", plain), ("passed", passed)]
    assert obeyed(annotations(reports)) == [
        ("error", {"title": f"h: 1, 2%: {gate['gate']}"}, gate["message"].replace("\n", "\\n"))
        for gate in hostile.gates
        if gate["status"] != "passed"
    ]


def test_names_from_data_cannot_end_the_line_or_the_title(hostile: Report) -> None:
    text = annotations([("a\n::error::b\r\x1b", hostile)])
    assert len(text.splitlines()) == 2
    assert all(line.startswith("::error title=") for line in text.splitlines())
    assert {title["title"].partition(": recall")[0] for _, title, _ in obeyed(text)} == {
        "a\\n::error::b\\u000d\\u001b"
    }


@pytest.mark.parametrize(
    ("text", "written"), [("100%", "100%25"), ("a\r\nb", "a%0D%0Ab"), ("%0A", "%250A"), ("a:b,c", "a:b,c")]
)
def test_what_would_end_a_command_is_written_as_its_code(text: str, written: str) -> None:
    assert escape(text) == written


def test_commands_in_what_is_printed_between_are_not_obeyed(hostile: Report, plain: Report) -> None:
    before, after = quiet([("hostile", hostile), ("plain", plain)])
    printed = "  ::error::x\n::add-mask::y\n::stop-commands::z\n::z::\n"
    assert obeyed(printed)
    assert obeyed(before + printed + after) == []
    assert obeyed(before + printed + after + "::error::x\n") == [("error", {}, "x")]


def test_what_ends_the_silence_depends_on_every_report(hostile: Report, plain: Report) -> None:
    tokens = {
        quiet(reports) for reports in ([("a", hostile)], [("a", plain)], [("a", hostile), ("b", plain)])
    }
    assert len(tokens) == 3
