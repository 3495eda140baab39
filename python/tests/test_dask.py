"""Traces and commands on a cluster of processes."""

import json
import os
import signal
import subprocess
import sys
import threading
import time

import distributed
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from conftest import rows

import loopwright as lw
from loopwright.dask import profile_many, reconstruct_streams


@pytest.fixture(scope="module")
def cluster():
    with distributed.LocalCluster(
        n_workers=3, threads_per_worker=1, processes=True, dashboard_address=":0"
    ) as cluster:
        yield cluster


@pytest.fixture(scope="module")
def client(cluster):
    with distributed.Client(cluster) as client:
        yield client


def write(path, streams, values, row_group=1000, **types):
    table = pa.table({"stream": streams, "value": pa.array(values, **types)})
    pq.write_table(table, path, row_group_size=row_group)


def mixed_trace():
    """Three interleaved streams: a nest, an irregular one, and a nest that begins late."""
    rng = np.random.default_rng(2)
    parts = {
        7: rows(0, 400),
        3: rng.integers(0, 2**40, 3000),
        11: (np.arange(60)[:, None] * 64 + np.arange(30)).ravel(),
    }
    streams = np.concatenate([rng.permutation(np.repeat([7, 3], [8000, 3000])), np.full(1800, 11)])
    values = np.empty(len(streams), dtype=np.int64)
    for stream, of_it in parts.items():
        values[streams == stream] = of_it
    return streams, values, parts


def expected(parts):
    """What one call per stream gives for a trace of several."""
    out = {}
    for stream, values in parts.items():
        chunker = lw.Chunker()
        chunker.push(values)
        out[str(stream)] = lw.join([chunker.finish()], streams=len(parts))
    return out


def test_results_do_not_depend_on_chunks_files_or_workers(client, tmp_path):
    streams, values, parts = mixed_trace()
    want = expected(parts)
    for files, row_group, chunk in [(1, 100_000, 1 << 20), (1, 700, 700), (3, 1000, 2500), (4, 333, 1)]:
        folder = tmp_path / f"{files}-{row_group}-{chunk}"
        folder.mkdir()
        for k, part in enumerate(np.array_split(np.arange(len(streams)), files)):
            write(folder / f"part-{k}.parquet", streams[part], values[part], row_group)
        found = reconstruct_streams(folder, client, chunk=chunk)
        assert dict(found) == want and not found.failures and not found.interrupted
        assert set(list(found)[:2]) == {"7", "3"} and list(found)[2] == "11"
        assert len(found) == 3 and all(np.array_equal(found[str(s)].expand(), v) for s, v in parts.items())
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, dashboard_address=":0"
    ) as alone, distributed.Client(alone) as other:
        assert dict(reconstruct_streams(folder, other, chunk=2000)) == want


def test_names_types_and_single_files(client, tmp_path):
    path = tmp_path / "t.parquet"
    values = rows(0, 50).astype(np.uint64)
    table = pa.table({"id": pa.array(["a", "b"] * 500).dictionary_encode(), "address": values})
    pq.write_table(table, path)
    found = reconstruct_streams([path], client, stream="id", value="address", floors=True)
    assert list(found) == ["a", "b"]
    assert np.array_equal(found["b"].expand(), rows(0, 50)[1::2])
    one = tmp_path / "one.parquet"
    write(one, ["x"] * 1000, rows(0, 50))
    assert reconstruct_streams(one, client)["x"] == lw.reconstruct(rows(0, 50))
    write(one, pa.array([], type=pa.int64()), [], type=pa.int64())
    assert len(reconstruct_streams(one, client)) == 0


def test_a_folder_of_traces(client, command_line, kernel, tmp_path):
    for name in ("a", "b"):
        command_line("trace", "--quiet", "--function", "relax", "-o", tmp_path / f"{name}.lwt", "--", kernel)
    streams = lw.reconstruct_trace(tmp_path / "a.lwt")
    found = reconstruct_streams(tmp_path, client)
    assert not found.failures and len(found) >= len(streams) > 5
    # The files are consecutive parts: a stream of both is twice as long.
    second = lw.reconstruct_trace(tmp_path / "b.lwt")
    for stream in set(streams) & set(second):
        whole = np.concatenate([streams[stream].expand(), second[stream].expand()])
        assert np.array_equal(found[stream].expand(), whole)
    one = reconstruct_streams(tmp_path / "a.lwt", client)
    assert dict(one) == streams and list(one) == list(streams)


def damage(path, at):
    content = bytearray(path.read_bytes())
    content[at : at + 64] = bytes(64)
    path.write_bytes(content)


def test_a_corrupted_partition_is_named_and_the_others_are_delivered(client, tmp_path):
    for k in range(4):
        streams = ["all"] * 1000 + [f"only {k}"] * 1000
        values = np.concatenate([rows(50 * k, 50), rows(0, 50) + k])
        write(tmp_path / f"{k}.parquet", streams, values, 4000)
    # Pages of the values of one file, and the end of another.
    damage(tmp_path / "1.parquet", 200)
    found = reconstruct_streams(tmp_path, client)
    (name,) = found.failures
    assert name == f"{tmp_path / '1.parquet'}, row group 0" and "1.parquet" in found.failures[name]
    assert list(found) == ["only 0", "only 2", "only 3"]
    assert np.array_equal(found["only 3"].expand(), rows(0, 50) + 3)
    first, rest = found.interrupted["all"]
    assert first == lw.join([_chunk(rows(0, 50))], streams=4)
    assert np.array_equal(rest.expand(), rows(100, 100))
    (tmp_path / "3.parquet").write_bytes(b"PAR1 nothing PAR1")
    again = reconstruct_streams(tmp_path, client)
    assert set(again.failures) == {name, str(tmp_path / "3.parquet")}
    assert list(again) == ["only 0", "only 2"] and len(again.interrupted["all"]) == 2


def _chunk(values):
    chunker = lw.Chunker()
    chunker.push(values)
    return chunker.finish()


def test_a_corrupted_trace_file_is_named(client, command_line, kernel, tmp_path):
    for name in ("a", "b", "c"):
        command_line("trace", "--quiet", "--function", "relax", "-o", tmp_path / f"{name}.lwt", "--", kernel)
    path = tmp_path / "b.lwt"
    path.write_bytes(path.read_bytes()[:-20])
    (tmp_path / "c.lwt").write_bytes(b"nothing at all, for certain")
    found = reconstruct_streams(tmp_path, client)
    assert set(found.failures) == {str(path), str(tmp_path / "c.lwt")}
    assert "damaged trace" in found.failures[str(path)]
    assert dict(found) == lw.reconstruct_trace(tmp_path / "a.lwt")


def test_wrong_values_fail_their_partition(client, tmp_path):
    write(tmp_path / "0.parquet", [1] * 3, [1, None, 3], type=pa.int64())
    write(tmp_path / "1.parquet", [2] * 3, [1, 2, 2**63], type=pa.uint64())
    write(tmp_path / "2.parquet", [3] * 3, [1, 2, 3])
    found = reconstruct_streams(tmp_path, client)
    messages = list(found.failures.values())
    assert "a row without a stream or a value" in messages[0] and "beyond 2^63 - 1" in messages[1]
    assert list(found) == ["3"]


def test_wrong_sources_are_named(client, tmp_path):
    path = tmp_path / "a.parquet"
    write(path, [1, 2], [1, 2])
    with pytest.raises(ValueError, match="source: .* has no column 'address'; it has stream, value"):
        reconstruct_streams(path, client, value="address")
    other = tmp_path / "b.parquet"
    pq.write_table(pa.table({"stream": [1.0], "value": [1]}), other)
    with pytest.raises(TypeError, match="source: column 'stream' of .* is double"):
        reconstruct_streams(other, client)
    pq.write_table(pa.table({"stream": [1], "value": [1.5]}), other)
    with pytest.raises(TypeError, match="source: column 'value' of .* is double; int64 or uint64"):
        reconstruct_streams(other, client)
    write(other, ["x"], [1])
    with pytest.raises(ValueError, match="source: column 'stream' has several types, integers .* and text"):
        reconstruct_streams(tmp_path, client)
    with pytest.raises(FileNotFoundError, match="source"):
        reconstruct_streams(tmp_path / "missing.parquet", client)
    with pytest.raises(ValueError, match="chunk is 0"):
        reconstruct_streams(path, client, chunk=0)
    (tmp_path / "t.lwt").write_bytes(b"LWTRACE\n\x01\0\0\0")
    with pytest.raises(ValueError, match="source: files of several kinds, .lwt and .parquet"):
        reconstruct_streams(tmp_path, client)
    versions = tmp_path / "versions"
    versions.mkdir()
    with pytest.raises(ValueError, match="source: no .parquet or .lwt file"):
        reconstruct_streams(versions, client)
    for version in (1, 2):
        (versions / f"{version}.lwt").write_bytes(b"LWTRACE\n" + bytes([version, 0, 0, 0]))
    with pytest.raises(ValueError, match="source: traces of several formats, 1 .* and 2"):
        reconstruct_streams(versions, client)
    with pytest.raises(ValueError, match="source: .* neither"):
        reconstruct_streams([versions], client)


def test_a_killed_worker_changes_nothing(tmp_path):
    rng = np.random.default_rng(4)
    parts = {k: rng.integers(0, 2**40, 400_000) if k % 2 else rows(k, 20_000) for k in range(6)}
    for stream, values in parts.items():
        write(tmp_path / f"{stream}.parquet", np.full(len(values), stream), values, 50_000)
    want = expected(parts)
    outcome = {}
    with distributed.LocalCluster(
        n_workers=3, threads_per_worker=1, processes=True, dashboard_address=":0"
    ) as cluster, distributed.Client(cluster) as client:
        before = {worker.pid for worker in cluster.workers.values()}

        def job():
            outcome["found"] = reconstruct_streams(tmp_path, client, chunk=50_000)

        thread = threading.Thread(target=job)
        thread.start()
        # In the middle: something has been done on the worker that is killed, and the job goes on.
        victim = None
        while victim is None and thread.is_alive():
            time.sleep(0.01)
            holding = {w: len(keys) for w, keys in client.has_what().items() if len(keys) >= 3}
            workers = {w.worker_address: w.pid for w in cluster.workers.values()}
            victim = next((workers[w] for w in holding if w in workers), None)
        assert victim is not None and thread.is_alive()
        os.kill(victim, signal.SIGKILL)
        thread.join(120)
        assert not thread.is_alive()
        after = {worker.pid for worker in cluster.workers.values()}
        assert victim in before and victim not in after
    found = outcome["found"]
    assert not found.failures and dict(found) == want


def test_memory_of_a_long_stream_is_bounded(tmp_path):
    """A worker takes a stream of many chunks in the memory that one chunk takes."""
    script = """
import resource, sys, numpy as np, loopwright as lw
chunker, base = lw.Chunker(), None
rng = np.random.default_rng(1)
for k in range(int(sys.argv[1])):
    chunker.push(rng.integers(0, 1 << 20, 1 << 19))
chunker.finish()
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""

    def peak(parts):
        return int(subprocess.check_output([sys.executable, "-c", script, str(parts)]))

    few, many = peak(2), peak(16)
    # Seven million more integers of 8 bytes, of which 20 bits are random, are kept compressed.
    assert many - few < 14 * (1 << 19) * 4 / 1024, (few, many)


def test_profiles_of_many_commands(client, kernel, loopwright, tmp_path):
    found = profile_many(
        [[str(kernel)], f"{kernel} 1", "/nowhere/program"],
        client,
        directory=tmp_path,
        loopwright=loopwright,
    )
    assert found.paths == [tmp_path / "0.lwp", tmp_path / "1.lwp", None]
    assert found.merged == tmp_path / "merged.lwp" and found.merge_failure is None
    merged = json.loads(lw.Profile.open(found.merged).to_json())
    assert [run["argv"] for run in merged["program"]["inputs"]] == [[str(kernel)], [str(kernel), "1"]]
    assert lw.Profile.open(found.paths[1]).command == [str(kernel), "1"]
    with pytest.raises(ValueError, match="a merged profile: polyhedral programs are of one run"):
        lw.Profile.open(found.merged).to_isl()
    alone = profile_many([[str(kernel)]] * 2, client, directory=tmp_path, loopwright=loopwright, merge=False)
    assert alone.merged is None and alone.paths[0].exists()
    assert list(found.failures) == [2] and "/nowhere/program" in found.failures[2]
    with pytest.raises(ValueError, match="commands: number 1 is empty"):
        profile_many([[str(kernel)], []], client, directory=tmp_path)
