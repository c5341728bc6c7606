"""The audits: one file each, and the one list of them."""

from importlib import import_module
from typing import Any

from ..audit import Audit
from ..errors import UsageError, suggest

AUDITS: dict[str, str] = {
    "answers": "How many answers match the expected ones?",
    "comparison": "Is the candidate better than the baseline on the same cases?",
    "paired-correctness": "What did the candidate fix, and what did it break?",
    "consistency": "Do repeated runs give the same answer?",
    "disparity": "How far apart are the best and the worst group?",
    "classification": "Which classes does a classifier confuse?",
    "multilabel": "Are the right sets of labels predicted?",
    "label-drift": "Did the mix of labels change?",
    "pairwise": "Which of two systems is preferred?",
    "position-bias": "Does the judge prefer what it sees first?",
    "calibration": "Do stated confidences match observed accuracy?",
    "agreement": "Do two raters agree beyond chance?",
    "selective": "What is gained by abstaining when unsure?",
    "probabilities": "Does the model put its probability in the right place?",
    "probability-drift": "Did probability move between versions?",
    "predictions": "Are scored predictions right, and are their probabilities usable?",
    "questions": "How good are a run's choice, yes/no and ordered answers?",
    "retrieval": "Are relevant documents retrieved, and early?",
    "ranking-drift": "Did rankings change?",
    "score-drift": "Did an evaluator's scores move?",
    "runtime": "Did a run stay inside its budget?",
    "overlap": "Is the same text in two data sets?",
    "release": "Which candidate may ship?",
}
"""Name and question of every audit; the question is the first line of its module's docstring."""


def find(name: str) -> type[Audit[Any, Any]]:
    """Give an audit by its name, importing its module and no other.

    Raises
    ------
    UsageError
        Where no audit has this name.
    """
    if name not in AUDITS:
        raise UsageError("", f"unknown audit {name!r}", suggest(str(name), AUDITS) or "tally list names them")
    module = import_module(f".{name.replace('-', '_')}", __name__)
    found: type[Audit[Any, Any]] = getattr(module, "".join(part.title() for part in name.split("-")))
    return found
