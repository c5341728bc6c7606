"""What `overlap` costs beside joins that hold the texts: Python's dictionaries, and pandas where it is there.

    python bench/bench_overlap.py [reference texts] [candidate texts]

Defaults to 1,000,000 and 100,000 texts of about 100 characters. A tenth of the candidates are in the
reference, half of these in another case. Every contender reads the same two files, checks that ids are
unique, normalises alike and must find the same matches. Each runs three times in a process of its own, in
turn. Printed are the least time of the processor, the largest peak memory above that of the imports, and the
ratio of times.
"""

import json
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import tallystick
from tallystick.metrics.digests import folded

RUNS = 3
Found = tuple[int, int, int]
"""Raw matches, normalized matches, matched candidates."""


def write(folder: Path, reference: int, candidate: int) -> None:
    """Write the two inputs, the same for the same sizes."""
    draw = random.Random(7)  # noqa: S311  data, not secrets
    words = ["".join(draw.choices("abcdefghijklmnopqrstuvwxyz", k=draw.randint(2, 9))) for _ in range(20_000)]
    words += ["Größe", "naïve", "ﬁle"]

    def text() -> str:
        return " ".join(draw.choices(words, k=16))

    copied = draw.sample(range(reference), candidate // 10)
    kept: dict[int, str] = dict.fromkeys(copied, "")
    with (folder / "reference.jsonl").open("w", encoding="utf-8") as file:
        for row in range(reference):
            made = text()
            if row in kept:
                kept[row] = made
            file.write(json.dumps({"id": f"reference-{row:08d}", "text": made}) + "\n")
    with (folder / "candidate.jsonl").open("w", encoding="utf-8") as file:
        for row in range(candidate):
            made = text()
            if row < len(copied):
                made = kept[copied[row]] if row % 2 else kept[copied[row]].upper()
            file.write(json.dumps({"id": f"candidate-{row:08d}", "text": made}) + "\n")


def tally(folder: Path) -> Found:
    """Run the audit."""
    found = tallystick.run("overlap", folder / "reference.jsonl", folder / "candidate.jsonl").result
    return found["raw_exact_matches"], found["normalized_matches"], found["matched_candidate_records"]


def _texts(path: Path) -> dict[str, str]:
    with path.open(encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    texts = {row["id"]: row["text"] for row in rows}
    if len(texts) != len(rows):
        raise SystemExit("an id occurs twice")
    return texts


def plain(folder: Path) -> Found:
    """Join with dictionaries of the texts and of their normalised forms."""
    reference = _texts(folder / "reference.jsonl")
    raw, forms = Counter(reference.values()), Counter(map(folded, reference.values()))
    exact = every = matched = 0
    for text in _texts(folder / "candidate.jsonl").values():
        copies = forms.get(folded(text), 0)
        exact += raw.get(text, 0)
        every += copies
        matched += copies > 0
    return exact, every - exact, matched


def pandas(folder: Path) -> Found:
    """Merge two frames on the normalised form."""
    frames = import_module("pandas")
    sides = []
    for name in ("reference", "candidate"):
        frame = frames.read_json(folder / f"{name}.jsonl", lines=True, dtype=False)
        if not frame["id"].is_unique:
            raise SystemExit("an id occurs twice")
        sides.append(frame.assign(form=frame["text"].map(folded)))
    pairs = sides[0].merge(sides[1], on="form", suffixes=("_reference", "_candidate"))
    exact = int((pairs["text_reference"] == pairs["text_candidate"]).sum())
    return exact, len(pairs) - exact, int(pairs["id_candidate"].nunique())


CONTENDERS: dict[str, Callable[[Path], Found]] = {"tally overlap": tally, "plain Python": plain}
if find_spec("pandas"):
    CONTENDERS["pandas merge"] = pandas


def measure(name: str, folder: Path) -> dict[str, Any]:
    """Run one contender in this process."""
    import_module("tallystick.audits.overlap")
    if name == "pandas merge":
        import_module("pandas")
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    started = time.process_time()
    found = CONTENDERS[name](folder)
    seconds = time.process_time() - started
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    return {"found": found, "seconds": seconds, "megabytes": peak / 1024}


def main() -> None:
    """Measure all contenders, in turn, and print a table."""
    sizes = [int(word) for word in sys.argv[1:]] or [1_000_000, 100_000]
    with tempfile.TemporaryDirectory() as name:
        write(Path(name), *sizes)
        rounds = [{one: _apart(one, name) for one in CONTENDERS} for _ in range(RUNS)]
    if len({str(row["found"]) for one in rounds for row in one.values()}) != 1:
        raise SystemExit(f"they disagree: {rounds}")
    print(
        f"{sizes[0]:,} by {sizes[1]:,} texts: raw, normalized, matched {rounds[0]['tally overlap']['found']}"
    )
    base = min(one["tally overlap"]["seconds"] for one in rounds)
    for contender in CONTENDERS:
        seconds = min(one[contender]["seconds"] for one in rounds)
        megabytes = max(one[contender]["megabytes"] for one in rounds)
        print(f"{contender:14} {seconds:7.2f} s {megabytes:7.0f} MB {seconds / base:6.2f} x")


def _apart(contender: str, folder: str) -> dict[str, Any]:
    """Run one contender in a process of its own."""
    words = [sys.executable, __file__, "--only", contender, folder]
    found: dict[str, Any] = json.loads(subprocess.run(words, check=True, capture_output=True).stdout)
    return found


if __name__ == "__main__":
    if sys.argv[1:2] == ["--only"]:
        print(json.dumps(measure(sys.argv[2], Path(sys.argv[3]))))
    else:
        main()
