"""Preferences between two systems with polars.

python bench/peers/pairwise_polars.py FILE
"""

import json
import sys

import polars as pl
from wilson import wilson

scan = pl.scan_ndjson(sys.argv[1])
counted, ids = pl.collect_all([scan.group_by("winner").len(), scan.select(pl.col("id").n_unique())])
wins: dict[str, int] = dict(counted.rows())
baseline, candidate, ties = wins["baseline"], wins["candidate"], wins["tie"]
records, decisive = sum(wins.values()), baseline + candidate
if ids.item() != records:
    raise SystemExit("an id occurs twice")
found: dict[str, float] = {
    "records": records,
    "baseline_wins": baseline,
    "candidate_wins": candidate,
    "ties": ties,
    "decisive_comparisons": decisive,
    "preference_margin": (candidate - baseline) / records,
}
for name, part, whole in (
    ("tie_rate", ties, records),
    ("candidate_win_rate", candidate, decisive),
    ("baseline_win_rate", baseline, decisive),
    ("candidate_share", candidate, records),
):
    found[name] = part / whole
    found[f"{name}_low"], found[f"{name}_high"] = wilson(part, whole)
print(json.dumps(found))
