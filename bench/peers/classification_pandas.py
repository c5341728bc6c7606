"""A classification report with pandas and scikit-learn, on category codes.

python bench/peers/classification_pandas.py FILE [pyarrow]

With `pyarrow`, JSON Lines are read by pandas' other reader.
"""

import json
import sys

import numpy as np
import pandas as pd
from sklearn.metrics import accuracy_score, balanced_accuracy_score, confusion_matrix, f1_score
from sklearn.metrics import precision_recall_fscore_support as by_label
from wilson import wilson

FIELDS = ["expected", "predicted"]

path, *engine = sys.argv[1:]
if path.endswith(".parquet"):
    frame = pd.read_parquet(path, columns=FIELDS)
elif engine:
    frame = pd.read_json(path, lines=True, engine=engine[0])
else:
    frame = pd.read_json(path, lines=True, dtype=False)

sides = [frame[field].astype("category") for field in FIELDS]
labels = sorted({*sides[0].cat.categories, *sides[1].cat.categories})
expected, predicted = (side.cat.set_categories(labels).cat.codes.to_numpy() for side in sides)

matrix = confusion_matrix(expected, predicted, labels=range(len(labels)))
precision, recall, f1, support = by_label(expected, predicted, labels=range(len(labels)), zero_division=0)
accuracy = wilson(int(matrix.trace()), len(frame))
rows = []
for code, label in enumerate(labels):
    true, given = int(matrix[code, code]), int(matrix[:, code].sum())
    rows.append(
        {
            "label": label,
            "support": int(support[code]),
            "predicted": given,
            "true_positives": true,
            "precision": precision[code],
            "precision_low": wilson(true, given)[0],
            "precision_high": wilson(true, given)[1],
            "recall": recall[code],
            "recall_low": wilson(true, int(support[code]))[0],
            "recall_high": wilson(true, int(support[code]))[1],
            "f1": f1[code],
        }
    )
print(
    json.dumps(
        {
            "records": len(frame),
            "labels": len(labels),
            "accuracy": accuracy_score(expected, predicted),
            "accuracy_low": accuracy[0],
            "accuracy_high": accuracy[1],
            "macro_precision": precision.mean(),
            "macro_recall": recall.mean(),
            "macro_f1": f1.mean(),
            "weighted_f1": f1_score(expected, predicted, average="weighted"),
            "balanced_accuracy": balanced_accuracy_score(expected, predicted),
            "per_label": rows,
            "confusion": [
                {"expected": labels[row], "predicted": labels[column], "records": int(matrix[row, column])}
                for row, column in zip(*np.nonzero(matrix), strict=True)
            ],
        }
    )
)
