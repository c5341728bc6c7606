"""Parquet and Arrow files, and the file systems of other machines: what pyarrow opens."""

from collections.abc import Iterator
from fnmatch import fnmatchcase
from itertools import islice
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import fs

from ..errors import SourceError
from . import frames
from .batch import Batch
from .columns import ROWS
from .facts import Facts
from .shape import Shape

BUFFER = 1 << 20
"""Bytes of each column that are read ahead, whatever the size of a row group."""

PLAIN = 4
"""Bytes that a string takes at least where it is stored plainly; what takes fewer has a dictionary."""


def remote(uri: str) -> Any:
    """Open a file of a file system that pyarrow knows, such as ``s3://bucket/file``.

    Raises
    ------
    SourceError
        Where pyarrow has no such file system.
    """
    system, path = _system(uri)
    return system.open_input_file(path)


def remote_files(pattern: str) -> list[str]:
    """Find the files of a file system that match a glob, in order of name."""
    system, path = _system(pattern)
    folder = path[: path.index("*")].rpartition("/")[0]
    prefix = pattern.removesuffix(path)
    below = system.get_file_info(fs.FileSelector(folder, recursive=True, allow_not_found=True))
    return sorted(
        prefix + one.path
        for one in below
        if one.is_file and one.path.count("/") == path.count("/") and fnmatchcase(one.path, path)
    )


def _system(uri: str) -> tuple[Any, str]:
    try:
        system, path = fs.FileSystem.from_uri(uri)
    except (pa.ArrowException, ValueError) as fault:
        raise SourceError(uri, f"no such file system: {fault}") from fault
    return system, path


def groups(path: str) -> list[int]:
    """Give the rows of each row group of a file.

    Raises
    ------
    SourceError
        For a file that is not sound.
    """
    try:
        with pq.ParquetFile(path) as opened:
            held = opened.metadata
            return [held.row_group(number).num_rows for number in range(held.num_row_groups)]
    except (pa.ArrowException, OSError) as fault:
        raise SourceError(path, f"is not sound Parquet: {fault}") from fault


def read(
    file: Any, name: str, shape: Shape, source: str, facts: Facts, group: int | None = None, before: int = 0
) -> Iterator[Batch]:
    """Read the rows of a Parquet file, batch by batch; only the columns that are needed.

    Parameters
    ----------
    file
        A path, or a file that can be read anywhere.
    group
        The only row group to read.
    before
        The rows of the file that come before those that are read.

    Raises
    ------
    RecordError
        For the first row that is not as declared, naming row and column.
    SourceError
        For a file that is not sound, or lacks a column.
    """
    try:
        with pq.ParquetFile(file) as opened:
            schema, coded = opened.schema_arrow, _coded(opened.metadata)
        with pq.ParquetFile(file, read_dictionary=coded, buffer_size=BUFFER) as opened:
            wanted = [leaf.spelled for leaf in shape.leaves]
            only = None if group is None else [group]
            batches = opened.iter_batches(2 * ROWS, columns=wanted, row_groups=only)
            yield from frames.records(batches, schema, name, shape, source, facts, before)
    except (pa.ArrowException, OSError) as fault:
        raise SourceError(name, f"is not sound Parquet: {fault}") from fault


def _coded(metadata: Any) -> list[str]:
    """Name the columns of strings whose values are numbers of a dictionary, in the first rows at least."""
    if not metadata.num_row_groups or not metadata.row_group(0).num_rows:
        return []
    group = metadata.row_group(0)
    columns = [group.column(place) for place in range(group.num_columns)]
    return [
        column.path_in_schema
        for column in columns
        if column.physical_type == "BYTE_ARRAY"
        and column.has_dictionary_page
        and column.total_uncompressed_size < PLAIN * column.num_values
    ]


def first_rows(file: Any, kind: str, name: str, count: int) -> Any:
    """Give the first rows of a Parquet or Arrow file as a table."""
    try:
        if kind == "parquet":
            with pq.ParquetFile(file, buffer_size=BUFFER) as opened:
                batches = list(islice(opened.iter_batches(count), 1))
                return pa.Table.from_batches(batches, opened.schema_arrow)
        with pa.memory_map(file) if isinstance(file, str) else pa.PythonFile(file, "r") as opened:
            stream = _stream(opened)
            batches = list(islice(stream, 1))
            return pa.Table.from_batches(batches, stream.schema).slice(0, count)
    except (pa.ArrowException, OSError) as fault:
        raise SourceError(name, f"is not sound {kind.title()}: {fault}") from fault


def read_arrow(file: Any, name: str, shape: Shape, source: str, facts: Facts) -> Iterator[Batch]:
    """Read the rows of an Arrow file (Feather too) or stream, batch by batch."""
    try:
        with pa.memory_map(file) if isinstance(file, str) else pa.PythonFile(file, "r") as opened:
            stream = _stream(opened)
            yield from frames.records(stream, stream.schema, name, shape, source, facts)
    except (pa.ArrowException, OSError) as fault:
        raise SourceError(name, f"is not sound Arrow data: {fault}") from fault


def _stream(opened: Any) -> Any:
    """Give the record batches of an Arrow file, or of a stream of them."""
    file = opened.read(6) == b"ARROW1"
    opened.seek(0)
    if not file:
        return pa.ipc.open_stream(opened)
    held = pa.ipc.open_file(opened)
    return pa.RecordBatchReader.from_batches(
        held.schema, (held.get_batch(number) for number in range(held.num_record_batches))
    )
