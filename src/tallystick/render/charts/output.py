"""From a chart to a file or a page: SVG as small as it can be, and PNG of the same picture."""

import re
from collections.abc import Iterator
from functools import partial
from typing import Any
from xml.etree import ElementTree as ET
from xml.etree.ElementTree import Element

from ...errors import ReportError
from .plot import Plot
from .renderer import rendered
from .room import PLACE, rounded, widen
from .theme import COLOURS

SVG = "http://www.w3.org/2000/svg"
FONTS = "system-ui, sans-serif"

_NAMES = {light: f"var({name}, {light})" for name, (light, _) in COLOURS.items()}
_NUMBERS = ("d", "dx", "dy", "height", "transform", "viewBox", "width", "x", "x2", "y", "y2")
_PAINTS = ("fill", "fill-opacity", "opacity", "stroke", "stroke-dasharray", "stroke-opacity", "stroke-width")
_KEPT = frozenset((*_NUMBERS, *_PAINTS, "font-size", "font-style", "font-weight", "text-anchor"))
_DEFAULTS = {"opacity": "1", "font-weight": "normal", "stroke-width": "1", "text-anchor": "start"}
_DISC = re.compile(r"M([\d.]+),0A\1,\1,0,1,1,-\1,0A\1,\1,0,1,1,\1,0")
_NUMBER = re.compile(r"-?\d+\.\d+(?:e-?\d+)?|-?\d+e-?\d+")


def svg(picture: Any, plot: Plot, *, themed: bool) -> str:
    """Draw a chart as SVG: shapes and text alone, with the plot's words for who cannot see it."""
    import altair as alt
    import vl_convert

    version = ".".join(alt.SCHEMA_VERSION.removeprefix("v").split(".")[:2])
    chart = picture.to_dict(validate=False)
    drawn = rendered(partial(vl_convert.vegalite_to_svg, chart, vl_version=version), plot.name)
    root = _plain(ET.fromstring(drawn))  # noqa: S314  it is made just here, not given
    if len(root) < 2:  # the ground alone
        raise ReportError(f"plot {plot.name}", "the renderer drew nothing")
    for size in ("width", "height"):
        root.attrib.pop(size, None)
    widen(root)
    root.set("xmlns", SVG)
    root.set("role", "img")
    root.set("aria-label", f"{plot.title}. {plot.about}")
    root.set("font-family", FONTS)
    if themed:
        root.remove(root[0])  # the ground
        _theme(root)
    return ET.tostring(root, encoding="unicode")


def png(drawn: str, name: str, scale: float) -> bytes:
    """Paint SVG, at so many pixels for each of its units."""
    import vl_convert

    return rendered(partial(vl_convert.svg_to_png, drawn, scale=scale), name)


def _plain(drawn: Element) -> Element:
    """Copy what is seen: no classes, no roles, no empty groups; numbers to two decimals."""
    plain = Element(drawn.tag.removeprefix(f"{{{SVG}}}"))
    for name, value in drawn.attrib.items():
        if name in _KEPT and _DEFAULTS.get(name) != value:
            plain.set(
                name, _NUMBER.sub(lambda found: rounded(found[0]), value) if name in _NUMBERS else value
            )
    plain.text = drawn.text and drawn.text.rstrip(" ")
    plain.extend(_merged(_plain(child) for child in drawn if _is_seen(child)))
    if plain.get("transform") == "translate(0,0)":
        del plain.attrib["transform"]
    return plain


def _is_seen(drawn: Element) -> bool:
    if drawn.tag == f"{{{SVG}}}g":
        return any(_is_seen(child) for child in drawn)
    painted = drawn.get("fill"), drawn.get("stroke")
    is_frame = drawn.get("class") in ("background", "foreground") and not any(painted)
    return not is_frame and drawn.get("display") != "none" and drawn.get("d") != ""


def _merged(children: Iterator[Element]) -> Iterator[Element]:
    """Draw neighbours that look alike as one path, and leave out groups that only hold one thing."""
    last: Element | None = None
    for child in children:
        one = _path(child)
        if one.tag == "g" and len(one) == 1 and not one.attrib:
            one = one[0]
        if last is not None and last.tag == one.tag == "path" and _look(last) == _look(one):
            last.set("d", f"{last.get('d')}{one.get('d')}")
            continue
        if last is not None:
            yield last
        last = one
    if last is not None:
        yield last


def _path(drawn: Element) -> Element:
    """Write a line or a disc as a path that stands where it is, so that others can be joined to it."""
    place = PLACE.fullmatch(drawn.get("transform", "translate(0,0)"))
    disc = _DISC.fullmatch(drawn.get("d", ""))
    if place is None or (drawn.tag != "line" and disc is None):
        return drawn
    x, y = place.groups()
    shape = f"M{x},{y}l{drawn.get('x2', 0)},{drawn.get('y2', 0)}"
    if disc is not None:
        r = disc[1]
        left = rounded(f"{float(x) - float(r)}")
        shape = f"M{left},{y}a{r},{r},0,1,1,0,.01z"
    look = {name: value for name, value in drawn.attrib.items() if name not in ("d", "transform", "x2", "y2")}
    return Element("path", {"d": shape, **look})


def _look(drawn: Element) -> dict[str, str]:
    return {name: value for name, value in drawn.attrib.items() if name != "d"}


def _theme(root: Element) -> None:
    """Name the role of each colour, in place of the colour that a light page gives it."""
    for drawn in root.iter():
        for paint in ("fill", "stroke"):
            if (named := _NAMES.get(drawn.get(paint, ""))) is not None:
                drawn.set(paint, named)
