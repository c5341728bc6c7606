"""The engine of one process: batch after batch, in bounded memory."""

import gc
from collections.abc import Iterable

from ..audit import Sliced
from ..sources.batch import Batch


def accumulate(state: Sliced, batches: Iterable[Batch]) -> Sliced:
    """Add batches to the tallies.

    Records are decoded into objects that hold no references to each other, so the collector of reference
    cycles would only slow this down; it rests meanwhile.
    """
    collecting = gc.isenabled()
    gc.disable()
    try:
        for batch in batches:
            state.update(batch)
    finally:
        if collecting:
            gc.enable()
    return state
