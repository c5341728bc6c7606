"""Nothing that data, names or a report's file hold acts on a page."""

import json
from pathlib import Path
from typing import Any

import pytest

from browser.pages import ATTACKS, Made, hostile, rendered
from browser.visits import PHONE, Opening, Visit
from golden_cases import GOLDEN
from tallystick.audits import AUDITS
from tallystick.report import digest

KEPT = ("audit", "schema", "verdict")
"""Keys of a report of which only some values are read."""


@pytest.fixture(scope="session")
def attacked(tmp_path_factory: pytest.TempPathFactory) -> Made:
    """Make the page of attacks."""
    return hostile(tmp_path_factory.mktemp("hostile"))


@pytest.mark.parametrize("script", [True, False], ids=["scripts", "no scripts"])
def test_attacks_are_shown_as_text_and_do_nothing(opened: Opening, attacked: Made, script: bool) -> None:
    there = opened(attacked.page, script=script)
    list(there.focused())
    harmless(there)
    text = there.page.locator("main").inner_text()
    assert not [attack for attack in ATTACKS[:-1] if attack not in text]


def test_characters_that_steer_are_spelled_out(attacked: Made) -> None:
    page = attacked.page.read_text("utf-8")
    assert {character for character in page if not character.isprintable()} <= {"\n", "\t"}


def test_a_page_of_attacks_stays_usable(opened: Opening, attacked: Made) -> None:
    there = opened(attacked.page, PHONE)
    there.open_details()
    assert there.page.evaluate("document.documentElement.scrollWidth") <= PHONE[0]
    assert there.violations() == []
    assert there.misprints() == []


def test_edited_reports_do_nothing(opened: Opening, tmp_path: Path) -> None:
    audits = [
        {"name": f"{path.parent.parent.name}{ATTACKS[0]}", **edited(json.loads(path.read_bytes()))}
        for path in sorted(GOLDEN.glob("*/fail*/report.json"))
    ]
    assert len(audits) == len(AUDITS)
    held = {"schema": 1, "suite": "0" * 64, "verdict": "BLOCKED", "passed": False, "audits": audits}
    forged = tmp_path / "forged.json"
    forged.write_text(json.dumps({**held, "digest": digest(held)}), "utf-8")
    harmless(opened(rendered(tmp_path, forged)))


def edited(report: dict[str, Any]) -> dict[str, Any]:
    """Give the body of a report with attacks in all its texts."""
    held = {key: value for key, value in report.items() if key != "digest"}
    return {key: value if key in KEPT else infected(value) for key, value in held.items()}


def infected(value: Any) -> Any:
    """Append attacks to every string, at any depth."""
    if isinstance(value, str):
        return value + "".join(ATTACKS)
    if isinstance(value, list):
        return [infected(each) for each in value]
    if isinstance(value, dict):
        return {key: infected(each) for key, each in value.items()}
    return value


def harmless(there: Visit) -> None:
    """Unfold everything, and see that no attack came alive."""
    there.open_details()
    there.page.mouse.move(200, 200)
    assert there.page.evaluate("window.pwned") is None
    assert there.page.locator("img, iframe, object, embed, link[href], base, form").count() == 0
    names = there.page.evaluate("[...document.querySelectorAll('*')].flatMap(e => e.getAttributeNames())")
    assert not [name for name in names if name.startswith("on")]
    assert there.page.locator("main").is_visible()
