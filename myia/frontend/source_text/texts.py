"""The texts that the file name of a function may stand for.

A file is read when a function of it is given to the compiler, by `take`: it may be edited before
the function is first called. Texts that were read once are kept, so that what was imported compiles
though its file has changed.
"""

from __future__ import annotations

import functools
import linecache
import os
import sys
import types
from collections.abc import Iterable, Iterator
from typing import Any

from myia.frontend.source_text.code_objects import codes_in

MAX_TEXTS = 8  # kept for one file
DYNAMIC = "<dynamic-code>"  # the file of functions that cloudpickle 3.1.3 or later has made

_kept: dict[str, tuple[str, ...]] = {}  # by file name, the newest last
_lines: dict[str, list[str]] = {}  # what `linecache` had when a file was read last
_received: dict[str, None] = {}  # names of files whose texts came with pickled functions


def texts(fn: types.FunctionType) -> Iterator[tuple[str, str]]:
    """File names and texts that may define `fn`, the likeliest first; some may come twice."""
    for name in _names(fn):
        for text in (*reversed(_kept.get(name, ())), *_read(name, fn.__globals__)):
            yield name, text


def _names(fn: types.FunctionType) -> tuple[str, ...]:
    """The file of `fn`; if a pickler hid that, the files that came with it, and of its module."""
    name = fn.__code__.co_filename
    if name != DYNAMIC:
        return (name,)
    module = fn.__globals__.get("__file__")
    return (*reversed(_received), *((module,) if isinstance(module, str) else ()))


def has_text(fn: types.FunctionType) -> bool:
    """Has Python the text that the file name of `fn` stands for?

    `<string>` stands for any text given to `exec`; Python 3.13 has that of `python -c`.
    """
    name = fn.__code__.co_filename
    return name != "<string>" and bool(linecache.getlines(name, fn.__globals__))


def take(f: Any) -> None:
    """Read the file of a callable, and those of the functions and modules that it names.

    Of a later edit the compiler then sees nothing; a helper that is named elsewhere, and edited
    before its first compilation, is refused.
    """
    for fn in _functions_in(f):
        for file in _names(fn):
            _keep_all(file, fn.__globals__)
        for x in _named_objects(fn):
            name, namespace = _file_of(x)
            if name is not None and name not in _kept:
                _keep_all(name, namespace)


def texts_without_module(parts: Iterable[Any]) -> dict[str, tuple[str, ...]]:
    """The texts of functions, and their helpers, that another process cannot import: by file."""
    found, seen = {}, set()
    waiting = [fn for x in parts if callable(x) for fn in _functions_in(x)]
    while waiting:
        fn = waiting.pop()
        name = fn.__code__.co_filename
        if fn in seen or (fn.__module__ != "__main__" and os.path.exists(name)):
            continue
        seen.add(fn)
        for file in _names(fn):
            _keep_all(file, fn.__globals__)
            found[file] = _kept.get(file, ())
        waiting += [g for x in _named_objects(fn) if callable(x) for g in _functions_in(x)]
    return found


def _keep_all(name: str, namespace: dict[str, Any]) -> None:
    known = _lines.get(name)
    unchanged = known is not None and linecache.getlines(name, namespace) is known
    if unchanged:
        linecache.checkcache(name)
        unchanged = linecache.getlines(name, namespace) is known
    if not unchanged:
        for text in _read(name, namespace):
            keep(name, text)
        _lines[name] = linecache.getlines(name, namespace)


def receive(files: dict[str, tuple[str, ...]]) -> None:
    """Keep the texts that came with a pickled function."""
    for name, found in files.items():
        _received[name] = None
        for text in found:
            keep(name, text)


def keep(name: str, text: str) -> None:
    known = _kept.get(name, ())
    if text not in known:
        _kept[name] = (*known, text)[-MAX_TEXTS:]


def _read(name: str, namespace: dict[str, Any]) -> Iterator[str]:
    """What `linecache` has, then what the file has now, if that differs."""
    old = linecache.getlines(name, namespace)
    if old:
        yield "".join(old)
    linecache.checkcache(name)
    new = linecache.getlines(name, namespace)
    if new and new is not old:
        yield "".join(new)


# ----- What a function names


def _functions_in(f: Any) -> Iterator[types.FunctionType]:
    """The functions in a method, a partial function, wrappers, a callable instance."""
    for _ in range(20):
        if isinstance(f, types.FunctionType):
            yield f
            if "__wrapped__" not in f.__dict__:
                return
        if isinstance(f, type):
            return
        if isinstance(f, (types.MethodType, staticmethod, classmethod)):
            f = f.__func__
        elif isinstance(f, functools.partial):
            f = f.func
        elif "__wrapped__" in getattr(f, "__dict__", ()):
            f = f.__wrapped__
        else:
            f = vars(type(f)).get("__call__")  # of the class itself; an inherited one is read later


def _named_objects(fn: types.FunctionType) -> Iterator[Any]:
    """Globals that the code of `fn` names, and what is in its closure."""
    for code in codes_in(fn.__code__):
        for name in code.co_names:
            if name in fn.__globals__:
                yield fn.__globals__[name]
    for cell in fn.__closure__ or ():
        try:
            yield cell.cell_contents
        except ValueError:  # not defined yet
            continue


def _file_of(x: Any) -> tuple[str | None, dict[str, Any]]:
    """The Python file that defines a function, a module or the class of an object."""
    if isinstance(x, types.FunctionType):
        return x.__code__.co_filename, x.__globals__
    if not isinstance(x, types.ModuleType):
        cls = x if isinstance(x, type) else type(x)
        x = sys.modules.get(cls.__module__)
    namespace = getattr(x, "__dict__", {})
    name = namespace.get("__file__")
    return (name, namespace) if isinstance(name, str) and name.endswith(".py") else (None, {})
