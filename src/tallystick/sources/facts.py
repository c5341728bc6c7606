"""What a report says of an input, so that the same input can be recognised later."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Any, TypeAlias

from msgspec import Struct


class Facts(Struct):
    """The digest and size of one input file. Records given as Python objects have neither."""

    source: str
    name: str
    """As the caller spelled it; it is not part of a report's body."""
    sha256: str | None = None
    bytes: int = 0
    records: int = 0
    blank_lines: int = 0

    def body(self) -> dict[str, Any]:
        """Give the part that a report's body holds."""
        return {
            "input": self.source,
            "sha256": self.sha256,
            "bytes": self.bytes if self.sha256 else None,
            "records": self.records,
            "blank_lines": self.blank_lines,
        }


Watch: TypeAlias = Callable[[Sequence[Sequence[Facts]], int | None], AbstractContextManager[None]]
"""What runs beside a reading and shows how far it is, by facts, which grow meanwhile, and the total bytes."""
