"""The directory of a cache: private, bounded in size, shared by processes.

    programs/KEY/FACTS.myia     entries, each a file of `container.py`
    xla/                        JAX's own compilation cache

What others may have written is not read: neither a directory that is not private, nor a file that
is a link, belongs to somebody else or can be written by others. An entry is a file that is written
under another name and then renamed; whoever reads sees all of it or nothing.
"""

from __future__ import annotations

import contextlib
import os
import stat
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from myia.artifacts import container
from myia.artifacts.errors import ArtifactError

OTHERS_MAY_WRITE = stat.S_IWGRP | stat.S_IWOTH
MOST_BYTES = 1 << 30
MOST_OF_ONE_KEY = 64  # entries of one function and signature, by what else they depend on
OLD = 3600.0  # seconds after which a file that nobody has renamed is one that was given up
PROGRAMS, XLA = "programs", "xla"

NOT_MADE = "{}: the cache cannot be made there: {}"
NOT_A_DIRECTORY = "{}: the cache is no directory, or a link to one"
FOREIGN = "{}: the cache belongs to another user"
NOT_PRIVATE = "{}: other users may write into the cache: chmod 700 it"
PARENT = "{}: other users may replace the cache, since they may write into {}"


class Directory:
    """A cache on disk. ArtifactError: others may write there."""

    def __init__(self, path: str | os.PathLike[str], most_bytes: int = MOST_BYTES):
        given, self.most_bytes = Path(os.path.abspath(path)), most_bytes
        try:
            self.path = _made(given)
        except OSError as error:
            raise ArtifactError(NOT_MADE.format(given, error.strerror or error)) from None

    @property
    def xla(self) -> Path:
        return self.path / XLA

    def entries(self, key: str) -> Iterator[tuple[Path, dict[str, Any], list[bytes]]]:
        """The entries of a key that can be read, those used last first; the others are removed."""
        folder = self.path / PROGRAMS / key
        try:
            _check_private(folder)
        except (ArtifactError, OSError):
            return
        for path in _by_use(folder.glob("*.myia")):
            try:
                manifest, blobs = _read_private(path)
            except FileNotFoundError:  # another process has removed it
                continue
            except (ArtifactError, OSError):
                with contextlib.suppress(OSError):
                    path.unlink()
                continue
            yield path, manifest, blobs

    def used(self, path: Path) -> None:
        """An entry is one that was used last."""
        with contextlib.suppress(OSError):
            os.utime(path)

    def add(self, key: str, name: str, manifest: Mapping[str, Any], blobs: Sequence[bytes]) -> None:
        """A new entry, which replaces one of this name.

        OSError: it cannot be written; ArtifactError: others may write there.
        """
        folder = self.path / PROGRAMS / key
        for last in (False, True):
            folder.mkdir(mode=0o700, exist_ok=True)
            try:
                _check_private(folder)
                container.write(folder / f"{name}.myia", manifest, blobs, mode=0o600)
                break
            except FileNotFoundError:  # another process has removed it, while it was empty
                if last:
                    raise
        for path in _by_use(folder.glob("*.myia"))[MOST_OF_ONE_KEY:]:
            _remove(path)
        self.shrink()

    def shrink(self) -> None:
        """Remove what was used least recently, until the rest is within the limit."""
        files = [*_files(self.path)]
        total = sum(size for _, size, _ in files)
        now = time.time()
        for used, size, path in sorted(files):
            given_up = path.name.startswith(".") and now - used > OLD
            if total > self.most_bytes or given_up:
                _remove(path)
                total -= size
        _remove_empty(self.path / PROGRAMS)


def _made(given: Path) -> Path:
    """A directory that is there now, and private; its path has no links."""
    for parent in (*reversed(given.parents), given):
        if not parent.exists():
            with contextlib.suppress(FileExistsError):
                parent.mkdir(mode=0o700)
    path = given.parent.resolve() / given.name
    for each in (path, path / PROGRAMS, path / XLA):
        with contextlib.suppress(FileExistsError):
            each.mkdir(mode=0o700)
        _check_private(each)
    _check_parents(given, path)
    return path


def _check_private(path: Path) -> None:
    found = path.lstat()
    if not stat.S_ISDIR(found.st_mode):
        raise ArtifactError(NOT_A_DIRECTORY.format(path))
    if found.st_uid != os.geteuid():
        raise ArtifactError(FOREIGN.format(path))
    if found.st_mode & OTHERS_MAY_WRITE:
        raise ArtifactError(NOT_PRIVATE.format(path))


def _check_parents(*paths: Path) -> None:
    """Others may rename what is in a directory that they may write into, unless it is sticky.

    A link belongs to a user of its own.
    """
    for path in paths:
        for parent in _on_the_way(path):
            found, own = parent.stat(), parent.lstat()
            if found.st_mode & OTHERS_MAY_WRITE and not found.st_mode & stat.S_ISVTX:
                raise ArtifactError(PARENT.format(paths[0], parent))
            if not {found.st_uid, own.st_uid} <= {0, os.geteuid()}:
                raise ArtifactError(PARENT.format(paths[0], parent))


def _on_the_way(path: Path) -> Iterator[Path]:
    """The directories that lead to a path, those on the way of links among them."""
    for parent in path.parents:
        yield parent
        if parent.is_symlink():
            yield from _on_the_way(parent.parent / parent.readlink())


def _read_private(path: Path) -> tuple[dict[str, Any], list[bytes]]:
    with open(path, "rb", opener=_open) as file:
        found = os.fstat(file.fileno())
        if found.st_uid != os.geteuid() or found.st_mode & OTHERS_MAY_WRITE:
            raise ArtifactError(NOT_PRIVATE.format(path))
        return container.read_open(file)


def _open(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)


def _by_use(paths: Iterator[Path]) -> list[Path]:
    """Those used last first."""
    found = []
    for path in paths:
        with contextlib.suppress(OSError):
            found.append((path.lstat().st_mtime_ns, path))
    return [path for _, path in sorted(found, reverse=True)]


def _files(root: Path) -> Iterator[tuple[float, int, Path]]:
    """When each file was used last, its size, and it. JAX reads its files without a mark."""
    for folder, _, names in os.walk(root):
        for name in names:
            path = Path(folder, name)
            with contextlib.suppress(OSError):
                found = path.lstat()
                yield max(found.st_mtime, found.st_atime), found.st_size, path


def _remove(path: Path) -> None:
    with contextlib.suppress(OSError):
        path.unlink()


def _remove_empty(folder: Path) -> None:
    """Remove the directories in this one that are empty."""
    with os.scandir(folder) as found:
        for each in found:
            with contextlib.suppress(OSError):  # it is not empty
                os.rmdir(each)
