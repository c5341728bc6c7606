"""Accuracy by group with polars.

python bench/peers/disparity_polars.py FILE
"""

import json
import sys

import polars as pl
from wilson import wilson


def normal(field: str) -> pl.Expr:
    """Bring texts to the form in which answers are compared."""
    words = pl.col(field).str.normalize("NFC").str.to_lowercase()
    return words.str.replace_all(r"[^\p{L}\p{M}\p{N}\p{Pc}]+", " ").str.strip_chars()


right = (normal("expected") == normal("predicted")).sum()
groups = pl.scan_ndjson(sys.argv[1]).group_by("group").agg(pl.len(), right.alias("right")).collect().rows()
records, correct = sum(row[1] for row in groups), sum(row[2] for row in groups)
accuracies = [one / size for _, size, one in groups]
low, high = wilson(correct, records)
print(
    json.dumps(
        {
            "records": records,
            "groups": len(groups),
            "accuracy": correct / records,
            "accuracy_low": low,
            "accuracy_high": high,
            "worst_group_accuracy": min(accuracies),
            "best_group_accuracy": max(accuracies),
            "accuracy_gap": max(accuracies) - min(accuracies),
            "smallest_group": min(size for _, size, _ in groups),
            "per_group": [
                {
                    "group": group,
                    "records": size,
                    "correct": one,
                    "accuracy": one / size,
                    "accuracy_low": wilson(one, size)[0],
                    "accuracy_high": wilson(one, size)[1],
                }
                for group, size, one in groups
            ],
        }
    )
)
