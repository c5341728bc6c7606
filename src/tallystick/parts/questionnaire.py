"""Items that ask questions of three kinds: the records, the answers in them, and the tally of levels."""

from collections.abc import Iterator
from math import fsum
from typing import Annotated, Any, Literal, NamedTuple, NoReturn, TypeAlias

import numpy as np
from msgspec import Meta, Struct, json
from numpy.typing import NDArray

from ..errors import RecordError
from ..fields import Finite, Id, Label, Probability, show
from ..metrics.scoring import SLACK
from ..sources.batch import Batch
from ..tallies import Compound, Counts, Sums

Kind: TypeAlias = Literal["choice", "yes_no", "score"]

KINDS: dict[str, Kind] = {
    "choice": "choice",
    "yes_no": "yes_no",
    "noul": "yes_no",
    "boolean": "yes_no",
    "score": "score",
}
"""The kind of a question by the type that a record states."""

MISMATCH = 1e-3
"""A stated number that differs from the derived one by more is a mismatch."""

Type: TypeAlias = Literal["choice", "yes_no", "noul", "boolean", "score"]
Vector: TypeAlias = dict[Label, Probability] | list[Probability]


class Answer(Struct, frozen=True):
    """The answer to one question: what its kind needs, and what may be stated besides."""

    type: Type
    gold: str | bool | int
    probabilities: Vector | None = None
    p_true: Probability | None = None
    predicted: str | bool | int | Finite | None = None
    confidence: Probability | None = None
    expected: Finite | None = None


class Item(Struct, frozen=True):
    """One item with its questions, or, in a flat record, with the fields of its only one."""

    id: Annotated[Id, Meta(description="Names the item; unique.")]
    category: Annotated[Label | None, Meta(description="What the item is reported by as well.")] = None
    split: Annotated[Label | None, Meta(description="Of the data; slices the report on demand.")] = None
    questions: Annotated[
        dict[Label, Answer] | None, Meta(description="The answer to each question, by its id.")
    ] = None
    question: Annotated[Label | None, Meta(description="The id of the only question.")] = None
    type: Annotated[Type | None, Meta(description="Its kind.")] = None
    gold: Annotated[
        str | bool | int | None, Meta(description="The right option, true or false, or the right level.")
    ] = None
    probabilities: Annotated[
        Vector | None, Meta(description="Of each option by name, or of each level in order.")
    ] = None
    p_true: Annotated[Probability | None, Meta(description="The probability of yes.")] = None
    predicted: Annotated[
        str | bool | int | Finite | None, Meta(description="The stated answer, to be compared.")
    ] = None
    confidence: Annotated[Probability | None, Meta(description="The stated confidence.")] = None
    expected: Annotated[Finite | None, Meta(description="The stated mean level.")] = None


class Asked(NamedTuple):
    """One checked answer."""

    row: int
    """The item's place in the batch."""
    question: str
    kind: Kind
    options: tuple[str, ...]
    """Of a choice, in the record's order."""
    p: tuple[float, ...]
    """Of each option, of yes, or of each level."""
    gold: int
    """The place of the right option, 1 for yes, or the right level."""
    stated: Answer


def answers(batch: Batch, tolerance: float) -> Iterator[Asked]:
    """Give every answer of every item of a batch.

    Raises
    ------
    RecordError
        For an answer that its kind does not admit, naming item and question.
    """
    for row, listed in enumerate(batch.questions):
        if listed is None:
            question = batch.question[row]
            if question is None:
                raise batch.fault(row, "questions", f"item {show(batch.id[row])} has no questions")
            yield _asked(batch, row, question, _flat(batch, row, question), tolerance)
            continue
        if not listed or batch.question[row] is not None:
            what = "has no questions" if not listed else "has both questions and a question"
            raise batch.fault(row, "questions", f"item {show(batch.id[row])} {what}")
        for question, answer in listed.items():
            yield _asked(batch, row, question, answer, tolerance)


def mismatches(
    asked: Asked, predicted: Any, confidence: float | None = None, expected: float | None = None
) -> int:
    """Count the stated values that differ from the derived ones; a kind without one has None for it."""
    stated = asked.stated
    differ = stated.predicted is not None and not _same(stated.predicted, predicted)
    pairs = ((stated.confidence, confidence), (stated.expected, expected))
    return differ + sum(
        one is not None and other is not None and abs(one - other) > MISMATCH + SLACK for one, other in pairs
    )


def _same(stated: object, derived: object) -> bool:
    """Whether a stated value is the derived one; an option is one whose name a number or a boolean spells.

    In CSV the option "10" cannot be told from the number.
    """
    if isinstance(derived, str) and not isinstance(stated, str):
        return json.encode(stated).decode() == derived
    return stated == derived and isinstance(stated, bool) == isinstance(derived, bool)


def _flat(batch: Batch, row: int, question: str) -> Answer:
    """Put the fields of a flat record together."""
    kind, gold = batch.type[row], batch.gold[row]
    if kind is None or gold is None:
        _refuse(batch, row, question, f"has no {'type' if kind is None else 'gold'}")
    return Answer(
        kind,
        gold,
        batch.probabilities[row],
        batch.p_true[row],
        batch.predicted[row],
        batch.confidence[row],
        batch.expected[row],
    )


def _asked(batch: Batch, row: int, question: str, answer: Answer, tolerance: float) -> Asked:
    """Check one answer as its kind demands."""
    kind = KINDS[answer.type]
    options: tuple[str, ...] = ()
    match kind, answer.probabilities, answer.gold:
        case "choice", dict(chances), str(gold):
            options, p = tuple(chances), tuple(chances.values())
            place = options.index(gold) if gold in chances else -1
        case "yes_no", _, bool(gold) if answer.p_true is not None:
            p, place = (answer.p_true,), int(gold)
        case "score", dict() | list() as levels, int(gold) if not isinstance(gold, bool):
            p = _levels(levels)
            place = gold if 0 <= gold < len(p) else -1
        case _:
            _refuse(batch, row, question, f"has no {_needs(kind, answer)}")
    if kind == "score" and len(p) < 2:
        _refuse(batch, row, question, "needs the probabilities of two or more levels: 0, 1, ...")
    if place < 0:
        _refuse(batch, row, question, f"has gold {show(answer.gold)}, which is none of its options")
    if kind != "yes_no" and not abs(fsum(p) - 1) <= tolerance + SLACK:
        what = f"has probabilities that sum to {fsum(p)!r}, off 1 by more than --sum-tolerance {tolerance!r}"
        _refuse(batch, row, question, what)
    return Asked(row, question, kind, options, p, place, answer)


def _levels(given: dict[str, float] | list[float]) -> tuple[float, ...]:
    """Give the probabilities of levels in order; none where the names are not 0, 1, ..."""
    if isinstance(given, list):
        return tuple(given)
    named = tuple(given.get(str(level), -1.0) for level in range(len(given)))
    return () if -1.0 in named else named


def _needs(kind: Kind, answer: Answer) -> str:
    """Say which field that a kind needs is not there, or is of another type."""
    gold = show(answer.gold)
    if kind == "yes_no":
        return "p_true" if answer.p_true is None else f"gold that is true or false, but {gold}"
    if answer.probabilities is None or (kind == "choice" and isinstance(answer.probabilities, list)):
        return "probabilities of its " + ("options, by name" if kind == "choice" else "levels")
    return (
        "gold that is "
        + ("the name of an option, a string" if kind == "choice" else "a level")
        + f", but {gold}"
    )


def _refuse(batch: Batch, row: int, question: str, what: str) -> NoReturn:
    field = "questions" if batch.question[row] is None else "question"
    fault: RecordError = batch.fault(row, field, f"{show(question)} of item {show(batch.id[row])} {what}")
    raise fault


class Ordered(Compound):
    """The answers on ordered levels."""

    def __init__(self) -> None:
        self.records, self.right, self.near = Counts(), Counts(), Counts()
        self.error, self.squared_error, self.rps = Sums(), Sums(), Sums()

    def add(self, right: NDArray[np.bool_], error: NDArray[np.float64], rps: NDArray[np.float64]) -> None:
        """Add answers: whether they are right, how far the expected level is off, and their RPS (shape n)."""
        self.records.add_total(len(right))
        self.right.add_total(int(np.count_nonzero(right)))
        self.near.add_total(int(np.count_nonzero(error <= 1)))
        self.error.add(error)
        self.squared_error.add(np.square(error))
        self.rps.add(rps)
