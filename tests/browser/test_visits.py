"""What the other tests rely on: that a visit to a bad page hears, sees and finds what is bad about it."""

from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest
from playwright.sync_api import Browser

from browser import visits
from browser.visits import PHONE, visit

Writer: TypeAlias = Callable[[str], Path]


@pytest.fixture
def written(tmp_path: Path) -> Writer:
    """Give what writes a page."""

    def write(body: str) -> Path:
        page = tmp_path / "page.html"
        page.write_text(f"<!doctype html><meta charset=utf-8>{body}", "utf-8")
        return page

    return write


def test_a_visit_hears_the_console_errors_and_dialogs(browser: Browser, written: Writer) -> None:
    script = "console.error(1); console.warn(2); console.log(3); alert(4); throw new Error(5)"
    with visit(browser, written(f"<script>{script}</script>")) as there:
        there.page.wait_for_function("document.readyState === 'complete'")
    assert sorted(there.said) == ["dialog: 4", "error: 1", "error: 5", "warning: 2"]


def test_a_visit_sees_what_a_page_asks_for_and_refuses_it(browser: Browser, written: Writer) -> None:
    fetching = "fetch('other.json').catch(() => 0).then(() => { document.title = 'asked' })"
    with visit(
        browser, written(f"<img src='https://example.invalid/a'><script>{fetching}</script>")
    ) as there:
        there.page.wait_for_function("document.title === 'asked'")
    other = there.url.replace("page.html", "other.json")
    assert sorted(there.asked) == sorted([there.url, "https://example.invalid/a", other])


def test_a_visit_finds_what_hinders_people(browser: Browser, written: Writer) -> None:
    pale = "<p style='color: #ccc; background: #fff'>Pale</p><img alt='' src='data:,'><input>"
    with visit(browser, written(pale)) as there:
        broken = {line.partition(":")[0] for line in there.violations()}
    assert broken >= {"color-contrast", "label", "html-has-lang", "document-title", "landmark-one-main"}


def test_a_visit_tells_what_the_keyboard_misses(browser: Browser, written: Writer) -> None:
    hidden = "<div tabindex=0>a</div><a href='#' style='outline: 0'>b</a><button tabindex=-1>c</button>"
    with visit(browser, written(hidden)) as there:
        reached = list(there.focused())
        missed = {each["number"] for each in there.focusable()} - {each["number"] for each in reached}
        assert [each["outlined"] for each in reached] == [True, False]
        assert len(missed) == 1


@pytest.mark.parametrize(("scheme", "dark"), [("light", False), ("dark", True)])
def test_a_visit_tells_light_from_dark(
    browser: Browser, written: Writer, scheme: visits.Scheme, dark: bool
) -> None:
    body = "<style>:root { color-scheme: light dark }</style><p id=p>a"
    with visit(browser, written(body), PHONE, scheme) as there:
        assert (there.luminance("p") < 0.1) is dark
        assert (there.luminance("p", "text") > 0.9) is dark


def test_nothing_runs_where_scripts_are_off(browser: Browser, written: Writer) -> None:
    with visit(browser, written("<p>a<script>document.title = 'ran'</script>"), script=False) as there:
        assert there.page.title() == ""


@pytest.mark.parametrize(("value", "expected"), [("true", True), ("1", True), ("", False), ("false", False)])
def test_a_missing_browser_is_a_failure_in_ci_alone(
    monkeypatch: pytest.MonkeyPatch, value: str, expected: bool
) -> None:
    monkeypatch.setenv("CI", value)
    assert visits.required() is expected


def test_a_browser_is_found_by_its_name(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert visits.found() is None
    (tmp_path / "google-chrome").touch(0o755)
    assert visits.found() == str(tmp_path / "google-chrome")


def test_a_visit_finds_texts_of_plots_that_cannot_be_read(browser: Browser, written: Writer) -> None:
    texts = "<text y=20>a long text that ends outside</text><text y=40>here</text><text y=42>there</text>"
    plot = f"<svg width=90 viewBox='0 0 90 50' aria-label='Plot'>{texts}<text y=20>ok</text></svg>"
    with visit(browser, written(f"<figure>{plot}</figure>")) as there:
        assert there.misprints() == [
            "Plot: cut off: a long text that ends outside",
            "Plot: on each other: a long text that ends outside, ok",
            "Plot: on each other: here, there",
        ]
