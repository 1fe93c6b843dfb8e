"""Which ints of a function become arguments of its programs: learned from its calls.

An int that has had several values at one place (`opt.t`, `state["step"]`, a global) is tried as an
argument. If the program needs it at compile time (a shape, a key), it is static there for good.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable
from typing import TypeVar

from myia.infer.boundary.integers import Choice, Path
from myia.source.diagnostics import MyiaError

T = TypeVar("T")

DYNAMIC_AFTER = 3  # distinct values of an int before it is tried as an argument
MOST_ATTEMPTS = 8  # compilations to find out which of several ints must be static


class LearnedIntegers:
    """What the calls of one function have told. `static`: roots whose ints stay static."""

    def __init__(self, static: Collection[Hashable] = ()):
        self.static = frozenset(static)
        self.are_static = False  # all of them
        self.values: dict[Path, set[int]] = {}  # those met so far
        # Is it an argument? By path; and by path in calls of one signature, which may differ.
        self.settled: dict[Path, bool] = {}
        self.settled_in_calls: dict[tuple[Hashable, Path], bool] = {}

    def is_argument(self, call: Hashable, path: Path) -> bool | None:
        """None: it is not known yet. `call`: the signature of the call."""
        if self.are_static or path.root in self.static:
            return False
        return self.settled_in_calls.get((call, path), self.settled.get(path))

    def known(self, call: Hashable) -> Choice:
        """The choice of the calls so far, for calls of this signature."""
        return lambda path, value: self.is_argument(call, path) or False

    def compile(self, call: Hashable, attempt: Callable[[Choice], T]) -> T:
        """The best program of `attempt`, which may fail with one choice and not with another."""
        taken: list[Path] = []

        def choose(path: Path, value: int) -> bool:
            take = self.is_argument(call, path)
            if take is None:
                met = self.values.setdefault(path, set())
                if len(met) <= DYNAMIC_AFTER:
                    met.add(value)
                take = len(met) > DYNAMIC_AFTER
            if take:
                taken.append(path)
            return take

        try:
            found, told = attempt(choose), dict.fromkeys(taken, True)
        except MyiaError:
            if not taken:
                raise
            paths = dict.fromkeys(taken)
            known = [p for p in paths if self.is_argument(call, p)]
            found, told = _search(attempt, [p for p in paths if p not in known], known)
        self._settle(call, told)
        return found

    def _settle(self, call: Hashable, told: dict[Path, bool]) -> None:
        for path, is_argument in told.items():
            self.settled_in_calls[call, path] = is_argument
            if not is_argument:
                self.settled[path] = False  # calls of other signatures do not try it
            self.settled.setdefault(path, is_argument)
            self.values.pop(path, None)


class Recorded:
    """A choice, and the choice that repeats it."""

    def __init__(self, choose: Choice):
        self._choose = choose
        self.arguments: set[Path] = set()

    def __call__(self, path: Path, value: int) -> bool:
        found = self._choose(path, value)
        if found:
            self.arguments.add(path)
        return found

    def as_before(self, path: Path, value: int) -> bool:
        return path in self.arguments


def _search(
    attempt: Callable[[Choice], T], paths: list[Path], known: list[Path]
) -> tuple[T, dict[Path, bool]]:
    """The program with all of `paths` as arguments that can be, found by bisection.

    `known`: paths that were arguments of other programs. Also returned: which paths are found to
    be arguments, and which are not; the others are left for the next compilation. The error is that
    of the program with all of them static.
    """

    def with_arguments(chosen: set[Path]) -> T:
        return attempt(lambda path, value: path in chosen)

    found = with_arguments(set())
    arguments: set[Path] = set()
    static: list[Path] = []
    groups = [group for group in (paths, known) if group]
    if len(groups) == 1:  # all at once have failed
        groups = _halves(groups[0])
        static = [] if groups else [*paths, *known]
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


def _halves(paths: list[Path]) -> list[list[Path]]:
    """Two halves; none of a single path."""
    middle = len(paths) // 2
    return [paths[middle:], paths[:middle]] if middle else []
