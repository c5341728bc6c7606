"""Flags, keywords and suite tables meet the same checks and the same message."""

from typing import Annotated, Any, Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Meta, Struct

from tallystick import options
from tallystick.errors import UsageError
from tallystick.fields import Levels


class Options(Struct, frozen=True):
    """One option of each kind."""

    threshold: Annotated[float, Meta(ge=0, le=1)]
    bins: Annotated[int, Meta(ge=1, le=1000)] = 10
    rule: Literal["words", "exact"] = "words"
    levels: Levels = None
    cutoffs: tuple[Annotated[int, Meta(ge=1)], ...] = ()
    label: str | None = None


KINDS = Options.__annotations__


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("threshold", "0.5", 0.5),
        ("threshold", "1", 1.0),
        ("threshold", "1e-3", 0.001),
        ("bins", "7", 7),
        ("rule", "exact", "exact"),
        ("levels", "low,mid, high", ["low", "mid", "high"]),
        ("cutoffs", ["1", "5"], [1, 5]),
        ("label", "7", "7"),
        ("label", "None", "None"),
    ],
)
def test_text_is_read_as_the_declared_type(name: str, text: Any, value: Any) -> None:
    read = options.parse(text, KINDS[name])
    assert read == value
    assert type(read) is type(value)
    options.build(Options, {"threshold": 0.5, name: read})


@pytest.mark.parametrize("name", ["bins", "threshold"])
@pytest.mark.parametrize("text", ["", " ", "ten", "1_0", "0x1", "1e999", "nan", "inf", "½", "1,5", "--1"])
def test_text_that_is_no_such_number_is_refused(name: str, text: str) -> None:
    with pytest.raises(UsageError, match=f"--{name}: expected a"):
        options.build(Options, {"threshold": 0.5, name: options.parse(text, KINDS[name])}, options.spelled)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "threshold: required: a number from 0 to 1"),
        ({"threshold": 2}, "threshold: expected a number from 0 to 1, got 2"),
        ({"threshold": True}, "threshold: expected a number from 0 to 1, got true"),
        ({"threshold": float("nan")}, "threshold: expected a number from 0 to 1, got NaN"),
        ({"threshold": None}, "threshold: expected a number from 0 to 1, got null"),
        ({"threshold": 1, "bins": 2.0}, "bins: expected a whole number from 1 to 1000, got 2.0"),
        ({"threshold": 1, "bins": "7"}, 'bins: expected a whole number from 1 to 1000, got "7"'),
        ({"threshold": 1, "rule": "all"}, 'rule: expected one of exact, words, got "all"'),
        ({"threshold": 1, "levels": ["a", "a"]}, 'levels: "a" occurs more than once'),
        ({"threshold": 1, "bin": 7}, "bin: no such option"),
    ],
)
def test_a_value_that_does_not_fit_is_named(given: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError) as refused:
        options.build(Options, given)
    assert str(refused.value) == message


def test_a_misspelt_name_gets_a_suggestion_in_the_caller_s_spelling() -> None:
    with pytest.raises(UsageError) as refused:
        options.build(Options, {"threshhold": 1}, options.spelled)
    assert refused.value.hint == "did you mean '--threshold'?"


@pytest.mark.parametrize(
    ("given", "value"), [(np.float64(0.5), 0.5), (np.float32(0.5), 0.5), (np.int64(1), 1.0), (-0.0, 0.0)]
)
def test_numbers_of_numpy_are_taken_for_what_they_are(given: Any, value: float) -> None:
    made = options.build(Options, {"threshold": given})
    assert str(made.threshold) == str(value)


@given(st.floats(0, 1), st.integers(1, 1000))
def test_what_a_report_states_of_options_builds_them_again(threshold: float, bins: int) -> None:
    made = options.build(Options, {"threshold": threshold, "bins": bins, "cutoffs": (3, 1)})
    stated = options.plain(made)
    assert stated["cutoffs"] == [3, 1]
    assert options.build(Options, stated) == made
    assert options.build(Options, {"threshold": options.parse(repr(threshold), KINDS["threshold"])}) == (
        options.build(Options, {"threshold": threshold})
    )


class Paired(Struct, frozen=True):
    """Options that must go together."""

    top_k: tuple[int, ...] = ()
    gate_top_k: int = 1

    def __post_init__(self) -> None:
        if self.gate_top_k not in (1, *self.top_k):
            raise ValueError(f"gate_top_k: {self.gate_top_k} is not among them")


def test_values_that_do_not_go_together_are_refused_in_the_caller_s_spelling() -> None:
    assert options.build(Paired, {"top_k": [2, 3], "gate_top_k": 3}).gate_top_k == 3
    with pytest.raises(UsageError) as refused:
        options.build(Paired, {"gate_top_k": 3}, lambda name: "--" + name.replace("_", "-"))
    assert str(refused.value) == "--gate-top-k: 3 is not among them"


def test_an_array_is_a_repeatable_flag_unless_its_items_are_comma_separated() -> None:
    assert [name for name in KINDS if options.repeatable(KINDS[name])] == ["cutoffs"]
    assert options.parse(["1", "2", "x"], KINDS["cutoffs"]) == [1, 2, "x"]
    assert options.parse("a, b", KINDS["levels"]) == ["a", "b"]
