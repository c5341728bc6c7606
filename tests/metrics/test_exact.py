import math
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from tallystick.metrics.exact import mean, ratio, root, total

RATIONALS = st.fractions(-1000, 1000, max_denominator=10**6)
FLOATS = st.floats(min_value=0, allow_infinity=False)


@given(st.lists(RATIONALS, max_size=40))
def test_a_total_is_the_plain_sum(numbers: list[Fraction]) -> None:
    assert total(iter(numbers)) == sum(numbers, Fraction(0))
    assert mean(numbers) == ratio(sum(numbers, Fraction(0)), len(numbers))


@given(FLOATS)
def test_the_root_of_the_square_of_a_float64_is_exact(number: float) -> None:
    assert root(Fraction(number) ** 2) == Fraction(number)


@given(FLOATS, st.integers(1, 10**9))
def test_a_rounded_root_is_the_nearest_float64(number: float, whole: int) -> None:
    square = Fraction(number) / whole
    found = float(root(square))
    below = (Fraction(found) + Fraction(math.nextafter(found, 0))) / 2
    above = (Fraction(found) + Fraction(math.nextafter(found, math.inf))) / 2
    assert below**2 <= square <= above**2
