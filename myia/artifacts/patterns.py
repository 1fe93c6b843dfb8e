"""Patterns: which arguments a saved program is for, and how they are taken apart.

    ["array", "float64", [3], true]          an ndarray, contiguous
    ["dict", keys, patterns]                 a dict with these keys
    ["instance", class, names, patterns]     an instance, by its attributes

The leaves and the mutable objects are found in the order of the compiler's own signatures
(`infer/boundary/signature.py`), which patterns are made of.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import jax
import numpy as np

from myia.artifacts.constants import Json, decoded, dtype_of, encoded
from myia.infer.boundary.instances import state_of
from myia.source.value_texts import value_text

NUMBERS: dict[str, type] = {"int": int, "float": float, "complex": complex}
INT64 = range(-(2**63), 2**63)
FOR_ONE_VALUE = "{0}, the value that it was compiled for"
FOR_ONE_INT = FOR_ONE_VALUE + (
    ": lower it with `np.int64({0})` to have it take any `np.int64`, or save a program for each"
)


class Mismatch(Exception):
    """Arguments that are not those of a pattern: the path to the difference, and what is there."""

    def __init__(self, expected: str, found: str):
        super().__init__()
        self.path, self.expected, self.found = "", expected, found

    def __str__(self) -> str:
        return f"{self.path or 'the call'} is {self.found}, and not {self.expected}"


class Flat:
    """One call, taken apart: its leaves, its mutable objects in the order met."""

    __slots__ = ("leaves", "objects", "seen", "traced")

    def __init__(self) -> None:
        self.leaves: list[Any] = []
        self.objects: list[Any] = []
        self.seen: dict[int, int] = {}
        self.traced = False  # is an array under a transform of JAX among the leaves?

    def object(self, x: Any) -> None:
        if id(x) in self.seen:
            raise Mismatch("an object of its own", f"{described(x)}, which is passed twice")
        self.seen[id(x)] = len(self.objects)
        self.objects.append(x)


Match = Callable[[Any, Flat], None]


def described(x: Any) -> str:
    """What an argument is, for messages: `float64[3]`, `a list`."""
    if isinstance(x, jax.Array):
        return f"the jax.Array {x.dtype.name}[{','.join(map(str, x.shape))}]"
    if isinstance(x, np.ndarray):
        cls = type(x)
        kind = "array" if cls is np.ndarray else class_text(cls)
        text = f"the {kind} {x.dtype.name}[{','.join(map(str, x.shape))}]"
        text += "" if x.dtype.isnative else f" of the byte order {x.dtype.byteorder!r}"
        return text if x.flags.c_contiguous else f"{text}, not contiguous"
    if isinstance(x, (bool, int, float, complex, str)) or x is None:
        return f"the {type(x).__name__} {value_text(x)}"
    return f"a {type(x).__name__}"


def class_text(cls: type) -> str:
    return f"{cls.__module__}.{cls.__qualname__}"


# ----- Patterns as text


def text_of(pattern: Json) -> str:
    """A pattern as a user reads it."""
    kind, *rest = pattern
    if kind in ("array", "device"):
        dtype, shape, *contiguous = rest
        strided = "" if all(contiguous) else ", not contiguous"
        name = "array" if kind == "array" else "jax.Array"
        return f"{name} {dtype}[{','.join(map(str, shape))}]{strided}"
    if kind == "generic":
        return f"np.{rest[0]}"
    if kind == "constant":
        return value_text(decoded(rest[0]))
    if kind == "seen":
        return f"the object number {rest[0] + 1} again"
    if kind in NUMBERS:
        return str(kind)
    parts = [text_of(p) for p in rest[-1]]
    if kind == "dict":
        keys = [value_text(decoded(key)) for key in rest[0]]
        return "{" + ", ".join(f"{k}: {p}" for k, p in zip(keys, parts)) + "}"
    if kind == "instance":
        return f"{rest[0][1]}({', '.join(f'{n}={p}' for n, p in zip(rest[1], parts))})"
    if kind == "list":
        return f"[{', '.join(parts)}]"
    return f"({', '.join(parts)}{',' * (len(parts) == 1)})"


def parts_of(pattern: Json) -> Iterator[tuple[str, Json]]:
    """The parts of a pattern, each with its step from the whole: `[0]`, `.name`."""
    kind, *rest = pattern
    if kind in ("tuple", "list"):
        yield from ((f"[{i}]", p) for i, p in enumerate(rest[-1]))
    elif kind == "dict":
        yield from ((f"[{value_text(decoded(key))}]", p) for key, p in zip(*rest))
    elif kind == "instance":
        yield from ((f".{name}", p) for name, p in zip(rest[1], rest[2]))


def object_paths(path: str, pattern: Json) -> Iterator[str]:
    """The paths to the mutable objects, in their order."""
    if pattern[0] in ("array", "list", "dict", "instance"):
        yield path
    for step, part in parts_of(pattern):
        yield from object_paths(path + step, part)


# ----- Matching


def matcher(pattern: Json) -> Match:
    """What adds an object to a `Flat`, or raises a `Mismatch`."""
    kind, *rest = pattern
    match = MATCHERS[kind](*rest)

    def check(x: Any, flat: Flat) -> None:
        if not match(x, flat):
            raise Mismatch(_expected(pattern, x), described(x))

    return check


def _expected(pattern: Json, x: Any) -> str:
    """What should be in place of `x`, and how a program can be had that takes it."""
    kind, text = pattern[0], text_of(pattern)
    if kind != "constant":
        return text
    both_ints = type(x) is type(decoded(pattern[1])) is int
    return (FOR_ONE_INT if both_ints else FOR_ONE_VALUE).format(text)


Matches = Callable[[Any, Flat], bool]


def _array(dtype: str, shape: Sequence[int], contiguous: bool) -> Matches:
    expected, sizes = dtype_of(dtype), tuple(shape)

    def match(x: Any, flat: Flat) -> bool:
        if type(x) is not np.ndarray or x.shape != sizes or x.dtype != expected:
            return False
        if x.flags.c_contiguous != contiguous:
            return False
        flat.object(x)
        flat.leaves.append(x)
        return True

    return match


def _device(dtype: str, shape: Sequence[int]) -> Matches:
    expected, sizes = dtype_of(dtype), tuple(shape)

    def match(x: Any, flat: Flat) -> bool:
        if not isinstance(x, jax.Array) or x.shape != sizes or x.dtype != expected:
            return False
        flat.traced = flat.traced or isinstance(x, jax.core.Tracer)
        flat.leaves.append(x)
        return True

    return match


def _number(kind: str) -> Callable[[], Matches]:
    cls: Any = NUMBERS[kind]

    def match(x: Any, flat: Flat) -> bool:
        if type(x) is not cls or (cls is int and x not in INT64):
            return False
        flat.leaves.append(np.int64(x) if cls is int else x)
        return True

    return lambda: match


def _generic(dtype: str) -> Matches:
    expected = dtype_of(dtype)

    def match(x: Any, flat: Flat) -> bool:
        flat.leaves.append(x)
        return isinstance(x, np.generic) and x.dtype == expected

    return match


def _constant(value: Json) -> Matches:
    cls = type(decoded(value))
    return lambda x, flat: type(x) is cls and encoded(x) == value


def _seen(index: int) -> Matches:
    return lambda x, flat: flat.seen.get(id(x)) == index


def _parts(patterns: Sequence[Json], steps: Sequence[str]) -> Callable[[Sequence[Any], Flat], bool]:
    matchers = [*zip(map(matcher, patterns), steps)]

    def match(items: Sequence[Any], flat: Flat) -> bool:
        if len(items) != len(matchers):
            return False
        for (check, step), x in zip(matchers, items):
            try:
                check(x, flat)
            except Mismatch as found:
                found.path = step + found.path
                raise
        return True

    return match


def _is_of(cls: type, name: Sequence[str] | None) -> bool:
    return cls is tuple if name is None else [cls.__module__, cls.__qualname__] == name


def _tuple(cls: list[str] | None, patterns: Sequence[Json]) -> Matches:
    parts = _parts(patterns, [f"[{i}]" for i in range(len(patterns))])
    return lambda x, flat: isinstance(x, tuple) and _is_of(type(x), cls) and parts(x, flat)


def _list(patterns: Sequence[Json]) -> Matches:
    parts = _parts(patterns, [f"[{i}]" for i in range(len(patterns))])

    def match(x: Any, flat: Flat) -> bool:
        if type(x) is not list:
            return False
        flat.object(x)
        return parts(x, flat)

    return match


def _dict(keys: Sequence[Json], patterns: Sequence[Json]) -> Matches:
    names = [decoded(key) for key in keys]
    parts = _parts(patterns, [f"[{value_text(name)}]" for name in names])
    types = [type(name) for name in names]

    def match(x: Any, flat: Flat) -> bool:
        if type(x) is not dict or [*x] != names or [*map(type, x)] != types:
            return False
        flat.object(x)
        return parts([*x.values()], flat)

    return match


def _instance(cls: list[str], names: Sequence[str], patterns: Sequence[Json]) -> Matches:
    parts = _parts(patterns, [f".{name}" for name in names])

    def match(x: Any, flat: Flat) -> bool:
        if not _is_of(type(x), cls):
            return False
        state = state_of(x)
        if [*state] != [*names]:
            return False
        flat.object(x)
        return parts([*state.values()], flat)

    return match


MATCHERS: dict[str, Callable[..., Matches]] = {
    "array": _array,
    "device": _device,
    "generic": _generic,
    "constant": _constant,
    "seen": _seen,
    "tuple": _tuple,
    "list": _list,
    "dict": _dict,
    "instance": _instance,
    **{kind: _number(kind) for kind in NUMBERS},
}


class Arguments:
    """The patterns of a call: of positional arguments, and of those passed by name, in order."""

    def __init__(self, positional: Sequence[Json], keywords: Sequence[Json], names: Sequence[str]):
        self.positional, self.keywords = positional, keywords
        self.keys = tuple(sys.intern(name) for name, _ in keywords)
        known = [*names, *map(str, range(len(names), len(positional)))][: len(positional)]
        self._paths = [*known, *self.keys]
        self.patterns = [*positional, *(p for _, p in keywords)]
        self._match = _parts(self.patterns, [f"`{path}`" for path in self._paths])
        self._by_path = [*zip(self._paths, self.patterns)]
        texts = [f"{path}: {text_of(pattern)}" for path, pattern in self._by_path]
        self._text = f"({', '.join(texts)})"  # now: a pattern may be no pattern

    def __str__(self) -> str:
        return self._text

    @property
    def object_paths(self) -> list[str]:
        return [p for path, pattern in self._by_path for p in object_paths(path, pattern)]

    def match(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Flat:
        """A call, taken apart. Mismatch: it has other arguments."""
        flat = Flat()
        if {*kwargs} != {*self.keys} or len(args) != len(self.positional):
            raise Mismatch(_counts(len(self.positional), self.keys), _counts(len(args), kwargs))
        self._match([*args, *(kwargs[key] for key in self.keys)], flat)
        return flat


def _counts(positional: int, names: Iterable[str]) -> str:
    named = "".join(f", {name}=" for name in names)
    return f"{positional} positional argument{'' if positional == 1 else 's'}{named}"
