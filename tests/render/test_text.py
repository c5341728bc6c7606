"""Reports on terminals of any width: the order of what is said, reliability in text, and tables that hold."""

import io
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.console import Console, RenderableType

import tallystick
from tallystick import Report, terminal
from tallystick.render.diagram import ASCII, BLOCKS, Diagram, diagrams, is_drawn
from tallystick.render.grid import Column, Grid, Hanging, broken
from tallystick.render.layout import LONGEST, SHOWN, label, number
from tallystick.render.paper import Text
from tallystick.render.text import text

GOLDEN = Path(__file__).parent.parent / "golden"


REPORTS = {str(path.parent.relative_to(GOLDEN)): Report.load(path) for path in GOLDEN.glob("*/*/report.json")}
"""The reports of all golden cases."""


def printed(made: RenderableType, width: int = 100) -> list[str]:
    """Print without colours, and give the lines."""
    paper = io.StringIO()
    Console(file=paper, width=width, highlight=False, emoji=False, markup=False).print(made)
    return [line.rstrip() for line in paper.getvalue().splitlines()]


def lines_of(report: Report, width: int = 100, *, plain: bool = True) -> list[str]:
    return printed(text(report, plain=plain), width)


@pytest.mark.parametrize("name", REPORTS)
@pytest.mark.parametrize("width", [1000, 80, 33])
def test_lines_without_styles_are_those_that_rich_prints(name: str, width: int) -> None:
    made = text(REPORTS[name], plain=True)
    assert terminal.printed(made, width).splitlines() == printed(made, width)


def calibrated(*confidences: float, right: bool = True, **options: Any) -> Report:
    """Make a report of calibration of some confidences."""
    rows = [{"expected": "a", "predicted": "a" if right else "b", "confidence": c} for c in confidences]
    return tallystick.run("calibration", rows, **options)


def bars(report: Report, width: int = 100, *, plain: bool = True) -> list[str]:
    """Give the lines of a report's diagram, without head and rule."""
    said = lines_of(report, width, plain=plain)
    start = said.index("reliability")
    end = next(place for place, line in enumerate(said) if re.search(r"[|◆] mean", line))
    return [line for line in said[start + 1 : end] if re.search(r"\d\.\d\d+-\d", line)]


def test_verdict_failed_gates_measures_reliability_and_tables_come_in_this_order() -> None:
    rows = [{"expected": "a", "id": "x", "scores": {"a": 0.9, "b": 0.1}}] * 3
    gates = ["accuracy >= 0.5", "ece <= 0.01"]
    said = lines_of(tallystick.run("probabilities", rows, gates=gates, slice_by="expected"))
    order = [
        "probabilities: FAILED",
        "  failed: ece",
        "  passed: accuracy",
        "  warning: ",
        "measure",
        "reliability",
    ]
    order += ["top_k", "per_class", "slices by expected", "probabilities: FAILED"]
    places = [next(i for i, line in enumerate(said) if line.startswith(order[0]))]
    for start in order[1:]:
        places.append(next(i for i, line in enumerate(said) if i > places[-1] and line.startswith(start)))
    assert places[0] == 0
    assert places[-1] == len(said) - 1


def test_a_bar_is_as_long_as_accuracy_with_its_interval_and_a_mark_at_confidence() -> None:
    report = calibrated(*[0.75] * 30, bins=2)
    (row,) = report.result["reliability"]
    bar = bars(report)[1][-40:]
    assert (row["accuracy"], row["accuracy_high"]) == (1, 1)
    assert bar == "#" * 30 + "|" + "#" * (round(row["accuracy_low"] * 40) - 31) + "=" * (
        40 - round(row["accuracy_low"] * 40)
    )
    assert bars(report, plain=False)[1][-40:] == bar.translate(str.maketrans(ASCII, BLOCKS))


def test_a_bin_in_which_all_is_wrong_has_no_bar_but_an_interval() -> None:
    report = calibrated(*[0.75] * 30, right=False, bins=2)
    (row,) = report.result["reliability"]
    length = round(row["accuracy_high"] * 40)
    assert row["accuracy"] == 0
    assert bars(report)[1].endswith(f"  {'-' * length}{' ' * (30 - length)}|")


def test_bins_without_records_are_empty_and_not_zero() -> None:
    said = bars(calibrated(0.05, 0.35, 0.95))
    assert [line.split()[0 if "empty" in line else 1] for line in said] == [
        *("0.00-0.10", "0.10-0.30", "0.30-0.40", "0.40-0.90", "0.90-1.00"),
    ]
    assert [line.split("  ")[-1].strip() for line in said if "empty" in line] == [
        "2 bins, empty",
        "5 bins, empty",
    ]
    assert not any(re.search(r"(?<![\d.-])0(?![\d.])", line) for line in said if "empty" in line)
    assert bars(calibrated(0.95, bins=2))[0].split() == ["0.00-0.50", "empty"]


@pytest.mark.parametrize("width", [40, 60, 80, 200])
def test_a_diagram_fits_and_has_its_numbers_where_there_is_room(width: int) -> None:
    said = bars(calibrated(0.05, 0.35, 0.95), width)
    assert max(map(len, said)) <= width
    assert ("0.3500" in said[2]) == (width >= 80)
    assert all("|" in line for line in said if "empty" not in line)


@pytest.mark.parametrize("width", range(20, 100))
@pytest.mark.parametrize("plain", [True, False])
def test_every_column_of_a_diagram_is_there_or_named_below(width: int, plain: bool) -> None:
    report = calibrated(0.25, 0.35, 0.95, bins=5)
    drawn = list(diagrams("r", report.result["reliability"], plain=plain))[2]
    said = printed(drawn, width)  # type: ignore[arg-type]
    start = next(place for place, line in enumerate(said) if "0.00-0.20" in line)
    lines, below = said[start : start + 4], " ".join(" ".join(said[start + 4 :]).split())
    assert "empty" in lines[0]
    left = below.partition("not shown: ")[2].partition(" (")[0]
    last = next(line for line in said if "0.80-1.00" in line).split()
    for column, value in (("bin", "4"), ("mean_confidence", "0.9500"), ("gap", "0.0500")):
        assert (value in last) != (column in left)
    assert ("1.0000" in last) != ("accuracy" in left)
    assert ("the bars" in left) != ("mean confidence" in below)
    assert not left or below.count("on a wider terminal, or in the JSON report: --format json") == 1


def test_of_many_bins_those_with_the_most_records_are_drawn() -> None:
    confidences = [b / 1000 for b in range(0, 1000, 25)] + [0.9, 0.925] * 2
    report = calibrated(*confidences, bins=1000)
    said = bars(report)
    assert len(said) == SHOWN
    assert any("0.900-0.901" in line for line in said)
    assert "empty" not in "".join(said)
    assert "  these bins have the most records; 20 more in the JSON report" in lines_of(report)


def test_every_audit_with_bins_of_confidence_has_a_diagram_for_each_table_of_them() -> None:
    drawn = set()
    for report in REPORTS.values():
        for name, rows in report.result.items():
            if is_drawn(rows):
                drawn.add((report.audit, name))
                said = "\n".join(lines_of(report))
                owners = {row["model"] for row in rows if "model" in row}
                for owner in [f": {one}" for one in owners] or [""]:
                    assert f"\n{name}{owner}\n" in said
    assert drawn == {
        *(("calibration", "reliability"), ("predictions", "reliability"), ("probabilities", "reliability")),
        *(
            ("questions", "choice_reliability"),
            ("questions", "yes_no_reliability"),
            ("release", "reliability"),
        ),
    }


def test_a_table_that_only_looks_like_bins_is_a_table() -> None:
    row = {"index": 0, "lower": 0.5, "upper": 0.5, "records": 1, "mean_confidence": 0.5, "accuracy": 1.0}
    assert not is_drawn([row])
    assert not is_drawn([row | {"upper": 1.0, "accuracy": None}])
    assert not is_drawn([row | {"upper": "1"}])
    assert is_drawn([row | {"upper": 1.0}])


@given(
    st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1), st.integers(1, 10**9)), min_size=1, max_size=30),
    st.integers(1, 300),
)
def test_a_diagram_holds_at_any_width(bins: list[tuple[float, float, int]], width: int) -> None:
    count = len(bins)
    rows = [
        {
            "index": index,
            "lower": index / count,
            "upper": (index + 1) / count,
            "records": records,
            "mean_confidence": confidence,
            "accuracy": accuracy,
            "gap": accuracy - confidence,
        }
        for index, (confidence, accuracy, records) in enumerate(bins)
    ]
    for plain in (True, False):
        said = printed(Diagram(rows, plain=plain), width)
        assert all(cell_len(line) <= max(width, 1) for line in said)
        assert plain is False or "".join(said).isascii()
    assert len(list(diagrams("reliability", rows, plain=True))) == 3


CELLS = st.text(st.sampled_from("ab_ 漢é1."), max_size=30)


@given(st.lists(st.lists(CELLS, min_size=3, max_size=3), min_size=1, max_size=5), st.integers(12, 200))
def test_numbers_are_never_broken_and_what_is_left_out_is_named(rows: list[list[str]], width: int) -> None:
    columns = [Column("some_name"), Column("a_number", right=True), Column("text")]
    cells = [
        [Text(first or "x"), Text(f"0.{place}23"), Text(last)] for place, (first, _, last) in enumerate(rows)
    ]
    said = printed(Grid(columns, cells, plain=True, turns=False), width)
    joined = " ".join("\n".join(said).split())
    assert all(cell_len(line) <= width for line in said)
    shown = "not shown: " not in joined or "a_number" not in joined.partition("not shown: ")[2]
    assert all((f"0.{place}23" in joined) == shown for place in range(len(rows)))


def test_heads_break_at_underscores() -> None:
    assert broken("true_positives", 10) == "true_\npositives"
    assert broken("true_positives", 14) == "true_positives"
    assert broken("a b_c", 3) == "a \nb_c"


def test_a_table_that_is_too_wide_is_laid_on_its_side_if_it_fits_so() -> None:
    columns = [Column("label"), *(Column(f"measure_{place}", right=True) for place in range(6))]
    rows = [[Text(label), *(Text(f"0.{place}000") for place in range(6))] for label in ("a", "b")]
    assert printed(Grid(columns, rows, plain=True), 100)[0].split() == [
        "label",
        *(f"measure_{p}" for p in range(6)),
    ]
    turned = printed(Grid(columns, rows, plain=True), 40)
    assert turned[0].split() == ["label", "a", "b"]
    assert [line.split()[0] for line in turned[1:]] == [f"measure_{place}" for place in range(6)]


def test_what_is_wrapped_is_indented_more() -> None:
    assert printed(Hanging("one two three"), 12) == ["  one two", "    three"]


def test_undefined_measures_say_why_beside_them() -> None:
    rows = [{"id": str(i), "reference": "a", "rater": "a"} for i in range(3)]
    said = lines_of(tallystick.run("agreement", rows), 120)
    (line,) = (line for line in said if line.startswith("kappa "))
    assert line.split(maxsplit=2)[1:] == [
        "undefined",
        "both raters use one and the same label, so agreement by chance is certain",
    ]


def test_columns_of_nothing_are_left_out_and_curves_are_shown_in_equal_steps() -> None:
    rows = [{"expected": label, "predicted": label} for label in "ab"]
    assert "zero_denominators" not in "\n".join(lines_of(tallystick.run("classification", rows)))
    curve = [{"threshold": step / 100, "coverage": 1 - step / 100} for step in range(101)]
    body = tallystick.run("classification", rows).body
    said = lines_of(Report(body | {"result": {"curve": curve}}))
    start = said.index("curve") + 2
    assert [line.split()[0] for line in said[start : start + 11]] == [
        f"{step / 10:.4f}" for step in range(11)
    ]
    assert said[start + 11] == "  90 more in the JSON report"


def test_the_page_on_terminals_shows_what_is_printed() -> None:
    root = Path(__file__).parent.parent.parent
    shown = (root / "docs" / "terminal.md").read_text(encoding="utf-8").split("```")[1].strip()
    report = tallystick.run("calibration", root / "examples" / "digits-candidate.jsonl")
    assert f"\n{shown}\n" in "\n".join(lines_of(report, 1000))


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (None, "undefined"),
        (True, "yes"),
        (False, "no"),
        (3, "3"),
        (0.0, "0.0000"),
        (1.0, "1.0000"),
        (0.123456, "0.1235"),
        (0.99996, "0.99996"),
        (1 - 3e-7, "0.9999997"),
        (1.00002, "1.00002"),
        (-0.99999, "-0.99999"),
        (1 - 1e-12, "1.0000"),
        (0.9999, "0.9999"),
        (1e-5, "1e-05"),
        (1234567.8, "1.235e+06"),
    ],
)
def test_numbers_are_rounded_for_people_and_what_is_nearly_one_is_not_one(value: Any, said: str) -> None:
    assert number(value) == said


@pytest.mark.parametrize("plain", [True, False])
@given(st.lists(st.text(r"ab \nux20␣" + "\n\u202e", max_size=8), min_size=2, max_size=2, unique=True))
def test_labels_that_differ_look_different(plain: bool, labels: list[str]) -> None:
    first, second = (label(one, plain=plain) for one in labels)
    assert first != second
    assert not any(re.search(r"  |^ | $", said) for said in (first, second))
    assert not plain or "␣" not in first


def test_long_labels_keep_their_end() -> None:
    first, second = (label("x" * 200 + end) for end in "ab")
    assert len(first) == len(second) == LONGEST
    assert first[:40] == second[:40] == "x" * 40
    assert (first[-1], second[-1]) == ("a", "b")


SPACED = ["lead", "  lead", "lead ", "a b", "a  b", " "]


@pytest.mark.parametrize(("plain", "space"), [(True, r"\x20"), (False, "␣")])
def test_spaces_of_labels_are_seen_in_tables_slices_and_diagrams(plain: bool, space: str) -> None:
    rows = [{"expected": one, "predicted": one, "part": one} for one in SPACED]
    said = "\n".join(lines_of(tallystick.run("classification", rows, slice_by="part"), 200, plain=plain))
    for shown in ("lead", "␣␣lead", "lead␣", "a b", "a ␣b", "␣"):
        assert len(re.findall(rf"^ *{re.escape(shown.replace('␣', space))}  ", said, re.MULTILINE)) == 3
    bins = [{"model": "m  ", "index": 0, "lower": 0.0, "upper": 1.0, "records": 1}]
    bins = [one | {"mean_confidence": 0.5, "accuracy": 1.0, "gap": 0.5} for one in bins]
    heads = printed(list(diagrams("reliability", bins, plain=plain))[1], 80)  # type: ignore[arg-type]
    assert heads == [f"reliability: m {space}"]


def test_no_line_of_any_report_is_wider_than_the_terminal() -> None:
    for name, report in REPORTS.items():
        for width in (40, 80, 200):
            for line in lines_of(report, width, plain=False):
                assert cell_len(line) <= width, f"{name}: {line}"
