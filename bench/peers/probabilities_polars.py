"""Probabilities of labels with polars.

python bench/peers/probabilities_polars.py FILE
"""

import json
import sys

import polars as pl
from wilson import wilson

BINS = 10

frame = pl.read_ndjson(sys.argv[1]).select("expected", "scores").unnest("scores")
labels = sorted(frame.columns[1:])
columns = [pl.col(label) for label in labels]
if not frame.select((pl.sum_horizontal(columns) - 1).abs().max() <= 1e-6).item():
    raise SystemExit("probabilities do not sum to 1")
code = pl.col("expected").replace_strict({label: place for place, label in enumerate(labels)})
chosen = pl.coalesce([pl.when(pl.col("expected") == label).then(pl.col(label)) for label in labels])
frame = frame.with_columns(
    code=code,
    chosen=chosen,
    confidence=pl.max_horizontal(columns),
    predicted=pl.concat_list(columns).list.arg_max(),
    square=pl.sum_horizontal([(pl.col(one) - (pl.col("expected") == one)) ** 2 for one in labels]),
).with_columns(right=pl.col("predicted") == pl.col("code"))
found = frame.select(
    records=pl.len(),
    right=pl.col("right").sum(),
    zeros=(pl.col("chosen") == 0).sum(),
    loss=-pl.col("chosen").clip(1e-15).log().mean(),
    brier=pl.col("square").mean(),
    confidence=pl.col("confidence").mean(),
).row(0, named=True)
records, right = found["records"], found["right"]
index = pl.sum_horizontal([pl.col("confidence") >= edge / BINS for edge in range(1, BINS)])
bins = frame.group_by(index=index).agg(
    records=pl.len(), gap=(pl.col("right").mean() - pl.col("confidence").mean()).abs()
)
means = frame.select(columns).mean().row(0)
classes = [
    {
        "label": label,
        "support": frame.select((pl.col("code") == place).sum()).item(),
        "predicted": frame.select((pl.col("predicted") == place).sum()).item(),
        "recall": frame.filter(pl.col("code") == place)["right"].mean(),
        "mean_probability": means[place],
    }
    for place, label in enumerate(labels)
]
print(
    json.dumps(
        {
            "records": records,
            "labels": len(labels),
            "accuracy": right / records,
            "accuracy_low": wilson(right, records)[0],
            "accuracy_high": wilson(right, records)[1],
            "balanced_accuracy": sum(one["recall"] for one in classes) / len(classes),
            "log_loss": found["loss"],
            "brier_score": found["brier"],
            "mean_confidence": found["confidence"],
            "ece": bins.select((pl.col("gap") * pl.col("records")).sum()).item() / records,
            "mce": bins["gap"].max(),
            "zero_expected_probability_count": found["zeros"],
            "per_class": classes,
        }
    )
)
