"""Classes that stand for those of other libraries, compiled from their source.

    @replaces("scipy", "csr_array", parts=("data", "indices", "indptr"), values=("shape",), ...)
    class CsrArray: ...

Errors in a method are those of the user's call; `raise NotImplementedError("this")` states what is
refused, as in `from_source.py`.
"""

from __future__ import annotations

import types
from collections.abc import Callable, Mapping, Sequence
from operator import attrgetter
from typing import Any, TypeVar

from myia.infer.guests import Guest, register
from myia.library.support.from_source import from_source

T = TypeVar("T", bound=type)


def compiled_methods(cls: T) -> T:
    """The methods and properties of a class, each as a function known by name."""
    for name, found in list(vars(cls).items()):
        if isinstance(found, types.FunctionType) and name != "__init__":
            setattr(cls, name, by_name(found))
        elif isinstance(found, property):
            setattr(cls, name, property(by_name(found.fget)))
    return cls


def by_name(source: Any) -> Any:
    """A function like this one, for which the inferer calls it.

    That of the library may take more arguments.
    """
    found = types.FunctionType(
        source.__code__,
        source.__globals__,
        source.__name__,
        source.__defaults__,
        source.__closure__,
    )
    found.__qualname__, found.__kwdefaults__ = source.__qualname__, source.__kwdefaults__
    vars(found)["takes_less"] = True
    from_source(found)(source)
    return found


def _taken(names: Sequence[str]) -> Callable[[Any], Sequence[Any]]:
    return attrgetter(*names) if len(names) > 1 else lambda x: [getattr(x, n) for n in names]


def replaces(
    package: str,
    name: str,
    *,
    parts: Sequence[str],
    values: Sequence[str] = (),
    take_parts: Callable[[Any], Sequence[Any]] | None = None,
    take_values: Callable[[Any], tuple[Any, ...]] | None = None,
    rebuilt: Callable[[Mapping[str, Any]], Any] | None = None,
    settings: Sequence[str] = (),
    instead: str = "",
    numpy: Callable[[Any], Callable[..., Any] | None] | None = None,
) -> Callable[[T], T]:
    """Register a class for one of a library (`Guest`); parts and values are its attributes."""

    def decorate(cls: T) -> T:
        found = Guest(
            package,
            name,
            tuple(parts),
            take_parts or _taken(parts),
            tuple(values),
            take_values or (lambda x: tuple(getattr(x, n) for n in values)),
            rebuilt,
            tuple(settings),
            instead,
            numpy,
        )
        cls.__name__ = name
        type.__setattr__(cls, "_own", cls)  # `type(self)` is the class of the library
        register(compiled_methods(cls), found)
        return cls

    return decorate
