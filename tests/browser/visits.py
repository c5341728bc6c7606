"""Visits to a page on disk in headless Chromium, which hear everything that a page says and asks for."""

import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from importlib import resources
from pathlib import Path
from typing import Any, Literal, TypeAlias

from playwright.sync_api import Browser, ConsoleMessage, Dialog, Page, Playwright, Route

Scheme = Literal["light", "dark"]

NAMES = ("chromium", "chromium-browser", "google-chrome")
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
PHONE, DESKTOP = (390, 844), (1280, 900)
RULES = ("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "best-practice")
"""The rules of axe-core that a page is held to, by their tags."""


def found() -> str | None:
    """Give the path of an installed browser."""
    return next(filter(None, map(shutil.which, NAMES)), None)


def launch(playwright: Playwright, path: str) -> Browser:
    """Start a browser that speaks to nobody."""
    return playwright.chromium.launch(executable_path=path, args=list(FLAGS))


class Visit:
    """An open page, with what it said, what it asked for, and what it would have shown in a dialog."""

    def __init__(self, page: Page, path: Path) -> None:
        self.page, self.path = page, path
        self.said: list[str] = []
        self.asked: list[str] = []
        page.on("console", self._console)
        page.on("pageerror", lambda error: self.said.append(f"error: {error}"))
        page.on("dialog", self._dialog)
        page.context.route("**/*", self._route)

    @property
    def url(self) -> str:
        """The address of the file."""
        return self.path.resolve().as_uri()

    def open_details(self) -> None:
        """Unfold everything."""
        self.page.evaluate("document.querySelectorAll('details').forEach(each => { each.open = true })")

    def resize(self, size: Sequence[int]) -> None:
        """Make the window another size."""
        self.page.set_viewport_size({"width": size[0], "height": size[1]})

    def violations(self, *, contrast: bool = True) -> list[str]:
        """Give what axe-core finds against the page, a line for each element; contrasts take it longest."""
        if not self.page.evaluate("'axe' in window"):
            self.page.evaluate(_axe())
        found = self.page.evaluate(
            """([runOnly, enabled]) => axe.run(document,
              {runOnly, rules: {"color-contrast": {enabled}}, resultTypes: ["violations"]})""",
            [list(RULES), contrast],
        )
        return [
            f"{rule['id']}: {' '.join(map(str, node['target']))}: {node['failureSummary']}"
            for rule in found["violations"]
            for node in rule["nodes"]
        ]

    def focusable(self) -> list[dict[str, Any]]:
        """Describe each visible element that the keyboard must be able to reach."""
        described: list[dict[str, Any]] = self.page.evaluate(_FOCUSABLE)
        return described

    def focused(self) -> Iterator[dict[str, Any]]:
        """Press Tab until the focus leaves the page, and describe each element that it reaches."""
        seen: set[int] = set()
        while True:
            self.page.keyboard.press("Tab")
            at = self.page.evaluate(_FOCUSED)
            if at is None or at["number"] in seen:
                return
            seen.add(at["number"])
            yield at

    def misprints(self) -> list[str]:
        """Give each text of a plot that its edge cuts off, and each two that lie on each other."""
        found: list[str] = self.page.evaluate(_MISPRINTS)
        return found

    def luminance(self, selector: str, of: Literal["background", "text"] = "background") -> float:
        """Give the relative luminance, from 0 (black) to 1, of what is behind an element, or of its text."""
        return float(self.page.evaluate(_LUMINANCE, [selector, of]))

    def _console(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning", "assert"):
            self.said.append(f"{message.type}: {message.text}")

    def _dialog(self, dialog: Dialog) -> None:
        self.said.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def _route(self, route: Route) -> None:
        self.asked.append(route.request.url)
        if route.request.url.partition("#")[0] == self.url:
            route.continue_()
        else:
            route.abort()


Opening: TypeAlias = Callable[..., Visit]
"""What opens a page: a path, and the size, the scheme and `script` as `visit` takes them."""


@contextmanager
def visit(
    browser: Browser,
    path: Path,
    size: Sequence[int] = DESKTOP,
    scheme: Scheme = "light",
    *,
    script: bool = True,
) -> Iterator[Visit]:
    """Open a file in a context of its own."""
    context = browser.new_context(
        viewport={"width": size[0], "height": size[1]},
        color_scheme=scheme,
        java_script_enabled=script,
        reduced_motion="reduce",
    )
    try:
        opened = Visit(context.new_page(), path)
        opened.page.goto(opened.url)
        yield opened
    finally:
        context.close()


def _axe() -> str:
    return resources.files("axe_playwright_python").joinpath("axe.min.js").read_text("utf-8")


def required() -> bool:
    """Whether a missing browser is a failure, as it is in CI."""
    return os.environ.get("CI", "").lower() not in ("", "0", "false")


_DESCRIBE = """
  const all = [...document.querySelectorAll("*")];
  const describe = each => {
    const style = getComputedStyle(each), box = each.getBoundingClientRect();
    return {
      number: all.indexOf(each),
      what: each.cloneNode(false).outerHTML,
      outlined: style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 1,
      visible: box.width > 0 && box.height > 0 && box.bottom > 0 && box.top < innerHeight
        && box.right > 0 && box.left < innerWidth,
    };
  };
"""

_FOCUSED = f"""() => {{ {_DESCRIBE}
  const at = document.activeElement;
  return !at || at === document.body || at === document.documentElement ? null : describe(at);
}}"""

_FOCUSABLE = f"""() => {{ {_DESCRIBE}
  const scrolls = each => /auto|scroll/.test(getComputedStyle(each).overflow)
    && (each.scrollWidth > each.clientWidth || each.scrollHeight > each.clientHeight);
  return all.filter(each => each.checkVisibility() && each !== document.documentElement
    && (each.matches("a[href], button, input, select, summary, [tabindex='0']") || scrolls(each)))
    .map(describe);
}}"""

_LUMINANCE = """([selector, of]) => {
  const pixel = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
  const rgba = color => {
    pixel.clearRect(0, 0, 1, 1);
    pixel.fillStyle = color;
    pixel.fillRect(0, 0, 1, 1);
    return [...pixel.getImageData(0, 0, 1, 1).data];
  };
  let at = document.querySelector(selector), found;
  if (of === "text") {
    found = rgba(getComputedStyle(at).color);
  } else {
    do found = rgba(getComputedStyle(at).backgroundColor); while (!found[3] && (at = at.parentElement));
    if (!found[3]) {
      const probe = document.body.appendChild(document.createElement("span"));
      probe.style.backgroundColor = "Canvas";
      found = rgba(getComputedStyle(probe).backgroundColor);
      probe.remove();
    }
  }
  const [red, green, blue] = found.map(part => part / 255)
    .map(part => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}"""

_MISPRINTS = """() => [...document.querySelectorAll("figure svg")].flatMap(plot => {
  const edge = plot.getBoundingClientRect(), said = [];
  const texts = [...plot.querySelectorAll("text")]
    .map(each => [each.textContent, each.getBoundingClientRect()]);
  texts.forEach(([text, box], number) => {
    if (box.left < edge.left - 1 || box.right > edge.right + 1
      || box.top < edge.top - 1 || box.bottom > edge.bottom + 1) said.push(`cut off: ${text}`);
    for (const [other, at] of texts.slice(number + 1)) {
      const across = Math.min(box.right, at.right) - Math.max(box.left, at.left);
      const down = Math.min(box.bottom, at.bottom) - Math.max(box.top, at.top);
      if (across > 1 && down > 0.3 * Math.min(box.height, at.height))
        said.push(`on each other: ${text}, ${other}`);
    }
  });
  return said.map(each => `${plot.getAttribute("aria-label").slice(0, 40)}: ${each}`);
})"""
