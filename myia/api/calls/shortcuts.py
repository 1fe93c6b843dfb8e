"""Shortcuts: calls like an earlier one find its program by a guard, without a signature.

They are kept by the types of the arguments. `quick` has the last one that was taken of each, which
is called first; the others are tried where it misses.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from myia.api.calls.guarded_calls import guarded
from myia.api.calls.guards import NoGuard
from myia.api.programs.decision_tree import DecisionTree, Last
from myia.api.variant import Programs, Variant
from myia.infer.boundary.signature import CallFlattener
from myia.pipeline import Runnable

MOST_SHORTCUTS = 4  # for arguments of the same types
MISSED = object()

Given = tuple[Any, ...]  # the arguments of a call, those passed by keyword last
Call = Callable[..., Any]  # (Given, miss=...)


def types_of(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The key of a shortcut."""
    if kwargs:
        return (*map(type, args), *map(type, kwargs.values()), *kwargs)
    return tuple(map(type, args))


def by_values(
    run: Callable[[tuple[Any, ...], dict[str, Any]], Any], count: int, names: tuple[str, ...]
) -> Callable[[Given], Any]:
    """`run` for the values of `count` positional arguments and of those with these names."""
    return lambda given: run(given[:count], dict(zip(names, given[count:])))


class Shortcut:
    """Calls of arguments with these signatures; `miss(given)` makes any other call.

    `keep` is told of `call` when it is another one; `held`: the first arguments, which callers do
    not pass; `avals`: those of JAX's arrays are compared, too; `executable`: the one compiled ahead
    of time, if not that of the program.
    """

    def __init__(
        self,
        tree: DecisionTree[Variant],
        signatures: Sequence[Any],
        miss: Callable[[Given], Any],
        keep: Callable[[Call], None],
        *,
        held: Sequence[Any] = (),
        avals: bool = False,
        executable: Runnable | None = None,
    ):
        self.tree, self._miss, self._keep, self._executable = tree, miss, keep, executable
        self._guarded = functools.partial(
            guarded, signatures, held=held, avals=avals, executable=executable
        )
        # The walk whose facts the guard compares, and the one that was last seen instead.
        self._bound: Last | None = None
        self._seen: Last | None = None
        self._bind(tree.last())

    def _bind(self, last: Last | None) -> None:
        """Calls are bound to the program of a walk, as long as its facts hold."""
        self._bound = last
        if last is not None and last.found.variant.program.capacities:
            last = None  # one with more room may replace it
        try:
            self.call: Call = self._guarded(last, miss=self._miss, invalidated=self._invalidated)
        except NoGuard:
            self.call = lambda given, miss=self._miss: miss(given)
        self._keep(self.call)

    def _invalidated(
        self,
        given: Given,
        leaves: Sequence[Any],
        objects: Sequence[Any],
        miss: Callable[[Given], Any],
    ) -> Any:
        """A call with arguments as before, where the facts are others, or must be asked for."""
        flat = CallFlattener()
        flat.leaves, flat.objects = list(leaves), list(objects)
        flat.seen = {id(x): i for i, x in enumerate(flat.objects)}
        found = self.tree.find(flat)
        if found is None:
            return miss(given)
        last = self.tree.last()
        if last is self._seen and last is not self._bound:  # for the second time
            self._bind(last)
        self._seen = last
        return found.variant.run(flat.leaves, flat, found.hidden, self._executable)


class Shortcuts:
    """Those of one function; `run(args, kwargs)` makes the calls that have none."""

    def __init__(self, run: Callable[[tuple[Any, ...], dict[str, Any]], Any]):
        self._run = run
        self.quick: dict[Any, Call] = {}
        self._known: dict[Any, list[Shortcut]] = {}
        self._with_avals: set[Any] = set()  # types of arrays of JAX that have several avals

    def call(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """The result of a call whose `quick` has missed; `MISSED`: they all did."""
        types, given = types_of(args, kwargs), (*args, *kwargs.values())
        tried = self.quick.get(types)
        for shortcut in self._known.get(types, ()):
            if shortcut.call is not tried:
                result = shortcut.call(given, _missed)
                if result is not MISSED:
                    self.quick[types] = shortcut.call
                    return result
        return MISSED

    def add(
        self,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        programs: Programs,
        static: tuple[int, ...],
    ) -> None:
        """A shortcut for calls like this one, whose program has been found.

        `static`: those of its ints that are compile-time values.
        """
        types = types_of(args, kwargs)
        known = self._known.get(types, [])
        tree = programs.trees[static]
        if len(known) < MOST_SHORTCUTS and not any(x.tree is tree for x in known):
            found = self.bind(args, kwargs, programs, static, self._run)
            # A new list: calls in other threads read it without the lock.
            self._known[types] = [*known, found]

    def bind(
        self,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        programs: Programs,
        static: tuple[int, ...],
        run: Callable[[tuple[Any, ...], dict[str, Any]], Any],
        held: Sequence[Any] = (),
    ) -> Shortcut:
        """One that is only called first, and leaves all other calls to `run`."""
        types = types_of(args, kwargs)
        return Shortcut(
            programs.trees[static],
            programs.resolved(static),
            by_values(run, len(args), (*kwargs,)),
            functools.partial(self.quick.__setitem__, types),
            held=held,
            avals=types in self._with_avals,
        )

    def other_avals(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """JAX has found arrays of its own to be others than those of the shortcut."""
        types = types_of(args, kwargs)
        self._with_avals.add(types)
        self.quick.pop(types, None)
        self._known.pop(types, None)


def _missed(given: Given) -> Any:
    return MISSED
