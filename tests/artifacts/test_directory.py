"""The directory of the cache: who may write there, and what becomes of it; files and the umask."""

import os
import shutil
import stat
import threading

import numpy as np
import pytest

import myia
from myia.api.files import cache as caches
from myia.artifacts import container, directory
from myia.artifacts.errors import ArtifactError
from tests.artifacts.test_cache import entries, folder, is_kept, new

__all__ = ["folder"]  # a fixture


@pytest.fixture
def umask():
    before = os.umask(0o022)
    yield os.umask
    os.umask(before)


def mode_of(path):
    return stat.S_IMODE(path.stat().st_mode)


def test_a_file_has_the_mode_of_new_files(tmp_path, umask):
    for mask in (0o022, 0o002, 0o077):
        umask(mask)
        container.write(tmp_path / "f", {}, [b"x"])
        assert mode_of(tmp_path / "f") == 0o666 & ~mask
        container.write(tmp_path / "f", {}, [b"x"], mode=0o600)
        assert mode_of(tmp_path / "f") == 0o600
    assert [p.name for p in tmp_path.iterdir()] == ["f"]


def test_threads_that_save_leave_the_umask_alone(tmp_path, umask, monkeypatch):
    def changed(mask):
        raise AssertionError("the umask is that of all threads")

    umask(0o027)
    with monkeypatch.context() as patched:
        patched.setattr(os, "umask", changed)
        failed = []

        def save(i):
            try:
                for _ in range(20):
                    container.write(tmp_path / f"{i}", {}, [b"x"])
            except BaseException as error:
                failed.append(error)

        threads = [threading.Thread(target=save, args=(i,)) for i in range(4)]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
    assert not failed and os.umask(0o022) == 0o027
    assert {mode_of(p) for p in tmp_path.iterdir()} == {0o640}


def test_parents_that_are_made_are_private(tmp_path, umask):
    umask(0o002)  # new directories of this user may be written by its group
    found = directory.Directory(tmp_path / "a" / "b" / "cache")
    assert {mode_of(p) for p in (tmp_path / "a", tmp_path / "a/b", found.path)} == {0o700}
    found.add("key", "name", {}, [b"x"])
    assert [*directory.Directory(found.path).entries("key")]


def test_a_folder_that_others_may_write_costs_no_result(folder, caplog):
    new(scaled)(np.ones(3))
    (key,) = (folder / "programs").iterdir()
    key.chmod(0o770)
    assert is_kept(new(scaled), np.ones(3))[0] is False  # nor is it read
    assert "chmod 700" in caplog.text
    key.chmod(0o700)
    assert is_kept(new(scaled), np.ones(3))[0] is True


def scaled(x):
    return np.sum(x) * FACTOR


FACTOR = 2.0


def test_the_path_has_no_links(tmp_path):
    (tmp_path / "real").mkdir(0o700)
    (tmp_path / "other").mkdir(0o700)
    (tmp_path / "link").symlink_to("real")
    found = directory.Directory(tmp_path / "link" / "cache")
    assert found.path == tmp_path / "real" / "cache" and found.xla.parent == found.path
    (tmp_path / "link").unlink()
    (tmp_path / "link").symlink_to("other")
    found.add("key", "name", {}, [b"x"])
    assert (tmp_path / "real/cache/programs/key/name.myia").exists()
    assert not [*(tmp_path / "other").iterdir()]


def test_a_link_that_others_may_replace_is_refused(tmp_path):
    (tmp_path / "real").mkdir(0o700)
    (tmp_path / "open").mkdir()
    (tmp_path / "open" / "link").symlink_to(tmp_path / "real")
    (tmp_path / "second").symlink_to(tmp_path / "open" / "link")
    (tmp_path / "open").chmod(0o777)
    for name in ("open/link", "second"):
        with pytest.raises(ArtifactError, match="may replace the cache"):
            directory.Directory(tmp_path / name / "cache")
    (tmp_path / "open").chmod(0o700)
    assert directory.Directory(tmp_path / "second" / "cache").path == tmp_path / "real/cache"


def test_a_link_of_another_user_is_refused(tmp_path, monkeypatch):
    (tmp_path / "real").mkdir(0o700)
    (tmp_path / "link").symlink_to("real")
    lstat = directory.Path.lstat

    def of_another(path):
        found = lstat(path)
        fields = list(found)
        fields[stat.ST_UID] += path.name == "link"
        return os.stat_result(fields)

    monkeypatch.setattr(directory.Path, "lstat", of_another)
    with pytest.raises(ArtifactError, match="may replace the cache"):
        directory.Directory(tmp_path / "link" / "cache")


def test_empty_folders_are_removed(tmp_path):
    found = directory.Directory(tmp_path / "cache", most_bytes=30_000)
    for i in range(6):
        found.add(f"key{i}", "name", {}, [bytes(8_000)])
        for k, path in enumerate(sorted((tmp_path / "cache/programs").rglob("*.myia"))):
            os.utime(path, (k, k))
    assert len(entries(tmp_path / "cache")) == 3
    assert len([*(tmp_path / "cache/programs").iterdir()]) == 3


def test_a_folder_that_is_removed_before_it_is_written(tmp_path, monkeypatch):
    found, write = directory.Directory(tmp_path / "cache"), container.write
    calls = []

    def late(path, *args, **kwargs):
        calls.append(path)
        if len(calls) == 1:  # another process removes what is empty
            shutil.rmtree(path.parent)
        write(path, *args, **kwargs)

    monkeypatch.setattr(container, "write", late)
    found.add("key", "name", {}, [b"x"])
    assert len(calls) == 2 and [*found.entries("key")]


def test_the_compiler_is_the_one_that_was_imported(monkeypatch):
    caches._environment.cache_clear()
    before = caches._environment()
    caches._environment.cache_clear()
    with monkeypatch.context() as patched:
        patched.setattr(caches, "_files", lambda folder: iter([("changed.py", 1, 1)]))
        assert caches._environment() == before
    caches._environment.cache_clear()


def test_saving_a_program_follows_the_umask(tmp_path, umask):
    umask(0o027)
    myia.jit(scaled).lower(np.ones(3)).compile().save(tmp_path / "f.myia")
    assert mode_of(tmp_path / "f.myia") == 0o640
