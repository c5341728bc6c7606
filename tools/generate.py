"""Write the files that are made of declarations, or check that they are what they would be.

With `--check` it writes nothing, names each file of docs/audits/, docs/schemas/ and docs/cli.md that differs,
and exits 1 if one does.
"""

import json
import sys
from pathlib import Path

from tallystick.audits import AUDITS, find
from tallystick.flags import flags
from tallystick.pages import page
from tallystick.schema import envelope, schema

OTHERS = """\
Besides: `tally list`, `tally explain AUDIT`, `tally schema AUDIT`, `tally peek FILE`, `tally run SUITE`,
`tally init FILE...`, `tally render REPORT [FILE]`, `tally plot REPORT [NAME]`,
`tally verify REPORT AUDIT FILE...`, `tally bless REPORT --as BASELINE`, `tally diff OLD NEW`,
`tally --version`, `tally --install-completion`. `-` reads standard input."""

DOCS = Path(__file__).resolve().parent.parent / "docs"


def generated() -> dict[Path, str]:
    """Give the text of every generated file."""
    files = {DOCS / "audits" / f"{name}.md": page(name) for name in AUDITS}
    for name in AUDITS:
        files[DOCS / "schemas" / f"{name}.json"] = json.dumps(schema(name), indent=1) + "\n"
    files[DOCS / "schemas" / "report.json"] = json.dumps(envelope(), indent=1) + "\n"
    files[DOCS / "audits" / "README.md"] = index()
    files[DOCS / "cli.md"] = cli()
    return files


def index() -> str:
    """List the audits."""
    rows = [f"| [{name}]({name}.md) | {question} |" for name, question in AUDITS.items()]
    return "\n".join(["# The audits", "", "| audit | question |", "| --- | --- |", *rows, ""])


def cli() -> str:
    """Write the page of the command line: every flag of every audit."""
    parts = [
        "# The command line",
        "`tally AUDIT FILE... [options] [gates] [--output report.json] [--format text|json]`",
        OTHERS,
    ]
    for name, question in AUDITS.items():
        parts += [f"## tally {name}", question]
        lines = ["| flag | |", "| --- | --- |"]
        for flag in flags(find(name)):
            about = str(flag.declared().__metadata__[0].help).replace("|", "\\|")
            lines.append(f"| `{flag.spelling}` | {about} |")
        parts.append("\n".join(lines))
    return "\n\n".join(parts) + "\n"


def main(words: list[str]) -> int:
    """Write or check; give the exit code."""
    wanted = generated()
    present = {*DOCS.glob("audits/*.md"), *DOCS.glob("schemas/*.json")}
    different = [
        path for path, text in wanted.items() if not (path.exists() and path.read_text("utf-8") == text)
    ]
    stray = sorted(present - wanted.keys())
    if "--check" in words:
        for path in [*different, *stray]:
            print(f"{path.relative_to(DOCS.parent)} is not what tools/generate.py would write")
        return 1 if different or stray else 0
    for path in different:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(wanted[path], encoding="utf-8")
        print(f"wrote {path.relative_to(DOCS.parent)}")
    for path in stray:
        path.unlink()
        print(f"removed {path.relative_to(DOCS.parent)}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
