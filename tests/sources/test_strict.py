"""The quick proof that no key of a line occurs twice: never wrong, and made for common records."""

import json
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tallystick.sources import strict

SCALARS = st.sampled_from(["1", "0.5", '"x"', '"}"', '"},"', '"a"', "true", "null", "[]", "[1]", "{}", "{ }"])
GAPS = st.sampled_from(["", "", "", " "])


@st.composite
def objects(draw: st.DrawFn, depth: int = 3) -> str:
    """Write an object of few names, so that lines often have the same keys in another nesting."""
    members = []
    for _ in range(draw(st.integers(1, 3))):
        nested = depth > 1 and draw(st.booleans())
        value = draw(objects(depth - 1)) if nested else draw(SCALARS)
        if draw(st.integers(0, 9)) == 0:
            value = f"[{value}]"
        key = draw(st.sampled_from(["a", "b"]))
        members.append(f'"{key}":{draw(GAPS)}{value}{draw(GAPS)}')
    return "{" + f",{draw(GAPS)}".join(members) + "}"


def _repeats(line: str) -> bool:
    found = []

    def pairs(members: list[tuple[str, Any]]) -> dict[str, Any]:
        found.append(len(dict(members)) != len(members))
        return dict(members)

    json.loads(line, object_pairs_hook=pairs)
    return any(found)


@settings(max_examples=500)
@given(st.lists(objects(), min_size=2, max_size=4))
@example(['{"a":{"b":1},"b":{"a":2}}', '{"a":{"b":1,"b":{"a":2}}}'])
@example(['{"a":{"b":{}},"b":1}', '{"a":{"b":1}, "b":1}'])
@example(['{"a":{"b":{"a":{}},"b":1}}', '{"a":{"b":{"a":1}},"b":1}'])
@example(['{"a":{"a":1,"b":1},"b":{"a":1,"b":1}}', '{"a":{"a":1},"b":1,"b":{"a":1,"b":1}}'])
def test_every_line_with_a_repeated_key_is_looked_at(lines: list[str]) -> None:
    _, suspects = strict.prove("\n".join(lines).encode(), len(lines), frozenset({"a", "b"}))
    wrong = {number for number, line in enumerate(lines) if _repeats(line)}
    assert suspects is None or wrong <= set(suspects)


@pytest.mark.parametrize("space", ["", " "])
@pytest.mark.parametrize(
    "record",
    [
        {"id": "x", "scores": {"a": 0.5, "b": 0.5}, "n": 1},
        {"id": "x", "baseline": {"a": 0.5, "b": 0.5}, "candidate": {"a": 1.0, "b": 0.0}},
        {"baseline": {"a": {"p": 1}, "b": {"p": 2}}, "candidate": {"a": {"p": 3}}, "p": "}"},
    ],
)
def test_lines_with_the_keys_of_the_first_are_proven_without_parsing_them(
    record: dict[str, Any], space: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr(strict, "_unproven")
    line = json.dumps(record, separators=(f",{space}", f":{space}"))
    assert strict.prove(f"{line}\n{line}\n\n{line}".encode(), 3, frozenset(record)) == (4, [])
