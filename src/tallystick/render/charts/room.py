"""Room for the texts of a drawing, in whatever font they are shown."""

import math
import re
from collections.abc import Iterator
from unicodedata import east_asian_width
from xml.etree.ElementTree import Element

MARGIN = 2
"""What is left free beside a text that reaches beyond the layout."""

PLACE = re.compile(r"translate\(([^,)]+),([^,)]+)\)")
"""A transformation that moves something to a place."""

_ANCHORS = {"start": 0.0, "middle": 0.5, "end": 1.0}


def rounded(number: str) -> str:
    """Write a number with two decimals, or fewer where they say nothing."""
    return f"{round(float(number), 2) + 0.0:.2f}".rstrip("0").rstrip(".")


def widen(root: Element) -> None:
    """Make room for every text as the widest of usual fonts sets it, which the layout did not know."""
    _, _, width, height = root.get("viewBox", "").split()
    ends = list(_ends(root, 0))
    moved = math.ceil(max([0.0, *(MARGIN - low for low, _ in ends)]))
    across = moved + math.ceil(max([float(width), *(high + MARGIN for _, high in ends)]))
    ground, *drawn = root
    ground.set("width", f"{across}")
    for each in drawn:
        x, y = _at(each)
        each.set("transform", f"translate({rounded(f'{x + moved}')},{rounded(f'{y}')})")
    root.set("viewBox", f"0 0 {across} {height}")


def _ends(drawn: Element, x: float) -> Iterator[tuple[float, float]]:
    """Give how far each level text reaches to the left and to the right."""
    if "rotate" in drawn.get("transform", ""):
        return
    x += _at(drawn)[0]
    if drawn.tag == "text":
        width = _text_width(drawn)
        low = x + float(drawn.get("dx", 0)) - width * _ANCHORS[drawn.get("text-anchor", "start")]
        yield low, low + width
    for child in drawn:
        yield from _ends(child, x)


def _at(drawn: Element) -> tuple[float, float]:
    """Give the place to which something is moved."""
    place = PLACE.fullmatch(drawn.get("transform", "translate(0,0)"))
    return (float(place[1]), float(place[2])) if place else (0.0, 0.0)


def _text_width(drawn: Element) -> float:
    """Say how wide a text is in the widest of usual fonts, with a little more to be sure."""
    size = float(drawn.get("font-size", "12").removesuffix("px"))
    heavy = 1.12 if drawn.get("font-weight") == "bold" else 1.0
    lines = ["".join(line.itertext()) for line in drawn] or [drawn.text or ""]
    return max(sum(map(_em, line)) for line in lines) * size * heavy


def _em(character: str) -> float:
    """Give the width of a character, as a share of the size of its font."""
    if character in " .,:;'|!ijlI":
        return 0.35
    if character in "()[]/-ftr":
        return 0.43
    if character in "mwMW@%…" or east_asian_width(character) in "WF":
        return 1.0
    return 0.78 if character.isupper() or not character.isascii() else 0.65
