"""Streams of bytes: where they come from, what digest they have, and what they unpack to."""

import hashlib
import re
import sys
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import Any, Protocol

from ..errors import SourceError
from .facts import Facts

OPENING = 65_536
"""Bytes that are looked at to tell what a stream is."""

PIECE = 1 << 20
"""Bytes that are read at a time where nothing else is asked for."""

_REMOTE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")
_GZIP, _ZSTD = b"\x1f\x8b", b"\x28\xb5\x2f\xfd"


class Bytes(Protocol):
    """A stream of bytes."""

    def read(self, size: int, /) -> bytes:
        """Give the next bytes, at most so many; none at the end."""
        ...


def is_remote(path: str) -> bool:
    """Whether a path names a file system: ``s3://bucket/file``."""
    return _REMOTE.match(path) is not None


@contextmanager
def opened(path: str) -> Iterator[Any]:
    """Open a local or remote file, or standard input, for reading bytes.

    Raises
    ------
    SourceError
        Where it cannot be read, then or later.
    """
    try:
        if path == "-":
            if sys.stdin is None:
                raise SourceError("-", "standard input is closed")
            yield sys.stdin.buffer
        elif is_remote(path):
            with _remote(path) as stream:
                yield stream
        else:
            with open(path, "rb") as stream:
                yield stream
    except FileNotFoundError:
        raise SourceError(path, "no such file") from None
    except IsADirectoryError:
        raise SourceError(path, "is a directory, not a file of records") from None
    except OSError as fault:
        raise SourceError(path, f"cannot be read: {fault.strerror or fault}") from fault


def _remote(path: str) -> Any:
    needed("pyarrow", "arrow", f"read {path}")
    from .parquet import remote

    return remote(path)


def needed(module: str, extra: str, purpose: str) -> Any:
    """Import a module that only an extra brings.

    Raises
    ------
    SourceError
        Where it is not installed.
    """
    try:
        return import_module(module)
    except ImportError:
        raise SourceError("", f"install tallystick[{extra}] to {purpose}") from None


class _Ahead(ABC):
    """A stream that can be looked at before it is read, and that gives no more bytes than a limit."""

    def __init__(self, name: str) -> None:
        self.limit: int | None = None
        self._name, self._size, self._ahead = name, 0, b""

    def peek(self) -> bytes:
        """Look at the first bytes without reading them."""
        while len(self._ahead) < OPENING and (more := self._next(OPENING)):
            self._ahead += more
        return self._ahead

    def read(self, size: int, /) -> bytes:
        """Give the next bytes, at most so many; none at the end."""
        data = self._ahead[:size] or self._next(size)
        self._ahead = self._ahead[len(data) :]
        self._size += len(data)
        if self.limit is not None and self._size > self.limit:
            raise too_large(self._name, self.limit)
        return data

    def pieces(self) -> Iterator[bytes]:
        """Give all bytes that are left."""
        return iter(lambda: self.read(PIECE), b"")

    @abstractmethod
    def _next(self, size: int) -> bytes:
        """Give the next bytes of the stream, at most so many; none at the end."""


def too_large(name: str, limit: int) -> SourceError:
    """Make the error for a stream of too many bytes."""
    return SourceError(name, f"larger than --max-file-bytes {limit}")


class Tape(_Ahead):
    """The bytes of a file as they are stored: counted and digested as they are read."""

    def __init__(self, stream: Bytes, facts: Facts) -> None:
        super().__init__(facts.name)
        self._stream, self._facts = stream, facts
        self._digest = hashlib.sha256()

    def drain(self) -> None:
        """Read all that is left, for the digest only."""
        for _ in self.pieces():
            pass

    def _next(self, size: int) -> bytes:
        data = self._stream.read(size)
        self._digest.update(data)
        self._facts.bytes += len(data)
        self._facts.sha256 = None if data else self._digest.hexdigest()
        return data


def packing(opening: bytes, path: str) -> str | None:
    """Tell how a file is compressed, if it is: gzip or zstd.

    Raises
    ------
    SourceError
        Where its name says that it is, and its bytes do not.
    """
    if not opening:
        return None
    found = "gzip" if opening.startswith(_GZIP) else "zstd" if opening.startswith(_ZSTD) else None
    said = {".gz": "gzip", ".zst": "zstd"}.get(suffix(path))
    if said and found != said:
        raise SourceError(path, f"is not {said}, as its name says")
    return found


def suffix(path: str) -> str:
    """Give the last suffix of a path in lower case, with its dot."""
    found = re.search(r"\.\w+$", path)
    return found[0].lower() if found else ""


class Unpacked(_Ahead):
    """The bytes that a compressed file unpacks to: all its members or frames, and no end before the end."""

    def __init__(self, packed: Tape, kind: str, name: str) -> None:
        super().__init__(name)
        self._kind = kind
        self._stream, self._faults = _gzip(packed) if kind == "gzip" else _zstd(packed, name)

    def _next(self, size: int) -> bytes:
        try:
            data: bytes = self._stream.read(size)
        except EOFError:
            raise SourceError(self._name, f"is cut short: its {self._kind} data does not end") from None
        except self._faults as fault:
            raise SourceError(self._name, f"is not sound {self._kind}: {fault}") from None
        return data


def _gzip(packed: Any) -> tuple[Any, tuple[type[Exception], ...]]:
    import gzip
    import zlib

    return gzip.GzipFile(fileobj=packed), (gzip.BadGzipFile, zlib.error)


def _zstd(packed: Any, name: str) -> tuple[Any, tuple[type[Exception], ...]]:
    module = "compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd"
    zstd = needed(module, "zstd", f"read {name}")
    return zstd.ZstdFile(packed), (zstd.ZstdError,)
