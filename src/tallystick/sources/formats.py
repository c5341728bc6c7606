"""Which format a file has: by what the caller says, by its name, by its first bytes."""

from ..errors import UsageError, suggest
from ..fields import show
from .streams import suffix

FORMATS = ("jsonl", "json", "csv", "tsv", "parquet", "arrow")
"""What can be read."""

TEXTS = ("jsonl", "json", "csv", "tsv")
"""What may be compressed with gzip or zstd."""

PACKED = (".gz", ".zst")

_SUFFIXES = {
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".csv": "csv",
    ".tsv": "tsv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".ipc": "arrow",
    ".arrows": "arrow",
}
_PARQUET, _ARROW, _STREAM = b"PAR1", b"ARROW1", b"\xff\xff\xff\xff"


def check(given: object, where: str) -> None:
    """Refuse a format that there is none of.

    Raises
    ------
    UsageError
        With the formats that there are.
    """
    if given is not None and given not in FORMATS:
        what = f"expected one of {', '.join(FORMATS)}, got {show(given)}"
        raise UsageError(where, what, suggest(str(given), FORMATS))


def of_name(path: str) -> str | None:
    """Tell the format of a file by its name, or None where the name leaves it open, as `.json` does."""
    if suffix(path) in PACKED:
        path = path[: path.rindex(".")]
    return _SUFFIXES.get(suffix(path))


def of_bytes(opening: bytes) -> str:
    """Tell the format of a file by its first bytes: JSON Lines, unless they say something else."""
    if opening.startswith(_PARQUET):
        return "parquet"
    if opening.startswith((_ARROW, _STREAM)):
        return "arrow"
    text = opening.removeprefix(b"\xef\xbb\xbf").lstrip(b" \t\r\n")
    return "json" if text.startswith(b"[") else "jsonl"
