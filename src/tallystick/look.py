"""A look at a file: what it is, the shape of its fields, and which audits can read it under which names.

The first records are looked at and never shown: what is said of a text is how long it is.
"""

import os
from collections.abc import Iterator
from typing import Any

import msgspec
from msgspec import Struct

from . import units
from .audit import Audit
from .audits import AUDITS, find
from .engines import local
from .errors import TallystickError
from .plan import plan
from .sources import Shape
from .sources.sample import Sample, sample

DEPTH = 3
"""How far into objects is looked."""

ALIASES: dict[str, tuple[str, ...]] = {
    "expected": (
        "target",
        "gold",
        "label",
        "reference",
        "ground_truth",
        "answer",
        "correct_answer",
        "y_true",
        "true_label",
        "expected_output",
        "correct",
        "ideal",
    ),
    "predicted": (
        "prediction",
        "pred",
        "output",
        "response",
        "completion",
        "answer",
        "model_output",
        "y_pred",
        "predicted_label",
        "actual_output",
        "generated",
    ),
    "confidence": ("probability", "score", "prob", "p", "max_prob", "certainty"),
    "id": (
        "case_id",
        "example_id",
        "sample_id",
        "instance_id",
        "doc_id",
        "question_id",
        "uid",
        "idx",
        "index",
        "key",
    ),
    "case_id": ("id", "example_id", "sample_id", "question_id"),
    "query_id": ("qid", "q_id", "query", "id"),
    "pair_id": ("id", "question_id"),
    "group": ("category", "segment", "cohort", "subgroup"),
    "scores": ("probabilities", "probs", "distribution", "class_probabilities"),
    "label": ("predicted", "prediction", "class", "category"),
    "baseline": ("baseline_output", "control", "old", "model_a"),
    "candidate": ("candidate_output", "treatment", "new", "model_b"),
    "reference": ("human", "gold", "rater_a", "annotator_a", "expected"),
    "rater": ("judge", "rater_b", "annotator_b", "predicted"),
    "winner": ("preference", "preferred", "choice"),
    "relevant": ("qrels", "gold_ids", "relevant_ids", "reference_context_ids"),
    "retrieved": ("ranking", "results", "retrieved_ids", "retrieved_context_ids"),
    "latency_ms": ("latency", "duration_ms", "latencyMs", "elapsed_ms"),
    "input_tokens": ("prompt_tokens", "tokens_in"),
    "output_tokens": ("completion_tokens", "tokens_out"),
    "success": ("ok", "passed", "succeeded"),
    "text": ("prompt", "question", "input", "content"),
}
"""Names under which files often have what an audit declares, the likeliest first."""


class Field(Struct, frozen=True):
    """One field of a file's records, as far as they were looked at."""

    path: str
    kind: str
    records: int
    shape: str


class Fit(Struct, frozen=True):
    """An audit that can read a file, as one of its inputs, with the names that it then needs."""

    audit: str
    source: str
    map: dict[str, str]
    as_text: tuple[str, ...]
    options: tuple[str, ...]
    """Options without a default."""

    @property
    def whole(self) -> bool:
        """Whether the file is all that the audit needs."""
        return not self.options and [*find(self.audit).inputs] == [self.source]


class Look(Struct, frozen=True):
    """What a file is."""

    sample: Sample
    fields: list[Field]
    fits: list[Fit]


def look(path: str | os.PathLike[str], input_format: str | None = None) -> Look:
    """Look at the first records of a file.

    Raises
    ------
    TallystickError
        Where the file cannot be read, or holds no records.
    """
    taken = sample(os.fspath(path), input_format)
    cells = taken.format in ("csv", "tsv")
    rows = [{key: _read(text) for key, text in row.items()} for row in taken.rows] if cells else taken.rows
    fields = [_field(name, values) for name, values in _flat(rows)]
    paths = [
        field.path for field in fields if not (cells and field.kind == "object")
    ]  # there, it is a text too
    return Look(taken, fields, [fit for name in AUDITS for fit in _fits(name, taken, paths)])


def _flat(
    rows: list[dict[str, Any]], prefix: str = "", depth: int = DEPTH
) -> Iterator[tuple[str, list[Any]]]:
    """Give each field with its values, and those inside objects that are more than numbers by label."""
    for key in dict.fromkeys(key for row in rows for key in row):
        values = [row[key] for row in rows if key in row]
        yield prefix + key, values
        objects = [value for value in values if isinstance(value, dict)]
        if depth > 1 and objects and not all(map(_numbers_only, objects)):
            yield from _flat(objects, f"{prefix}{key}.", depth - 1)


def _numbers_only(value: dict[str, Any]) -> bool:
    return all(_kind(inner) in ("number", "whole number", "null") for inner in value.values())


def _kind(value: Any) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "true or false"
        case int():
            return "whole number"
        case float():
            return "number"
        case str():
            return "text"
        case list():
            kinds = sorted({_kind(item) for item in value})
            return f"array of {' or '.join(kinds)}" if kinds else "empty array"
        case dict() if value and _numbers_only(value):
            return "object of numbers"
        case _:
            return "object"


def _field(path: str, values: list[Any]) -> Field:
    kinds = sorted({_kind(value) for value in values})
    return Field(path, " or ".join(kinds), len(values), "; ".join(_shapes(values)))


def _read(text: str) -> Any:
    """Take a cell for what it looks like."""
    if not text:
        return None
    try:
        return msgspec.json.decode(text)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return text


def _shapes(values: list[Any]) -> Iterator[str]:
    texts = [value for value in values if isinstance(value, str)]
    if texts:
        yield f"{_sizes(texts, 'character')}, {len(set(texts))} different"
    numbers = [value for value in values if type(value) in (int, float)]
    if numbers:
        yield _span(numbers)
    arrays = [value for value in values if isinstance(value, list)]
    if arrays:
        yield _sizes(arrays, "item")
    objects = [value for value in values if isinstance(value, dict)]
    if objects:
        yield _sizes(objects, "key")


def _sizes(values: list[Any], noun: str) -> str:
    span = _span([len(value) for value in values])
    return f"{span} {noun}" if span == "1" else f"{span} {noun}s"


def _span(numbers: list[Any]) -> str:
    low, high = min(numbers), max(numbers)
    return f"{low:.6g}" if low == high else f"{low:.6g} to {high:.6g}"


def _fits(name: str, taken: Sample, fields: list[str]) -> Iterator[Fit]:
    """Find the inputs of an audit that a file can be, with the names that it has for their fields."""
    audit = find(name)
    options = tuple(field.name for field in msgspec.structs.fields(audit.Options) if field.required)
    for source, record in {**audit.inputs, **audit.sides}.items():
        named = _named(record, taken, fields)
        if named is None:
            continue
        fit = Fit(name, source, *named, options)
        if not fit.whole or _runs(audit, fit, taken):
            yield fit


def _named(
    record: type[Struct], taken: Sample, fields: list[str]
) -> tuple[dict[str, str], tuple[str, ...]] | None:
    """Find a field of the file for each declared one that is needed; None where there is none."""
    names: dict[str, str] = {}
    as_text: list[str] = []
    for field in msgspec.structs.fields(record):
        own = [field.name] if field.name in fields else []
        others = [path for alias in ALIASES.get(field.name, ()) for path in fields if _last(path) == alias]
        nested = [path for path in fields if path != field.name and _last(path) == field.name]
        for path in [*own, *(nested + others if field.required else ())]:
            fitting = None if path in names.values() else _readable(record, field.name, path, taken)
            if fitting is not None:
                names[field.name] = path
                as_text += fitting
                break
        else:
            if field.required or own:
                return None
    return {key: path for key, path in names.items() if key != path}, tuple(as_text)


def _last(path: str) -> str:
    return path.rpartition(".")[2]


def _readable(record: type[Struct], name: str, path: str, taken: Sample) -> list[str] | None:
    """Say what must be read as text to read a declared field under a name; None where nothing helps."""
    kind = next(field for field in msgspec.structs.fields(record) if field.name == name)
    default = () if kind.required else (kind.default,)
    single = msgspec.defstruct("Single", [(name, kind.type, *default)])
    for as_text in ([], [name]):
        try:
            for _ in taken.read(Shape(single, (), {name: path}, as_text=as_text)):
                pass
        except TallystickError:
            continue
        return as_text
    return None


def _runs(audit: type[Audit[Any, Any]], fit: Fit, taken: Sample) -> bool:
    """Whether the audit takes the first records, which may be cut inside a unit."""
    try:
        made = plan(fit.audit, [fit.source], {}, {"map": fit.map, "as_text": list(fit.as_text)}, [])
        batches = taken.read(made.shape(fit.source))
        state = local.accumulate(made.state(), units.arrange(audit, {fit.source: batches}))
        return state.overall.lacking() is None
    except TallystickError:
        return False
