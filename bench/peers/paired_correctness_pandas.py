"""McNemar's exact test of two systems with pandas and scipy.

python bench/peers/paired_correctness_pandas.py FILE
"""

import json
import sys

import pandas as pd
from scipy.stats import binomtest
from wilson import wilson


def normal(texts: pd.Series) -> pd.Series:
    """Bring texts to the form in which answers are compared, each distinct one once."""
    codes, distinct = pd.factorize(texts)
    words = pd.Series(distinct).str.normalize("NFC").str.casefold().str.replace(r"[^\w]+", " ", regex=True)
    return words.str.strip().take(codes).reset_index(drop=True)


frame = pd.read_json(sys.argv[1], lines=True, dtype=False)
if not frame["id"].is_unique:
    raise SystemExit("an id occurs twice")
expected = normal(frame["expected"])
before, after = (normal(frame[side]) == expected for side in ("baseline", "candidate"))
records = len(frame)
improvements, regressions = int((after & ~before).sum()), int((before & ~after).sum())
discordant = improvements + regressions
found: dict[str, float] = {
    "records": records,
    "both_correct": int((before & after).sum()),
    "both_incorrect": int((~before & ~after).sum()),
    "improvements": improvements,
    "regressions": regressions,
    "discordant": discordant,
    "accuracy_difference": (improvements - regressions) / records,
    "exact_p_value": binomtest(min(improvements, regressions), discordant).pvalue,
}
for name, part, whole in (
    ("baseline_accuracy", int(before.sum()), records),
    ("candidate_accuracy", int(after.sum()), records),
    ("discordant_win_rate", improvements, discordant),
):
    found[name] = part / whole
    found[f"{name}_low"], found[f"{name}_high"] = wilson(part, whole)
print(json.dumps(found))
