"""Lines of text with styles, and how they are printed without any.

rich prints what is laid out by `__rich__` or `__rich_console__`; `plainly` gives its lines
for a width, or None where something does not fit as it is. So rich, which is slow to import, is needed only
where a terminal has styles, or a text must be wrapped.
"""

from collections.abc import Sequence
from io import StringIO
from itertools import chain
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from rich.console import RenderableType


class Laid(Protocol):
    """Something that is laid out when the width is known."""

    def plainly(self, width: int) -> list[str] | None:
        """Give its lines without styles, or None where it does not fit as it is."""
        ...


class Text:
    """One line, in one style or in parts that have styles of their own."""

    def __init__(self, plain: str = "", style: str = "", parts: Sequence[tuple[str, str]] = ()) -> None:
        self.style, self._parts = style, parts
        self.plain = "".join(text for text, _ in parts) if parts else plain

    @property
    def cell_len(self) -> int:
        """The columns that it takes."""
        return cell_len(self.plain)

    def plainly(self, width: int) -> list[str] | None:
        """Give the line, if it fits."""
        return [self.plain] if self.cell_len <= width else None

    def __rich__(self) -> "RenderableType":
        from rich.text import Text as Rich  # noqa: PLC0415

        return Rich.assemble(*self._parts) if self._parts else Rich(self.plain, self.style)


class Group:
    """Some things below each other."""

    def __init__(self, *parts: Laid) -> None:
        self.parts = parts

    def plainly(self, width: int) -> list[str]:
        """Give the lines of all parts; those that do not fit as they are, are wrapped."""
        parts = (part.plainly(width) or printed(part, width).splitlines() for part in self.parts)
        return list(chain.from_iterable(parts))

    def __rich__(self) -> "RenderableType":
        from rich.console import Group as Rich  # noqa: PLC0415

        return Rich(*self.parts)  # type: ignore[arg-type]


def printed(laid_out: Any, width: int, *, fancy: bool = False) -> str:
    """Give what rich prints in so many columns, with styles or without."""
    from rich.console import Console  # noqa: PLC0415

    paper = StringIO()
    console = Console(
        file=paper, force_terminal=fancy, width=width, height=25, highlight=False, emoji=False, markup=False
    )
    console.print(laid_out)
    return paper.getvalue()


def cell_len(text: str) -> int:
    """Give the columns of a terminal that a text takes."""
    if text.isascii() and text.isprintable():
        return len(text)
    from rich.cells import cell_len as wide  # noqa: PLC0415

    return wide(text)
