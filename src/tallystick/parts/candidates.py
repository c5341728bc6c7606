"""What a candidate's threshold makes of its test records: the rows that the release audit reports."""

import json
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Annotated, NamedTuple

import numpy as np
from msgspec import Struct

from ..measure import COUNT, SHARE, Measure, Number, end
from ..metrics.bins import Bin, expected_calibration_error
from ..metrics.exact import mean, ratio
from ..metrics.intervals import wilson
from ..metrics.labels import LabelCounts, label_counts
from ..metrics.thresholds import Choice
from ..tallies import Values
from .reliability import Reliability
from .suggestions import LabelValue

BINS = 10
"""Bins of the expected calibration error."""

NO_THRESHOLD = "no threshold covers as much of the validation records as the floor of coverage"
NONE_ACCEPTED = "no test suggestion reaches the threshold"
EITHER = f"{NO_THRESHOLD}, or {NONE_ACCEPTED}"


def _why(row: "Candidate") -> str:
    return NO_THRESHOLD if row.threshold is None else NONE_ACCEPTED


class Candidate(Struct, frozen=True):
    """One candidate: its records, the threshold that validation gave it, and its test under that."""

    model: str
    train_records: Annotated[int, Measure("Train records, which are not scored.", within=COUNT)]
    validation_records: Annotated[
        int, Measure("Validation records.", better="higher", within=COUNT, counted=True, sample=True)
    ]
    test_records: Annotated[
        int, Measure("Test records.", better="higher", within=COUNT, counted=True, sample=True)
    ]
    threshold: Annotated[
        Number,
        Measure("Confidence from which suggestions are accepted.", within=SHARE, undefined=NO_THRESHOLD),
    ]
    validation_coverage: Annotated[
        Number,
        Measure("Share of the validation records that is accepted.", within=SHARE, undefined=NO_THRESHOLD),
    ]
    validation_precision: Annotated[
        Number,
        Measure("Share of those that is right.", within=SHARE, undefined=NO_THRESHOLD),
    ]
    accepted: Annotated[
        int | None,
        Measure("Test suggestions accepted.", within=COUNT, undefined=NO_THRESHOLD, sample=True),
    ]
    no_suggestion: Annotated[int, Measure("Test records without a suggestion.", within=COUNT)]
    low_confidence: Annotated[
        int | None,
        Measure("Test suggestions below the threshold.", within=COUNT, undefined=NO_THRESHOLD),
    ]
    coverage: Annotated[
        Number,
        Measure(
            "Share of the test records that is accepted.",
            better="higher",
            within=SHARE,
            counted=True,
            undefined=NO_THRESHOLD,
            flag="test_coverage",
        ),
    ]
    coverage_low: Annotated[Number, end("low", "coverage", undefined=NO_THRESHOLD, flag="test_coverage_low")]
    coverage_high: Annotated[
        Number, end("high", "coverage", undefined=NO_THRESHOLD, flag="test_coverage_high")
    ]
    precision_at_coverage: Annotated[
        Number,
        Measure(
            "Share of the accepted test suggestions that is right.",
            better="higher",
            within=SHARE,
            counted=True,
            undefined=EITHER,
            reason=_why,
        ),
    ]
    precision_at_coverage_low: Annotated[
        Number, end("low", "precision_at_coverage", undefined=EITHER, reason=_why)
    ]
    precision_at_coverage_high: Annotated[
        Number, end("high", "precision_at_coverage", undefined=EITHER, reason=_why)
    ]
    macro_f1: Annotated[
        Number,
        Measure(
            "Mean F1 of the classes that accepted test records have.",
            better="higher",
            within=SHARE,
            counted=True,
            undefined=EITHER,
            reason=_why,
        ),
    ]
    ece: Annotated[
        Number,
        Measure(
            "Expected calibration error of the accepted test suggestions.",
            better="lower",
            within=SHARE,
            undefined=EITHER,
            reason=_why,
        ),
    ]
    excluded_classes: list[LabelValue]


def _share(about: str) -> Measure:
    return Measure(about, within=SHARE, counted=True)


class ClassRow(Struct, frozen=True):
    """One class of a candidate, over its accepted test suggestions."""

    model: str
    label: LabelValue
    support: int
    predicted: int
    true_positives: int
    precision: Annotated[Number, _share("Share of its suggestions that is right.")]
    precision_low: Annotated[
        Number, end("low", "precision", better=None, undefined="the class is never suggested")
    ]
    precision_high: Annotated[
        Number, end("high", "precision", better=None, undefined="the class is never suggested")
    ]
    recall: Annotated[Number, _share("Share of its accepted records that is found.")]
    recall_low: Annotated[Number, end("low", "recall", better=None, undefined="no accepted record has it")]
    recall_high: Annotated[Number, end("high", "recall", better=None, undefined="no accepted record has it")]
    f1: Annotated[Number, _share("Harmonic mean of precision and recall.")]


class Cell(Struct, frozen=True):
    """One cell of a candidate's confusion matrix that is not 0."""

    model: str
    cell: str
    """The true label and the suggested one: ``truth->predicted``."""
    records: int


class ReliabilityRow(Struct, frozen=True):
    """One bin of a candidate's confidences that is not empty."""

    model: str
    index: int
    lower: float
    upper: float
    records: int
    mean_confidence: Annotated[Number, Measure("Mean confidence of the bin.", within=SHARE)]
    accuracy: Annotated[Number, Measure("Share of the bin's suggestions that is right.", within=SHARE)]
    gap: Annotated[Number, Measure("Accuracy less mean confidence.", within=(-1, 1))]


class Records(NamedTuple):
    """How many records of each split a candidate has."""

    train: int
    validation: int
    test: int


class HeldOut(NamedTuple):
    """The test records of one candidate."""

    suggestions: Sequence[tuple[str, str, Values]]
    """For each true and suggested label, the confidences."""
    unanswered: Mapping[str, int]
    """For each true label, the records without a suggestion."""


class Scored(NamedTuple):
    """A candidate's row, and the rows of the other tables that are its own."""

    candidate: Candidate
    classes: list[ClassRow]
    cells: list[Cell]
    bins: list[ReliabilityRow]


def score(
    model: str,
    records: Records,
    choice: Choice | None,
    test: HeldOut,
    level: float,
    labels: Mapping[str, LabelValue],
) -> Scored:
    """Apply the threshold chosen for a candidate to its test records.

    Parameters
    ----------
    model
        The candidate's name.
    records
        How many records it has.
    choice
        The threshold that its validation records gave it, if they gave one.
    test
        Its test records.
    level
        Confidence level of the intervals.
    labels
        Each label, and how it is reported; they are listed in this order.
    """
    reliability = Reliability(BINS)
    cells = _accept(test, choice.threshold, reliability) if choice else {}
    counts = label_counts(cells.items())
    scorable = {c.label for c in counts if c.expected}
    met = {truth for truth, _, _ in test.suggestions} | test.unanswered.keys() | {c.label for c in counts}
    accepted, right = reliability.records, reliability.right
    unanswered = sum(test.unanswered.values())
    precision_low, precision_high = wilson(right, accepted, level)
    coverage_low, coverage_high = wilson(accepted, records.test, level) if choice else (None, None)
    row = Candidate(
        model=model,
        train_records=records.train,
        validation_records=records.validation,
        test_records=records.test,
        threshold=Fraction(choice.threshold) if choice else None,
        validation_coverage=ratio(choice.accepted, records.validation) if choice else None,
        validation_precision=ratio(choice.right, choice.accepted) if choice else None,
        accepted=accepted if choice else None,
        no_suggestion=unanswered,
        low_confidence=records.test - unanswered - accepted if choice else None,
        coverage=ratio(accepted, records.test) if choice else None,
        coverage_low=coverage_low,
        coverage_high=coverage_high,
        precision_at_coverage=ratio(right, accepted),
        precision_at_coverage_low=precision_low,
        precision_at_coverage_high=precision_high,
        macro_f1=mean([c.f1 for c in counts if c.expected]),
        ece=expected_calibration_error(reliability.bins),
        excluded_classes=[shown for label, shown in labels.items() if label in met - scorable],
    )
    return Scored(
        row,
        _classes(model, counts, level, labels),
        _cells(model, cells),
        _bins(model, reliability.bins),
    )


def _accept(test: HeldOut, threshold: float, reliability: Reliability) -> dict[tuple[str, str], int]:
    """Count the accepted suggestions of each cell, and add them to the bins."""
    cells: dict[tuple[str, str], int] = {}
    for truth, suggested, values in test.suggestions:
        taken = values.values >= threshold
        counts = values.counts[taken, 0]
        if accepted := int(counts.sum()):
            cells[truth, suggested] = accepted
            confidence = np.repeat(values.values[taken], counts)
            reliability.add(confidence, np.full(accepted, truth == suggested))
    return cells


def _classes(
    model: str, counts: Iterable[LabelCounts], level: float, labels: Mapping[str, LabelValue]
) -> list[ClassRow]:
    known = {c.label: c for c in counts}
    rows = [
        ClassRow(
            model,
            shown,
            c.expected,
            c.predicted,
            c.true,
            c.precision,
            *wilson(c.true, c.predicted, level),
            c.recall,
            *wilson(c.true, c.expected, level),
            c.f1,
        )
        for label, shown in labels.items()
        if (c := known.get(label))
    ]
    return sorted(rows, key=lambda row: (-row.support, -row.predicted))


def _cells(model: str, cells: Mapping[tuple[str, str], int]) -> list[Cell]:
    rows = [
        Cell(model, f"{_spell(truth)}->{_spell(suggested)}", n) for (truth, suggested), n in cells.items()
    ]
    return sorted(rows, key=lambda row: (-row.records, row.cell))


def _spell(label: str) -> str:
    """Write a label as it is, or as a JSON string where the cell could be read in two ways."""
    return json.dumps(label, ensure_ascii=False) if "->" in label or label[:1] == '"' else label


def _bins(model: str, bins: Iterable[Bin]) -> list[ReliabilityRow]:
    return [
        ReliabilityRow(model, b.index, b.lower, b.upper, b.records, b.confidence, b.accuracy, b.gap)
        for b in bins
    ]
