"""Charts of every report: found without a library, drawn the same each time, and steered by no data."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import altair as alt
import pytest

import tallystick
from golden_cases import GOLDEN
from render.conftest import HOSTILE
from tallystick import Report, ReportError, UsageError
from tallystick.cli import main
from tallystick.render import charts
from tallystick.render.charts import output
from tallystick.render.charts.names import labels
from tallystick.render.charts.theme import GRID, INK, ONE, PAPER, QUIET, RIGHT, WRONG, finished
from tallystick.render.layout import clean

REPORTS = sorted(GOLDEN.glob("*/*/report.json"))
SVG = "{http://www.w3.org/2000/svg}"
TAGS = {"svg", "g", "path", "rect", "text", "tspan"}
LIGHT, DARK = "#ffffff", "#14171c"
INLINE = 150_000


def elements(drawn: str) -> list[ET.Element]:
    """Read SVG, all of which must be in its one namespace."""
    found = list(ET.fromstring(drawn).iter())  # noqa: S314  it was made just here
    assert all(one.tag.startswith(SVG) for one in found)
    return found


def texts(drawn: str) -> list[str]:
    """Give all texts, and the lines of those that have several."""
    return ["".join(one.itertext()) for one in elements(drawn) if one.tag in (f"{SVG}text", f"{SVG}tspan")]


def luminance(colour: str) -> float:
    """Relative luminance, by the definition of WCAG 2."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(one: str, other: str) -> float:
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("path", REPORTS, ids=lambda p: f"{p.parent.parent.name}-{p.parent.name}")
def test_every_plot_of_every_report_is_small_svg_for_a_page_and_says_what_it_shows(path: Path) -> None:
    report = Report.load(path)
    plots = charts.plots(report)
    assert len({plot.name for plot in plots}) == len(plots)
    for plot in plots:
        assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", plot.name)
        drawn = charts.svg(report, plot.name, themed=True)
        assert len(drawn.encode()) < INLINE
        root, *inside = elements(drawn)
        assert root.get("aria-label") == f"{plot.title}. {plot.about}"
        assert root.get("role") == "img"
        assert root.get("viewBox")
        assert not root.attrib.keys() & {"width", "height"}
        assert {one.tag.removeprefix(SVG) for one in inside} <= TAGS
        for one in inside:
            assert not one.attrib.keys() & {"id", "class", "style", "href"}
            for paint in (one.get("fill", "none"), one.get("stroke", "none")):
                assert paint == "none" or re.fullmatch(r"var\(--chart-[a-z0-9-]+, #[0-9a-f]{6}\)", paint)
        assert "url(" not in drawn


def test_every_kind_of_table_has_its_chart() -> None:
    found = {plot.name for path in REPORTS for plot in charts.plots(Report.load(path))}
    assert found >= {
        "reliability", "risk-coverage", "threshold", "choice-threshold", "confusion", "per-group",
        "per-label", "per-question", "slices-kind", "drift", "latency", "forest", "cutoffs", "top-k",
        "baseline-candidate", "scores", "candidates", "measures",
    }  # fmt: skip


def test_a_plot_is_the_same_each_time(hostile: Report) -> None:
    again = Report(hostile.body)
    for plot in charts.plots(hostile):
        assert charts.svg(hostile, plot.name) == charts.svg(again, plot.name)
        assert charts.png(hostile, plot.name, 1) == charts.png(again, plot.name, 1)


def test_only_what_stands_for_a_colour_differs_on_a_themed_page(hostile: Report) -> None:
    plain, themed = (charts.svg(hostile, "confusion", themed=themed) for themed in (False, True))
    ground, rest = re.subn(rf'<rect [^>]*fill="{PAPER}" />', "", plain, count=1)
    assert rest == 1
    assert re.sub(r"var\(--chart-[a-z0-9-]+, (#[0-9a-f]{6})\)", r"\1", themed) == ground


def test_labels_are_shown_as_they_are_and_do_nothing(hostile: Report) -> None:
    for name, longest in (("confusion", 18), ("per-label", 24), ("slices-part", 24)):
        shown = texts(charts.svg(hostile, name))
        for label in map(clean, HOSTILE):
            half = longest // 2
            cut = label if len(label) <= longest else f"{label[:half]}…{label[half + 1 - longest :]}"
            assert cut in shown, label


def test_labels_that_are_expressions_or_colours_or_long_stay_labels() -> None:
    odd = [
        "datum.x",
        "a.b[0]",
        "signal('x')",
        f'fill="{ONE}"',
        "x" * 9999 + "y",
        "x" * 10000,
        "__proto__",
        "=1",
    ]
    rows = [{"expected": label, "predicted": label, "x.y[0]": label} for label in odd]
    report = tallystick.run("classification", rows)
    for name in ("confusion", "per-label"):
        shown = texts(charts.svg(report, name, themed=True))
        assert {*odd[:4], *odd[6:]} <= set(shown)
        assert len({text for text in shown if text.startswith("xx")}) == 2


LOOKALIKES = {
    "lead": "lead",
    " lead": "·lead",
    "lead ": "lead·",
    "a b": "a b",
    "a  b": "a··b",
    " ": "·",
    "": "(empty)",
    "\u00e9": "\u00e9",
    "e\u0301": "e\u0301 (2)",
    "A": "A",
    "\u0410": "\u0410 (2)",
    "\u0391": "\u0391 (3)",
    "\u00b7": "\u00b7 (2)",
    "x" * 40 + "1": "xxxxxxxxx…xxxxxxx1",
    "x" * 40 + "2": "xxxxxxxxx…xxxxxxx2",
    "y" * 40: "yyyyyyyyy…yyyyyyyy",
    "y" * 41: "yyyyyyyyy…yyyyyyyy (2)",
}
"""Labels that differ and hardly look so, each with what is drawn where they come in this order."""


def test_different_labels_that_look_the_same_are_told_apart() -> None:
    assert labels(LOOKALIKES, 18) == list(LOOKALIKES.values())
    given = [one for one in LOOKALIKES if one]
    rows = [{"label": one} for one in given]
    shown = texts(charts.svg(tallystick.run("label-drift", reference=rows, candidate=rows), "drift"))
    assert "· is a space at an end of a label, or beside another." in shown
    assert "Labels that look alike are numbered: (2) is the second." in shown
    matrix = [{"expected": one, "predicted": one} for one in given]
    report = tallystick.run("classification", matrix)
    for name in ("confusion", "per-label"):
        shown = texts(charts.svg(report, name))
        assert "· is a space at an end of a label, or beside another." in shown
        assert "Labels that look alike are numbered: (2) is the second." in shown
        assert {"·lead", "lead·", "a··b", "·"} <= set(shown)


def test_labels_with_a_common_beginning_are_cut_in_their_middle() -> None:
    names = [f"customer support request category {place}" for place in range(40)]
    assert labels(names)[17] == "customer sup…category 17"
    report = tallystick.run("classification", [{"expected": one, "predicted": one} for one in names])
    shown = texts(charts.svg(report, "confusion"))
    assert [text for text in shown if text.startswith("customer")].count("customer …egory 16") == 2
    assert not [text for text in shown if text.endswith(")")]
    assert "Every 2nd label is shown." in shown
    assert not [text for text in shown if "alike" in text]


def test_more_than_a_hundred_classes_say_how_many_labels_are_shown() -> None:
    rows = [{"expected": f"{place}", "predicted": f"{place}"} for place in range(120)]
    report = tallystick.run("classification", rows)
    assert "Every 3rd label is shown." in texts(charts.svg(report, "confusion"))
    few = tallystick.run("classification", rows[:3])
    assert not [text for text in texts(charts.svg(few, "confusion")) if text.startswith("Every")]


OBJECT = [
    "constructor", "toString", "toLocaleString", "hasOwnProperty", "isPrototypeOf", "valueOf", "__proto__",
    "__defineGetter__", "__lookupSetter__", "prototype", "length", "undefined", "null", "NaN", "true", "b",
]  # fmt: skip
"""Names that JavaScript finds on an object, or that mean something to it."""


@pytest.mark.parametrize(
    ("audit", "rows", "names"),
    [
        (
            "classification",
            [{"expected": one, "predicted": one, "part": one} for one in OBJECT],
            ("confusion", "per-label", "slices-part"),
        ),
        (
            "disparity",
            [{"id": one, "group": one, "expected": "a", "predicted": "a"} for one in OBJECT],
            ("per-group",),
        ),
    ],
)
def test_labels_that_are_names_on_an_object_of_javascript_are_drawn(
    audit: str, rows: list[dict[str, Any]], names: tuple[str, ...], capfd: pytest.CaptureFixture[str]
) -> None:
    settings: dict[str, Any] = {"slice_by": "part"} if audit == "classification" else {}
    report = tallystick.run(audit, rows, **settings)
    for name in names:
        assert set(OBJECT) <= set(texts(charts.svg(report, name)))
    assert capfd.readouterr().err == ""


def test_labels_that_are_names_on_an_object_are_drawn_as_bars_of_drift() -> None:
    sides = [[{"label": one} for one in OBJECT * times] for times in (1, 2)]
    report = tallystick.run("label-drift", reference=sides[0], candidate=sides[1])
    assert set(OBJECT) <= set(texts(charts.svg(report, "drift")))


def test_a_title_or_a_line_of_one_may_be_a_name_on_an_object() -> None:
    body = json.loads((GOLDEN / "release" / "pass-two-candidates" / "report.json").read_text())
    models = list(dict.fromkeys(row["model"] for row in body["result"]["reliability"]))
    for row in body["result"]["reliability"]:
        row["model"] = ("constructor", "valueOf")[models.index(row["model"])]
    assert {"constructor", "valueOf"} <= set(texts(charts.svg(Report(body), "reliability")))
    plot = charts.Plot("odd", f"{'x' * 50} constructor", "")
    dot = alt.Chart(alt.InlineData([{"y": 1}])).mark_point().encode(y="y:Q")
    drawn = output.svg(finished(dot, plot, [f"{'x' * 60} toString"]), plot, themed=False)
    assert {"constructor", "toString"} <= set(texts(drawn))


def test_a_fault_of_the_renderer_is_an_error_and_no_blank_picture(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("tallystick.render.charts.confusion.key", lambda shown: shown)
    path = tmp_path / "report.json"
    tallystick.run("classification", [{"expected": "b", "predicted": "constructor"}]).save(path)
    assert main(["plot", str(path), "confusion", "--output", str(tmp_path / "c.svg")]) == 2
    assert not (tmp_path / "c.svg").exists()
    told = "error: plot confusion: the renderer failed: Error: Operator not defined: undefined\n"
    assert capfd.readouterr().err == told


def test_a_fault_that_the_renderer_raises_or_keeps_to_itself_is_an_error(
    plain: Report, monkeypatch: pytest.MonkeyPatch
) -> None:
    empty = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><rect width="16" height="16"/></svg>'
    monkeypatch.setattr("vl_convert.vegalite_to_svg", lambda *_, **__: empty)
    with pytest.raises(ReportError, match="plot measures: the renderer drew nothing"):
        charts.svg(plain, "measures")
    monkeypatch.undo()
    with pytest.raises(ReportError, match="plot measures: the renderer failed: "):
        charts.png(plain, "measures", float("inf"))


def test_the_name_of_a_sliced_field_makes_the_name_of_its_plot() -> None:
    rows = [{"expected": "a", "predicted": "a", "Ü": "x", "ü": "y", "</b> C": "z"}]
    report = tallystick.run("classification", rows, slice_by=["Ü", "ü", "</b> C"])
    names = [plot.name for plot in charts.plots(report)]
    assert names == ["confusion", "slices", "slices-2", "slices-b-c", "per-label", "measures"]
    assert "Accuracy by </b> C" in texts(charts.svg(report, "slices-b-c"))


def test_a_png_is_of_the_size_that_is_asked_for(plain: Report) -> None:
    small, large = (charts.png(plain, "reliability", scale) for scale in (1, 3))
    view = re.search(r'viewBox="0 0 (\d+) (\d+)"', charts.svg(plain, "reliability"))
    assert view is not None
    for data, scale in ((small, 1), (large, 3)):
        assert data[:8] == b"\x89PNG\r\n\x1a\n"
        assert int.from_bytes(data[16:20]) == int(view[1]) * scale
        assert int.from_bytes(data[20:24]) == int(view[2]) * scale


def test_colours_can_be_told_from_the_page_in_the_light_and_in_the_dark() -> None:
    for name, (light, dark) in charts.COLOURS.items():
        if name in ("--chart-grid", "--chart-paper"):
            continue
        text = name.rpartition("-")[2] in ("ink", "quiet", "one", "two", "three", "four", "five")
        for colour, page in ((light, LIGHT), (dark, DARK)):
            assert contrast(colour, page) >= (4.5 if text else 3), name
    assert charts.COLOURS["--chart-paper"] == (LIGHT, DARK)
    assert len({light for light, _ in charts.COLOURS.values()}) == len(charts.COLOURS)


def test_counts_can_be_read_on_the_cells_of_a_heat_map() -> None:
    dark = dict(charts.COLOURS.values())
    for levels in (RIGHT, WRONG):
        for level, cell in enumerate(levels):
            text = PAPER if level else INK
            assert contrast(cell, text) >= 4.5
            assert contrast(dark[cell], dark[text]) >= 4.5
    assert {GRID, INK, QUIET} <= dark.keys()


def test_a_notebook_gets_the_chart_itself(plain: Report) -> None:
    chart: Any = plain.chart("reliability")
    assert chart.to_dict()["title"]["text"] == ["Reliability: accuracy at each stated confidence"]
    assert isinstance(chart, alt.TopLevelMixin)


def test_an_unknown_plot_is_refused_with_those_that_there_are(plain: Report) -> None:
    for draw in (charts.chart, charts.svg, charts.png, Report.chart):
        with pytest.raises(
            UsageError, match="no plot 'relability'; there are: reliability, measures"
        ) as caught:
            draw(plain, "relability")
        assert caught.value.hint == "did you mean 'reliability'?"


@pytest.mark.parametrize("odd", [None, 3, ["x"], {}])
def test_what_is_no_name_at_all_is_refused_likewise(plain: Report, odd: Any) -> None:
    with pytest.raises(UsageError) as caught:
        plain.chart(odd)
    assert str(caught.value) == f"plot: no plot {odd!r}; there are: reliability, measures"


def test_a_report_without_anything_to_draw_says_so() -> None:
    report = Report.load(GOLDEN / "consistency" / "undefined" / "report.json")
    assert charts.plots(report) == []
    with pytest.raises(UsageError, match="a report of consistency like this one holds nothing to draw"):
        charts.svg(report, "measures")


def test_plots_are_found_without_the_libraries_that_draw(tmp_path: Path) -> None:
    script = f"""
import sys
sys.modules["altair"] = sys.modules["vl_convert"] = None
from tallystick import Report, UsageError
from tallystick.cli import main
from tallystick.render import charts
path = {str(GOLDEN / "calibration" / "pass" / "report.json")!r}
report = Report.load(path)
assert [plot.name for plot in charts.plots(report)] == ["reliability", "measures"]
for draw in (report.chart, lambda name: charts.svg(report, name), lambda name: charts.png(report, name)):
    try:
        draw("reliability")
    except UsageError as fault:
        assert str(fault) == "install tallystick[html] to draw charts", fault
    else:
        raise AssertionError
assert main(["plot", path]) == 0
sys.exit(main(["plot", path, "reliability", "--output", {str(tmp_path / "r.svg")!r}]))
"""
    done = subprocess.run([sys.executable, "-c", script], check=False, capture_output=True, text=True)
    assert done.stderr == "error: install tallystick[html] to draw charts\n"
    assert done.returncode == 2
    assert [line.split()[0] for line in done.stdout.splitlines()] == ["reliability", "measures"]
    assert not (tmp_path / "r.svg").exists()


class TestCommand:
    """`tally plot`."""

    @pytest.fixture
    def path(self, plain: Report, tmp_path: Path) -> Path:
        plain.save(tmp_path / "report.json")
        return tmp_path / "report.json"

    def test_it_lists_what_there_is(self, path: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
        assert main(["plot", str(path)]) == 0
        lines = capsysbinary.readouterr().out.decode().splitlines()
        assert lines[0].split(maxsplit=1) == [
            "reliability",
            "Reliability: accuracy at each stated confidence",
        ]
        assert lines[1].split(maxsplit=1) == ["measures", "Measures of all records"]

    def test_it_prints_svg_or_writes_the_form_that_the_name_ends_in(
        self, path: Path, plain: Report, capsysbinary: pytest.CaptureFixture[bytes]
    ) -> None:
        assert main(["plot", str(path), "reliability"]) == 0
        drawn = capsysbinary.readouterr().out
        assert drawn == charts.svg(plain, "reliability").encode()
        for name, data in (("r.svg", drawn), ("r.png", charts.png(plain, "reliability"))):
            assert main(["plot", str(path), "reliability", "--output", str(path.with_name(name))]) == 0
            assert path.with_name(name).read_bytes() == data

    @pytest.mark.parametrize(
        ("words", "complaint"),
        [
            (["reliability", "--output", "report.json"], "output would overwrite the input 'report.json'"),
            (["reliability", "--output", "r.pdf"], "expected a name that ends in .svg or .png, got 'r.pdf'"),
            (["--output", "r.svg"], "no plot is named"),
            (["relability"], "no plot 'relability'; there are: reliability, measures"),
        ],
    )
    def test_it_refuses_what_it_cannot_do(
        self,
        path: Path,
        words: list[str],
        complaint: str,
        monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str],
    ) -> None:
        monkeypatch.chdir(path.parent)
        before = path.read_bytes()
        assert main(["plot", "report.json", *words]) == 2
        assert complaint in capsys.readouterr().err
        assert path.read_bytes() == before
        assert [found.name for found in path.parent.iterdir()] == ["report.json"]

    def test_it_draws_what_an_audit_of_a_suite_has(
        self, tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]
    ) -> None:
        (tmp_path / "data.jsonl").write_text('{"expected": "a", "predicted": "a", "confidence": 1}\n')
        tables = '[[calibration]]\nname = "a/b c"\nfiles = "data.jsonl"\ngates = ["ece <= 1"]\n'
        (tmp_path / "suite.toml").write_text(tables)
        combined = str(tmp_path / "suite.json")
        assert main(["run", str(tmp_path / "suite.toml"), "--output", combined]) == 0
        capsysbinary.readouterr()
        assert main(["plot", combined]) == 0
        assert capsysbinary.readouterr().out.startswith(b"a/b c/reliability  Reliability")
        assert main(["plot", combined, "a/b c/reliability"]) == 0
        assert capsysbinary.readouterr().out.startswith(b"<svg ")
        assert main(["plot", combined, "a/b c/reliable"]) == 2
        assert b"hint: did you mean 'a/b c/reliability'?" in capsysbinary.readouterr().err
