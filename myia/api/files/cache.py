"""The cache of compiled programs on disk: found by code and signature, used if all facts hold.

    key      what is compiled (a hash of its code), the signature of the call, options, versions
    facts    what the program depends on besides, by names: globals, closures, defaults, helpers

A program that depends on something without a name is not in the cache. Nor is what it is compiled
from by JAX: functions of its libraries but NumPy and JAX themselves.
"""

from __future__ import annotations

import functools
import hashlib
import json
import logging
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import jax
from jax.experimental.compilation_cache import compilation_cache

import myia.api.files.named_facts as named_facts
from myia.api.files.asked_facts import Asked
from myia.api.files.entries import as_exported, entry_json, executable_in, program_of
from myia.api.files.named_facts import Name, NoName, answer_name, part_of_transform
from myia.api.variant import Call
from myia.artifacts.constants import Json, NotStorable, version_of
from myia.artifacts.directory import MOST_BYTES, Directory
from myia.artifacts.errors import ArtifactError
from myia.infer.boundary.integers import Path as PathToInt
from myia.infer.eval.program import Program
from myia.pipeline import Executable, exported
from myia.primitives.core.platforms import default_platform
from myia.source.diagnostics import MyiaError
from myia.source.process import compiling

LOG = logging.getLogger("myia")
VARIABLE = "MYIA_CACHE"
PACKAGE = Path(named_facts.__file__).parents[2]
VERSIONED = ("myia", "jax", "jaxlib", "numpy", "scipy")
XLA_SETTINGS = {
    "jax_persistent_cache_min_compile_time_secs": 0.0,
    "jax_persistent_cache_min_entry_size_bytes": -1,
}


class Entry(NamedTuple):
    """A program that was found, with its facts here and now."""

    program: Program
    executable: Executable
    arguments: set[PathToInt]  # the ints in what it reads that are arguments


class Cache:
    """The programs in a directory."""

    def __init__(self, directory: Directory):
        self.directory = directory

    def find(self, key: str, target: Any, call: Call) -> Entry | None:
        """A program whose facts all hold. `target`: what is compiled."""
        for path, told, blobs in self.directory.entries(key):
            try:
                names = _names(told["facts"])
                asked = Asked(target, call.flat)
                facts = asked.facts(names)
                if facts is None:
                    continue
                program = program_of(told, facts)
                with compiling():
                    executable = executable_in(told, blobs[0], program)
                found = Entry(program, executable, asked.arguments)
            except MyiaError:
                raise
            except Exception as error:  # of an entry that another version wrote, or that is damaged
                LOG.info("an entry of the cache cannot be used: %s: %r", path, error)
                continue
            self.directory.used(path)
            return found
        return None

    def store(
        self, key: str, target: Any, program: Program, executable: Executable
    ) -> Executable | None:
        """Add a program; the executable to use from now on. None: it cannot be in the cache."""
        try:
            told = entry_json(program, executable, target)
            blob = bytes(exported(executable).serialize())
        except (NotStorable, NotImplementedError, ValueError) as error:
            LOG.info("not in the cache: %s", error)
            return None
        facts = hashlib.sha256(json.dumps(told["facts"]).encode()).hexdigest()
        try:
            self.directory.add(key, facts[:32], told, [blob])
        except (OSError, ArtifactError) as error:
            LOG.warning("the cache cannot be written: %s", error)
        return as_exported(executable, blob)


def _names(told: Json) -> list[Name]:
    return [_as_tuple(each) for each in told]


def _as_tuple(x: Any) -> Any:
    return tuple(map(_as_tuple, x)) if isinstance(x, list) else x


# ----- Keys


def key_of(target: Any, options: Any, call: Call) -> str | None:
    """The key of a call; None: something in it has no name in another process."""
    if any(leaf.kind in ("traced", "transformed") for leaf in call.leaves):
        return None
    try:
        what = part_of_transform(target), part_of_transform(options)
        positional = tuple(map(answer_name, call.positional))
        keywords = tuple((k, answer_name(s)) for k, s in call.keywords.items())
    except NoName:
        return None
    told = (what, positional, keywords, _environment(), _modes())
    return hashlib.sha256(repr(told).encode(errors="surrogatepass")).hexdigest()[:40]


@functools.cache
def _environment() -> Name:
    """What is the same for all programs of a process: versions, the compiler itself."""
    return (COMPILER, sys.version, sys.flags.optimize, *map(version_of, VERSIONED))


def _files(folder: str) -> Iterator[tuple[str, int, int]]:
    """The files of a package, with their sizes and times."""
    for each in os.scandir(folder):
        if each.is_dir():
            yield from _files(each.path)
        elif each.name.endswith(".py"):
            yield each.path, each.stat().st_size, each.stat().st_mtime_ns


# Now: its files may be replaced while this process goes on with the code that it has imported.
COMPILER = hashlib.sha256(repr(sorted(_files(str(PACKAGE)))).encode()).hexdigest()


def _modes() -> Name:
    """The platform, and the modes of JAX in which its functions are traced, in this thread."""
    config: Any = jax.config  # its options are not declared
    names = sorted(name for name in config.values if "cache" not in name)
    return (default_platform(), *((name, repr(getattr(config, name, None))) for name in names))


# ----- The cache of this process

_active: list[Cache] = []
_before: dict[str, Any] = {}  # settings of JAX that the cache has changed


def active() -> Cache | None:
    return _active[0] if _active else None


def cache(path: str | os.PathLike[str] | None, *, max_bytes: int = MOST_BYTES) -> None:
    """Keep compiled programs in a directory, and use those that earlier processes left there.

        myia.cache("~/.cache/myia")        or MYIA_CACHE=... in the environment

    A program is used if the code of the function, the signature of the call, all options and
    versions are the same, and if all that it depends on besides is: globals, closures, defaults,
    attributes, the code of helpers. What has no name in another process is compiled as before:
    objects that no module holds, functions of libraries that JAX traces. JAX's own compilation
    cache is put into the directory, too, unless it is set already; it is for all that JAX compiles.
    `max_bytes`: what was used least recently is removed beyond; None as the path: no cache.

    The directory is made for this user alone (mode 0700). `ArtifactError`: others may write
    there, or it cannot be made.

    Example:
        >>> import tempfile, myia
        >>> myia.cache(tempfile.mkdtemp())
        >>> myia.jit(lambda x: 2.0 * x)(3.0)
        6.0
        >>> myia.cache(None)
    """
    if path is None:
        _active.clear()
        _set_xla_cache(_before)
        _before.clear()
        return
    directory = Directory(Path(path).expanduser(), max_bytes)
    _environment()  # of now, too
    config: Any = jax.config
    if config.jax_compilation_cache_dir is None or _before:
        settings = {**XLA_SETTINGS, "jax_compilation_cache_dir": str(directory.xla)}
        for name in settings:
            _before.setdefault(name, getattr(config, name))
        _set_xla_cache(settings)
    _active[:] = [Cache(directory)]


def _set_xla_cache(settings: dict[str, Any]) -> None:
    for name, value in settings.items():
        jax.config.update(name, value)
    compilation_cache.reset_cache()


if os.environ.get(VARIABLE):
    cache(os.environ[VARIABLE])
