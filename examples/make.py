"""Make the example prediction files from two classifiers trained for real.

The handwritten digits shipped with scikit-learn are split into a training half and
900 held-out images. A deliberately modest model (the baseline) and a better one (the
candidate) are fitted on the training half, and what they say of the held-out images is
written beside this script:

* digits-baseline.jsonl and digits-candidate.jsonl: the same cases in the same order;
* raters.jsonl: the labels the two models gave to the first 200 of those cases.

Run it plainly to write the files. Run it with --check to make the records again in
memory and compare them with the files: probabilities may differ by at most 0.001, since
the last digits depend on the machine, and everything else must be the same.

Needs numpy and scikit-learn; nothing is downloaded.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB

Record = dict[str, Any]
Floats = npt.NDArray[np.float64]

HERE = Path(__file__).resolve().parent
BASELINE = "digits-baseline.jsonl"
CANDIDATE = "digits-candidate.jsonl"
RATERS = "raters.jsonl"

SEED = 0
HELD_OUT = 900
RATED = 200
LABELS = [str(digit) for digit in range(10)]
BRIGHTEST = 16.0  # pixels run from 0 to 16
MILLION = 1_000_000  # scores are kept to six decimals
TOLERANCE = 1e-3


def round_scores(probabilities: Floats) -> list[float]:
    """Round to six decimals, letting the largest score absorb what rounding lost.

    The sum is mended in whole millionths, so it is exact before the last division.
    """
    parts = [round(float(p) * MILLION) for p in probabilities]
    parts[parts.index(max(parts))] += MILLION - sum(parts)
    return [part / MILLION for part in parts]


def ink_levels(images: Floats) -> list[str]:
    """Name the third of these images that each one's total pixel intensity is in."""
    totals: list[int] = images.sum(axis=1).astype(int).tolist()
    ranked = sorted(totals)
    medium_from = ranked[len(ranked) // 3]
    heavy_from = ranked[2 * len(ranked) // 3]

    def level(total: int) -> str:
        if total < medium_from:
            return "light"
        return "medium" if total < heavy_from else "heavy"

    return [level(total) for total in totals]


def prediction(case: str, expected: str, probabilities: Floats, ink: str) -> Record:
    """Build one line of a prediction file."""
    scores = round_scores(probabilities)
    confidence = max(scores)
    return {
        "id": case,
        "expected": expected,
        "predicted": LABELS[scores.index(confidence)],
        "confidence": confidence,
        "scores": dict(zip(LABELS, scores, strict=True)),
        "ink": ink,
    }


def make_records() -> dict[str, list[Record]]:
    """Train both models and return the records of every file, by file name."""
    images, digits = load_digits(return_X_y=True)
    train, held_out = train_test_split(
        np.arange(len(digits)),
        test_size=HELD_OUT,
        stratify=digits,
        random_state=SEED,
    )
    held_out = np.sort(held_out)
    pixels = images / BRIGHTEST
    cases = [f"digit-{position:04d}" for position in held_out]
    expected = [LABELS[digit] for digit in digits[held_out]]
    inks = ink_levels(images[held_out])

    # Newton's method with a tight tolerance settles fully, so machines agree closely.
    models = {
        BASELINE: GaussianNB(),
        CANDIDATE: LogisticRegression(C=10.0, solver="newton-cg", tol=1e-8, max_iter=1_000),
    }
    records: dict[str, list[Record]] = {}
    for name, model in models.items():
        model.fit(pixels[train], digits[train])
        rows = zip(cases, expected, model.predict_proba(pixels[held_out]), inks, strict=True)
        records[name] = [prediction(*row) for row in rows]

    records[RATERS] = [
        {"id": a["id"], "reference": a["predicted"], "rater": b["predicted"]}
        for a, b in zip(records[BASELINE][:RATED], records[CANDIDATE][:RATED], strict=True)
    ]
    return records


def write(path: Path, rows: list[Record]) -> None:
    """Write one compact JSON object per line."""
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for row in rows:
            file.write(json.dumps(row, separators=(",", ":")) + "\n")


def same(stored: object, made: object) -> bool:
    """Tell whether two JSON values agree, numbers to within the tolerance."""
    if isinstance(made, dict):
        return (
            isinstance(stored, dict)
            and stored.keys() == made.keys()
            and all(same(stored[key], value) for key, value in made.items())
        )
    if isinstance(made, float):
        return isinstance(stored, float) and abs(stored - made) <= TOLERANCE
    return stored == made


def first_difference(path: Path, rows: list[Record]) -> str | None:
    """Describe the first way in which a file departs from its records, if any."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        return f"{path.name}: cannot be read: {error}"
    if len(lines) != len(rows):
        return f"{path.name}: {len(lines)} lines, expected {len(rows)}"
    for number, (line, made) in enumerate(zip(lines, rows, strict=True), start=1):
        where = f"{path.name}, line {number}"
        try:
            stored = json.loads(line)
        except ValueError as error:
            return f"{where}: not JSON: {error}"
        if not isinstance(stored, dict) or stored.keys() != made.keys():
            return f"{where}: expected an object with the keys {', '.join(made)}"
        for key, value in made.items():
            if not same(stored[key], value):
                return f"{where}: {key} is {stored[key]!r}, made again {value!r}"
    return None


def main(arguments: list[str] | None = None) -> int:
    """Write the files, or with --check compare them; return the exit status."""
    parser = argparse.ArgumentParser(description="Make the example files from two models trained on digits.")
    parser.add_argument(
        "--check",
        action="store_true",
        help="write nothing; exit 1 if a file differs from what would be made",
    )
    check: bool = parser.parse_args(arguments).check

    records = make_records()
    if not check:
        for name, rows in records.items():
            write(HERE / name, rows)
            print(f"{name}: {len(rows)} lines")
        return 0

    found = (first_difference(HERE / name, rows) for name, rows in records.items())
    differences = [difference for difference in found if difference is not None]
    for difference in differences:
        print(difference, file=sys.stderr)
    if not differences:
        print("the example files are as made")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
