"""A classification report with polars: the pairs are counted lazily, the rest is made from their counts.

python bench/peers/classification_polars.py FILE
"""

import json
import sys
from collections import Counter
from typing import Any

import polars as pl
from wilson import wilson

path = sys.argv[1]
scan = pl.scan_parquet(path) if path.endswith(".parquet") else pl.scan_ndjson(path)
cells = scan.group_by("expected", "predicted").len("records").collect().rows()

support: Counter[str] = Counter()
given: Counter[str] = Counter()
true: Counter[str] = Counter()
for row, column, count in cells:
    support[row] += count
    given[column] += count
    true[row] += count * (row == column)
labels, records, right = sorted({*support, *given}), support.total(), true.total()
rows: list[dict[str, Any]] = [
    {
        "label": label,
        "support": support[label],
        "predicted": given[label],
        "true_positives": true[label],
        "precision": true[label] / given[label],
        "precision_low": wilson(true[label], given[label])[0],
        "precision_high": wilson(true[label], given[label])[1],
        "recall": true[label] / support[label],
        "recall_low": wilson(true[label], support[label])[0],
        "recall_high": wilson(true[label], support[label])[1],
        "f1": 2 * true[label] / (support[label] + given[label]),
    }
    for label in labels
]
print(
    json.dumps(
        {
            "records": records,
            "labels": len(labels),
            "accuracy": right / records,
            "accuracy_low": wilson(right, records)[0],
            "accuracy_high": wilson(right, records)[1],
            "macro_precision": sum(row["precision"] for row in rows) / len(rows),
            "macro_recall": sum(row["recall"] for row in rows) / len(rows),
            "macro_f1": sum(row["f1"] for row in rows) / len(rows),
            "weighted_f1": sum(row["support"] * row["f1"] for row in rows) / records,
            "balanced_accuracy": sum(row["recall"] for row in rows) / len(rows),
            "per_label": rows,
            "confusion": [
                {"expected": row, "predicted": column, "records": count} for row, column, count in cells
            ],
        }
    )
)
