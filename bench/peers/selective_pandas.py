"""Risk against coverage with pandas and numpy, without the table of the curve.

python bench/peers/selective_pandas.py FILE THRESHOLD
"""

import json
import sys

import pandas as pd
from wilson import wilson


def normal(texts: pd.Series) -> pd.Series:
    """Bring texts to the form in which answers are compared, each distinct one once."""
    codes, distinct = pd.factorize(texts)
    words = pd.Series(distinct).str.normalize("NFC").str.casefold().str.replace(r"[^\w]+", " ", regex=True)
    return words.str.strip().take(codes).reset_index(drop=True)


path, threshold = sys.argv[1], float(sys.argv[2])
frame = pd.read_json(path, lines=True, dtype=False)
wrong = normal(frame["expected"]) != normal(frame["predicted"])
points = wrong.groupby(frame["confidence"]).agg(["size", "sum"]).iloc[::-1].cumsum()
coverage, risk = points["size"] / len(frame), points["sum"] / points["size"]
accepted = frame["confidence"] >= threshold
n, failed = int(accepted.sum()), int((wrong & accepted).sum())
print(
    json.dumps(
        {
            "records": len(frame),
            "accepted": n,
            "abstained": len(frame) - n,
            "coverage": n / len(frame),
            "coverage_low": wilson(n, len(frame))[0],
            "coverage_high": wilson(n, len(frame))[1],
            "risk": failed / n,
            "risk_low": wilson(failed, n)[0],
            "risk_high": wilson(failed, n)[1],
            "risk_coverage_area": float((risk * coverage.diff().fillna(coverage.iloc[0])).sum()),
        }
    )
)
