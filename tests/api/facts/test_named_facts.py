"""Facts by name are checked in a second process, where a module has changed."""

from __future__ import annotations

import os
import pathlib
import pickle
import subprocess
import sys

import pytest

from tests.api.facts import named_changes

ROOT = pathlib.Path(__file__).parents[3]


def record(path: pathlib.Path) -> dict[str, list]:
    recorded = named_changes.facts_of(named_changes.module_of(named_changes.FIRST, -1))
    path.write_bytes(pickle.dumps(recorded))
    return recorded


def checked(path: pathlib.Path, count: int) -> subprocess.CompletedProcess:
    command = [sys.executable, "-m", "tests.api.facts.named_changes", "--count", str(count)]
    environment = os.environ | {"PYTHONHASHSEED": "7"}
    return subprocess.run(
        [*command, str(path)], cwd=ROOT, env=environment, capture_output=True, text=True
    )


def test_a_second_process_knows_what_has_changed(tmp_path):
    recorded = record(tmp_path / "facts")
    assert all(recorded.values())  # every program has facts with names
    result = checked(tmp_path / "facts", 25)
    assert result.returncode == 0, result.stdout + result.stderr


def test_a_lost_fact_is_a_mistake(tmp_path):
    recorded = record(tmp_path / "facts")
    (tmp_path / "facts").write_bytes(pickle.dumps(recorded | {"of_globals": []}))
    assert "of_globals: True, not False" in checked(tmp_path / "facts", 25).stdout


@pytest.mark.slow
def test_many_changes(tmp_path):
    record(tmp_path / "facts")
    result = checked(tmp_path / "facts", 500)
    assert result.returncode == 0, result.stdout + result.stderr
