"""Partitions of a trace on disk: files of `.lwt`, or consecutive row groups of Parquet files.

A trace is all files of a folder in the order of their names. A stream is what its partitions hold of it, one after the
other.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from loopwright import _native

Source = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]

_LWT_MAGIC = b"LWTRACE\n"
_BATCH = 1 << 18


@dataclass(frozen=True)
class Partition:
    """A part of a trace that one task folds."""

    name: str
    path: str
    row_groups: tuple[int, ...] | None
    """Of a Parquet file; `None` for `.lwt`."""


@dataclass(frozen=True)
class Columns:
    """Names of the columns of Parquet files."""

    stream: str
    value: str


@dataclass(frozen=True)
class Unreadable:
    """In place of the partitions of a file that cannot be read."""

    name: str
    reason: str


def plan(source: Source, chunk: int, columns: Columns) -> list[Partition | Unreadable]:
    """The partitions of a trace, in order.

    Row groups are put together up to `chunk` rows. Raises FileNotFoundError if there is no such file, ValueError or
    TypeError naming `source` if files are of several kinds or versions, or lack a column of the right type.
    """
    files = _files(source)
    kinds = {file.suffix for file in files}
    if len(kinds) > 1:
        raise ValueError(f"source: files of several kinds, {' and '.join(sorted(kinds))}; give those of one")
    if kinds == {".lwt"}:
        return _lwt(files)
    return _parquet(files, chunk, columns)


def _files(source: Source) -> list[Path]:
    if not isinstance(source, (str, os.PathLike)):
        files = [Path(path) for path in source]
    elif Path(source).is_dir():
        inside = sorted(Path(source).iterdir())
        files = [file for file in inside if file.suffix in (".lwt", ".parquet")]
    else:
        files = [Path(source)]
    if not files:
        raise ValueError(f"source: no .parquet or .lwt file in {source}")
    for file in files:
        if not file.exists():
            raise FileNotFoundError(f"source: no file {file}")
        if file.suffix not in (".lwt", ".parquet"):
            raise ValueError(f"source: {file} is neither .parquet nor .lwt")
    return files


def _lwt(files: list[Path]) -> list[Partition | Unreadable]:
    out: list[Partition | Unreadable] = []
    versions: dict[int, Path] = {}
    for file in files:
        with file.open("rb") as opened:
            head = opened.read(len(_LWT_MAGIC) + 4)
        if len(head) < len(_LWT_MAGIC) + 4 or not head.startswith(_LWT_MAGIC):
            out.append(Unreadable(str(file), f"{file}: damaged trace (no trace at all); record the program again"))
            continue
        (version,) = struct.unpack("<I", head[len(_LWT_MAGIC) :])
        versions.setdefault(version, file)
        out.append(Partition(str(file), str(file), None))
    if len(versions) > 1:
        found = " and ".join(f"{version} ({file})" for version, file in sorted(versions.items()))
        raise ValueError(f"source: traces of several formats, {found}; record the programs again")
    return out


def _parquet(files: list[Path], chunk: int, columns: Columns) -> list[Partition | Unreadable]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    out: list[Partition | Unreadable] = []
    kinds: dict[str, Path] = {}
    for file in files:
        try:
            opened = pq.ParquetFile(file)
        except (pa.ArrowInvalid, OSError) as error:
            out.append(Unreadable(str(file), f"{file}: {error}"))
            continue
        with opened:
            kind = _stream_kind(file, opened.schema_arrow, columns)
            kinds.setdefault(kind, file)
            rows = [opened.metadata.row_group(at).num_rows for at in range(opened.metadata.num_row_groups)]
        out.extend(_of_rows(file, rows, chunk))
    if len(kinds) > 1:
        found = " and ".join(f"{kind} ({file})" for kind, file in sorted(kinds.items()))
        raise ValueError(f"source: column {columns.stream!r} has several types, {found}")
    return out


def _stream_kind(file: Path, schema: Any, columns: Columns) -> str:
    """Whether streams are named by integers or by text; what is wrong with the columns is an error."""
    import pyarrow.types as types

    for name in (columns.stream, columns.value):
        if name not in schema.names:
            there = ", ".join(schema.names)
            raise ValueError(f"source: {file} has no column {name!r}; it has {there}")
    value = schema.field(columns.value).type
    if not (types.is_int64(value) or types.is_uint64(value)):
        raise TypeError(f"source: column {columns.value!r} of {file} is {value}; int64 or uint64 is needed")
    stream = schema.field(columns.stream).type
    named = stream.value_type if types.is_dictionary(stream) else stream
    if types.is_integer(named):
        return "integers"
    if types.is_string(named) or types.is_large_string(named):
        return "text"
    raise TypeError(f"source: column {columns.stream!r} of {file} is {stream}; integers or text are needed")


def _of_rows(file: Path, rows: list[int], chunk: int) -> Iterable[Partition]:
    """Consecutive row groups of at most `chunk` rows, or one of more."""
    groups: list[int] = []
    count = 0
    for at, more in enumerate(rows):
        if groups and count + more > chunk:
            yield _partition(file, groups)
            groups, count = [], 0
        groups.append(at)
        count += more
    if groups:
        yield _partition(file, groups)


def _partition(file: Path, groups: list[int]) -> Partition:
    where = f"row group {groups[0]}" if len(groups) == 1 else f"row groups {groups[0]} to {groups[-1]}"
    return Partition(f"{file}, {where}", str(file), tuple(groups))


def folded(partition: Partition, columns: Columns) -> dict[str, bytes]:
    """The streams of a partition, in order of appearance, as chunks.

    Raises ValueError, naming the partition, if it is damaged; OSError if it cannot be read.
    """
    if partition.row_groups is None:
        return _native.trace_chunks(partition.path)
    import pyarrow as pa
    import pyarrow.parquet as pq

    chunkers: dict[str, _native.Chunker] = {}
    try:
        with pq.ParquetFile(partition.path) as file:
            batches = file.iter_batches(
                _BATCH, list(partition.row_groups), columns=[columns.stream, columns.value]
            )
            for batch in batches:
                _take(batch.column(columns.stream), batch.column(columns.value), chunkers)
    except (pa.ArrowException, ValueError) as error:
        raise ValueError(f"{partition.name}: {error}") from error
    except OSError as error:
        # What does not decompress is an OSError of pyarrow's without a number.
        if error.errno is not None:
            raise
        raise ValueError(f"{partition.name}: {error}") from error
    return {stream: chunker.finish() for stream, chunker in chunkers.items()}


def _take(streams: Any, values: Any, chunkers: dict[str, _native.Chunker]) -> None:
    """Hands the rows of a batch to the streams that they belong to."""
    if streams.null_count or values.null_count:
        raise ValueError("a row without a stream or a value")
    encoded = streams if hasattr(streams, "dictionary") else streams.dictionary_encode()
    codes = encoded.indices.to_numpy(zero_copy_only=False)
    integers = values.to_numpy(zero_copy_only=False)
    # Stretches of rows of one stream where there are few, else one stream after the other.
    edges = np.flatnonzero(np.diff(codes)) + 1
    if len(edges) > len(codes) // 8:
        order = np.argsort(codes, kind="stable")
        by_code = codes[order]
        edges = np.flatnonzero(np.diff(by_code)) + 1
        # The stream that appears first stands first.
        parts = sorted(np.split(order, edges), key=lambda part: int(part[0]))
        stretches = [(int(codes[part[0]]), integers[part]) for part in parts]
    else:
        pieces = np.split(integers, edges) if len(codes) else []
        stretches = [(int(codes[at]), piece) for at, piece in zip([0, *edges], pieces)]
    for code, piece in stretches:
        name = str(encoded.dictionary[code].as_py())
        chunker = chunkers.get(name)
        if chunker is None:
            chunker = chunkers[name] = _native.Chunker()
        chunker.push(np.ascontiguousarray(piece))
