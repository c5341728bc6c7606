"""`overlap` against every pair gone through, and at the odd ends of Unicode."""

import random
import unicodedata
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.proportion import proportion_confint

import tallystick
from tallystick.cli import main
from tallystick.errors import RecordError, SourceError, UsageError

PIECES = [
    "a",
    "A",
    "b",
    " ",
    "  ",
    "\u00a0",
    "\u2028",
    "ß",
    "SS",
    "é",
    "e\u0301",
    "ﬁ",
    "fi",
    "²",
    "2",
    "\u200b",
]
TEXTS = st.lists(st.sampled_from(PIECES), min_size=1, max_size=4).map("".join).filter(str.strip)
SIDE = st.lists(TEXTS, min_size=1, max_size=20)


def records(texts: list[str], prefix: str) -> list[dict[str, str]]:
    return [{"id": f"{prefix}{i:03}", "text": text} for i, text in enumerate(texts)]


def result(reference: list[str], candidate: list[str], **options: Any) -> dict[str, Any]:
    given = records(reference, "r"), records(candidate, "c")
    found: dict[str, Any] = tallystick.run("overlap", *given, **options).result
    return found


def form(text: str) -> str:
    once = unicodedata.normalize("NFKC", text).casefold()
    return " ".join(unicodedata.normalize("NFKC", once).split())


def pairs(reference: list[str], candidate: list[str]) -> list[dict[str, str]]:
    return [
        {
            "candidate_id": c["id"],
            "reference_id": r["id"],
            "kind": "raw" if r["text"] == c["text"] else "normalized",
        }
        for c in records(candidate, "c")
        for r in records(reference, "r")
        if form(r["text"]) == form(c["text"])
    ]


@given(SIDE, SIDE)
def test_every_measure_is_that_of_all_pairs(reference: list[str], candidate: list[str]) -> None:
    found, all_pairs = result(reference, candidate), pairs(reference, candidate)
    raw = sum(pair["kind"] == "raw" for pair in all_pairs)
    matched = len({pair["candidate_id"] for pair in all_pairs})
    expected = {
        "records": len(reference) + len(candidate),
        "reference_records": len(reference),
        "candidate_records": len(candidate),
        "raw_exact_matches": raw,
        "normalized_matches": len(all_pairs) - raw,
        "matched_reference_records": len({pair["reference_id"] for pair in all_pairs}),
        "matched_candidate_records": matched,
        "overlap_rate": matched / len(candidate),
    }
    assert {name: found[name] for name in expected} == expected
    ends = found["overlap_rate_low"], found["overlap_rate_high"]
    assert ends == pytest.approx(proportion_confint(matched, len(candidate), 0.05, "wilson"), abs=1e-12)


@given(SIDE, SIDE, st.integers(0, 8), st.randoms(use_true_random=False))
def test_the_first_pairs_are_named_whatever_the_order_of_records(
    reference: list[str], candidate: list[str], limit: int, draw: random.Random
) -> None:
    one, other = records(reference, "r"), records(candidate, "c")
    draw.shuffle(one)
    draw.shuffle(other)
    found = tallystick.run("overlap", one, other, max_details=limit).result
    all_pairs = pairs(reference, candidate)
    assert found["details"] == all_pairs[:limit]
    assert found["omitted"] == {"details": max(0, len(all_pairs) - limit)}


def test_repeated_texts_are_counted_by_products() -> None:
    found = result(["x"] * 40_000 + ["X"] * 10_000, ["x"] * 30_000 + ["y"])
    assert found["raw_exact_matches"] == 40_000 * 30_000
    assert found["normalized_matches"] == 10_000 * 30_000
    assert found["matched_candidate_records"] == 30_000
    assert [row["reference_id"] for row in found["details"][:3]] == ["r000", "r001", "r002"]
    assert found["omitted"]["details"] == 50_000 * 30_000 - 100


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Größe ①", "GRÖSSE 1"),
        ("ﬁle ＡＢＣ１", "FILE abc1"),
        ("ｶﾞﾗｽ", "ガラス"),
        ("nai\u0308ve  Zoë", "NAÏVE Zoe\u0308"),
        ("E = mc²", "e = mc2"),
        ("5 \u212b", "5 å"),
        ("a\u0323\u0301", "a\u0301\u0323"),
        (" a\u00a0b\u3000c\u2028d\u0085 ", "A B\tC\nD"),
        ("ﻣﺮﺣﺒﺎ", "مرحبا"),
        ("\u1e9e", "ss"),
        ("\u03a3\u03c2", "\u03c3\u03c3"),
    ],
)
def test_what_unicode_calls_compatible_is_a_normalized_match(one: str, other: str) -> None:
    found = result([one], [other])
    assert (found["raw_exact_matches"], found["normalized_matches"]) == (0, 1)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("data\u200bset", "dataset"),
        ("soft\u00adhyphen", "softhyphen"),
        ("İzmir", "izmir"),
        ("ılgın", "ILGIN"),
        ("a b", "ab"),
        ("café", "cafe"),
        ("\u200b", "\ufeff"),
    ],
)
def test_what_is_merely_alike_is_no_match(one: str, other: str) -> None:
    assert result([one], [other])["overlap_rate"] == 0.0


@pytest.mark.parametrize("blank", ["", " ", "\t\n", "\u3000\u00a0\u2003", "\u2028\u0085"])
def test_a_blank_text_is_refused_naming_its_record(blank: str) -> None:
    with pytest.raises(RecordError, match=r"candidate:2: text: .* is blank"):
        result(["x"], ["x", blank])


def test_ids_are_unique_in_each_input_and_may_be_in_both() -> None:
    rows = [{"id": "a", "text": "x"}, {"id": "b", "text": "y"}]
    assert tallystick.run("overlap", rows, rows).result["raw_exact_matches"] == 2
    with pytest.raises(RecordError, match=r'reference:3: id: "a" occurs more than once'):
        tallystick.run("overlap", [*rows, rows[0]], rows)


def test_gates_compare_the_rate_exactly() -> None:
    given = records(["x"], "r"), records(["x", "a", "b"], "c")
    gates = ["overlap_rate <= 0.3333333333333333", "overlap_rate <= 0.33333333333333334"]
    gates += ["matched_candidate_records <= 0", "matched_reference_records <= 1"]
    report = tallystick.run("overlap", *given, gates=gates)
    assert [gate["status"] for gate in report.gates] == ["failed", "passed", "failed", "passed"]


def test_overlap_is_not_sliced() -> None:
    rows = [{"id": "a", "text": "x", "topic": "t"}]
    with pytest.raises(UsageError, match="overlap is not sliced"):
        tallystick.run("overlap", rows, rows, slice_by="topic")


def test_no_text_reaches_a_report(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, report = tmp_path / "texts.jsonl", tmp_path / "report.json"
    path.write_text('{"id": "a", "text": "a secret sentence"}\n')
    assert main(["overlap", str(path), str(path), "--output", str(report), "--max-overlap-rate", "0"]) == 1
    assert "secret" not in report.read_text() + capsys.readouterr().out
    assert '"kind": "raw"' in report.read_text()


def test_an_input_without_records_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="no records"):
        tallystick.run("overlap", records(["x"], "r"), [])
    assert main(["overlap", str(tmp_path / "one.jsonl")]) == 2
