"""Measures the package: beside the command line, and on one and two workers. `cargo xtask bench-python` runs it."""

import os
import subprocess
import tempfile
import time
from pathlib import Path

import distributed
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import loopwright as lw
from loopwright.dask import reconstruct_streams

LOOPWRIGHT = os.environ["LOOPWRIGHT"]
REPEATS = 5
TURNS = 3


def arrays() -> dict[str, np.ndarray]:
    """Traces by name: one nest, many short rows, tiles, noise."""
    long = np.tile(np.arange(1100), 60_000)
    i, j = np.meshgrid(np.arange(2_000_000), np.arange(8), indexing="ij")
    short = (64 * i + 8 * j).ravel()
    tiles = np.array(
        [
            500 * x + y
            for a in range(0, 500, 32)
            for b in range(0, 500, 32)
            for x in range(a, min(a + 32, 500))
            for y in range(b, min(b + 32, 500))
        ]
    )
    noise = np.random.default_rng(1).integers(0, 2**40, 4_000_000)
    return {
        "one nest, rows of 1100": long,
        "one nest, rows of 8": short + 1000 * (i // 7).ravel(),
        "tiles cut at the border": tiles,
        "noise": noise,
    }


def fastest(call) -> float:
    """Seconds of the fastest of several calls."""
    best = float("inf")
    for _ in range(REPEATS):
        start = time.perf_counter()
        call()
        best = min(best, time.perf_counter() - start)
    return best


def beside_the_command_line(directory: Path) -> None:
    print("\n## One array\n")
    print("| trace | integers | command line s | Python s | Python / command line |")
    print("|---|--:|--:|--:|--:|")
    for name, array in arrays().items():
        path = directory / "trace.i64"
        array.astype("<i8").tofile(path)
        command = [LOOPWRIGHT, "reconstruct", "--quiet", "--input-format", "i64", "-o", os.devnull, path]
        theirs = fastest(lambda command=command: subprocess.run(command, check=True))
        ours = fastest(lambda array=array: lw.reconstruct(array).to_text())
        print(f"| {name} | {len(array)} | {theirs:.3f} | {ours:.3f} | {ours / theirs:.2f} |")


def workers(directory: Path) -> None:
    """Streams of short rows in no order, a file each."""
    rng = np.random.default_rng(2)
    streams = 16
    rows, width = 250_000, 8
    length = rows * width
    for stream in range(streams):
        values = (rng.integers(0, 2**30, rows)[:, None] + 8 * np.arange(width)).ravel()
        table = pa.table({"stream": np.full(length, stream), "value": values})
        pq.write_table(table, directory / f"{stream:02}.parquet", row_group_size=1 << 20)
    seconds = {1: float("inf"), 2: float("inf")}
    results = []
    for count in list(seconds) * TURNS:
        with distributed.LocalCluster(
            n_workers=count, threads_per_worker=1, dashboard_address=":0"
        ) as cluster, distributed.Client(cluster) as client:
            client.wait_for_workers(count)
            client.run(lambda: __import__("loopwright.dask"))
            start = time.perf_counter()
            results.append(reconstruct_streams(directory, client))
            seconds[count] = min(seconds[count], time.perf_counter() - start)
    assert all(dict(result) == dict(results[0]) for result in results) and len(results[0]) == streams
    print("\n## Workers\n")
    print(f"{streams} streams of {length} integers in Parquet files, of short rows in no order; every worker is a process of")
    print(f"one thread. The fastest of {TURNS} runs each, in turn.\n")
    print("| workers | s | times as fast |")
    print("|--:|--:|--:|")
    for count, time_ in seconds.items():
        print(f"| {count} | {time_:.2f} | {seconds[1] / time_:.2f} |")


def main() -> None:
    print("# The Python package: measured\n")
    print("Written by `cargo xtask bench-python`, in one run. Python is a call of `loopwright.reconstruct` on an array in memory, the")
    print(f"command line a run of `loopwright reconstruct` on a file with the same integers; the fastest of {REPEATS} counts.")
    with tempfile.TemporaryDirectory() as directory:
        beside_the_command_line(Path(directory))
    with tempfile.TemporaryDirectory() as directory:
        workers(Path(directory))


if __name__ == "__main__":
    main()
