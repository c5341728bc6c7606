"""Labels from data as charts show them: safe, short, and told apart; and as the values of a scale.

A scale looks its values up among the properties of JavaScript's Object, where a label such as `constructor`
would be found. So a value is never a label itself but its key, which is the name of no property. Lines of
titles are looked up likewise.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Any
from unicodedata import normalize

from ..layout import clean

LONGEST = 24
"""Characters of a label that are drawn."""

KEY = "="
SHOWN_OF_KEY = f"slice(datum.value, {len(KEY)})"
"""What an axis writes of a key."""

SPACE = "\u00b7"
"""How a space is drawn that would be lost: at either end, or beside another. Every font has it."""

_LOST = re.compile(r"^ +| +$| {2,}")

_ALIKE = str.maketrans(
    "\u0410\u0412\u0415\u041a\u041c\u041d\u041e\u0420\u0421\u0422\u0423\u0425\u0405\u0406\u0408"  # Cyrillic
    "\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0455\u0456\u0458\u0501\u04bb\u051b\u051d\u04cf\u04c0"
    "\u0391\u0392\u0395\u0396\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a5\u03a7"  # Greek
    "\u03bf\u03bd\u03c1\u03c5I|\u2010\u2011\u2212\u2019",
    "ABEKMHOPCTYXSlJaeopcyxsijdhqwllABEZHlKMNOPTYXovpull---'",
)
"""Letters of other scripts, and others, by what most fonts draw all but the same."""


def key(shown: str) -> str:
    """Give the value of a scale that stands for a label."""
    return f"{KEY}{shown}"


def titled(line: str) -> str:
    """Give a line of a title: one of a single word with a space after it, as no property has in its name."""
    return line if " " in line else f"{line} "


def label(value: Any, longest: int = LONGEST) -> str:
    """Make a label from data one safe line, cut in its middle where it is long."""
    text = value if isinstance(value, str) else str(value)
    if len(text) > 2 * longest:  # of a very long one, what is cut need not be made safe
        text = text[:longest] + "\u2026" + text[-longest:]
    line = _LOST.sub(lambda found: SPACE * len(found[0]), clean(text)) or "(empty)"
    head = longest // 2
    return line if len(line) <= longest else f"{line[:head]}\u2026{line[head + 1 - longest :]}"


def labels(values: Iterable[Any], longest: int = LONGEST) -> list[str]:
    """Make labels from data, and number those that look alike."""
    seen: dict[str, int] = {}
    told = []
    for value in values:
        line = label(value, longest)
        look = _look(line)
        seen[look] = seen.get(look, 0) + 1
        while seen[look] > 1 and _look(f"{line} ({seen[look]})") in seen:
            seen[look] += 1
        if seen[look] > 1:
            line = f"{line} ({seen[look]})"
            seen[_look(line)] = 1
        told.append(line)
    return told


def remarks(values: Sequence[Any], longest: int = LONGEST) -> list[str]:
    """Say what was done to labels so that they can be told apart."""
    plain, told = [label(value, longest) for value in values], labels(values, longest)
    spaced = any(
        line.count(SPACE) > str(value).count(SPACE) for line, value in zip(plain, values, strict=True)
    )
    notes = [f"{SPACE} is a space at an end of a label, or beside another."] if spaced else []
    if plain != told:
        notes.append("Labels that look alike are numbered: (2) is the second.")
    return notes


def _look(line: str) -> str:
    """Give the same for labels that most fonts draw alike."""
    return normalize("NFKC", normalize("NFKD", line).translate(_ALIKE))
