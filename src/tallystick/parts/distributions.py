"""Columns of distributions: one label set in the whole input, sums near 1, as a matrix."""

from collections.abc import Callable
from itertools import chain
from math import fsum
from operator import itemgetter
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ..errors import RecordError
from ..fields import show
from ..metrics.scoring import sums_to_one
from ..sources.batch import Batch
from ..tallies import Crosstab

Labels: TypeAlias = tuple[str, ...]


def conflicting(counted: Crosstab) -> str | None:
    """Say which label sets differ among records counted by label set; None where there is one set.

    Within one reading `matrix` refuses the record; this is for parts of an input that were read apart.
    """
    sets = [(show(labels), count) for labels, count in counted]
    listed = " and ".join(f"{labels} ({count} records)" for labels, count in sets[:2])
    return f"all records must have the same labels, got {listed}" if len(sets) > 1 else None


def labels_of(counted: Crosstab) -> Labels:
    """Give the labels of records counted by label set, which is one; none where there are no records."""
    return next((tuple(map(str, labels)) for labels, _ in counted), ())


def matrix(batch: Batch, field: str, labels: Labels, tolerance: float) -> tuple[Labels, NDArray[np.float64]]:
    """Read a column of distributions as a matrix, and refuse the first record that does not fit.

    Parameters
    ----------
    batch
        Records of which `field` is a `Distribution`.
    labels
        The labels that each record must have; where empty, those of the first record.
    tolerance
        How far from 1 the probabilities of a record may sum.

    Returns
    -------
    The labels in code point order, and the probabilities in that order: shape n by the number of labels.

    Raises
    ------
    RecordError
        For a record with other labels, or whose probabilities do not sum to 1.
    """
    column: list[dict[str, float]] = getattr(batch, field)
    labels = labels or tuple(sorted(column[0]))
    size, wanted = len(labels), set(labels)
    for row in np.flatnonzero(np.fromiter(map(len, column), np.intp, len(column)) != size).tolist():
        raise _unlike(batch, field, row, column[row].keys(), wanted)
    try:
        flat = np.fromiter(chain.from_iterable(map(_values(labels), column)), np.float64, len(column) * size)
    except KeyError:
        row = next(row for row, scores in enumerate(column) if scores.keys() != wanted)
        raise _unlike(batch, field, row, column[row].keys(), wanted) from None
    p = flat.reshape(len(column), size)
    for row in np.flatnonzero(~sums_to_one(p, tolerance)).tolist():
        off = f"off 1 by more than --sum-tolerance {tolerance!r}"
        what = f"the probabilities sum to {fsum(p[row].tolist())!r}, {off}"
        raise batch.fault(row, field, what)
    return labels, p


def places(batch: Batch, field: str, labels: Labels) -> NDArray[np.intp]:
    """Give the place of each label of a column among `labels`, and refuse one that is not there."""
    column: list[str] = getattr(batch, field)
    known = {label: place for place, label in enumerate(labels)}
    found = np.fromiter((known.get(label, -1) for label in column), np.intp, len(column))
    for row in np.flatnonzero(found < 0).tolist():
        raise batch.fault(row, field, f"{show(column[row])} is none of the labels {show(labels)}")
    return found


def _values(labels: Labels) -> Callable[[dict[str, float]], Any]:
    if len(labels) == 1:
        return lambda scores: (scores[labels[0]],)
    return itemgetter(*labels)


def _unlike(batch: Batch, field: str, row: int, labels: Any, wanted: set[str]) -> RecordError:
    extra, missing = sorted(labels - wanted), sorted(wanted - labels)
    parts = [f"label {show(extra[0])} is not in the records before it"] if extra else []
    parts += [f"label {show(missing[0])} of the records before it is missing"] if missing else []
    return batch.fault(row, field, " and ".join(parts))
