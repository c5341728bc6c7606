"""How good are a run's choice, yes/no and ordered answers?

Each record is an item with a unique `id`, perhaps a `category`, and `questions`: an object with the answer to
each question by its id. A flat record with one `question`, its `type` and so on is read as well. An answer is
of one of three kinds, by its `type`:

- `choice`: `gold`, one of the options, and `probabilities` of the options by name. Predicted is the option
  with the largest, the first of equal ones in the record's order; its probability is the confidence.
- `yes_no` (also `noul`, `boolean`): `gold`, true or false, and `p_true`, the probability P of yes. Predicted
  is yes where P >= 0.5; the confidence is max(P, 1 - P).
- `score`: levels 0 .. K-1, two or more: `gold`, a level, and `probabilities` of the levels in order, or by
  number in an object. The expected level is E = sum of k p_k, its products float64 and their sum
  rounded once, and predicted is floor(E + 0.5), at most K-1.

Probabilities of a choice or a score sum to 1, give or take `--sum-tolerance` (1e-3 by default, since traces
are rounded); they are used as they are. `stated_mismatches` counts the stated `predicted`, `confidence` and
`expected` that differ from the derived ones, numbers by more than 1e-3. Over all questions

    accuracy      = questions answered right / questions
    item_accuracy = items with all their questions right / items

and `accuracy` has a percentile bootstrap interval: `--samples` times as many questions are drawn, with
replacement. Of the questions of one kind, n of them, with y = 1 for the right option, for yes, and 0 else

    choice_macro_f1    = mean F1 = 2 TP / (2 TP + FP + FN) of all classes, a class being a question with an
                         option of it that is gold or predicted somewhere
    choice_brier_score = mean of the sum over options of (p - y)^2, 0 to 2
    yes_no_brier_score = mean of (P - y)^2, 0 to 1
    score_within_one   = share with |E - gold| <= 1
    score_mae          = mean of |E - gold|, in levels
    score_rmse         = square root of the mean of (E - gold)^2
    score_rps          = mean of 1 / (K-1) * sum over the levels below the top of (cumulative p - y)^2, y
                         being 1 where gold is that level or lower: 0 is perfect, 1 the worst

`_ece` and `_mce` compare confidence with accuracy in `--bins` equal-width bins, b/B <= c < (b+1)/B, the last
with 1: the mean gap, weighted by questions, and the largest. The threshold curves give for t = 0, 0.01 .. 1
the coverage, which is the share of answers with confidence >= t, and the accuracy of those; `--threshold
choice=0.85` adds a marker with the same two numbers, `acting_coverage["choice=0.85"]` in a gate.

Losses are float64 for each answer and summed exactly. Memory grows with the questions, with the classes of
choices, and by 24 bytes for each distinct confidence; ids take their bytes and 12 more, and 16
more while they are compared.

What it does not show: how a threshold chosen on this curve does on other items; whether the questions of an
item fail together, which the interval, drawn over questions, takes them not to. Kinds are not comparable:
their accuracies have different bases. With few answers in a bin ECE is noise and biased upwards. Exact levels
are a strict measure of ordered answers, so read score_accuracy beside score_mae and score_rps. A trace that
is rounded has ties that the model had not.

Sources: Brier (1950), Mon. Weather Rev. 78; Naeini, Cooper & Hauskrecht (2015), AAAI 29, for ECE and MCE;
Epstein (1969), J. Appl. Meteorol. 8, for the ranked probability score; Opitz & Burst (2019),
arXiv:1911.03347, for macro F1; Efron & Tibshirani (1993) for the bootstrap; Geifman & El-Yaniv (2017),
NeurIPS 30, for answering selectively; Wilson (1927) for the other intervals.
"""

from collections import defaultdict
from fractions import Fraction
from itertools import groupby
from typing import Annotated, Any

import numpy as np
from msgspec import Meta, Struct
from numpy.typing import NDArray

from ..audit import Audit
from ..fields import Bins, Level, MaxRows, Samples, Seed, SumTolerance
from ..measure import COUNT, RECORDS, SHARE, Measure, Number, Table, end
from ..metrics.bootstrap import mean_interval
from ..metrics.exact import mean, ratio, root
from ..metrics.intervals import wilson
from ..metrics.labels import label_counts
from ..metrics.scoring import (
    Places,
    at,
    brier_score_by_name,
    expected_level,
    first_largest,
    nearest_level,
    ranked_probability_score,
)
from ..parts.questionnaire import Asked, Item, Ordered, answers, mismatches
from ..parts.reliability import BinRow, Confident, Point
from ..sources.batch import Batch
from ..tallies import Counts, Crosstab

Bools = NDArray[np.bool_]

CONFIDENT = ("choice", "yes_no")
"""The kinds whose answers have a confidence."""

NO_CHOICE = "there is no choice question"
NO_YES_NO = "there is no yes/no question"
NO_SCORE = "there is no score question"


class Options(Struct, frozen=True):
    """What a caller may set."""

    threshold: Annotated[
        tuple[str, ...],
        Meta(description="Mark a threshold of choice or yes_no, such as choice=0.85; repeatable."),
    ] = ()
    sum_tolerance: SumTolerance = 1e-3
    bins: Bins = 10
    confidence: Level = 0.95
    samples: Samples = 1000
    seed: Seed = 0
    max_rows: MaxRows = 1000

    def __post_init__(self) -> None:
        """Refuse a threshold that is none."""
        for text in self.threshold:
            if _marked(text) is None:
                raise ValueError(f"threshold: {text!r} is not like choice=0.85 or yes_no=0.9, from 0 to 1")


def _marked(text: str) -> tuple[str, float] | None:
    """Read a marker: a kind and a threshold."""
    kind, _, number = text.partition("=")
    try:
        threshold = float(number)
    except ValueError:
        return None
    return (kind, threshold) if kind in CONFIDENT and 0 <= threshold <= 1 else None


def _share(about: str, undefined: str) -> Measure:
    return Measure(about, better="higher", within=SHARE, counted=True, undefined=undefined)


def _loss(about: str, top: float | None, undefined: str) -> Measure:
    return Measure(about, better="lower", within=(0, top), undefined=undefined)


def _count(about: str) -> Measure:
    return Measure(about, within=COUNT, counted=True)


class QuestionRow(Struct, frozen=True):
    """One question."""

    question: str
    kinds: list[str]
    answers: Annotated[int, _count("Answers to the question.")]
    accuracy: Annotated[Number, _share("Share of its answers that are right.", "it has no answers")]
    accuracy_low: Annotated[Number, end("low", "accuracy")]
    accuracy_high: Annotated[Number, end("high", "accuracy")]


class CategoryRow(Struct, frozen=True):
    """One category; with `--slice-by category` all measures are reported and gated by it."""

    category: str
    answers: Annotated[int, _count("Answers in items of the category.")]
    accuracy: Annotated[Number, Measure("Share of these answers that are right.", within=SHARE)]
    accuracy_low: Annotated[Number, end("low", "accuracy", better=None)]
    accuracy_high: Annotated[Number, end("high", "accuracy", better=None)]


class Marker(Struct, frozen=True):
    """What one given threshold keeps."""

    marker: str
    kind: str
    threshold: float
    acting_coverage: Annotated[
        Number, _share("Share of the kind's answers that are kept.", "no answer is of the kind")
    ]
    acting_accuracy: Annotated[Number, _share("Share of those kept that are right.", "none is kept")]


class Result(Struct, frozen=True):
    """What is reported."""

    records: Annotated[int, RECORDS]
    questions: Annotated[int, Measure("Answers.", better="higher", within=COUNT, counted=True, sample=True)]
    accuracy: Annotated[Number, _share("Share of all answers that are right.", "there are no records")]
    accuracy_low: Annotated[Number, end("low", "accuracy")]
    accuracy_high: Annotated[Number, end("high", "accuracy")]
    accuracy_degenerate: bool
    item_accuracy: Annotated[Number, _share("Share of items with all answers right.", "there are no records")]
    item_accuracy_low: Annotated[Number, end("low", "item_accuracy")]
    item_accuracy_high: Annotated[Number, end("high", "item_accuracy")]
    stated_mismatches: Annotated[int, _count("Stated values that differ from the derived ones.")]
    uncategorized_questions: Annotated[int, _count("Answers in items without a category.")]
    choice_questions: Annotated[int, _count("Answers to choice questions.")]
    choice_accuracy: Annotated[Number, _share("Share of choices that are right.", NO_CHOICE)]
    choice_accuracy_low: Annotated[Number, end("low", "choice_accuracy", undefined=NO_CHOICE)]
    choice_accuracy_high: Annotated[Number, end("high", "choice_accuracy", undefined=NO_CHOICE)]
    choice_macro_f1: Annotated[Number, _share("Mean F1 of the classes of choices.", NO_CHOICE)]
    choice_ece: Annotated[Number, _loss("Expected calibration error of choices.", 1, NO_CHOICE)]
    choice_mce: Annotated[Number, _loss("Largest gap of a bin of choices.", 1, NO_CHOICE)]
    choice_brier_score: Annotated[
        Number, _loss("Mean squared error of choices, summed over options.", 2, NO_CHOICE)
    ]
    yes_no_questions: Annotated[int, _count("Answers to yes/no questions.")]
    yes_no_accuracy: Annotated[Number, _share("Share of yes/no answers that are right.", NO_YES_NO)]
    yes_no_accuracy_low: Annotated[Number, end("low", "yes_no_accuracy", undefined=NO_YES_NO)]
    yes_no_accuracy_high: Annotated[Number, end("high", "yes_no_accuracy", undefined=NO_YES_NO)]
    yes_no_ece: Annotated[Number, _loss("Expected calibration error of yes/no answers.", 1, NO_YES_NO)]
    yes_no_mce: Annotated[Number, _loss("Largest gap of a bin of yes/no answers.", 1, NO_YES_NO)]
    yes_no_brier_score: Annotated[
        Number, _loss("Mean squared error of the probability of yes.", 1, NO_YES_NO)
    ]
    score_questions: Annotated[int, _count("Answers on ordered levels.")]
    score_accuracy: Annotated[Number, _share("Share of levels that are right.", NO_SCORE)]
    score_accuracy_low: Annotated[Number, end("low", "score_accuracy", undefined=NO_SCORE)]
    score_accuracy_high: Annotated[Number, end("high", "score_accuracy", undefined=NO_SCORE)]
    score_within_one: Annotated[Number, _share("Share of expected levels within 1 of gold.", NO_SCORE)]
    score_within_one_low: Annotated[Number, end("low", "score_within_one", undefined=NO_SCORE)]
    score_within_one_high: Annotated[Number, end("high", "score_within_one", undefined=NO_SCORE)]
    score_mae: Annotated[Number, _loss("Mean distance of the expected level from gold.", None, NO_SCORE)]
    score_rmse: Annotated[Number, _loss("Root of its mean square.", None, NO_SCORE)]
    score_rps: Annotated[Number, _loss("Mean ranked probability score.", 1, NO_SCORE)]
    markers: Annotated[list[Marker], Table("Thresholds of --threshold.", order="kind, then threshold")]
    per_question: Annotated[
        list[QuestionRow],
        Table("Each question.", order="answers, descending, then question", limit="max_rows"),
    ]
    per_category: Annotated[
        list[CategoryRow],
        Table("Each category.", order="answers, descending, then category", limit="max_rows"),
    ]
    choice_reliability: Annotated[list[BinRow], Table("Bins of choices.", order="confidence, ascending")]
    choice_curve: Annotated[list[Point], Table("Thresholds of choices.", order="threshold, ascending")]
    yes_no_reliability: Annotated[
        list[BinRow], Table("Bins of yes/no answers.", order="confidence, ascending")
    ]
    yes_no_curve: Annotated[list[Point], Table("Thresholds of yes/no answers.", order="threshold, ascending")]


class Questions(Audit[Options, Result]):
    """See the module."""

    name, revision = "questions", 1
    inputs = {"records": Item}
    unique = "id"

    def start(self) -> None:
        """Make the tallies."""
        self.items, self.mismatches = Counts(2), Counts()
        self.by_question, self.by_category, self.classes = Crosstab(), Crosstab(), Crosstab()
        self.choice, self.yes_no = Confident(self.options.bins), Confident(self.options.bins)
        self.score = Ordered()

    def update(self, batch: Batch) -> None:
        """Count the answers of each kind, those with as many probabilities at a time."""
        alike: defaultdict[tuple[str, int], list[Asked]] = defaultdict(list)
        for one in answers(batch, self.options.sum_tolerance):
            alike[one.kind, len(one.p)].append(one)
        whole = np.ones(len(batch), dtype=bool)
        add = {"choice": self._add_choices, "yes_no": self._add_yes_no, "score": self._add_scores}
        for (kind, _), listed in alike.items():
            p, gold = np.array([one.p for one in listed]), np.array([one.gold for one in listed])
            right = add[kind](listed, p, gold)
            rows = np.array([one.row for one in listed])
            whole[rows[~right]] = False
            hits = right.astype(int).tolist()
            self.by_question.add((one.question for one in listed), [kind] * len(listed), hits)
            for row, hit in zip(rows.tolist(), hits, strict=True):
                if batch.category[row] is not None:
                    self.by_category.add_total(1, batch.category[row], hit)
        self.items.add(whole.astype(np.intp))

    def _add_choices(self, listed: list[Asked], p: NDArray[np.float64], gold: Places) -> Bools:
        predicted = first_largest(p)
        confidence = at(p, predicted)
        right: Bools = predicted == gold
        options = [one.options for one in listed]
        self.choice.add(confidence, right, brier_score_by_name(p, gold, options))
        names = [one[place] for one, place in zip(options, predicted.tolist(), strict=True)]
        golds = [one[place] for one, place in zip(options, gold.tolist(), strict=True)]
        self.classes.add((one.question for one in listed), golds, names)
        self._compare(listed, predicted=names, confidence=confidence.tolist())
        return right

    def _add_yes_no(self, listed: list[Asked], p: NDArray[np.float64], gold: Places) -> Bools:
        chance = p[:, 0]
        predicted, confidence = chance >= 0.5, np.maximum(chance, 1 - chance)
        right: Bools = predicted == (gold == 1)
        self.yes_no.add(confidence, right, np.square(chance - gold))
        self._compare(listed, predicted=predicted.tolist(), confidence=confidence.tolist())
        return right

    def _add_scores(self, listed: list[Asked], p: NDArray[np.float64], gold: Places) -> Bools:
        expected = expected_level(p)
        level, error = nearest_level(expected, p.shape[1]), np.abs(expected - gold)
        right: Bools = level == gold
        self.score.add(right, error, ranked_probability_score(p, gold))
        self._compare(listed, predicted=level.tolist(), expected=expected.tolist())
        return right

    def _compare(self, listed: list[Asked], **derived: list[Any]) -> None:
        """Count the stated values that differ from the derived ones."""
        for place, one in enumerate(listed):
            self.mismatches.add_total(mismatches(one, **{name: v[place] for name, v in derived.items()}))

    def finish(self) -> Result:
        """Make all measures from the tallies."""
        questions, hits = self.by_question.total, self.by_question.margin(2)
        right = hits.get(1, 0)
        values = [(Fraction(hit), count) for hit, count in hits.items()]
        options, level = self.options, self.options.confidence
        interval = mean_interval(values, level, options.samples, options.seed)
        failed, whole = self.items
        kinds: defaultdict[str, set[str]] = defaultdict(set)
        for (question, kind, _), _ in self.by_question:
            kinds[str(question)].add(str(kind))
        item_low, item_high = wilson(whole, failed + whole, level)
        return Result(
            records=failed + whole,
            questions=questions,
            accuracy=ratio(right, questions),
            accuracy_low=interval.low,
            accuracy_high=interval.high,
            accuracy_degenerate=interval.degenerate,
            item_accuracy=ratio(whole, failed + whole),
            item_accuracy_low=item_low,
            item_accuracy_high=item_high,
            stated_mismatches=self.mismatches.total,
            uncategorized_questions=questions - self.by_category.total,
            choice_macro_f1=self._macro_f1(),
            **self.choice.measures("choice", level),
            **self.yes_no.measures("yes_no", level),
            **self._ordered(),
            markers=self._markers(),
            per_question=[
                QuestionRow(question, sorted(kinds[question]), n, *_accuracy(k, n, level))
                for question, n, k in _by_answers(self.by_question)
            ],
            per_category=[
                CategoryRow(category, n, *_accuracy(k, n, level))
                for category, n, k in _by_answers(self.by_category)
            ],
        )

    def _ordered(self) -> dict[str, Any]:
        """Make the measures of ordered levels."""
        records, level = self.score.records.total, self.options.confidence
        accuracy, low, high = _accuracy(self.score.right.total, records, level)
        near, near_low, near_high = _accuracy(self.score.near.total, records, level)
        square = ratio(self.score.squared_error.total, records)
        return {
            "score_questions": records,
            "score_accuracy": accuracy,
            "score_accuracy_low": low,
            "score_accuracy_high": high,
            "score_within_one": near,
            "score_within_one_low": near_low,
            "score_within_one_high": near_high,
            "score_mae": ratio(self.score.error.total, records),
            "score_rmse": None if square is None else root(square),
            "score_rps": ratio(self.score.rps.total, records),
        }

    def _macro_f1(self) -> Number:
        """Average the F1s of the classes of all choice questions."""
        counts = []
        for _, cells in groupby(self.classes, key=lambda cell: cell[0][0]):
            counts += label_counts(((str(gold), str(named)), n) for (_, gold, named), n in cells)
        return mean([c.f1 for c in counts])

    def _markers(self) -> list[Marker]:
        """Make the row of each given threshold."""
        rows = []
        for text in dict.fromkeys(self.options.threshold):
            kind, threshold = _marked(text) or ("", 0.0)
            tally = self.choice if kind == "choice" else self.yes_no
            kept, wrong = tally.curve.at(threshold)
            coverage = ratio(kept, tally.reliability.records)
            rows.append(Marker(text, kind, threshold, coverage, ratio(kept - wrong, kept)))
        return sorted(rows, key=lambda row: (row.kind, row.threshold, row.marker))


def _accuracy(right: int, records: int, level: float) -> tuple[Number, Number, Number]:
    """Give a share and the ends of its interval."""
    return ratio(right, records), *wilson(right, records, level)


def _by_answers(table: Crosstab) -> list[tuple[str, int, int]]:
    """Give each value of a first column with its answers and its right ones (1 in the last), most first."""
    counts: defaultdict[str, list[int]] = defaultdict(lambda: [0, 0])
    for (value, *_, hit), count in table:
        counts[str(value)][int(hit)] += count
    rows = [(value, wrong + right, right) for value, (wrong, right) in counts.items()]
    return sorted(rows, key=lambda row: (-row[1], row[0]))
