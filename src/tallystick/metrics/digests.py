"""Texts compared by digest, as they stand and after normalisation."""

import unicodedata
from collections.abc import Sequence
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray


def folded(text: str) -> str:
    """Bring a text to the form in which copies are found.

    Unicode normalisation NFKC, full case folding, NFKC once more; runs of white space (as `str.split` knows
    it) become one space, and none is left at the ends.
    """
    if text.isascii():
        return " ".join(text.lower().split())
    composed = unicodedata.normalize("NFKC", text).casefold()
    return " ".join(unicodedata.normalize("NFKC", composed).split())


def digests(texts: Sequence[str], forms: Sequence[str]) -> NDArray[np.uint64]:
    """Take digests of texts (n) and of their normalised forms (n).

    Returns
    -------
    Shape (n, 3): the BLAKE2b digest of the form, 128 bits in two columns, and the first 64 bits of the digest
    of the text as it stands, which need only tell texts of one form apart.
    """
    parts = []
    for text, form in zip(texts, forms, strict=True):
        whole = _digest(form)
        parts += [whole, (whole if form == text else _digest(text))[:8]]
    return np.frombuffer(b"".join(parts), dtype="<u8").reshape(-1, 3)


def _digest(text: str) -> bytes:
    return blake2b(text.encode("utf-8"), digest_size=16).digest()
