"""Does the judge prefer what it sees first?

Each record is one presentation of a pair of candidates to a judge: `pair_id` names the pair, `first` and
`second` are the two candidates in the order in which they were shown, and `winner` is the place that won,
or `tie`. A pair is complete with exactly two presentations of the same two candidates, one the reverse of
the other; with one presentation it is incomplete, counted and left out of the rates. More presentations,
other candidates, the same order twice, and a candidate shown beside itself are errors.

A complete pair is, by its two winners,

    first, second   a stable preference: the same candidate wins in both orders
    tie, tie        a stable tie
    first, first    a first-position flip: whichever candidate is shown first wins
    second, second  a second-position flip
    tie, otherwise  a tie instability: a winner in one order, a tie in the other

and with C complete pairs

    robust_preference_rate = stable preferences / C      stable_tie_rate      = stable ties / C
    position_flip_rate     = flips of both kinds / C     tie_instability_rate = tie instabilities / C

These four sum to 1. They have Wilson intervals; they are themselves rationals of counts, and gates compare
them exactly. `records` counts presentations.

Undefined: the rates, where no pair is complete.

Memory: all records are held to bring the presentations of a pair together, about 400 bytes each; files of
256 MB or more are dealt out by pair into files that go with the run, and one part at a time is held.

What it does not show: which answer is right, or whether judge and rubric are any good: a judge can prefer
the wrong candidate in both orders. Only these presentations are looked at, not other traits of a prompt
to which a judge may give way, such as length or style. A judge who answers at random flips too, so
flips to both sides alike are noise rather than bias: compare the two counts. Pairs of like prompts depend on
each other, and limits that were chosen on these pairs flatter them.

Sources: Wang et al. (2024), ACL, arXiv:2305.17926, and Zheng et al. (2023), arXiv:2306.05685, on judging in
both orders; Wilson (1927) for the intervals.
"""

from typing import Annotated, Literal

import numpy as np
from msgspec import Meta, Struct
from numpy.typing import NDArray

from ..audit import Audit
from ..fields import Id, Level, MaxDetails, show
from ..measure import COUNT, RECORDS, SHARE, Measure, Number, Rows, Table, end
from ..metrics.exact import ratio
from ..metrics.intervals import wilson
from ..sources.batch import Batch
from ..tallies import Counts, Extremes
from ..tallies.numbering import numbered

NO_PAIR = "no pair is complete"

CLASSES = (
    "first_position_flip",
    "second_position_flip",
    "tie_instability",
    "incomplete",
    "stable_tie",
    "stable_preference",
)
"""What a pair can be, in the order of the details."""

CLASS_OF = {
    ("first", "first"): "first_position_flip",
    ("first", "second"): "stable_preference",
    ("first", "tie"): "tie_instability",
    ("second", "first"): "stable_preference",
    ("second", "second"): "second_position_flip",
    ("second", "tie"): "tie_instability",
    ("tie", "first"): "tie_instability",
    ("tie", "second"): "tie_instability",
    ("tie", "tie"): "stable_tie",
}
"""The class of a complete pair by its two winners."""

WINNERS = ("first", "second", "tie")
"""The winners, in the order in which their numbers stand for them."""

_CLASS_OF = np.array([[CLASSES.index(CLASS_OF[one, other]) for other in WINNERS] for one in WINNERS])


class Options(Struct, frozen=True):
    """What a caller may set."""

    confidence: Level = 0.95
    max_details: MaxDetails = 20


class Record(Struct, frozen=True):
    """One presentation of a pair."""

    pair_id: Annotated[Id, Meta(description="Names the pair; at most two presentations share it.")]
    first: Annotated[Id, Meta(description="The candidate shown first.")]
    second: Annotated[Id, Meta(description="The candidate shown second, another one.")]
    winner: Annotated[
        Literal["first", "second", "tie"], Meta(description="The place that the judge preferred.")
    ]


class Detail(Struct, frozen=True):
    """What one pair is."""

    pair_id: str
    classification: str


def _count(about: str) -> Measure:
    return Measure(about, within=COUNT)


def _rate(about: str, better: Literal["higher", "lower"] | None) -> Measure:
    return Measure(
        f"Share of complete pairs {about}.", better=better, within=SHARE, counted=True, undefined=NO_PAIR
    )


class Result(Struct, frozen=True):
    """What is reported."""

    records: Annotated[int, RECORDS]
    complete_pairs: Annotated[
        int,
        Measure("Pairs shown in both orders.", better="higher", within=COUNT, counted=True, sample=True),
    ]
    incomplete_pairs: Annotated[
        int, Measure("Pairs shown in one order only.", better="lower", within=COUNT, counted=True)
    ]
    stable_preferences: Annotated[int, _count("Pairs of which one candidate wins in both orders.")]
    stable_ties: Annotated[int, _count("Pairs that are a tie in both orders.")]
    first_position_flips: Annotated[int, _count("Pairs of which the first one shown always wins.")]
    second_position_flips: Annotated[int, _count("Pairs of which the second one shown always wins.")]
    tie_instabilities: Annotated[int, _count("Pairs that are a tie in just one order.")]
    robust_preference_rate: Annotated[Number, _rate("whose winner does not depend on the order", "higher")]
    robust_preference_rate_low: Annotated[Number, end("low", "robust_preference_rate", undefined=NO_PAIR)]
    robust_preference_rate_high: Annotated[Number, end("high", "robust_preference_rate", undefined=NO_PAIR)]
    stable_tie_rate: Annotated[Number, _rate("that are a tie in both orders", None)]
    stable_tie_rate_low: Annotated[Number, end("low", "stable_tie_rate", better=None, undefined=NO_PAIR)]
    stable_tie_rate_high: Annotated[Number, end("high", "stable_tie_rate", better=None, undefined=NO_PAIR)]
    position_flip_rate: Annotated[Number, _rate("of which the same place wins in both orders", "lower")]
    position_flip_rate_low: Annotated[
        Number, end("low", "position_flip_rate", better="lower", undefined=NO_PAIR)
    ]
    position_flip_rate_high: Annotated[
        Number, end("high", "position_flip_rate", better="lower", undefined=NO_PAIR)
    ]
    tie_instability_rate: Annotated[Number, _rate("that are a tie in just one order", "lower")]
    tie_instability_rate_low: Annotated[
        Number, end("low", "tie_instability_rate", better="lower", undefined=NO_PAIR)
    ]
    tie_instability_rate_high: Annotated[
        Number, end("high", "tie_instability_rate", better="lower", undefined=NO_PAIR)
    ]
    details: Annotated[
        list[Detail],
        Table(
            "Pairs and their class.",
            order=f"class ({', '.join(CLASSES)}), then pair_id",
            limit="max_details",
        ),
    ]


class PositionBias(Audit[Options, Result]):
    """See the module."""

    name, revision = "position-bias", 1
    inputs = {"records": Record}
    group_by = "pair_id"

    def start(self) -> None:
        """Make the counts of classes, and the list of pairs."""
        self.classes = Counts(len(CLASSES))
        self.pairs = Extremes(self.options.max_details)

    def update(self, batch: Batch) -> None:
        """Classify whole pairs."""
        starts = batch.starts("pair_id")
        size = np.diff(starts, append=len(batch))
        pair = starts[size == 2]
        _check(batch, starts[size > 2], pair)
        winners = numbered(batch.winner)
        winner = np.array([WINNERS.index(word) for word in winners.words])[winners.codes]
        classes = np.full(len(starts), CLASSES.index("incomplete"))
        classes[size == 2] = _CLASS_OF[winner[pair], winner[pair + 1]]
        self.classes.add(classes)
        listed, ids, first = classes.tolist(), batch.pair_id, starts.tolist()
        self.pairs.add_by(classes, lambda n: (listed[n], ids[first[n]]))

    def finish(self) -> Result:
        """Make all measures from the classes."""
        counts = dict(zip(CLASSES, self.classes, strict=True))
        complete = sum(counts.values()) - counts["incomplete"]
        stable, ties = counts["stable_preference"], counts["stable_tie"]
        flips = counts["first_position_flip"] + counts["second_position_flip"]
        unstable = counts["tie_instability"]
        stable_ends, ties_ends, flips_ends, unstable_ends = (
            wilson(n, complete, self.options.confidence) for n in (stable, ties, flips, unstable)
        )
        return Result(
            records=2 * complete + counts["incomplete"],
            complete_pairs=complete,
            incomplete_pairs=counts["incomplete"],
            stable_preferences=stable,
            stable_ties=ties,
            first_position_flips=counts["first_position_flip"],
            second_position_flips=counts["second_position_flip"],
            tie_instabilities=unstable,
            robust_preference_rate=ratio(stable, complete),
            robust_preference_rate_low=stable_ends[0],
            robust_preference_rate_high=stable_ends[1],
            stable_tie_rate=ratio(ties, complete),
            stable_tie_rate_low=ties_ends[0],
            stable_tie_rate_high=ties_ends[1],
            position_flip_rate=ratio(flips, complete),
            position_flip_rate_low=flips_ends[0],
            position_flip_rate_high=flips_ends[1],
            tie_instability_rate=ratio(unstable, complete),
            tie_instability_rate_low=unstable_ends[0],
            tie_instability_rate_high=unstable_ends[1],
            details=Rows(
                (Detail(str(pair), CLASSES[int(rank)]) for rank, pair in self.pairs.kept), self.pairs.omitted
            ),
        )


def _check(batch: Batch, more: NDArray[np.intp], pair: NDArray[np.intp]) -> None:
    """Refuse presentations that make no pair, given where three or more of a pair begin, and where two do."""
    first, second = (np.array(list(column), dtype=object) for column in (batch.first, batch.second))
    for row in np.flatnonzero(first == second)[:1].tolist():
        raise batch.fault(row, "second", f"{show(second[row])} is shown beside itself")
    for row in more[:1].tolist():
        raise batch.fault(row + 2, "pair_id", f"{show(batch.pair_id[row])} occurs more than twice")
    turned = (first[pair] == second[pair + 1]) & (second[pair] == first[pair + 1])
    for row in (pair[~turned] + 1)[:1].tolist():
        what = f"{show(first[row])} before {show(second[row])} does not reverse the other"
        name = show(batch.pair_id[row])
        raise batch.fault(row, "first", f"{what} presentation of pair {name}")
