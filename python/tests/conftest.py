"""What tests share.

`cargo xtask python-package` runs them and says by these variables where things are: `LOOPWRIGHT`, the command line;
`LOOPWRIGHT_TRACES`, a folder with the integers of every generator; `LOOPWRIGHT_KERNEL`, a small compiled program.
"""

import os
import subprocess
from pathlib import Path

import numpy as np
import pytest


def _given(name: str) -> Path:
    value = os.environ.get(name)
    if value is None:
        pytest.fail(f"{name} is not set; run the tests with cargo xtask python-package")
    return Path(value)


@pytest.fixture(scope="session")
def loopwright() -> Path:
    return _given("LOOPWRIGHT")


@pytest.fixture(scope="session")
def kernel() -> Path:
    return _given("LOOPWRIGHT_KERNEL")


@pytest.fixture(scope="session")
def command_line(loopwright):
    """Runs the command line; gives what it prints, as text or as bytes."""

    def run(*args, text=True):
        done = subprocess.run([loopwright, *map(str, args)], capture_output=True, text=text, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run


@pytest.fixture(scope="session")
def profile_file(kernel, command_line, tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("profile") / "kernel.lwp"
    command_line("profile", "--quiet", "-o", path, "--", kernel)
    return path


@pytest.fixture(scope="session")
def traces() -> list[Path]:
    """Files of little-endian int64, one per generator."""
    found = sorted(_given("LOOPWRIGHT_TRACES").glob("*.i64"))
    assert len(found) > 30
    return found


def rows(first: int, count: int, length: int = 20) -> np.ndarray:
    """`count` rows of `length` integers, from row `first` on."""
    i, j = np.meshgrid(np.arange(first, first + count), np.arange(length), indexing="ij")
    return (1000 * i + 8 * j).ravel()
