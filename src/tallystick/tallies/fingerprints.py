"""Whether two multisets of texts are the same, without holding them."""

from collections.abc import Iterable, Iterator, Sequence
from hashlib import blake2b
from typing import NamedTuple, Self

_BYTES = 16


class Fingerprint(NamedTuple):
    """How many texts there were, and the sum of their 128-bit digests, modulo 2^128."""

    texts: int
    digest: int


class Fingerprints:
    """For each key a fingerprint of the multiset of its texts, which no order of them changes.

    Different multisets of one size have the same fingerprint with a probability of 3e-39, unless somebody
    makes them so on purpose. About 150 bytes a key.
    """

    def __init__(self) -> None:
        self._prints: dict[str, Fingerprint] = {}

    def add(self, keys: Iterable[str], texts: Iterable[str]) -> None:
        """Add each text to the multiset of its key (as many keys as texts)."""
        for key, text in zip(keys, texts, strict=True):
            digest = blake2b(text.encode(), digest_size=_BYTES).digest()
            self._add(key, Fingerprint(1, int.from_bytes(digest, "big")))

    def _add(self, key: str, more: Fingerprint) -> None:
        texts, digest = self._prints.get(key, (0, 0))
        self._prints[key] = Fingerprint(texts + more.texts, (digest + more.digest) % (1 << 8 * _BYTES))

    def __iter__(self) -> Iterator[tuple[str, Fingerprint]]:
        """Give each key and its fingerprint, ascending by key (code point order)."""
        return iter(sorted(self._prints.items()))

    def __len__(self) -> int:
        return len(self._prints)

    def merge(self, other: Self) -> None:
        """Add the texts of another tally."""
        for key, more in other._prints.items():
            self._add(key, more)

    def dump(self) -> list[tuple[str, int, bytes]]:
        """Give keys, counts and digests, ascending."""
        return [(key, n, digest.to_bytes(_BYTES, "big")) for key, (n, digest) in self]

    def load(self, state: Sequence[tuple[str, int, bytes]]) -> None:
        """Take dumped fingerprints."""
        self._prints = {key: Fingerprint(n, int.from_bytes(digest, "big")) for key, n, digest in state}
