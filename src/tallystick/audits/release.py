"""Which candidate may ship?

Each record is what one candidate (`model`) suggests for one case: the pseudonymous key of the subject whose
case it is, the case's split, its true label, and the suggested label with a confidence c in [0, 1], or null
where the candidate suggests nothing.

1. Splits hold subjects apart. The first byte b of the subject key gives the split: train where b < 205,
   validation where b < 230, else test (`--split-rule A,B` moves both ends; `--split-rule declared` takes
   the file's word, and the report warns of it). Refused, with the first of each kind and how many more:
   malformed records (a kind for each field and what is expected of it; JSON that cannot be read is of the
   kind of the field that it breaks off in), labels of two types, a subject in two splits over all candidates
   and files, a split that is not the derived one, a candidate without validation or test records. Candidates
   whose test records differ, as multisets of (subject, truth), are warned of, or refused with
   `--same-records`; multisets are compared by sums of 128-bit digests.
2. The threshold is chosen on validation records alone: among the candidate's distinct confidences there,
   each accepting what has that confidence or more, the one with the highest precision of those whose
   coverage is at least `--min-coverage`; equal precision goes to the wider coverage. Fractions are compared
   exactly. Where none covers enough there is no threshold, and the candidate fails.
3. That threshold is applied to the candidate's test records. An accepted suggestion is one with
   ``c >= threshold``; everything else is an abstention, `no_suggestion` or `low_confidence`.

       coverage = accepted / test records      precision_at_coverage = right / accepted

   For each class, over accepted suggestions, with TP right ones, `support` of the true label and `predicted`
   as the label: ``precision = TP / predicted``, ``recall = TP / support``, ``f1 = 2 TP / (support +
   predicted)``, 0 where the denominator is. macro_f1 is the mean F1 of the classes that have support; the
   other classes, of the candidate's test records or of accepted suggestions, are named in excluded_classes.
   ece is over accepted suggestions in 10 equal-width bins (see `calibration`). Train records are checked
   and counted, never scored.
4. Gates judge each candidate, by default ``macro_f1 >= 0.80``, ``precision_at_coverage >= 0.90``, ``ece <=
   0.05``. The verdict is GO when one candidate passes all of its gates; recommended is that with the highest
   macro_f1, then precision_at_coverage, then the first by name. Else it is BLOCKED, with exit code 3.

Memory: 21 bytes for each subject, up to six times that while they are joined, and 16 bytes for each
distinct confidence of a candidate with a truth and a suggestion (on validation, with being right or wrong).

What it does not show: that subjects are different people, or that their cases are like those to come: keys
are believed. Whether abstaining so often is acceptable, beyond the floor. How the classes do of which every
case was abstained from: they are named, and in no mean. A test set that has decided one release has been
seen: choosing again on it flatters the next. A handful of test records can pass or fail by luck; read the
intervals.

Sources: Geifman & El-Yaniv (2017), NeurIPS 30, for abstaining below a threshold on confidence; Naeini, Cooper
& Hauskrecht (2015), AAAI, for ECE; Sokolova & Lapalme (2009), Inf. Process. Manag. 45, for the measures by
class; Wilson (1927) for the intervals.
"""

from collections import defaultdict
from collections.abc import Iterator
from decimal import Decimal
from fractions import Fraction
from typing import Annotated, Any

import numpy as np
from msgspec import Meta, Struct
from numpy.typing import NDArray

from ..audit import Audit
from ..fields import Id, Level, MaxRows, lines
from ..measure import RECORDS, Table
from ..metrics.thresholds import Validation, choose
from ..parts.candidates import Candidate, Cell, ClassRow, HeldOut, Records, ReliabilityRow, score
from ..parts.suggestions import SPLITS, LabelValue, Record, ends, label_type, record
from ..sources.batch import Batch, Refused
from ..tallies import Crosstab, Fingerprints, Firsts, KeyedValues, Sightings, Values

RIGHT, WRONG = "right", "wrong"
NUMBERS, STRINGS = "whole numbers", "strings"


class Options(Struct, frozen=True):
    """What a caller may set."""

    label_field: Annotated[
        Id, Meta(description="The key that holds the label, in `truth` and in `prediction`.")
    ] = "label"
    labels: Annotated[
        Id | None, Meta(description="All labels there are: 1..7, or a,b,c; whole numbers or strings.")
    ] = None
    split_rule: Annotated[
        Id,
        Meta(description="A,B: first bytes of keys below A train, below B validate; or: declared."),
    ] = "205,230"
    min_coverage: Annotated[
        Decimal, Meta(description="Least coverage of the validation records, above 0 and up to 1.")
    ] = Decimal("0.5")
    same_records: Annotated[
        bool, Meta(description="Refuse candidates whose test records differ, rather than warn.")
    ] = False
    confidence: Level = 0.95
    max_rows: MaxRows = 1000

    def __post_init__(self) -> None:
        """Refuse what cannot be honoured."""
        if self.label_field == "confidence":
            raise ValueError("label_field: confidence is another field of a prediction")
        if not (self.min_coverage.is_finite() and 0 < self.min_coverage <= 1):
            raise ValueError(f"min_coverage: expected a number above 0 and up to 1, got {self.min_coverage}")
        label_type(self.labels)
        ends(self.split_rule)


class Result(Struct, frozen=True):
    """What is reported."""

    records: Annotated[int, RECORDS]
    candidates: Annotated[
        list[Candidate],
        Table(
            "Each candidate, tested with its threshold.",
            order="macro_f1, then precision_at_coverage, both descending, undefined last, then model",
            competes=True,
        ),
    ]
    per_class: Annotated[
        list[ClassRow],
        Table(
            "Each class of each candidate, over accepted test suggestions.",
            order="candidate, then support, then predicted, both descending, then label",
            limit="max_rows",
        ),
    ]
    confusion: Annotated[
        list[Cell],
        Table(
            'Cells "truth->predicted" that are not 0, over accepted test suggestions.',
            order="candidate, then records descending, then cell",
            limit="max_rows",
        ),
    ]
    reliability: Annotated[
        list[ReliabilityRow],
        Table(
            "Bins of confidence that are not empty, over accepted test suggestions.",
            order="candidate, then index",
            limit="max_rows",
        ),
    ]


class Release(Audit[Options, Result]):
    """See the module."""

    name, revision = "release", 1
    inputs = {"predictions": Record}
    sliceable = False
    gathers = True
    default_gates = ("macro_f1 >= 0.80", "precision_at_coverage >= 0.90", "ece <= 0.05")

    @classmethod
    def records(cls, options: Options) -> dict[str, type[Struct]]:
        """Give the record type in which the label has the key and the type that the options say."""
        return {"predictions": record(options.label_field, options.labels)}

    def start(self) -> None:
        """Make the tallies; what chooses thresholds and what tests them are kept apart."""
        self.malformed, self.types, self.moved = Firsts(), Firsts(), Firsts()
        self.subjects = Sightings()
        self.splits = Crosstab()
        self.validation = KeyedValues()
        self.test = KeyedValues()
        self.unanswered = Crosstab()
        self.tested = Fingerprints()

    def update(self, batch: Batch) -> None:
        """Count suggestions, and note what is refused."""
        for one in batch.refused:
            self.malformed.add(_kind(one), one.place, one.what)
        if not len(batch):
            return
        splits = np.array([SPLITS.index(split) for split in batch.split])
        self._note_types(batch)
        self._note_subjects(batch, splits)
        self.splits.add(batch.model, batch.split)
        truth = [str(one.label) for one in batch.truth]
        self._count_validation(batch, truth, np.flatnonzero(splits == 1))
        self._count_test(batch, truth, np.flatnonzero(splits == 2))

    def _note_types(self, batch: Batch) -> None:
        """Note the first label of each type."""
        missing = {NUMBERS: int, STRINGS: str}
        for row, (truth, prediction) in enumerate(zip(batch.truth, batch.prediction, strict=True)):
            for label in (truth.label, *((prediction.label,) if prediction else ())):
                kind = NUMBERS if isinstance(label, int) else STRINGS
                if missing.pop(kind, None):
                    self.types.add(kind, batch.where(row), repr(label))
            if not missing:
                return

    def _note_subjects(self, batch: Batch, splits: NDArray[np.intp]) -> None:
        """See each subject in its split, and note splits that are not the derived ones."""
        keys = np.frombuffer(bytes.fromhex("".join(batch.subjectKey)), ">u8").astype(np.uint64)
        self.subjects.add(keys, splits, batch.where)
        if rule := ends(self.options.split_rule):
            derived = np.searchsorted(np.array(rule), keys >> np.uint64(56), side="right")
            for row in np.flatnonzero(derived != splits).tolist():
                spelled = batch.spelled("split")
                key, split = batch.subjectKey[row], SPLITS[derived[row]]
                what = f"{spelled}: {batch.split[row]}, but subject {key} belongs to {split}"
                self.moved.add("split", batch.where(row), what)

    def _count_validation(self, batch: Batch, truth: list[str], rows: NDArray[np.intp]) -> None:
        """Count the confidences of right and of wrong suggestions."""
        known = [(row, one) for row in rows.tolist() if (one := batch.prediction[row])]
        models = [batch.model[row] for row, _ in known]
        right = [RIGHT if truth[row] == str(one.label) else WRONG for row, one in known]
        self.validation.add([models, right], np.array([one.confidence for _, one in known]))

    def _count_test(self, batch: Batch, truth: list[str], rows: NDArray[np.intp]) -> None:
        """Count the confidences of suggestions by true and suggested label."""
        listed = rows.tolist()
        known = [(row, one) for row in listed if (one := batch.prediction[row])]
        columns = [
            [batch.model[row] for row, _ in known],
            [truth[row] for row, _ in known],
            [str(one.label) for _, one in known],
        ]
        self.test.add(columns, np.array([one.confidence for _, one in known]))
        silent = [row for row in listed if batch.prediction[row] is None]
        self.unanswered.add([batch.model[row] for row in silent], [truth[row] for row in silent])
        cases = [f"{batch.subjectKey[row]} {truth[row]}" for row in listed]
        self.tested.add([batch.model[row] for row in listed], cases)

    def lacking(self) -> str | None:
        """Say why nothing may be scored: the first of each kind, and how many more there are."""
        said = [*self._malformed(), *self._mixed(), *self._leaks(), *self._moved()] or [*self._incomplete()]
        return lines(["refused, nothing was scored", *said], indent="  ") if said else None

    def _malformed(self) -> Iterator[str]:
        for first in sorted(self.malformed, key=lambda first: first.order):
            yield f"{first.place}: {first.what}{_more(first.total - 1)}"

    def _mixed(self) -> Iterator[str]:
        if len(self.types) > 1:
            strings, numbers = self.types
            what = f"{numbers.what} at {numbers.place} is a whole number"
            yield f"{strings.place}: the label {strings.what} is a string, but {what}"

    def _leaks(self) -> Iterator[str]:
        if leaks := self.subjects.shared():
            one, other = leaks[0][:2]
            first, second = SPLITS[one.group], SPLITS[other.group]
            what = f"subject {one.key:016x} is in {second}, and in {first} at {one.place}"
            yield f"{other.place}: {what}{_more(len(leaks) - 1)}"

    def _moved(self) -> Iterator[str]:
        for first in self.moved:
            yield f"{first.place}: {first.what}{_more(first.total - 1)}"

    def _incomplete(self) -> Iterator[str]:
        for split in SPLITS[1:]:
            bare = [model for model in self._models() if not self.splits[model, split]]
            if bare:
                yield f"candidate {bare[0]!r} has no {split} records{_more(len(bare) - 1)}"
        if self.options.same_records and (what := self._unlike()):
            yield what

    def _unlike(self) -> str | None:
        """Say which candidates have other test records than the first; None where none has."""
        prints = dict(self.tested)
        first = next(iter(prints))
        others = [model for model, one in prints.items() if one != prints[first]]
        if not others:
            return None
        what = f"{others[0]!r} was not tested on the records (subjects and truths) of {first!r}"
        return f"{what}{_more(len(others) - 1)}"

    def warnings(self, result: Result) -> list[str]:
        """Say what the verdict leans on."""
        said = []
        if ends(self.options.split_rule) is None:
            said.append("splits are as declared: nothing shows that they follow from the subject keys")
        if what := self._unlike():
            said.append(f"{what}: their measures do not compare")
        for row in result.candidates:
            if row.coverage is not None and row.coverage < self._floor:
                what = (
                    f"test coverage {float(row.coverage):.6g} is under the floor {self.options.min_coverage}"
                )
                said.append(f"{row.model}: {what}")
        return said

    @property
    def _floor(self) -> Fraction:
        return Fraction(self.options.min_coverage)

    def _models(self) -> list[str]:
        return list(self.splits.margin(0))

    def finish(self) -> Result:
        """Choose each candidate's threshold on validation, and test it."""
        labels = self._labels()
        suggestions: defaultdict[str, list[tuple[str, str, Values]]] = defaultdict(list)
        for (model, truth, suggested), values in self.test:
            suggestions[model].append((truth, suggested, values))
        silent: defaultdict[str, dict[str, int]] = defaultdict(dict)
        for (key, label), count in self.unanswered:
            silent[str(key)][str(label)] = count
        scored = []
        for model in self._models():
            choice = choose(self._validation(model), self._floor)
            records = Records(*(self.splits[model, split] for split in SPLITS))
            test = HeldOut(suggestions[model], silent[model])
            scored.append(score(model, records, choice, test, self.options.confidence, labels))
        scored.sort(key=lambda one: _preference(one.candidate))
        return Result(
            records=self.splits.total,
            candidates=[one.candidate for one in scored],
            per_class=[row for one in scored for row in one.classes],
            confusion=[row for one in scored for row in one.cells],
            reliability=[row for one in scored for row in one.bins],
        )

    def _validation(self, model: str) -> Validation:
        """Give a candidate's validation records, which are all that `choose` may see."""
        right, wrong = self.validation[model, RIGHT], self.validation[model, WRONG]
        confidence = np.union1d(right.values, wrong.values)
        counts = np.zeros((2, len(confidence)), np.int64)
        for row, values in zip(counts, (right, wrong), strict=True):
            row[np.searchsorted(confidence, values.values)] = values.counts[:, 0]
        return Validation(confidence, counts[0], counts[1], self.splits[model, "validation"])

    def _labels(self) -> dict[str, LabelValue]:
        """Give every label of the test records as it is reported, in order."""
        met = {label for (_, *labels), _ in self.test for label in labels} | {*self.unanswered.margin(1)}
        if any(first.kind == STRINGS for first in self.types):
            return {label: label for label in sorted(met)}
        return {str(number): number for number in sorted(map(int, met))}


def _preference(row: Candidate) -> tuple[Any, ...]:
    """Order candidates as they are recommended."""
    if row.macro_f1 is None or row.precision_at_coverage is None:
        return (1, row.model)
    return (0, -row.macro_f1, -row.precision_at_coverage, row.model)


def _kind(refused: Refused) -> str:
    """Name a kind of malformed record: the field, and what was expected of it where that is what is wrong."""
    return refused.what.partition(", got ")[0] if "expected" in refused.what else refused.field


def _more(count: int) -> str:
    return f"; {count} more like it" if count else ""
