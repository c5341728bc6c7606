"""Make pictures of pages and of every plot on them, for people to look at.

    python tools/screenshots.py FOLDER           of the examples, of hard data and of golden reports
    python tools/screenshots.py FOLDER NAME...   of the pages whose names begin so

Each is made as a phone and as a desktop show it, light and dark.
"""

import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from playwright.sync_api import Browser, sync_playwright

from browser.pages import PROBABILITIES, SELECTIVE, SUITE, hostile, large, made, rendered
from browser.visits import DESKTOP, PHONE, Scheme, found, launch, visit
from golden_cases import GOLDEN

SCHEMES: tuple[Scheme, ...] = ("light", "dark")


def ways() -> Iterator[tuple[str, Callable[[Path], Path]]]:
    """Name each page, with what makes it in a folder."""
    for name, words in (("suite", SUITE), ("selective", SELECTIVE), ("probabilities", PROBABILITIES)):
        yield name, lambda folder, words=words: made(folder, *words).page  # type: ignore[misc]
    yield "hostile", lambda folder: hostile(folder).page
    yield "large", partial(large, records=100_000, labels=100)
    for report in sorted(GOLDEN.glob("*/*/report.json")):
        yield f"golden-{report.parent.parent.name}-{report.parent.name}", partial(rendered, report=report)


def picture(browser: Browser, path: Path, stem: str) -> None:
    """Make all pictures of one page, whose names start with a stem."""
    for size in (PHONE, DESKTOP):
        for scheme in SCHEMES:
            with visit(browser, path, size, scheme) as there:
                end = f"{size[0]}-{scheme}.png"
                there.page.screenshot(path=f"{stem}-page-{end}", full_page=True)
                for number, figure in enumerate(there.page.locator("main figure").all(), 1):
                    figure.screenshot(path=f"{stem}-plot-{number}-{end}")


def main(folder: str, *names: str) -> int:
    """Make the pictures."""
    path = found()
    if path is None:
        print("there is no browser: install chromium")
        return 1
    Path(folder).mkdir(parents=True, exist_ok=True)
    with sync_playwright() as playwright:
        browser = launch(playwright, path)
        for name, way in ways():
            if not names or name.startswith(names):
                with tempfile.TemporaryDirectory() as place:
                    picture(browser, way(Path(place)), f"{folder}/{name}")
                print(name)
        browser.close()
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]) if len(sys.argv) > 1 else __doc__)
