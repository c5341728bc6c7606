"""Split what is counted into parts, and merge the parts in any tree."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from hypothesis import strategies as st

T = TypeVar("T")
S = TypeVar("S")


def split(data: st.DataObject, rows: Sequence[T], most: int = 5) -> list[list[T]]:
    """Deal the rows out, in a drawn order, into some parts of which any may be empty."""
    shuffled = data.draw(st.permutations(rows), "order")
    ends = data.draw(st.lists(st.integers(0, len(rows)), max_size=most - 1).map(sorted), "cuts")
    return [list(shuffled[a:b]) for a, b in zip([0, *ends], [*ends, len(rows)], strict=True)]


def join(data: st.DataObject, states: list[S], merge: Callable[[S, S], None]) -> S:
    """Merge states two at a time, in a drawn tree and drawn orders; `merge` adds the second to the first."""
    left = list(states)
    while len(left) > 1:
        one, other = data.draw(st.permutations(range(len(left))), "pair")[:2]
        merge(left[one], left[other])
        del left[other]
    return left[0]
