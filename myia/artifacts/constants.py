"""Constants as JSON, to the bit: compile-time values, dtypes, arrays, the names of classes.

1.5          ["float", "0x1.8000000000000p+0"]
(1, "a")     ["tuple", [["int", "1"], ["str", "a"]]]
"""

from __future__ import annotations

import builtins
import functools
import importlib.metadata
import math
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from myia.artifacts.errors import ArtifactError

Json = Any
SINGLE = {"none": None, "true": True, "false": False, "ellipsis": ...}
NAMES = {id(x): name for name, x in SINGLE.items()}
OF_A_SCRIPT = (
    "it is of the script that saved the file, and the script that runs now has none of this name: "
    "define it before the call; or move it into a module, which both import, and save anew"
)


class NotStorable(Exception):
    """What cannot be written down: its text says what it is."""


# ----- To JSON


def encoded(x: Any) -> Json:
    """A constant. NotStorable: an object of a class that has no form in a file."""
    if id(x) in NAMES:
        return [NAMES[id(x)]]
    if isinstance(x, np.dtype):
        return ["dtype", dtype_name(x)]
    if isinstance(x, np.generic) and x.dtype.kind in "biufc":
        return ["generic", dtype_name(x.dtype), x.tobytes().hex()]
    encode = ENCODE.get(type(x))
    if encode is None:
        raise NotStorable(f"a constant of the type {type(x).__name__}")
    return encode(x)


def dtype_name(dtype: np.dtype) -> str:
    if dtype.kind not in "biufc" and dtype.type.__module__ != "ml_dtypes":
        raise NotStorable(f"an array of the dtype {dtype}")
    return str(dtype.name)


def class_name(cls: type) -> list[str]:
    """A class by the names by which it is found again; not one of another place."""
    if "<locals>" in cls.__qualname__:
        raise NotStorable(f"an object of {cls.__qualname__}, a class inside of a function")
    return [cls.__module__, cls.__qualname__]


def _float(x: float) -> str:
    return x.hex() if math.isfinite(x) else repr(x)


def _items(kind: str) -> Callable[[Any], Json]:
    return lambda x: [kind, [encoded(item) for item in x]]


ENCODE: dict[type, Callable[[Any], Json]] = {
    int: lambda x: ["int", hex(x)],
    float: lambda x: ["float", _float(x)],
    complex: lambda x: ["complex", _float(x.real), _float(x.imag)],
    str: lambda x: ["str", x],
    bytes: lambda x: ["bytes", x.hex()],
    tuple: _items("tuple"),
    frozenset: lambda x: ["frozenset", sorted([encoded(item) for item in x], key=repr)],
    range: lambda x: ["range", x.start, x.stop, x.step],
    slice: lambda x: ["slice", [encoded(i) for i in (x.start, x.stop, x.step)]],
}


# ----- From JSON


def decoded(x: Json) -> Any:
    kind, *rest = x
    if kind in SINGLE and not rest:
        return SINGLE[kind]
    return DECODE[kind](*rest)


def dtype_of(name: str) -> np.dtype:
    return np.dtype(str(name))


DECODE: dict[str, Callable[..., Any]] = {
    "int": lambda x: int(x, 16),
    "float": lambda x: float.fromhex(x),
    "complex": lambda a, b: complex(float.fromhex(a), float.fromhex(b)),
    "str": str,
    "bytes": bytes.fromhex,
    "tuple": lambda xs: tuple(map(decoded, xs)),
    "frozenset": lambda xs: frozenset(map(decoded, xs)),
    "range": lambda *xs: range(*xs),
    "slice": lambda xs: slice(*map(decoded, xs)),
    "dtype": dtype_of,
    "generic": lambda dtype, x: np.frombuffer(bytes.fromhex(x), dtype_of(dtype))[0],
}


@functools.cache
def version_of(package: str) -> str:
    """The version of a package; of one that is not installed, but on the path, it is not known."""
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "unknown"


# ----- Classes by name


def class_of(name: list[str]) -> type:
    """A class that its program makes objects of. It is found where it has been imported: loading a
    file imports nothing."""
    found = looked_up(name)
    if found is None:
        module, path = name
        help_text = f"import {module} before the call"
        if module == "__main__":
            help_text = OF_A_SCRIPT
        elif module in sys.modules:
            help_text = f"the module {module} has no such class"
        raise ArtifactError(f"a result has the class {path}: {help_text}")
    return found


def looked_up(name: list[str]) -> type | None:
    module, path = name
    found: Any = builtins if module == "builtins" else sys.modules.get(module)
    for part in path.split("."):
        found = getattr(found, "__dict__", {}).get(part)  # no code of a module is run
    return found if isinstance(found, type) else None


def named_tuple(name: list[str]) -> Callable[..., Any]:
    """What makes a named tuple: none of the code of its class is run."""

    def make(*items: Any) -> Any:
        cls = class_of(name)
        if not (issubclass(cls, tuple) and hasattr(cls, "_fields")):
            raise ArtifactError(f"{'.'.join(name)} is no named tuple")
        return tuple.__new__(cls, items)

    return make
