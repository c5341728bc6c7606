"""Drift of scores with polars.

python bench/peers/score_drift_polars.py FILE
"""

import json
import sys

import polars as pl
from wilson import wilson

change = pl.col("candidate_score") - pl.col("baseline_score")
margin = 1e-12 * pl.max_horizontal(pl.col("baseline_score").abs(), pl.col("candidate_score").abs())
frame = pl.scan_ndjson(sys.argv[1]).select("case_id", change=change, beyond=change.abs() > margin)
found = (
    frame.select(
        records=pl.len(),
        distinct=pl.col("case_id").n_unique(),
        mean_shift=pl.col("change").mean(),
        abs_mean_shift=pl.col("change").mean().abs(),
        mean_absolute_change=pl.col("change").abs().mean(),
        root_mean_square_change=(pl.col("change") ** 2).mean().sqrt(),
        increases=(pl.col("beyond") & (pl.col("change") > 0)).sum(),
        decreases=(pl.col("beyond") & (pl.col("change") < 0)).sum(),
        largest_change=pl.col("change").get(pl.col("change").abs().arg_max()),
        largest_change_id=pl.col("case_id").get(pl.col("change").abs().arg_max()),
    )
    .collect()
    .row(0, named=True)
)
records = found["records"]
if found.pop("distinct") != records:
    raise SystemExit("an id occurs twice")
within = records - found["increases"] - found["decreases"]
low, high = wilson(within, records)
rates = {
    "within_tolerance_rate": within / records,
    "within_tolerance_rate_low": low,
    "within_tolerance_rate_high": high,
}
print(json.dumps(found | rates))
