"""Copies of texts between two files with dictionaries that hold them.

python bench/peers/overlap_python.py REFERENCE CANDIDATE
"""

import json
import sys
import unicodedata
from collections import Counter

from wilson import wilson


def folded(text: str) -> str:
    """Bring a text to the form in which copies are found."""
    folds = unicodedata.normalize("NFKC", text).casefold()
    return " ".join(unicodedata.normalize("NFKC", folds).split())


def texts(path: str) -> dict[str, str]:
    """Read the texts of a file by their ids."""
    with open(path, encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    held = {row["id"]: row["text"] for row in rows}
    if len(held) != len(rows):
        raise SystemExit("an id occurs twice")
    return held


reference, candidate = map(texts, sys.argv[1:])
raw, forms = Counter(reference.values()), Counter(map(folded, reference.values()))
exact = pairs = matched = 0
for text in candidate.values():
    copies = forms[folded(text)]
    exact += raw[text]
    pairs += copies
    matched += copies > 0
low, high = wilson(matched, len(candidate))
print(
    json.dumps(
        {
            "reference_records": len(reference),
            "candidate_records": len(candidate),
            "raw_exact_matches": exact,
            "normalized_matches": pairs - exact,
            "matched_candidate_records": matched,
            "overlap_rate": matched / len(candidate),
            "overlap_rate_low": low,
            "overlap_rate_high": high,
        }
    )
)
