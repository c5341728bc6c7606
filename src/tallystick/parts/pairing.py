"""Two systems on the same cases, from one file or from two: what audits that compare them share."""

from typing import Annotated, Literal, NamedTuple

from msgspec import Meta, Struct

from ..fields import Id, Text, show
from ..sources.batch import Batch
from ..tallies import Compound, Counts, Extremes

NAMED = 5
"""Ids that an error names, of those it counts."""

Join = Annotated[
    Literal["all", "inner"],
    Meta(description="Of two files: `all` refuses an id that only one of them has, `inner` leaves it out."),
]


class Side(Struct, frozen=True):
    """One answer of one system, where each system has its own file."""

    id: Annotated[Id, Meta(description="Names the case; unique in each file.")]
    expected: Annotated[Text, Meta(description="The right answer; the same in both files.")]
    predicted: Annotated[Text, Meta(description="The answer of this system.")]


class Cases(NamedTuple):
    """The columns of some cases (n each)."""

    expected: list[str]
    baseline: list[str]
    candidate: list[str]


class Pairing(Compound):
    """Counts the cases, and the ids that stand in the way of comparing two files case by case."""

    def __init__(self) -> None:
        self._cases = Counts()
        self._baseline_only, self._candidate_only = Extremes(NAMED), Extremes(NAMED)
        self._differing = Extremes(NAMED)

    def add(self, batch: Batch) -> Cases:
        """Count a batch, and give its cases: none where only one file has its ids."""
        if batch.source in ("baseline", "candidate"):
            alone = self._baseline_only if batch.source == "baseline" else self._candidate_only
            alone.add((id_,) for id_ in batch.id)
            return Cases([], [], [])
        self._cases.add_total(len(batch))
        if not batch.sides:
            return Cases(batch.expected, batch.baseline, batch.candidate)
        baseline, candidate = batch.sides["baseline"], batch.sides["candidate"]
        rows = zip(batch.id, baseline.expected, candidate.expected, strict=True)
        self._differing.add((id_,) for id_, one, other in rows if one != other)
        return Cases(baseline.expected, baseline.predicted, candidate.predicted)

    @property
    def cases(self) -> int:
        """How many cases both systems answered."""
        return self._cases.total

    @property
    def baseline_only(self) -> int:
        """How many ids only the baseline's file has."""
        return self._baseline_only.total

    @property
    def candidate_only(self) -> int:
        """How many ids only the candidate's file has."""
        return self._candidate_only.total

    @property
    def left_out(self) -> list[str]:
        """Say which ids an inner join leaves out."""
        sides = (("baseline", self._baseline_only), ("candidate", self._candidate_only))
        return [f"{_named(alone)} only in {name}" for name, alone in sides if alone.total]

    def lacking(self, join: Join) -> str | None:
        """Say why the two files cannot be compared, with counts and ids; None where they can."""
        faults = []
        if self._differing.total:
            faults.append(f"expected differs between baseline and candidate for {_named(self._differing)}")
        if not self.cases:
            faults.append("no id is in both baseline and candidate")
        elif join == "all":
            faults += [f"{what}: --join inner leaves such out" for what in self.left_out]
        return "; ".join(faults) or None


def _named(ids: Extremes) -> str:
    """Count ids, and name the first of them."""
    names = ", ".join(show(id_) for (id_,) in ids.kept)
    more = f" and {ids.omitted} more" if ids.omitted else ""
    return f"{ids.total} {'id' if ids.total == 1 else 'ids'} ({names}{more})"
