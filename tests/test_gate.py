"""Gates: how they are written, refused and judged."""

import json
from fractions import Fraction
from typing import Annotated

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from msgspec import Struct

from tallystick import gate
from tallystick.errors import UsageError
from tallystick.gate import Gate, Judged
from tallystick.measure import RECORDS, SHARE, Measure, Number, Table


class Row(Struct, frozen=True):
    """A row of a table."""

    label: str
    recall: Annotated[
        Number, Measure("Recall.", better="higher", within=SHARE, counted=True, undefined="it never occurs")
    ]


class Result(Struct, frozen=True):
    """A result with a measure of each kind."""

    records: Annotated[int, RECORDS]
    accuracy: Annotated[Number, Measure("Counted.", better="higher", within=SHARE, counted=True)]
    ece: Annotated[Number, Measure("Of floats.", better="lower", within=SHARE)]
    p_value: Annotated[
        Number,
        Measure(
            "Without slack.",
            better="lower",
            within=SHARE,
            slack=False,
            needs=(lambda result: result.accuracy > Fraction(1, 2), "the candidate is not ahead"),
        ),
    ]
    shift: Annotated[Number, Measure("Unbounded.", better="lower")]
    share: Annotated[Number, Measure("No side.", within=SHARE)]
    rows: Annotated[list[Row], Table("Rows.", order="label")]


def result(
    accuracy: Number = Fraction(3, 10),
    ece: Number = Fraction(1, 20),
    p_value: Number = Fraction(1, 20),
    shift: Number = Fraction(2),
) -> Result:
    rows = [Row("a", Fraction(1, 2)), Row("b", None), Row("a=b", Fraction(1))]
    return Result(40, accuracy, ece, p_value, shift, Fraction(1, 2), rows)


def judged(text: str, whole: Result | None = None, **parts: Result) -> tuple[str, str]:
    parsed = gate.parse(text)
    gate.check(parsed, Result, ("by",))
    slices: dict[str | None, Result] = dict(parts.items())
    outcome = gate.judge(parsed, Judged(whole or result(), {"by": slices}, {"by": 2}))
    assert outcome.gate == str(parsed)
    return outcome.status, outcome.message


WORDS = st.text(st.characters(codec="utf-8"), max_size=6)


@given(key=WORDS, field=st.none() | WORDS, limit=st.sampled_from(["0.5", "-1", "1e-3", "2"]))
@example(key='a"b]', field="x=y", limit="1")
@example(key="*", field="x", limit="1")
@example(key="", field="", limit="1")
def test_a_gate_that_is_spelled_is_read_back(key: str, field: str | None, limit: str) -> None:
    made = Gate("recall", ">=", limit, key, field)
    assert gate.parse(str(made)) == made
    assert gate.parse(f"  {made}  ") == made


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("ece<=0.05", Gate("ece", "<=", "0.05")),
        ("token-f1 >= 0.5", Gate("token_f1", ">=", "0.5")),
        ("recall[billing] >= 0.8", Gate("recall", ">=", "0.8", "billing")),
        ('recall["a=b"] >= 0.8', Gate("recall", ">=", "0.8", "a=b")),
        ("mrr[3] >= .5", Gate("mrr", ">=", "0.5", "3")),
        ("accuracy[category=billing] >= 0.7", Gate("accuracy", ">=", "0.7", "billing", "category")),
        ("accuracy[category=*] >= 0.6", Gate("accuracy", ">=", "0.6", None, "category")),
        ('accuracy[category="*"] >= 0.6', Gate("accuracy", ">=", "0.6", "*", "category")),
        ("accuracy[é=ü] >= 0.6", Gate("accuracy", ">=", "0.6", "ü", "é")),
    ],
)
def test_the_forms_of_a_gate(text: str, made: Gate) -> None:
    assert gate.parse(text) == made


@pytest.mark.parametrize(
    "text",
    [
        "", "ece", "ece 0.05", "ece < 0.05", "ece == 0.05", "ece =< 0.05", "ece <=", "<= 0.05", "ece[ <= 1",
        "recall[a b] >= 1", "recall[*] >= 0.5", 'recall["a] >= 0.5', 'recall["\\x"] >= 0.5',
        "ece <= 0.05 0.06", "ece <= 0.05 and accuracy >= 1", "0.05 >= ece",
    ],
)  # fmt: skip
def test_what_is_no_gate_is_refused(text: str) -> None:
    with pytest.raises(UsageError):
        gate.parse(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("accuracy >= 1.01", "accuracy is from 0 to 1, so the limit 1.01 is out of range"),
        ("accuracy >= -0.01", "out of range"),
        ("records >= -1", "records is at least 0, so the limit -1 is out of range"),
        ("accuracy <= 0.5", "accuracy is better higher: a gate on it reads 'accuracy >= LIMIT'"),
        ("share >= 0.5", "share has no better side"),
        ("accuracy >= nan", "the limit must be a finite decimal number, got 'nan'"),
        ("shift <= 1e999", "the limit must be a finite decimal number, got '1e999'"),
        ("accurcy >= 0.5", "no measure 'accurcy'"),
        ("recall >= 0.5", "'recall' is a measure of the rows of a table"),
        ("accuracy[a] >= 0.5", "no measure 'accuracy'"),
        ("accuracy[kind=a] >= 0.5", "no slices by 'kind'"),
    ],
)
def test_an_impossible_gate_is_refused_before_any_file_is_opened(text: str, message: str) -> None:
    with pytest.raises(UsageError) as refused:
        gate.check(gate.parse(text), Result, ("by",))
    assert message in str(refused.value)
    with pytest.raises(UsageError, match=r"^--min-x: "):
        gate.check(gate.parse(text), Result, ("by",), "--min-x")


@pytest.mark.parametrize("limit", ["0", "1", "1.0", "1e0", "0.0", "+0.5", "0.50000000000000000001"])
def test_limits_on_the_range_s_ends_are_allowed(limit: str) -> None:
    gate.check(gate.parse(f"accuracy >= {limit}"), Result, ())


def test_a_counted_measure_is_judged_as_the_decimal_that_is_written() -> None:
    assert judged("accuracy >= 0.3") == ("passed", "accuracy is 0.3")
    status, message = judged("accuracy >= 0.30000000000000000001")
    assert status == "failed"
    assert message.startswith("accuracy is 0.3, ")
    assert judged("accuracy >= 0.3", result(accuracy=Fraction(9, 10) - Fraction(6, 10)))[0] == "passed"


@pytest.mark.parametrize(
    ("beyond", "limit", "status"),
    [
        (Fraction(0), "0.05", "passed"),
        (Fraction(5, 10**11), "0.05", "passed"),
        (Fraction(51, 10**12), "0.05", "failed"),
        (Fraction(1, 10**300), "0", "failed"),
    ],
)
def test_a_measure_of_floats_has_slack_but_not_at_an_end_of_its_range(
    beyond: Fraction, limit: str, status: str
) -> None:
    assert judged(f"ece <= {limit}", result(ece=Fraction(limit) + beyond))[0] == status


def test_slack_grows_no_further_than_a_limit_of_1() -> None:
    assert judged("shift <= 1000", result(shift=1000 + Fraction(1, 10**9)))[0] == "passed"
    assert judged("shift <= 1000", result(shift=1000 + Fraction(11, 10**10)))[0] == "failed"


def test_a_p_value_has_no_slack_and_needs_what_it_declares() -> None:
    ahead, behind = Fraction(6, 10), Fraction(4, 10)
    assert judged("p_value <= 0.05", result(accuracy=ahead))[0] == "passed"
    just_above = Fraction(1, 20) + Fraction(1, 10**15)
    assert judged("p_value <= 0.05", result(accuracy=ahead, p_value=just_above))[0] == "failed"
    status, message = judged("p_value <= 1", result(accuracy=behind))
    assert status == "failed"
    assert "the candidate is not ahead" in message


def test_what_is_undefined_or_missing_does_not_pass() -> None:
    assert judged("accuracy >= 0", result(accuracy=None)) == (
        "undefined", "accuracy is undefined: there are no records",
    )  # fmt: skip
    assert judged("recall[b] >= 0") == ("undefined", "recall is undefined: it never occurs")
    assert judged("recall[c] >= 0") == ("undefined", "recall is undefined: there is no row c")
    assert judged("accuracy[by=x] >= 0")[0] == "undefined"
    assert judged("accuracy[by=*] >= 0") == (
        "undefined", "no slice by by is reported; too small to be judged: 2",
    )  # fmt: skip


def test_rows_are_found_by_their_key() -> None:
    assert judged("recall[a] >= 0.5")[0] == "passed"
    assert judged("recall[a] >= 0.6")[0] == "failed"
    assert judged('recall["a=b"] >= 1')[0] == "passed"


def test_every_slice_must_pass_and_the_worst_speaks() -> None:
    good, bad, none = (result(accuracy=a) for a in (Fraction(9, 10), Fraction(1, 10), None))
    assert judged("accuracy[by=x] >= 0.5", x=good)[0] == "passed"
    assert judged("accuracy[by=*] >= 0.5", x=good, y=good)[0] == "passed"
    status, message = judged("accuracy[by=*] >= 0.5", x=good, y=bad)
    assert status == "failed"
    assert message.startswith("1 of 2 slices do not pass; the worst is accuracy[by=y]: accuracy is 0.1")
    assert message.endswith("too small to be judged: 2")
    assert judged("accuracy[by=*] >= 0.5", x=good, y=bad, z=none)[0] == "undefined"


@given(accuracy=st.fractions(0, 1), limit=st.decimals(0, 1, allow_nan=False, places=6))
def test_a_failure_says_by_how_much(accuracy: Fraction, limit: object) -> None:
    status, message = judged(f"accuracy >= {limit}", result(accuracy=accuracy))
    assert (status == "passed") == (accuracy >= Fraction(str(limit)))
    assert ("short of the limit" in message) == (status == "failed")


@given(WORDS)
def test_a_key_is_spelled_bare_or_as_json(key: str) -> None:
    spelled = gate.spell(key)
    assert spelled == key or json.loads(spelled) == key


@pytest.mark.parametrize(
    ("written", "spelled"),
    [
        ("0.80", "0.8"),
        (".8", "0.8"),
        ("00.50", "0.5"),
        ("1.0", "1"),
        ("-0.0", "0"),
        ("+2.", "2"),
        ("1e-3", "1e-3"),
    ],
)
def test_equal_limits_are_spelled_alike(written: str, spelled: str) -> None:
    made = gate.parse(f"accuracy >= {written}")
    assert made.limit == spelled
    assert Fraction(made.limit) == Fraction(written)


def test_what_is_no_text_is_no_gate() -> None:
    with pytest.raises(UsageError, match="5 is not a gate"):
        gate.parse(5)
