"""Compilation ahead of time: `lower(*args).compile()`, and lowering for other platforms."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NoReturn

from myia.api.calls.shortcuts import Entry, Owner, Shortcut, types_of
from myia.api.capacities import refuse_capacities
from myia.api.dispatch import Dispatcher, signatures
from myia.api.failed_checks import BeyondInt64
from myia.api.files.save import Description, save
from myia.api.pickling import NotPortable
from myia.api.programs.decision_tree import DecisionTree
from myia.api.variant import Programs, Variant
from myia.artifacts.constants import NotStorable
from myia.infer.boundary.signature import CallFlattener, SeenObject
from myia.infer.boundary.signature_differences import differences
from myia.primitives.core.platforms import ANY, PLATFORMS, default_platform, places_of
from myia.source import progress
from myia.source.tracebacks import edge

OTHER_PLATFORMS = (
    "lowered for {0}, which can be shown and exported: what runs here is lowered for the platform "
    "of its arguments, without `lowering_platforms`"
)

AHEAD_OF_TIME = "compiled ahead of time"
OTHER_ARGUMENTS = "{0} was compiled for other arguments: {1}"
OTHER_INT = (
    "; a program that is compiled ahead of time has the ints that it was lowered for: lower it "
    "with `np.int64(...)` to have it take any `np.int64`, or call the function itself"
)
SHARED = (
    "what it reads as `{0}` is one of its arguments, too, or in one: those of the file may be "
    "others, so lower it for a copy"
)
OTHER_GLOBALS = "a global that the program reads has changed its type or shape"


class Traced(NotPortable):
    """A function at given arguments, not yet lowered for a platform."""

    def __init__(self, dispatcher: Dispatcher, args: tuple[Any, ...], kwargs: dict[str, Any]):
        self._dispatcher, self._args, self._kwargs = dispatcher, args, kwargs

    @edge
    def lower(self, *, lowering_platforms: Sequence[str] | None = None) -> Lowered:
        """The program for these platforms, or for that of the arguments.

            gradient.trace(x).lower(lowering_platforms=("cuda",)).as_text()

        The process needs no device of them unless the program is compiled, too. ValueError: a name
        that is none of "cpu", "cuda", "rocm" and "tpu".
        """
        for name in lowering_platforms or ():
            if name not in PLATFORMS:
                raise ValueError(f"{name!r} is none of the platforms {', '.join(PLATFORMS)}")
        platforms = None if lowering_platforms is None else tuple(lowering_platforms)
        return Lowered(self._dispatcher, self._args, self._kwargs, platforms)


class Lowered(NotPortable):
    """A program at given arguments, not yet compiled by XLA."""

    def __init__(
        self,
        dispatcher: Dispatcher,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        platforms: tuple[str, ...] | None = None,
    ):
        if platforms is None:
            dispatcher = dispatcher.of_call(args, kwargs)
        else:
            dispatcher = dispatcher.of_platform(platforms[0] if len(platforms) == 1 else ANY)
        call, (self._variant, _) = dispatcher.find(args, kwargs)
        self._signatures = call.positional, call.keywords
        refuse_capacities(self._variant.program, AHEAD_OF_TIME)
        self._programs, self._integers = call.programs, call.integers
        where, each = (None, ()) if platforms is not None else places_of(call.flat.leaves)
        self._lowered = self._variant.executable.lower(where, platforms, each)
        self._platforms, self._name, self._names = (
            platforms,
            dispatcher.name,
            dispatcher.names(call),
        )

    def as_text(self) -> str:
        """StableHLO."""
        return self._lowered.as_text()

    @edge
    def compile(self) -> Compiled:
        """RuntimeError: it is lowered for platforms of which this process has no device."""
        if self._platforms not in (None, (default_platform(),)):
            raise RuntimeError(OTHER_PLATFORMS.format(", ".join(self._platforms or ())))
        with progress.compilation_of(self._name):
            progress.stage(progress.BY_XLA)
            executable = self._variant.executable.compile(self._lowered)
        about = Description(self._name, self._signatures, self._names)
        return Compiled(self._programs, self._integers, self._variant, executable, about)


class Compiled(Entry, NotPortable):
    """An executable for arguments of one signature; others are refused."""

    def __init__(
        self,
        programs: Programs,
        integers: tuple[int, ...],
        variant: Variant,
        executable: Any,
        about: Description,
    ):
        self._programs, self._integers = programs, integers
        self.variant, self.about = variant, about
        self._tree, self._executable = DecisionTree(variant), executable
        self._types: Any = None  # of the arguments of the shortcut
        self.install(self._first)

    if TYPE_CHECKING:

        def __call__(self, *args: Any, **kwargs: Any) -> Any: ...

    @edge
    def _first(self, *args: Any, **kwargs: Any) -> Any:
        return self._call(args, kwargs)

    def _call(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        try:
            return self._run(args, kwargs)
        except BeyondInt64 as limit:
            raise limit.error from None

    def _run(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        flat = CallFlattener()
        key = signatures(flat, args, kwargs)
        static = self._programs.split(flat) if key == self._programs.key else None
        if static != self._integers:
            raise TypeError(self._unlike(key, static))
        found = self._tree.find(flat)
        if found is None:
            raise TypeError(OTHER_GLOBALS)
        if (types := types_of(args, kwargs)) != self._types:
            self._types = types
            self._add_shortcut((*kwargs,))
        return found.variant.run(flat.leaves, flat, found.hidden, self._executable)

    def _unlike(self, key: Any, static: tuple[int, ...] | None) -> str:
        """What differs in arguments of another signature, or of other ints, `static`."""
        (args, kwargs), (known, known_kwargs) = key, self._programs.key
        count = f"{len(args)} positional arguments, not {len(known)}"
        told = [count] if len(args) != len(known) else []
        if [k for k, _ in kwargs] != [k for k, _ in known_kwargs]:
            names = [", ".join(f"`{k}`" for k, _ in xs) or "none" for xs in (kwargs, known_kwargs)]
            told.append(f"passed by name are {names[0]}, were {names[1]}")
        new: Any = [*args, *(s for _, s in kwargs)]
        old: Any = [*known, *(s for _, s in known_kwargs)]
        if static is not None:
            new, old = map(self._programs.resolved, (static, self._integers))
        if not told:
            names = [*self.about.names, *(k for k, _ in kwargs)]
            told = [d.told(n) for n, a, b in zip(names, new, old) for d in differences(a, b)]
        text = OTHER_ARGUMENTS.format(self.about.name, ", ".join(told))
        return text if static is None else text + OTHER_INT

    def _add_shortcut(self, names: tuple[str, ...]) -> None:
        Shortcut(
            self._tree,
            self._programs.resolved(self._integers),
            self._call,
            Owner(self._call, self.install, (BeyondInt64,), self._failed),
            self.install,
            names=names,
            avals=True,
            executable=self._executable,
        )

    def _failed(self, limit: BeyondInt64, args: Any, kwargs: Any) -> NoReturn:
        raise limit.error from None

    @edge
    def save(self, path: str | os.PathLike[str]) -> None:
        """Save the program in a file, for `myia.load`; `myia.save` says what it holds.

            F.lower(x).compile().save("f.myia")

        ArtifactError: it cannot be saved, and why.
        """
        save(path, self)

    def hidden(self, count: int) -> list[Any]:
        """The present values of what the program reads beside its arguments, which are `count`
        objects. NotStorable: they are not those of this program."""
        shared = (f.name for f in self.variant.facts if _has_seen(f.answer, count))
        if (name := next(shared, None)) is not None:
            raise NotStorable(SHARED.format(name))
        found = self._tree.find(CallFlattener.after(count))
        if found is None:
            raise NotStorable(OTHER_GLOBALS)
        return [x for xs in found.hidden for x in xs]

    def as_text(self) -> str:
        """The optimised HLO."""
        return self._executable.stage.as_text() or ""

    def memory_analysis(self) -> Any:
        """XLA's: sizes of arguments, outputs and temporaries in bytes."""
        return self._executable.stage.memory_analysis()

    def cost_analysis(self) -> Any:
        """XLA's: flops, bytes accessed, ..."""
        return self._executable.stage.cost_analysis()


def _has_seen(signature: Any, count: int) -> bool:
    """Is one of the first `count` objects in an object of this signature?"""
    if isinstance(signature, SeenObject):
        return signature.index < count
    return any(_has_seen(part, count) for part in getattr(signature, "parts", ()))
