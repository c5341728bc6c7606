"""Markdown that shows data, and is not steered by it."""

from html.parser import HTMLParser

import pytest
from markdown_it import MarkdownIt

import tallystick
from tallystick import Report
from tallystick.render.layout import SHOWN, clean
from tallystick.render.markdown import LONGEST, code, markdown

OURS = {"h1", "h2", "h3", "p", "ul", "li", "code", "strong", "details", "summary"} | {
    "table",
    "thead",
    "tbody",
    "tr",
    "th",
    "td",
}


class Page(HTMLParser):
    """What a reader sees: the tags, the headings, and the cells of every table."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.tables: list[list[list[str]]] = []
        self.headings: list[str] = []
        self._into: list[str] | None = None
        self.feed(MarkdownIt("commonmark").enable("table").render(text))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert all(name == "style" for name, _ in attrs)
        self.tags.add(tag)
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in ("td", "th"):
            self._into = self.tables[-1][-1]
            self._into.append("")
        elif tag in ("h1", "h2", "h3"):
            self._into = self.headings
            self._into.append("")

    def handle_endtag(self, tag: str) -> None:
        if tag in ("td", "th", "h1", "h2", "h3"):
            self._into = None

    def handle_data(self, data: str) -> None:
        if self._into is not None:
            self._into[-1] += data


def test_labels_are_shown_as_they_are_and_do_nothing(hostile: Report) -> None:
    page = Page(markdown([("h|`", hostile)]))
    assert page.tags <= OURS
    per_label = next(t for t in page.tables if t[0][0] == "label")
    labels = [row["label"] for row in hostile.result["per_label"]]
    assert [row[0] for row in per_label[1:]] == [clean(label) for label in labels[:SHOWN]]
    assert all(len(row) == len(table[0]) for table in page.tables for row in table)
    slices = next(t for t in page.tables if t[0][0] == "part")
    values = [one["value"] for one in hostile.slices[0]["slices"]]
    assert [row[0] for row in slices[1:]] == [clean(value) for value in values[:SHOWN]]


@pytest.mark.parametrize("what", ["</script>", "{{", "{%", "$x$", "\x1b", "\u202e", "&amp;"])
def test_no_template_page_or_terminal_finds_anything_to_obey(hostile: Report, what: str) -> None:
    text = markdown([("{{name}}</script>", hostile)], "BLOCKED")
    assert what not in text
    assert all(c.isprintable() or c == "\n" for c in text)


def test_the_verdict_and_the_failed_gates_come_first(hostile: Report, passed: Report) -> None:
    page = Page(markdown([("passed", passed), ("hostile", hostile)], "BLOCKED"))
    assert page.headings[:3] == [
        "BLOCKED",
        "passed: PASSED (2 gates)",
        "hostile: FAILED (2 of 3 gates did not pass)",
    ]
    assert [row[:2] for row in page.tables[0][1:]] == [["hostile", "failed"], ["hostile", "undefined"]]
    assert page.tables[1][1:] == [
        ["passed", "PASSED (2 gates)"],
        ["hostile", "FAILED (2 of 3 gates did not pass)"],
    ]


def test_one_report_starts_with_its_verdict_and_its_failed_gates(hostile: Report) -> None:
    text = markdown([("hostile", hostile)])
    assert text.startswith("## `hostile`: FAILED (2 of 3 gates did not pass)\n\n| status | gate |")
    assert [row[0] for row in Page(text).tables[0][1:]] == ["failed", "undefined", "passed"]


def test_measures_have_their_intervals_and_undefined_ones_their_reasons(passed: Report) -> None:
    measures = {row[0]: row[1:] for row in Page(markdown([("p", passed)])).tables[1]}
    assert measures["accuracy"] == ["1.0000", "0.9124 to 1.0000"]
    assert "accuracy_low" not in measures
    nothing = tallystick.run(
        "selective", [{"expected": "a", "predicted": "a", "confidence": 0}], confidence_threshold=1
    )
    measures = {row[0]: row[1:] for row in Page(markdown([("n", nothing)])).tables[0]}
    assert measures["risk"][0].startswith("undefined: ")


def test_tables_are_bounded_and_say_what_is_left_out() -> None:
    rows = [{"expected": str(i), "predicted": "x", "part": f"p{i}"} for i in range(SHOWN + 5)]
    report = tallystick.run("classification", rows, slice_by="part", max_rows=SHOWN + 2)
    text = markdown([("many", report)])
    assert "2 more rows are in the JSON report.\n\n4 more rows are beyond the limit of the table." in text
    assert "5 more slices are in the JSON report." in text
    assert max(len(table) for table in Page(text).tables) == SHOWN + 1
    small = tallystick.run("classification", rows, slice_by="part", min_slice_count=2)
    assert f"{SHOWN + 5} smaller slices are left out, with {SHOWN + 5} records in all." in markdown(
        [("s", small)]
    )


def test_a_long_label_is_cut() -> None:
    assert code("a" * LONGEST) == f"`{'a' * LONGEST}`"
    assert code("a" * (LONGEST + 1)) == f"`{'a' * (LONGEST - 1)}…`"


def test_a_space_at_an_end_is_kept() -> None:
    assert code(" a") == "<code> a</code>"
    assert code("a b") == "`a b`"
