"""One browser for each worker, and pages that many tests visit."""

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, sync_playwright

from browser.pages import EXAMPLES, Made, made
from browser.visits import Opening, Visit, found, launch, required, visit


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Start the browser; where there is none, skip, but fail in CI."""
    path = found()
    if path is None:
        reason = "no browser: neither chromium nor google-chrome is installed"
        if required():
            pytest.fail(reason)
        pytest.skip(reason)
    with sync_playwright() as playwright:
        started = launch(playwright, path)
        yield started
        started.close()


@pytest.fixture
def opened(browser: Browser) -> Iterator[Opening]:
    """Give what opens a page; no page may say anything, or ask for anything but its own file."""
    visits: list[Visit] = []
    with ExitStack() as stack:

        def opening(path: Path, *how: Any, **more: Any) -> Visit:
            visits.append(stack.enter_context(visit(browser, path, *how, **more)))
            return visits[-1]

        yield opening
        for each in visits:
            assert each.said == []
            assert each.asked == [each.url]


@pytest.fixture(scope="session")
def suite(tmp_path_factory: pytest.TempPathFactory) -> Made:
    """Make the page of the example suite."""
    return made(tmp_path_factory.mktemp("suite"), "run", str(EXAMPLES / "suite.toml"))
