"""Items that ask questions of three kinds: the records, the answers in them, and the tally of levels."""

from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import chain
from math import fsum
from operator import attrgetter, is_, le
from typing import Annotated, Any, Literal, NamedTuple, NoReturn, TypeAlias, TypeVar, cast

import numpy as np
from msgspec import Meta, Struct, json
from numpy.typing import NDArray

from ..errors import RecordError
from ..fields import Finite, Id, Label, Probability, show
from ..metrics.scoring import SLACK, Floats, Places, sums_to_one
from ..sources.batch import Batch
from ..sources.coded import Coded
from ..tallies import Compound, Counts, Sums
from ..tallies.numbering import numbered, rows_by

T = TypeVar("T")

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


class Answer(Struct, frozen=True, gc=False):
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


class Answers(NamedTuple):
    """Checked answers of one kind, with as many probabilities each."""

    kind: Kind
    rows: Places
    """The item of each answer, by its place in the batch (shape n)."""
    questions: Coded
    stated: list[Answer]
    options: list[tuple[str, ...]]
    """Of choices, in the record's order; empty for the other kinds."""
    p: Floats
    """Of each option, of yes, or of each level (shape n by k)."""
    gold: Places
    """The place of the right option, 1 for yes, or the right level (shape n)."""


def answers(batch: Batch, tolerance: float) -> list[Answers]:
    """Give the answers of all items of a batch, checked many at once, or else one by one.

    Raises
    ------
    RecordError
        For an answer that its kind does not admit, naming item and question.
    """
    items = _items(batch)
    try:
        return list(_answers(batch, items, tolerance))
    except _Amiss:
        _refuse_first(batch, items, tolerance)


def mismatches(stated: Sequence[Answer], **derived: Sequence[Any] | Floats) -> int:
    """Count the stated values that differ from the derived ones, given by their names (n each)."""
    count = 0
    for name, values in derived.items():
        given = list(map(attrgetter(name), stated))
        if given.count(None) == len(given):
            continue
        rows = [row for row, one in enumerate(given) if one is not None]
        if isinstance(values, np.ndarray):
            off = np.abs(np.array(_at(given, rows), np.float64) - values[rows])
            count += int(np.count_nonzero(off > MISMATCH + SLACK))
        else:
            count += sum(not _same(given[row], values[row]) for row in rows)
    return count


def _same(stated: object, derived: object) -> bool:
    """Whether a stated value is the derived one; an option is one whose name a number or a boolean spells.

    In CSV the option "10" cannot be told from the number.
    """
    if isinstance(derived, str) and not isinstance(stated, str):
        return json.encode(stated).decode() == derived
    return stated == derived and isinstance(stated, bool) == isinstance(derived, bool)


def _items(batch: Batch) -> list[dict[str, Answer]]:
    """Give the questions of each item; the fields of a flat record are put together."""
    if None not in batch.questions:
        return cast("list[dict[str, Answer]]", batch.questions)
    flat = map(Answer, *(getattr(batch, name) for name in Answer.__struct_fields__))
    return [
        {question: answer} if listed is None else listed
        for listed, question, answer in zip(batch.questions, batch.question, flat, strict=True)
    ]


class _Amiss(Exception):  # noqa: N818  nobody sees it
    """Some answer may be none that its kind admits."""


def _answers(batch: Batch, items: list[dict[str, Answer]], tolerance: float) -> Iterator[Answers]:
    """Read the answers of each type, those with as many probabilities at a time."""
    if {} in items or any(map(is_, map(bool, batch.questions), map(bool, batch.question))):
        raise _Amiss
    rows = np.repeat(np.arange(len(items)), list(map(len, items)))
    questions, names = numbered(list(chain.from_iterable(items)))
    listed = list(chain.from_iterable(map(dict.values, items)))
    types, words = numbered(list(map(attrgetter("type"), listed)))
    for word, places in zip(words, rows_by(types, len(words)), strict=True):
        if word is None:
            raise _Amiss
        alike = _at(listed, places.tolist())
        for own, options, p, gold in _READ[KINDS[word]](alike, tolerance):
            at = places[own]
            asked = Coded(questions[at], list(names))
            yield Answers(KINDS[word], rows[at], asked, _at(alike, own.tolist()), options, p, gold)


Read: TypeAlias = tuple[Places, list[tuple[str, ...]], Floats, Places]
"""Of some of the answers: their places, and their options, probabilities and gold."""


def _choices(listed: list[Answer], tolerance: float) -> Iterator[Read]:
    given, gold = _column(listed, "probabilities", dict), _column(listed, "gold", str)
    options = list(map(tuple, given))
    try:
        places = np.array(list(map(tuple.index, options, gold)))
    except ValueError:
        raise _Amiss from None
    for rows, p in _by_size(list(map(dict.values, given)), tolerance):
        yield rows, _at(options, rows.tolist()), p, places[rows]


def _yes_no(listed: list[Answer], _: float) -> Iterator[Read]:
    p, gold = _column(listed, "p_true", float), _column(listed, "gold", bool)
    yield np.arange(len(p)), [], np.array(p)[:, np.newaxis], np.array(gold, np.intp)


def _scores(listed: list[Answer], tolerance: float) -> Iterator[Read]:
    given, gold = _column(listed, "probabilities", dict, list), _column(listed, "gold", int)
    vectors = [one if isinstance(one, list) else _levels(one) for one in given]
    if min(gold) < 0 or any(map(le, map(len, vectors), gold)):
        raise _Amiss
    places = np.array(gold, np.intp)
    for rows, p in _by_size(vectors, tolerance):
        if p.shape[1] < 2:
            raise _Amiss
        yield rows, [], p, places[rows]


_READ: dict[Kind, Callable[[list[Answer], float], Iterator[Read]]] = {
    "choice": _choices,
    "yes_no": _yes_no,
    "score": _scores,
}


def _column(listed: list[Answer], name: str, *kinds: type) -> list[Any]:
    """Give one field of answers, which must be of these types."""
    column = list(map(attrgetter(name), listed))
    if not {*map(type, column)} <= {*kinds}:
        raise _Amiss
    return column


def _by_size(vectors: Sequence[Collection[float]], tolerance: float) -> Iterator[tuple[Places, Floats]]:
    """Give vectors of one length as an array, and their places; they must sum to 1."""
    sizes = np.array(list(map(len, vectors)))
    for size in np.unique(sizes).tolist():
        rows = np.flatnonzero(sizes == size)
        flat = chain.from_iterable(_at([*vectors], rows.tolist()))
        p = np.fromiter(flat, np.float64, size * len(rows)).reshape(-1, size)
        if not sums_to_one(p, tolerance).all():
            raise _Amiss
        yield rows, p


def _at(column: list[T], rows: list[int]) -> list[T]:
    """Pick some rows, ascending and none twice."""
    return column if len(rows) == len(column) else [column[row] for row in rows]


def _refuse_first(batch: Batch, items: list[dict[str, Answer]], tolerance: float) -> NoReturn:
    """Raise the error for the first answer that its kind does not admit."""
    for row, (listed, question) in enumerate(zip(batch.questions, batch.question, strict=True)):
        if not listed and (listed is not None or question is None):
            raise batch.fault(row, "questions", f"item {show(batch.id[row])} has no questions")
        if listed and question is not None:
            what = f"item {show(batch.id[row])} has both questions and a question"
            raise batch.fault(row, "questions", what)
        for name in ("type", "gold") if listed is None else ():
            if getattr(batch, name)[row] is None:
                _refuse(batch, row, question, f"has no {name}")
        for asked, answer in items[row].items():
            _check(batch, row, asked, answer, tolerance)
    raise AssertionError("answers were found amiss, and none of them is")


def _check(batch: Batch, row: int, question: str, answer: Answer, tolerance: float) -> None:
    """Check one answer as its kind demands."""
    kind = KINDS[answer.type]
    match kind, answer.probabilities, answer.gold:
        case "choice", dict(chances), str(gold):
            p, known = tuple(chances.values()), gold in chances
        case "yes_no", _, bool() if answer.p_true is not None:
            return
        case "score", dict() | list() as levels, int(gold) if not isinstance(gold, bool):
            p = tuple(levels) if isinstance(levels, list) else _levels(levels)
            known = 0 <= gold < len(p)
        case _:
            _refuse(batch, row, question, f"has no {_needs(kind, answer)}")
    if kind == "score" and len(p) < 2:
        _refuse(batch, row, question, "needs the probabilities of two or more levels: 0, 1, ...")
    if not known:
        _refuse(batch, row, question, f"has gold {show(answer.gold)}, which is none of its options")
    if not abs(fsum(p) - 1) <= tolerance + SLACK:
        what = f"has probabilities that sum to {fsum(p)!r}, off 1 by more than --sum-tolerance {tolerance!r}"
        _refuse(batch, row, question, what)


def _levels(given: dict[str, float]) -> tuple[float, ...]:
    """Give the probabilities of levels in order; none where the names are not 0, 1, ..."""
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
