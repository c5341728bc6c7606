"""Whether very many values differ: they are compared by keyed digests, and where those are equal, whole."""

import os
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

LONG = 128
"""Bytes of a value that its digest depends on."""

_WORDS = LONG // 2

KEY = 8 * (_WORDS + 1)
"""Bytes of a key of digests."""

Digests = NDArray[np.uint64]


class Repeated(NamedTuple):
    """A value that was there before, its row of a batch, and what names the rows of that batch."""

    value: str
    row: int
    where: Callable[[int], str]


class Digester:
    """Digests strings to 64 bits, differently under each key; without one, under a new one.

    A digest is the sum of the 16-bit words of a value's UTF-8 and of its length, each times a random number
    of 64 bits, modulo 2^64 (multilinear hashing: Carter & Wegman, 1979). Over all keys, two values of up to
    128 bytes that differ have the same digest with a probability of at most 2^-49; longer ones that differ
    further on only always have it.
    """

    def __init__(self, key: bytes | None = None) -> None:
        self.key = os.urandom(KEY) if key is None else key
        self._factors = np.frombuffer(self.key, np.uint64)

    def __call__(self, text: bytes, sizes: NDArray[np.uint32]) -> Digests:
        """Digest the values of some sizes (n) whose UTF-8 stands end to end."""
        used = np.minimum(sizes, LONG)
        width = int(used.max(initial=0))
        held = np.zeros((len(used), width + width % 2), np.uint8)
        data = np.frombuffer(text, np.uint8)
        if (sizes == width).all():
            held[:, :width] = data.reshape(len(used), width)
        else:
            if (used < sizes).any():
                data = data[_places(sizes) < np.repeat(used, sizes)]
            held[np.arange(held.shape[1], dtype=np.uint32) < used[:, None]] = data
        words = held.view(np.uint16)
        digests: Digests = sizes * self._factors[-1]
        for place in range(words.shape[1]):
            digests += words[:, place] * self._factors[place]
        return digests


def _places(sizes: NDArray[np.uint32]) -> NDArray[np.int64]:
    """Give the place of each byte in its value."""
    ends = np.cumsum(sizes, dtype=np.int64)
    return np.arange(ends[-1]) - np.repeat(ends - sizes, sizes)


class _Part(NamedTuple):
    text: bytes
    sizes: NDArray[np.uint32]
    where: Callable[[int], str]

    def value(self, row: int) -> str:
        start = int(self.sizes[:row].sum(dtype=np.int64))
        return self.text[start : start + int(self.sizes[row])].decode("utf-8")


class Unique:
    """Values seen so far: the bytes of each and 12 more, and 16 more while they are compared.

    They are compared whenever there are twice as many as at the last time, and when the caller asks.
    """

    def __init__(self, digest: Digester) -> None:
        self._digest = digest
        self._parts: list[_Part] = []
        self._ascending = np.empty(0, np.uint64)
        self._waiting: list[Digests] = []

    def add(self, values: Sequence[str], where: Callable[[int], str]) -> Repeated | None:
        """Add values, whose rows `where` names; give what `repeated` does where it is time to compare."""
        text, sizes = joined(values)
        self._parts.append(_Part(text, sizes, where))
        self._waiting.append(self._digest(text, sizes))
        return self.repeated() if sum(map(len, self._waiting)) >= len(self._ascending) else None

    def repeated(self) -> Repeated | None:
        """Find the first value that was there before."""
        seen: set[str] = set()
        for part, row in self._with(doubled(self.ascending())):
            value = part.value(row)
            if value in seen:
                return Repeated(value, row, part.where)
            seen.add(value)
        return None

    def ascending(self) -> Digests:
        """Give all digests, ascending."""
        if self._waiting:
            runs = [self._ascending, np.sort(np.concatenate(self._waiting))]
            self._waiting.clear()
            self._ascending = merged(runs)
        return self._ascending

    def values(self, digests: Digests) -> list[str]:
        """Give the values that have some digests."""
        return [part.value(row) for part, row in self._with(digests)]

    def _with(self, digests: Digests) -> Iterator[tuple[_Part, int]]:
        """Find the rows that have some digests."""
        for part in self._parts if len(digests) else ():
            for row in np.flatnonzero(np.isin(self._digest(part.text, part.sizes), digests)).tolist():
                yield part, row


def merged(runs: Sequence[Digests]) -> Digests:
    """Merge ascending runs; a stable sort does no more than that."""
    return np.sort(np.concatenate([np.empty(0, np.uint64), *runs]), kind="stable")


def joined(values: Sequence[str]) -> tuple[bytes, NDArray[np.uint32]]:
    """Put the UTF-8 of values (n) end to end, and give the size of each."""
    text = "".join(values)
    if text.isascii():
        return text.encode("ascii"), np.fromiter(map(len, values), np.uint32, len(values))
    parts = [value.encode("utf-8") for value in values]
    return b"".join(parts), np.fromiter(map(len, parts), np.uint32, len(parts))


def doubled(ascending: Digests) -> Digests:
    """Give each digest that occurs more than once in ascending ones."""
    return np.unique(ascending[1:][ascending[1:] == ascending[:-1]])
