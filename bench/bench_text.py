"""What the audits of free text cost beside the plainest correct Python, on the same file in the same run.

    python bench/bench_text.py [rows]

Prints for some kinds of text the rows per second of `answers` (with its 1,000 resamples) and of a loop that
parses, normalises and compares one record at a time (without any interval), and their ratio: the least of
three runs each, taken in turn, in seconds of the process. Both give the same numbers, which is checked. Then
the seconds that a bootstrap interval of `comparison` takes, with few distinct differences and with many.
"""

import json
import random
import sys
import tempfile
import time
import unicodedata
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import tallystick
from tallystick.metrics.bootstrap import mean_interval

ENGLISH = [
    "the",
    "a",
    "river",
    "Paris",
    "small",
    "answer",
    "is",
    "blue",
    "and",
    "old",
    "rock-n-roll",
    "North's",
]
OTHER = ["über", "été", "señor", "naïve", "東京", "привет", "мир", "Ελλάδα", "ñandú", "garçon", "नमस्ते"]
KINDS: dict[str, tuple[list[str], int]] = {
    "labels": (ENGLISH[:6], 1),
    "short": (ENGLISH, 5),
    "long": (ENGLISH, 60),
    "not ASCII": (ENGLISH + OTHER, 5),
}


def write(kind: str, rows: int, path: Path) -> None:
    """Write answers of which a third are right, the same for the same number of rows."""
    words, longest = KINDS[kind]
    draw = random.Random(rows)  # noqa: S311  data, not secrets

    def text() -> str:
        return " ".join(draw.choices(words, k=draw.randint(1, longest))) + draw.choice(["", ".", "!"])

    with path.open("w", encoding="utf-8") as file:
        for row in range(rows):
            expected = text()
            predicted = expected.upper() if draw.random() < 1 / 3 else text()
            record = {"id": f"case-{row:08d}", "expected": expected, "predicted": predicted}
            file.write(json.dumps(record, ensure_ascii=False) + "\n")


def normal(text: str) -> list[str]:
    """Cut a text into words, one character after another."""
    kept = []
    for character in unicodedata.normalize("NFC", text).casefold():
        category = unicodedata.category(character)
        kept.append(character if category[0] in "LMN" or category == "Pc" else " ")
    return "".join(kept).split()


def plain(path: Path) -> tuple[float, float]:
    """Score one record after another."""
    rows, right, total = 0, 0, 0.0
    with path.open(encoding="utf-8") as file:
        for line in file:
            record = json.loads(line)
            expected, predicted = normal(record["expected"]), normal(record["predicted"])
            shared = sum((Counter(expected) & Counter(predicted)).values())
            rows += 1
            right += expected == predicted
            total += 2 * shared / (len(expected) + len(predicted))
    return right / rows, total / rows


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """Give the seconds of this process that some work takes, and what it makes."""
    start = time.process_time()
    made = work()
    return time.process_time() - start, made


def answers(rows: int, folder: Path) -> None:
    """Compare rows per second, kind by kind."""
    print(f"{rows:,} rows\n{'text':12}{'tally rows/s':>14}{'plain rows/s':>14}{'ratio':>8}")
    for kind in KINDS:
        path = folder / "data.jsonl"
        write(kind, rows, path)
        ours, theirs = [], []
        for _ in range(3):
            seconds, report = timed(lambda: tallystick.run("answers", path))  # noqa: B023
            ours.append(seconds)
            seconds, found = timed(lambda: plain(path))  # noqa: B023
            theirs.append(seconds)
            if report.exact_match != found[0] or abs(report.token_f1 - found[1]) > 1e-12:
                raise SystemExit(f"{kind}: the two do not agree")
        print(f"{kind:12}{rows / min(ours):14,.0f}{rows / min(theirs):14,.0f}{min(theirs) / min(ours):8.1f}")


def intervals(cases: int) -> None:
    """Time the bootstrap of differences."""
    draw = random.Random(0)  # noqa: S311  data, not secrets

    def f1(most: int) -> Fraction:
        tokens = draw.randint(2, most)
        return Fraction(2 * draw.randint(0, tokens // 2), tokens)

    print(f"\n2,000 resamples of {cases:,} differences\n{'distinct':>10}{'seconds':>10}")
    for most in (1, 4, 12, 60, 400):
        made = ([-1, 0, 1][draw.randrange(3)] if most == 1 else f1(most) - f1(most) for _ in range(cases))
        values = [(Fraction(value), count) for value, count in Counter(made).items()]
        seconds, _ = timed(lambda: mean_interval(values, 0.95, 2000, 0))  # noqa: B023
        print(f"{len(values):10,}{seconds:10.3f}")


def main(rows: int) -> None:
    """Measure all."""
    with tempfile.TemporaryDirectory() as name:
        answers(rows, Path(name))
    intervals(100_000)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000)
