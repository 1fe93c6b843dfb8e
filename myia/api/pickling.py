"""Wrappers of functions: binding, pickling for process pools, copies of a user's objects.

What is pickled is the function and the options, not the programs: the other process compiles anew.
A function that a decorator has hidden (`@jit def f`) can be pickled only by the name of what hides
it; picklers that take functions of scripts and notebooks apart are given the function itself.
"""

from __future__ import annotations

import copy
import functools
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any, Generic, NoReturn, ParamSpec, Self, TypeVar

from myia.frontend.source_text.texts import receive, take, texts_without_module

P = ParamSpec("P")
R = TypeVar("R")

# Picklers that pickle what is defined in `__main__` by value.
BY_VALUE = frozenset({"cloudpickle", "dill", "_dill"})


class Wrapper(Generic[P, R]):
    """A callable made of the function `f`; outside of compiled code it is `f`.

    It binds like a function. `self.parts()` are the arguments of its class. Copies share its
    programs.
    """

    __myia__ = True  # not an object with state

    def __init__(self, f: Callable[P, R]) -> None:
        functools.update_wrapper(self, f, updated=())
        take(f)
        self.f = f

    def parts(self) -> tuple[Any, ...]:
        return (self.f,)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        return self.f(*args, **kwargs)

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        return self if instance is None else functools.partial(self, instance)

    def __reduce__(self) -> str | tuple[Any, ...]:
        name = _name_in_its_module(self)
        if name is not None and not (self.__module__ == "__main__" and _is_taken_apart()):
            return name
        parts = self.parts()
        return _made, (type(self), parts, texts_without_module(parts))

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        """Itself, like a function, unless it is made of an object: `jit(model.step)`."""
        parts = self.parts()
        copies = tuple(copy.deepcopy(x, memo) if callable(x) else x for x in parts)
        if all(x is y for x, y in zip(parts, copies)):
            return self
        made: Self = memo.setdefault(id(self), type(self)(*copies))
        return made


def _made(
    make: Callable[..., Any], parts: tuple[Any, ...], texts: dict[str, tuple[str, ...]]
) -> Any:
    receive(texts)
    return make(*parts)


def _name_in_its_module(x: Any) -> str | None:
    """The name by which a module has `x`; None if it has not."""
    name = getattr(x, "__qualname__", None)
    found: Any = sys.modules.get(getattr(x, "__module__", ""))
    for part in name.split(".") if name else ():
        found = getattr(found, part, None)
    return name if name and found is x else None


def _is_taken_apart() -> bool:
    """Does the pickler that asks for `__reduce__` pickle functions of `__main__` by value?"""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and _module(frame).partition(".")[0] in ("myia", "pickle", "copyreg"):
        frame = frame.f_back
    return frame is not None and not BY_VALUE.isdisjoint(_module(frame).split("."))


def _module(frame: FrameType) -> str:
    return str(frame.f_globals.get("__name__", ""))


class NotPortable:
    """What holds an executable of this process. A copy is itself: it cannot change."""

    def __reduce__(self) -> NoReturn:
        raise TypeError(
            f"{type(self).__name__}, a program compiled ahead of time, cannot be pickled: pickle "
            "the function, and lower it in the other process"
        )

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self
