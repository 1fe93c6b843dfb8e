"""Stand-ins: classes of ours for classes written in C, whose objects have state.

    np.random.PCG64    <->    a class with the attributes `high`, `low`, ... and methods in NumPy

An object of such a class is an instance of the stand-in in the program, and compiled like one of a
user's class. Its state is read at each call, and written back after it, by the public interface of
the class written in C.

An object that has a stand-in is never copied for a derivative: it is a resource, as a file is, and
what a differentiated function does to it is seen afterwards.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from myia.infer.guests import library_class


class StandIn(NamedTuple):
    """What stands for the objects of `original`.

    `read`: the state of such an object, None if it cannot be had; `write`: give it this state;
    `make`: a new one.
    """

    original: type
    cls: type
    read: Callable[[Any], Mapping[str, Any] | None]
    write: Callable[[Any, Mapping[str, Any]], None]
    make: Callable[[Mapping[str, Any]], Any]


STAND_INS: dict[type, StandIn] = {}  # by the original
ORIGINALS: dict[type, StandIn] = {}  # by the stand-in
# What classes of ours stand for whose objects only the program makes: instances like any other.
MADE: dict[type, type] = {}


def register(found: StandIn) -> None:
    """Register a stand-in."""
    STAND_INS[found.original] = found
    ORIGINALS[found.cls] = found


def in_program(cls: type) -> type:
    """The class of instances in the program."""
    found = STAND_INS.get(cls)
    return cls if found is None else found.cls


def in_python(cls: type) -> type:
    """The class of which a user knows the instances."""
    if cls in MADE:
        return MADE[cls]
    found = ORIGINALS.get(cls)
    return library_class(cls) or cls if found is None else found.original


def has_stand_in(x: Any) -> bool:
    """Is this an object that a stand-in can replace?"""
    found = STAND_INS.get(type(x))
    return found is not None and found.read(x) is not None


def is_resource(contents: Any) -> bool:
    """Are these the contents of a stand-in, in the program?"""
    return getattr(contents, "cls", None) in ORIGINALS
