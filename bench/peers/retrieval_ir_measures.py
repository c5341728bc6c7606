"""Measures of rankings with ir-measures; read by msgspec.

python bench/peers/retrieval_ir_measures.py FILE
"""

import sys

import ir_measures
import msgspec
from ir_measures import AP, RR, P, R, Success, nDCG
from wilson import wilson

CUTOFFS = (1, 3, 5, 10)
MEASURES = {"hit_rate": Success, "mrr": RR, "precision": P, "recall": R, "ndcg": nDCG}

with open(sys.argv[1], "rb") as file:
    queries = msgspec.json.Decoder().decode_lines(file.read())
qrels = {query["query_id"]: dict.fromkeys(query["relevant"], 1) for query in queries}
run = {
    query["query_id"]: {document: -float(rank) for rank, document in enumerate(query["retrieved"])}
    for query in queries
}
wanted = [AP, *(measure @ cutoff for measure in MEASURES.values() for cutoff in CUTOFFS)]
found = ir_measures.calc_aggregate(wanted, qrels, run)
hits = wilson(round(found[Success @ 10] * len(queries)), len(queries))
made = {
    "records": len(queries),
    "map": found[AP],
    **{name: found[measure @ 10] for name, measure in MEASURES.items() if name != "precision"},
    "hit_rate_low": hits[0],
    "hit_rate_high": hits[1],
    "cutoffs": [
        {"cutoff": cutoff, **{name: found[measure @ cutoff] for name, measure in MEASURES.items()}}
        for cutoff in CUTOFFS
    ],
}
print(msgspec.json.encode(made).decode())
