"""A column as numbers of its different values."""

from collections.abc import Hashable, Sequence
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

V = TypeVar("V", bound=Hashable)


class _Numbers(dict[V, int]):
    """Numbers values from 0, as they are met."""

    def __missing__(self, value: V) -> int:
        number = self[value] = len(self)
        return number


class Numbered(NamedTuple):
    """The number of each row's value (shape n), and the different values in the order of their numbers."""

    codes: NDArray[np.intp]
    words: Sequence[Any]


def numbered(column: Sequence[V]) -> Numbered:
    """Give each value of a column a number, in the order in which they are met."""
    numbers: _Numbers[V] = _Numbers()
    codes = np.fromiter(map(numbers.__getitem__, column), np.intp, len(column))
    return Numbered(codes, list(numbers))


def rows_by(codes: NDArray[np.intp], size: int) -> list[NDArray[np.intp]]:
    """Give the rows of each number below `size`, ascending, by the number of each row (shape n)."""
    order = np.argsort(codes.astype(np.min_scalar_type(size)), kind="stable")
    return np.split(order, np.cumsum(np.bincount(codes, minlength=size))[:-1])
