"""How much two sets share."""

from fractions import Fraction


def jaccard(common: int, either: int) -> Fraction:
    """Give the Jaccard index of two sets, in [0, 1], from the sizes of their intersection and their union.

    It is 1 for two empty sets, which are equal. Jaccard (1912), New Phytol. 11, 37-50.
    """
    return Fraction(common, either) if either else Fraction(1)
