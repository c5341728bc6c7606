"""Calibration of stated confidences with pandas, numpy and scikit-learn.

python bench/peers/calibration_pandas.py FILE
"""

import json
import sys

import numpy as np
import pandas as pd
from sklearn.metrics import brier_score_loss
from wilson import wilson

BINS = 10


def normal(texts: pd.Series) -> pd.Series:
    """Bring texts to the form in which answers are compared, each distinct one once."""
    codes, distinct = pd.factorize(texts)
    words = pd.Series(distinct).str.normalize("NFC").str.casefold().str.replace(r"[^\w]+", " ", regex=True)
    return words.str.strip().take(codes).reset_index(drop=True)


frame = pd.read_json(sys.argv[1], lines=True, dtype=False)
confidence = frame["confidence"].to_numpy()
right = (normal(frame["expected"]) == normal(frame["predicted"])).to_numpy()
edges = np.arange(BINS + 1) / BINS
index = np.minimum(np.searchsorted(edges, confidence, side="right") - 1, BINS - 1)
bins = pd.DataFrame({"index": index, "confidence": confidence, "right": right}).groupby("index")
table = bins.agg(
    records=("right", "size"),
    correct=("right", "sum"),
    mean=("confidence", "mean"),
    accuracy=("right", "mean"),
)
gaps = table["accuracy"] - table["mean"]
low, high = wilson(int(right.sum()), len(frame))
print(
    json.dumps(
        {
            "records": len(frame),
            "accuracy": right.mean(),
            "accuracy_low": low,
            "accuracy_high": high,
            "mean_confidence": confidence.mean(),
            "brier_score": brier_score_loss(right, confidence),
            "ece": float((gaps.abs() * table["records"]).sum() / len(frame)),
            "mce": gaps.abs().max(),
            "reliability": [
                {
                    "index": int(row.Index),
                    "records": int(row.records),
                    "mean_confidence": row.mean,
                    "accuracy": row.accuracy,
                    "accuracy_low": wilson(int(row.correct), int(row.records))[0],
                    "accuracy_high": wilson(int(row.correct), int(row.records))[1],
                    "gap": row.accuracy - row.mean,
                }
                for row in table.itertuples()
            ],
        }
    )
)
