"""The page of the example suite, as its readers meet it."""

import re
from collections import Counter

import pytest

from browser.pages import Made
from browser.visits import DESKTOP, PHONE, Opening, Scheme


@pytest.mark.parametrize("size", [PHONE, DESKTOP], ids=["phone", "desktop"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(opened: Opening, suite: Made, size: tuple[int, int], scheme: Scheme) -> None:
    there = opened(suite.page, size, scheme)
    there.open_details()
    assert there.violations() == []
    assert there.misprints() == []


def test_it_states_verdict_gates_measures_and_plots_without_scripts(opened: Opening, suite: Made) -> None:
    there = opened(suite.page, script=False)
    there.open_details()
    text = there.page.locator("main").inner_text()
    assert suite.report["verdict"] in text
    for audit in suite.report["audits"]:
        assert audit["name"] in text
        assert not [gate["gate"] for gate in audit["gates"] if gate["gate"] not in text]
    plots = there.page.locator("main figure svg")
    assert plots.count() > 0
    assert all(plot.is_visible() for plot in plots.all())
    tables = there.page.locator("main table")
    assert tables.count() > 0
    assert all(table.is_visible() for table in tables.all())


def test_scripts_only_add_to_the_text(opened: Opening, suite: Made) -> None:
    with_scripts, without = opened(suite.page), opened(suite.page, script=False)
    for there in (with_scripts, without):
        there.open_details()
    words = [Counter(there.page.locator("main").inner_text().split()) for there in (without, with_scripts)]
    assert not words[0] - words[1]


def test_it_holds_a_policy_that_lets_nothing_be_fetched(opened: Opening, suite: Made) -> None:
    policy = opened(suite.page).page.locator("meta[http-equiv='Content-Security-Policy' i]")
    held = policy.get_attribute("content")
    assert held is not None
    assert "default-src 'none'" in held
    assert "unsafe-eval" not in held
    script = re.search(r"script-src ([^;]*)", held)
    assert script is None or "unsafe-inline" not in script[1]


def test_the_policy_stops_scripts_that_are_not_its_own(opened: Opening, suite: Made) -> None:
    there = opened(suite.page)
    there.page.evaluate(
        """() => {
          const alien = document.createElement("script");
          alien.textContent = "window.pwned = 1";
          document.body.append(alien);
        }"""
    )
    assert there.page.evaluate("window.pwned") is None
    assert len(there.said) == 1
    assert "Content Security Policy" in there.said.pop()


def test_links_of_the_navigation_lead_to_its_sections(opened: Opening, suite: Made) -> None:
    there = opened(suite.page)
    links = there.page.locator("nav a").all()
    assert len(links) >= len(suite.report["audits"])
    for link in links:
        target = link.get_attribute("href")
        assert target is not None
        link.click()
        assert there.page.evaluate("location.hash") == target
        section = there.page.locator(f"[id='{target.removeprefix('#')}']")
        assert section.count() == 1
        box = section.bounding_box()
        assert box is not None
        assert -1 <= box["y"] < DESKTOP[1]


def test_ids_are_unique_and_what_refers_to_one_finds_it(opened: Opening, suite: Made) -> None:
    there = opened(suite.page)
    there.open_details()
    ids = there.page.evaluate("[...document.querySelectorAll('[id]')].map(each => each.id)")
    assert not {name: times for name, times in Counter(ids).items() if times > 1}
    referring = ("aria-labelledby", "aria-describedby", "aria-controls", "for", "list", "clip-path", "fill")
    referred = there.page.evaluate(
        """names => names.flatMap(name => [...document.querySelectorAll(`[${name}]`)].flatMap(each => {
          const value = each.getAttribute(name), local = /^url\\(["']?#(.*?)["']?\\)$/.exec(value);
          if (local) return [local[1]];
          return name === "fill" || name === "clip-path" ? [] : value.split(/\\s+/);
        }))""",
        list(referring),
    )
    assert set(referred) <= set(ids)


@pytest.mark.parametrize("size", [PHONE, DESKTOP], ids=["phone", "desktop"])
@pytest.mark.parametrize("unfolded", [False, True], ids=["folded", "unfolded"])
def test_the_keyboard_reaches_everything_and_shows_where_it_is(
    opened: Opening, suite: Made, size: tuple[int, int], unfolded: bool
) -> None:
    there = opened(suite.page, size)
    if unfolded:
        there.open_details()
    expected = there.focusable()
    reached = list(there.focused())
    assert reached[0]["what"].startswith("<a ")
    assert "#" in reached[0]["what"]
    missed = {each["number"] for each in expected} - {each["number"] for each in reached}
    assert [each["what"] for each in expected if each["number"] in missed] == []
    assert [each["what"] for each in reached if not each["outlined"]] == []
    assert [each["what"] for each in reached if not each["visible"]] == []
    assert there.page.locator("summary").count() > 0


def test_the_keyboard_unfolds_and_folds(opened: Opening, suite: Made) -> None:
    there = opened(suite.page)
    summary = there.page.locator("summary").first
    state = "document.querySelector('details').open"
    before = there.page.evaluate(state)
    summary.press("Enter")
    assert there.page.evaluate(state) is not before
    summary.press("Space")
    assert there.page.evaluate(state) is before


@pytest.mark.parametrize("unfolded", [False, True], ids=["folded", "unfolded"])
def test_the_page_never_scrolls_sideways(opened: Opening, suite: Made, unfolded: bool) -> None:
    there = opened(suite.page)
    if unfolded:
        there.open_details()
    for width in (320, 360, 390, 768, 1280):
        there.resize((width, 800))
        assert there.page.evaluate("document.documentElement.scrollWidth") <= width


def test_light_and_dark_differ(opened: Opening, suite: Made) -> None:
    light, dark = (opened(suite.page, DESKTOP, scheme).luminance("body") for scheme in ("light", "dark"))
    assert light > 0.9
    assert dark < 0.2


def test_print_is_dark_on_light_and_makes_pages(opened: Opening, suite: Made) -> None:
    there = opened(suite.page, DESKTOP, "dark")
    there.page.emulate_media(media="print")
    for name in ("html", "body", "main"):
        assert there.luminance(name) > 0.9
    assert there.luminance("h1", "text") < 0.2
    assert there.page.pdf().startswith(b"%PDF-")
