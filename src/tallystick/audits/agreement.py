"""Do two raters agree beyond chance?

Each record is an item with a unique `id` and the labels that two raters gave it: `reference`, who may be
a person or an adjudicated answer, and `rater`. Labels are compared exactly. With n items, o_ij of them
labelled i by the reference and j by the rater, and r_i and c_j the two raters' counts of a label

    agreement          = sum of o_ii / n
    expected_agreement = sum of r_i * c_i / n^2
    kappa              = (agreement - expected_agreement) / (1 - expected_agreement)

so kappa is 1 for full agreement, 0 for what chance would give two raters with these habits, and below 0
for less. It is computed in integers: an exact 0 is 0. For ordered labels give all `--levels` from the
lowest to the highest; then, with w_ij = |i - j| for `kappa_linear` and (i - j)^2 for `kappa_quadratic`

    1 - n * sum of w_ij * o_ij / sum of w_ij * r_i * c_j

so that a near miss costs less than a far one. Agreement has a Wilson interval. Everything else is a
rational of counts, and gates compare it exactly.

Memory: ids must differ, so the bytes of each and 12 more are held, and 16 more while they are compared.

What it does not show: who is right, since two raters can share a mistake; why they differ. Kappa depends
on how often each label is used: with one dominant label it can be low while nearly all items agree, and
on few items it is unstable. Kappas of different data are hard to compare.

Sources: Cohen (1960), Educ. Psychol. Meas. 20, 37-46, for kappa; Cohen (1968), Psychol. Bull. 70, 213-220,
for weights; Feinstein & Cicchetti (1990), J. Clin. Epidemiol. 43, on its paradoxes; Wilson (1927).
"""

from itertools import compress
from operator import ne
from typing import Annotated

from msgspec import Meta, Struct

from ..audit import Audit
from ..fields import Id, Label, Level, Levels, MaxDetails, MaxRows, show
from ..measure import COUNT, RECORDS, SHARE, Measure, Number, Rows, Table, end
from ..metrics.intervals import wilson
from ..metrics.labels import cohen_kappa, label_counts, largest_first, weighted_kappa
from ..sources.batch import Batch
from ..tallies import Crosstab, Extremes

ONE_LABEL = "both raters use one and the same label, so agreement by chance is certain"
NO_LEVELS = "no --levels were given, or both raters use one and the same level"


class Options(Struct, frozen=True):
    """What a caller may set."""

    levels: Levels = None
    confidence: Level = 0.95
    max_details: MaxDetails = 20
    max_rows: MaxRows = 1000


class Record(Struct, frozen=True):
    """One item that both raters labelled."""

    id: Annotated[Id, Meta(description="Names the item; unique.")]
    reference: Annotated[Label, Meta(description="The label of the reference rater.")]
    rater: Annotated[Label, Meta(description="The label of the rater in question.")]


class LabelRow(Struct, frozen=True):
    """How both raters use one label."""

    label: str
    reference: int
    rater: int
    both: int


class Cell(Struct, frozen=True):
    """One pair of labels that an item got."""

    reference: str
    rater: str
    records: int


class Detail(Struct, frozen=True):
    """An item on which the raters differ."""

    id: str


def _kappa(about: str, undefined: str) -> Measure:
    return Measure(about, better="higher", within=(-1, 1), counted=True, undefined=undefined)


class Result(Struct, frozen=True):
    """What is reported."""

    records: Annotated[int, RECORDS]
    labels: Annotated[int, Measure("Different labels that either rater uses.")]
    agreement: Annotated[
        Number, Measure("Share of items with one label.", better="higher", within=SHARE, counted=True)
    ]
    agreement_low: Annotated[Number, end("low", "agreement")]
    agreement_high: Annotated[Number, end("high", "agreement")]
    expected_agreement: Annotated[Number, Measure("Agreement that chance would give.", within=SHARE)]
    kappa: Annotated[Number, _kappa("Cohen's kappa.", ONE_LABEL)]
    kappa_linear: Annotated[Number, _kappa("Kappa with linear weights.", NO_LEVELS)]
    kappa_quadratic: Annotated[Number, _kappa("Kappa with quadratic weights.", NO_LEVELS)]
    disagreements: Annotated[
        int, Measure("Items with two labels.", better="lower", within=COUNT, counted=True)
    ]
    per_label: Annotated[
        list[LabelRow],
        Table(
            "How often each rater uses a label, and how often both do on one item.",
            order="reference, then rater, both descending, then label",
            limit="max_rows",
        ),
    ]
    confusion: Annotated[
        list[Cell],
        Table(
            "Pairs of labels that occur: row reference, column rater.",
            order="records descending, then reference, then rater",
            limit="max_rows",
        ),
    ]
    disagreement_pairs: Annotated[
        list[Cell],
        Table(
            "Pairs of two different labels.",
            order="records descending, then reference, then rater",
            limit="max_rows",
        ),
    ]
    details: Annotated[list[Detail], Table("Items with two labels.", order="id", limit="max_details")]


class Agreement(Audit[Options, Result]):
    """See the module."""

    name, revision = "agreement", 1
    inputs = {"records": Record}
    unique = "id"

    def start(self) -> None:
        """Make the table of pairs, and the list of disagreeing ids."""
        self.pairs = Crosstab()
        self.disagreeing = Extremes(self.options.max_details)

    def update(self, batch: Batch) -> None:
        """Count pairs, and note the ids of those that differ."""
        if self.options.levels is not None:
            self._check_levels(batch, set(self.options.levels))
        self.pairs.add(batch.reference, batch.rater)
        self.disagreeing.add(zip(compress(batch.id, map(ne, batch.reference, batch.rater))))

    def _check_levels(self, batch: Batch, levels: set[str]) -> None:
        for field in ("reference", "rater"):
            column: list[str] = getattr(batch, field)
            if not levels.issuperset(column):
                row = next(i for i, label in enumerate(column) if label not in levels)
                raise batch.fault(row, field, f"{show(column[row])} is none of the --levels")

    def finish(self) -> Result:
        """Make all measures from the pairs."""
        pairs = {(str(one), str(other)): n for (one, other), n in self.pairs}
        counts = label_counts(pairs.items())
        chance = cohen_kappa(counts)
        records, agreeing = self.pairs.total, sum(c.true for c in counts)
        low, high = wilson(agreeing, records, self.options.confidence)
        cells = sorted((Cell(*pair, n) for pair, n in pairs.items()), key=_by_size)
        levels = self.options.levels
        return Result(
            records=records,
            labels=len(counts),
            agreement=chance.observed,
            agreement_low=low,
            agreement_high=high,
            expected_agreement=chance.expected,
            kappa=chance.kappa,
            kappa_linear=weighted_kappa(pairs, levels, 1) if levels else None,
            kappa_quadratic=weighted_kappa(pairs, levels, 2) if levels else None,
            disagreements=records - agreeing,
            per_label=[LabelRow(c.label, c.expected, c.predicted, c.true) for c in largest_first(counts)],
            confusion=cells,
            disagreement_pairs=[cell for cell in cells if cell.reference != cell.rater],
            details=Rows((Detail(str(id_)) for (id_,) in self.disagreeing.kept), self.disagreeing.omitted),
        )


def _by_size(cell: Cell) -> tuple[int, str, str]:
    return (-cell.records, cell.reference, cell.rater)
