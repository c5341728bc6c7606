"""What the release audit reads: one candidate's suggestion for a case, as its options shape the record."""

import re
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Struct

from ..fields import Id, Label, Probability

SPLITS = ("train", "validation", "test")

LabelValue = str | int
"""A label as it is reported."""

AnyNumber = Annotated[int, Meta(ge=-(2**63), le=2**63 - 1)]
SubjectKey = Annotated[
    str,
    Meta(
        pattern="^[0-9a-f]{16}$",
        min_length=16,
        max_length=16,
        description="Pseudonymous key of the subject: 16 lower-case hexadecimal digits.",
    ),
]


def label_type(labels: str | None) -> Any:
    """Read which labels there are as the type of a label.

    Raises
    ------
    ValueError
        Where they are of two types, none, or the same twice.
    """
    if labels is None:
        return AnyNumber | Label
    if span := re.fullmatch(r"\s*(-?[0-9]{1,18})\.\.(-?[0-9]{1,18})\s*", labels):
        low, high = map(int, span.groups())
        if low > high:
            raise ValueError(f"labels: {low} is above {high}")
        return Annotated[int, Meta(ge=low, le=high)]
    items = [item.strip() for item in labels.split(",")]
    numbers = [re.fullmatch(r"-?[0-9]{1,18}", item) is not None for item in items]
    if any(numbers) and not all(numbers):
        raise ValueError(f"labels: whole numbers and strings are mixed in {labels}")
    known: list[LabelValue] = [int(item) if all(numbers) else item for item in items]
    if "" in known or len(set(known)) < len(known):
        raise ValueError(f"labels: an empty label, or one twice, in {labels}")
    return Literal[tuple(known)]


def ends(split_rule: str) -> tuple[int, int] | None:
    """Read where train and validation end, as first bytes of subject keys; None where splits are declared.

    Raises
    ------
    ValueError
        Where it is no rule, or leaves no keys to validation or test.
    """
    if split_rule == "declared":
        return None
    found = re.fullmatch(r"\s*([0-9]{1,3})\s*,\s*([0-9]{1,3})\s*", split_rule)
    train, validation = map(int, found.groups()) if found else (0, 0)
    if not 0 <= train < validation < 256:
        what = "A,B with whole numbers A < B < 256, or declared"
        raise ValueError(f"split_rule: expected {what}, got {split_rule}")
    return train, validation


class Truth(Struct, frozen=True):
    """What is true of a case."""

    label: AnyNumber | Label


class Prediction(Struct, frozen=True):
    """What a candidate suggests for a case."""

    label: AnyNumber | Label
    confidence: Probability


class Record(Struct, frozen=True):
    """One suggestion of one candidate."""

    model: Annotated[Id, Meta(description="The candidate.")]
    subjectKey: SubjectKey  # noqa: N815  as files have it
    split: Annotated[
        Literal["train", "validation", "test"], Meta(description="The split that the record is in.")
    ]
    truth: Annotated[Truth, Meta(description="An object with the true label.")]
    prediction: Annotated[
        Prediction | None,
        Meta(description="An object with the suggested label and its confidence, or null for no suggestion."),
    ]


def record(label_field: str, labels: str | None) -> type[Struct]:
    """Make the record in which the label has the key and the type that the options say."""
    label = ("label", label_type(labels))
    rename = {"label": label_field}
    truth = msgspec.defstruct("Truth", [label], rename=rename, frozen=True)
    confidence = ("confidence", Probability)
    prediction = msgspec.defstruct("Prediction", [label, confidence], rename=rename, frozen=True)
    kinds = {"truth": truth, "prediction": prediction | None}
    fields = [(f.name, kinds.get(f.name, f.type)) for f in msgspec.structs.fields(Record)]
    return msgspec.defstruct("Record", fields, frozen=True)
