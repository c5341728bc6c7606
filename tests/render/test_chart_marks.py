"""What charts draw: each mark where the report says it belongs, and none for what is undefined."""

import re
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tallystick
from golden_cases import GOLDEN
from tallystick import Report
from tallystick.audits import AUDITS, find
from tallystick.measure import measures, tables
from tallystick.render import charts
from tallystick.render.charts.confusion import _cells
from tallystick.render.charts.matrix import Matrix, _parted, natural
from tallystick.render.charts.names import KEY, label, labels
from tallystick.render.charts.rows import SHOWN, lower_is_better
from tallystick.render.charts.theme import LINE, RIGHT, WRONG, apart, fitted

FINITE = st.floats(-1e9, 1e9, allow_nan=False)


def golden(case: str) -> Report:
    return Report.load(GOLDEN / case / "report.json")


def rows(report: Report, name: str, *fields: str) -> list[dict[str, Any]]:
    """Give the rows behind the marks of a chart that have all of some fields, each key as its label."""
    held = report.chart(name).to_dict()["datasets"].values()
    return [
        {field: plain(value) for field, value in row.items()}
        for data in held
        for row in data
        if set(fields) <= row.keys()
    ]


def plain(value: Any) -> Any:
    return value.removeprefix(KEY) if isinstance(value, str) else value


def about(report: Report, name: str) -> str:
    return next(plot.about for plot in charts.plots(report) if plot.name == name)


def classified(pairs: Sequence[tuple[str, str]], **settings: Any) -> Report:
    data = [{"expected": expected, "predicted": predicted} for expected, predicted in pairs]
    return tallystick.run("classification", data, **settings)


class TestReliability:
    def test_each_bin_with_records_has_a_point_an_interval_and_a_bar(self) -> None:
        report = golden("calibration/pass")
        drawn = rows(report, "reliability", "confidence", "records")
        assert [(d["confidence"], d["accuracy"], d["low"], d["high"], d["records"]) for d in drawn] == [
            (b["mean_confidence"], b["accuracy"], b["accuracy_low"], b["accuracy_high"], b["records"])
            for b in report.reliability
        ]
        assert f"{report.records} records in {len(report.reliability)} bins" in about(report, "reliability")
        assert f"Expected calibration error {report.ece:.3f}." in about(report, "reliability")

    def test_a_point_stands_at_its_confidence_and_accuracy(self) -> None:
        data = [{"expected": "a", "predicted": "ab"[right], "confidence": 0.75} for right in (0, 1)]
        drawn = charts.svg(tallystick.run("calibration", data), "reliability")
        disc = re.search(r'd="M([\d.]+),([\d.]+)a([\d.]+),', drawn)
        assert disc is not None
        left, middle, radius = map(float, disc.groups())
        assert left + radius == pytest.approx(0.75 * 300, abs=0.02)
        assert middle == 0.5 * 300

    def test_a_bin_without_an_accuracy_is_left_out(self) -> None:
        body = golden("calibration/pass").body
        first, *others = body["result"]["reliability"]
        bins = [first | {"accuracy": None}, *others]
        report = Report(body | {"result": body["result"] | {"reliability": bins}})
        assert len(rows(report, "reliability", "confidence")) == len(others)

    @pytest.mark.parametrize(
        ("confidence", "right", "absent"),
        [
            (0.05, 400, "less sure than right"),  # a point at the top, on the words
            (0.15, 2, "less sure than right"),  # an interval that reaches up to them
            (0.95, 0, "surer than right"),
            (0.12, 40, "ideal"),
            (0.5, 200, None),
        ],
    )
    def test_words_are_written_where_no_mark_is(
        self, confidence: float, right: int, absent: str | None
    ) -> None:
        wrong = {400: 0, 2: 0, 0: 400, 40: 260, 200: 200}[right]
        data = [
            {"expected": "a", "predicted": "a" if turn < right else "b", "confidence": confidence}
            for turn in range(right + wrong)
        ]
        report = tallystick.run("calibration", data)
        shown = {d["text"] for d in rows(report, "reliability", "x", "y", "text")}
        assert shown == {"less sure than right", "surer than right", "ideal"} - {absent}

    def test_each_model_has_its_diagram(self) -> None:
        report = golden("release/pass-two-candidates")
        assert len(rows(report, "reliability", "confidence")) == len(report.reliability)
        shown = charts.svg(report, "reliability")
        assert [shown.count(f">{row['model']}<") for row in report.candidates] == [1, 1]


class TestCurves:
    def test_risk_is_drawn_over_coverage_with_the_threshold_in_force(self) -> None:
        report = golden("selective/pass")
        drawn = rows(report, "risk-coverage", "coverage", "risk")
        line, (here,) = [d for d in drawn if "said" not in d], [d for d in drawn if "said" in d]
        assert sorted((d["coverage"], d["risk"]) for d in line) == sorted(
            (point["coverage"], point["risk"]) for point in report.curve
        )
        ends = [here[name] for name in ("coverage", "low", "high", "risk", "least", "most")]
        told = ("coverage", "coverage_low", "coverage_high", "risk", "risk_low", "risk_high")
        assert ends == [report.result[name] for name in told]
        assert here["said"] == "threshold 0.7"

    def test_coverage_and_accuracy_are_drawn_over_the_threshold_up_to_where_nothing_is_kept(self) -> None:
        report = golden("questions/pass")
        drawn = Counter(d["threshold"] for d in rows(report, "choice-threshold", "threshold", "share"))
        for point in report.choice_curve:
            assert drawn[point["threshold"]] == 1 + (point["accuracy"] is not None)
        last = max(p["threshold"] for p in report.choice_curve if p["accuracy"] is not None)
        assert f"Beyond {last:g}, where accuracy would be of nothing" in about(report, "choice-threshold")
        assert [d["name"] for d in rows(report, "choice-threshold", "at")] == ["choice=0.6"]

    def test_a_point_that_would_hide_another_is_a_ring(self) -> None:
        for predicted, rings in (("b", [False, True]), ("a", [False, False])):
            data = [{"expected": "a", "predicted": predicted, "confidence": 0.9}]
            report = tallystick.run("selective", data, confidence_threshold=0.5)
            layers = report.chart("threshold").to_dict()["layer"]
            points = [one["mark"]["point"] for one in layers if one["mark"]["type"] == "line"]
            assert [not point["filled"] for point in points] == rings
            assert len({point["size"] for point in points}) == 1 + any(rings)


class TestConfusion:
    def test_each_cell_that_is_not_0_is_drawn_by_its_share_of_the_row(self) -> None:
        report = classified([("a", "a")] * 60 + [("a", "b")] * 30 + [("a", "c")] * 10 + [("b", "c")])
        drawn = {(d["row"], d["from"]): d for d in rows(report, "confusion", "row", "from")}
        assert {pair: (d["level"], d["said"]) for pair, d in drawn.items()} == {
            ("a", "a"): (4, "60"),
            ("a", "b"): (5 + 3, "30"),
            ("a", "c"): (5 + 2, "10"),
            ("b", "c"): (5 + 4, "1"),
        }
        shown = charts.svg(report, "confusion")
        assert [colour in shown for colour in (RIGHT[4], WRONG[3], WRONG[2], WRONG[4])] == [True] * 4
        assert "The most frequent confusion is expected a, predicted b: 30 of 100." in about(
            report, "confusion"
        )

    def test_a_share_is_of_the_whole_row_though_the_table_was_cut(self) -> None:
        report = classified([("a", "a")] * 60 + [("a", "b")] * 40, max_rows=1)
        assert report.result["omitted"]["confusion"] == 1
        assert rows(report, "confusion", "row", "from")[0]["level"] == 4
        few = classified(
            [("a", "b")] * 30 + [("a", "a")] * 20 + [("b", "a")] * 29 + [("a", "c")] * 21, max_rows=2
        )
        level = {d["row"]: d["level"] for d in rows(few, "confusion", "row", "from")}
        assert level["a"] == 5 + 3
        assert "2 more cells beyond the limit of the table." in charts.svg(few, "confusion")

    def test_a_hundred_classes_have_a_row_each_and_labels_that_do_not_touch(self) -> None:
        names = [f"class {number}" for number in range(100)]
        report = classified([(one, other) for one in names for other in (one, names[0])])
        heat = report.chart("confusion").to_dict()["vconcat"][0]
        encoding = heat["layer"][0]["encoding"]
        assert list(map(plain, encoding["y"]["scale"]["domain"])) == names
        written = list(map(plain, encoding["y"]["axis"]["values"]))
        every = names.index(written[1])
        assert every * heat["height"]["step"] >= 13
        assert written == names[::every]
        assert len(charts.svg(report, "confusion", themed=True)) < 30_000

    def test_of_more_classes_the_largest_are_drawn_and_the_title_says_so(self) -> None:
        pairs = [(f"{number}", f"{number}") for number in range(130) for _ in range(1 + (number >= 30))]
        report = classified(pairs)
        assert {d["row"] for d in rows(report, "confusion", "row")} == {f"{n}" for n in range(30, 130)}
        assert "Confusion of the 100 largest of 130 classes" in charts.svg(report, "confusion")

    @given(st.dictionaries(st.tuples(st.integers(0, 6), st.integers(0, 6)), st.integers(1, 99), min_size=1))
    def test_merged_cells_cover_what_cells_one_by_one_do(self, counts: dict[tuple[int, int], int]) -> None:
        cells = {(str(row), str(column)): n for (row, column), n in counts.items()}
        names = {str(place): str(place) for place in range(7)}
        matrix = Matrix("expected", "predicted", cells, {})
        covered = {
            (d["row"], str(column)): d["level"]
            for d in _cells(matrix, names, merge=True)
            for column in range(int(d["from"]), int(d["to"]) + 1)
        }
        assert covered == {(d["row"], d["from"]): d["level"] for d in _cells(matrix, names, merge=False)}
        assert covered.keys() == cells.keys()

    @pytest.mark.parametrize(
        ("cell", "pair"),
        [
            ("1->2", ("1", "2")),
            ('"a->b"->c', ("a->b", "c")),
            ('a->"b->c"', ("a", "b->c")),
            ("odd", ("odd", "")),
        ],
    )
    def test_a_named_cell_is_of_two_labels(self, cell: str, pair: tuple[str, str]) -> None:
        assert _parted(cell) == pair

    def test_labels_are_in_natural_order(self) -> None:
        assert sorted(["10", "9", "b2", "b10", "a"], key=natural) == ["9", "10", "a", "b2", "b10"]


class TestDots:
    def test_each_group_has_its_value_interval_and_count_the_worst_on_top(self) -> None:
        report = golden("disparity/pass")
        drawn = rows(report, "per-group", "name", "value")
        by_accuracy = sorted(report.per_group, key=lambda group: group["accuracy"])
        assert [(d["name"], d["value"], d["low"], d["high"], d["records"]) for d in drawn] == [
            (g["group"], g["accuracy"], g["accuracy_low"], g["accuracy_high"], str(g["records"]))
            for g in by_accuracy
        ]
        assert rows(report, "per-group", "at", "text")[0]["at"] == report.accuracy

    def test_what_is_undefined_is_said_and_not_drawn(self) -> None:
        body = classified([("a", "a"), ("b", "b"), ("c", "c")]).body
        part = {"a": {"precision": None}, "c": {"precision": None, "recall": None}}
        held = [row | part.get(row["label"], {}) for row in body["result"]["per_label"]]
        report = Report(body | {"result": body["result"] | {"per_label": held}})
        drawn = [d for d in rows(report, "per-label", "name", "value") if d["name"] == "a"]
        assert [d["value"] for d in drawn] == [None, 1]
        assert "1 row left out, where everything is undefined." in about(report, "per-label")
        assert charts.svg(report, "per-label").count(">undefined<") == 1

    def test_of_many_slices_the_worst_are_drawn(self) -> None:
        data = [
            {"expected": "a", "predicted": "a" if turn < part else "b", "site": f"{part:02}"}
            for part in range(60)
            for turn in range(60)
        ]
        report = tallystick.run("classification", data, slice_by="site")
        drawn = rows(report, "slices-site", "name", "value")
        assert [d["name"] for d in drawn] == [f"{part:02}" for part in range(SHOWN)]
        assert "The 40 worst by accuracy, and 20 more that are not drawn." in about(report, "slices-site")

    def test_where_equals_are_left_out_the_chart_says_how_many_there_are(self) -> None:
        data = [
            {"expected": "a", "predicted": "a" if part > 49 else "b", "site": f"{part:02}"}
            for part in range(60)
        ]
        report = tallystick.run("classification", data, slice_by="site")
        told = "50 rows have accuracy 0.000: 40 of them are drawn."
        assert told in about(report, "slices-site")
        assert told in charts.svg(report, "slices-site")
        apart = tallystick.run("classification", [d for d in data if d["site"] > "09"], slice_by="site")
        assert " of them are drawn" not in about(apart, "slices-site")

    def test_where_less_is_better_the_most_is_worst(self) -> None:
        data = [
            {"expected": "a", "predicted": "a", "confidence": sure, "part": part}
            for part, sure in (("good", 1), ("poor", 0.2), ("fair", 0.7))
        ]
        report = tallystick.run("calibration", data, slice_by="part", gates=["ece[part=*] <= 0.5"])
        assert [d["name"] for d in rows(report, "slices-part", "name", "value")] == ["poor", "fair", "good"]

    def test_slices_show_what_their_gates_speak_of(self) -> None:
        report = golden("comparison/undefined")
        title = next(plot.title for plot in charts.plots(report) if plot.name == "slices-kind")
        assert title == "Token F1 difference by kind"

    def test_what_the_names_of_measures_say_is_what_audits_declare(self) -> None:
        for audit in AUDITS:
            result = find(audit).Result
            for holder in (result, *(row for _, row in tables(result).values())):
                for name, measure in measures(holder).items():
                    if measure.better and not name.endswith(("_low", "_high")):
                        assert lower_is_better(name) == (measure.better == "lower"), (audit, name)

    def test_measures_stand_beside_the_limits_of_their_gates(self) -> None:
        report = golden("calibration/fail")
        limits = {(d["name"], d["limit"]) for d in rows(report, "measures", "limit")}
        assert limits <= {
            (d["name"], gate["limit"]) for d in rows(report, "measures", "value") for gate in report.gates
        }
        assert limits

    def test_a_pairwise_forest_stands_about_the_even_point(self) -> None:
        report = golden("pairwise/pass")
        drawn = {d["name"]: d for d in rows(report, "forest", "name", "value")}
        assert drawn["Candidate win rate"]["low"] == report.candidate_win_rate_low
        assert [(d["at"], d["text"]) for d in rows(report, "forest", "at")] == [(0.5, "even")]
        other = golden("comparison/pass")
        assert [(d["at"], d["text"]) for d in rows(other, "forest", "at")] == [(0, "no difference")]


class TestOthers:
    def test_both_sides_of_a_comparison_are_drawn_with_their_intervals(self) -> None:
        report = golden("comparison/pass")
        drawn = {(d["side"], d["name"]): d for d in rows(report, "baseline-candidate", "side", "value")}
        assert len(drawn) == 4
        for side in ("baseline", "candidate"):
            one = drawn[side, "Exact match"]
            assert one["value"] == report.result[f"{side}_exact_match"]
            assert one["high"] == report.result[f"{side}_exact_match_high"]

    def test_scores_of_cases_are_drawn_against_each_other(self) -> None:
        report = golden("score-drift/pass")
        drawn = [(d["baseline"], d["candidate"]) for d in rows(report, "scores", "baseline", "candidate")]
        assert drawn == [(d["baseline_score"], d["candidate_score"]) for d in report.details]

    def test_bars_of_drift_are_in_order_of_size_and_leave_out_what_is_undefined(self) -> None:
        report = golden("label-drift/fail")
        drawn = rows(report, "drift", "name", "shift")
        assert [d["shift"] for d in drawn] == pytest.approx(
            sorted((100 * row["shift"] for row in report.shifts), key=lambda shift: -abs(shift))
        )
        assert all(d["rose"] == (d["shift"] > 0) for d in drawn)
        body = report.body["result"]
        held = [row | {"shift": None} if not place else row for place, row in enumerate(body["shifts"])]
        less = Report(report.body | {"result": body | {"shifts": held}})
        assert len(rows(less, "drift", "name", "shift")) == len(held) - 1
        assert "1 label left out, where the shift is undefined." in about(less, "drift")

    def test_each_cutoff_of_each_measure_is_a_point(self) -> None:
        report = golden("retrieval/pass")
        drawn = Counter((d["at"], d["value"]) for d in rows(report, "cutoffs", "at", "value"))
        assert drawn == Counter(
            (row["cutoff"], row[name]) for row in report.cutoffs for name in row if name != "cutoff"
        )
        ends = [d["said"] for d in rows(report, "cutoffs", "said")]
        assert ends[0] == "Hit rate 1.000"

    def test_top_k_has_intervals(self) -> None:
        report = golden("probabilities/pass")
        drawn = [(d["at"], d["low"], d["high"]) for d in rows(report, "top-k", "at", "value")]
        assert drawn == [(row["k"], row["accuracy_low"], row["accuracy_high"]) for row in report.top_k]

    def test_percentiles_are_marked_and_written(self) -> None:
        report = golden("runtime/pass")
        marked = {(d["mark"], d["value"]) for d in rows(report, "latency", "mark", "value")}
        for start in ("", "success_", "failure_"):
            for percent in (50, 90, 95, 99):
                assert (f"p{percent}", report.result[f"{start}p{percent}_latency_ms"]) in marked
        written = [d["said"] for d in rows(report, "latency", "mark", "of") if d["of"] == "all"]
        assert written == ["269.8", "223.2", "501.4", "569.5", "832.7", "832.7"]
        assert f"max {report.max_latency_ms:,.1f} ms" in about(report, "latency")

    def test_percentiles_of_no_records_are_said_to_be_undefined(self) -> None:
        report = golden("runtime/undefined")
        assert {d["of"] for d in rows(report, "latency", "of")} == {"all"}
        assert "Of success alone: the same. Of failure alone: undefined." in about(report, "latency")


class TestLayout:
    @given(st.lists(FINITE, min_size=1, max_size=6))
    def test_labels_are_kept_apart_in_their_order(self, places: list[float]) -> None:
        moved = apart(places)
        order = sorted(range(len(places)), key=lambda place: (places[place], place))
        for before, after in pairwise(order):
            assert moved[after] - moved[before] >= LINE * (1 - 1e-6)
        assert min(moved) == min(places)

    @given(st.lists(st.floats(0, 200), min_size=1, max_size=6))
    def test_labels_stay_within_their_bound(self, places: list[float]) -> None:
        assert max(apart(places, LINE, 200)) <= 200

    @given(st.lists(st.floats(0, 1), min_size=1))
    def test_the_axis_of_shares_holds_them_all_and_nothing_beyond_1(self, values: list[float]) -> None:
        low, high = fitted(values)
        assert 0 <= low <= min(values)
        assert max(values) <= high <= 1
        assert low < high

    @given(st.lists(FINITE, min_size=1))
    def test_the_axis_of_other_values_holds_them_all(self, values: list[float]) -> None:
        low, high = fitted(values)
        assert low <= min(values)
        assert max(values) <= high
        assert low < high

    @given(st.lists(st.text(max_size=40) | st.text("xy", min_size=20, max_size=60), unique=True))
    def test_different_labels_differ_once_they_are_cut(self, values: list[str]) -> None:
        shown = labels(values)
        assert len({*shown}) == len(values)
        assert all("\n" not in one and len(one) <= 24 + len(f" ({len(values)})") for one in shown)
        assert shown[:1] == [label(value) for value in values[:1]]
