"""Files and Python objects to batches of typed records: one door, whatever the format."""

import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, TypeAlias

from ..errors import SourceError, UsageError
from ..fields import is_distinct, repeated
from . import jsonl, mappings
from .batch import Batch
from .facts import Facts
from .shape import Shape, Slice

__all__ = ["Batch", "Facts", "Shape", "Slice", "Source", "listed", "read"]

Source: TypeAlias = str | os.PathLike[str] | Iterable[Any]
"""A path, ``-`` for standard input, or an iterable of mappings."""


def listed(given: Source | Iterable[Source]) -> list[Source]:
    """Give the sources of one input as a list: a path, several paths, or records."""
    if isinstance(given, str | os.PathLike):
        return [given]
    if isinstance(given, list | tuple) and given and all(isinstance(s, str | os.PathLike) for s in given):
        return list(given)
    if hasattr(given, "__iter__") and not isinstance(given, bytes | Mapping):
        return [given]
    raise UsageError("source", f"expected a path or an iterable of mappings, got {type(given).__name__}")


def read(
    source: Source, shape: Shape, name: str, max_bytes: int | None = None
) -> tuple[Facts, Iterator[Batch]]:
    """Open one source of the input called `name`.

    Returns
    -------
    The facts about it, complete once its batches are all read, and its batches.
    """
    if not isinstance(source, str | os.PathLike):
        facts = Facts(name, name)
        return facts, _distinct(mappings.read(source, name, shape, name, facts), shape)
    path = os.fspath(source)
    facts = Facts(name, "<stdin>" if path == "-" else path)
    return facts, _distinct(_file(path, facts, shape, name, max_bytes), shape)


def _distinct(batches: Iterator[Batch], shape: Shape) -> Iterator[Batch]:
    """Refuse a record with an array in which something occurs twice that must not."""
    fields = [field for field, leaf in shape.fields.items() if is_distinct(leaf.kind)]
    for batch in batches:
        for field in fields:
            for row, value in enumerate(getattr(batch, field)):
                if what := repeated(value):
                    raise batch.fault(row, field, what)
        yield batch


def _file(path: str, facts: Facts, shape: Shape, name: str, max_bytes: int | None) -> Iterator[Batch]:
    if path == "-":
        yield from jsonl.read(sys.stdin.buffer, facts.name, shape, name, facts, max_bytes)
        return
    try:
        if max_bytes is not None and Path(path).is_file() and Path(path).stat().st_size > max_bytes:
            raise SourceError(path, f"larger than --max-file-bytes {max_bytes}")
        with open(path, "rb") as stream:
            yield from jsonl.read(stream, facts.name, shape, name, facts, max_bytes)
    except FileNotFoundError:
        raise SourceError(path, "no such file") from None
    except IsADirectoryError:
        raise SourceError(path, "is a directory, not a file of records") from None
    except OSError as fault:
        raise SourceError(path, f"cannot be read: {fault.strerror or fault}") from fault
