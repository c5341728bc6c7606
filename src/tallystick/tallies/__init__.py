"""The mergeable components that audits count into.

A tally is a commutative monoid: a new one is the identity, and `merge` is associative and commutative.
`dump` gives its state as plain data of msgpack, in an order that depends on the state alone, and
`load` takes it back. Audits never merge: `tallystick.audit` does it for them, tally by tally.
"""

from typing import Any, Protocol, Self, runtime_checkable

from .compound import Compound
from .copies import Copies
from .counts import Counts
from .crosstab import Crosstab
from .extremes import Extremes
from .fingerprints import Fingerprints
from .firsts import Firsts
from .keyed import KeyedSums
from .keyed_values import KeyedValues
from .rationals import Rationals
from .sightings import Sightings
from .squares import Squares
from .sums import Sums
from .values import Values

__all__ = [
    "Compound",
    "Copies",
    "Counts",
    "Crosstab",
    "Extremes",
    "Fingerprints",
    "Firsts",
    "KeyedSums",
    "KeyedValues",
    "Rationals",
    "Sightings",
    "Squares",
    "Sums",
    "Tally",
    "Values",
]


@runtime_checkable
class Tally(Protocol):
    """What every component can do besides being added to."""

    def merge(self, other: Self, /) -> None:
        """Add what another tally of the same make has counted."""

    def dump(self) -> Any:
        """Give the state as plain data."""

    def load(self, state: Any, /) -> None:
        """Take a dumped state in place of the present one."""
