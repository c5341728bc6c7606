"""`retrieval` against ir-measures (trec_eval) and ranx, against plain loops, and at its edges."""

import json
import math
from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path
from typing import Any

import ir_measures
import pytest
from hypothesis import given
from hypothesis import strategies as st
from ir_measures import AP, RR, P, Qrel, R, ScoredDoc, Success, nDCG

import tallystick
from tallystick.cli import main
from tallystick.errors import RecordError, UsageError

REFERENCE = Path(__file__).parents[1] / "reference" / "ranx_retrieval.json"

DOCUMENTS = [f"d{number}" for number in range(12)]
RANKINGS = st.lists(st.sampled_from(DOCUMENTS), unique=True, max_size=12)
BINARY = st.lists(st.sampled_from(DOCUMENTS), unique=True, min_size=1, max_size=8)
GRADED = st.dictionaries(st.sampled_from(DOCUMENTS), st.integers(0, 4), min_size=1).filter(
    lambda grades: any(grades.values())
)
QUERIES = st.lists(st.tuples(BINARY | GRADED, RANKINGS), min_size=1, max_size=12)
Judgments = list[str] | dict[str, float]
Query = tuple[Judgments, list[str]]


def records(queries: Iterable[Query]) -> list[dict[str, Any]]:
    return [
        {"query_id": f"q{i:03}", "relevant": relevant, "retrieved": retrieved}
        for i, (relevant, retrieved) in enumerate(queries)
    ]


def result(queries: Iterable[Query], **options: Any) -> dict[str, Any]:
    found: dict[str, Any] = tallystick.run("retrieval", records(queries), **options).result
    return found


def grades(relevant: Judgments) -> dict[str, float]:
    return relevant if isinstance(relevant, dict) else dict.fromkeys(relevant, 1)


@given(QUERIES)
def test_every_measure_is_that_of_trec_eval(queries: list[Query]) -> None:
    qrels, run = [], []
    for row in records(queries):
        qrels += [Qrel(row["query_id"], doc, int(grade)) for doc, grade in grades(row["relevant"]).items()]
        run += [ScoredDoc(row["query_id"], doc, -float(n)) for n, doc in enumerate(row["retrieved"])]
    names = {"hit_rate": Success, "mrr": RR, "precision": P, "recall": R, "ndcg": nDCG}
    cutoffs = (1, 3, 5, 10)
    wanted = [measure @ k for measure in names.values() for k in cutoffs]
    theirs = ir_measures.calc_aggregate([*wanted, AP], qrels, run)
    found = result(queries)
    assert found["map"] == pytest.approx(theirs[AP], abs=1e-12)
    for row in found["cutoffs"]:
        for name, measure in names.items():
            assert row[name] == pytest.approx(theirs[measure @ row["cutoff"]], abs=1e-12)


def test_every_measure_is_that_of_ranx() -> None:
    reference = json.loads(REFERENCE.read_text())
    found = tallystick.run("retrieval", reference["records"]).result
    ours = {f"{n}@{row['cutoff']}": row[n] for row in found["cutoffs"] for n in row if n != "cutoff"}
    assert ours | {"map": found["map"]} == pytest.approx(reference["measures"], abs=1e-12)


@given(QUERIES, st.integers(1, 15))
def test_every_measure_is_its_definition(queries: list[Query], cutoff: int) -> None:
    hits = reciprocal = precision = recall = average = Fraction(0)
    gain = []
    for relevant, retrieved in queries:
        judged = {doc: grade for doc, grade in grades(relevant).items() if grade > 0}
        ranks = [rank for rank in range(1, len(retrieved) + 1) if retrieved[rank - 1] in judged]
        early = [rank for rank in ranks if rank <= cutoff]
        hits += bool(early)
        reciprocal += Fraction(1, early[0]) if early else 0
        precision += Fraction(len(early), cutoff)
        recall += Fraction(len(early), len(judged))
        before = (Fraction(ranks.index(rank) + 1, rank) for rank in ranks)
        average += sum(before, Fraction(0)) / len(judged)
        best = sorted(judged.values(), reverse=True)[:cutoff]
        ideal = math.fsum(grade / math.log2(rank + 1) for rank, grade in enumerate(best, 1))
        gain.append(math.fsum(judged[retrieved[r - 1]] / math.log2(r + 1) for r in early) / ideal)
    row = result(queries, cutoff=(cutoff,))
    n = len(queries)
    exact = {"hit_rate": hits, "mrr": reciprocal, "recall": recall, "map": average}
    assert {name: row[name] for name in exact} == {name: float(value / n) for name, value in exact.items()}
    assert row["cutoffs"][0]["precision"] == float(precision / n)
    assert row["ndcg"] == pytest.approx(sum(gain) / n, abs=1e-12)


@given(QUERIES)
def test_one_pass_over_many_cutoffs_gives_what_each_gives_alone(queries: list[Query]) -> None:
    together = result(queries, cutoff=(7, 1, 2, 2))["cutoffs"]
    assert together == [result(queries, cutoff=(k,))["cutoffs"][0] for k in (1, 2, 7)]


@given(QUERIES)
def test_documents_of_grade_1_are_those_of_an_array(queries: list[Query]) -> None:
    arrays = [([d for d, grade in grades(rel).items() if grade > 0], found) for rel, found in queries]
    objects: list[Query] = [(dict.fromkeys(relevant, 1.0), found) for relevant, found in arrays]
    assert result(arrays) == result(objects)


@given(QUERIES, st.sampled_from([2.0**-1074, 2.0**-30, 2.0, 2.0**1000]))
def test_the_unit_of_grades_does_not_matter(queries: list[Query], unit: float) -> None:
    scaled = [({doc: grade * unit for doc, grade in grades(rel).items()}, found) for rel, found in queries]
    assert result(scaled) == result([(grades(rel), found) for rel, found in queries])


def test_grades_at_the_end_of_what_float64_holds_do_not_overflow() -> None:
    huge = dict.fromkeys(DOCUMENTS, 1.7976931348623157e308)
    assert result([(huge, DOCUMENTS)])["ndcg"] == 1.0


@given(GRADED)
def test_the_ideal_ranking_has_ndcg_1_at_every_cutoff(judged: dict[str, float]) -> None:
    ideal = sorted(judged, key=lambda doc: -judged[doc])
    assert [row["ndcg"] for row in result([(judged, ideal)])["cutoffs"]] == [1.0] * 4


def test_the_first_relevant_ranks_are_listed_the_worst_first() -> None:
    queries: list[Query] = [(["a"], ["a"]), (["a"], ["b", "a"]), (["a", "c"], ["b"]), (["a"], [])]
    found = result(queries, max_rows=3)
    rows = [(row["query_id"], row["first_relevant_rank"], row["found"]) for row in found["per_query"]]
    assert rows == [("q002", None, 0), ("q003", None, 0), ("q001", 2, 1)]
    assert found["omitted"] == {"per_query": 1}


def test_the_result_repeats_the_row_of_the_gated_cutoff() -> None:
    queries: list[Query] = [(["a"], ["b", "a"]), (["a"], ["b", "c", "a"])]
    assert result(queries)["hit_rate"] == 1.0
    found = result(queries, cutoff=(1, 2, 3), gate_cutoff=2)
    assert {name: found[name] for name in ("hit_rate", "mrr", "recall", "ndcg")} == {
        name: found["cutoffs"][1][name] for name in ("hit_rate", "mrr", "recall", "ndcg")
    }
    with pytest.raises(UsageError, match="gate_cutoff: 4 is not requested by --cutoff"):
        result(queries, cutoff=(1, 2, 3), gate_cutoff=4)


@pytest.mark.parametrize("relevant", [[], {}, {"a": 0}])
def test_a_query_without_relevant_documents_is_refused_or_counted_apart(relevant: Judgments) -> None:
    queries: list[Query] = [(["a"], ["a"]), (relevant, ["a"])]
    with pytest.raises(RecordError, match="records:2: relevant: no document is relevant"):
        result(queries)
    found = result(queries, allow_unjudged=True)
    assert (found["records"], found["judged_queries"], found["unjudged_queries"]) == (2, 1, 1)
    assert found["map"] == found["hit_rate"] == 1.0


def test_measures_of_unjudged_queries_alone_are_undefined() -> None:
    report = tallystick.run("retrieval", records([([], ["a"])]), allow_unjudged=True, gates=["mrr >= 0"])
    assert [report.result[name] for name in ("hit_rate", "mrr", "recall", "ndcg", "map")] == [None] * 5
    assert report.body["undefined"]["ndcg[10]"] == "no query has a relevant document"
    assert [gate["status"] for gate in report.gates] == ["undefined"]


@pytest.mark.parametrize(
    ("gate", "passed"),
    [
        ("mrr >= 0.41666666666666666", True),
        ("mrr >= 0.4166666666666667", False),
        ("mrr[1] >= 0", True),
        ("precision[2] >= 0.5", True),
        ("precision[3] >= 0.34", False),
        ("recall[4] >= 0", False),
    ],
)
def test_gates_judge_the_gated_cutoff_or_a_row(gate: str, passed: bool) -> None:
    queries: list[Query] = [(["a"], ["b", "a"]), (["a"], ["b", "c", "a"])]
    reciprocal = records(queries) if "mrr" in gate else records([queries[0]])
    assert tallystick.run("retrieval", reciprocal, cutoff=(1, 2, 3), gates=[gate]).passed is passed


@pytest.mark.parametrize(
    ("field", "value", "what"),
    [
        ("retrieved", ["a", "a"], '"a" occurs more than once'),
        ("relevant", ["a", "a"], '"a" occurs more than once'),
        ("retrieved", [7], "expected an array"),
        ("relevant", {"a": -1}, "from 0"),
        ("relevant", {"a": True}, "from 0"),
        ("relevant", "a", "expected an array"),
        ("query_id", "", "a non-empty string"),
    ],
)
def test_what_is_no_query_is_refused(field: str, value: object, what: str) -> None:
    row = {"query_id": "q", "relevant": ["a"], "retrieved": ["b"]} | {field: value}
    with pytest.raises(RecordError, match=f"{field}: .*{what}"):
        tallystick.run("retrieval", [row])


def test_the_same_checks_are_made_of_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "queries.jsonl"
    for text, what in [
        ('{"query_id": "q", "relevant": ["a", "a"], "retrieved": []}', 'relevant: "a" occurs more than once'),
        ('{"query_id": "q", "relevant": {"a": 1, "a": 2}, "retrieved": []}', 'duplicate key "a"'),
        ('{"query_id": "q", "relevant": {"a": 1e999}, "retrieved": []}', "relevant"),
    ]:
        path.write_text(text + "\n")
        assert main(["retrieval", str(path)]) == 2
        assert what in capsys.readouterr().err


def test_flags_repeat_cutoffs_and_switch_unjudged_queries_on(tmp_path: Path) -> None:
    path, report = tmp_path / "queries.jsonl", tmp_path / "report.json"
    rows = records([(["a"], ["b", "a"]), ([], [])])
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    words = ["retrieval", str(path), "--cutoff", "2", "--cutoff", "1", "--gate-cutoff", "1"]
    assert main(words) == 2
    assert main([*words, "--allow-unjudged", "--min-mrr", "0.5", "--output", str(report)]) == 1
    assert [row["mrr"] for row in json.loads(report.read_text())["result"]["cutoffs"]] == [0.0, 0.5]
    assert main([*words[:6], "--allow-unjudged", "--min-mrr", "0.5", "--max-unjudged-queries", "1"]) == 0
    assert main([*words, "--gate-cutoff", "5"]) == 2
