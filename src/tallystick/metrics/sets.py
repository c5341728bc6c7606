"""How much two sets share."""

from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


def jaccard(common: int, either: int) -> Fraction:
    """Give the Jaccard index of two sets, in [0, 1], from the sizes of their intersection and their union.

    It is 1 for two empty sets, which are equal. Jaccard (1912), New Phytol. 11, 37-50.
    """
    return Fraction(common, either) if either else Fraction(1)


class Sets(NamedTuple):
    """Sets of whole numbers, none negative, one after the other."""

    sizes: NDArray[np.intp]
    """How many numbers each set has (shape n)."""
    items: NDArray[np.intp]
    """The numbers, different within a set (shape: the sum of the sizes)."""

    @property
    def places(self) -> NDArray[np.intp]:
        """The place of each number's set, from 0."""
        return np.repeat(np.arange(len(self.sizes)), self.sizes)


def shared(one: Sets, other: Sets) -> NDArray[np.bool_]:
    """Say which numbers of sets (n) are also in the other set (of n) at the same place."""
    span = max(one.items.max(initial=0), other.items.max(initial=0)) + 1
    found: NDArray[np.bool_] = np.isin(
        one.places * span + one.items, other.places * span + other.items, assume_unique=True
    )
    return found
