"""Which ints of a function become arguments of its programs: learned from its calls.

An int that has had several values at one place (`opt.t`, `state["step"]`, an argument) is tried as
an argument. If the program needs it at compile time (a shape, a key), the place is static for good.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable
from typing import TypeVar

from myia.infer.boundary.integers import Choice, Place
from myia.source.diagnostics import MyiaError

T = TypeVar("T")

DYNAMIC_AFTER = 3  # distinct values at a place before it is tried as an argument
MOST_ATTEMPTS = 8  # compilations to find out which of several places must be static


class LearnedIntegers:
    """What the calls of one function have told. `static`: roots whose ints stay static."""

    def __init__(self, static: Collection[Hashable] = ()):
        self.static = frozenset(static)
        self.values: dict[Place, set[int]] = {}  # those met so far
        # Is it an argument? By place; and by place in calls of one signature, which may differ.
        self.settled: dict[Place, bool] = {}
        self.settled_in_calls: dict[tuple[Hashable, Place], bool] = {}

    def is_argument(self, call: Hashable, place: Place) -> bool | None:
        """None: it is not known yet. `call`: the signature of the call."""
        if place.root in self.static:
            return False
        return self.settled_in_calls.get((call, place), self.settled.get(place))

    def compile(self, call: Hashable, attempt: Callable[[Choice], T]) -> T:
        """The best program of `attempt`, which may fail with one choice and not with another."""
        taken: list[Place] = []

        def choose(place: Place, value: int) -> bool:
            take = self.is_argument(call, place)
            if take is None:
                met = self.values.setdefault(place, set())
                met.add(value)
                take = len(met) > DYNAMIC_AFTER
            if take:
                taken.append(place)
            return take

        try:
            found, told = attempt(choose), dict.fromkeys(taken, True)
        except MyiaError:
            if not taken:
                raise
            places = dict.fromkeys(taken)
            known = [p for p in places if self.is_argument(call, p)]
            found, told = _search(attempt, [p for p in places if p not in known], known)
        self._settle(call, told)
        return found

    def _settle(self, call: Hashable, told: dict[Place, bool]) -> None:
        for place, is_argument in told.items():
            self.settled_in_calls[call, place] = is_argument
            if not is_argument:
                self.settled[place] = False  # calls of other signatures do not try it
            self.settled.setdefault(place, is_argument)
            self.values.pop(place, None)


def _search(
    attempt: Callable[[Choice], T], places: list[Place], known: list[Place]
) -> tuple[T, dict[Place, bool]]:
    """The program with all of `places` as arguments that can be, found by bisection.

    `known`: places that were arguments of other programs. Also returned: which places are found to
    be arguments, and which are not; the others are left for the next compilation. The error is that
    of the program with all of them static.
    """

    def with_arguments(chosen: set[Place]) -> T:
        return attempt(lambda place, value: place in chosen)

    found = with_arguments(set())
    arguments: set[Place] = set()
    static: list[Place] = []
    groups = [group for group in (places, known) if group]
    if len(groups) == 1:  # all at once have failed
        groups = _halves(groups[0])
        static = [] if groups else [*places, *known]
    for _ in range(MOST_ATTEMPTS):
        if not groups:
            break
        group = groups.pop()
        try:
            found = with_arguments(arguments | set(group))
        except MyiaError:
            halves = _halves(group)
            groups += halves
            static += [] if halves else group
        else:
            arguments |= set(group)
    return found, dict.fromkeys(arguments, True) | dict.fromkeys(static, False)


def _halves(places: list[Place]) -> list[list[Place]]:
    """Two halves; none of a single place."""
    middle = len(places) // 2
    return [places[middle:], places[:middle]] if middle else []
