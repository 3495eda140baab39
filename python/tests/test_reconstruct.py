"""Reconstruction: the published test vectors, the command line's results, bad input, long calls."""

import os
import pickle
import signal
import subprocess
import threading
import time

import numpy as np
import pytest

import loopwright as lw


def integers(*values):
    return np.array(values, dtype=np.int64)


def loops(condition, *counts):
    """The integers that a nest of Python loops yields."""
    return np.array(list(condition(*counts)), dtype=np.int64)


def single(array):
    """The only nest of an array, which it generates."""
    nests = lw.reconstruct(array)
    assert np.array_equal(nests.expand(), array)
    assert len(nests) == 1, str(nests)
    return nests[0]


def test_cholesky_of_section_5_8():
    trace = [100 * i + k for i in range(1, 6) for j in range(i + 1, 6) for k in range(i)]
    nest = single(integers(*trace))
    assert len(trace) == 20
    assert (nest.depth, nest.base, nest.coefficients) == (3, 100, [100, 0, 1])
    assert [upper for _, upper in nest.levels] == [[([], 3, 1)], [([-1], 3, 1)], [([1, 0], 0, 1)]]
    assert all(lower == [([0] * q, 0, 1)] for q, (lower, _) in enumerate(nest.levels))


def test_small_vectors_of_section_5_8():
    twelve = np.arange(12)
    assert single(twelve).depth == 1
    rows = lw.reconstruct(twelve, levels=2, trip=4)
    assert (rows[0].coefficients, rows[0].accesses) == ([4, 1], 12)
    triangle = single(integers(0, 1, 2, 10, 11, 20))
    assert (triangle.coefficients, triangle.levels[1][1]) == ([10, 1], [([-1], 2, 1)])
    assert single(np.full(5, 7)).coefficients == [0]
    assert single(integers(42)).depth == 0
    two = single(integers(0, 1, 3))
    assert (two.coefficients, two.levels[1][1]) == ([3, 1], [([-1], 1, 1)])


def test_piecewise_vectors_of_section_6_4():
    upper = [100 * i + j for i in range(20) for j in range(min(i + 2, 9) + 1)]
    nest = single(integers(*upper))
    assert len(upper) == 172
    assert set(map(repr, nest.levels[1][1])) == {"([1], 2, 1)", "([0], 9, 1)"}
    lower = [100 * i + j for i in range(20) for j in range(max(0, i - 10), 10)]
    nest = single(integers(*lower))
    assert len(lower) == 155
    assert set(map(repr, nest.levels[1][0])) == {"([0], 0, 1)", "([1], -10, 1)"}
    rational = [1000 * i + j for i in range(300) for j in range(i // 3 + 6)]
    nest = single(integers(*rational))
    assert (nest.depth, nest.levels[1][1]) == (2, [([1], 15, 3)])
    faces = [
        100_000 * i + 1000 * j + k
        for i in range(300)
        for j in range(40)
        for k in range(-(-(i + j) // 4), (2 * i + j) // 3 + 11)
    ]
    nest = single(integers(*faces))
    assert nest.depth == 3
    assert nest.levels[2] == ([([1, 1], 0, 4)], [([2, 1], 30, 3)])
    square = [8 * i + j for a in (0, 4) for b in (0, 4) for i in range(a, a + 4) for j in range(b, b + 4)]
    nest = single(integers(*square))
    assert nest.depth == 4 and all(len(low) == len(high) == 1 for low, high in nest.levels)
    tiles = range(0, 12, 4)
    cut = [
        10 * i + j
        for a in tiles
        for b in tiles
        for i in range(a, min(a + 4, 10))
        for j in range(b, min(b + 4, 10))
    ]
    nest = single(integers(*cut))
    assert nest.depth == 4
    assert {len(high) for _, high in nest.levels} == {1, 2}


def test_results_are_those_of_the_command_line(traces, command_line):
    # The shorter half: a long one takes seconds each time.
    shorter = sorted(traces, key=lambda path: path.stat().st_size)[: len(traces) // 2]
    for path in shorter:
        array = np.fromfile(path, dtype="<i8")
        # Both end by themselves, however busy the machine is.
        nests = lw.reconstruct(array, time_limit=600.0)
        options = ("reconstruct", "--quiet", "--time-limit", "600", "--input-format", "i64", path)
        assert nests.to_json() == command_line(*options, "--format", "json"), path.name
        assert np.array_equal(nests.expand(), array), path.name


def test_chunks_are_joined_to_the_same(traces):
    names = {"cholesky_Ajk", "gemm_B", "rational_both", "tiled_banded", "tiled_mm_A", "two_lower"}
    chosen = [path for path in traces if path.stem in names]
    assert len(chosen) == len(names)
    for path in chosen:
        array = np.fromfile(path, dtype="<i8")
        cuts = [0, len(array) // 3, len(array) // 2, len(array)]
        chunks = []
        for first, last in zip(cuts, cuts[1:]):
            chunker = lw.Chunker()
            chunker.push(array[first:last])
            assert chunker.accesses == last - first
            chunks.append(chunker.finish())
        assert lw.join(chunks) == lw.reconstruct(array), path.name


def test_other_outputs_are_those_of_the_command_line(traces, command_line, tmp_path):
    path = next(p for p in traces if p.stem == "two_lower")
    array = np.fromfile(path, dtype="<i8")
    nests = lw.reconstruct(array)
    options = ("--quiet", "--input-format", "i64", path)
    assert str(nests) == command_line("reconstruct", *options)
    assert nests.to_c() == command_line("reconstruct", *options, "--format", "c")
    isl = command_line("reconstruct", *options, "--format", "isl")
    assert nests.to_isl() == isl.partition("\n")[2]
    compressed = tmp_path / "trace.lwc"
    command_line("compress", *options, "-o", compressed)
    assert lw.compress(array) == compressed.read_bytes() == nests.compress()
    assert np.array_equal(lw.expand(compressed.read_bytes()), array)
    printed = command_line("predict", "--input-format", "i64", path, "--next", "5")
    following = printed.partition("next: ")[2].splitlines()[0].split()
    assert [str(value) for value in nests.predict(5)] == following
    assert len(nests.predict(0)) == 0
    source = tmp_path / "nest.c"
    source.write_text(nests.to_c())
    subprocess.run(["cc", "-o", tmp_path / "nest", source], check=True)
    values = subprocess.run([tmp_path / "nest"], capture_output=True, check=True).stdout.split()
    assert np.array_equal(np.array(values, dtype=np.int64), array)


def test_levels_and_depth(command_line, tmp_path):
    array = np.arange(24)
    array.astype("<i8").tofile(tmp_path / "t")
    for options, given in [(("--levels", 3), {"levels": 3}), (("--levels", 2, "--trip", 6), {"levels": 2, "trip": 6})]:
        expected = command_line("reconstruct", "--input-format", "i64", tmp_path / "t", *options)
        assert str(lw.reconstruct(array, **given)) == expected
    with pytest.raises(ValueError, match="levels: no 2 loops with an inner trip count of 5"):
        lw.reconstruct(array, levels=2, trip=5)
    with pytest.raises(ValueError, match="trip"):
        lw.reconstruct(array, trip=5)
    deep = loops(lambda n: (1000 * i + 50 * j + k for i in range(n) for j in range(i) for k in range(j)), 12)
    assert single(deep).depth == 3
    assert max(nest.depth for nest in lw.reconstruct(deep, max_depth=2)) <= 3


def test_nothing():
    nests = lw.reconstruct(integers())
    assert (len(nests), nests.accesses, list(nests)) == (0, 0, [])
    assert str(nests) == "# empty trace\n"
    assert len(nests.expand()) == 0 and len(nests.predict(3)) == 0
    assert len(lw.expand(lw.compress(integers()))) == 0
    assert lw.join([]) == nests
    assert "empty" in repr(nests) and "empty" in nests._repr_html_()


def test_unsigned_arrays_are_addresses():
    array = np.arange(100, dtype=np.uint64) * np.uint64(8) + np.uint64(2**62)
    assert lw.reconstruct(array)[0].base == 2**62
    array[57] = 2**63
    message = r"array: integer 57 \(from 0\) is 9223372036854775808, beyond 2\^63 - 1"
    with pytest.raises(ValueError, match=message):
        lw.reconstruct(array)
    chunker = lw.Chunker()
    chunker.push(array[:50])
    with pytest.raises(ValueError, match=message):
        chunker.push(array[50:])


@pytest.mark.parametrize("call", [lw.reconstruct, lw.compress, lambda array: lw.Chunker().push(array)])
def test_wrong_arrays_are_named(call):
    for wrong, message in [
        ([1, 2, 3], "array is a list"),
        (None, "array is a NoneType"),
        (np.arange(3.0), "array is an array of float64"),
        (np.arange(3, dtype=np.int32), "array is an array of int32"),
        (np.arange(3, dtype=">i8"), "array is an array of >i8"),
        (np.array(["a"]), "array is an array of <U1"),
    ]:
        with pytest.raises(TypeError, match=message):
            call(wrong)
    bytes_of = np.zeros(8 * 4 + 1, dtype=np.uint8)
    for wrong, message in [
        (np.arange(6)[::2], "array is not contiguous"),
        (np.arange(6)[::-1], "array is not contiguous"),
        (np.arange(6).reshape(2, 3), "array has 2 dimensions"),
        (np.array(3), "array has 0 dimensions"),
        (bytes_of[1:].view(np.int64), "array is not contiguous"),
    ]:
        with pytest.raises(ValueError, match=message):
            call(wrong)
    frozen = np.arange(6)
    frozen.flags.writeable = False
    call(frozen)


@pytest.mark.parametrize(
    "options",
    [
        {"levels": 0},
        {"levels": 13},
        {"levels": 2, "trip": 1},
        {"max_depth": 0},
        {"threads": 0},
        {"threads": -1},
        {"time_limit": 0.0},
        {"time_limit": float("nan")},
        {"time_limit": -1.0},
    ],
)
def test_wrong_options_are_named(options):
    with pytest.raises(ValueError, match=list(options)[-1]):
        lw.reconstruct(np.arange(12), **options)


def test_wrong_bytes_are_named():
    good = lw.compress(np.arange(100) ** 2)
    damaged = bytearray(good)
    damaged[20] ^= 1
    for call, name in [(lw.expand, "data"), (lambda data: lw.join([good, data]), "chunks: number 1")]:
        with pytest.raises(ValueError, match=f"{name}: damaged file: the checksum"):
            call(bytes(damaged))
        with pytest.raises(ValueError, match=f"{name}: not a compressed trace"):
            call(b"hello")
        newer = bytearray(good)
        newer[8] = 9
        with pytest.raises(ValueError, match=f"{name}: compressed trace format 9"):
            call(bytes(newer))
    with pytest.raises(TypeError, match="chunks: number 0"):
        lw.join([np.arange(3)])
    with pytest.raises(ValueError, match="stream"):
        lw.expand(good, stream="7")
    with pytest.raises(ValueError, match="k is -1"):
        lw.reconstruct(np.arange(3)).predict(-1)
    with pytest.raises(IndexError):
        lw.reconstruct(np.arange(3))[1]


def test_nests_are_values():
    nests = lw.reconstruct(np.arange(10) ** 2)
    other = lw.reconstruct(np.arange(10))
    assert pickle.loads(pickle.dumps(nests)) == nests != other
    assert nests[-1] == list(nests)[-1]
    noise = lw.reconstruct(np.random.default_rng(1).integers(-(2**63), 2**63 - 1, 3000))
    assert pickle.loads(pickle.dumps(noise)) == noise
    with pytest.raises(ValueError, match="state"):
        lw._native.restore_nests(b"\x01\xff\xff")
    restore, (state,) = noise.__reduce__()
    # Nests that nobody has looked into are handed on as they are.
    assert restore(state).__reduce__()[1] == (state,)
    for at in (0, 3, 4, len(state) // 2, len(state) - 1):
        with pytest.raises(ValueError, match="state"):
            restore(state[:at] + bytes([state[at] ^ 1]) + state[at + 1 :])
        with pytest.raises(ValueError, match="state"):
            restore(state[:at])
    assert repr(other) == "<Nests: 10 integers, 1 nest of 1 loop, exact>"
    assert repr(other[0]) == "<Nest: 10 integers, 1 loop>"
    assert "for i0 = 0 .. 9" in other._repr_html_() and "for i0 = 0 .. 9" in other[0]._repr_html_()


def test_files(command_line, tmp_path):
    text = "".join(f"{k % 3} {8 * k}\n" for k in range(300)) + "7 5\n"
    path = tmp_path / "trace.txt"
    path.write_text(text)
    found = lw.reconstruct_trace(path)
    assert list(found) == ["0", "1", "2", "7"]
    for stream, nests in found.items():
        assert str(nests) == command_line("reconstruct", "--stream", stream, path)
    compressed = tmp_path / "trace.lwc"
    command_line("compress", "--quiet", path, "-o", compressed)
    assert list(lw.expand(compressed.read_bytes(), stream="7")) == [5]
    with pytest.raises(ValueError, match="data has 4 streams; choose one with stream: 0, 1, 2, 7"):
        lw.expand(compressed.read_bytes())
    with pytest.raises(FileNotFoundError, match="missing"):
        lw.reconstruct_trace(tmp_path / "missing")
    with pytest.raises(IsADirectoryError):
        lw.reconstruct_trace(tmp_path)
    path.write_text("1\nx\n")
    with pytest.raises(ValueError, match="line 2: not an integer"):
        lw.reconstruct_trace(path)


# Seconds of this process's own, for the machine may be busy, in which a call that is told to end has ended.
# A search takes several times that.
AT_ONCE = 1.0


def slow() -> np.ndarray:
    """Integers that are searched for many seconds: few different steps, in no order."""
    return np.cumsum(np.random.default_rng(5).choice([1, 1, 1, 7, 50, 1000], 600_000))


def test_a_call_can_be_interrupted():
    array = slow()
    sent = []

    def interrupt():
        time.sleep(0.7)
        sent.append(time.process_time())
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=interrupt)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        lw.reconstruct(array)
    assert time.process_time() - sent[0] < AT_ONCE
    thread.join()


def test_progress_and_other_threads():
    array = slow()
    calls, ticks, here = [], [], threading.get_ident()
    done = threading.Event()

    def tick():
        while not done.wait(0.001):
            ticks.append(None)

    thread = threading.Thread(target=tick)
    thread.start()
    limited = lw.reconstruct(
        array, time_limit=1.0, progress=lambda at, total: calls.append((at, total, threading.get_ident()))
    )
    done.set()
    thread.join()
    assert np.array_equal(limited.expand(), array)
    assert len(calls) >= 3 and len(ticks) > 100
    assert all(0 <= at <= total == len(array) and thread == here for at, total, thread in calls)

    def refuse(at, total):
        raise KeyError("enough")

    start = time.process_time()
    with pytest.raises(KeyError, match="enough"):
        lw.reconstruct(array, progress=refuse)
    assert time.process_time() - start < AT_ONCE


def test_imperfect_nests():
    """Bodies of several statements are objects as perfect nests are."""
    trace = []
    for i in range(30):
        trace += [1000 * i] + [500_000 + 40 * i + j for j in range(i + 1)] + [900_000 - i]
    nests = lw.reconstruct(integers(*trace))
    assert len(nests) == 1
    outer = nests[0]
    assert isinstance(outer, lw.Loop) and (outer.depth, len(outer)) == (2, len(trace))
    assert outer.level == ([([], 0, 1)], [([], 29, 1)])
    first, inner, last = outer.body
    assert (first.coefficients, inner.coefficients, last.coefficients) == ([1000], [40, 1], [-1])
    assert inner.levels == [([([0], 0, 1)], [([1], 0, 1)])]
    assert np.array_equal(np.asarray(outer), trace) and np.array_equal(np.asarray(nests), trace)
    assert inner.to_text().startswith("  for i1 = 0 .. i0\n")
    with pytest.raises(ValueError, match="body of a loop"):
        len(inner)
    assert pickle.loads(pickle.dumps(nests)) == nests
    assert outer.to_c() == nests.to_c()


def test_integers_that_no_loop_describes():
    noise = np.random.default_rng(1).integers(0, 2**40, 500)
    rows = np.concatenate([noise, np.arange(1000)])
    nests = lw.reconstruct(rows)
    assert [type(nest) for nest in nests] == [lw.Integers, lw.Nest]
    assert np.array_equal(np.asarray(nests[0]), noise) and len(nests[0]) == 500
    assert np.array_equal(nests[1:].expand(), np.arange(1000))
    assert np.asarray(nests[::-1], dtype=float)[0] == 0.0


def test_several_streams_are_one_program():
    streams, values = [], []
    for i in range(30):
        streams.append(0)
        values.append(8 * i)
        for j in range(i + 1):
            streams += [1, 2]
            values += [1000 + 240 * i + 8 * j, 9000 - 8 * j]
    program = lw.whole(np.array(streams), np.array(values), names=["y", "a", "x"])
    assert program.accesses == len(values)
    again = program.expand()
    assert np.array_equal(again[0], streams) and np.array_equal(again[1], values)
    assert "for i0 = 0 .. 29\n  S0: 8*i0\n  for i1 = 0 .. i0\n    S1: 240*i0 + 8*i1 + 1000\n" in program.to_text()
    assert "access(2, (-8LL)*i1 + 9000LL);" in program.to_c()
    assert "schedule: { A2[i0, i1] -> [0, i0, 1, i1, 1] }" in program.to_isl()
    assert program == lw.whole(np.array(streams), np.array(values), names=["y", "a", "x"])
    with pytest.raises(ValueError, match="as many are needed"):
        lw.whole(integers(0), integers(1, 2))
    with pytest.raises(ValueError, match="no number of a stream"):
        lw.whole(integers(-1), integers(1))
    with pytest.raises(ValueError, match="beyond the 48 bits"):
        lw.whole(integers(0), integers(1 << 50))
    with pytest.raises(ValueError, match="2 are needed"):
        lw.whole(integers(0, 1), integers(1, 2), names=["a"])


def test_exceptions_of_a_nearly_affine_array():
    array = np.array([1000 * i + 8 * j for i in range(50) for j in range(40)])
    array[[333, 901]] = [7, 99]
    found = lw.approximate(array, 0.01)
    assert found.exceptions == [(333, "replaced", 7), (901, "replaced", 99)]
    assert len(found.nests) == 1 and found.accesses == 2000
    assert np.array_equal(found.expand(), array)
    assert "static const long long replaced[]" in found.to_c()
    assert lw.approximate(array, 0.0).exceptions == []
    with pytest.raises(ValueError, match="share is 2"):
        lw.approximate(array, 2)
