"""No edit of a golden report goes unseen."""

import json
from pathlib import Path

import pytest

from edits import edited, edits
from golden_cases import GOLDEN
from tallystick import Report
from tallystick.audits import find
from tallystick.report import digest
from tallystick.verify import compare

REPORTS = sorted(GOLDEN.glob("*/*/report.json"))


@pytest.mark.parametrize("path", REPORTS, ids=lambda p: f"{p.parent.parent.name}-{p.parent.name}")
def test_every_single_edit_of_a_golden_report_is_found_even_with_a_new_digest(path: Path) -> None:
    held = json.loads(path.read_bytes())
    body = {key: value for key, value in held.items() if key not in ("digest", "produced")}
    fresh, result = Report(body), find(held["audit"]).Result
    assert compare(held, fresh, result).passed
    unseen = []
    for where, value in edits(body):
        changed = edited(body, where, value)
        if compare({**changed, "digest": digest(changed)}, fresh, result).passed:
            unseen.append(where)
    assert not unseen
