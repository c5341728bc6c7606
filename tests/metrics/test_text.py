import string
import sys
import unicodedata
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tallystick.metrics import text
from tallystick.metrics.text import (
    Matcher,
    Normalization,
    difference,
    normalize,
    overlap,
    same_answer,
    tokens,
)

RULES: list[Normalization] = ["words", "squad", "exact"]
rules = st.sampled_from(RULES)

ALPHABET = "aAbß_1é\u0301ſK ²٣東京ัิ‿.-!’\u200b\u0085\x1c\u2028\t <\u0338≮😀"
texts = st.text(st.sampled_from(ALPHABET), max_size=8) | st.text(max_size=6)
WORDS = [
    "a",
    "a",
    "b",
    "The",
    "c.",
    "é",
    "!",
    "東京",
    "eightlet",
    "nineletter",
    "nineletters",
    "東京東京",
    "\0",
]
sentences = st.lists(st.sampled_from(WORDS), max_size=6).map(" ".join)
answers = texts | sentences
LONG = "x " * 10_000


def in_word(character: str) -> bool:
    category = unicodedata.category(character)
    return category[0] in "LMN" or category == "Pc"


def slowly(text: str, rule: Normalization) -> str:
    """The three rules, one character at a time."""
    if rule == "exact":
        return text
    if rule == "words":
        folded = unicodedata.normalize("NFC", text).casefold()
        kept = "".join(c if in_word(c) else " " for c in folded)
    else:
        folded = text.casefold()
        kept = "".join(c for c in text.lower() if c not in string.punctuation)
        words, word = [""], ""
        for character in kept + " ":
            if character.isalnum() or character == "_":
                word += character
                continue
            words.append(" " if word in ("a", "an", "the") else word)
            words.append(character)
            word = ""
        kept = "".join(words)
    return " ".join(kept.split()) or " ".join(folded.split())


def naive_f1(expected: str, predicted: str, rule: Normalization) -> Fraction:
    one, other = slowly(expected, rule).split(), slowly(predicted, rule).split()
    if not one or not other:
        return Fraction(int(one == other))
    return Fraction(2 * sum((Counter(one) & Counter(other)).values()), len(one) + len(other))


def test_every_code_point_is_kept_or_parts_words_by_its_category() -> None:
    everything = list(map(chr, range(sys.maxunicode + 1)))
    for start in range(0, len(everything), 1 << 14):
        text = "x".join(everything[start : start + (1 << 14)])
        assert normalize(text, "words") == slowly(text, "words")


@given(answers, rules)
@example("≮", "words")
@example("<\u0338", "words")
@example("The an a", "squad")
@example("a\u0301b the\u2014end", "squad")
@example("...", "words")
def test_a_normal_form_is_its_slow_definition(text: str, rule: Normalization) -> None:
    assert normalize(text, rule) == slowly(text, rule)
    assert tokens(text, rule) == slowly(text, rule).split()


@given(answers)
def test_canonically_equivalent_texts_are_the_same_answer(text: str) -> None:
    forms = [unicodedata.normalize(form, text) for form in ("NFC", "NFD")]
    assert same_answer([text, *forms], [*forms, text], "words").all()


def test_texts_that_normalise_to_nothing_keep_apart() -> None:
    for rule in RULES:
        assert not same_answer(["...", "A", "😀", ""], ["!!!", "The", "😁", "."], rule).any()
        assert same_answer(["...", "A", " ", ""], ["...", "A", " ", ""], rule).all()
    assert same_answer(["A"], ["a"], "squad").all()
    assert same_answer([" . . "], [". ."], "words").all()


@pytest.mark.parametrize("few", [1, 64])
@given(rows=st.lists(st.tuples(answers, answers), max_size=8), rule=rules)
@example(rows=[("a " * 200, "a b"), ("b a a", "a b a a"), ("A b", "a B"), ("é", "É")], rule="words")
def test_scores_are_those_of_the_naive_twin(
    few: int, rows: list[tuple[str, str]], rule: Normalization
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text, "FEW", few)
        scores = Matcher(rule).scores([e for e, _ in rows], [p for _, p in rows])
        same = same_answer([e for e, _ in rows], [p for _, p in rows], rule)
    assert scores.right.tolist() == [slowly(e, rule) == slowly(p, rule) for e, p in rows]
    assert same.tolist() == scores.right.tolist()
    assert fractions(scores.numerator, scores.denominator) == [naive_f1(e, p, rule) for e, p in rows]


@given(st.lists(answers, min_size=1, max_size=4), answers, rules)
@example(["a b c d e f g h", "a"], "a b", "words")
@example(["a  b", "a b c"], "a b", "exact")
def test_of_several_expected_texts_any_is_right_and_the_best_f1_counts(
    expected: list[str], predicted: str, rule: Normalization
) -> None:
    scores = Matcher(rule).scores([expected], [predicted])
    assert scores.right.tolist() == [any(slowly(e, rule) == slowly(predicted, rule) for e in expected)]
    best = max(naive_f1(e, predicted, rule) for e in expected)
    assert fractions(scores.numerator, scores.denominator) == [best]


@given(sentences, sentences, sentences)
def test_differences_of_f1_are_exact_and_in_lowest_terms(expected: str, one: str, other: str) -> None:
    compare = Matcher("words")
    numerator, denominator = difference(
        compare.scores([expected], [one]), compare.scores([expected], [other])
    )
    assert np.gcd(numerator, denominator).tolist() == [1]
    exact = naive_f1(expected, one, "words") - naive_f1(expected, other, "words")
    assert fractions(numerator, denominator) == [exact]


def test_long_texts_do_not_overflow() -> None:
    compare = Matcher("words")
    scores = compare.scores([LONG], [LONG + "y"])
    assert fractions(scores.numerator, scores.denominator) == [Fraction(20_000, 20_001)]


@pytest.mark.parametrize(
    ("one", "other", "shared"),
    [
        ("", "", Fraction(1)),
        ("", "a", Fraction(0)),
        ("a", "", Fraction(0)),
        ("a a b", "a b b", Fraction(2, 3)),
    ],
)
def test_overlap_counts_repeated_tokens_as_often_as_both_have_them(
    one: str, other: str, shared: Fraction
) -> None:
    assert Fraction(*overlap(one.split(), other.split())) == shared


def fractions(numerator: np.ndarray, denominator: np.ndarray) -> list[Fraction]:
    return [Fraction(*ratio) for ratio in zip(numerator.tolist(), denominator.tolist(), strict=True)]
