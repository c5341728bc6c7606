"""Latencies and tokens of a run with polars.

python bench/peers/runtime_polars.py FILE
"""

import json
import sys
from typing import Any

import polars as pl
from wilson import wilson

RANKS = (50, 90, 95, 99)


def percentile(values: pl.Expr, rank: int) -> pl.Expr:
    """Give the value whose number among the ascending ones is rank/100 of their count, rounded up."""
    place = (values.len().cast(pl.Int64) * rank + 99) // 100 - 1
    return values.sort().get(place)


frame = pl.read_ndjson(sys.argv[1])
success, latency = pl.col("success"), pl.col("latency_ms")
tokens = pl.col("input_tokens") + pl.col("output_tokens")
measures: dict[str, pl.Expr] = {
    "records": pl.len(),
    "distinct": pl.col("id").n_unique(),
    "successes": success.sum(),
    "input_tokens_total": pl.col("input_tokens").sum(),
    "output_tokens_total": pl.col("output_tokens").sum(),
    "total_tokens": tokens.sum(),
    "mean_total_tokens": tokens.mean(),
    "p95_total_tokens": percentile(tokens, 95),
}
for prefix, values in (
    ("", latency),
    ("success_", latency.filter(success)),
    ("failure_", latency.filter(~success)),
):
    measures[f"{prefix}mean_latency_ms"] = values.mean()
    measures[f"{prefix}max_latency_ms"] = values.max()
    measures |= {f"{prefix}p{rank}_latency_ms": percentile(values, rank) for rank in RANKS}
found: dict[str, Any] = frame.select(**measures).row(0, named=True)
records, successes = found["records"], found.pop("successes")
if found.pop("distinct") != records:
    raise SystemExit("an id occurs twice")
low, high = wilson(successes, records)
found |= {
    "success_rate": successes / records,
    "success_rate_low": low,
    "success_rate_high": high,
    "failures": records - successes,
    "failed": frame.filter(~success).select(pl.col("id").bottom_k(20).sort()).to_dicts(),
    "slowest": frame.select("id", "latency_ms", "success")
    .bottom_k(20, by=[-latency, pl.col("id")])
    .to_dicts(),
}
print(json.dumps(found))
