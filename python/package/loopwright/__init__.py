"""Loop nests from traces of integers, and what Loopwright found about the loops of a program, for Python.

- `reconstruct` finds the loop nests that generate a NumPy array; `reconstruct_trace` does so for every stream of a file.
- `whole` makes one program of several streams; `approximate` allows a nearly affine array a few exceptions.
- `compress` and `expand` keep arrays as their nests; `Chunker` and `join` do long streams piece by piece.
- `fold` is the folding algorithm behind profiles, on arrays.
- `Profile.open` reads what `loopwright profile` wrote.
- `loopwright.dask` does all this on a cluster.

Results are those of the command line. What is wrong with a value is a `ValueError`, a wrong type a `TypeError`; both name
the argument. What the system refuses is an `OSError`.
"""

from loopwright._native import (
    Approximate,
    Chunker,
    Folded,
    Integers,
    Loop,
    Nest,
    Nests,
    Piece,
    Program,
    Table,
    __version__,
    approximate,
    compress,
    expand,
    fold,
    join,
    reconstruct,
    trace_chunks,
    whole,
)
from loopwright.profiles import Profile
from loopwright.traces import reconstruct_trace

__all__ = [
    "Approximate",
    "Chunker",
    "Folded",
    "Integers",
    "Loop",
    "Nest",
    "Nests",
    "Piece",
    "Profile",
    "Program",
    "Table",
    "__version__",
    "approximate",
    "compress",
    "expand",
    "fold",
    "join",
    "reconstruct",
    "reconstruct_trace",
    "trace_chunks",
    "whole",
]
