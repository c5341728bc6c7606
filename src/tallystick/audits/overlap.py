"""Is the same text in two data sets?

Two inputs, `reference` and `candidate`, each of records with an `id`, unique within its input, and a `text`.
Two texts are a raw match where they are equal as they stand, code point by code point. They are a normalized
match where they are not, but are equal after Unicode normalisation NFKC, full case folding, NFKC once more,
and collapsing runs of white space (with none left at the ends). A pair is one record of each input:

    raw_exact_matches         = pairs whose texts are a raw match
    normalized_matches        = pairs whose texts are a normalized match, so that no pair is counted twice
    matched_candidate_records = candidate records that are in a pair of either kind
    overlap_rate              = matched_candidate_records / candidate records

and `matched_reference_records` likewise. With a text m times in one input and n times in the other there are
m * n pairs; they are counted by such products and never gone through. The rate has a Wilson interval. All
counts are exact, but for the digests: texts are compared by BLAKE2b digests, 128 bits of the normalised text
and 64 of the text as it stands. That two of ten million different texts share the 128 bits by chance has a
probability of 1e-25.

White space is what Unicode says it is, no-break and ideographic spaces and line separators included. A text
of nothing else is blank, and refused. Characters that are merely invisible (zero width space, soft hyphen,
direction marks) are not white space: they make texts differ, and a text of them alone is not blank. No locale
has a say: folding knows nothing of the Turkish i.

Memory: 37 bytes and the bytes of one id for each distinct text of an input, up to three times that while
they are sorted; for repeated texts as many ids as `--max-details`; and, since ids must differ, the bytes of
each and 12 more, and 16 more while they are compared. No text is held.

What it does not show: paraphrases, translations, excerpts, other tokenization, near copies of any kind; what
was in the training data of a model, unless that is the reference; whether a shared text matters. That NFKC
folds compatibility characters also joins texts that mean different things ("mc²" and "mc2"). An overlap of 0
is no proof that data sets are independent.

Sources: Unicode Standard Annex 15 for NFKC; the Unicode Standard, section 3.13, for case folding; RFC 7693
for BLAKE2; Wilson (1927), J. Am. Stat. Assoc. 22, for the interval.
"""

from collections.abc import Iterator
from heapq import nsmallest
from itertools import islice
from typing import Annotated

import numpy as np
from msgspec import Meta, Struct
from numpy.typing import NDArray

from ..audit import Audit
from ..fields import Id, Level, MaxDetails, Text, show
from ..measure import COUNT, RECORDS, SHARE, Measure, Number, Rows, Table, end
from ..metrics.copies import matches
from ..metrics.digests import digests, folded
from ..metrics.exact import ratio
from ..metrics.intervals import wilson
from ..sources.batch import Batch
from ..tallies import Copies, Counts

REFERENCE, CANDIDATE = 0, 1


class Options(Struct, frozen=True):
    """What a caller may set."""

    confidence: Level = 0.95
    max_details: MaxDetails = 100


class Record(Struct, frozen=True):
    """One text."""

    id: Annotated[Id, Meta(description="Names the record; unique within its input.")]
    text: Annotated[Text, Meta(description="The text, which may not be blank.")]


class Detail(Struct, frozen=True):
    """Two records with the same text."""

    candidate_id: str
    reference_id: str
    kind: str


def _side(name: str) -> Measure:
    return Measure(f"Records of the {name}.", better="higher", within=COUNT, counted=True, sample=True)


def _matched(name: str) -> Measure:
    about = f"Records of the {name} whose text is in the other input."
    return Measure(about, better="lower", within=COUNT, counted=True)


class Result(Struct, frozen=True):
    """What is reported."""

    records: Annotated[int, RECORDS]
    reference_records: Annotated[int, _side("reference")]
    candidate_records: Annotated[int, _side("candidate")]
    raw_exact_matches: Annotated[int, Measure("Pairs of equal texts.", within=COUNT, counted=True)]
    normalized_matches: Annotated[
        int, Measure("Pairs of texts that are equal after normalisation only.", within=COUNT, counted=True)
    ]
    matched_reference_records: Annotated[int, _matched("reference")]
    matched_candidate_records: Annotated[int, _matched("candidate")]
    overlap_rate: Annotated[
        Number,
        Measure(
            "Share of candidate records whose text is in the reference.",
            better="lower",
            within=SHARE,
            counted=True,
        ),
    ]
    overlap_rate_low: Annotated[Number, end("low", "overlap_rate", better="lower")]
    overlap_rate_high: Annotated[Number, end("high", "overlap_rate", better="lower")]
    details: Annotated[
        list[Detail],
        Table(
            "Pairs, of kind `raw` or `normalized`.",
            order="candidate_id, then reference_id",
            limit="max_details",
        ),
    ]


class Overlap(Audit[Options, Result]):
    """See the module."""

    name, revision = "overlap", 1
    inputs = {"reference": Record, "candidate": Record}
    unique = "id"
    sliceable = False

    def start(self) -> None:
        """Make the tallies."""
        self.sizes = Counts(2)
        self.copies = Copies(self.options.max_details)

    def update(self, batch: Batch) -> None:
        """Add the texts of one input by their digests."""
        side = REFERENCE if batch.source == "reference" else CANDIDATE
        forms = list(map(folded, batch.text))
        if "" in forms:
            row = forms.index("")
            raise batch.fault(row, "text", f"{show(batch.text[row])} is blank")
        self.sizes.add_total(len(batch), side)
        self.copies.add(side, digests(batch.text, forms), batch.id)

    def finish(self) -> Result:
        """Make all measures from the copies."""
        rows = self.copies.rows
        raw, _ = matches(self.copies.variants, rows["side"], rows["count"])
        every, shared = matches(self.copies.texts, rows["side"], rows["count"])
        reference, candidate = self.sizes
        low, high = wilson(every.candidate, candidate, self.options.confidence)
        kept = list(islice(self._pairs(shared), self.options.max_details))
        return Result(
            records=reference + candidate,
            reference_records=reference,
            candidate_records=candidate,
            raw_exact_matches=raw.pairs,
            normalized_matches=every.pairs - raw.pairs,
            matched_reference_records=every.reference,
            matched_candidate_records=every.candidate,
            overlap_rate=ratio(every.candidate, candidate),
            overlap_rate_low=low,
            overlap_rate_high=high,
            details=Rows(kept, every.pairs - len(kept)),
        )

    def _pairs(self, shared: NDArray[np.bool_]) -> Iterator[Detail]:
        """Give the first pairs, by candidate and then by reference; `shared` says which rows are in pairs."""
        texts, variants = self.copies.texts, self.copies.variants
        side = self.copies.rows["side"]
        places = np.flatnonzero(shared & (side == CANDIDATE))
        candidates = zip(self.copies.ids(places), places.tolist(), strict=True)
        for candidate, place in nsmallest(self.options.max_details, candidates):
            begin, stop = np.searchsorted(texts, [texts[place], texts[place] + 1])
            copies = begin + np.flatnonzero(side[begin:stop] == REFERENCE)
            for reference, copy in sorted(zip(self.copies.ids(copies), copies.tolist(), strict=True)):
                kind = "raw" if variants[copy] == variants[place] else "normalized"
                yield Detail(candidate, reference, kind)
