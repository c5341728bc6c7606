"""Draw records and options of any audit from what it declares.

`inputs(name)` draws what an audit reads: for each of its inputs a list of records, as plain objects. Types
say nearly all there is to say; where an audit asks more of its records (labels that are the same in all of
them, two presentations of one pair), `INPUTS` holds a strategy of its own. `options(name)` likewise draws
the audit's options, and `OPTIONS` holds those of audits that take only some combinations.

Values are few, so that they collide, and many lie on an edge.
"""

from collections.abc import Callable, Mapping
from typing import Any

import msgspec
from hypothesis import strategies as st
from msgspec import inspect as types

from tallystick.audit import Audit
from tallystick.audits import find

Record = dict[str, Any]
Inputs = dict[str, list[Record]]

LABELS = st.sampled_from(["a", "b", "B", "é", "a=b", "10", "overall"])
TEXTS = st.sampled_from(["", "a", "A", "the a", "a b", "b  a!", "...", "!!!", "é", "e\u0301", "\U0001f600"])
IDS = st.sampled_from([f"q{n}" for n in range(12)] + ["", "1", "01", "é", 'a"b', "x]", "q1 ", "Q1"]).filter(
    bool
)
SHARES = [0.0, -0.0, 1.0, 5e-324, 0.1, 0.29, 0.3, 0.5, 0.7, 0.8999999999999999, 0.9, 0.9999999999999999]
FLOATS = [0.0, 1.0, -1.0, 0.1, 0.3, 1e-9, 5e-324, 2.5, 1e6, -1e6, 123456.789]
COUNTS = [0, 1, 2, 3, 7, 1000, 2**31, 2**53 + 1]
MOST_RECORDS = 12


def audit_record(record: type[msgspec.Struct]) -> st.SearchStrategy[Record]:
    """Draw one record, of which what may be absent sometimes is."""
    needed: dict[str, st.SearchStrategy[Any]] = {}
    optional: dict[str, st.SearchStrategy[Any]] = {}
    for field in msgspec.structs.fields(record):
        side = needed if field.required else optional
        side[field.encode_name] = value(field.type, field.name)
    return st.fixed_dictionaries(needed, optional=optional)


def value(kind: Any, name: str = "") -> st.SearchStrategy[Any]:
    """Draw a value of a declared type, as JSON would give it."""
    return _value(types.type_info(kind), name, distinct=False)


def _value(info: types.Type, name: str, *, distinct: bool) -> st.SearchStrategy[Any]:
    match info:
        case types.Metadata():
            schema = info.extra_json_schema or {}
            return _value(info.type, name, distinct=distinct or schema.get("uniqueItems", False))
        case types.StrType():
            words = IDS if name == "id" or name.endswith("_id") else LABELS
            return words if info.min_length else TEXTS
        case types.FloatType() | types.IntType():
            return _number(info)
        case types.BoolType():
            return st.booleans()
        case types.NoneType():
            return st.none()
        case types.LiteralType():
            return st.sampled_from(info.values)
        case types.UnionType():
            return st.one_of([_value(member, name, distinct=distinct) for member in info.types])
        case types.ListType() | types.VarTupleType():
            item = _value(info.item_type, name, distinct=False)
            return st.lists(item, min_size=info.min_length or 0, max_size=5, unique=distinct)
        case types.DictType():
            return _mapping(info)
        case types.StructType():
            return audit_record(info.cls)
    raise NotImplementedError(info)


def _number(info: types.FloatType | types.IntType) -> st.SearchStrategy[Any]:
    least = info.ge if info.ge is not None else info.gt
    most = info.le if info.le is not None else info.lt

    def fits(number: float) -> bool:
        return (
            (info.ge is None or number >= info.ge)
            and (info.gt is None or number > info.gt)
            and (info.le is None or number <= info.le)
            and (info.lt is None or number < info.lt)
        )

    if isinstance(info, types.IntType):
        known = [number for number in COUNTS if fits(number)]
        return st.sampled_from(known)
    if least is not None and most is not None and most - least <= 1:
        edges = [number for number in SHARES if fits(number)]
        return st.sampled_from(edges) | st.floats(float(least), float(most)).filter(fits)
    return st.sampled_from([number for number in FLOATS if fits(number)]) | st.floats(-1e6, 1e6).filter(fits)


def _mapping(info: types.DictType) -> st.SearchStrategy[dict[str, Any]]:
    inner = info.value_type
    bare = inner.type if isinstance(inner, types.Metadata) else inner
    if isinstance(bare, types.FloatType) and (bare.ge, bare.le) == (0, 1):
        return st.lists(LABELS, min_size=1, max_size=4, unique=True).flatmap(distribution)
    keys = _value(info.key_type, "", distinct=False)
    item = _value(inner, "", distinct=False)
    return st.dictionaries(keys, item, min_size=info.min_length or 0, max_size=4)


def distribution(labels: list[str]) -> st.SearchStrategy[dict[str, float]]:
    """Draw probabilities of labels that sum to 1 or nearly so; ties and zeros are common."""
    weights = st.lists(st.sampled_from([0, 0, 1, 1, 2, 5]), min_size=len(labels), max_size=len(labels))
    return weights.filter(any).map(
        lambda drawn: dict(zip(labels, [w / sum(drawn) for w in drawn], strict=True))
    )


def inputs(name: str) -> st.SearchStrategy[Inputs]:
    """Draw what an audit reads."""
    return INPUTS[name]() if name in INPUTS else declared_inputs(find(name))


def declared_inputs(audit: type[Audit[Any, Any]]) -> st.SearchStrategy[Inputs]:
    """Draw lists of the declared records, in each form in which they may be given."""
    forms = [audit.inputs, audit.sides] if audit.sides else [audit.inputs]
    return st.one_of([_form(audit, form) for form in forms])


def _form(
    audit: type[Audit[Any, Any]], form: Mapping[str, type[msgspec.Struct]]
) -> st.SearchStrategy[Inputs]:
    key = key_of(audit, form) if audit.group_by is None else None
    unique: Any = (lambda row: row[key]) if key else None

    def rows(record: type[msgspec.Struct]) -> st.SearchStrategy[list[Record]]:
        return st.lists(audit_record(record), min_size=1, max_size=MOST_RECORDS, unique_by=unique)

    return st.fixed_dictionaries({name: rows(record) for name, record in form.items()})


def key_of(audit: type[Audit[Any, Any]], form: Mapping[str, type[msgspec.Struct]]) -> str | None:
    """Give the field by whose values records make units, if its records have one."""
    key = audit.group_by or audit.unique
    return key if all(key in record.__struct_fields__ for record in form.values()) else None


def options(name: str) -> st.SearchStrategy[dict[str, Any]]:
    """Draw an audit's options: what is required, how texts compare, and sizes."""
    if name in OPTIONS:
        return OPTIONS[name]()
    fields = msgspec.structs.fields(find(name).Options)
    needed = {field.name: value(field.type) for field in fields if field.required}
    sizes: dict[str, st.SearchStrategy[Any]] = {
        "bins": st.sampled_from([1, 2, 10, 100, 1000]),
        "samples": st.integers(1, 20),
        "max_rows": st.integers(0, 3),
        "max_details": st.integers(0, 3),
        "max_curve_points": st.integers(3, 6),
        "normalize": st.sampled_from(["words", "squad", "exact"]),
    }
    drawn = {field.name: sizes[field.name] for field in fields if field.name in sizes}
    return st.fixed_dictionaries(
        needed | {n: s for n, s in drawn.items() if n == "samples"},
        optional={n: s for n, s in drawn.items() if n != "samples"},
    )


@st.composite
def _probabilities(draw: st.DrawFn) -> Inputs:
    labels = draw(st.lists(LABELS, min_size=1, max_size=4, unique=True))
    row = st.fixed_dictionaries({"expected": st.sampled_from(labels), "scores": distribution(labels)})
    return {"records": draw(st.lists(row, min_size=1, max_size=MOST_RECORDS))}


def _copies() -> st.SearchStrategy[Inputs]:
    text = st.lists(TEXTS | st.just(" "), min_size=1, max_size=2).map("".join).filter(str.strip)
    row: st.SearchStrategy[Record] = st.fixed_dictionaries({"id": IDS, "text": text})
    rows = st.lists(row, min_size=1, max_size=MOST_RECORDS, unique_by=lambda row: row["id"])
    return st.fixed_dictionaries({"reference": rows, "candidate": rows})


@st.composite
def _two_distributions(draw: st.DrawFn) -> Inputs:
    labels = draw(st.lists(LABELS, min_size=1, max_size=4, unique=True))
    sides = {side: distribution(labels) for side in ("baseline_scores", "candidate_scores")}
    row: st.SearchStrategy[Record] = st.fixed_dictionaries({"case_id": IDS, **sides})
    rows = st.lists(row, min_size=1, max_size=MOST_RECORDS, unique_by=lambda row: row["case_id"])
    return {"records": draw(rows)}


def _rankings() -> st.SearchStrategy[Inputs]:
    several = st.lists(IDS, max_size=6, unique=True)
    grades = st.dictionaries(IDS, st.sampled_from([0, 1, 2, 0.5, 3]), max_size=4).filter(
        lambda graded: any(graded.values())
    )
    row: st.SearchStrategy[Record] = st.fixed_dictionaries(
        {"query_id": IDS, "relevant": several.filter(bool) | grades, "retrieved": several}
    )
    rows = st.lists(row, min_size=1, max_size=MOST_RECORDS, unique_by=lambda row: row["query_id"])
    return rows.map(lambda drawn: {"records": drawn})


@st.composite
def _predictions(draw: st.DrawFn) -> Inputs:
    golds: list[Record] = []
    predictions: list[Record] = []
    for item in draw(st.lists(IDS, min_size=1, max_size=MOST_RECORDS, unique=True)):
        options = draw(
            st.lists(LABELS | st.sampled_from(["true", "false"]), min_size=1, max_size=3, unique=True)
        )
        option = st.sampled_from(options)
        golds.append({"id": item, "gold": draw(option)})
        golds[-1] |= draw(st.fixed_dictionaries({}, optional={"family": LABELS, "positive": option}))
        vector = distribution(options).map(lambda drawn: list(drawn.values()))
        answer = {"probabilities": st.none() | vector, "label": st.none() | option}
        if not predictions or draw(st.integers(0, 3)):
            predictions.append(
                {"id": item, "option_ids": options, **draw(st.fixed_dictionaries({}, optional=answer))}
            )
    return {"predictions": draw(st.permutations(predictions)), "gold": draw(st.permutations(golds))}


@st.composite
def _presentations(draw: st.DrawFn) -> Inputs:
    rows = []
    for pair in draw(st.lists(IDS, min_size=1, max_size=6, unique=True)):
        one, other = draw(st.lists(LABELS, min_size=2, max_size=2, unique=True))
        for first, second in [(one, other), (other, one)][: draw(st.integers(1, 2))]:
            winner = draw(st.sampled_from(["first", "second", "tie"]))
            rows.append({"pair_id": pair, "first": first, "second": second, "winner": winner})
    return {"records": draw(st.permutations(rows))}


def _levels(size: int) -> st.SearchStrategy[Record]:
    names = [str(level) for level in range(size)]
    vectors = distribution(names)
    return st.fixed_dictionaries(
        {
            "type": st.just("score"),
            "gold": st.integers(0, size - 1),
            "probabilities": vectors | vectors.map(lambda drawn: list(drawn.values())),
        },
        optional={"expected": st.sampled_from([0, 0.5, 1.5])},
    )


def _choice(listed: list[str]) -> st.SearchStrategy[Record]:
    return st.fixed_dictionaries(
        {"type": st.just("choice"), "gold": st.sampled_from(listed), "probabilities": distribution(listed)},
        optional={"predicted": st.sampled_from(listed), "confidence": st.sampled_from(SHARES)},
    )


@st.composite
def _questions(draw: st.DrawFn) -> Inputs:
    kinds = st.sampled_from(["yes_no", "noul", "boolean"])
    yes_no = st.fixed_dictionaries(
        {"type": kinds, "gold": st.booleans(), "p_true": st.sampled_from(SHARES) | st.floats(0, 1)}
    )
    choice = st.lists(LABELS, min_size=1, max_size=4, unique=True).flatmap(_choice)
    answer = yes_no | choice | st.integers(2, 4).flatmap(_levels)
    rows = []
    for item in draw(st.lists(IDS, min_size=1, max_size=6, unique=True)):
        row: Record = {"id": item} | ({"category": draw(st.none() | LABELS)} if draw(st.booleans()) else {})
        if draw(st.booleans()):
            row["questions"] = draw(st.dictionaries(LABELS, answer, min_size=1, max_size=3))
        else:
            row |= {"question": draw(LABELS), **draw(answer)}
        rows.append(row)
    return {"records": rows}


@st.composite
def _suggestions(draw: st.DrawFn) -> Inputs:
    labels: list[Any] = draw(st.sampled_from([["a", "B", "é"], [1, 2, 10]]))
    label = st.sampled_from(labels)
    prediction = st.none() | st.fixed_dictionaries(
        {"label": label, "confidence": st.sampled_from(SHARES) | st.floats(0, 1)}
    )
    splits = st.sampled_from(["train", "validation", "test"])
    byte = {"train": "00", "validation": "cd", "test": "e6"}
    rows = []
    for model in draw(st.lists(LABELS, min_size=1, max_size=3, unique=True)):
        for split in ["validation", "test", *draw(st.lists(splits, max_size=5))]:
            row: Record = {"model": model, "split": split}
            row["subjectKey"] = f"{byte[split]}{draw(st.integers(0, 9)):014x}"
            rows.append(row | {"truth": {"label": draw(label)}, "prediction": draw(prediction)})
    return {"predictions": draw(st.permutations(rows))}


INPUTS: dict[str, Callable[[], st.SearchStrategy[Inputs]]] = {
    "probabilities": _probabilities,
    "probability-drift": _two_distributions,
    "position-bias": _presentations,
    "questions": _questions,
    "predictions": _predictions,
    "overlap": _copies,
    "release": _suggestions,
    "retrieval": _rankings,
}
OPTIONS: dict[str, Callable[[], st.SearchStrategy[dict[str, Any]]]] = {}
