"""Agreement of two raters with pandas and scikit-learn, on category codes.

python bench/peers/agreement_pandas.py FILE
"""

import json
import sys

import numpy as np
import pandas as pd
from sklearn.metrics import cohen_kappa_score, confusion_matrix
from wilson import wilson

FIELDS = ["reference", "rater"]

frame = pd.read_json(sys.argv[1], lines=True, dtype=False)
if not frame["id"].is_unique:
    raise SystemExit("an id occurs twice")
sides = [frame[field].astype("category") for field in FIELDS]
labels = sorted({*sides[0].cat.categories, *sides[1].cat.categories})
reference, rater = (side.cat.set_categories(labels).cat.codes.to_numpy() for side in sides)
matrix = confusion_matrix(reference, rater, labels=range(len(labels)))
agreeing, records = int(matrix.trace()), len(frame)
print(
    json.dumps(
        {
            "records": records,
            "labels": len(labels),
            "agreement": agreeing / records,
            "agreement_low": wilson(agreeing, records)[0],
            "agreement_high": wilson(agreeing, records)[1],
            "expected_agreement": float(matrix.sum(axis=0) @ matrix.sum(axis=1)) / records**2,
            "kappa": cohen_kappa_score(reference, rater),
            "disagreements": records - agreeing,
            "details": [{"id": one} for one in sorted(frame["id"][reference != rater])[:20]],
            "confusion": [
                {"reference": labels[row], "rater": labels[column], "records": int(matrix[row, column])}
                for row, column in zip(*np.nonzero(matrix), strict=True)
            ],
        }
    )
)
