"""Exact match and token F1 in the plainest correct Python; without intervals.

python bench/peers/answers_python.py FILE
"""

import json
import sys
import unicodedata
from collections import Counter


def normal(text: str) -> list[str]:
    """Cut a text into words, one character after another."""
    kept = []
    for character in unicodedata.normalize("NFC", text).casefold():
        category = unicodedata.category(character)
        kept.append(character if category[0] in "LMN" or category == "Pc" else " ")
    return "".join(kept).split()


records, right, total = 0, 0, 0.0
with open(sys.argv[1], encoding="utf-8") as file:
    for line in file:
        record = json.loads(line)
        expected, predicted = normal(record["expected"]), normal(record["predicted"])
        shared = sum((Counter(expected) & Counter(predicted)).values())
        records += 1
        right += expected == predicted
        total += 2 * shared / (len(expected) + len(predicted))
print(json.dumps({"records": records, "exact_match": right / records, "token_f1": total / records}))
