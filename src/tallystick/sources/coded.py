"""A column of strings of which few differ, as formats with dictionaries hold it."""

from collections.abc import Iterator, Sequence
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray


class Coded(Sequence[str]):
    """The words that occur, and for each record the number of its word.

    It reads as the list of its strings, which is made only when something asks for them; a tally may
    count the numbers instead.
    """

    def __init__(self, codes: NDArray[Any], words: list[str]) -> None:
        self.codes, self.words = codes, words
        self._strings: list[str] | None = None

    def strings(self) -> list[str]:
        """Give the list of strings."""
        if self._strings is None:
            self._strings = np.array(self.words, dtype=object).take(self.codes).tolist()
        return self._strings

    def take(self, rows: NDArray[np.intp]) -> "Coded":
        """Pick the strings at some positions."""
        return Coded(self.codes[rows], self.words)

    def __len__(self) -> int:
        return len(self.codes)

    @overload
    def __getitem__(self, place: int) -> str: ...
    @overload
    def __getitem__(self, place: slice) -> list[str]: ...
    def __getitem__(self, place: int | slice) -> str | list[str]:
        return self.words[self.codes[place]] if isinstance(place, int) else self.strings()[place]

    def __iter__(self) -> Iterator[str]:
        return iter(self.strings())
