"""Profiles and what is shown of them."""

import json
import struct
import sys

import pytest

import loopwright as lw


def test_reports_are_those_of_the_command_line(profile_file, command_line, kernel):
    profile = lw.Profile.open(profile_file)
    assert isinstance(profile, lw.Profile) and profile.command == [str(kernel)]
    assert profile.to_text() == command_line("report", profile_file)
    assert profile.to_text(top=1) == command_line("report", "--top", "1", profile_file)
    assert profile.to_json() == command_line("report", "--format", "json", profile_file)
    assert profile.to_svg() == command_line("report", "--format", "svg", profile_file)
    assert profile.to_isl() == command_line("report", "--format", "isl", profile_file)
    page = profile.to_html()
    assert page.startswith("<!DOCTYPE html>") and "<script" in page
    assert json.loads(profile.to_json())["schema"] == "loopwright.report/1"
    assert "instructions recorded" in repr(profile)


def test_a_notebook_shows_loops_and_flame_graph(profile_file):
    shown = lw.Profile.open(profile_file)._repr_html_()
    assert "<pre>" in shown and "parallel loop" in shown and "data:image/svg+xml;base64," in shown


def test_isl_objects(profile_file, command_line):
    islpy = pytest.importorskip("islpy")
    profile = lw.Profile.open(profile_file)
    of = profile.isl()
    assert isinstance(of["domain"], islpy.UnionSet) and not of["domain"].is_empty()
    assert isinstance(of["write"], islpy.UnionMap)
    # Every statement is scheduled.
    assert of["domain"].union(of["approximate_domain"]).is_subset(of["schedule"].domain())
    with pytest.raises(ValueError, match="function: no function of that name ran: nowhere"):
        profile.isl("nowhere")


def test_islpy_is_named_where_it_is_missing(profile_file, monkeypatch):
    monkeypatch.setitem(sys.modules, "islpy", None)
    with pytest.raises(ImportError, match="pip install islpy"):
        lw.Profile.open(profile_file).isl()


def test_wrong_files(profile_file, command_line, loopwright, tmp_path):
    import subprocess

    good = profile_file.read_bytes()
    wrong = tmp_path / "wrong.lwp"

    def message_of_the_command_line():
        done = subprocess.run([loopwright, "report", wrong], capture_output=True, text=True, check=False)
        assert done.returncode == 2
        return done.stderr.strip()

    (version,) = struct.unpack("<I", good[8:12])
    for content, words in [
        (good[:8] + struct.pack("<I", version + 1) + good[12:], "it is of a newer Loopwright: update this one"),
        (good[:8] + struct.pack("<I", 1) + good[12:], "record the program again"),
        (good[:-5], "damaged profile"),
        (b"hello", "not a Loopwright profile"),
        (b"", "not a Loopwright profile"),
    ]:
        wrong.write_bytes(content)
        with pytest.raises(ValueError, match=words) as raised:
            lw.Profile.open(wrong)
        assert str(raised.value) in message_of_the_command_line()
    with pytest.raises(FileNotFoundError) as missing:
        lw.Profile.open(tmp_path / "missing.lwp")
    assert missing.value.filename.endswith("missing.lwp")
    with pytest.raises(IsADirectoryError):
        lw.Profile.open(tmp_path)
    with pytest.raises(TypeError):
        lw.Profile.open(5)
    with pytest.raises(ValueError, match="top is 0"):
        lw.Profile.open(profile_file).to_text(top=0)


def test_tables_are_those_of_the_report(profile_file):
    import pandas
    import pyarrow

    profile = lw.Profile.open(profile_file)
    report = json.loads(profile.to_json())
    loops = pyarrow.table(profile.loops)
    assert loops.column_names == profile.loops.columns and len(profile.loops) == len(report["loops"])
    for row, own in zip(loops.to_pylist(), report["loops"]):
        for name in ("id", "line", "iterations", "parallel", "trip_count", "reductions", "privatise", "simd"):
            assert row[name] == own[name]
    assert len(profile.nests) == len(report["nests"])
    statements, dependences = pyarrow.table(profile.statements), pyarrow.table(profile.dependences)
    assert statements.num_rows > 10 and dependences.num_rows > 10
    assert set(dependences["kind"].to_pylist()) <= {"flow", "anti", "output"}
    assert all(0 <= at < statements.num_rows for at in dependences["sink"].to_pylist())
    frame = pandas.DataFrame.from_arrow(profile.accesses)
    assert len(frame) == len(profile.accesses) and frame["executions"].sum() > 0
    assert repr(profile.loops).startswith("<Table of loops: ")


def test_tables_hold_isl_text(profile_file):
    islpy = pytest.importorskip("islpy")
    import pyarrow

    profile = lw.Profile.open(profile_file)
    for text in pyarrow.table(profile.statements)["domain"].to_pylist()[:50]:
        assert isinstance(islpy.UnionSet(text), islpy.UnionSet)
    for text in pyarrow.table(profile.dependences)["relation"].to_pylist()[:50]:
        assert isinstance(islpy.UnionMap(text), islpy.UnionMap)
    for text in pyarrow.table(profile.accesses)["addresses"].to_pylist()[:50]:
        assert isinstance(islpy.UnionMap(text), islpy.UnionMap)


def test_a_table_outlives_its_profile(profile_file):
    import pyarrow

    table = lw.Profile.open(profile_file).loops
    first, second = pyarrow.table(table), pyarrow.table(table)
    del table
    assert first == second and first.num_rows > 0
