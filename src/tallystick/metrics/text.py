"""When two texts are the same answer, and how many tokens they share."""

import re
import string
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import compress
from operator import eq, ne
from typing import Literal, NamedTuple, TypeAlias, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from .pairs import APART, compare, cut, forms

T = TypeVar("T")
Normalization: TypeAlias = Literal["words", "squad", "exact"]

FEW = 64
"""Pairs of texts below which they are compared one by one."""

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
    whole = text.replace(APART, " ") if rule == "words" else text
    return _spaced(whole, rule).split() or _folded(text, rule).split()


def _spaced(text: str, rule: Normalization) -> str:
    """Put spaces in the place of what is no part of a token; what parts texts end to end stays."""
    if rule == "exact":
        return text
    if rule == "squad":
        return _ARTICLES.sub(" ", text.lower().translate(_NO_PUNCTUATION))
    if text.isascii():
        return text.encode("ascii").translate(_ASCII_WORDS).decode("ascii")
    return _folded(text, rule).translate(_WORDS)


def _folded(text: str, rule: Normalization) -> str:
    return (unicodedata.normalize("NFC", text) if rule == "words" else text).casefold()


class Scores(NamedTuple):
    """How n predictions compare with the expected answers.

    The token F1 of prediction i is the rational ``numerator[i] / denominator[i]``, in lowest terms.
    """

    right: NDArray[np.bool_]
    numerator: NDArray[np.int64]
    denominator: NDArray[np.int64]


class Matcher:
    """Compares answers: many at once where that can be done, others with each text cut into tokens once.

    Made anew for every batch.
    """

    def __init__(self, rule: Normalization) -> None:
        self._rule = rule
        self._spaced = partial(_spaced, rule=rule)
        self.tokens: Callable[[str], list[str]] = _Cut(rule).__getitem__
        """Gives the tokens of a text."""

    def forms(self, texts: Sequence[str]) -> list[str]:
        """Give texts as they are compared."""
        if self._rule == "exact":
            return list(texts)
        made = [""] * len(texts)
        for part in self._parts(texts):
            for place, form in zip(part.tolist(), forms(_at(texts, part), self._spaced), strict=True):
                made[place] = form
        return [form or " ".join(self.tokens(text)) for form, text in zip(made, texts, strict=True)]

    def same(self, expected: Sequence[str], predicted: Sequence[str]) -> NDArray[np.bool_]:
        """Say which predictions (n strings) equal the expected ones (n) after normalisation (shape n)."""
        right, rows, one, other = _apart(expected, predicted)
        if self._rule == "exact":
            return right
        if len({*one[:FEW], *other[:FEW]}) > FEW:  # labels that recur are cut once, and compared as they are
            for part in self._parts(one, other):
                made = forms([*_at(one, part), *_at(other, part)], self._spaced)
                right[rows[part]] = list(map(eq, made, made[len(part) :]))
                both = np.array(list(map(bool, made))).reshape(2, -1).all(axis=0)
                rows[part[both]] = -1
        left = np.flatnonzero(rows >= 0)
        sides = (map(self.tokens, _at(side, left)) for side in (one, other))
        right[rows[left]] = list(map(eq, *sides))
        return right

    def scores(self, expected: Sequence[str | Sequence[str]], predicted: Sequence[str]) -> Scores:
        """Score predictions (n) against the expected answers (n), of which each may be several texts.

        Where several texts are expected, each of them is right, and the best token F1 counts.
        """
        right, rows, one, other = _apart(expected, predicted)
        numerator, denominator = np.ones((2, len(right)), np.int64)
        single = _single(one)
        for part in self._parts(single, other):
            places = np.arange(2 * len(part))
            texts = cut([*_at(single, part), *_at(other, part)], self._spaced)
            found = compare(texts, *places.reshape(2, -1))
            done = rows[part[found.rows]]
            right[done] = found.same if self._rule != "exact" else False
            numerator[done], denominator[done] = 2 * found.shared, found.total
            rows[part[found.rows]] = -1
        for row in rows[rows >= 0].tolist():
            right[row], numerator[row], denominator[row] = self._score(expected[row], predicted[row])
        return Scores(right, *lowest(numerator, denominator))

    def _parts(self, *sides: Sequence[str]) -> Iterator[NDArray[np.intp]]:
        """Give the places of texts, or pairs, that can be cut at once: those of ASCII, then the others."""
        if all("".join(side).isascii() for side in sides):
            parts = [np.arange(len(sides[0]))]
        else:
            ascii_ = np.array([list(map(str.isascii, side)) for side in sides]).all(axis=0)
            parts = [np.flatnonzero(ascii_), *([np.flatnonzero(~ascii_)] if self._rule == "words" else [])]
        yield from (part for part in parts if len(part) >= FEW)

    def _score(self, wanted: str | Sequence[str], given: str) -> tuple[bool, int, int]:
        """Say whether an answer is right, and give the best token F1 as numerator and denominator."""
        made = self.tokens(given)
        best, size = -1, 1
        for text in (wanted,) if isinstance(wanted, str) else wanted:
            words = self.tokens(text)
            if text == given or (words == made and self._rule != "exact"):
                return True, 1, 1
            shared, of = overlap(words, made)
            if shared * size > best * of:
                best, size = shared, of
        return False, best, size


class _Cut(dict[str, list[str]]):
    """The tokens of texts, which are cut as they are met."""

    def __init__(self, rule: Normalization) -> None:
        super().__init__()
        self._rule = rule

    def __missing__(self, text: str) -> list[str]:
        made = self[text] = tokens(text, self._rule)
        return made


def _apart(
    expected: Sequence[T], predicted: Sequence[str]
) -> tuple[NDArray[np.bool_], NDArray[np.intp], list[T], list[str]]:
    """Say which predictions are equal as they are; give the places of the others, and their texts."""
    differ = list(map(ne, expected, predicted))
    wrong = np.array(differ, np.bool_)
    return ~wrong, np.flatnonzero(wrong), list(compress(expected, differ)), list(compress(predicted, differ))


def _single(texts: Sequence[str | Sequence[str]]) -> Sequence[str]:
    """Put an empty text, which is compared on its own, in the place of several."""
    if set(map(type, texts)) <= {str}:
        return cast("Sequence[str]", texts)
    return [text if isinstance(text, str) else "" for text in texts]


def _at(texts: Sequence[T], rows: NDArray[np.intp]) -> Sequence[T]:
    """Give the texts at some places, which ascend."""
    return texts if len(rows) == len(texts) else [texts[row] for row in rows.tolist()]


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
    return lowest(numerator, of.denominator * less.denominator)


def same_answer(expected: Sequence[str], predicted: Sequence[str], rule: Normalization) -> NDArray[np.bool_]:
    """Say which predictions (n strings) equal the expected ones (n) after normalisation (shape n)."""
    return Matcher(rule).same(expected, predicted)


def lowest(
    numerator: NDArray[np.int64], denominator: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Bring rationals (shapes n) to lowest terms."""
    common = np.gcd(numerator, denominator)
    return numerator // common, denominator // common


class _Words(dict[int, str]):
    """Maps a code point to itself where it belongs to a word, else to a space; filled as they are met."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        category = unicodedata.category(character)
        made = self[code] = character if category[0] in "LMN" or category == "Pc" else " "
        return made


_WORDS = _Words({ord(APART): APART})
_ASCII_WORDS = bytes(ord(_WORDS[code].lower()) for code in range(128)).ljust(256)
"""The same for bytes of ASCII text, which it also brings to lower case; no others are met."""
