"""Compare the transcripts of the command line with what it prints now, or write them anew.

    python tools/transcripts.py            name those that differ, and exit 1
    python tools/transcripts.py --write    write them; read the difference before committing it

A new transcript needs only its `$ tally ...` lines.
"""

import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from transcripts import perform, transcripts


def main(arguments: list[str]) -> int:
    """Perform every transcript."""
    differing = 0
    for path in transcripts():
        before = path.read_text(encoding="utf-8")
        with tempfile.TemporaryDirectory() as folder:
            now = perform(before, Path(folder) / "data")
        if now != before:
            differing += 1
            print(f"{path.name} {'written' if '--write' in arguments else 'differs'}")
            if "--write" in arguments:
                path.write_text(now, encoding="utf-8")
    return 1 if differing and "--write" not in arguments else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
