"""A look at a file: its fields by their shape, and the audits that read it."""

import csv
import gzip
import io
import json
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tallystick.cli import main
from tallystick.errors import SourceError
from tallystick.look import look
from tallystick.peek import page
from tallystick.suite_run import run_suite

ROWS: list[dict[str, Any]] = [
    {
        "idx": n,
        "gold": {"label": f"secret{n % 2}"},
        "prediction": f"secret{n % 3 == 0:d}",
        "prob": n / 40,
        "probs": {"secret0": 0.5, "secret1": 0.5},
        "segment": f"hidden{n % 4}",
    }
    for n in range(40)
]


def as_lines(rows: list[dict[str, Any]]) -> bytes:
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def as_csv(rows: list[dict[str, Any]]) -> bytes:
    file = io.StringIO()
    writer = csv.writer(file)
    writer.writerow(rows[0])
    writer.writerows([v if isinstance(v, str) else json.dumps(v) for v in row.values()] for row in rows)
    return file.getvalue().encode()


FORMATS: dict[str, Callable[[list[dict[str, Any]]], bytes]] = {
    "rows.jsonl": as_lines,
    "rows.json": lambda rows: json.dumps(rows).encode(),
    "rows.jsonl.gz": lambda rows: gzip.compress(as_lines(rows)),
    "rows.csv": as_csv,
}


def lay(folder: Path, name: str, rows: list[dict[str, Any]] = ROWS) -> Path:
    (folder / name).write_bytes(FORMATS[name](rows))
    return folder / name


@pytest.mark.parametrize("name", FORMATS)
def test_every_command_of_one_file_runs_as_it_is_shown(
    tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = lay(tmp_path, name)
    assert main(["peek", str(path)]) == 0
    shown = capsys.readouterr().out
    assert "secret" not in shown
    assert "hidden" not in shown
    commands = [line.split()[1:] for line in shown.splitlines() if line.startswith("  tally ")]
    whole = [words for words in commands if "OTHER" not in " ".join(words) and "_THRESHOLD" not in words[-1]]
    assert {words[0] for words in whole} >= {"classification", "calibration", "probabilities", "disparity"}
    for words in whole:
        assert main(words) == 0, words


def test_fields_are_described_by_their_shape(tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = [{"a": "x", "b": 1, "c": [1, "y"]}, {"a": None, "b": 2.5, "d": {"e": True}}]
    fields = look(lay(tmp_path, "rows.jsonl", rows)).fields
    assert [(field.path, field.kind, field.records, field.shape) for field in fields] == [
        ("a", "null or text", 2, "1 character, 1 different"),
        ("b", "number or whole number", 2, "1 to 2.5"),
        ("c", "array of text or whole number", 1, "2 items"),
        ("d", "object", 1, "1 key"),
        ("d.e", "true or false", 1, ""),
    ]


def test_whole_numbers_that_should_be_text_are_said_to_be(tmp_path: Path) -> None:
    rows = [{"id": n, "reference": n % 3, "rater": n % 2} for n in range(9)]
    shown = page(look(lay(tmp_path, "rows.jsonl", rows)))
    (line,) = [line for line in shown.splitlines() if line.startswith("  tally agreement")]
    assert line.endswith("--as-text id --as-text reference --as-text rater")
    assert main(line.split()[1:]) == 0


def test_one_file_of_two_is_shown_with_a_place_for_the_other(tmp_path: Path) -> None:
    shown = page(look(lay(tmp_path, "rows.jsonl", [{"label": "x"}])))
    path = tmp_path / "rows.jsonl"
    assert f"  tally label-drift --reference {path} --candidate OTHER-CANDIDATE\n" in shown


def test_what_no_audit_reads_is_said(tmp_path: Path) -> None:
    assert "no audit reads it as it is" in page(look(lay(tmp_path, "rows.jsonl", [{"x": [1]}])))


def test_records_that_an_audit_would_refuse_do_not_fit_it(tmp_path: Path) -> None:
    rows = [{"expected": "a", "scores": {"a": 0.5, "b": 0.2}}]
    assert "probabilities" not in [fit.audit for fit in look(lay(tmp_path, "rows.jsonl", rows)).fits]


def test_only_the_first_records_of_lines_are_read(tmp_path: Path) -> None:
    path = lay(tmp_path, "rows.jsonl", ROWS * 3)
    with path.open("ab") as file:
        file.write(b"not JSON\n")
    assert len(look(path).sample.rows) == 100


@pytest.mark.parametrize(
    ("data", "what"),
    [(b"", "no records"), (b"\n \n", "no records"), (b"[1]\n", "object"), (b"{", "is not JSON")],
)
def test_what_holds_no_records_is_refused(tmp_path: Path, data: bytes, what: str) -> None:
    (tmp_path / "rows").write_bytes(data)
    with pytest.raises(SourceError, match=what):
        look(tmp_path / "rows")


def test_standard_input_can_be_looked_at(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(as_csv(ROWS))))
    assert main(["peek", "-", "--input-format", "csv"]) == 0
    assert "--input-format csv" in capsys.readouterr().out
    assert main(["peek"]) == 2
    assert main(["peek", "--nothing"]) == 2


@pytest.mark.parametrize("name", FORMATS)
def test_a_suite_is_started_for_any_format(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    lay(tmp_path, name)
    monkeypatch.chdir(tmp_path)
    assert main(["init", name, "--output", "made.toml"]) == 0
    text = (tmp_path / "made.toml").read_text()
    assert "secret" not in text
    assert tomllib.loads(text)["classification"][0]["map"] == {
        "expected": "gold.label",
        "predicted": "prediction",
    }
    assert run_suite("made.toml").verdict == "GO"
