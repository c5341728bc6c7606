"""A classification report with Evidently's preset, read by pandas.

python bench/peers/classification_evidently.py FILE
"""

import json
import sys

import pandas as pd
from evidently import DataDefinition, Dataset, MulticlassClassification, Report
from evidently.presets import ClassificationPreset

NAMES = {"Accuracy": "accuracy", "Precision": "macro_precision", "Recall": "macro_recall", "F1": "macro_f1"}

frame = pd.read_json(sys.argv[1], lines=True, dtype=False)[["expected", "predicted"]]
task = MulticlassClassification(target="expected", prediction_labels="predicted")
definition = DataDefinition(classification=[task], categorical_columns=["expected", "predicted"])
report = Report([ClassificationPreset()]).run(Dataset.from_pandas(frame, data_definition=definition), None)
found: dict[str, object] = {"records": len(frame)}
for metric in report.dict()["metrics"]:
    name = metric["metric_name"].partition("(")[0]
    if name in NAMES:
        found[NAMES[name]] = float(metric["value"])
print(json.dumps(found))
