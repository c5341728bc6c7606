"""Pages to visit: made by the commands that make them for everybody."""

import json
from contextlib import redirect_stdout
from io import BytesIO, TextIOWrapper
from itertools import cycle
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import tallystick
from tallystick.cli import main

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"

SUITE = ("run", str(EXAMPLES / "suite.toml"))
SELECTIVE = (
    *("selective", str(EXAMPLES / "digits-candidate.jsonl"), "--confidence-threshold", "0.9"),
    *("--slice-by", "ink", "--gate", "risk <= 0.05"),
)
"""A command for a page with a slider."""
PROBABILITIES = (
    *("probabilities", str(EXAMPLES / "digits-candidate.jsonl"), "--slice-by", "ink"),
    *("--gate", "accuracy >= 0.99"),
)

ATTACKS = (
    "</script><script>window.pwned=1</script>",
    "<img src=x onerror=window.pwned=1>",
    "{{7*7}}",
    "{% raw %}${7*7}",
    "\"'`--><svg/onload=window.pwned=1>",
    "]]></style><style>*{display:none}</style>",
    "<!--<script>",
    "javascript:window.pwned=1",
    "</title></textarea></details></table></main>",
    "x' onfocus='window.pwned=1' autofocus='",
    "&lt;b&gt;&amp;#x27;",
    "a\u202eb\u2066c\u001bd\u2028e\u200bf\u0085g",
)
"""Texts that would act on a page which does not escape them; the last holds characters that steer."""

FIELD = "<svg onload=pwned=1>{{7*7}}"
"""The name of a field, where a dot would part names."""

MALICE = """
[[classification]]
name = {0}
files = {6}
slice_by = {7}
gates = [
    {1},
    {2},
    {3},
]

[[selective]]
name = {4}
files = {6}
confidence_threshold = 0.5
slice_by = {7}
gates = [{5}]
"""


class Made(NamedTuple):
    """A page on disk, and what the JSON report of the same run holds."""

    page: Path
    report: dict[str, Any]


def made(folder: Path, *words: str) -> Made:
    """Run a command that writes its report and its page to a folder."""
    page, report = folder / "page.html", folder / "report.json"
    with redirect_stdout(TextIOWrapper(BytesIO(), "utf-8")):
        code = main([*words, "--output", str(report), "--html", str(page)])
    assert code in (0, 1, 3), code
    return Made(page, json.loads(report.read_bytes()))


def rendered(folder: Path, report: Path) -> Path:
    """Make a page of a report's file."""
    page = folder / "page.html"
    with redirect_stdout(TextIOWrapper(BytesIO(), "utf-8")):
        assert main(["render", str(report), "--html", str(page)]) == 0
    return page


def hostile(folder: Path) -> Made:
    """Make a page of labels, slices, files, audits and gates that are all attacks."""
    data = folder / f"{ATTACKS[0]}{ATTACKS[1]}.jsonl"  # its slashes make it a file in folders
    data.parent.mkdir(parents=True)
    predicted = cycle((*ATTACKS, ATTACKS[0]))
    records = (
        {
            "id": f"{label} {number}",
            "expected": label,
            "predicted": next(predicted),
            "confidence": number % 10 / 10,
            FIELD: ATTACKS[number % len(ATTACKS)],
        }
        for number, label in enumerate(ATTACKS * 5)
    )
    data.write_text("".join(json.dumps(record) + "\n" for record in records), "utf-8")
    texts = (
        ATTACKS[0],
        f"recall[{json.dumps(ATTACKS[0])}] >= 0.9",
        f"recall[{json.dumps(ATTACKS[1])}] >= 0",
        f"accuracy[{json.dumps(FIELD)}={json.dumps(ATTACKS[2])}] >= 0.9",
        ATTACKS[4],
        f"risk[{json.dumps(FIELD)}=*] <= 0.5",
        str(data),
        FIELD,
    )
    suite = folder / f"{ATTACKS[1]}.toml"
    suite.write_text(MALICE.format(*map(json.dumps, texts)), "utf-8")
    return made(folder, "run", str(suite))


def large(folder: Path, records: int, labels: int) -> Path:
    """Make the page of a classification with so many records, and as many slices as labels."""
    random = np.random.default_rng(5)
    names = np.array([f"label {number:03}" for number in range(labels)])
    groups = np.array([f"group {number:03}" for number in range(labels)])
    expected = random.integers(labels, size=records)
    predicted = np.where(random.random(records) < 0.2, random.integers(labels, size=records), expected)
    columns = {
        "expected": names[expected],
        "predicted": names[predicted],
        "group": groups[random.integers(labels, size=records)],
    }
    report = tallystick.run("classification", columns, slice_by="group", gates=["accuracy >= 0.5"])
    report.save(folder / "report.json")
    return rendered(folder, folder / "report.json")
