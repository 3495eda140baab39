"""The notebook runs, and types are what the stubs say."""

import os
import subprocess
import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient

HERE = Path(__file__).parent


def test_the_notebook_runs(loopwright, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", f"{loopwright.parent}:{os.environ['PATH']}")
    notebook = nbformat.read(HERE.parent / "examples/loopwright.ipynb", as_version=4)
    NotebookClient(notebook, timeout=100, resources={"metadata": {"path": str(tmp_path)}}).execute()
    shown = str([cell.get("outputs") for cell in notebook.cells])
    assert "max(0, i0 - 10)" in shown and "data:image/svg+xml;base64," in shown


def test_stubs_agree_with_the_extension():
    command = [sys.executable, "-m", "mypy.stubtest", "loopwright._native", "--ignore-disjoint-bases"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_package_is_typed(tmp_path):
    command = [sys.executable, "-m", "mypy", "--strict", "--ignore-missing-imports", "-p", "loopwright"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
