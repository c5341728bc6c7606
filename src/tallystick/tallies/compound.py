"""Several tallies as one."""

from collections.abc import Mapping
from typing import Any, Self


class Compound:
    """A tally made of tallies: whatever of its attributes can be merged.

    A subclass makes them in its constructor, and says how records are added.
    """

    def _parts(self) -> dict[str, Any]:
        return {name: part for name, part in sorted(vars(self).items()) if hasattr(part, "merge")}

    def merge(self, other: Self) -> None:
        """Add what another tally of the same make has counted."""
        theirs = other._parts()
        for name, part in self._parts().items():
            part.merge(theirs[name])

    def dump(self) -> dict[str, Any]:
        """Give the state of all parts, by the name of their attribute."""
        return {name: part.dump() for name, part in self._parts().items()}

    def load(self, state: Mapping[str, Any]) -> None:
        """Take a dumped state."""
        for name, part in self._parts().items():
            part.load(state[name])
