"""Sets of labels with pandas and scikit-learn.

python bench/peers/multilabel_pandas.py FILE
"""

import json
import sys

import pandas as pd
from sklearn.metrics import accuracy_score, hamming_loss, jaccard_score, multilabel_confusion_matrix
from sklearn.metrics import precision_recall_fscore_support as by_label
from sklearn.preprocessing import MultiLabelBinarizer
from wilson import wilson

frame = pd.read_json(sys.argv[1], lines=True, dtype=False)
binarizer = MultiLabelBinarizer().fit([*frame["expected"], *frame["predicted"]])
expected, predicted = (binarizer.transform(frame[side]) for side in ("expected", "predicted"))
precision, recall, f1, support = by_label(expected, predicted, zero_division=0)
matrices = multilabel_confusion_matrix(expected, predicted)
subset = accuracy_score(expected, predicted)
found = {
    "records": len(frame),
    "labels": len(binarizer.classes_),
    "subset_accuracy": subset,
    "subset_accuracy_low": wilson(round(subset * len(frame)), len(frame))[0],
    "subset_accuracy_high": wilson(round(subset * len(frame)), len(frame))[1],
    "mean_jaccard": jaccard_score(expected, predicted, average="samples", zero_division=1),
    "hamming_loss": hamming_loss(expected, predicted),
    "mean_expected_labels": expected.sum() / len(frame),
    "mean_predicted_labels": predicted.sum() / len(frame),
    "per_label": [
        {
            "label": label,
            "support": int(support[place]),
            "true_positives": int(matrices[place, 1, 1]),
            "false_positives": int(matrices[place, 0, 1]),
            "false_negatives": int(matrices[place, 1, 0]),
            "true_negatives": int(matrices[place, 0, 0]),
            "precision": precision[place],
            "recall": recall[place],
            "f1": f1[place],
        }
        for place, label in enumerate(binarizer.classes_)
    ],
}
for average in ("micro", "macro", "weighted"):
    rates = by_label(expected, predicted, average=average, zero_division=0)
    found |= {f"{average}_{name}": rates[i] for i, name in enumerate(("precision", "recall", "f1"))}
print(json.dumps(found))
