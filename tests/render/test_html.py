"""Reports as a page: whole and well formed, read without scripts, and steered by nothing that data holds."""

import base64
import hashlib
import json
import re
from collections import Counter
from html import unescape
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path

import pytest

import tallystick
from golden_cases import GOLDEN
from render.conftest import HOSTILE
from tallystick import Report
from tallystick.audits import AUDITS, find
from tallystick.glossary import glossaries, glossary
from tallystick.measure import measures
from tallystick.picture import html
from tallystick.recipe import RELATIVE, recipe
from tallystick.render.html import fragment, page
from tallystick.render.html.curve import Curve, curves
from tallystick.render.html.document import LARGEST
from tallystick.render.layout import SHOWN, clean
from tallystick.report import SuiteReport

REPORTS = sorted(GOLDEN.glob("*/*/report.json"))
every_report = pytest.mark.parametrize(
    "path", REPORTS, ids=lambda p: f"{p.parent.parent.name}-{p.parent.name}"
)
VOID = {"meta", "input", "wbr", "br"}


@pytest.fixture(autouse=True)
def undrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Put a mark in the place of each plot: they are drawn in tests of their own."""
    drawn = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9" role="img" aria-label="a plot"></svg>'
    monkeypatch.setattr("tallystick.render.html.document.svg", lambda *_, **__: drawn)


class Read(HTMLParser):
    """What a page holds: its elements in order, and the text of some of them."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.texts: dict[str, list[str]] = {}
        self.seen = ""
        self._open: list[str] = []
        self.feed(text)
        self.close()
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert len({name for name, _ in attrs}) == len(attrs), tag
        self.elements.append((tag, {name: value or "" for name, value in attrs}))
        if tag not in VOID:
            self._open.append(tag)
            self.texts.setdefault(tag, []).append("")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {name: value or "" for name, value in attrs}))
        assert "svg" in self._open, tag

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop() == tag

    def handle_data(self, data: str) -> None:
        for tag in set(self._open):
            self.texts[tag][-1] += data
        if not {"style", "script"} & set(self._open):
            self.seen += data

    def all(self, attribute: str) -> list[str]:
        """Give every value of an attribute."""
        return [attributes[attribute] for _, attributes in self.elements if attribute in attributes]

    def tags(self) -> Counter[str]:
        """Count the elements."""
        return Counter(tag for tag, _ in self.elements)


def written(made: Report | SuiteReport) -> str:
    return html(made, "report.json").decode("utf-8")


def sound(text: str) -> Read:
    """Read a page, and hold it to what every page keeps."""
    read = Read(text)
    ids = read.all("id")
    assert len(set(ids)) == len(ids)
    known = set(ids)
    for attribute in ("for", "aria-labelledby", "aria-describedby"):
        assert set(read.all(attribute)) <= known, attribute
    assert {link.removeprefix("#") for link in read.all("href")} <= known
    assert not [name for _, attributes in read.elements for name in attributes if name.startswith("on")]
    assert not read.all("src")
    assert not read.all("style")
    assert "url(" not in text
    levels = [int(tag[1]) for tag, _ in read.elements if re.fullmatch("h[1-6]", tag)]
    assert all(after <= before + 1 for before, after in pairwise(levels))
    for tag, attributes in read.elements:
        assert tag != "th" or "scope" in attributes
    assert read.tags()["caption"] == read.tags()["table"]
    assert not {c for c in text if not c.isprintable()} - {"\n"}
    return read


@every_report
def test_every_golden_report_makes_a_sound_page(path: Path) -> None:
    report = Report.load(path)
    read = sound(written(report))
    assert read.tags()["h1"] == read.tags()["main"] == read.tags()["header"] == 1
    held = [report.digest, *(gate["gate"] for gate in report.gates), *report.warnings]
    held += [one["sha256"] for one in report.inputs]
    held += [
        name
        for name, value in report.result.items()
        if type(value) in (int, float, type(None))
        if not name.endswith(("_low", "_high"))
    ]
    for text in held:
        assert clean(text) in read.seen, text


def test_the_same_report_gives_the_same_bytes(hostile: Report) -> None:
    again = Report(json.loads(json.dumps(hostile.body)), hostile.produced)
    assert written(hostile) == written(again)


def test_verdict_and_failed_gates_come_first(hostile: Report) -> None:
    text = written(hostile)
    places = [
        text.index(f'id="{part}"')
        for part in ("gates", "measures", "tables", "slices", "settings", "evidence")
    ]
    assert places == sorted(places)
    assert text.index("FAILED") < places[0]
    body = text[places[0] : places[1]]
    assert body.rindex('class="status failed"') < body.index('class="status passed"')


def test_no_label_acts_on_the_page(hostile: Report, passed: Report) -> None:
    read, innocent = sound(written(hostile)), sound(written(passed))
    for label in HOSTILE:
        assert clean(label) in read.seen
    assert read.tags().keys() - innocent.tags().keys() <= {"mark"}
    assert read.tags()["script"] == innocent.tags()["script"] == 1
    assert read.texts["script"] == innocent.texts["script"]


def test_labels_that_differ_by_what_is_not_seen_look_different() -> None:
    labels = ["lead", "  lead", "lead ", "a b", "a  b", " ", "x" * 100 + "a", "x" * 100 + "b"]
    rows = [{"expected": label, "predicted": label, "part": label} for label in labels]
    said = written(tallystick.run("classification", rows, slice_by="part"))
    cut = "x" * 40 + "…" + "x" * 38
    for shown in ("lead", "␣␣lead", "lead␣", "a b", "a ␣b", "␣", f"{cut}a", f"{cut}b"):
        assert said.count(f"<td><bdi>{shown}</bdi></td>") == 4  # of its row, its pair of labels, its slice
    assert "bdi { white-space: pre" in said  # for gates, which are shown as they are given


def test_names_of_audits_files_and_fields_are_text_too() -> None:
    nasty = "</title></script><img src=x onerror=alert(1)>{{x}}'\u202e"
    rows = [{"expected": "a", "predicted": "a", nasty.replace(".", ""): nasty}] * 3
    made = tallystick.run(
        "classification", rows, slice_by=nasty, gates=[f"accuracy[{json.dumps(nasty)}=*] >= 1"]
    )
    body = {**made.body, "inputs": [{**made.inputs[0], "sha256": "0" * 64}]}
    report = Report(body, {"by": nasty, "at": nasty, "files": [nasty]})
    suite = SuiteReport({nasty: report, f"{nasty} 2": report}, "0" * 64, nasty, [nasty])
    for text in (written(report), written(suite)):
        read = sound(text)
        assert clean(nasty) in read.seen
        assert not {"img", "b"} & read.tags().keys()


def test_the_policy_allows_the_styles_and_the_script_of_the_page_and_nothing_else(passed: Report) -> None:
    read = Read(written(passed))
    policy = next(a["content"] for _, a in read.elements if a.get("http-equiv") == "Content-Security-Policy")
    wanted = {"default-src": "'none'", "base-uri": "'none'", "form-action": "'none'"}
    for kind in ("style", "script"):
        (text,) = read.texts[kind]
        digest = base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode()
        wanted[f"{kind}-src"] = f"'sha256-{digest}'"
    assert dict(part.strip().split(" ", 1) for part in policy.split(";")) == wanted


def test_scripts_style_and_markup_name_no_address(passed: Report) -> None:
    text = written(passed)
    assert set(re.findall(r"https?://[^\"' ]+", text)) <= {"http://www.w3.org/2000/svg"}
    assert "@import" not in text


@pytest.mark.parametrize("name", AUDITS)
def test_each_measure_has_its_definition_on_the_page(name: str) -> None:
    report = Report.load(
        GOLDEN / name / ("pass-two-candidates" if name == "release" else "pass") / "report.json"
    )
    read = Read(written(report))
    seen = " ".join(read.seen.split())
    assert AUDITS[name] in seen
    declared = measures(find(name).Result)
    shown = [key for key in declared if key in report.result and not key.endswith(("_low", "_high"))]
    assert len(shown) > 0
    for key in shown:
        assert " ".join(declared[key].about.replace("`", "").split()) in seen
    assert read.tags()["details"] > len(shown)


def test_a_report_of_an_audit_that_is_not_known_is_shown_all_the_same(hostile: Report) -> None:
    report = Report({**hostile.body, "audit": "prophecy"}, {"by": "tallystick 9", "files": ["a.jsonl"]})
    assert glossary(report) is None
    read = sound(written(report))
    assert "prophecy" in read.seen
    assert "macro_f1" in read.seen
    other = Report({**hostile.body, "revision": 99}, hostile.produced)
    assert glossary(other) is None
    assert "macro_f1" in sound(written(other)).seen


def large(report: Report, rows: int) -> Report:
    """Give a report whose tables are much longer."""
    result = {
        name: [{**value[place % len(value)]} for place in range(rows)]
        if isinstance(value, list) and value
        else value
        for name, value in report.result.items()
    }
    slices = [
        {**part, "slices": [{**part["slices"][0], "value": f"slice {place}"} for place in range(rows)]}
        for part in report.slices
    ]
    return Report({**report.body, "result": result, "slices": slices}, report.produced)


def test_a_page_stays_small_however_long_the_tables(hostile: Report) -> None:
    texts = [written(large(hostile, rows)) for rows in (SHOWN + 30, 1_000, 5_000)]
    assert all(len(text.encode()) < LARGEST for text in texts)
    assert "in the JSON report" not in texts[0]
    assert "4500 more rows are in the JSON report." in texts[2]
    wide = SuiteReport({str(place): large(hostile, 700) for place in range(8)}, "0" * 64)
    text = written(wide)
    assert len(text.encode()) < LARGEST
    assert f"{700 - SHOWN - 80} more rows are in the JSON report." in text


def test_what_is_beyond_the_limit_of_a_table_is_said() -> None:
    rows = [{"expected": f"label {n}", "predicted": "x"} for n in range(40)]
    text = written(tallystick.run("classification", rows, max_rows=25))
    assert "rows 1 to 20 of 25" in text
    assert "5 more rows" in text
    assert "16 more rows are beyond the limit of the table." in text


def test_a_suite_has_an_overview_and_a_section_for_each_audit(
    passed: Report, hostile: Report, plain: Report
) -> None:
    made = SuiteReport({"calm": passed, "wild": hostile, "bare": plain}, "0" * 64, "suite.toml")
    read = sound(written(made))
    assert "BLOCKED" in read.seen
    links = [link for link in read.all("href") if link.endswith("audit")]
    assert links[: len(made.reports)] == ["#a1-audit", "#a2-audit", "#a3-audit"]
    overview = written(made).partition('id="a1-audit"')[0]
    assert "Gates that did not pass" in overview
    for gate in hostile.shortfalls:
        assert clean(gate["message"]) in unescape(overview)
    assert read.tags()["h1"] == 1
    assert "tally verify report.json --suite suite.toml" in read.seen
    assert made.digest in read.seen


def test_the_slider_holds_the_counts_of_the_curve() -> None:
    report = Report.load(GOLDEN / "selective" / "pass" / "report.json")
    (curve,) = curves(report)
    assert curve.total == report.records
    assert curve.points == sorted(
        (row["threshold"], row["records"], round(row["records"] * (1 - row["risk"])))
        for row in report.result["curve"]
    )
    threshold, accepted, _ = curve.points[curve.start]
    assert accepted == report.accepted
    assert threshold >= report.options["confidence_threshold"]
    read = sound(written(report))
    held = json.loads(read.texts["script"][0])
    assert held == {"total": curve.total, "points": [list(point) for point in curve.points]}
    assert read.texts["output"] == ["0.7", "31 of 40", "0.7750", "0.8710"]


def test_lines_of_a_curve_stand_at_their_thresholds_and_shares() -> None:
    points = [(0.5, 4, 2), (0.6, 3, 3), (1.0, 0, 0)]
    curve = Curve("curve", 4, points, 0, 0.7)
    assert curve.coverage == "0,0 20,25 100,100"
    assert curve.accuracy == "0,50 20,0"
    assert curve.ticks == ["0.5000", "0.7500", "1.0000"]
    assert (curve.apart, Curve("curve", 4, points, 0, 0.6).apart) == ("0.7", "")
    assert Curve("curve", 4, [(0.5, 4, 2), (0.5, 4, 2)], 0).coverage == "0,0 0,0"


def test_a_slider_says_that_it_steps_and_whether_the_threshold_in_force_is_a_step() -> None:
    rows = [{"expected": "a", "predicted": "a", "confidence": c} for c in (0.25, 0.5, 0.75)]
    said = "It steps through the thresholds of the curve"
    for given, shown in (
        (0.6, f"{said}; 0.6, on which the report acts, is not one of them."),
        (0.5, f"{said}."),
    ):
        read = sound(written(tallystick.run("selective", rows, confidence_threshold=given)))
        assert shown in read.texts["p"]
        start = read.texts["span"].index("0.2500")
        assert read.texts["span"][start : start + 3] == ["0.2500", "0.5000", "0.7500"]


def test_each_kind_of_question_has_its_slider() -> None:
    report = Report.load(GOLDEN / "questions" / "pass" / "report.json")
    found = {curve.table: curve for curve in curves(report)}
    assert found.keys() == {"choice_curve", "yes_no_curve"}
    for kind in ("choice", "yes_no"):
        assert found[f"{kind}_curve"].total == report.result[f"{kind}_questions"]
        _, accepted, right = found[f"{kind}_curve"].points[0]
        assert right / accepted == report.result[f"{kind}_accuracy"]


def test_what_is_not_counts_has_no_slider() -> None:
    report = Report.load(GOLDEN / "selective" / "pass" / "report.json")
    for change in ({"coverage": 0.123}, {"risk": 0.333}, {"threshold": "high"}):
        rows = [{**row, **change} for row in report.result["curve"]]
        other = Report({**report.body, "result": {**report.result, "curve": rows}})
        assert list(curves(other)) == []
        assert "data-curve" not in written(other).partition("</style>")[2].partition("<script>")[0]


def test_a_notebook_shows_a_part_of_a_page_without_scripts(hostile: Report) -> None:
    shown = hostile._repr_html_()
    assert shown == fragment(hostile, glossaries(hostile))
    assert shown is not None
    read = sound(shown)
    assert not {"script", "html", "body", "main", "h1", "input"} & read.tags().keys()
    assert all(one.startswith(f"tally-{hostile.digest[:12]}-") for one in read.all("id"))


def test_what_to_know_of_the_command_is_said_and_what_to_do_first_stands_before_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.jsonl").write_text('{"expected": "a", "predicted": "a"}\n')
    made = tallystick.run("classification", "a.jsonl")
    seen = sound(page(made, {}, recipe(made))).seen
    first, command = (
        seen.index("Write the report first with --output report.json"),
        seen.index("tally verify"),
    )
    assert first < command < seen.index(RELATIVE)
    seen = sound(page(made, {}, recipe(made, "made.json"))).seen
    assert "Write the report first" not in seen
    assert RELATIVE in seen


def test_a_table_says_once_that_numbers_stand_with_their_intervals() -> None:
    rows = [{"expected": str(place), "predicted": str(place)} for place in range(SHOWN + 5)]
    said = written(tallystick.run("classification", rows))
    tables = dict(re.findall(r"<h3><code>([^/]+)</code></h3>(.*?)</section>", said, re.DOTALL))
    assert tables["per_<wbr>label"].count("value and interval") == 1
    assert "; value and interval share a column</caption>" in tables["per_<wbr>label"]
    assert "value and interval" not in tables["confusion"]


def test_a_page_without_a_recipe_or_a_glossary_is_whole(passed: Report) -> None:
    read = sound(page(passed, {}))
    assert "tally verify" not in read.seen
    assert (
        "tally verify report.json"
        in sound(
            page(
                passed,
                {},
                recipe(
                    Report(
                        {**passed.body, "inputs": [{**passed.inputs[0], "sha256": "0" * 64}]}, passed.produced
                    )
                ),
            )
        ).seen
    )
