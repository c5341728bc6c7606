"""Freed memory of our own processes is used again, which shows in the pages that the system must give."""

import subprocess
import sys

import pytest

ROUNDS, ARRAYS, SIZE = 50, 8, 500_000
ONCE = ARRAYS * SIZE // 4096
"""Pages of the arrays of one round."""
PROGRAM = f"""
import resource
import numpy as np
from tallystick.engines import heap

def pages():
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt

heap.keep()
before = pages()
for _ in range({ROUNDS}):
    held = [np.ones({SIZE}, np.uint8) for _ in range({ARRAYS})]
    del held
print(pages() - before)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="only glibc can be told")
def test_pages_are_taken_once_and_not_again_for_every_piece() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)
    assert int(done.stdout) < 2 * ONCE
