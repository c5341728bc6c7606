from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallystick.errors import RecordError
from tallystick.parts.questionnaire import KINDS, Answer, answers
from tallystick.sources.batch import Batch

NAMES = ["0", "1", "2", "b", "é"]
VECTORS = [[1.0], [0.25, 0.75], [0.5, 0.5], [0.5, 0.25, 0.25], [0.5, 0.4], []]

vectors = st.sampled_from(VECTORS)
named = st.builds(
    lambda p, names: dict(zip(names, p, strict=False)), vectors, st.permutations(NAMES) | st.just(NAMES)
)
chosen = st.builds(
    Answer,
    st.sampled_from([*KINDS]),
    st.sampled_from([*NAMES, True, False, 0, 1, 2, -1, 2**70]),
    st.none() | vectors | named,
    st.none() | st.sampled_from([0.0, 0.5, 1.0]),
)
sound = st.one_of(
    st.builds(Answer, st.just("choice"), st.sampled_from(["0", "1"]), st.just({"1": 0.25, "0": 0.75})),
    st.builds(Answer, st.just("choice"), st.just("b"), st.sampled_from([{"b": 1.0}, {"0": 0.5, "b": 0.5}])),
    st.builds(Answer, st.sampled_from(["yes_no", "noul"]), st.booleans(), st.none(), st.just(0.5)),
    st.builds(Answer, st.just("score"), st.just(1), st.sampled_from([*VECTORS[1:4], {"1": 0.5, "0": 0.5}])),
)
asked = st.dictionaries(st.sampled_from(["q", "r", "s"]), sound, min_size=1)
items = st.lists(asked | st.tuples(st.just("only"), sound), min_size=1, max_size=6)
odd = st.dictionaries(st.sampled_from(["q", "r"]), sound | chosen) | st.tuples(
    st.sampled_from([None, "only"]), sound | chosen
)
Given = dict[str, Answer] | tuple[str | None, Answer]


def batch(given_: Sequence[Given]) -> Batch:
    """Make a batch in which tuples are flat records."""
    flat = [("", None) if isinstance(one, dict) else one for one in given_]
    columns: dict[str, Any] = {
        "id": [f"i{row}" for row in range(len(given_))],
        "questions": [one if isinstance(one, dict) else None for one in given_],
        "question": [name or None for name, _ in flat],
    }
    for field in Answer.__struct_fields__:
        columns[field] = [answer and getattr(answer, field) for _, answer in flat]
    return Batch(columns, len(given_))


def amiss(answer: Answer) -> bool:
    """Whether an answer is none that its kind admits, by the definitions."""
    kind, p, gold = KINDS[answer.type], answer.probabilities, answer.gold
    if kind == "yes_no":
        return answer.p_true is None or not isinstance(gold, bool)
    if kind == "choice":
        return not isinstance(p, dict) or gold not in p or abs(sum(p.values()) - 1) > 0.01
    if p is None or type(gold) is not int or (isinstance(p, dict) and {*p} != {*map(str, range(len(p)))}):
        return True
    chances = p if isinstance(p, list) else [*p.values()]
    return len(p) < 2 or not 0 <= gold < len(p) or abs(sum(chances) - 1) > 0.01


@given(items)
def test_answers_are_read_as_they_stand(listed: list[Given]) -> None:
    found = []
    for part in answers(batch(listed), 0.01):
        assert part.p.shape == (len(part.rows), part.p.shape[1])
        for place, answer in enumerate(part.stated):
            p, gold = part.p[place].tolist(), int(part.gold[place])
            if part.kind == "choice":
                assert isinstance(answer.probabilities, dict)
                assert dict(zip(part.options[place], p, strict=True)) == answer.probabilities
                assert part.options[place] == tuple(answer.probabilities)
                assert part.options[place][gold] == answer.gold
            elif part.kind == "yes_no":
                assert (p, gold) == ([answer.p_true], answer.gold)
            else:
                given_ = answer.probabilities
                assert p == (
                    [given_[str(n)] for n in range(len(given_))] if isinstance(given_, dict) else given_
                )
                assert gold == answer.gold
            found.append((int(part.rows[place]), part.questions[place], answer))
    expected = [
        (row, *pair)
        for row, one in enumerate(listed)
        for pair in (one.items() if isinstance(one, dict) else [one])
    ]
    assert len(found) == len(expected)
    assert all(one in found for one in expected)


@given(st.lists(odd, min_size=1, max_size=4))
def test_the_first_item_with_an_answer_amiss_is_named(listed: list[Given]) -> None:
    def wrong(one: Given) -> bool:
        if isinstance(one, dict):
            return not one or any(map(amiss, one.values()))
        return one[0] is None or amiss(one[1])

    rows = [row for row, one in enumerate(listed) if wrong(one)]
    if not rows:
        answers(batch(listed), 0.01)
        return
    with pytest.raises(RecordError, match=rf'"i{rows[0]}"'):
        answers(batch(listed), 0.01)
