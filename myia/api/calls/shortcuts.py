"""Shortcuts: calls like an earlier one find its program by a guard, without a signature.

The one that was taken last is the `__call__` of its function (`Entry`). Where it misses, the types
of the arguments tell which one comes next: `quick` has the last one that was taken of each; then
the others of these types are tried.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from myia.api.calls.guarded_calls import guarded
from myia.api.calls.guards import NoGuard
from myia.api.programs.decision_tree import DecisionTree, Last
from myia.api.variant import Programs, Variant
from myia.infer.boundary.signature import CallFlattener
from myia.infer.domain.facts import Place, are_unchanged
from myia.pipeline import Runnable
from myia.source.tracebacks import edge

MOST_SHORTCUTS = 4  # for arguments of the same types
MISSED = object()

Args = tuple[Any, ...]
Kwargs = dict[str, Any]
Call = Callable[..., Any]  # the call of a user: (*args, **kwargs)
Run = Callable[[Args, Kwargs], Any]


class Entry:
    """A callable each of whose instances is called by a function of its own, `__call__`.

    Python finds it in the instance, since the class has a descriptor of that name: no function of
    the class is called before it.
    """

    __slots__ = ("__call__",)
    __call__: Any

    def install(self, call: Call) -> None:
        """Calls of this object are calls of `call`."""
        self.__call__ = call


class Owner(NamedTuple):
    """Whose calls shortcuts are: `run` makes those that have none.

    `failed(error, args, kwargs)` makes a call where a shortcut has raised one of `expected`;
    `install` makes a call the first that is tried; None: `run` tries them.
    """

    run: Run
    install: Callable[[Call], None] | None = None
    expected: tuple[type[BaseException], ...] = ()
    failed: Callable[[Any, Args, Kwargs], Any] | None = None


def types_of(args: Args, kwargs: Kwargs) -> Any:
    """The key of a shortcut."""
    if kwargs:
        return (*map(type, args), *map(type, kwargs.values()), *kwargs)
    return tuple(map(type, args))


def _missed(args: Args, kwargs: Kwargs) -> Any:
    return MISSED


class Shortcut:
    """Calls of arguments with these signatures, the last ones by these `names`.

    `call` is for users: `miss(args, kwargs)` makes any other call, and `keep` is told of it when it
    is another one. `held`: the first arguments, which callers do not pass; `avals`: those of JAX's
    arrays are compared, too; `executable`: the one compiled ahead of time, if not that of the
    program; `places`: what else must be as it is, for `owner.run` to be spared.
    """

    def __init__(
        self,
        tree: DecisionTree[Variant],
        signatures: Sequence[Any],
        miss: Run,
        owner: Owner,
        keep: Callable[[Call], None],
        *,
        held: Sequence[Any] = (),
        names: Sequence[str] = (),
        avals: bool = False,
        executable: Runnable | None = None,
        places: Sequence[Place] = (),
    ):
        self._places = [*places]
        self.tree, self._miss, self._owner, self._executable = tree, miss, owner, executable
        self._keep = keep
        self._guarded = functools.partial(
            guarded,
            signatures,
            held=held,
            names=names,
            avals=avals,
            executable=executable,
        )
        # The walk whose facts the guard compares, and the one that was last seen instead.
        self._bound: Last | None = None
        self._seen: Last | None = None
        self._attempt: Call | None = None
        self._bind(tree.last())

    def _bind(self, last: Last | None) -> None:
        """Calls are bound to the program of a walk, as long as its facts hold."""
        self._bound, self._attempt = last, None
        try:
            self.call: Call = self._made(self._miss, self._owner.run)
        except NoGuard:
            self.call = lambda *args, **kwargs: self._miss(args, kwargs)
        self._keep(self.call)

    def _made(self, miss: Run, run: Run) -> Call:
        """A guard: `miss` makes calls with other arguments, `run` those with other facts."""
        last = self._bound
        if last is not None and last.found.variant.program.capacities:
            last = None  # one with more room may replace it
        if last is not None and self._places:
            last = last._replace(places=[*last.places, *self._places])
        return self._guarded(
            last,
            miss=miss,
            invalidated=functools.partial(self._invalidated, run),
            expected=self._owner.expected,
            failed=self._owner.failed,
        )

    def attempt(self, args: Args, kwargs: Kwargs) -> Any:
        """The same for one of several shortcuts: `MISSED` where it is another call."""
        if self._attempt is None:
            try:
                self._attempt = self._made(_missed, _missed)
            except NoGuard:
                self._attempt = lambda *args, **kwargs: MISSED
        return self._attempt(*args, **kwargs)

    def _invalidated(
        self, run: Run, args: Args, kwargs: Kwargs, leaves: Sequence[Any], objects: Sequence[Any]
    ) -> Any:
        """A call with arguments as before, where the facts are others, or must be asked for.

        `run` makes it if no program fits.
        """
        if not are_unchanged(self._places):
            return run(args, kwargs)
        flat = CallFlattener()
        flat.leaves, flat.objects = list(leaves), list(objects)
        flat.seen = {id(x): i for i, x in enumerate(flat.objects)}
        found = self.tree.find(flat)
        if found is None:
            return run(args, kwargs)
        last = self.tree.last()
        if last is self._seen and last is not self._bound:  # for the second time
            self._bind(last)
        self._seen = last
        return found.variant.run(flat.leaves, flat, found.hidden, self._executable)


class Shortcuts:
    """Those of one function."""

    def __init__(self, run: Run):
        self.owner = Owner(run)
        self.quick: dict[Any, Call] = {}
        self._known: dict[Any, list[Shortcut]] = {}
        self._with_avals: set[Any] = set()  # types of arrays of JAX that have several avals

    def _keep(self, types: Any, call: Call) -> None:
        self.quick[types] = call
        self._install(call)

    def _install(self, call: Call) -> None:
        if self.owner.install is not None:
            self.owner.install(call)

    @edge
    def first(self, *args: Any, **kwargs: Any) -> Any:
        """A call where no shortcut has been tried."""
        return self._missed(None, args, kwargs)

    def _missed(self, types: Any, args: Args, kwargs: Kwargs) -> Any:
        """A call that is none of the shortcut that is tried first for arguments of these types."""
        found = types_of(args, kwargs)
        quick = None if found == types else self.quick.get(found)
        if quick is not None:
            self._install(quick)
            return quick(*args, **kwargs)
        result = self.others(found, args, kwargs)
        return self.owner.run(args, kwargs) if result is MISSED else result

    def others(self, types: Any, args: Args, kwargs: Kwargs) -> Any:
        """The result of a call whose `quick` has missed; `MISSED`: all have."""
        tried = self.quick.get(types) if self.owner.install else None
        for shortcut in self._known.get(types, ()):
            if shortcut.call is not tried:
                result = shortcut.attempt(args, kwargs)
                if result is not MISSED:
                    self._keep(types, shortcut.call)
                    return result
        return MISSED

    def add(self, args: Args, kwargs: Kwargs, programs: Programs, static: tuple[int, ...]) -> None:
        """A shortcut for calls like this one, whose program has been found.

        `static`: those of its ints that are compile-time values.
        """
        types = types_of(args, kwargs)
        known = self._known.get(types, [])
        tree = programs.trees[static]
        if len(known) < MOST_SHORTCUTS and not any(x.tree is tree for x in known):
            found = self.bind(args, kwargs, programs, static)
            # A new list: calls in other threads read it without the lock.
            self._known[types] = [*known, found]

    def bind(
        self,
        args: Args,
        kwargs: Kwargs,
        programs: Programs,
        static: tuple[int, ...],
        held: Sequence[Any] = (),
        places: Sequence[Place] = (),
    ) -> Shortcut:
        """One that is only called first, and leaves all other calls to the owner."""
        types = types_of(args, kwargs)
        return Shortcut(
            programs.trees[static],
            programs.resolved(static),
            functools.partial(self._missed, types),
            self.owner,
            functools.partial(self._keep, types),
            held=held,
            names=(*kwargs,),
            avals=types in self._with_avals,
            places=places,
        )

    def other_avals(self, args: Args, kwargs: Kwargs) -> None:
        """JAX has found arrays of its own to be others than those of the shortcut."""
        types = types_of(args, kwargs)
        self._with_avals.add(types)
        self.quick.pop(types, None)
        self._known.pop(types, None)
        self._install(self.first)
