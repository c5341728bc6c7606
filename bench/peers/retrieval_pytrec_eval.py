"""Measures of rankings with pytrec_eval; read by msgspec. It cuts no reciprocal rank off.

python bench/peers/retrieval_pytrec_eval.py FILE
"""

import sys

import msgspec
import pytrec_eval
from wilson import wilson

CUTOFFS = (1, 3, 5, 10)
NAMES = {"hit_rate": "success", "precision": "P", "recall": "recall", "ndcg": "ndcg_cut"}

with open(sys.argv[1], "rb") as file:
    queries = msgspec.json.Decoder().decode_lines(file.read())
qrels = {query["query_id"]: dict.fromkeys(query["relevant"], 1) for query in queries}
run = {
    query["query_id"]: {document: -float(rank) for rank, document in enumerate(query["retrieved"])}
    for query in queries
}
cuts = ",".join(map(str, CUTOFFS))
evaluator = pytrec_eval.RelevanceEvaluator(
    qrels, {"map", "recip_rank", *(f"{name}.{cuts}" for name in NAMES.values())}
)
rows = evaluator.evaluate(run).values()
found = {name: sum(row[name] for row in rows) / len(queries) for name in next(iter(rows))}
hits = wilson(round(found["success_10"] * len(queries)), len(queries))
made = {
    "records": len(queries),
    "map": found["map"],
    "mrr": found["recip_rank"],
    **{name: found[f"{theirs}_10"] for name, theirs in NAMES.items() if name != "precision"},
    "hit_rate_low": hits[0],
    "hit_rate_high": hits[1],
    "cutoffs": [
        {"cutoff": cutoff, **{name: found[f"{theirs}_{cutoff}"] for name, theirs in NAMES.items()}}
        for cutoff in CUTOFFS
    ],
}
print(msgspec.json.encode(made).decode())
