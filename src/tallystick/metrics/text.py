"""When two texts are the same answer, and how many tokens they share."""

import re
import string
import unicodedata
from collections.abc import Sequence
from operator import eq
from typing import Literal, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

Normalization: TypeAlias = Literal["words", "squad", "exact"]

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
    return text if rule == "exact" else " ".join(tokens(text, rule))


def tokens(text: str, rule: Normalization) -> list[str]:
    """Cut the normalised text at its spaces; ``exact`` changes nothing, and cuts at any white space."""
    if rule == "exact":
        return text.split()
    if rule == "squad":
        return _ARTICLES.sub(" ", text.lower().translate(_NO_PUNCTUATION)).split() or text.casefold().split()
    if text.isascii():
        return text.encode("ascii").translate(_ASCII_WORDS).decode("ascii").split() or text.lower().split()
    folded = unicodedata.normalize("NFC", text).casefold()
    return folded.translate(_WORDS).split() or folded.split()


class Scores(NamedTuple):
    """How n predictions compare with the expected answers.

    The token F1 of prediction i is the rational ``numerator[i] / denominator[i]``, in lowest terms.
    """

    right: NDArray[np.bool_]
    numerator: NDArray[np.int64]
    denominator: NDArray[np.int64]


class Matcher:
    """Compares answers, and cuts each distinct text into tokens once. Made anew for every batch."""

    def __init__(self, rule: Normalization) -> None:
        self._rule = rule
        self._known: dict[str, list[str]] = {}

    def tokens(self, text: str) -> list[str]:
        """Give the tokens of a text."""
        made = self._known.get(text)
        if made is None:
            made = self._known[text] = tokens(text, self._rule)
        return made

    def form(self, text: str) -> str:
        """Give a text as it is compared."""
        return text if self._rule == "exact" else " ".join(self.tokens(text))

    def same(self, expected: Sequence[str], predicted: Sequence[str]) -> NDArray[np.bool_]:
        """Say which predictions (n strings) equal the expected ones (n) after normalisation (shape n)."""
        right = np.fromiter(map(eq, expected, predicted), np.bool_, len(expected))
        if self._rule != "exact":
            for row in np.flatnonzero(~right).tolist():
                right[row] = self.tokens(expected[row]) == self.tokens(predicted[row])
        return right

    def scores(self, expected: Sequence[str | Sequence[str]], predicted: Sequence[str]) -> Scores:
        """Score predictions (n) against the expected answers (n), of which each may be several texts.

        Where several texts are expected, each of them is right, and the best token F1 counts.
        """
        found = [
            (True, 1, 1) if wanted == given else self._score(wanted, given)
            for wanted, given in zip(expected, predicted, strict=True)
        ]
        table = np.array(found, dtype=np.int64).reshape(len(found), 3)
        return Scores(table[:, 0] == 1, *_lowest(table[:, 1], table[:, 2]))

    def _score(self, wanted: str | Sequence[str], given: str) -> tuple[bool, int, int]:
        """Say whether an answer is right, and give the best token F1 as numerator and denominator."""
        made = self.tokens(given)
        best, size = -1, 1
        for text in (wanted,) if isinstance(wanted, str) else wanted:
            cut = self.tokens(text)
            if text == given or (cut == made and self._rule != "exact"):
                return True, 1, 1
            shared, of = overlap(cut, made)
            if shared * size > best * of:
                best, size = shared, of
        return False, best, size


def overlap(one: Sequence[str], other: Sequence[str]) -> tuple[int, int]:
    """Give token F1 as numerator and denominator, not reduced: twice the shared tokens, and all tokens.

    Tokens are shared as multisets. 1 where neither text has a token, 0 where one of them has none.
    """
    distinct = set(one)
    if len(distinct) == len(one):
        shared = len(distinct.intersection(other))
    else:
        left = dict.fromkeys(distinct, 0)
        for token in one:
            left[token] += 1
        shared = 0
        for token in other:
            if left.get(token):
                left[token] -= 1
                shared += 1
    return (2 * shared, len(one) + len(other)) if one or other else (1, 1)


def difference(of: Scores, less: Scores) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Subtract token F1s, row by row (shape n): numerator and denominator in lowest terms.

    Exact while no text has more than 10^9 tokens.
    """
    numerator = of.numerator * less.denominator - less.numerator * of.denominator
    return _lowest(numerator, of.denominator * less.denominator)


def same_answer(expected: Sequence[str], predicted: Sequence[str], rule: Normalization) -> NDArray[np.bool_]:
    """Say which predictions (n strings) equal the expected ones (n) after normalisation (shape n)."""
    return Matcher(rule).same(expected, predicted)


def _lowest(
    numerator: NDArray[np.int64], denominator: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    common = np.gcd(numerator, denominator)
    return numerator // common, denominator // common


class _Words(dict[int, str]):
    """Maps a code point to itself where it belongs to a word, else to a space; filled as they are met."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        category = unicodedata.category(character)
        made = self[code] = character if category[0] in "LMN" or category == "Pc" else " "
        return made


_WORDS = _Words()
_ASCII_WORDS = bytes(ord(_WORDS[code].lower()) for code in range(128)).ljust(256)
"""The same for bytes of ASCII text, which it also brings to lower case; no others are met."""
