"""The first of each kind of thing that was met, and how many there were."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple, Self

_NUMBER = re.compile(r"\d*\Z", re.ASCII)


class First(NamedTuple):
    """The first of a kind: its place in the caller's spelling, what it is, and how many there were."""

    kind: str
    place: str
    what: str
    total: int

    @property
    def order(self) -> tuple[str, int]:
        """What sorts it by its place."""
        return parted(self.place)


class Firsts:
    """For each kind the first place at which it was met, in order of the place, and a count.

    Places such as ``data.jsonl:12`` are ordered by what stands before their number, then by the number. About
    300 bytes a kind.
    """

    def __init__(self) -> None:
        self._kinds: dict[str, tuple[str, str, int]] = {}

    def add(self, kind: str, place: str, what: str, count: int = 1) -> None:
        """Meet `count` things of a kind, the first of which is `what` at `place`."""
        known = self._kinds.get(kind)
        if known is None:
            self._kinds[kind] = (place, what, count)
            return
        first = min(known[:2], (place, what), key=_order)
        self._kinds[kind] = (*first, known[2] + count)

    def __iter__(self) -> Iterator[First]:
        """Give the first of each kind, ascending by kind (code point order)."""
        return (First(kind, *state) for kind, state in sorted(self._kinds.items()))

    def __len__(self) -> int:
        return len(self._kinds)

    def merge(self, other: Self) -> None:
        """Add what another tally has met."""
        for kind, (place, what, count) in other._kinds.items():
            self.add(kind, place, what, count)

    def dump(self) -> list[First]:
        """Give kinds, places, things and counts, ascending by kind."""
        return list(self)

    def load(self, state: Sequence[tuple[str, str, str, int]]) -> None:
        """Take a dumped state."""
        self._kinds = {kind: (place, what, count) for kind, place, what, count in state}


def _order(first: tuple[str, str]) -> tuple[str, int, str]:
    return (*parted(first[0]), first[1])


def parted(place: str) -> tuple[str, int]:
    """Part a place into its text and the number at its end (0 where there is none)."""
    start = _NUMBER.search(place).start()  # type: ignore[union-attr]
    return place[:start], int(place[start:] or 0)
