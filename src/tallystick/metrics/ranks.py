"""Which of many values stands at a given share of them."""

import numpy as np
from numpy.typing import NDArray


def nearest_rank(counts: NDArray[np.int64], percent: int) -> int | None:
    """Find a percentile by nearest rank: it is one of the values, never something between two.

    Of n values, ascending, it is value number ``ceil(percent * n / 100)``, computed in integers.

    Parameters
    ----------
    counts
        How often each distinct value occurs, in ascending order of values (shape d).
    percent
        From 1 to 100.

    Returns
    -------
    The place of the percentile among the distinct values; None where nothing was counted.
    """
    upto = np.cumsum(counts)
    values = int(upto[-1]) if len(upto) else 0
    return int(np.searchsorted(upto, -(-percent * values // 100))) if values else None
