"""Many texts compared at once, as arrays of the numbers of their tokens.

A token of up to 8 bytes of UTF-8 is these bytes, read as a number. A longer one is numbered as it is met,
with the highest bit set: such a number has a byte that is 0, which no token has. So two tokens are
equal exactly where their numbers are.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

MOST = 128
"""Tokens of a text beyond which comparing it with each token of another takes longer than a set does."""

APART = "\0"
"""What parts texts that are put end to end."""

_BETWEEN = f" {APART} "
_SPACES = bytes(32 if code < 128 and chr(code).isspace() else code for code in range(256))
_ONLY_SPACES, _LOWEST_BITS, _HIGHEST_BITS = (np.uint64(byte * (2**64 // 255)) for byte in b" \1\x80")
_NUMBERED = 1 << 63
_NEVER = np.uint64(2**64 - 1)
"""What no token has as its number: no byte of UTF-8 is 255."""


class Cut(NamedTuple):
    """Texts (n) cut into tokens."""

    codes: NDArray[np.uint64]
    """The numbers of all tokens of all texts."""
    sizes: NDArray[np.int64]
    """How many tokens each text has (shape n)."""
    starts: NDArray[np.int64]
    """Where those of each text begin (shape n)."""


class Pairs(NamedTuple):
    """What pairs of texts have in common."""

    rows: NDArray[np.intp]
    """The places of the pairs that were compared (shape m): both texts have tokens, and not too many."""
    same: NDArray[np.bool_]
    """Whether they have the same tokens in the same order (shape m)."""
    shared: NDArray[np.int64]
    """How many tokens they share, as multisets (shape m)."""
    total: NDArray[np.int64]
    """How many tokens they have together (shape m)."""


def cut(texts: Sequence[str], spaced: Callable[[str], str] = str) -> Cut:
    """Cut texts (n) into tokens; those with U+0000 have none.

    Parameters
    ----------
    spaced
        Puts spaces or other white space of ASCII in the place of what is no part of a token, in texts end to
        end; what parts these stays.
    """
    codes, sizes = _codes(_end_to_end(texts, spaced))
    return Cut(codes, sizes, np.cumsum(sizes) - sizes)


def compare(texts: Cut, ones: NDArray[np.intp], others: NDArray[np.intp]) -> Pairs:
    """Compare the tokens of pairs of texts, given by their places (shapes n and n)."""
    one, other = texts.sizes[ones], texts.sizes[others]
    largest = np.where(np.minimum(one, other) > 0, np.maximum(one, other), 0)
    found = [np.empty((3, 0), np.intp)]
    for rows in _alike(largest):
        width = largest[rows].max()
        first, second = (_table(texts, side[rows], width) for side in (ones, others))
        found.append(np.stack([rows, (first == second).all(axis=0), _shared(first, second)]))
    rows, same, shared = np.concatenate(found, axis=1)
    return Pairs(rows, same.astype(np.bool_), shared, (one + other)[rows])


def forms(texts: Sequence[str], spaced: Callable[[str], str]) -> list[str]:
    """Give the tokens of each text joined by one space; nothing for texts that `cut` gives none."""
    text = np.frombuffer(_end_to_end(texts, spaced), np.uint8)
    kept = text != ord(" ")
    kept[1:] |= kept[:-1]  # the first of the spaces after a token
    return list(map(str.rstrip, text[kept].tobytes().decode("utf-8").split(f"{APART} ")))


def _end_to_end(texts: Sequence[str], spaced: Callable[[str], str]) -> bytes:
    """Put texts end to end, with spaces around each token and each of what parts them."""
    joined = _BETWEEN.join(texts)
    if joined.count(APART) != len(texts) - 1:
        joined = _BETWEEN.join("" if APART in text else text for text in texts)
    return spaced(f" {joined} ").encode("utf-8").translate(_SPACES)


def _codes(text: bytes) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """Give the numbers of all tokens of texts end to end, and how many tokens each of them has."""
    word = np.frombuffer(text, np.uint8) != ord(" ")
    starts = np.flatnonzero(word[1:] > word[:-1]) + 1
    ahead: NDArray[np.uint64] = np.ndarray((len(text),), "<u8", text + bytes(8), strides=(1,))
    codes = ahead[starts]
    differs = codes ^ _ONLY_SPACES
    space = (differs - _LOWEST_BITS) & ~differs & _HIGHEST_BITS  # its lowest bit is the first space's
    codes &= ((space & -space) >> np.uint64(7)) - np.uint64(1)
    numbers: dict[bytes, int] = {}
    for place in np.flatnonzero((space == 0) & word[np.minimum(starts + 8, len(text) - 1)]).tolist():
        start = int(starts[place])
        token = text[start : text.index(b" ", start)]
        codes[place] = _NUMBERED + numbers.setdefault(token, len(numbers))
    apart = codes == 0
    ends_of_texts = np.append(np.flatnonzero(apart), len(codes))
    return codes[~apart], np.diff(ends_of_texts, prepend=-1) - 1


def _alike(largest: NDArray[np.int64]) -> Iterator[NDArray[np.intp]]:
    """Part pairs by the size of the larger text, so that their tables have few empty places."""
    for width in (1, 2, 4, 8, 16, 32, 64, MOST):
        rows = np.flatnonzero((largest > width // 2) & (largest <= width))
        if len(rows):
            yield rows


def _shared(one: NDArray[np.uint64], other: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Count the tokens that texts share: each k-th of one that stands k times or more in the other."""
    before, found = np.zeros((2, *one.shape), np.uint8)
    for place in range(len(one)):
        found += one == other[place]
        before[place + 1 :] += one[place + 1 :] == one[place]
    count: NDArray[np.int64] = ((before < found) & (one != _NEVER)).sum(axis=0)
    return count


def _table(texts: Cut, rows: NDArray[np.intp], width: int) -> NDArray[np.uint64]:
    """Give the numbers of the tokens of some texts (m), a text a column, filled up to one width."""
    places = np.arange(width)[:, np.newaxis]
    last = len(texts.codes) - 1
    return np.where(
        places < texts.sizes[rows], texts.codes[np.minimum(texts.starts[rows] + places, last)], _NEVER
    )
