"""Agreement of two raters with polars.

python bench/peers/agreement_polars.py FILE
"""

import json
import sys
from collections import Counter

import polars as pl
from wilson import wilson

scan = pl.scan_ndjson(sys.argv[1])
differ = pl.col("id").filter(pl.col("reference") != pl.col("rater"))
counted, ids = pl.collect_all(
    [
        scan.group_by("reference", "rater").len("records"),
        scan.select(distinct=pl.col("id").n_unique(), first=differ.bottom_k(20).implode()),
    ]
)
distinct, first = ids.row(0)
cells = counted.rows()
reference: Counter[str] = Counter()
rater: Counter[str] = Counter()
for one, other, count in cells:
    reference[one] += count
    rater[other] += count
records, agreeing = reference.total(), sum(count for one, other, count in cells if one == other)
if distinct != records:
    raise SystemExit("an id occurs twice")
chance = sum(reference[label] * rater[label] for label in reference) / records**2
print(
    json.dumps(
        {
            "records": records,
            "labels": len({*reference, *rater}),
            "agreement": agreeing / records,
            "agreement_low": wilson(agreeing, records)[0],
            "agreement_high": wilson(agreeing, records)[1],
            "expected_agreement": chance,
            "kappa": (agreeing / records - chance) / (1 - chance),
            "disagreements": records - agreeing,
            "details": [{"id": one} for one in sorted(first)],
            "confusion": [{"reference": a, "rater": b, "records": count} for a, b, count in cells],
        }
    )
)
