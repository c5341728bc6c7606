"""Calibration of stated confidences with polars.

python bench/peers/calibration_polars.py FILE
"""

import json
import sys

import polars as pl
from wilson import wilson

BINS = 10


def normal(field: str) -> pl.Expr:
    """Bring texts to the form in which answers are compared."""
    words = pl.col(field).str.normalize("NFC").str.to_lowercase()
    return words.str.replace_all(r"[^\p{L}\p{M}\p{N}\p{Pc}]+", " ").str.strip_chars()


edges = [edge / BINS for edge in range(1, BINS)]
confidence = pl.col("confidence")
rows = (
    pl.scan_ndjson(sys.argv[1])
    .select(confidence, right=normal("expected") == normal("predicted"))
    .group_by(index=pl.sum_horizontal([confidence >= edge for edge in edges]))
    .agg(
        records=pl.len(),
        correct=pl.col("right").sum(),
        confidence=confidence.sum(),
        square=((confidence - pl.col("right").cast(pl.Float64)) ** 2).sum(),
    )
    .collect()
    .to_dicts()
)
records, right = sum(row["records"] for row in rows), sum(row["correct"] for row in rows)
gaps = [(row["correct"] - row["confidence"]) / row["records"] for row in rows]
low, high = wilson(right, records)
print(
    json.dumps(
        {
            "records": records,
            "accuracy": right / records,
            "accuracy_low": low,
            "accuracy_high": high,
            "mean_confidence": sum(row["confidence"] for row in rows) / records,
            "brier_score": sum(row["square"] for row in rows) / records,
            "ece": sum(abs(gap) * row["records"] for gap, row in zip(gaps, rows, strict=True)) / records,
            "mce": max(map(abs, gaps)),
            "reliability": [
                {
                    "index": row["index"],
                    "records": row["records"],
                    "mean_confidence": row["confidence"] / row["records"],
                    "accuracy": row["correct"] / row["records"],
                    "accuracy_low": wilson(row["correct"], row["records"])[0],
                    "accuracy_high": wilson(row["correct"], row["records"])[1],
                    "gap": gap,
                }
                for gap, row in zip(gaps, rows, strict=True)
            ],
        }
    )
)
