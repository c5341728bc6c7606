"""Nothing that others wrote steers who reads a report: every form of it, and every message about it."""

import io
import json
import os
import pty
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt
from rich.console import Console, RenderableType

import tallystick
from nasty import MARK, NASTY, unsafe, unstyled
from tallystick import Report, TallystickError
from tallystick.baseline import Comparison, Line
from tallystick.cli import main
from tallystick.fields import line
from tallystick.look import look
from tallystick.peek import page
from tallystick.render import text as terminal
from tallystick.render.github import annotations
from tallystick.render.junit import junit
from tallystick.render.layout import SHOWN, clean
from tallystick.render.markdown import markdown
from tallystick.report import SuiteReport
from tallystick.starter import starter
from tallystick.verify import Difference, Step, Verification

LABELS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=30) | st.sampled_from(NASTY)
GOLDEN = Path(__file__).parent.parent / "golden"


def reported(labels: list[str], field: str = "part") -> Report:
    """Make a report whose rows, gates, slices and warnings are named by labels."""
    rows = [{"expected": label, "predicted": "fine", field: label} for label in labels]
    gates = [f"recall[{json.dumps(label)}] >= 0.5" for label in labels]
    return tallystick.run(
        "classification", rows, gates=gates, slice_by="kind", map={"kind": field}, max_rows=len(labels) + 1
    )


def forged(label: str, golden: str = "release/pass-two-candidates") -> Report:
    """Make a report that says of itself what no audit would: every name in it is a nasty one."""
    body = json.loads((GOLDEN / golden / "report.json").read_bytes())
    body = {key: value for key, value in body.items() if key not in ("digest", "produced")}
    body["result"] |= {label: 0.5, f"{label}_rows": [{label: label, "x": 1}], f"{label}_none": None}
    body["result"]["omitted"] = {f"{label}_rows": label}
    body["undefined"] |= {f"{label}_none": label}
    body["warnings"] = [label]
    body["gates"] = [gate | {"status": label, "message": label} for gate in body["gates"]]
    if "recommended" in body:
        body["recommended"] = label
    one = {"value": label, "result": {label: 1}}
    body["slices"] = [{"field": label, "slices": [one], "omitted_slices": 1, "omitted_records": 1}]
    return Report(body, {"at": label, "files": [label], "seconds": 0.1})


def printed(made: Callable[[bool], RenderableType]) -> Iterator[str]:
    """Print what is for a terminal, wide and narrow, dressed and plain."""
    for width in (40, 80, 1000):
        for plain in (True, False):
            paper = io.StringIO()
            options: Any = {"highlight": False, "emoji": False, "markup": False, "color_system": "standard"}
            Console(file=paper, force_terminal=not plain, width=width, **options).print(made(plain))
            yield paper.getvalue()


def joined(text: str) -> str:
    """Leave out where lines were broken."""
    return "".join(text.split())


class Page(HTMLParser):
    """What a page made of Markdown has: its tags, and its texts in code and outside of it."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.code = self.other = ""
        self._deep = 0
        renderer = MarkdownIt("commonmark", {"linkify": False}).enable(["table", "strikethrough"])
        self.feed(renderer.render(text))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        self._deep += tag == "code"

    def handle_endtag(self, tag: str) -> None:
        self._deep -= tag == "code"

    def handle_data(self, data: str) -> None:
        if self._deep:
            self.code += data
        else:
            self.other += data


OURS = {"h1", "h2", "h3", "p", "ul", "li", "code", "strong", "details", "summary"} | {
    *("table", "thead", "tbody", "tr", "th", "td")
}


def check_everywhere(report: Report, name: str, *, recovered: tuple[str, ...] = ()) -> None:
    """Write a report in every form, and hold each to what it may contain; labels are to be found in it."""
    for text in printed(lambda plain: terminal.text(report, plain=plain)):
        assert not unsafe(unstyled(text))
    suite = SuiteReport({name: report}, "0" * 64)
    for text in printed(lambda _plain: terminal.suite(suite)):
        assert not unsafe(unstyled(text))

    check_markdown(markdown([(name, report)], "BLOCKED"), recovered)

    xml = junit([(name, report)])
    assert not unsafe(xml)
    root = ET.fromstring(xml)  # noqa: S314  our own
    assert [case.get("name") for case in root.iter("testcase")] == [
        line(gate["gate"]) for gate in report.gates
    ]
    assert root[0].get("name") == line(name)

    lines = annotations([(name, report)]).splitlines()
    assert len(lines) == len(report.shortfalls)
    assert all(one.startswith("::error title=") and one.count("::") >= 2 and not unsafe(one) for one in lines)

    for made in (report, suite):
        data = made.to_json().decode("utf-8")
        assert not unsafe(data)
        assert "##[" not in data
        assert json.loads(data) == json.loads(json.dumps(json.loads(data)))
        assert not unsafe(repr(made))
    assert json.loads(report.to_json()) == json.loads(json.dumps(report.to_dict()))


def check_markdown(text: str, recovered: tuple[str, ...] = ()) -> None:
    """Hold a page to our own tags, to data in code alone, and to nothing that links, fills in or mentions."""
    page = Page(text)
    assert not unsafe(text)
    assert not any(sign in text for sign in ("{{", "{%", "{#", "${", "<script", "<img", "<!--"))
    assert page.tags <= OURS
    assert page.attributes <= {"style"}
    assert MARK not in page.other
    outside = re.sub(r"`[^`]*`", "", text)
    assert all(sign not in outside for sign in ("://", "www.", "_", "~", "[", "]", "$", "@", "\\"))
    assert not re.search(r"&#64;(?!</code>)", outside)
    for label in recovered:
        assert clean(label)[:150] in page.code


def test_every_form_of_a_report_shows_nasty_labels_and_obeys_none() -> None:
    report = reported(NASTY)
    check_everywhere(
        report, NASTY[0], recovered=tuple(row["label"] for row in report.result["per_label"][:SHOWN])
    )


@pytest.mark.parametrize(
    "label", ["[red]x[/red]", "[link=https://evil.example]x[/link]", ":smile:", "[/]", "\\[x]"]
)
def test_what_is_markup_to_the_library_that_prints_is_shown_as_it_is(label: str) -> None:
    report = reported([label])
    for text in printed(lambda plain: terminal.text(report, plain=plain)):
        assert label in joined(unstyled(text))
        assert "\x1b]8" not in text


@given(st.lists(LABELS, min_size=1, max_size=3, unique=True), LABELS)
@example(["a_b\\ _c_"], "_\x1f")
@example(["{a@evil.example", "{www.evil.example"], "\\@x")
def test_labels_of_any_characters_steer_no_form_of_a_report(labels: list[str], name: str) -> None:
    check_everywhere(reported(labels), name)


@settings(max_examples=20)
@given(LABELS)
def test_a_forged_report_steers_nobody_who_looks_at_it(label: str) -> None:
    for golden in ("release/pass-two-candidates", "calibration/fail"):
        check_everywhere(forged(label, golden), label)


@given(LABELS)
def test_differences_and_verifications_are_as_safe(label: str) -> None:
    difference = Difference(label, label, label)
    outcome = Verification((Step(label, 1, (difference,) * 30, label),))
    found = Comparison(label, (Line(label, 0.5, 0.25, -0.25, "worse"),), (label,))
    for text in (
        *printed(lambda _plain: terminal.verification(outcome)),
        *printed(lambda plain: terminal.comparison(found, plain=plain)),
    ):
        assert not unsafe(unstyled(text))


@given(LABELS, LABELS, LABELS)
def test_errors_are_one_safe_line(where: str, what: str, hint: str) -> None:
    said = str(TallystickError(where, what, hint))
    assert not unsafe(said)
    assert "\n" not in said


def records(folder: Path, field: str, labels: list[str]) -> Path:
    """Write records whose labels and whose one field more are nasty."""
    path = folder / "records.jsonl"
    rows = [{"id": label, "expected": label, "predicted": label, field: label} for label in labels] * 2
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    return path


def named(label: str) -> str:
    """Make of a text what can name a file."""
    return label.replace("/", "_").replace("\0", "_").encode()[:200].decode("utf-8", "ignore")


@given(LABELS, LABELS)
def test_a_look_at_a_file_shows_no_name_as_it_is(tmp_path_factory: Any, field: str, label: str) -> None:
    path = records(tmp_path_factory.mktemp("look"), field, ["a", label])
    assert not unsafe(page(look(path), None))


@pytest.mark.parametrize("name", [name for name in NASTY if "/" not in name][::9])
def test_what_a_look_gives_to_paste_names_the_file(name: str, tmp_path: Path) -> None:
    path = records(tmp_path, MARK, ["a"]).rename(tmp_path / named(name))
    command = next(
        said for said in page(look(str(path), "jsonl")).splitlines() if "tally classification" in said
    )
    words = command.split("tally classification ", 1)[1]
    given = subprocess.run(
        ["/bin/bash", "-c", f"printf '%s\\0' {words}"], capture_output=True, check=True
    ).stdout
    assert os.fsdecode(given.split(b"\0")[0]) == str(path)


@pytest.mark.parametrize("name", NASTY)
def test_a_first_suite_means_what_it_says_whatever_the_names(name: str, tmp_path: Path) -> None:
    folder = tmp_path / named(f"x{name}")
    folder.mkdir()
    path = records(folder, f"{name}!", ["a"])
    text = starter([path], tmp_path)
    assert not unsafe(text)
    tables = tomllib.loads(text)
    files = {one["files"] for listed in tables.values() for one in listed}
    assert files == {os.path.relpath(path, tmp_path)}
    assert all(set(one) <= {"name", "files", "map", "as_text", "gates"} for one in tables["classification"])


def test_a_first_suite_is_not_written_for_a_name_that_is_no_text(tmp_path: Path) -> None:
    path = tmp_path / os.fsdecode(b"\xff.jsonl")
    path.write_text('{"expected": "a", "predicted": "a"}\n', encoding="utf-8")
    with pytest.raises(TallystickError, match="is not UTF-8") as fault:
        starter([path], tmp_path)
    assert not unsafe(str(fault.value))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Make a folder with nasty records, reports of them, and a suite of nasty names."""
    folder = tmp_path_factory.mktemp("nasty")
    records(folder, MARK, NASTY)
    gates = "".join(f"    {toml(f'recall[{json.dumps(label)}] >= 2e-1')},\n" for label in NASTY)
    tables = [
        f'[[classification]]\nname = {toml(label)}\nfiles = "records.jsonl"\nslice_by = "{MARK}"\n'
        f"gates = [\n{gates if place == 0 else ''}]\n"
        for place, label in enumerate(NASTY[29:40])
    ]
    (folder / "suite.toml").write_text("\n".join(tables), encoding="utf-8")
    for name, expected in {"old": "fine", "new": "\x1b[7m"}.items():
        rows = [{"expected": expected, "predicted": "fine"}]
        tallystick.run("classification", rows).save(folder / f"{name}.json")
    tallystick.run("classification", folder / "records.jsonl", slice_by=MARK).save(folder / "nasty.json")
    (folder / "forged.json").write_bytes(forged("\x1b[7m\u202e\n::error::x", "calibration/fail").to_json())
    return folder


def toml(text: str) -> str:
    """Write a string of TOML."""
    return '"' + "".join(f"\\U{ord(character):08x}" for character in text) + '"'


ESC = "\x1b[7m\u202e\x9b\n::error::x##[error]x"
"""What would turn a terminal's colours and directions, and speak to a runner."""

COMMANDS: list[tuple[list[str], int | None]] = [
    (["classification", "records.jsonl", "--slice-by", MARK, "--markdown", "r.md", "--junit", "r.xml"], 0),
    (["classification", "records.jsonl", "--gate", f"recall[{json.dumps(ESC)}] >= 0.5"], 1),
    (["classification", "records.jsonl", "--format", "json"], 0),
    (["run", "suite.toml"], None),
    (["run", "suite.toml", "--format", "json"], None),
    (["peek", "records.jsonl"], 0),
    (["diff", "old.json", "new.json", "--allow-different-data"], 0),
    (["diff", "forged.json", "forged.json", "--allow-different-data"], None),
    (["diff", "forged.json", "forged.json", "--allow-different-data", "--format", "json"], None),
    (["verify", "forged.json", "calibration", "records.jsonl"], None),
    (["verify", "old.json", "classification", "records.jsonl"], 1),
    (["verify", "old.json", "classification", "records.jsonl", "--format", "json"], 1),
    (["render", "forged.json"], None),
    (["render", "forged.json", "--markdown"], None),
    (["render", "nasty.json", "--markdown"], 0),
    (["plot", "forged.json"], None),
    (["plot", "nasty.json"], 0),
    (["plot", "nasty.json", "confusion"], 0),
    (["plot", "nasty.json", ESC], 2),
    (["render", ESC], 2),
    (["verify", ESC, "classification", "--help"], None),
    (["classification", f"{ESC}.jsonl"], 2),
    (["classification", "records.jsonl", "--slice-by", ESC], 2),
    (["classification", "records.jsonl", "--map", f"expected={ESC}"], 2),
    (["classification", "records.jsonl", "--min-accuracy", ESC], 2),
    (["classification", "records.jsonl", "--gate", ESC], 2),
    (["classification", "records.jsonl", f"--{ESC}"], 2),
    (["classification", "records.jsonl", "--output", f"{ESC}/x"], 2),
    (["classification", "records.jsonl", "--format", ESC], 2),
    (["classification", "records.jsonl", "--input-format", ESC], 2),
    (["classification", "records.jsonl", "--against", ESC], 2),
    (["calibration", "records.jsonl", "--map", f"confidence={MARK}"], 2),
    (["calibration", "records.jsonl", "--bins", ESC], 2),
    (["run", ESC], 2),
    (["run", "suite.toml", "--only", ESC], 2),
    (["explain", ESC], 2),
    (["list", ESC], 2),
    (["schema", ESC], 2),
    ([ESC], 2),
    (["init", "records.jsonl", "--output", "made\x1b[7m\u202e.toml"], 0),
    (["bless", "old.json", "--as", "made\x1b[7m\u202e.json"], None),
]


@pytest.mark.parametrize(("words", "code"), COMMANDS, ids=lambda value: str(value)[:40].encode().hex()[:24])
@pytest.mark.parametrize("runner", [False, True], ids=["shell", "runner"])
def test_no_command_prints_what_steers(
    words: list[str], code: int | None, runner: bool, folder: Path,
    monkeypatch: pytest.MonkeyPatch, capfdbinary: Any
) -> None:  # fmt: skip
    monkeypatch.chdir(folder)
    if runner:
        monkeypatch.setenv("GITHUB_ACTIONS", "true")
    for made in folder.glob("made*"):
        made.unlink()
    done = main(words)
    if code is not None:
        assert done == code
    out, err = (part.decode("utf-8") for part in capfdbinary.readouterr())
    assert out or err
    assert not unsafe(out + err)
    if runner and words[0] != "plot":  # a picture is as it is, wherever it is printed
        assert not obeyed(out + err)


def obeyed(output: str) -> list[str]:
    """Give the lines that a runner of GitHub would obey, but for our own annotations."""
    found, token = [], None
    for said in output.splitlines():
        if token is not None:
            token = None if said == f"::{token}::" else token
        elif said.startswith("::stop-commands::"):
            token = said.removeprefix("::stop-commands::")
        elif not said.startswith("::error title=") and (said.lstrip().startswith("::") or "##[" in said):
            found.append(said)
    return found


def on_a_terminal(words: list[str], folder: Path) -> str:
    """Give what a command as a process prints on a terminal, without its own styles."""
    leader, follower = pty.openpty()
    environment = {key: value for key, value in os.environ.items() if key != "NO_COLOR"}
    environment |= {"TERM": "xterm-256color", "COLUMNS": "80"}
    command = [sys.executable, "-m", "tallystick", *words]
    with subprocess.Popen(command, stdout=follower, stderr=follower, env=environment, cwd=folder):
        os.close(follower)
        said = b"".join(iter(lambda: read(leader), b""))
    os.close(leader)
    return unstyled(said.decode("utf-8"))


def read(handle: int) -> bytes:
    try:
        return os.read(handle, 65536)
    except OSError:  # how Linux says that the other end is closed
        return b""


@pytest.mark.parametrize("place", [0, 2, 3, 5, 9, 10, 12, 14, 15])
def test_no_process_sends_a_terminal_what_steers_it(place: int, folder: Path) -> None:
    words, _ = COMMANDS[place]
    words = [*words, "--quiet"] if words[0] in ("classification", "run", "verify") else words
    said = on_a_terminal(words, folder)
    assert said
    assert not unsafe(said)
    piped = subprocess.run(
        [sys.executable, "-m", "tallystick", *words], cwd=folder, capture_output=True, check=False
    )
    assert not unsafe((piped.stdout + piped.stderr).decode("utf-8"))
