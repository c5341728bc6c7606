"""Make the reports of golden cases that have none yet.

    python tools/golden.py                 write what is missing
    python tools/golden.py --force CASE    rewrite one case, such as agreement/pass

Check the numbers of a new report by hand or with another program before committing it.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from golden_cases import GOLDEN, cases, run


def main(arguments: list[str]) -> int:
    """Write the files of cases, and say which."""
    forced = {GOLDEN / name for name in arguments if name != "--force"} if "--force" in arguments else set()
    if "--force" in arguments and not forced:
        print("name the cases to rewrite")
        return 2
    for case in cases():
        if forced and case not in forced:
            continue
        for name, text in run(case).files.items():
            if forced or not (case / name).exists():
                (case / name).write_text(text, encoding="utf-8")
                print(f"wrote {case.relative_to(GOLDEN) / name}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
