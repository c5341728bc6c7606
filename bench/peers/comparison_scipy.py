"""Paired bootstrap intervals of two systems with scipy; read and scored in plain Python.

python bench/peers/comparison_scipy.py FILE
"""

import re
import sys
from collections import Counter

import msgspec
import numpy as np
from scipy.stats import bootstrap
from wilson import wilson

WORDS = re.compile(r"\w+")


def scores(expected: Counter[str], answer: str, form: list[str]) -> tuple[bool, float]:
    """Give exact match and token F1 of an answer."""
    words = WORDS.findall(answer.casefold())
    shared = sum((expected & Counter(words)).values())
    return words == form, 2 * shared / (expected.total() + len(words))


with open(sys.argv[1], "rb") as file:
    cases = msgspec.json.Decoder().decode_lines(file.read())
table = np.empty((len(cases), 4))
for row, case in enumerate(cases):
    form = WORDS.findall(case["expected"].casefold())
    expected = Counter(form)
    table[row, :2] = scores(expected, case["baseline"], form)
    table[row, 2:] = scores(expected, case["candidate"], form)
found: dict[str, float] = {"records": len(cases)}
drawn: dict[str, float] = {}
for place, name in enumerate(("exact_match", "token_f1")):
    before, after = table[:, place], table[:, place + 2]
    found |= {f"baseline_{name}": before.mean(), f"candidate_{name}": after.mean()}
    found[f"{name}_difference"] = (after - before).mean()
    ends = bootstrap(
        (after - before,), np.mean, n_resamples=2000, batch=50, method="percentile", rng=0
    ).confidence_interval
    drawn |= {f"{name}_difference_low": ends.low, f"{name}_difference_high": ends.high}
for side, column in (("baseline", 0), ("candidate", 2)):
    low, high = wilson(int(table[:, column].sum()), len(cases))
    found |= {f"{side}_exact_match_low": low, f"{side}_exact_match_high": high}
print(msgspec.json.encode(found | {"drawn": drawn}, enc_hook=float).decode())
