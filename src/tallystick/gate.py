r"""Gates: `measure >= limit`, as data. Parsed and checked before any file is opened, judged exactly.

    ece <= 0.05                        a measure
    recall[billing] >= 0.8             a row of a table, by its key
    accuracy[category=billing] >= 0.7  a slice
    accuracy[category=*] >= 0.6        every slice that is large enough to be reported
    accuracy >= baseline - 0.01        against what an earlier report states of the same measure

A key other than ``[\w.-]+`` is a JSON string: ``recall["a=b"]``. Limits are inclusive and mean the decimal
that is written. A gate on a number that is undefined, or not there, does not pass; nor does one whose
baseline is undefined or not there. `baseline` is the shortest decimal of the float64 that the earlier report
states, which may be a unit of its last place away from the number that was rounded: that much is admitted.
"""

import json
import math
import re
from collections.abc import Mapping
from fractions import Fraction
from typing import Any, Literal, Protocol

import msgspec
from msgspec import Struct

from .errors import UsageError, suggest
from .measure import Measure, Number, gateable, measures, tables

SLACK = Fraction(1, 10**9)
"""Of a measure with float64 inputs, relative to a limit below 1, absolute above."""

UNLABELLED = "unlabelled"
"""How the slice of records without the field is called, unless one of its values is called so."""

_KEY = r'(?:[\w.-]+|"(?:[^"\\]|\\.)*")'
_GATE = re.compile(
    rf"\s*(?P<measure>[\w-]+)\s*(?:\[\s*(?:(?P<field>{_KEY})\s*=\s*)?(?P<key>{_KEY}|\*)\s*\])?"
    r"\s*(?P<operator>[<>=!]+)\s*(?P<limit>baseline\b.*?|\S+)\s*"
)
_RELATIVE = re.compile(r"\s*baseline\s*(?:(?P<sign>[+-])\s*(?P<offset>\S*)\s*)?")
_DECIMAL = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?(?<!.{1000})", re.ASCII)
_BARE = re.compile(r"[\w.-]+")


class Gate(Struct, frozen=True):
    """One requirement: a measure, of the whole, of a row or of slices, against a limit."""

    measure: str
    operator: Literal[">=", "<="]
    limit: str
    """The decimal as written; or ``baseline``, with or without an offset: ``baseline - 0.01``."""
    key: str | None = None
    """The row of a table, or the value of a slice; None for every slice where there is a field."""
    field: str | None = None
    """The field sliced by."""

    def __str__(self) -> str:
        key = "*" if self.field is not None and self.key is None else spell(self.key or "")
        inside = f"{spell(self.field)}={key}" if self.field is not None else key
        place = f"[{inside}]" if self.field is not None or self.key is not None else ""
        return f"{self.measure}{place} {self.operator} {self.limit}"

    @property
    def relative(self) -> bool:
        """Whether the limit is relative to a baseline."""
        return self.limit.startswith("baseline")

    @property
    def decimal(self) -> str:
        """The decimal in the limit: the limit itself, or what is added to the baseline."""
        if not (found := _RELATIVE.fullmatch(self.limit)):
            return self.limit
        return found["sign"] + found["offset"] if found["sign"] else "0"


class Outcome(Struct, frozen=True):
    """How one gate was judged."""

    gate: str
    status: Literal["passed", "failed", "undefined"]
    measure: str
    limit: float | None
    """As resolved; None where it is relative to a number that the baseline does not have."""
    actual: float | None
    message: str

    @property
    def passed(self) -> bool:
        """Whether it passed; undefined does not."""
        return self.status == "passed"


class Earlier(Protocol):
    """What a baseline states, as rounded in its report."""

    def value(self, gate: Gate) -> float | None:
        """Give the number that a gate on the whole or on a row speaks of; None where there is none."""

    def slices(self, field: str) -> Mapping[str | None, Mapping[str, Any]]:
        """Give the results of the slices by a field."""


class Judged(Struct, frozen=True):
    """What gates are judged against: the whole result, and the results of slices by field and value."""

    result: Any
    slices: Mapping[str, Mapping[str | None, Any]]
    too_small: Mapping[str, int]
    """How many slices of a field were too small to be reported."""
    baseline: Earlier | None = None


class _Limit(Struct, frozen=True):
    """A limit as resolved; without a value where the baseline has none."""

    text: str
    value: Fraction | None
    rounding: Fraction = Fraction(0)
    """How far the stated baseline may be from the number that was rounded."""


def parse(text: object, where: str = "gate") -> Gate:
    """Read a gate from its text.

    Raises
    ------
    UsageError
        Where the text is not a gate; whether its measure exists is for `check`.
    """
    if not isinstance(text, str) or not (found := _GATE.fullmatch(text)):
        quoted = ' (a key of other characters in quotes: recall["a, b"])' if "[" in str(text) else ""
        hint = (
            f'write it like "ece <= 0.05", "recall[billing] >= 0.8"{quoted} or "accuracy[category=*] >= 0.6"'
        )
        raise UsageError(where, f"{text!r} is not a gate", hint)
    if found["operator"] not in (">=", "<="):
        raise UsageError(where, f"{text!r}: gates are inclusive", "use >= or <=")
    if found["key"] == "*" and found["field"] is None:
        raise UsageError(where, f"{text!r}: '*' stands for every slice of a field", 'write "[field=*]"')
    key = None if found["key"] in (None, "*") else _unspell(found["key"], where)
    field = None if found["field"] is None else _unspell(found["field"], where)
    measure = found["measure"].replace("-", "_")
    return Gate(measure, found["operator"], spell_limit(found["limit"]), key, field)  # type: ignore[arg-type]


def check(gate: Gate, result: type[Struct], slice_by: tuple[str, ...], where: str | None = None) -> None:
    """Refuse a gate that an audit with this result type and these slices could never honour.

    Raises
    ------
    UsageError
        For an unknown measure, one without a better side, the wrong direction, an impossible limit, or
        a field that is not sliced by.
    """
    where = where or f"gate '{gate}'"
    if gate.field is not None and gate.field not in slice_by:
        raise UsageError(where, f"no slices by {gate.field!r}", f"add --slice-by {gate.field}")
    measure = _find(gate, result, where)
    if measure.better is None:
        if measure.instead:
            raise UsageError(where, f"gates do not judge {gate.measure}", f"gate {measure.instead}")
        raise UsageError(where, f"{gate.measure} has no better side, so it cannot be gated")
    if gate.operator != measure.operator:
        side = f"{gate.measure} is better {measure.better}"
        raise UsageError(where, f"{side}: a gate on it reads '{gate.measure} {measure.operator} LIMIT'")
    if not _DECIMAL.fullmatch(gate.decimal) or math.isinf(float(gate.decimal)):
        hint = "write baseline, baseline + DECIMAL or baseline - DECIMAL" if gate.relative else None
        raise UsageError(where, f"the limit must be a finite decimal number, got {gate.limit!r}", hint)
    low, high = measure.within
    limit = Fraction(gate.decimal)
    if gate.relative:
        if low is not None and high is not None and abs(limit) > Fraction(high) - Fraction(low):
            offset = gate.decimal.lstrip("+-")
            what = f"{gate.measure} is from {low:g} to {high:g}, so no two differ by {offset}"
            raise UsageError(where, what)
        return
    if (low is not None and limit < Fraction(low)) or (high is not None and limit > Fraction(high)):
        bounds = f"from {low:g} to {high:g}" if low is not None and high is not None else f"at least {low:g}"
        raise UsageError(where, f"{gate.measure} is {bounds}, so the limit {gate.limit} is out of range")


def judge(gate: Gate, findings: Judged) -> Outcome:
    """Judge a checked gate by the numbers before they are rounded."""
    earlier = findings.baseline if gate.relative else None
    if gate.field is None:
        limit = _resolve(gate, earlier.value(gate) if earlier else None)
        result = findings.result
        return _judge(gate, _value(gate, result), _measure(gate, result), result, limit)
    slices = findings.slices.get(gate.field, {})
    before = earlier.slices(gate.field) if earlier else {}
    small = findings.too_small.get(gate.field, 0)
    left_out = f"; too small to be judged: {small}" if small else ""
    if gate.key is not None:
        known = {*slices, *before}
        value = None if gate.key == UNLABELLED and gate.key not in known else gate.key
        return _judge_slice(gate, slices.get(value), before.get(value), left_out)
    if not slices:
        return _outcome(gate, "undefined", None, f"no slice by {gate.field} is reported{left_out}")
    outcomes = []
    for value in {**slices, **before}:
        one = Gate(
            gate.measure, gate.operator, gate.limit, UNLABELLED if value is None else value, gate.field
        )
        outcomes.append(_judge_slice(one, slices.get(value), before.get(value), ""))
    return _joined(gate, outcomes, left_out)


def _judge_slice(gate: Gate, result: Any, before: Mapping[str, Any] | None, left_out: str) -> Outcome:
    limit = _resolve(gate, (before or {}).get(gate.measure))
    if result is None:
        what = f"no slice {gate.field}={gate.key} is reported{left_out}"
        return _outcome(gate, "undefined", None, what, limit)
    return _judge(gate, getattr(result, gate.measure), _measure(gate, result), result, limit)


def _resolve(gate: Gate, stated: Any) -> _Limit:
    """Make the limit of a gate, from what the baseline states where it is relative to that."""
    if not gate.relative:
        return _Limit(gate.limit, Fraction(gate.limit))
    if type(stated) not in (int, float):
        return _Limit(gate.limit, None)
    value = Fraction(repr(stated)) + Fraction(gate.decimal)
    rounding = Fraction(math.ulp(stated)) if isinstance(stated, float) else Fraction(0)
    return _Limit(f"{gate.limit} = {_text(value)}", value, rounding)


def _joined(gate: Gate, outcomes: list[Outcome], left_out: str) -> Outcome:
    """Join the outcomes of every slice: the worst of them speaks."""
    rank = {"undefined": 0, "failed": 1, "passed": 2}
    sign = 1 if gate.operator == ">=" else -1
    worst = min(outcomes, key=lambda o: (rank[o.status], sign * _beyond(o), o.gate))
    short = sum(not o.passed for o in outcomes)
    count = f"{short} of {len(outcomes)} slices do not pass" if short else f"all {len(outcomes)} slices pass"
    place = worst.gate.partition(f" {gate.operator} ")[0]
    message = f"{count}; the worst is {place}: {worst.message}{left_out}"
    return Outcome(str(gate), worst.status, gate.measure, worst.limit, worst.actual, message)


def _beyond(outcome: Outcome) -> Fraction:
    """How far a measure lies above its limit."""
    if outcome.actual is None or outcome.limit is None:
        return Fraction(0)
    return Fraction(outcome.actual) - Fraction(outcome.limit)


def _judge(gate: Gate, value: Number | int, measure: Measure, result: Any, limit: _Limit) -> Outcome:
    if value is None:
        holder = _row(gate, result) if gate.key is not None and gate.field is None else result
        reason = f"there is no row {spell(gate.key or '')}" if holder is None else measure.why(holder)
        return _outcome(gate, "undefined", None, f"{gate.measure} is undefined: {reason}", limit)
    actual = Fraction(value)
    what = f"{gate.measure} is {_text(actual)}"
    if limit.value is None:
        what = f"{what}, and in the baseline it is undefined or missing"
        return _outcome(gate, "undefined", actual, what, limit)
    beyond = limit.value - actual if gate.operator == ">=" else actual - limit.value
    passed = beyond <= _slack(measure, limit.value, limit.rounding)
    if not passed:
        what += f", {_text(beyond)} {'short of' if gate.operator == '>=' else 'above'} the limit {limit.text}"
    elif gate.relative:
        what += f", within the limit {limit.text}"
    if measure.needs is not None and not measure.needs[0](result):
        passed, what = False, f"{what}; {measure.needs[1]}"
    if measure.remark is not None and measure.remark[0](result):
        what = f"{what}; {measure.remark[1]}"
    return _outcome(gate, "passed" if passed else "failed", actual, what, limit)


def _slack(measure: Measure, limit: Fraction, rounding: Fraction) -> Fraction:
    """How far beyond the limit a measure may lie and still be on it, where float64 rounded either."""
    if measure.counted or not measure.slack or float(limit) in measure.within:
        return rounding
    return max(rounding, SLACK * min(Fraction(1), abs(limit)))


def _outcome(
    gate: Gate, status: str, actual: Fraction | None, message: str, limit: _Limit | None = None
) -> Outcome:
    resolved = (limit or _resolve(gate, None)).value
    stated, found = (None if number is None else float(number) for number in (resolved, actual))
    return Outcome(str(gate), status, gate.measure, stated, found, message)  # type: ignore[arg-type]


def _find(gate: Gate, result: type[Struct], where: str) -> Measure:
    """Find the declared measure that a gate speaks of."""
    whole = gateable(result)
    rows = _row_measures(result)
    known = rows if gate.key is not None and gate.field is None else whole
    if gate.measure in known:
        return known[gate.measure]
    if known is whole and gate.measure in rows:
        hint = f'name the row: "{gate.measure}[KEY] {gate.operator} {gate.limit}"'
        raise UsageError(where, f"{gate.measure!r} is a measure of the rows of a table", hint)
    judged = [name for name, m in known.items() if m.better]
    known_ones = f"measures: {', '.join(judged)}" if judged else None
    raise UsageError(where, f"no measure {gate.measure!r}", suggest(gate.measure, judged) or known_ones)


def _row_measures(result: type[Struct]) -> dict[str, Measure]:
    """Collect the measures of rows by name; of two so called, the one with a better side."""
    found: dict[str, Measure] = {}
    for _, row in tables(result).values():
        for name, measure in measures(row).items():
            if name not in found or not found[name].better:
                found[name] = measure
    return found


def _measure(gate: Gate, result: Struct) -> Measure:
    return _find(gate, type(result), str(gate))


def _value(gate: Gate, result: Struct) -> Number | int:
    holder = result if gate.key is None else _row(gate, result)
    value: Number | int = None if holder is None else getattr(holder, gate.measure)
    return value


def _row(gate: Gate, result: Struct) -> Struct | None:
    """Find the row whose first field is the gate's key, in the tables that have its measure."""
    for name, (_, row_type) in tables(type(result)).items():
        if (measure := measures(row_type).get(gate.measure)) and measure.better:
            first = msgspec.structs.fields(row_type)[0].name
            for row in getattr(result, name):
                if str(getattr(row, first)) == gate.key:
                    found: Struct = row
                    return found
    return None


def _text(number: Fraction) -> str:
    """Write a number for people: six digits, which machines of another kind agree on."""
    return str(number.numerator) if number.denominator == 1 else f"{float(number):.6g}"


def spell_limit(text: str) -> str:
    """Write a limit as gates do, so that equal ones are spelled alike.

    Decimals lose zeros that say nothing (``0.80`` is ``0.8``); one space stands on each side of the sign of
    what is added to a baseline.
    """
    if found := _RELATIVE.fullmatch(text):
        return f"baseline {found['sign']} {_shortest(found['offset'])}" if found["sign"] else "baseline"
    return _shortest(text)


def _shortest(text: str) -> str:
    """Drop from a decimal the zeros, and the plus, that say nothing."""
    if not re.fullmatch(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)", text):
        return text
    whole, _, part = text.lstrip("+-").partition(".")
    digits = ".".join(filter(None, (whole.lstrip("0") or "0", part.rstrip("0"))))
    return f"-{digits}" if text.startswith("-") and digits != "0" else digits


def spell(key: str) -> str:
    """Write a key as a gate does: bare where it can be, else as a JSON string."""
    return key if _BARE.fullmatch(key) else json.dumps(key, ensure_ascii=False)


def _unspell(key: str, where: str) -> str:
    if not key.startswith('"'):
        return key
    try:
        text: str = json.loads(key)
    except ValueError:
        raise UsageError(where, f"{key} is not a JSON string") from None
    return text
