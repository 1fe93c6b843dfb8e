"""Guests: objects of other libraries that are instances of classes of ours in a program.

    a csr_array of SciPy   ->   an instance of the stand-in `CsrArray`: data, indices, indptr, shape

A stand-in is a class of ours whose methods are compiled from their source (`library/guests/`). It
is known by the name of the class that it stands for, which may never be imported. Objects of that
class are taken apart into parts, which may hold numbers, and compile-time values; a result is built
of both again.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple


@dataclass(frozen=True, slots=True, eq=False)
class Guest:
    """How objects of a class of another library are taken apart.

    `parts`: the attributes of the stand-in that hold numbers, `values` those that are compile-time
    values, in these orders. `rebuilt`: what a result is, of the attributes; None: it is refused.
    `settings`: parts that are not differentiated. `instead`: what helps where it is refused.
    `numpy`: what is called in place of a function of NumPy, with it as the first argument.
    """

    package: str
    name: str
    parts: tuple[str, ...]
    take_parts: Callable[[Any], Sequence[Any]]
    values: tuple[str, ...]
    take_values: Callable[[Any], tuple[Any, ...]]
    rebuilt: Callable[[Mapping[str, Any]], Any] | None
    settings: tuple[str, ...]
    instead: str
    numpy: Callable[[Any], Callable[..., Any] | None] | None = None


class GuestState(NamedTuple):
    """The stand-in of an object, and its compile-time values, which are hashable."""

    cls: type
    values: tuple[Any, ...]


MODULES = {  # where the classes of a library are
    "pandas": ("pandas",),
    "scipy": (
        "scipy.sparse",
        "scipy.stats._distn_infrastructure",
        "scipy.stats._multivariate",
    ),
}
_BY_NAME: dict[tuple[str, str], type] = {}  # by package and name of the class of the library
_GUESTS: dict[tuple[str, str], type] = {}  # these classes


def register(cls: type, guest: Guest) -> None:
    _BY_NAME[guest.package, guest.name] = cls
    type.__setattr__(cls, "__guest__", guest)


def class_in_program(guest: type) -> type | None:
    """The stand-in for objects of a class; None: they have none."""
    key = guest.__module__.partition(".")[0], guest.__qualname__
    found = _BY_NAME.get(key)
    if found is not None:
        _GUESTS[key] = guest
    return found


def attributes_of(state: GuestState, parts: Sequence[Any], constant: Callable[[Any], Any]) -> Any:
    """The names and the values of the attributes of a stand-in."""
    guest = guest_of(state.cls)
    assert guest is not None
    return (*guest.parts, *guest.values), (*parts, *map(constant, state.values))


def guest_of(cls: type) -> Guest | None:
    """What is known of a class of ours that is a stand-in."""
    found = vars(cls).get("__guest__")
    return found if isinstance(found, Guest) else None


def guest_state(x: Any) -> tuple[GuestState, Guest]:
    cls = class_in_program(type(x))
    assert cls is not None
    guest = guest_of(cls)
    assert guest is not None
    return GuestState(cls, guest.take_values(x)), guest


def has_method(guest: Guest, name: str) -> bool:
    """Has the class of the library this method, as far as is known?"""
    found = library_class(_BY_NAME[guest.package, guest.name])
    return found is None or hasattr(found, name)


def library_class(cls: type) -> type | None:
    """The class of the library for which a stand-in stands; None: `cls` is none, or the library has
    not been imported."""
    guest = guest_of(cls)
    if guest is None:
        return None
    key = guest.package, guest.name
    for module in () if key in _GUESTS else MODULES[guest.package]:
        found = getattr(sys.modules.get(module), guest.name, None)
        if found is not None:
            _GUESTS[key] = found
    return _GUESTS.get(key)
