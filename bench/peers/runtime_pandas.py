"""Latencies and tokens of a run with pandas and numpy.

python bench/peers/runtime_pandas.py FILE
"""

import json
import sys
from typing import Any

import numpy as np
import pandas as pd
from wilson import wilson

frame = pd.read_json(sys.argv[1], lines=True, dtype=False)
if not frame["id"].is_unique:
    raise SystemExit("an id occurs twice")
success = frame["success"].to_numpy(dtype=bool)
tokens = frame["input_tokens"] + frame["output_tokens"]
low, high = wilson(int(success.sum()), len(frame))
found: dict[str, Any] = {
    "records": len(frame),
    "success_rate": success.mean(),
    "success_rate_low": low,
    "success_rate_high": high,
    "failures": int((~success).sum()),
    "input_tokens_total": int(frame["input_tokens"].sum()),
    "output_tokens_total": int(frame["output_tokens"].sum()),
    "total_tokens": int(tokens.sum()),
    "mean_total_tokens": tokens.mean(),
    "p95_total_tokens": int(np.percentile(tokens, 95, method="inverted_cdf")),
    "failed": [{"id": one} for one in sorted(frame["id"][~success])[:20]],
    "slowest": frame.sort_values(["latency_ms", "id"], ascending=[False, True])[:20][
        ["id", "latency_ms", "success"]
    ].to_dict("records"),
}
latency = frame["latency_ms"].to_numpy()
for prefix, values in (("", latency), ("success_", latency[success]), ("failure_", latency[~success])):
    found[f"{prefix}mean_latency_ms"] = values.mean()
    found[f"{prefix}max_latency_ms"] = values.max()
    ranks = (50, 90, 95, 99)
    for rank, value in zip(ranks, np.percentile(values, ranks, method="inverted_cdf"), strict=True):
        found[f"{prefix}p{rank}_latency_ms"] = float(value)
print(json.dumps(found))
