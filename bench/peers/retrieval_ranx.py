"""Measures of rankings with ranx; read by msgspec.

python bench/peers/retrieval_ranx.py FILE
"""

import sys

import msgspec
from ranx import Qrels, Run, evaluate
from wilson import wilson

CUTOFFS = (1, 3, 5, 10)
NAMES = ("hit_rate", "mrr", "precision", "recall", "ndcg")

with open(sys.argv[1], "rb") as file:
    queries = msgspec.json.Decoder().decode_lines(file.read())
qrels = Qrels({query["query_id"]: dict.fromkeys(query["relevant"], 1) for query in queries})
run = Run(
    {
        query["query_id"]: {document: -float(rank) for rank, document in enumerate(query["retrieved"])}
        for query in queries
    }
)
found = evaluate(qrels, run, ["map", *(f"{name}@{cutoff}" for name in NAMES for cutoff in CUTOFFS)])
hits = wilson(round(found["hit_rate@10"] * len(queries)), len(queries))
made = {
    "records": len(queries),
    "map": found["map"],
    **{name: found[f"{name}@10"] for name in NAMES if name != "precision"},
    "hit_rate_low": hits[0],
    "hit_rate_high": hits[1],
    "cutoffs": [
        {"cutoff": cutoff, **{name: found[f"{name}@{cutoff}"] for name in NAMES}} for cutoff in CUTOFFS
    ],
}
print(msgspec.json.encode(made, enc_hook=float).decode())
