"""In which groups each of very many keys was seen, and where first."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from .firsts import parted

_PAIR = np.dtype([("key", "<u8"), ("group", "u1"), ("name", "<u4"), ("number", "<u8")])
"""A key in a group, and the place where it was first seen: the number of a name, and a number in it."""

_COMPACT_AT = 1 << 16
"""Pairs that wait at most before equal ones are joined."""


class Sighting(NamedTuple):
    """A key in a group, and the first place of the two together."""

    key: int
    group: int
    place: str


class Sightings:
    """Each pair of a 64-bit key and a group that was seen, with its first place, in order of the place.

    21 bytes a pair, up to six times that while pairs are joined.
    """

    def __init__(self) -> None:
        self._pairs = np.empty(0, _PAIR)
        self._waiting: list[NDArray[Any]] = []
        self._names: dict[str, int] = {}

    def add(
        self, keys: NDArray[np.uint64], groups: NDArray[np.integer[Any]], where: Callable[[int], str]
    ) -> None:
        """See keys (shape n) in groups (shape n, 0 to 255); `where` gives the place of a row."""
        places = [parted(where(row)) for row in range(len(keys))]
        pairs = np.empty(len(keys), _PAIR)
        pairs["key"], pairs["group"] = keys, groups
        pairs["name"] = [self._number(name) for name, _ in places]
        pairs["number"] = [number for _, number in places]
        self._wait(pairs)

    def _number(self, name: str) -> int:
        return self._names.setdefault(name, len(self._names))

    def _wait(self, pairs: NDArray[Any]) -> None:
        self._waiting.append(pairs)
        if sum(map(len, self._waiting)) > max(_COMPACT_AT, len(self._pairs)):
            self._compact()

    def _compact(self) -> None:
        """Sort all pairs, and keep the first place of each."""
        if not self._waiting:
            return
        pairs = np.concatenate([self._pairs, *self._waiting])
        self._waiting.clear()
        by_name = np.array([self._names[name] for name in sorted(self._names)])
        rank = np.argsort(by_name)[pairs["name"]]
        pairs = pairs[np.lexsort((pairs["number"], rank, pairs["group"], pairs["key"]))]
        self._pairs = pairs[_first(pairs["key"], pairs["group"])]

    def __len__(self) -> int:
        """How many pairs there are."""
        self._compact()
        return len(self._pairs)

    def shared(self) -> list[list[Sighting]]:
        """Give the sightings of each key that was seen in more than one group, ascending by key and group."""
        self._compact()
        key = self._pairs["key"]
        again = np.flatnonzero(key[1:] == key[:-1])
        names = list(self._names)
        found: dict[int, list[Sighting]] = {}
        for key_, group, name, number in self._pairs[np.union1d(again, again + 1)].tolist():
            found.setdefault(key_, []).append(Sighting(key_, group, f"{names[name]}{number}"))
        return list(found.values())

    def merge(self, other: Self) -> None:
        """Add the sightings of another tally."""
        other._compact()
        if len(other._pairs):
            self._wait(_renamed(other._pairs, [self._number(name) for name in other._names]))

    def dump(self) -> tuple[list[str], bytes]:
        """Give the names in places, ascending, and the pairs as bytes, with names by their rank."""
        self._compact()
        names = list(self._names)
        used = sorted(names[number] for number in np.unique(self._pairs["name"]).tolist())
        rank = {name: place for place, name in enumerate(used)}
        return used, _renamed(self._pairs, [rank.get(name, 0) for name in names]).tobytes()

    def load(self, state: Sequence[Any]) -> None:
        """Take a dumped state."""
        names, pairs = state
        self._names = {name: number for number, name in enumerate(names)}
        self._waiting.clear()
        self._pairs = np.frombuffer(pairs, _PAIR).copy()


def _first(keys: NDArray[Any], groups: NDArray[Any]) -> NDArray[np.intp]:
    """Give the first row of each run of equal pairs (shapes n)."""
    changes = (keys[1:] != keys[:-1]) | (groups[1:] != groups[:-1])
    return np.flatnonzero(np.concatenate([np.ones(min(1, len(keys)), dtype=np.bool_), changes]))


def _renamed(pairs: NDArray[Any], numbers: list[int]) -> NDArray[Any]:
    """Give pairs with other numbers for their names."""
    renamed = pairs.copy()
    if len(pairs):
        renamed["name"] = np.array(numbers, np.uint32)[pairs["name"]]
    return renamed
