"""Whole traces."""

from __future__ import annotations

import os

from loopwright import _native
from loopwright._native import Nests


def reconstruct_trace(
    path: str | os.PathLike[str],
    *,
    floors: bool = False,
    max_depth: int = 10,
    threads: int | None = None,
) -> dict[str, Nests]:
    """The nests of every stream of a trace, in order of appearance, as `loopwright reconstruct` finds them.

    `path` is a file of any format that the command line reads (`.lwt`, `.npy`, text, Valgrind's lackey, Pin's
    pinatrace); options are those of `reconstruct`.

    Raises OSError if it cannot be read, ValueError if it is damaged.
    """
    chunks = _native.trace_chunks(path)
    return {
        stream: _native.join(
            [chunk], streams=len(chunks), floors=floors, max_depth=max_depth, threads=threads
        )
        for stream, chunk in chunks.items()
    }
