"""`tally render`: a report's file in its other forms."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tallystick.cli import main

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
RUN = [
    "selective",
    str(EXAMPLES / "digits-candidate.jsonl"),
    "--confidence-threshold",
    "0.9",
    "--max-risk",
    "0.001",
]
Printed = pytest.CaptureFixture[str]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("tallystick.render.html.document.svg", lambda *_, **__: "<svg></svg>")
    assert main([*RUN, "--output", "one.json"]) == 1
    assert main(["run", str(EXAMPLES / "suite.toml"), "--output", "all.json"]) == 0
    return tmp_path


@pytest.mark.parametrize("report", ["one.json", "all.json"])
@pytest.mark.parametrize("form", ["--html", "--markdown", "--text"])
def test_a_file_holds_what_would_be_printed(report: str, form: str, capsys: Printed) -> None:
    capsys.readouterr()
    assert main(["render", report, form]) == 0
    printed = capsys.readouterr().out
    assert main(["render", report, form, "out"]) == 0
    assert main(["render", report, "twice", form]) == 0
    assert main(["render", report, "-", form]) == 0
    assert Path("out").read_text() == Path("twice").read_text() == printed == capsys.readouterr().out
    assert printed.startswith("<!DOCTYPE html>") is (form == "--html")
    assert ("GO" if report == "all.json" else "FAILED") in printed


@pytest.mark.parametrize(
    ("words", "report"), [(RUN, "one.json"), (["run", str(EXAMPLES / "suite.toml")], "all.json")]
)
def test_it_writes_the_page_that_the_run_writes(words: list[str], report: str) -> None:
    main([*words, "--output", report, "--html", "run.html"])
    assert main(["render", report, "--html", "later.html"]) == 0
    assert Path("run.html").read_bytes() == Path("later.html").read_bytes()


def test_text_is_the_form_where_none_is_named(capsys: Printed) -> None:
    capsys.readouterr()
    assert main(["render", "one.json"]) == 0
    assert capsys.readouterr().out.startswith("selective: FAILED")


def test_a_plot_is_drawn_by_its_name(capsys: Printed) -> None:
    assert main(["render", "one.json", "--svg", "risk-coverage", "plot.svg"]) == 0
    assert Path("plot.svg").read_text().startswith("<svg")
    assert main(["render", "all.json", "--svg", "candidate is calibrated/reliability", "other.svg"]) == 0
    assert Path("other.svg").read_text().startswith("<svg")
    for report, name in (("one.json", "reliabilty"), ("all.json", "reliability")):
        assert main(["render", report, "--svg", name, "none.svg"]) == 2
        assert "there are: " in capsys.readouterr().err
    assert not Path("none.svg").exists()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["one.json", "--html", "--markdown"], "--html: one form at a time, and --markdown is given too"),
        (["one.json", "--html", "one.json"], "output would overwrite the input"),
        (["one.json", "--html", "none/out.html"], "there is no directory"),
        (["none.json", "--html"], "none.json: cannot be read"),
        (["text.json", "--html"], "text.json: is not JSON"),
        (["damaged.json", "--html", "out.html"], "damaged.json: its digest is not that of what it holds"),
        (["part.json", "--html", "out.html"], "part.json: is not a whole report"),
        (["damaged-suite.json", "--text"], "damaged-suite.json: its digest is not that of what it holds"),
    ],
)
def test_what_cannot_be_shown_is_refused(words: list[str], said: str, capsys: Printed) -> None:
    Path("text.json").write_text("no")
    one, every = (json.loads(Path(name).read_text()) for name in ("one.json", "all.json"))
    before = Path("one.json").read_bytes()
    one["result"]["risk"] = 0.0
    every["audits"][0]["result"]["accuracy"] = 1.0
    Path("damaged.json").write_text(json.dumps(one))
    Path("damaged-suite.json").write_text(json.dumps(every))
    del one["gates"]
    Path("part.json").write_text(json.dumps(one))
    assert main(["render", *words]) == 2
    assert said in capsys.readouterr().err
    assert not Path("out.html").exists()
    assert Path("one.json").read_bytes() == before


BLOCKED = """
import sys
sys.modules[{module!r}] = None
from tallystick.cli import main
from tallystick import Report
assert Report.load("one.json")._repr_html_() is None
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.parametrize("module", ["jinja2", "altair", "vl_convert"])
@pytest.mark.parametrize(
    "words",
    [
        [*RUN, "--html", "x.html"],
        ["render", "one.json", "--html", "x.html"],
        ["run", "suite.toml", "--html", "x.html"],
    ],
)
def test_a_page_needs_its_extra_and_says_so_before_anything_is_read(module: str, words: list[str]) -> None:
    Path("suite.toml").write_text('[calibration]\nfiles = "no.jsonl"\ngates = "ece <= 1"\n')
    Path("no.jsonl").write_text("not read\n")
    done = subprocess.run(
        [sys.executable, "-c", BLOCKED.format(module=module), *words],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert done.stderr.startswith("error: install tallystick[html] to write pages\n")
    assert not Path("x.html").exists()
