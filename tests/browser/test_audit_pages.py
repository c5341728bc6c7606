"""A page of every audit."""

from collections import Counter
from itertools import cycle
from pathlib import Path

import pytest

from browser.pages import rendered
from browser.visits import DESKTOP, PHONE, Opening, Scheme
from golden_cases import GOLDEN

REPORTS = [min(folder.glob("pass*/report.json")) for folder in sorted(GOLDEN.iterdir()) if folder.is_dir()]
WAYS: list[tuple[tuple[int, int], Scheme]] = [
    (size, scheme) for size in (PHONE, DESKTOP) for scheme in ("light", "dark")
]


@pytest.mark.parametrize(
    ("report", "way"),
    list(zip(REPORTS, cycle(WAYS), strict=False)),
    ids=[report.parent.parent.name for report in REPORTS],
)
def test_anybody_can_read_it(
    opened: Opening, report: Path, way: tuple[tuple[int, int], Scheme], tmp_path: Path
) -> None:
    there = opened(rendered(tmp_path, report), *way)
    there.open_details()
    assert there.violations(contrast=False) == []
    ids = there.page.evaluate("[...document.querySelectorAll('[id]')].map(each => each.id)")
    assert [name for name, times in Counter(ids).items() if times > 1] == []
    for size in (PHONE, DESKTOP):
        there.resize(size)
        assert there.page.evaluate("document.documentElement.scrollWidth") <= size[0]
        assert there.misprints() == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_what_failed_and_what_is_undefined_can_be_read_too(
    opened: Opening, scheme: Scheme, tmp_path: Path
) -> None:
    for case in ("fail", "undefined"):
        there = opened(rendered(tmp_path, GOLDEN / "calibration" / case / "report.json"), PHONE, scheme)
        there.open_details()
        assert there.violations() == []
