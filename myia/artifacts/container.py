"""The file of an artifact: a zip of a manifest and of binary members, read with suspicion.

    manifest.json    what the programs are, the versions, the size and the hash of each member
    manifest.sha256  the hash of the manifest
    0.module         programs and constants, in the order of the manifest
    ...

Nothing in it is compressed: a member is never longer than the file. All sizes are known to be right
before anything is read, names are fixed, and nothing is extracted.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import os
import secrets
import stat
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any

from myia.artifacts.errors import ArtifactError

FORMAT = 1  # of the file; a reader reads none that is newer
KIND = "myia artifact"
MANIFEST, CHECKSUM = "manifest.json", "manifest.sha256"
MOST_MEMBERS = 4096
MOST_MANIFEST_BYTES = 64 << 20
DATE = (1980, 1, 1, 0, 0, 0)  # of all members: equal programs are equal files
ENCRYPTED = 1
NEW_FILE = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
END, END_BYTES = b"PK\5\6", 22  # how the record begins that a zip without a comment ends with

NOT_REGULAR = "it is not a regular file"
NOT_ZIP = "it is not a file that `myia.save` wrote, or it was cut short"
OTHER_MEMBERS = "its members are not those of a file that `myia.save` wrote"
COMPRESSED = "its members are compressed, encrypted or links: `myia.save` writes none of these"
MORE_BYTES = "it has bytes before, between or after its members"
TOO_LONG = "its members are longer than the file"
DAMAGED = "{} is damaged: its hash is another one"
NO_MANIFEST = "its manifest cannot be read"
FOREIGN = "its manifest is not that of compiled programs"
NEWER = "it has format {}, and this version of myia reads formats up to {}: update myia"


# ----- Writing


def write(
    path: str | os.PathLike[str],
    manifest: Mapping[str, Any],
    blobs: Sequence[bytes],
    mode: int | None = None,
) -> None:
    """Write a file, whole or not at all. `blobs`: the members, in the order of the manifest.

    `mode`: who may read it; None: as the process says of new files.
    """
    members = [{"bytes": len(b), "sha256": hashlib.sha256(b).hexdigest()} for b in blobs]
    full = {"kind": KIND, "format": FORMAT, **manifest, "members": members}
    text = json.dumps(full, indent=1, allow_nan=False).encode()
    target = Path(path)
    # The kernel takes off what the umask forbids: whoever asks for that would have to change it.
    name = target.parent / f".{target.name}.{secrets.token_hex(8)}"
    handle = os.open(name, NEW_FILE, 0o666 if mode is None else mode)
    try:
        with os.fdopen(handle, "wb") as file:
            _write_members(file, text, blobs)
            file.flush()
            os.fsync(file.fileno())
        os.replace(name, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise


def _write_members(file: IO[bytes], manifest: bytes, blobs: Sequence[bytes]) -> None:
    members = {MANIFEST: manifest, CHECKSUM: hashlib.sha256(manifest).hexdigest().encode()}
    members |= {_member_name(i): blob for i, blob in enumerate(blobs)}
    with zipfile.ZipFile(file, "w", zipfile.ZIP_STORED) as archive:
        for name, blob in members.items():
            archive.writestr(zipfile.ZipInfo(name, DATE), blob)


def _member_name(index: int) -> str:
    return f"{index}.module"


# ----- Reading


def read(path: str | os.PathLike[str]) -> tuple[dict[str, Any], list[bytes]]:
    """The manifest and the members of a file. ArtifactError: it is damaged, newer or foreign.

    OSError: it cannot be opened.
    """
    try:
        with open(path, "rb", opener=_open) as file:
            return read_open(file)
    except ArtifactError as error:
        raise ArtifactError(f"{os.fspath(path)}: {error}") from None


def read_open(file: IO[bytes]) -> tuple[dict[str, Any], list[bytes]]:
    """The same of an open file."""
    found = os.fstat(file.fileno())
    if not stat.S_ISREG(found.st_mode):
        raise ArtifactError(NOT_REGULAR)
    try:
        with zipfile.ZipFile(file) as archive:
            _check_members(archive.infolist(), found.st_size)
            _check_ends(file, archive.infolist(), found.st_size)
            manifest = _manifest(archive)
            return manifest, _blobs(archive, manifest["members"])
    except ArtifactError:
        raise
    # What `zipfile` raises of files that are damaged on purpose, its own error among others.
    except Exception:
        raise ArtifactError(NOT_ZIP) from None


def _open(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NONBLOCK | os.O_CLOEXEC)  # a pipe does not make it wait


def _check_members(members: Sequence[zipfile.ZipInfo], file_size: int) -> None:
    count = len(members) - 2
    names = [MANIFEST, CHECKSUM, *map(_member_name, range(count))]
    if not 0 <= count <= MOST_MEMBERS or [m.filename for m in members] != names:
        raise ArtifactError(OTHER_MEMBERS)
    for m in members:
        mode = m.external_attr >> 16
        plain = m.compress_type == zipfile.ZIP_STORED and m.compress_size == m.file_size
        link = stat.S_IFMT(mode) not in (0, stat.S_IFREG)
        if not plain or m.flag_bits & ENCRYPTED or link:
            raise ArtifactError(COMPRESSED)
    if sum(m.file_size for m in members) > file_size or members[0].file_size > MOST_MANIFEST_BYTES:
        raise ArtifactError(TOO_LONG)


def _check_ends(file: IO[bytes], members: Sequence[zipfile.ZipInfo], file_size: int) -> None:
    """Is there nothing but the members, as `_write_members` writes them?"""
    empty = io.BytesIO()
    with zipfile.ZipFile(empty, "w", zipfile.ZIP_STORED) as archive:
        for m in members:
            archive.writestr(zipfile.ZipInfo(m.filename, DATE), b"")
    rest = file_size - sum(m.file_size for m in members) - len(empty.getvalue())
    # Long files have longer headers.
    is_long = file_size > zipfile.ZIP64_LIMIT
    file.seek(-END_BYTES, os.SEEK_END)
    at_end = file.read(END_BYTES).startswith(END)
    if members[0].header_offset or not at_end or (rest and not is_long):
        raise ArtifactError(MORE_BYTES)


def _manifest(archive: zipfile.ZipFile) -> dict[str, Any]:
    text, checksum = archive.read(MANIFEST), archive.read(CHECKSUM)
    if hashlib.sha256(text).hexdigest().encode() != checksum:
        raise ArtifactError(DAMAGED.format("its manifest"))
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        raise ArtifactError(NO_MANIFEST) from None
    if not isinstance(found, dict) or found.get("kind") != KIND:
        raise ArtifactError(FOREIGN)
    number = found.get("format")
    if type(number) is not int or number < 1:
        raise ArtifactError(FOREIGN)
    if number > FORMAT:
        raise ArtifactError(NEWER.format(number, FORMAT))
    if not isinstance(found.get("members"), list):
        raise ArtifactError(FOREIGN)
    return found


def _blobs(archive: zipfile.ZipFile, members: Sequence[Any]) -> list[bytes]:
    if len(members) != len(archive.infolist()) - 2:
        raise ArtifactError(OTHER_MEMBERS)
    blobs = []
    for i, told in enumerate(members):
        blob = archive.read(_member_name(i))
        right = {"bytes": len(blob), "sha256": hashlib.sha256(blob).hexdigest()}
        if told != right:
            raise ArtifactError(DAMAGED.format(f"its member {_member_name(i)}"))
        blobs.append(blob)
    return blobs
