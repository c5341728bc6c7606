"""A page of every audit."""

from collections import Counter
from pathlib import Path

import pytest

from browser.pages import rendered
from browser.visits import DESKTOP, PHONE, Opening
from golden_cases import GOLDEN

REPORTS = sorted(
    next(path for path in sorted(folder.glob("*/report.json")) if path.parent.name.startswith("pass"))
    for folder in GOLDEN.iterdir()
    if folder.is_dir()
)


@pytest.mark.parametrize("report", REPORTS, ids=lambda report: report.parent.parent.name)
def test_anybody_can_read_it_on_any_screen(opened: Opening, report: Path, tmp_path: Path) -> None:
    there = opened(rendered(tmp_path, report), PHONE)
    there.open_details()
    assert there.page.evaluate("document.documentElement.scrollWidth") <= PHONE[0]
    ids = there.page.evaluate("[...document.querySelectorAll('[id]')].map(each => each.id)")
    assert [name for name, times in Counter(ids).items() if times > 1] == []
    assert there.violations() == []
    there.resize(DESKTOP)
    there.page.emulate_media(color_scheme="dark")
    assert there.violations() == []
