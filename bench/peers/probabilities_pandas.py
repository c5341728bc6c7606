"""Probabilities of labels with pandas, numpy and scikit-learn.

python bench/peers/probabilities_pandas.py FILE
"""

import json
import sys

import numpy as np
import pandas as pd
from sklearn.metrics import balanced_accuracy_score, log_loss
from wilson import wilson

BINS = 10

frame = pd.read_json(sys.argv[1], lines=True, dtype=False)
scores = pd.DataFrame(frame["scores"].tolist())
labels = sorted(scores.columns)
table = scores[labels].to_numpy()
if not (np.abs(table.sum(axis=1) - 1) <= 1e-6).all():
    raise SystemExit("probabilities do not sum to 1")
expected = pd.Categorical(frame["expected"], categories=labels).codes
predicted, confidence = table.argmax(axis=1), table.max(axis=1)
right = predicted == expected
index = np.minimum(np.searchsorted(np.arange(BINS + 1) / BINS, confidence, side="right") - 1, BINS - 1)
counts, sums, hits = (np.bincount(index, weights, BINS) for weights in (None, confidence, right))
kept = counts > 0
gaps = np.abs(hits[kept] - sums[kept]) / counts[kept]
low, high = wilson(int(right.sum()), len(frame))
print(
    json.dumps(
        {
            "records": len(frame),
            "labels": len(labels),
            "accuracy": right.mean(),
            "accuracy_low": low,
            "accuracy_high": high,
            "balanced_accuracy": balanced_accuracy_score(expected, predicted),
            "log_loss": log_loss(expected, table, labels=range(len(labels))),
            "brier_score": float(((table - np.eye(len(labels))[expected]) ** 2).sum(axis=1).mean()),
            "mean_confidence": confidence.mean(),
            "ece": float((gaps * counts[kept]).sum() / len(frame)),
            "mce": gaps.max(),
            "zero_expected_probability_count": int((table[np.arange(len(frame)), expected] == 0).sum()),
            "per_class": [
                {
                    "label": label,
                    "support": int((expected == code).sum()),
                    "predicted": int((predicted == code).sum()),
                    "recall": float(right[expected == code].mean()),
                    "mean_probability": float(table[:, code].mean()),
                }
                for code, label in enumerate(labels)
            ],
        }
    )
)
