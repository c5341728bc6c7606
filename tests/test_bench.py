"""What is measured in `bench/`: its records, its comparisons and its tables. Nothing is timed here."""

from typing import Any

import numpy as np
import pytest
from cases import CASES, Case
from data import part, parts
from figures import Figures, Timing
from machine import Machine
from same import differences
from tables import page
from targets import targets

import tallystick

MILLION = 1_000_000


def rows(columns: dict[str, Any]) -> list[dict[str, Any]]:
    listed = [c.tolist() if isinstance(c, np.ndarray) else c for c in columns.values()]
    return [dict(zip(columns, row, strict=True)) for row in zip(*listed, strict=True)]


def timing(contender: str, seconds: float, inside: float | None = None, size: int = MILLION) -> Timing:
    peak = 100_000_000 + 16 * size
    return Timing("classification", size, contender, seconds, seconds, peak, inside, 3)


def test_every_audit_is_measured() -> None:
    assert {case.audit for case in CASES} == set(tallystick.audits)


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case.name))
def test_an_audit_reads_the_records_that_are_made_for_it(case: Case) -> None:
    given: dict[str, Any] = {"confidence_threshold": 0.8} if case.audit == "selective" else {}
    given |= {name: rows(columns) for name, columns in part(case.maker, range(10)).items()}
    report = tallystick.run(case.audit, **given)
    assert report.result["records"] > 0


def test_the_same_rows_are_the_same_records() -> None:
    assert part("agreement", range(5)) == part("agreement", range(5))
    assert part("agreement", range(5)) != part("agreement", range(5, 10))


def test_parts_cover_all_rows_once() -> None:
    assert [row for one in parts(250_000) for row in one] == list(range(250_000))


def test_other_numbers_of_a_peer_are_named() -> None:
    bins = [{"index": 0, "gap": 0.1}, {"index": 1, "gap": 0.5}]
    ours = {"records": 3, "ece": 0.25, "bins": bins[::-1]}
    assert differences(ours, {"ece": 0.25 + 1e-12, "bins": bins}) == []
    assert differences(ours, {"records": 4}) == ["records: 3, but 4"]
    assert differences(ours, {"ece": 0.2500001}) == ["ece: 0.25, but 0.2500001"]
    assert differences(ours, {"bins": bins[:1]}) != []
    assert differences(ours, {"bins": [{"index": 0, "gap": 0.1}, {"index": 1, "gap": 0.4}]}) != []
    assert differences(ours, {"missing": 1}) == ["missing: None, but 1"]


def test_ends_of_other_draws_may_differ_a_little() -> None:
    assert differences({"low": 0.1}, {"drawn": {"low": 0.105}}) == []
    assert differences({"low": 0.1}, {"drawn": {"low": 0.15}}) != []


def test_the_whole_command_is_divided_by_the_floor_without_its_start() -> None:
    figures = Figures([timing("tally", 0.9), timing("floor: decode", 2.0, inside=0.6)])
    assert figures.to_floor("classification", MILLION) == pytest.approx(1.5)
    assert figures.to_floor("classification", 10 * MILLION) is None


def test_bytes_a_row_are_told_from_two_sizes() -> None:
    figures = Figures(timing("tally", 1, size=size) for size in (400_000, MILLION))
    assert figures.bytes_a_row("classification", 400_000, MILLION, "tally") == 16
    assert figures.bytes_a_row("classification", MILLION, 10 * MILLION, "tally") is None


def test_a_target_is_met_up_to_its_limit() -> None:
    figures = Figures([timing("tally", 1.0), timing("floor: decode", 1, inside=0.5), timing("polars", 0.25)])
    found = {target.about: target.met for target in targets(figures)}
    assert found["classification to bare decoding, 1 million rows"] is True
    assert found["classification to polars, 1 million rows"] is False
    assert found["classification to bare decoding, 10 million rows"] is None


def test_a_page_holds_what_was_measured_and_names_what_was_not() -> None:
    machine = Machine(0.25, {"ranx": "not installed: ranx"}, "2026-11-30", "CPU", 2, 24, "CPython 3.11", {})
    timings = [timing("tally", 1.0), timing("floor: decode", 1, inside=0.5), timing("polars", 0.25)]
    made = page(machine, timings)
    assert "| classification | 1.00 | 1,000,000 | 1.00 | 116 | 0.50 | 2.00 | 1.00 |" in made
    assert "| classification: polars | 1,000,000 | 1.00 | 0.25 | 0.25 | 116 | 116 |" in made
    assert "ranx was left out (not installed: ranx)." in made
    assert "25%" in made
    assert "## Bootstrap intervals" not in made
