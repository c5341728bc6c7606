"""Files read in parts, dealt out on disk where records must come together, give what one reading gives."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, reject, settings
from hypothesis import strategies as st

from laws.run_in_parts import Case, body, cases
from tallystick import dispatch, spill
from tallystick.audit import Sliced
from tallystick.audits import AUDITS
from tallystick.errors import TallystickError
from tallystick.run import execute
from tallystick.share import Share
from tallystick.sources import Facts, jsonl


def lay(folder: Path, case: Case) -> list[tuple[str, str]]:
    """Write each input to a file, some lines blank."""
    files = []
    for source, rows in case.records.items():
        path = folder / f"{source}.jsonl"
        lines = [json.dumps(row, ensure_ascii=False) + "\n" + "\n" * (len(row) % 2) for row in rows]
        path.write_text("".join(lines), encoding="utf-8")
        files.append((source, str(path)))
    return files


def in_parts(case: Case, files: list[tuple[str, str]], facts: list[Facts]) -> Sliced | None:
    """Count the files part by part."""
    share = Share(tuple(files), sum(Path(path).stat().st_size for _, path in files), 1)
    return dispatch.accumulate(case.plan, share, facts, None, None)


@pytest.mark.parametrize("name", AUDITS)
@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data(), size=st.integers(1, 400), bucket=st.integers(1, 400), piece=st.integers(1, 300))
def test_parts_of_files_give_the_findings_of_the_files(
    name: str, tmp_path: Path, data: st.DataObject, size: int, bucket: int, piece: int
) -> None:
    case = data.draw(cases(name))
    files = lay(tmp_path, case)
    try:
        whole = execute(case.plan, {source: [path] for source, path in files}, jobs=1).body
    except TallystickError:
        reject()
    facts: list[Facts] = []
    with pytest.MonkeyPatch.context() as patch:
        for each in ("PART", "SMALL"):
            patch.setattr(dispatch, each, size)
        patch.setattr(dispatch, "BUCKET", bucket)
        patch.setattr(jsonl, "PIECE", piece)
        patch.setattr(spill, "AT_ONCE", bucket % 5 + 1)
        state = in_parts(case, files, facts)
    assert state is not None
    found: dict[str, Any] = body(case, state)
    assert json.dumps({**found, "inputs": None}) == json.dumps({**whole, "inputs": None})
    assert sorted(str(fact.body()) for fact in facts) == sorted(map(str, whole["inputs"]))
