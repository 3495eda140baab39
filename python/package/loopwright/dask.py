"""Traces and programs that outgrow one machine, on a Dask cluster.

`reconstruct_streams` finds the loop nests of every stream of a partitioned trace; `profile_many` runs programs under
`loopwright profile` on workers and merges what they showed. Both take a `distributed.Client` and run the same on a
`LocalCluster` and on the workers that dask-jobqueue starts under Slurm (docs/DASK.md). Workers and client have to see the
files of a trace under the same names.

Results do not depend on the number of workers, on chunks, or on workers that are lost on the way: a partition is folded
by itself, and folded partitions are joined to what their concatenation gives (`loopwright.join`). A worker needs memory
for what it folds at the moment, which is bounded, for the compressed chunks of a stream that it joins, and for the result.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import shlex
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from loopwright import _native
from loopwright._native import Nests
from loopwright.partitions import Columns, Partition, Source, Unreadable, folded, plan

__all__ = ["Profiles", "Streams", "profile_many", "reconstruct_streams"]

_JOINS = 256
"""About so many tasks join streams, if there are so many streams."""
_TOGETHER = 1 << 24
"""Bytes of compressed chunks that one task joins, if they are of several streams."""


@dataclass
class Streams(Mapping[str, Nests]):
    """The nests of every stream by its id, in order of appearance, and what is missing.

    Where a partition failed, what it held of a stream is not known. A stream that goes on behind such a partition is in
    `interrupted`, one reconstruction per stretch without a gap, and not in the mapping itself; any other stream may have
    begun or ended in it.
    """

    streams: dict[str, Nests] = field(default_factory=dict)
    failures: dict[str, str] = field(default_factory=dict)
    """Partitions, or streams that could not be joined, by name, and why."""
    interrupted: dict[str, list[Nests]] = field(default_factory=dict)
    """Streams with gaps: their stretches in order."""

    def __getitem__(self, stream: str) -> Nests:
        return self.streams[stream]

    def __iter__(self) -> Iterator[str]:
        return iter(self.streams)

    def __len__(self) -> int:
        return len(self.streams)


def reconstruct_streams(
    source: Source,
    client: Any = None,
    *,
    chunk: int = 1 << 24,
    stream: str = "stream",
    value: str = "value",
    floors: bool = False,
    max_depth: int = 10,
) -> Streams:
    """The loop nests of every stream of a partitioned trace.

    `source`: a `.parquet` or `.lwt` file, several, or a folder of one kind, whose files are taken in the order of their
    names. Parquet files have a column of stream ids (`stream`: integers or text) and one of integers (`value`: int64 or
    uint64 below 2**63); rows of one stream are in order. `client`: a `distributed.Client`; without one the default
    client, or processes on this machine. `chunk`: rows of Parquet that one task folds, at least a row group; it has no
    influence on results. `floors` and `max_depth` as for `loopwright.reconstruct`.

    Partitions that cannot be read are named in `Streams.failures`; all others are delivered. Raises FileNotFoundError,
    ValueError or TypeError, naming the argument, if there are no such files, if they are of several kinds, versions or
    types, or lack a column; ImportError without distributed (and pyarrow, for Parquet).
    """
    if chunk < 1:
        raise ValueError(f"chunk is {chunk}; at least 1 row is needed")
    columns = Columns(stream, value)
    partitions = plan(source, chunk, columns)
    with _connected(client) as connected:
        return _Job(connected, columns, {"floors": floors, "max_depth": max_depth}).run(partitions)


@dataclass(frozen=True)
class _Job:
    client: Any
    columns: Columns
    options: dict[str, Any]

    def run(self, partitions: Sequence[Partition | Unreadable]) -> Streams:
        out = Streams()
        tasks: list[tuple[Any, Any] | None] = []
        for partition in partitions:
            if isinstance(partition, Unreadable):
                out.failures[partition.name] = partition.reason
                tasks.append(None)
                continue
            chunks = self.client.submit(folded, partition, self.columns, pure=False)
            tasks.append((chunks, self.client.submit(_lengths, chunks, pure=False)))
        known: list[dict[str, int] | None] = []
        for partition, task in zip(partitions, tasks, strict=True):
            known.append(None)
            if task is None:
                continue
            if error := task[1].exception():
                out.failures[partition.name] = _said(error)
            else:
                known[-1] = task[1].result()
        self.join([task[0] if task else None for task in tasks], known, out)
        return out

    def join(self, chunks: list[Any], known: list[dict[str, int] | None], out: Streams) -> None:
        """Joins the streams of all partitions that are known, some streams per task."""
        stretches = _stretches(known)
        tasks = []
        for names in _groups(stretches, known):
            parts = sorted({at for name in names for stretch in stretches[name] for at in stretch})
            selected = [self.client.submit(_select, chunks[at], names, pure=False) for at in parts]
            place = {at: k for k, at in enumerate(parts)}
            wanted = {name: [[place[at] for at in stretch] for stretch in stretches[name]] for name in names}
            task = self.client.submit(_joined, selected, wanted, len(stretches), self.options, pure=False)
            tasks.append((names, task))
        for names, task in tasks:
            if error := task.exception():
                what = names[0] if len(names) == 1 else f"{names[0]} to {names[-1]}"
                out.failures[f"stream {what}"] = _said(error)
                continue
            for name, nests in task.result().items():
                if len(nests) == 1:
                    out.streams[name] = nests[0]
                else:
                    out.interrupted[name] = nests


def _groups(
    stretches: dict[str, list[list[int]]], known: list[dict[str, int] | None]
) -> Iterator[list[str]]:
    """Consecutive streams for one task each: as many as make it worth its while, and no more bytes than are good for it."""
    most = -(-len(stretches) // _JOINS)
    names: list[str] = []
    length = 0
    for name, parts in stretches.items():
        more = sum((known[at] or {})[name] for stretch in parts for at in stretch)
        if names and (length + more > _TOGETHER or len(names) == most):
            yield names
            names, length = [], 0
        names.append(name)
        length += more
    if names:
        yield names


def _lengths(chunks: dict[str, bytes]) -> dict[str, int]:
    """Streams of a partition and how many bytes they take as chunks."""
    return {name: len(chunk) for name, chunk in chunks.items()}


def _select(chunks: dict[str, bytes], names: list[str]) -> dict[str, bytes]:
    return {name: chunks[name] for name in names if name in chunks}


def _joined(
    parts: list[dict[str, bytes]], wanted: dict[str, list[list[int]]], streams: int, options: dict[str, Any]
) -> dict[str, list[Nests]]:
    return {
        name: [
            _native.join((parts[at][name] for at in stretch), streams=streams, threads=1, **options)
            for stretch in stretches
        ]
        for name, stretches in wanted.items()
    }


def _stretches(known: list[dict[str, int] | None]) -> dict[str, list[list[int]]]:
    """Per stream the partitions that hold some of it, without a failed one in between."""
    out: dict[str, list[list[int]]] = {}
    latest_failure = -1
    for at, streams in enumerate(known):
        if streams is None:
            latest_failure = at
            continue
        for name in streams:
            stretches = out.setdefault(name, [])
            if not stretches or stretches[-1][-1] < latest_failure:
                stretches.append([])
            stretches[-1].append(at)
    return out


def _said(error: BaseException) -> str:
    """An exception of a task in words."""
    return str(error) or type(error).__name__


@contextlib.contextmanager
def _connected(client: Any) -> Iterator[Any]:
    """A client: the one given, the default one, or one for processes on this machine while it is needed."""
    if client is not None:
        yield client
        return
    # Without types.
    distributed: Any = importlib.import_module("distributed")
    try:
        found = distributed.default_client()
    except ValueError:
        found = None
    if found is not None:
        yield found
        return
    with (
        distributed.LocalCluster(threads_per_worker=1, dashboard_address=":0") as cluster,
        distributed.Client(cluster) as local,
    ):
        yield local


@dataclass
class Profiles:
    """Profiles of many runs."""

    paths: list[Path | None]
    """Per command its profile, `None` if it failed."""
    failures: dict[int, str]
    """Per command that failed, by its index, why."""
    merged: Path | None
    """All of them as one profile, if there were several and that was asked for."""
    merge_failure: str | None = None
    """Why they could not be merged: profiles of different programs cannot."""


def profile_many(
    commands: Sequence[Sequence[str] | str],
    client: Any = None,
    *,
    directory: str | os.PathLike[str],
    loopwright: str | os.PathLike[str] = "loopwright",
    options: Sequence[str] = (),
    merge: bool = True,
) -> Profiles:
    """Runs commands under `loopwright profile` on workers, and merges the profiles with `loopwright merge`.

    `commands`: programs with their arguments, as lists or as a shell would split them; paths as the workers see them.
    `directory`: where this process writes `0.lwp`, `1.lwp`, … and `merged.lwp`. `loopwright`: the program, on workers and
    here. `options`: options of `loopwright profile`. What programs print is dropped.

    A command that cannot be profiled is in `Profiles.failures`, all others are delivered; that a program itself fails is
    no failure. Raises ValueError, naming the argument, for an empty command, and OSError if profiles cannot be written or
    `loopwright` is not here to merge them.
    """
    split = [shlex.split(c) if isinstance(c, str) else [str(word) for word in c] for c in commands]
    for at, command in enumerate(split):
        if not command:
            raise ValueError(f"commands: number {at} is empty")
    to = Path(directory)
    to.mkdir(parents=True, exist_ok=True)
    out = Profiles([None] * len(split), {}, None)
    with _connected(client) as connected:
        runs = [
            connected.submit(_profile, os.fspath(loopwright), list(options), command, pure=False)
            for command in split
        ]
        for at, run in enumerate(runs):
            error = run.exception()
            if error:
                out.failures[at] = f"{shlex.join(split[at])}: {_said(error)}"
                continue
            path = to / f"{at}.lwp"
            path.write_bytes(run.result())
            out.paths[at] = path
    written = [path for path in out.paths if path is not None]
    if merge and len(written) > 1:
        out.merged = to / "merged.lwp"
        arguments = [os.fspath(loopwright), "merge", "--quiet", *map(str, written), "-o", str(out.merged)]
        done = subprocess.run(arguments, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            out.merged, out.merge_failure = None, done.stderr.strip()
    return out


def _profile(loopwright: str, options: list[str], command: list[str]) -> bytes:
    """The profile of one command, as bytes."""
    with tempfile.TemporaryDirectory(prefix="loopwright-") as directory:
        path = Path(directory) / "profile.lwp"
        arguments = [loopwright, "profile", "--quiet", *options, "-o", str(path), "--", *command]
        done = subprocess.run(
            arguments,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            check=False,
        )
        if not path.exists():
            lines = done.stderr.strip().splitlines()
            raise RuntimeError(lines[-1] if lines else f"exit code {done.returncode}")
        return path.read_bytes()
