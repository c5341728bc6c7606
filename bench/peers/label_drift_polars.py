"""Drift of a mix of labels with polars.

python bench/peers/label_drift_polars.py REFERENCE CANDIDATE
"""

import json
import sys
from math import log2

import polars as pl

sides = [pl.scan_ndjson(path).group_by("label").len() for path in sys.argv[1:]]
counts = [dict(frame.rows()) for frame in pl.collect_all(sides)]
sizes = [sum(side.values()) for side in counts]
p, q = ({label: n / size for label, n in side.items()} for side, size in zip(counts, sizes, strict=True))
labels = sorted({*p, *q})
shifts = {label: q.get(label, 0) - p.get(label, 0) for label in labels}
middle = {label: (p.get(label, 0) + q.get(label, 0)) / 2 for label in labels}
print(
    json.dumps(
        {
            "reference_records": sizes[0],
            "candidate_records": sizes[1],
            "labels": len(labels),
            "total_variation": sum(map(abs, shifts.values())) / 2,
            "js_divergence": sum(
                share * log2(share / middle[label]) for side in (p, q) for label, share in side.items()
            )
            / 2,
            "label_delta": max(map(abs, shifts.values())),
            "shifts": [{"label": label, "shift": shift} for label, shift in shifts.items()],
        }
    )
)
