"""Make `ranx_retrieval.json`: random queries, and what ranx says of them.

    python tests/reference/ranx_retrieval.py

ranx compiles itself for more than a minute, so its numbers are kept and not made anew by every test run. It
takes no query with an empty ranking, and orders documents by score: here each has its own.
"""

import json
import random
from importlib.metadata import version
from pathlib import Path
from typing import Any

from ranx import Qrels, Run, evaluate

CUTOFFS = (1, 3, 5, 10)
MEASURES = ("hit_rate", "mrr", "precision", "recall", "ndcg")


def queries(count: int = 120) -> list[dict[str, Any]]:
    """Draw queries, every other one with grades."""
    draw = random.Random(20)  # noqa: S311
    documents = [f"d{number}" for number in range(30)]
    made: list[dict[str, Any]] = []
    for number in range(count):
        judged = {name: draw.choice([0, 1, 2, 3, 7]) for name in draw.sample(documents, draw.randint(1, 12))}
        judged[draw.choice(documents)] = 1
        relevant = judged if number % 2 else [name for name, grade in judged.items() if grade]
        retrieved = draw.sample(documents, draw.randint(1, 24))
        made.append({"query_id": f"q{number:03}", "relevant": relevant, "retrieved": retrieved})
    return made


def main() -> None:
    """Evaluate the queries with ranx, and write the file."""
    rows = queries()
    grades, scores = {}, {}
    for row in rows:
        name, relevant, retrieved = row["query_id"], row["relevant"], row["retrieved"]
        grades[name] = relevant if isinstance(relevant, dict) else dict.fromkeys(relevant, 1)
        scores[name] = {document: float(-rank) for rank, document in enumerate(retrieved)}
    names = [f"{measure}@{cutoff}" for cutoff in CUTOFFS for measure in MEASURES]
    found = evaluate(Qrels(grades), Run(scores), [*names, "map"])
    held = {
        "ranx": version("ranx"),
        "measures": {name: float(found[name]) for name in found},
        "records": rows,
    }
    lines = json.dumps(held, indent=1, sort_keys=True)
    Path(__file__).with_suffix(".json").write_text(lines + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
