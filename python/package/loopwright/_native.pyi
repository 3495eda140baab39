"""Types and documentation of the extension module."""

import os
from collections.abc import Callable, Iterable, Iterator
from typing import Any, final, overload

import numpy as np
from numpy.typing import NDArray

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
    "restore_nests",
    "trace_chunks",
    "whole",
]
__version__: str

_Integers = NDArray[np.int64] | NDArray[np.uint64]
_Bound = tuple[list[int], int, int]

def reconstruct(
    array: _Integers,
    *,
    levels: int | None = None,
    trip: int | None = None,
    floors: bool = False,
    max_depth: int = 10,
    time_limit: float | None = None,
    threads: int | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> Nests:
    """The loop nests that generate an array, exactly: what `loopwright reconstruct` finds in the same integers.

    `array`, of shape (n,), int64 or uint64, contiguous, is read where it lies and must not be changed meanwhile. Unsigned
    integers must be below 2**63. An empty array has no nests.

    `levels` (1 to 12): split loops with a constant trip count until there are so many; `trip` is the trip count of the
    inner loop of a split. `floors`: join loops even where bounds then need divisions. `max_depth` (1 to 12): deepest
    nest. `time_limit`: seconds after which nothing better is looked for. `threads`: 1 to 256, one per processor unless
    given; the result does not depend on it. `progress(done, total)`: called about ten times a second, in this thread, with
    numbers of integers; what it raises ends the call, as Ctrl-C does.

    Raises TypeError if `array` is no array of these types, ValueError if it has several dimensions, is not contiguous or
    has an integer that does not fit 63 bits, and if an option has no such value or the loops cannot be split.
    """

def whole(
    streams: _Integers,
    array: _Integers,
    *,
    names: list[str] | None = None,
    floors: bool = False,
    max_depth: int = 10,
    time_limit: float | None = None,
    threads: int | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> Program:
    """One program of several streams, in the order in which their integers came: what `loopwright reconstruct --whole` finds.

    `streams`, of shape (n,): per integer of `array`, of the same shape, the number of its stream, from 0; at most 1024 of them.
    Integers must be within 48 bits, their sign included. `names`: what the streams are called, by their number. All else is as for
    `reconstruct`; the program makes exactly these integers in this order.

    Raises TypeError and ValueError as `reconstruct`, and ValueError if the shapes differ, or a stream or an integer is too large.
    """

def approximate(
    array: _Integers,
    share: float,
    *,
    floors: bool = False,
    max_depth: int = 10,
    time_limit: float | None = None,
    threads: int | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> Approximate:
    """The nests of a nearly affine array, with at most this share (0 to 1) of its integers as exceptions.

    Without any where that is no shorter. All else is as for `reconstruct`; ValueError also for a share beyond 0 to 1.
    """

def compress(
    array: _Integers,
    *,
    time_limit: float | None = None,
    threads: int | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> bytes:
    """An array as its nests, in the format of `loopwright compress` (`.lwc`). Arguments and errors as `reconstruct`."""

def expand(data: bytes, *, stream: str | None = None) -> NDArray[np.int64]:
    """The integers of a compressed trace, of shape (n,): of its only stream, or of that with this id.

    Raises ValueError if `data` is damaged or of another version, has several streams and none is chosen, or has no stream
    of that id; MemoryError if the integers do not fit.
    """

def fold(
    ivs: NDArray[np.int64], labels: NDArray[np.int64], *, widen: bool = True, give_up: bool = True
) -> Folded:
    """Folds a stream of points to iteration domains and affine functions.

    `ivs`, of shape (n, d), int64: iteration vectors, lexicographically ascending. `labels`, of shape (n, m), int64: what
    belongs to each. Both in C order; d and m at most 64. `widen`: replace coefficients by unknown ones where that lets
    points fold together. `give_up`: keep boxes of what needs too many pieces, as profiles do.

    Raises TypeError for arrays of other types, ValueError for other shapes, other orders in memory, and vectors that are
    not ascending.
    """

def join(
    chunks: Iterable[bytes],
    *,
    streams: int = 1,
    floors: bool = False,
    max_depth: int = 10,
    time_limit: float | None = None,
    threads: int | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> Nests:
    """The nests of a stream from its chunks, in order: equal to `reconstruct` of all its integers however it was cut.

    `chunks`: what `Chunker.finish`, `trace_chunks` or `compress` gave. `streams`: how many streams the trace has; a single
    one is searched harder. `progress(done, total)` counts chunks, all else is as for `reconstruct`.

    Raises TypeError if something is no bytes, ValueError if it is no chunk of one stream.
    """

def trace_chunks(path: str | os.PathLike[str]) -> dict[str, bytes]:
    """The streams of a trace by their ids, in order of appearance, each as a chunk for `join`.

    Any format that the command line reads. Raises OSError if it cannot be read, ValueError if it is damaged.
    """

def restore_nests(state: bytes) -> Nests:
    """Nests from what pickle keeps of them, which are unpacked when they are first looked into.

    Raises ValueError if that is damaged, as its checksum tells.
    """

@final
class Program:
    """A program that makes the integers of several streams in their order. Equal if all its parts and names are."""

    @property
    def accesses(self) -> int:
        """Number of integers."""

    @property
    def names(self) -> list[str]:
        """What the streams are called, by their number."""

    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def to_text(self) -> str:
        """The loops for people, as `loopwright reconstruct --whole` prints them."""

    def to_c(self) -> str:
        """A C program that prints stream and integer, one pair per line."""

    def to_isl(self) -> str:
        """isl notation: per access its domain, its schedule and its address."""

    def expand(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Streams and integers, each of shape (accesses,)."""

@final
class Approximate:
    """A trace that is regular but for exceptions. Equal if nests and exceptions are."""

    @property
    def nests(self) -> Nests:
        """What generates the regular trace."""

    @property
    def exceptions(self) -> list[tuple[int, str, int | None]]:
        """Per exception its place in the regular trace, from 0, its kind (`replaced`, `added`, `missing`), and the integer there."""

    @property
    def accesses(self) -> int:
        """Number of integers."""

    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def expand(self) -> NDArray[np.int64]:
        """The integers, exceptions included, of shape (accesses,)."""

    def to_c(self) -> str:
        """A C program that prints the integers, exceptions included."""

@final
class Nests:
    """Loop nests that generate a sequence of integers, and integers between them, in order. Equal if all their nests are; they can be pickled."""

    @property
    def accesses(self) -> int:
        """Number of integers."""

    def __len__(self) -> int: ...
    @overload
    def __getitem__(self, index: int, /) -> Nest | Loop | Integers: ...
    @overload
    def __getitem__(self, index: slice, /) -> Nests: ...
    def __iter__(self) -> Iterator[Nest | Loop | Integers]: ...
    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        """The integers, as `expand` gives them."""

    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def to_text(self) -> str:
        """The loops for people, as `loopwright reconstruct` prints them."""

    def to_c(self) -> str:
        """A C program that prints the integers."""

    def to_isl(self) -> str:
        """isl notation: per nest its domain, its schedule and its access."""

    def to_json(self) -> str:
        """JSON, schema `loopwright.nest/1`."""

    def expand(self) -> NDArray[np.int64]:
        """The integers, of shape (accesses,). Raises MemoryError if they do not fit."""

    def predict(self, k: int) -> NDArray[np.int64]:
        """The next integers that the online predictor expects, of shape (k,), or fewer where it knows nothing.

        Raises ValueError if `k` is negative.
        """

    def compress(self) -> bytes:
        """The nests in the format of `loopwright compress` (`.lwc`)."""

    def _repr_html_(self) -> str: ...
    def __reduce__(self) -> tuple[Any, ...]: ...

@final
class Nest:
    """One loop nest with one access: `base + sum(coefficients[q] * i_q)` at each iteration."""

    @property
    def depth(self) -> int:
        """Number of loops."""

    @property
    def base(self) -> int:
        """The integer where all counters are 0."""

    @property
    def coefficients(self) -> list[int]:
        """Advance of the integer per counter, outermost first."""

    @property
    def levels(self) -> list[tuple[list[_Bound], list[_Bound]]]:
        """Per loop its lower and its upper bounds, each `(coefficients, constant, divisor)`: the counter runs from the
        largest `(constant + sum(coefficients[q] * i_q)) / divisor` of the former, rounded up, to the smallest of the
        latter, rounded down."""

    @property
    def accesses(self) -> int:
        """Number of integers. Raises ValueError for a nest in the body of a loop, as `len` and all below do but text."""

    def __len__(self) -> int: ...
    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        """The integers."""

    def to_c(self) -> str:
        """A C program that prints the integers."""

    def to_text(self) -> str:
        """The loops for people."""

    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def _repr_html_(self) -> str: ...

@final
class Loop:
    """A loop around several statements: an imperfect nest."""

    @property
    def depth(self) -> int:
        """Number of loops inside each other, with this one."""

    @property
    def level(self) -> tuple[list[_Bound], list[_Bound]]:
        """Its lower and its upper bounds, as in `Nest.levels`, over the counters of the loops around it."""

    @property
    def body(self) -> list[Nest | Loop]:
        """What every iteration does, in order. Coefficients are those of the loops around, then of this one, then own ones."""

    @property
    def accesses(self) -> int:
        """Number of integers. Raises ValueError for a loop in the body of another, as `len` and all below do but text."""

    def __len__(self) -> int: ...
    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        """The integers."""

    def to_c(self) -> str:
        """A C program that prints the integers."""

    def to_text(self) -> str:
        """The loops for people."""

    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...
    def _repr_html_(self) -> str: ...

@final
class Integers:
    """Integers that no loop describes in fewer bytes."""

    @property
    def depth(self) -> int:
        """Number of loops: 0."""

    @property
    def accesses(self) -> int:
        """Number of integers."""

    def __len__(self) -> int: ...
    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        """The integers."""

    def to_c(self) -> str:
        """A C program that prints the integers."""

    def to_text(self) -> str:
        """The integers, a line each."""

    def __eq__(self, other: object, /) -> bool: ...
    def __ne__(self, other: object, /) -> bool: ...

@final
class Chunker:
    """Folds one chunk of a stream in bounded memory, for `join`."""

    def __new__(cls) -> Chunker: ...
    @property
    def accesses(self) -> int:
        """Number of integers so far."""

    def push(self, array: _Integers) -> None:
        """Takes the next integers, of shape (n,); errors as for `reconstruct`."""

    def finish(self) -> bytes:
        """The chunk; a new one begins."""

@final
class Folded:
    """A folded stream."""

    @property
    def points(self) -> int:
        """Number of points."""

    @property
    def exact(self) -> bool:
        """Whether the pieces regenerate the stream: exact domains, all labels known."""

    @property
    def gave_up(self) -> bool:
        """Whether a limit was reached, so that some pieces are boxes."""

    @property
    def ranges(self) -> list[tuple[int, int]]:
        """Per output the smallest and the largest label."""

    @property
    def pieces(self) -> list[Piece]:
        """The pieces, in order of their end."""

    def __len__(self) -> int: ...
    def to_isl(self) -> str:
        """A union map in isl notation from vectors to labels; labels that are not known are left open."""

@final
class Piece:
    """A convex part of a folded stream."""

    @property
    def points(self) -> int:
        """Number of points."""

    @property
    def affine(self) -> bool:
        """Whether the domain is exact and all labels are known."""

    @property
    def over_approximated(self) -> bool:
        """Whether the domain may hold more than the points."""

    @property
    def labels(self) -> list[tuple[list[int | None], int] | None]:
        """Per output `(coefficients, constant)` over the coordinates, `None` for an unknown coefficient; `None` where a
        label is no function of the coordinates. A constant beside an unknown coefficient means nothing."""

    def to_isl(self) -> str:
        """The piece as a map in isl notation."""

@final
class Table:
    """A table of a profile, for whatever reads Arrow's PyCapsule interface: `pyarrow.table(t)`, `polars.DataFrame(t)`,
    `pandas.DataFrame.from_arrow(t)`."""

    @property
    def columns(self) -> list[str]:
        """Names of the columns."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> Any: ...
    def __len__(self) -> int: ...

class Profile:
    """A profile; see `loopwright.Profile`."""

    def __new__(cls, path: str | os.PathLike[str]) -> Profile: ...
    @property
    def command(self) -> list[str]:
        """Command line of the program that ran."""

    @property
    def loops(self) -> Table:
        """Loops of the source, a row each, with the columns of `loopwright.report/1` (`id`, `line`, `parallel`, …). Where that
        has "*" for a distance or stride that varies, there is null."""

    @property
    def nests(self) -> Table:
        """Nests of loops with what they could become, with the columns of `loopwright.report/1`."""

    @property
    def statements(self) -> Table:
        """Instructions in their contexts: `statement`, `loops` around it, `pc`, `line`, `operation`, `executions`, and the
        `domain` of iterations in isl notation."""

    @property
    def accesses(self) -> Table:
        """Memory operands: `access`, `statement`, `write`, `size`, `executions`, and `addresses` in isl notation."""

    @property
    def dependences(self) -> Table:
        """Dependences: `kind`, `via`, the statements `source` and `sink`, `count`, `levels`, and the `relation` of
        iterations in isl notation."""

    def to_text(self, *, top: int = 12) -> str:
        """The summary that `loopwright report` prints, with at most `top` loops."""

    def to_json(self) -> str:
        """The report for programs, schema `loopwright.report/1`."""

    def to_html(self, *, top: int = 12) -> str:
        """The report as one page, without texts of source files; at most `top` nests have a section."""

    def to_svg(self) -> str:
        """The schedule tree as a flame graph. Raises ValueError if nothing was executed."""

    def to_isl(self, function: str | None = None) -> str:
        """The polyhedral program in isl notation, one assignment a line, of the program's own functions or of one and what
        it calls. Raises ValueError if no function of that name ran."""
