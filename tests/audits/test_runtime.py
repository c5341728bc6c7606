"""`runtime` against sorted lists, numpy's percentiles, and whole numbers of any size."""

import random
from fractions import Fraction
from math import ceil
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.proportion import proportion_confint

import tallystick
from tallystick.audits.runtime import PERCENTILES
from tallystick.cli import main
from tallystick.errors import RecordError, UsageError

LATENCIES = st.sampled_from([0.0, -0.0, 5e-324, 1.0, 2.0, 0.1, 0.3, 1.7976931348623157e308]) | st.floats(
    0, 1e9
)
WHOLE = st.sampled_from([0, 1, 2, 2**53 + 1, 2**63 - 1]) | st.integers(0, 10_000)
ATTEMPTS = st.lists(st.tuples(LATENCIES, WHOLE, WHOLE, st.booleans()), min_size=1, max_size=60)


def records(attempts: list[tuple[float, int, int, bool]]) -> list[dict[str, Any]]:
    names = ("latency_ms", "input_tokens", "output_tokens", "success")
    return [{"id": f"{i:03}", **dict(zip(names, row, strict=True))} for i, row in enumerate(attempts)]


def attempt(id_: str, latency: float, *, success: bool = True) -> dict[str, Any]:
    return {"id": id_, "latency_ms": latency, "input_tokens": 1, "output_tokens": 2, "success": success}


def result(attempts: list[tuple[float, int, int, bool]], **options: Any) -> dict[str, Any]:
    found: dict[str, Any] = tallystick.run("runtime", records(attempts), **options).result
    return found


def percentile(values: list[Any], percent: int) -> Any:
    """Take the value number ceil(p n) of a sorted list."""
    return sorted(values)[ceil(Fraction(percent, 100) * len(values)) - 1] if values else None


@given(ATTEMPTS)
def test_every_latency_is_one_of_the_sorted_latencies(attempts: list[tuple[float, int, int, bool]]) -> None:
    found = result(attempts)
    for prefix, kinds in {"": {True, False}, "success_": {True}, "failure_": {False}}.items():
        latencies = [latency for latency, *_, success in attempts if success in kinds]
        for name, percent in PERCENTILES.items():
            assert found[f"{prefix}{name}_latency_ms"] == percentile(latencies, percent)
        mean = float(sum(map(Fraction, latencies)) / len(latencies)) if latencies else None
        assert found[f"{prefix}mean_latency_ms"] == mean


@given(ATTEMPTS)
def test_tokens_are_whole_numbers_of_any_size(attempts: list[tuple[float, int, int, bool]]) -> None:
    found = result(attempts)
    read, written = sum(row[1] for row in attempts), sum(row[2] for row in attempts)
    assert (found["input_tokens_total"], found["output_tokens_total"]) == (read, written)
    assert found["total_tokens"] == read + written
    assert found["mean_total_tokens"] == float(Fraction(read + written, len(attempts)))
    assert found["p95_total_tokens"] == percentile([row[1] + row[2] for row in attempts], 95)


@pytest.mark.parametrize("size", [1, 2, 3, 19, 20, 21, 99, 100, 101, 997])
def test_percentiles_are_those_of_numpy_by_the_inverse_of_the_distribution(size: int) -> None:
    latencies = np.random.default_rng(size).lognormal(5, 1, size)
    found = result([(latency, 1, 1, True) for latency in latencies.tolist()])
    for name, percent in PERCENTILES.items():
        expected = np.percentile(latencies, percent, method="inverted_cdf")
        assert found[f"{name}_latency_ms"] == expected == found[f"success_{name}_latency_ms"]


@given(ATTEMPTS, st.sampled_from([0.5, 0.95, 0.999]))
def test_the_success_rate_has_the_wilson_interval_of_statsmodels(
    attempts: list[tuple[float, int, int, bool]], level: float
) -> None:
    found = result(attempts, confidence=level)
    successes = sum(success for *_, success in attempts)
    assert found["failures"] == len(attempts) - successes
    assert found["success_rate"] == successes / len(attempts)
    ends = proportion_confint(successes, len(attempts), 1 - level, "wilson")
    assert (found["success_rate_low"], found["success_rate_high"]) == pytest.approx(ends, abs=1e-12)


@given(st.lists(st.tuples(st.sampled_from([1.0, 2.0, 3.0]), st.booleans()), min_size=1), st.integers(0, 5))
def test_the_slowest_and_the_failed_are_named_in_order(
    attempts: list[tuple[float, bool]], limit: int
) -> None:
    rows = [attempt(f"{i:03}", latency, success=success) for i, (latency, success) in enumerate(attempts)]
    random.Random(limit).shuffle(rows)  # noqa: S311
    found = tallystick.run("runtime", rows, max_details=limit).result
    slowest = sorted(rows, key=lambda row: (-row["latency_ms"], row["id"]))[:limit]
    assert found["slowest"] == [{k: row[k] for k in ("id", "latency_ms", "success")} for row in slowest]
    failed = sorted(row["id"] for row in rows if not row["success"])
    assert [row["id"] for row in found["failed"]] == failed[:limit]
    omitted = {"slowest": max(0, len(rows) - limit), "failed": max(0, len(failed) - limit)}
    assert found["omitted"] == omitted


def test_attempts_that_fail_fast_cannot_flatter_those_that_succeed() -> None:
    rows = [attempt(f"ok{i}", 900.0) for i in range(10)]
    rows += [attempt(f"no{i}", 1.0, success=False) for i in range(90)]
    gates = ["p90_latency_ms <= 100", "success_p90_latency_ms <= 100"]
    report = tallystick.run("runtime", rows, gates=gates)
    assert [gate["status"] for gate in report.gates] == ["passed", "failed"]


def test_a_gate_on_failures_where_there_are_none_is_undefined() -> None:
    report = tallystick.run("runtime", [attempt("a", 5.0)], gates=["failure_p95_latency_ms <= 1e9"])
    assert report.gates[0]["status"] == "undefined"
    assert "there are no failures" in report.gates[0]["message"]
    assert report.body["undefined"]["failure_max_latency_ms"] == "there are no failures"


@pytest.mark.parametrize(
    ("measure", "limit", "code"),
    [
        ("failures", "1", 0),
        ("failures", "0", 1),
        ("max-latency-ms", "30", 0),
        ("max-latency-ms", "29.999999", 1),
        ("mean-total-tokens", "3", 0),
        ("p95-total-tokens", "2.9999999999999999", 1),
        ("total-tokens", "9", 0),
        ("total-tokens", "8", 1),
    ],
)
def test_budgets_are_inclusive(measure: str, limit: str, code: int, tmp_path: Path) -> None:
    path = tmp_path / "attempts.jsonl"
    line = '{{"id": "{}", "latency_ms": {}, "input_tokens": 1, "output_tokens": 2, "success": {}}}\n'
    path.write_text(
        line.format("a", 10, "true") + line.format("b", 20, "true") + line.format("c", 30, "false")
    )
    assert main(["runtime", str(path), f"--max-{measure}", limit]) == code


@pytest.mark.parametrize(
    ("field", "value", "what"),
    [
        ("latency_ms", -1, "a number from 0"),
        ("latency_ms", float("inf"), "a number from 0"),
        ("latency_ms", True, "a number from 0"),
        ("input_tokens", 1.5, "a whole number from 0"),
        ("output_tokens", -1, "a whole number from 0"),
        ("success", 1, "true or false"),
        ("id", "", "a non-empty string"),
    ],
)
def test_what_is_no_measurement_is_refused(field: str, value: object, what: str) -> None:
    with pytest.raises(RecordError, match=f"{field}: expected {what}"):
        tallystick.run("runtime", [attempt("a", 5.0) | {field: value}])


def test_an_attempt_that_is_recorded_twice_is_refused() -> None:
    with pytest.raises(RecordError, match='records:2: id: "a" occurs more than once'):
        tallystick.run("runtime", [attempt("a", 5.0), attempt("a", 6.0)])


def test_more_latency_cannot_be_demanded() -> None:
    with pytest.raises(UsageError, match="better lower"):
        tallystick.run("runtime", [attempt("a", 5.0)], gates=["p95_latency_ms >= 5"])
