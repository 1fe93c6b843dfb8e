"""Guarded calls: functions of Python, generated, that call a program if it is the right one.

The memory that the program has read beside its arguments must hold the same objects; what can
change without that is asked for again. Of `f(x, y)` with arrays, which reads a global `scale`:

    def call(*args, **kwargs):
        try:
            while not kwargs:
                try:
                    (x0, x1) = args
                    ...                                      as in `guards.py`
                except Exception:
                    break
                try:
                    while True:
                        try:
                            if c3['scale'] is not c4: break
                        except Exception:
                            break
                        before = enter(True)
                        try:
                            return convert(execute(*args, c5))
                        except (Exception, KeyboardInterrupt) as error:
                            return convert(again(execute, error, [*args, c5]))
                        finally:
                            leave(before)
                    return invalidated(args, kwargs, args, args)
                except expected as error:
                    return failed(error, args, kwargs)
            return miss(args, kwargs)
        except Exception as error:
            raise shown(error)                               without the frames below

This function is the `__call__` of a compiled function, without another one around it: each function
of Python, among those of C that a call runs, costs a tenth of a short call.
"""

from __future__ import annotations

import contextlib
import functools
import keyword
from collections.abc import Callable, Sequence
from types import CodeType, MappingProxyType
from typing import Any

from myia.api.calls.guards import Guard, NoGuard, sequence
from myia.api.programs.decision_tree import Last, Step
from myia.infer.domain.facts import (
    ABSENT,
    CODE,
    CONTENTS,
    DEFAULTS,
    KEYWORD_DEFAULTS,
    Attribute,
    Cell,
    Global,
    Held,
    Identity,
    Place,
    exact,
)
from myia.source.tracebacks import shown

FILE = f"{__file__}: the guard of a call"  # of this package: warnings are told at lines of others
ATTRIBUTES = {
    CODE: "__code__",
    DEFAULTS: "__defaults__",
    KEYWORD_DEFAULTS: "__kwdefaults__",
    CONTENTS: "cell_contents",
}


class CallGuard(Guard):
    """The lines of a call; `handlers`: functions that they call by name."""

    def __init__(self, avals: bool) -> None:
        super().__init__(avals)
        self.handlers: dict[str, Any] = {}

    def place(self, place: Place) -> None:
        """It holds the same object."""
        read, first, second, found = place
        where = getattr(read, "__self__", None)
        if type(where) in (dict, MappingProxyType) and second is ABSENT and type(first) is str:
            if found is ABSENT:
                self.unlike(f"{first!r} in {self.constant(where)}")
                return
            present = f"{self.constant(where)}[{first!r}]"
        elif read is getattr and _is_name(second):
            present = f"{self.constant(first)}.{second}"
        elif type(read) is type(CODE) and read in ATTRIBUTES:
            present = f"{self.constant(first)}.{ATTRIBUTES[read]}"
        else:
            present = f"{self.constant(read)}({self.constant(first)}, {self.constant(second)})"
        self.unlike(f"{present} is not {self.constant(found)}")

    def facts(self, last: Last) -> str | None:
        """Facts as in the last walk; their leaves, in groups, if they are not as they were."""
        for place in last.places:
            self.place(place)
        count = self.many_objects
        hidden = [[self.constant(x) for x in leaves] for leaves in last.found.hidden]
        varies = False
        for position, step in last.again:
            leaves = self.answer(step)
            if step.leaves:
                hidden[position], varies = leaves, True
        if self.many_objects > count:
            self.distinct()
        return sequence([*map(sequence, hidden)]) if varies else None

    def call(self, last: Last, late: str | None, executable: Any) -> list[str]:
        """The lines that call the program of the last walk; `late`: the leaves of the facts."""
        variant, hidden = last.found
        inlined = variant.inlined(executable)
        if inlined is not None:
            self.handlers |= inlined.names
            prepared = [] if late else [*map(self.constant, variant.prepared(hidden, executable))]
            lines: list[str] = inlined.lines(self.leaves, prepared, late)
            return lines
        self.handlers["run"] = variant.bound(hidden, executable)
        return [f"return run({self.sequence(self.leaves)}, {self.sequence(self.objects)}, {late})"]

    def answer(self, step: Step) -> list[str]:
        """An answer as before, but for its numbers: these are returned."""
        fact = step.node.fact
        question, owner = fact.question, self.constant(fact.question.owner)
        if isinstance(question, Held):
            x = owner
        elif isinstance(question, Cell):
            x = f"{owner}.cell_contents"
        elif isinstance(question, Global) and question.name in question.owner:
            x = f"{owner}[{question.name!r}]"
        elif type(question) is Attribute and _is_name(question.name):
            x = f"{owner}.{question.name}"
        else:
            x = f"{self.constant(question.ask)}()"
        if fact.by_identity and not isinstance(step.branch, Identity):
            self.unlike(f"{self.constant(exact)}({x}) != {self.constant(step.branch)}")
            return []
        before, self.leaves = self.leaves, []
        self.part(step.node.resolved(step.branch), x if x == owner else self.value(x))
        leaves, self.leaves = self.leaves, before
        return leaves


def _is_name(x: Any) -> bool:
    return type(x) is str and x.isidentifier() and not keyword.iskeyword(x)


# ----- From lines to a function

TEMPLATE = """\
def make({names}):
    def call(*args, **kwargs):
        try:
            while {keywords}:
                try:
                    {arguments}
                except Exception:
                    break
                try:
                    while True:
                        try:
                            {facts}
                        except Exception:
                            break
                        {call}
                    return invalidated(args, kwargs, {leaves}, {objects})
                except expected as error:
                    return failed(error, args, kwargs)
            return miss(args, kwargs)
        except Exception as error:
            raise shown(error)
    return call
"""


def guarded(
    signatures: Sequence[Any],
    last: Last | None,
    *,
    held: Sequence[Any] = (),
    names: Sequence[str] = (),
    avals: bool = False,
    executable: Any = None,
    expected: tuple[type[BaseException], ...] = (),
    **handlers: Any,
) -> Callable[..., Any]:
    """Calls of arguments with these signatures, the last ones by these names, by the program and
    with the facts of the last walk; None: they are asked for at every call.

    `handlers`: `invalidated(args, kwargs, leaves, objects)`, where the facts are others,
    `failed(error, args, kwargs)` for `expected` exceptions, and `miss(args, kwargs)`.
    `executable`: the one compiled ahead of time, if not that of the program.
    """
    guard = CallGuard(avals)
    guard.arguments(signatures, held, names)
    guard.distinct()
    leaves, objects = guard.sequence(guard.leaves), guard.sequence(guard.objects)
    arguments, guard.lines = guard.lines, []
    facts, call = ["break"], ["break"]
    if last is not None:
        with contextlib.suppress(NoGuard):
            late = guard.facts(last)
            facts, call = guard.lines, guard.call(last, late, executable)
    handlers |= {"expected": expected, "shown": shown}
    closure = {**dict(guard.constants.values()), **guard.handlers, **handlers}
    text = TEMPLATE.format(
        names=", ".join(closure),
        keywords="kwargs" if names else "not kwargs",
        arguments=_block(arguments, 20),
        facts=_block(facts, 28),
        call=_block(call, 24),
        leaves=leaves,
        objects=objects,
    )
    scope: dict[str, Any] = {}
    exec(_code(text), scope)
    # Names are variables of a closure: so guards of one text are one code, which is compiled once.
    function: Callable[..., Any] = scope["make"](**closure)
    return function


def _block(lines: Sequence[str], indent: int) -> str:
    return f"\n{' ' * indent}".join(lines or ["pass"])


@functools.lru_cache(maxsize=1024)
def _code(text: str) -> CodeType:
    return compile(text, FILE, "exec")
