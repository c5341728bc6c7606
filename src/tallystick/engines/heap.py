"""The heap of a process that is ours: what is freed is kept for the next piece of a file.

The arrays of one piece are freed before those of the next are made. By default glibc returns them to the
system and takes them anew, page by page, which costs more than computing with them. A program that imports
us keeps its own settings.
"""

import sys
from ctypes import CDLL, c_int

LARGE = 4 << 20
"""Bytes from which an array is the system's to give and to take back: more than a piece needs."""

KEPT = 64 << 20
"""Bytes of freed memory that are kept at most."""

_TRIM_THRESHOLD, _TOP_PAD, _MMAP_THRESHOLD = -1, -2, -3
"""The parameters' numbers in glibc's ``malloc.h``."""


def keep() -> None:
    """Have this process keep freed memory, where its C library can be told so."""
    if sys.platform != "linux":
        return
    set_ = getattr(CDLL(None), "mallopt", None)
    if set_ is not None:
        set_.argtypes = [c_int, c_int]
        for name, value in ((_MMAP_THRESHOLD, LARGE), (_TRIM_THRESHOLD, KEPT), (_TOP_PAD, LARGE)):
            set_(name, value)
