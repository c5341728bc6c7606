"""The choice of a threshold sees validation records alone, and compares fractions exactly."""

import inspect
import typing
from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tallystick.metrics import thresholds
from tallystick.metrics.thresholds import Choice, Validation, choose


def validation(rows: list[tuple[float, int, int]], silent: int) -> Validation:
    confidence, right, wrong = (np.array(column) for column in zip(*sorted(rows), strict=True))
    return Validation(confidence, right, wrong, int(right.sum() + wrong.sum()) + silent)


def test_whoever_chooses_is_given_validation_records_and_a_floor_and_nothing_else() -> None:
    hints = typing.get_type_hints(choose)
    assert hints == {"validation": Validation, "floor": Fraction, "return": Choice | None}
    assert list(inspect.signature(choose).parameters) == ["validation", "floor"]
    assert set(Validation._fields) == {"confidence", "right", "wrong", "records"}
    imported = {name for name, value in vars(thresholds).items() if inspect.ismodule(value)}
    assert imported == {"np"}


COUNTS = st.tuples(st.integers(0, 4), st.integers(0, 4)).filter(any)


@given(
    rows=st.dictionaries(st.sampled_from([0.0, 0.1, 0.5, 0.9, 1.0]), COUNTS, min_size=1),
    silent=st.integers(0, 6),
    floor=st.fractions(Fraction(1, 20), 1, max_denominator=20),
)
def test_no_other_threshold_is_better(
    rows: dict[float, tuple[int, int]], silent: int, floor: Fraction
) -> None:
    made = validation([(c, *counts) for c, counts in rows.items()], silent)
    every = {}
    for t in rows:
        right = sum(r for c, (r, _) in rows.items() if c >= t)
        accepted = sum(r + w for c, (r, w) in rows.items() if c >= t)
        if Fraction(accepted, made.records) >= floor:
            every[Fraction(right, accepted), accepted] = Choice(t, accepted, right)
    assert choose(made, floor) == (every[max(every)] if every else None)


def test_counts_whose_quotients_are_one_float64_are_told_apart() -> None:
    many = 3 * 10**8
    made = Validation(np.array([0.5, 0.9]), np.array([many, many]), np.array([0, 1]), 2 * many + 1)
    chosen = choose(made, Fraction(1, 10))
    assert chosen == Choice(0.5, 2 * many + 1, 2 * many)
    assert choose(made._replace(wrong=np.array([2, 1])), Fraction(1, 10)) == Choice(0.9, many + 1, many)


def test_without_suggestions_there_is_no_threshold() -> None:
    empty = np.empty(0)
    assert choose(Validation(empty, empty.astype(int), empty.astype(int), 3), Fraction(1, 2)) is None
