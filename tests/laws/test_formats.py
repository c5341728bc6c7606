"""A file and an iterable of the same records give the same report."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, reject, settings
from hypothesis import strategies as st

import tallystick
from strategies import Inputs, inputs, options
from tallystick.audits import AUDITS
from tallystick.errors import TallystickError


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
