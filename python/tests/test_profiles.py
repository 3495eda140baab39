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
