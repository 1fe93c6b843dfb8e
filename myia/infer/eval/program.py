"""The entry of inference: a callable and the signature of its arguments -> a typed program.

A program is inferred in up to four *modes*. Each represents more exactly which object a name
stands for, at a higher cost at run time. The next one is tried if the program is refused for that
reason (`ALIAS_ERRORS`, `IDENTITY_ERRORS`):

1. A name that may be one array or another holds a copy, read and written at the cost of one array.
   This fails if an array is written to and read under another name.
2. Such a name has a points-to set (`infer/paths/points_to.py`): exact, but each write is a
   conditional write to every array of the set (`Context.tracks_points_to`).
3. Arrays of several types are choices (`infer/paths/choice.py`), and so are views that loops choose
   of several arrays; lists of objects hold the numbers of their members
   (`infer/lists/list_members.py`; `Context.names_are_exact`).
4. A name that may be one object or another of one kind is a choice, too, where it was a copy:
   `src = a if x > 0 else b`, of which `src.balance += x` changes one (`Context.keeps_apart`).

In each mode a refused program may be inferred once more with another setting (`_other_mode`):

- long loops that change the sizes of arrays are unrolled;
- the steps of ranges are known at run time, where no unrolled loop makes them compile-time values;
- lists that were kept as single items are buffers, or the other way round;
- iterators that are used again are generators that go on where they stopped.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from types import FunctionType, MethodType
from typing import Any

from myia.infer.boundary import arguments
from myia.infer.boundary.arguments import Arguments, Fact
from myia.infer.boundary.assigned_globals import Assignment, assignments
from myia.infer.boundary.integers import Choice
from myia.infer.boundary.recipes import Recipe
from myia.infer.boundary.results import Cut, Outputs
from myia.infer.boundary.signature import CallFlattener, Flattener, leaves_of
from myia.infer.capacities import Capacity, Known, Site
from myia.infer.derivatives.lost_state import LostState
from myia.infer.domain.checks import Check
from myia.infer.domain.context import Report, is_report
from myia.infer.domain.errors import (
    BranchesDiffer,
    CertainError,
    InvalidatedRead,
    LoopChangesType,
    NeedsStatic,
    NotStatic,
    RaiseReached,
    ReadOnlyWrite,
    Slip,
)
from myia.infer.domain.heap import ArrayObject, ViewObject
from myia.infer.domain.memory_order import is_contiguous
from myia.infer.domain.values import NONE, Abstract, Ref, Scalar, Static
from myia.infer.eval import handlers, op_handlers
from myia.infer.eval.interpreter import Interpreter
from myia.infer.lists import list_rows
from myia.infer.registry import handler_of
from myia.infer.unsupported import UnsupportedContainer
from myia.ir.builder import Builder, at
from myia.ir.core import Function, Region
from myia.ir.rewrite import without_effects
from myia.primitives.core.py import Code
from myia.source.diagnostics import MyiaError
from myia.source.process import compiling

HANDLERS = handlers, op_handlers  # imported for what they register
# Errors that points-to sets may avoid (`infer`).
ALIAS_ERRORS = (InvalidatedRead, ReadOnlyWrite, LoopChangesType)
IDENTITY_ERRORS = (BranchesDiffer, UnsupportedContainer)  # that choices and pools may avoid


@dataclass(frozen=True)
class Program:
    """A typed function and how a call uses it.

    Arguments of `function`: the leaves of the call's arguments, then those of each fact. Results:
    `kinds` tells what each is to Python; with checks, one more: the error code.
    """

    function: Function
    facts: tuple[Fact, ...]  # in the order asked
    kinds: tuple[Any, ...]
    recipe: Recipe
    updates: tuple[tuple[int, Recipe], ...]  # objects of arguments and facts that the call changes
    checks: tuple[Check, ...]
    visits: dict[Any, int]
    lost_state: tuple[LostState, ...]  # what is changed under a derivative, and not returned
    assignments: tuple[Assignment, ...] = ()  # of globals
    # What may be outgrown; each with the result that is the size it needs, if there is one.
    capacities: tuple[tuple[Capacity, int | None], ...] = ()
    cuts: tuple[Cut, ...] = ()  # results of run-time size
    counts_on: bool = True  # these results are right also where something has been outgrown
    # Arrays of arguments and facts of which a derivative changes a copy: they must not overlap.
    changed_in_copies: tuple[int, ...] = ()

    @property
    def reads_tracers(self) -> bool:
        """Does it read tracers of JAX's besides its arguments?"""
        return any(leaf.is_tracer for fact in self.facts for leaf in leaves_of(fact.answer))

    def only_checks(self) -> Program:
        """The same program, whose one result is the error code, and that only reports."""
        region = without_effects(self.function.region, but=is_report)
        region = replace(region, yields=self.function.results[-1:])
        function = replace(self.function, region=region)
        return replace(self, function=function, kinds=(), updates=(), assignments=())

    def unchecked(self) -> Program:
        """The same program without the error code, and without the ops that compute it."""
        if not self.checks:
            return self
        region = replace(self.function.region, yields=self.function.results[:-1])
        function = Function(self.function.name, region, self.function.span)
        return replace(self, function=function, checks=())


def infer(
    load: Callable[[Any], Code],
    f: Any,
    positional: tuple[Any, ...],
    keywords: dict[str, Any],
    flat: Flattener | None = None,
    *,
    debug: bool = False,
    report: Report | None = None,
    choose: Choice | None = None,
    capacities: Mapping[Site, int] | None = None,
    derivatives: int = 0,
) -> Program:
    """`positional` and `keywords` are signatures (`infer/boundary/signature.py`) of one flattening.

    `flat`: that flattening; without it, no object of an argument is known to be that of a global.
    `debug`: the op that makes the first number that is not finite, or that is subnormal, is a
    run-time error. `report`: the program also reports the run-time values of one check. `choose`:
    which ints in globals and other answers are arguments of the program; without it, none.
    `derivatives`: how many may be taken of the program. `capacities`: those that earlier runs
    needed; lists that grow without a bound have capacities only if the program is refused without.
    """
    known = Known(capacities or {}, are_used=bool(capacities))
    modes: dict[str, Any] = {"debug": debug, "report": report, "choose": choose}
    modes |= {"capacities": known, "derivatives": derivatives}
    try:
        return _infer_in_modes(load, f, positional, keywords, flat, **modes)
    except MyiaError:
        if known.are_used or not known.are_missed:
            raise
    known.are_used = True
    return _infer_in_modes(load, f, positional, keywords, flat, **modes)


def _infer_in_modes(
    load: Callable[[Any], Code],
    f: Any,
    positional: tuple[Any, ...],
    keywords: dict[str, Any],
    flat: Flattener | None,
    **modes: Any,
) -> Program:
    """A name of one object or another holds a copy; if that fails, is a set; or else a choice."""
    try:
        return _infer(load, f, positional, keywords, flat, **modes)
    except MyiaError as error:
        if not isinstance(error.diagnostic, (*ALIAS_ERRORS, *IDENTITY_ERRORS)):
            raise
        first = error
    modes["tracks_points_to"] = True
    has_moved = isinstance(first.diagnostic, InvalidatedRead) and first.diagnostic.has_moved
    if not (has_moved or isinstance(first.diagnostic, IDENTITY_ERRORS)):
        try:
            return _infer(load, f, positional, keywords, flat, **modes)
        except MyiaError as error:
            # This mode unrolls more loops. If that is what fails, the first error says more.
            if not isinstance(error.diagnostic, NotStatic):
                first = error
    known = modes["capacities"]
    if known.are_missed and not (known.are_used or has_moved):
        raise first  # one array with room costs less than a choice
    modes["names_are_exact"] = True
    for keeps_apart in (False, True):
        try:
            return _infer(load, f, positional, keywords, flat, keeps_apart=keeps_apart, **modes)
        except CertainError:
            raise  # Python's own
        except MyiaError as error:
            # Where names are exact and something else fails, it is what has to be changed.
            is_other = not isinstance(error.diagnostic, (*ALIAS_ERRORS, BranchesDiffer, NotStatic))
            if is_other and isinstance(first.diagnostic, InvalidatedRead):
                first = error
    raise first


def _infer(
    load: Callable[..., Any],
    f: Any,
    positional: tuple[Any, ...],
    keywords: dict[str, Any],
    flat: Flattener | None,
    **modes: Any,
) -> Program:
    ctx = Interpreter(load, **modes)
    try:
        return _inferred(ctx, load, f, positional, keywords, flat, modes["choose"])
    except MyiaError as error:
        other = _other_mode(ctx, error)
        if other is None:
            raise
        first = error
    try:
        return _infer(load, f, positional, keywords, flat, **{**modes, **other})
    except NeedsStatic as error:
        # Unrolled code cannot be had: the first error says what was wrong with the loops.
        raise (first if other.get("stacks_lists") is False else error) from None


def _other_mode(ctx: Interpreter, error: MyiaError) -> dict[str, Any] | None:
    """In which other mode a refused program may be inferred."""
    if ctx.to_resume - ctx.resumed:
        return {"resumed": ctx.resumed | ctx.to_resume}
    if ctx.has_resizing_loops and not ctx.unrolls_resizing_loops:
        return {"unrolls_resizing_loops": True}
    if ctx.met_any_step and not isinstance(error, CertainError):
        return {"takes_any_step": True}
    if isinstance(error, NeedsStatic) and False in ctx.stacking_choices:
        return {"stacks_lists": True}
    if not isinstance(error, CertainError) and True in ctx.stacking_choices:
        return {"stacks_lists": False}
    return None


def _inferred(
    ctx: Interpreter,
    load: Callable[..., Any],
    f: Any,
    positional: tuple[Any, ...],
    keywords: dict[str, Any],
    flat: Flattener | None,
    choose: Choice | None,
) -> Program:
    inputs = Arguments(objects=ctx.objects)
    with compiling(), Builder() as builder:
        source = source_of(f)
        at_definition = load(source).span if source is not None else None
        names = _parameter_names(_unwrapped(f), len(positional))
        with at(at_definition):
            args = [arguments.abstract(ctx, s, inputs, n) for s, n in zip(positional, names)]
            kwargs = {k: arguments.abstract(ctx, s, inputs, k) for k, s in keywords.items()}
            unknown = Flattener if choose is None else CallFlattener
            ctx.flat = flat.copy() if flat is not None else unknown.after(len(ctx.objects))
            try:
                result = ctx.call(Static(f), args, kwargs)
            except CertainError as error:  # it always raises
                if not isinstance(error, RaiseReached) and not _may_raise_before(ctx, error):
                    raise
                ctx.check_certain(error)
                result = NONE
            return _finish(ctx, f, inputs, result, builder)


def _may_raise_before(ctx: Interpreter, error: CertainError) -> bool:
    """May the program end with a `raise` before it comes to this error, which is no slip?"""
    raised = (check for check in ctx.checks if check.given is not None)
    return not isinstance(error, Slip) and not all(check.is_caught for check in raised)


def source_of(f: Any) -> FunctionType | None:
    """The function whose source is read for `f`; None for a function with a registered handler."""
    function = _unwrapped(f)
    function = function.__func__ if isinstance(function, MethodType) else function
    return function if isinstance(function, FunctionType) and handler_of(function) is None else None


def _unwrapped(f: Any) -> Any:
    """`f` without its wrappers, down to the first function with a registered handler."""
    return inspect.unwrap(f, stop=handler_of)


def _parameter_names(f: Any, count: int) -> list[str | None]:
    """The user's names of the positional arguments, where `f` tells them."""
    code = getattr(f, "__code__", None)
    names = list(getattr(f, "__myia_parameters__", ()))
    if code is not None:
        names = list(code.co_varnames[: code.co_argcount])
    if isinstance(f, MethodType):
        names = names[1:]
    return (names + [None] * count)[:count]


def _finish(
    ctx: Interpreter, f: Any, inputs: Arguments, result: Abstract, builder: Builder
) -> Program:
    ids = {x.id: i for i, x in enumerate(ctx.objects) if isinstance(x, Ref)}
    outputs = Outputs(ctx, ids)
    changed = {id: i for id, i in ids.items() if _is_changed(ctx, id)}
    others = [x for id in changed for x in ctx.heap[id].children()]
    others += [x for cell in ctx.assigned_globals.values() for x in ctx.heap[cell.id].children()]
    recipe = outputs.recipe_of_all(result, others)
    updates = [(i, outputs.update(id)) for id, i in changed.items()]
    assigned = assignments(ctx, outputs)
    code = ctx.error_code()
    capacities = tuple(_outgrown(ctx, outputs)) if code is not None else ()
    yields = list(outputs.values)
    if code is not None:
        yields.append(code)
    facts = tuple(ctx.facts)
    args = (*inputs.values, *(v for fact in facts for v in fact.values))
    name = getattr(f, "__name__", type(f).__name__)
    checks = tuple(ctx.checks) if code is not None else ()
    region = Region(args, tuple(builder.ops), tuple(yields))
    return Program(
        Function(name, region, None, tuple(map(str, checks))),
        facts,
        tuple(outputs.kinds),
        recipe,
        tuple(updates),
        checks,
        ctx.visits,
        tuple(ctx.lost_state.values()),
        assigned,
        capacities,
        tuple(outputs.cuts),
        ctx.capacities.counts_on,
        _changed_in_copies(ctx, ids, changed),
    )


def _changed_in_copies(
    ctx: Interpreter, ids: Mapping[int, int], changed: Mapping[int, int]
) -> tuple[int, ...]:
    """The arrays of which a derivative changes a copy, where that may make a difference."""
    found = [id for id in ids if id in ctx.changed_in_copies and id not in changed]
    arrays = [id for id in found if isinstance(ctx.heap.roots[id], ArrayObject)]
    count = sum(isinstance(x, Scalar) or ctx.is_array(x) for x in ctx.objects)
    if count == 1 and all(is_contiguous(ctx, Ref(id)) for id in arrays):
        return ()  # it overlaps nothing
    return tuple(ids[id] for id in arrays)


def _outgrown(ctx: Interpreter, outputs: Outputs) -> Iterator[tuple[Capacity, int | None]]:
    """The capacities that may be too small, and the results with what they should be."""
    spans = {check.outgrown: check.span for check in reversed(ctx.checks)}
    for site, span in spans.items():
        if site is None:
            continue
        cell = ctx.capacities.cells.get(site)
        (size,) = (Static(0),) if cell is None else ctx.heap[cell].children()
        needed = outputs.leaf(size.value, int) if isinstance(size, Scalar) else None
        yield ctx.capacities[site].outgrown_at(span), needed


def _is_changed(ctx: Interpreter, id: int) -> bool:
    """Whether an object from outside was written to (its first contents are in the roots)."""
    contents = ctx.heap[id]
    if id not in ctx.heap.objects or isinstance(contents, ViewObject):
        return False
    return not list_rows.is_as_before(ctx.heap, id, ctx.heap.roots.get(id, contents))
