"""Did the mix of labels change?

Two inputs, `reference` and `candidate`, each of records with one `label`, compared exactly: case, accents
and spaces matter. They need not be of the same cases nor of equal size. With p and q a label's share of
the reference and of the candidate (0 where it does not occur), and m = (p + q) / 2

    total_variation = half the sum over labels of |p - q|
    js_divergence   = half the sum over labels of p log2(p / m) + q log2(q / m)
    label_delta     = the largest |q - p|

All lie in [0, 1]: 0 where all shares are equal, and the first two are 1 where no label occurs on both sides.
Total variation is the share of one mix that would have to change to give the other. The Jensen-Shannon
divergence, in bits, is computed as ``sum of m / 2 * ((1 + d) log2(1 + d) + (1 - d) log2(1 - d))`` with
d = (p - q) / (p + q), which is the same number, never negative and precise where p and q nearly agree; what
only one side has is added exactly, the rest in float64. The others are rationals of counts, and gates
compare them exactly. In `shifts`, `shift` is q - p.

Undefined: in a slice of which one input has no record.

What it does not show: why a mix changed, whether the labels are right, or whether a model got better or
worse. Only the labels' own shares are compared: what they depend on can change while the mix stays. In
small samples shares move by chance alone, and the more so the more labels there are: choose limits by how
the records were drawn, not by looking at the result.

Sources: Lin (1991), IEEE Trans. Inf. Theory 37, 145-151, for the divergence; Levin, Peres & Wilmer (2009),
Markov Chains and Mixing Times, ch. 4, for total variation.
"""

from fractions import Fraction
from typing import Annotated

from msgspec import Meta, Struct

from ..audit import Audit
from ..fields import Label, MaxRows
from ..measure import COUNT, RECORDS, SHARE, Measure, Number, Table
from ..metrics.divergence import js_divergence_of_counts, share_changes, total_variation_of_counts
from ..metrics.exact import ratio
from ..sources.batch import Batch
from ..tallies import Crosstab

ONE_SIDED = "one of the inputs has no records here"


class Options(Struct, frozen=True):
    """What a caller may set."""

    max_rows: MaxRows = 1000


class Record(Struct, frozen=True):
    """One labelled case."""

    label: Annotated[Label, Meta(description="The label of the case.")]


def _distance(about: str, *, counted: bool) -> Measure:
    return Measure(about, better="lower", within=SHARE, counted=counted, exact=counted, undefined=ONE_SIDED)


def _side(name: str) -> Measure:
    return Measure(f"Records of the {name}.", better="higher", within=COUNT, counted=True, sample=True)


class ShiftRow(Struct, frozen=True):
    """How much of each mix one label is."""

    label: str
    reference_records: int
    candidate_records: int
    reference_share: Annotated[Number, Measure("Its share of the reference.", undefined=ONE_SIDED)]
    candidate_share: Annotated[Number, Measure("Its share of the candidate.", undefined=ONE_SIDED)]
    shift: Annotated[Number, Measure("Candidate's share less reference's.", undefined=ONE_SIDED)]
    label_delta: Annotated[Number, _distance("Size of its shift.", counted=True)]


class LabelRow(Struct, frozen=True):
    """A label that one input alone has."""

    label: str
    records: int


class Result(Struct, frozen=True):
    """What is reported."""

    records: Annotated[int, RECORDS]
    reference_records: Annotated[int, _side("reference")]
    candidate_records: Annotated[int, _side("candidate")]
    labels: Annotated[int, Measure("Different labels in either input.")]
    total_variation: Annotated[Number, _distance("Half the sum of all changes of a share.", counted=True)]
    js_divergence: Annotated[Number, _distance("Jensen-Shannon divergence in bits.", counted=False)]
    label_delta: Annotated[Number, _distance("Largest change of a label's share.", counted=True)]
    reference_only: Annotated[
        list[LabelRow],
        Table(
            "Labels that only the reference has.", order="records descending, then label", limit="max_rows"
        ),
    ]
    candidate_only: Annotated[
        list[LabelRow],
        Table(
            "Labels that only the candidate has.", order="records descending, then label", limit="max_rows"
        ),
    ]
    shifts: Annotated[
        list[ShiftRow],
        Table(
            "How the share of each label changed.",
            order="size of shift descending, then label",
            limit="max_rows",
        ),
    ]


class LabelDrift(Audit[Options, Result]):
    """See the module."""

    name, revision = "label-drift", 1
    inputs = {"reference": Record, "candidate": Record}

    def start(self) -> None:
        """Make the counts of labels of both inputs."""
        self.reference, self.candidate = Crosstab(), Crosstab()

    def update(self, batch: Batch) -> None:
        """Count the labels of one input."""
        side = self.reference if batch.source == "reference" else self.candidate
        side.add(batch.label)

    def finish(self) -> Result:
        """Make all measures from the counts."""
        reference: dict[str, int] = self.reference.margin(0)
        candidate: dict[str, int] = self.candidate.margin(0)
        changes = share_changes(reference, candidate)
        return Result(
            records=self.reference.total + self.candidate.total,
            reference_records=self.reference.total,
            candidate_records=self.candidate.total,
            labels=len(reference.keys() | candidate.keys()),
            total_variation=total_variation_of_counts(reference, candidate),
            js_divergence=js_divergence_of_counts(reference, candidate),
            label_delta=max(map(abs, changes.values())) if changes else None,
            reference_only=_only(reference, candidate),
            candidate_only=_only(candidate, reference),
            shifts=_shifts(reference, candidate, changes),
        )


def _only(one: dict[str, int], other: dict[str, int]) -> list[LabelRow]:
    """List the labels of one input that the other does not have, the most frequent first."""
    return [
        LabelRow(label, n)
        for label, n in sorted(one.items(), key=lambda item: (-item[1], item[0]))
        if label not in other
    ]


def _shifts(
    reference: dict[str, int], candidate: dict[str, int], changes: dict[str, Fraction] | None
) -> list[ShiftRow]:
    """List all labels, those whose share changed most first."""
    items, others = sum(reference.values()), sum(candidate.values())
    rows = []
    for label in sorted(reference.keys() | candidate.keys()):
        n, m = reference.get(label, 0), candidate.get(label, 0)
        shift = changes[label] if changes else None
        size = abs(shift) if shift is not None else None
        rows.append(ShiftRow(label, n, m, ratio(n, items), ratio(m, others), shift, size))
    return sorted(rows, key=lambda row: -(row.label_delta or 0))
