"""Copies of texts between two files by a merge of pandas.

python bench/peers/overlap_pandas.py REFERENCE CANDIDATE
"""

import json
import sys

import pandas as pd
from wilson import wilson


def read(path: str) -> pd.DataFrame:
    """Read texts, and bring them to the form in which copies are found."""
    frame = pd.read_json(path, lines=True, dtype=False)
    if not frame["id"].is_unique:
        raise SystemExit("an id occurs twice")
    folds = frame["text"].str.normalize("NFKC").str.casefold().str.normalize("NFKC")
    return frame.assign(form=folds.str.replace(r"\s+", " ", regex=True).str.strip())


reference, candidate = map(read, sys.argv[1:])
pairs = reference.merge(candidate, on="form", suffixes=("_reference", "_candidate"))
exact = int((pairs["text_reference"] == pairs["text_candidate"]).sum())
matched = int(pairs["id_candidate"].nunique())
low, high = wilson(matched, len(candidate))
print(
    json.dumps(
        {
            "reference_records": len(reference),
            "candidate_records": len(candidate),
            "raw_exact_matches": exact,
            "normalized_matches": len(pairs) - exact,
            "matched_reference_records": int(pairs["id_reference"].nunique()),
            "matched_candidate_records": matched,
            "overlap_rate": matched / len(candidate),
            "overlap_rate_low": low,
            "overlap_rate_high": high,
        }
    )
)
