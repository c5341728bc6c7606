"""A column of strings of which few differ, as formats with dictionaries hold it."""

from collections.abc import Iterator, Sequence
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

FEW = 128
"""Different strings of a column up to which it is worth numbering them."""


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
        if self._strings is None and len(self.words) > len(self.codes):
            self._strings = list(map(self.words.__getitem__, self.codes.tolist()))
        elif self._strings is None:
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


def light(column: Any) -> Any:
    """Give a list of strings of which few differ as `Coded`, which takes less memory; any other as it is."""
    if not isinstance(column, list):
        return column
    try:
        words = list(dict.fromkeys(column[:FEW]))
        if 2 * len(words) > len(column[:FEW]):
            return column
        words = list(dict.fromkeys(column))
    except TypeError:  # of arrays or objects
        return column
    if len(words) > FEW or set(map(type, words)) != {str}:
        return column
    numbers = dict(zip(words, range(len(words)), strict=True))
    return Coded(np.frombuffer(bytes(map(numbers.__getitem__, column)), np.uint8), words)


def end_to_end(columns: Sequence[Coded]) -> Coded:
    """Join columns."""
    words = list(dict.fromkeys(word for column in columns for word in column.words))
    numbers = dict(zip(words, range(len(words)), strict=True))
    kind = np.min_scalar_type(len(words))
    parts = [np.array([numbers[word] for word in column.words], kind)[column.codes] for column in columns]
    return Coded(np.concatenate(parts), words)
