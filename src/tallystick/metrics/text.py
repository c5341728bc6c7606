"""When two texts are the same answer."""

import re
import string
import unicodedata
from collections.abc import Callable, Sequence
from operator import eq
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

Normalization: TypeAlias = Literal["words", "squad", "exact"]

_SPACES = re.compile(r"\s+")
_ARTICLES = re.compile(r"\b(?:a|an|the)\b")
_NO_PUNCTUATION = str.maketrans("", "", string.punctuation)


def normalize(text: str, rule: Normalization) -> str:
    """Bring a text to the form in which answers are compared.

    ``words``
        NFC, casefolded; the runs of letters, marks, numbers and connector punctuation (categories L, M,
        N, Pc) joined by one space.
    ``squad``
        Lower case, ASCII punctuation deleted, then the words a, an, the; spaces collapsed.
    ``exact``
        As it is.

    A text that is not blank but would come out empty ("...", an emoji) keeps its casefolded form with
    spaces collapsed, so that "..." is not "!!!". The rule ``squad`` follows Rajpurkar et al. (2016).
    """
    if rule == "exact":
        return text
    if rule == "words":
        made = _words(unicodedata.normalize("NFC", text).casefold())
    else:
        made = _collapse(_ARTICLES.sub(" ", text.lower().translate(_NO_PUNCTUATION)))
    return made or _collapse(text.casefold())


def same_answer(expected: Sequence[str], predicted: Sequence[str], rule: Normalization) -> NDArray[np.bool_]:
    """Say which predictions (n strings) equal the expected ones (n) after normalisation (shape n).

    Each distinct text is normalised once; equal texts are not normalised at all.
    """
    right = np.fromiter(map(eq, expected, predicted), np.bool_, len(expected))
    if rule == "exact":
        return right
    normal = _remembered(rule)
    for row in np.flatnonzero(~right).tolist():
        right[row] = normal(expected[row]) == normal(predicted[row])
    return right


def _remembered(rule: Normalization) -> Callable[[str], str]:
    known: dict[str, str] = {}

    def normal(text: str) -> str:
        made = known.get(text)
        if made is None:
            made = known[text] = normalize(text, rule)
        return made

    return normal


def _words(text: str) -> str:
    if text.isascii() and text.isalnum():
        return text
    kept = (c if _in_word(c) else " " for c in text)
    return _collapse("".join(kept))


def _in_word(character: str) -> bool:
    category = unicodedata.category(character)
    return category[0] in "LMN" or category == "Pc"


def _collapse(text: str) -> str:
    return _SPACES.sub(" ", text).strip()
