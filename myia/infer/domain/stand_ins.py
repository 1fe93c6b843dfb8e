"""Stand-ins: what objects of other libraries are in a program.

    a csr_array of SciPy   ->   an instance of the stand-in `CsrArray`: data, indices, indptr, shape

A stand-in is a class of ours whose methods are compiled from their source (`library/source/`). It
is known by the name of the class that it stands for, which may never be imported. Objects of that
class are taken apart into parts, which may hold numbers, and compile-time values; a result is built
of both again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple


@dataclass(frozen=True, slots=True, eq=False)
class StandIn:
    """How objects of a class of another library are taken apart.

    `parts`: the attributes of the stand-in that hold numbers, `values` those that are compile-time
    values, in these orders. `rebuilt`: what a result is, of the attributes; None: it is refused.
    `settings`: parts that are not differentiated. `instead`: what helps where it is refused.
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


class GuestState(NamedTuple):
    """The stand-in of an object, and its compile-time values, which are hashable."""

    cls: type
    values: tuple[Any, ...]


_BY_NAME: dict[tuple[str, str], type] = {}  # by package and name of the class of the library
_GUESTS: dict[tuple[str, str], type] = {}  # these classes


def register(cls: type, stand_in: StandIn) -> None:
    _BY_NAME[stand_in.package, stand_in.name] = cls
    type.__setattr__(cls, "__stand_in__", stand_in)


def stand_in_class(guest: type) -> type | None:
    """The stand-in for objects of a class; None: they have none."""
    key = guest.__module__.partition(".")[0], guest.__qualname__
    found = _BY_NAME.get(key)
    if found is not None:
        _GUESTS[key] = guest
    return found


def attributes_of(state: GuestState, parts: Sequence[Any], constant: Callable[[Any], Any]) -> Any:
    """The names and the values of the attributes of a stand-in."""
    stand_in = stand_in_of(state.cls)
    assert stand_in is not None
    return (*stand_in.parts, *stand_in.values), (*parts, *map(constant, state.values))


def stand_in_of(cls: type) -> StandIn | None:
    """What is known of a class of ours that is a stand-in."""
    found = vars(cls).get("__stand_in__")
    return found if isinstance(found, StandIn) else None


def guest_state(x: Any) -> tuple[GuestState, StandIn]:
    cls = stand_in_class(type(x))
    assert cls is not None
    stand_in = stand_in_of(cls)
    assert stand_in is not None
    return GuestState(cls, stand_in.take_values(x)), stand_in


def has_method(stand_in: StandIn, name: str) -> bool:
    """Has the class of the library this method, as far as is known?"""
    guest = _GUESTS.get((stand_in.package, stand_in.name))
    return guest is None or hasattr(guest, name)


def guest_of(cls: type) -> type | None:
    """The class of the library for which a stand-in stands; None: no object of it was seen yet."""
    stand_in = stand_in_of(cls)
    return None if stand_in is None else _GUESTS.get((stand_in.package, stand_in.name))
