"""Records to measure on: for every audit a maker, which gives the same records for the same number of rows.

    python bench/data.py CASE ROWS FOLDER [jsonl|parquet]

A case is an audit, or an audit and a kind of records, such as `answers-long`. Records are made a part at a
time, by all cores, each part from a seed of its own. Every record has an id, whether the audit reads it or
not; `ROWS` is the number of records of each input, but for the candidates of `overlap`, a tenth of that.
"""

import sys
import zlib
from collections.abc import Callable, Iterable
from functools import cache
from itertools import accumulate, pairwise
from multiprocessing import Pool
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

PART = 100_000
"""Records of a part."""

Columns = dict[str, Any]
"""The fields of records: a list or an array each."""
Inputs = dict[str, Columns]
"""The records of each input by its name."""
Draw = np.random.Generator
Maker = Callable[[Draw, range], Inputs]

LABELS = ("billing", "refund", "shipping", "login", "other")
GROUPS = tuple(f"site-{number:02d}" for number in range(20))
TOPICS = ("news", "sport", "music", "film", "money", "food", "travel", "health")
WORDS = (
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
)
FOREIGN = ("über", "été", "señor", "naïve", "東京", "привет", "мир", "Ελλάδα", "ñandú", "garçon", "नमस्ते")
DOCUMENTS = 1 << 17
"""How many documents there are to retrieve: a power of 2, so that odd steps through them meet none twice."""
LEXICON = tuple(f"w{number * 7919 % 1_000_003:x}" for number in range(20_000))
"""The words of longer texts."""


def _named(names: tuple[str, ...] | NDArray[np.object_], numbers: NDArray[np.integer[Any]]) -> list[Any]:
    named: list[Any] = np.asarray(names, dtype=object)[numbers].tolist()
    return named


def _ids(prefix: str, rows: Iterable[int]) -> list[str]:
    return [f"{prefix}-{row:08d}" for row in rows]


def _noisy(draw: Draw, right: NDArray[np.int64], kinds: int, accuracy: float = 0.8) -> NDArray[np.int64]:
    """Predict what is right as often as the accuracy says, and else anything."""
    return np.where(draw.random(len(right)) < accuracy, right, draw.integers(0, kinds, len(right)))


def _texts(draw: Draw, size: int, words: tuple[str, ...], longest: int) -> list[str]:
    """Make texts of one word to so many."""
    lengths = draw.integers(1, longest + 1, size)
    flat = _named(words, draw.integers(0, len(words), int(lengths.sum())))
    ends = _named(("", ".", "!"), draw.integers(0, 3, size))
    cuts = pairwise(accumulate(lengths.tolist(), initial=0))
    return [" ".join(flat[a:b]) + end for (a, b), end in zip(cuts, ends, strict=True)]


def _passages(draw: Draw, size: int) -> list[str]:
    """Make texts of 16 words each."""
    flat = _named(LEXICON, draw.integers(0, len(LEXICON), 16 * size))
    return [" ".join(flat[start : start + 16]) for start in range(0, len(flat), 16)]


def _answered(draw: Draw, expected: list[str], others: list[str], accuracy: float) -> list[str]:
    """Answer what is expected in another case as often as the accuracy says, and else anything."""
    right = (draw.random(len(expected)) < accuracy).tolist()
    return [a.upper() if yes else b for yes, a, b in zip(right, expected, others, strict=True)]


def _distributions(draw: Draw, size: int, kinds: int) -> NDArray[np.float64]:
    """Draw probabilities that sum to 1, most of them sure of one label."""
    weights = draw.exponential(size=(size, kinds)) ** 3
    scaled: NDArray[np.float64] = weights / weights.sum(axis=1, keepdims=True)
    return scaled


def _by_label(distributions: NDArray[np.float64]) -> list[dict[str, float]]:
    return [dict(zip(LABELS, row, strict=True)) for row in distributions.tolist()]


def _drawn(draw: Draw, distributions: NDArray[np.float64]) -> NDArray[np.int64]:
    """Draw the right label of each record from its distribution, so that it is calibrated."""
    below = distributions.cumsum(axis=1) < draw.random((len(distributions), 1)) * (1 - 1e-9)
    labels: NDArray[np.int64] = below.sum(axis=1)
    return labels


def _labelled(draw: Draw, rows: range, expected: str, predicted: str) -> Columns:
    right = draw.integers(0, len(LABELS), len(rows))
    return {
        "id": _ids("case", rows),
        expected: _named(LABELS, right),
        predicted: _named(LABELS, _noisy(draw, right, len(LABELS))),
    }


def _confident(draw: Draw, rows: range) -> Inputs:
    """Make predictions with a stated confidence."""
    return {
        "records": _labelled(draw, rows, "expected", "predicted") | {"confidence": draw.random(len(rows))}
    }


def _classification(draw: Draw, rows: range) -> Inputs:
    return {"records": _labelled(draw, rows, "expected", "predicted")}


def _agreement(draw: Draw, rows: range) -> Inputs:
    return {"records": _labelled(draw, rows, "reference", "rater")}


def _disparity(draw: Draw, rows: range) -> Inputs:
    groups = _named(GROUPS, draw.integers(0, len(GROUPS), len(rows)))
    return {"records": _labelled(draw, rows, "expected", "predicted") | {"group": groups}}


def _answers(words: tuple[str, ...], longest: int) -> Maker:
    def make(draw: Draw, rows: range) -> Inputs:
        expected, others = (_texts(draw, len(rows), words, longest) for _ in range(2))
        predicted = _answered(draw, expected, others, 1 / 3)
        return {"records": {"id": _ids("case", rows), "expected": expected, "predicted": predicted}}

    return make


def _paired(draw: Draw, rows: range) -> Inputs:
    """Make cases that two systems answered with short texts."""
    expected, others, more = (_texts(draw, len(rows), WORDS, 5) for _ in range(3))
    answers = {
        "baseline": _answered(draw, expected, others, 0.5),
        "candidate": _answered(draw, expected, more, 0.52),
    }
    return {"records": {"id": _ids("case", rows), "expected": expected, **answers}}


def _consistency(draw: Draw, rows: range) -> Inputs:
    """Make five runs of each case, in any order."""
    cases = draw.permutation(np.asarray(rows)) // 5
    usual = _texts(draw, len(rows) // 5 + 1, WORDS, 5)
    others = _texts(draw, len(rows), WORDS, 5)
    expected = [usual[case] for case in (cases - rows.start // 5).tolist()]
    predicted = _answered(draw, expected, others, 0.7)
    return {"records": {"case_id": _ids("case", cases.tolist()), "predicted": predicted}}


def _multilabel(draw: Draw, rows: range) -> Inputs:
    right = draw.random((len(rows), len(TOPICS))) < 0.25
    given = right ^ (draw.random(right.shape) < 0.05)
    sides = {
        side: [[TOPICS[topic] for topic in np.flatnonzero(row).tolist()] for row in chosen]
        for side, chosen in (("expected", right), ("predicted", given))
    }
    return {"records": {"id": _ids("case", rows), **sides}}


def _label_drift(draw: Draw, rows: range) -> Inputs:
    shares = {"reference": [0.3, 0.25, 0.2, 0.15, 0.1], "candidate": [0.28, 0.25, 0.21, 0.15, 0.11]}
    return {
        side: {"id": _ids("case", rows), "label": _named(LABELS, draw.choice(len(LABELS), len(rows), p=p))}
        for side, p in shares.items()
    }


def _pairwise(draw: Draw, rows: range) -> Inputs:
    winners = _named(("baseline", "candidate", "tie"), draw.choice(3, len(rows), p=[0.4, 0.45, 0.15]))
    return {"records": {"id": _ids("pair", rows), "winner": winners}}


def _position_bias(draw: Draw, rows: range) -> Inputs:
    """Make two presentations of each pair, in any order."""
    places = draw.permutation(np.asarray(rows))
    pairs, reverse = places // 2, places % 2
    return {
        "records": {
            "pair_id": _ids("pair", pairs.tolist()),
            "first": _named(("old", "new"), reverse),
            "second": _named(("new", "old"), reverse),
            "winner": _named(("first", "second", "tie"), draw.choice(3, len(rows), p=[0.5, 0.4, 0.1])),
        }
    }


def _probabilities(draw: Draw, rows: range) -> Inputs:
    scores = _distributions(draw, len(rows), len(LABELS))
    expected = _named(LABELS, _drawn(draw, scores))
    return {"records": {"id": _ids("case", rows), "expected": expected, "scores": _by_label(scores)}}


def _probability_drift(draw: Draw, rows: range) -> Inputs:
    before, noise = (_distributions(draw, len(rows), len(LABELS)) for _ in range(2))
    sides = {"baseline_scores": _by_label(before), "candidate_scores": _by_label(0.9 * before + 0.1 * noise)}
    return {"records": {"case_id": _ids("case", rows), **sides}}


def _predictions(draw: Draw, rows: range) -> Inputs:
    """Make scored predictions, of which some have a label alone, and their gold records in another order."""
    scores = _distributions(draw, len(rows), len(LABELS))
    gold = _named(LABELS, _drawn(draw, scores))
    bare = (draw.random(len(rows)) < 0.05).tolist()
    vectors = [None if no else row for no, row in zip(bare, scores.tolist(), strict=True)]
    families = _named(("intent", "urgency", "tone"), draw.integers(0, 3, len(rows)))
    order = draw.permutation(len(rows)).tolist()
    ids = _ids("case", rows)
    predictions = {
        "id": ids,
        "option_ids": [LABELS] * len(rows),
        "probabilities": vectors,
        "label": [LABELS[0] if no else None for no in bare],
    }
    shuffled = {"id": ids, "gold": gold, "family": families}
    return {
        "predictions": predictions,
        "gold": {name: [column[row] for row in order] for name, column in shuffled.items()},
    }


def _questions(draw: Draw, rows: range) -> Inputs:
    """Make items with a choice, a yes/no and an ordered question."""
    size = len(rows)
    topics, levels = _distributions(draw, size, len(LABELS)), _distributions(draw, size, 5)
    urgent = draw.random(size)
    columns = zip(
        _by_label(topics),
        _named(LABELS, _drawn(draw, topics)),
        urgent.tolist(),
        (draw.random(size) < urgent).tolist(),
        levels.tolist(),
        _drawn(draw, levels).tolist(),
        strict=True,
    )
    asked = [
        {
            "topic": {"type": "choice", "gold": topic, "probabilities": scores},
            "urgent": {"type": "yes_no", "gold": yes, "p_true": p},
            "tone": {"type": "score", "gold": level, "probabilities": row},
        }
        for scores, topic, p, yes, row, level in columns
    ]
    return {"records": {"id": _ids("item", rows), "questions": asked}}


def _documents(draw: Draw, size: int, length: int) -> NDArray[np.object_]:
    """List different documents for each query."""
    starts, steps = draw.integers(0, DOCUMENTS, (2, size, 1))
    numbers = (starts + (2 * steps + 1) * np.arange(length)) % DOCUMENTS
    names: NDArray[np.object_] = _document_names()[numbers]
    return names


@cache
def _document_names() -> NDArray[np.object_]:
    return np.array([f"d{number:06d}" for number in range(DOCUMENTS)], dtype=object)


def _retrieval(draw: Draw, rows: range) -> Inputs:
    """Make ten retrieved documents and one to three relevant ones, of which two thirds are retrieved."""
    documents = _documents(draw, len(rows), 15)
    places = draw.random((len(rows), 15)).argsort(axis=1)[:, :3]
    relevant = np.take_along_axis(documents, places, axis=1).tolist()
    counts = draw.integers(1, 4, len(rows)).tolist()
    return {
        "records": {
            "query_id": _ids("query", rows),
            "relevant": [found[:count] for found, count in zip(relevant, counts, strict=True)],
            "retrieved": documents[:, :10].tolist(),
        }
    }


def _ranking_drift(draw: Draw, rows: range) -> Inputs:
    documents = _documents(draw, len(rows), 12)
    order = (np.arange(12) + 2 * draw.standard_normal((len(rows), 12))).argsort(axis=1)[:, :10]
    return {
        "records": {
            "query_id": _ids("query", rows),
            "baseline": documents[:, :10].tolist(),
            "candidate": np.take_along_axis(documents, order, axis=1).tolist(),
        }
    }


def _score_drift(draw: Draw, rows: range) -> Inputs:
    before = draw.random(len(rows))
    after = before + 0.1 * draw.standard_normal(len(rows))
    return {"records": {"case_id": _ids("case", rows), "baseline_score": before, "candidate_score": after}}


def _runtime(draw: Draw, rows: range) -> Inputs:
    return {
        "records": {
            "id": _ids("call", rows),
            "latency_ms": draw.lognormal(6, 0.7, len(rows)).round(3),
            "input_tokens": draw.integers(20, 4_000, len(rows)),
            "output_tokens": draw.integers(1, 800, len(rows)),
            "success": draw.random(len(rows)) < 0.97,
        }
    }


def _overlap(draw: Draw, rows: range) -> Inputs:
    """Make long texts; a tenth of the candidates are in the reference, half of these in another case."""
    reference, candidate = (_passages(draw, size) for size in (len(rows), max(1, len(rows) // 10)))
    copied = draw.choice(len(rows), max(1, len(candidate) // 10), replace=False).tolist()
    candidate[: len(copied)] = [
        reference[row] if place % 2 else reference[row].upper() for place, row in enumerate(copied)
    ]
    ids = _ids("candidate", range(rows.start // 10, rows.start // 10 + len(candidate)))
    return {
        "reference": {"id": _ids("reference", rows), "text": reference},
        "candidate": {"id": ids, "text": candidate},
    }


def _release(draw: Draw, rows: range) -> Inputs:
    """Make what two candidates suggest for each subject; every split has some of the first five."""
    subjects = np.asarray(rows) // 2
    keys = subjects.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(245 << 56)
    split = np.searchsorted([205, 230], (keys >> np.uint64(56)).astype(np.int64), side="right")
    truth = draw.integers(1, 8, len(rows))
    label = np.where(draw.random(len(rows)) < 0.93, truth, draw.integers(1, 8, len(rows)))
    confidence = np.where(label == truth, 1 - 0.2 * draw.random(len(rows)), draw.random(len(rows)))
    suggested = zip(label.tolist(), confidence.tolist(), strict=True)
    return {
        "predictions": {
            "model": _named(("broad", "narrow"), np.asarray(rows) % 2),
            "subjectKey": [f"{key:016x}" for key in keys.tolist()],
            "split": _named(("train", "validation", "test"), split),
            "truth": [{"label": one} for one in truth.tolist()],
            "prediction": [{"label": one, "confidence": c} for one, c in suggested],
        }
    }


MAKERS: dict[str, Maker] = {
    "answers": _answers(WORDS, 5),
    "answers-labels": _answers(WORDS[:6], 1),
    "answers-long": _answers(WORDS, 60),
    "answers-foreign": _answers(WORDS + FOREIGN, 5),
    "comparison": _paired,
    "paired-correctness": _paired,
    "consistency": _consistency,
    "disparity": _disparity,
    "classification": _classification,
    "multilabel": _multilabel,
    "label-drift": _label_drift,
    "pairwise": _pairwise,
    "position-bias": _position_bias,
    "calibration": _confident,
    "agreement": _agreement,
    "selective": _confident,
    "probabilities": _probabilities,
    "probability-drift": _probability_drift,
    "predictions": _predictions,
    "questions": _questions,
    "retrieval": _retrieval,
    "ranking-drift": _ranking_drift,
    "score-drift": _score_drift,
    "runtime": _runtime,
    "overlap": _overlap,
    "release": _release,
}


def part(case: str, rows: range) -> Inputs:
    """Make some records of a case; the same for the same rows."""
    return MAKERS[case](np.random.default_rng([zlib.crc32(case.encode()), rows.start, len(rows)]), rows)


def encoded(job: tuple[str, range]) -> dict[str, bytes]:
    """Make some records of a case as JSON Lines."""
    made: dict[str, bytes] = {}
    for name, columns in part(*job).items():
        record = msgspec.defstruct("Record", list(columns))
        fields = [c.tolist() if isinstance(c, np.ndarray) else c for c in columns.values()]
        made[name] = msgspec.json.Encoder().encode_lines(list(map(record, *fields)))
    return made


def parts(rows: int) -> list[range]:
    """Cut rows into parts."""
    return [range(start, min(start + PART, rows)) for start in range(0, rows, PART)]


def write_lines(case: str, rows: int, paths: dict[str, Path]) -> None:
    """Write JSON Lines, made by all cores."""
    files = {name: path.open("wb") for name, path in paths.items()}
    with Pool() as pool:
        for made in pool.imap(encoded, [(case, one) for one in parts(rows)]):
            for name, lines in made.items():
                files[name].write(lines)
    for file in files.values():
        file.close()


def write_parquet(case: str, rows: int, paths: dict[str, Path]) -> None:
    """Write Parquet, in groups of a million rows as pyarrow does by itself."""
    import pyarrow as pa  # noqa: PLC0415  it is only needed for this
    import pyarrow.parquet as pq  # noqa: PLC0415

    tables: dict[str, list[pa.Table]] = {name: [] for name in paths}
    for one in parts(rows):
        for name, columns in part(case, one).items():
            tables[name].append(pa.table(columns))
    for name, path in paths.items():
        pq.write_table(pa.concat_tables(tables[name]), path)


def write(case: str, rows: int, folder: Path, form: str = "jsonl") -> None:
    """Write each input of a case to a file of its own; what is there already, by the same name, stays."""
    names = part(case, range(1))
    paths = {name: folder / f"{case}-{rows}-{name}.{form}" for name in names}
    if all(path.exists() for path in paths.values()):
        return
    unfinished = {name: path.with_suffix(".part") for name, path in paths.items()}
    (write_parquet if form == "parquet" else write_lines)(case, rows, unfinished)
    for name, path in paths.items():
        unfinished[name].replace(path)


if __name__ == "__main__":
    write(sys.argv[1], int(sys.argv[2]), Path(sys.argv[3]), *sys.argv[4:])
