"""The same records give the same findings, whatever holds them: any file, frame or iterable."""

import json
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, reject, settings
from hypothesis import strategies as st

import tallystick
from strategies import Inputs, inputs, options
from tallystick.audits import AUDITS
from tallystick.errors import TallystickError
from written import ARROW, TEXTS, Writer

WRITERS = [*TEXTS.values(), *(ARROW.values() if find_spec("pyarrow") else ())]


def lay(folder: Path, records: Inputs, spaces: tuple[str, str]) -> dict[str, Path]:
    """Write each input to a file, with white space as drawn."""
    for source, rows in records.items():
        lines = [json.dumps(row, ensure_ascii=len(row) % 2 == 0, separators=spaces) + "\n" for row in rows]
        (folder / f"{source}.jsonl").write_text("".join(lines), encoding="utf-8")
    return {source: folder / f"{source}.jsonl" for source in records}


def outcome(name: str, given: dict[str, Any], own: dict[str, Any]) -> dict[str, Any] | str:
    """Give the body of a report but for the facts of its files, or the kind of refusal."""
    try:
        body = dict(tallystick.run(name, **given, **own).body)
    except TallystickError as refused:
        return type(refused).__name__
    body["inputs"] = [fact["records"] for fact in body["inputs"]]
    return body


@pytest.mark.parametrize("name", AUDITS)
@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_file_and_an_iterable_give_the_same_report(name: str, tmp_path: Path, data: st.DataObject) -> None:
    records, own = data.draw(inputs(name)), data.draw(options(name))
    spaces = data.draw(st.sampled_from([(",", ":"), (", ", ": "), (" ,\t", " : ")]))
    of_objects = outcome(name, dict(records), own)
    assert outcome(name, dict(lay(tmp_path, records, spaces)), own) == of_objects
    if isinstance(of_objects, str):
        reject()


def hold(write: Writer, folder: Path, records: Inputs) -> dict[str, Any]:
    """Write each input, unless its records have no common types to be columns of."""
    try:
        return {source: write(rows, folder / source) for source, rows in records.items()}
    except (TypeError, ValueError, ImportError):  # what Arrow, pandas and polars raise for mixed types
        reject()


@pytest.mark.parametrize("name", AUDITS)
@settings(
    max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.filter_too_much]
)
@given(data=st.data())
def test_the_same_records_in_any_format_give_the_same_findings(
    name: str, tmp_path: Path, data: st.DataObject
) -> None:
    records, own = data.draw(inputs(name)), data.draw(options(name))
    held = hold(data.draw(st.sampled_from(WRITERS), "format"), tmp_path, records)
    of_objects = outcome(name, dict(records), own)
    assert outcome(name, held, own) == of_objects
    if isinstance(of_objects, str):
        reject()
