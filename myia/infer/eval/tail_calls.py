"""Tail recursion as a loop (tail-call elimination).

    def gcd(a, b):                      go, result = True, undefined
        if b == 0:                      while go:
            return a            ->          if b == 0: go, result = False, a
        return gcd(b, a % b)                else: a, b = b, a % b
                                        return result

So a recursion is compiled even if only run-time values bound its depth. A recursion whose depth is
static is a loop, too. Where its body needs compile-time values, it is unrolled like any other loop.
More calls than Python could ever make raise RecursionError.

*When it gives up*: the function has `*args` or keyword-only parameters, the call is not in tail
position, or the name of the callee does not refer to the function itself. Where the body also
calls the function elsewhere, or needs compile-time values under a run-time condition, each call is
inlined as in any other recursion (`infer/recursion/calls.py`).
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from myia.infer.domain.context import Context
from myia.infer.domain.dtypes import number_value
from myia.infer.domain.errors import BadValue, CertainError, NeedsStatic
from myia.infer.domain.heap import CellObject
from myia.infer.domain.values import (
    FALSE,
    TRUE,
    UNDEFINED,
    Abstract,
    Closure,
    Optional,
    PyFunction,
    Ref,
    Scalar,
    Static,
)
from myia.infer.loops.loop_forms import loop
from myia.infer.loops.unrolling import LoopCode
from myia.infer.operators.truth import truth
from myia.infer.recursion.calls import Recursion
from myia.ir.builder import Builder, append, emit, emit1
from myia.ir.core import Op, Region, Value
from myia.primitives.core import py
from myia.primitives.core.define import constant
from myia.primitives.core.py import Code
from myia.primitives.core.structured import if_p
from myia.primitives.pointwise import arithmetic, logic
from myia.source.diagnostics import MyiaError

RECURSION_LIMIT = 10_000_000  # calls; Python has no memory for more


# The region of the function, which yields `again, result, *parameters`; the ops that name the
# callees.
_TailForm = tuple[Region, list[Op]]
_forms: weakref.WeakKeyDictionary[Region, _TailForm | None] = weakref.WeakKeyDictionary()


def as_loop_or(
    ctx: Context,
    code: Code,
    captured: tuple[Abstract, ...],
    bound: Sequence[Abstract],
    cells: dict[str, Abstract] | None,
    inlined: Callable[[], Abstract],
) -> Abstract:
    """The result of a call: by a loop if the function is tail-recursive, else `inlined()`."""
    form, calling = _form(code), ctx.calling
    if form is None or code in ctx.not_loops:
        return inlined()
    region, callees = form
    with ctx.frame(code, cells):
        itself = all(_is_itself(ctx, op, code, captured) for op in callees)
    ctx.calling = calling
    if not itself:
        return inlined()
    saved = ctx.heap.copy()
    mark = ctx.mark()
    need: NeedsStatic | None = None
    try:
        return _as_loop(ctx, code, region, captured, bound, cells)
    except Recursion:
        pass
    except NeedsStatic as error:
        need = error
    # The loop carries numbers that calls of their own have at compile time.
    ctx.rewind(saved, mark)
    not_loops, ctx.calling = ctx.not_loops, calling
    ctx.not_loops = not_loops | {code}
    try:
        return inlined()
    except MyiaError as error:
        if need is None or isinstance(error, CertainError):
            raise
        raise need from None
    finally:
        ctx.not_loops = not_loops


def _as_loop(
    ctx: Context,
    code: Code,
    region: Region,
    captured: tuple[Abstract, ...],
    bound: Sequence[Abstract],
    cells: dict[str, Abstract] | None,
) -> Abstract:
    calling = ctx.calling

    def body(_: Abstract, xs: Sequence[Abstract]) -> list[Abstract]:
        ctx.calling = calling  # iterations are calls, too
        with ctx.frame(code, cells, arguments=(*captured, *xs[3:])):
            again, result, *parameters = ctx.run(
                region, dict(zip(code.region.args, (*captured, *xs[3:])))
            )
        return [again, result, _next(xs[2]), *parameters]

    call_again = LoopCode(code, None, lambda _, xs: _goes_on(ctx, xs), body)
    before = len(ctx.checks)
    again, result, *_ = loop(ctx, call_again, [TRUE, UNDEFINED, Static(0), *bound])
    message = f"maximum recursion depth exceeded in a call of `{code.name}`"
    if result is UNDEFINED and len(ctx.checks) == before:  # no path returns or raises
        ctx.fail(BadValue, message=message, exception="RecursionError")
    endless = truth(ctx, again)
    if not isinstance(endless, Static) or endless.value:
        failed = number_value(endless, np.dtype(bool))
        ctx.check(failed, RecursionError, message, is_python=False)
    # The loop ends only when there is a result.
    return result.value if isinstance(result, Optional) else result


def _goes_on(ctx: Context, xs: Sequence[Abstract]) -> Abstract:
    """The result is not known yet, and Python might still go deeper."""
    again, depth = truth(ctx, xs[0]), xs[2]
    if isinstance(depth, Static):
        return again if depth.value < RECURSION_LIMIT else FALSE
    assert isinstance(depth, Scalar)
    within = logic.lt(depth.value, constant(RECURSION_LIMIT, depth.dtype))
    value = logic.and_(again.value, within) if isinstance(again, Scalar) else within
    return FALSE if again is FALSE else Scalar(value, weak=True)


def _next(depth: Abstract) -> Abstract:
    if isinstance(depth, Static):
        return Static(depth.value + 1)
    assert isinstance(depth, Scalar)
    return Scalar(arithmetic.add(depth.value, constant(1, depth.dtype)), weak=True, lo=0)


def _form(code: Code) -> _TailForm | None:
    key = code.region
    if key not in _forms:
        _forms[key] = _rewritten(code)
    return _forms[key]


def _rewritten(code: Code) -> _TailForm | None:
    if any(p.kind in ("VAR_POSITIONAL", "VAR_KEYWORD", "KEYWORD_ONLY") for p in code.parameters):
        return None
    parameters = code.region.args[len(code.captured) :]
    callees: list[Op] = []
    region = _Tail(code, parameters, callees).region(code.region)
    return (region, callees) if callees else None


@dataclass
class _Tail:
    """Rewrites the regions in tail position."""

    code: Code
    parameters: tuple[Value, ...]
    callees: list[Op]

    def region(self, region: Region) -> Region:
        (result,) = region.yields[-1:]
        *before, last = region.ops or (None,)
        with Builder() as b:
            if last is not None and last.primitive is if_p and result in last.results:
                yields = self.branches(before, last, result)
            elif last is not None and (callee := self.self_call(region, last, result)):
                for op in before:
                    append(op)
                self.callees.append(callee)
                again = emit1(py.const, value=True)
                yields = (again, emit1(py.undefined, name="result"), *last.operands[1:])
            else:
                for op in region.ops:
                    append(op)
                yields = (emit1(py.const, value=False), result, *self.parameters)
        return Region(region.args, tuple(b.ops), tuple(yields))

    def branches(self, before: Sequence[Op], last: Op, result: Value) -> tuple[Value, ...]:
        for op in before:
            append(op)
        at = last.results.index(result)
        arms = [Region((), r.ops, (r.yields[at],)) for r in last.regions]
        return emit(if_p, *last.operands, regions=[self.region(arm) for arm in arms])

    def self_call(self, region: Region, last: Op, result: Value) -> Op | None:
        """The op that names the callee, when `last` is a call of what may be this function."""
        if last.primitive is not py.call or last.results != (result,):
            return None
        plain = all(spec is None for spec in last.params["spec"])
        if not plain or len(last.operands) - 1 != len(self.parameters):
            return None
        for op in region.ops:
            named = op.primitive in (py.global_, py.free, py.load_cell)
            if named and op.results == last.operands[:1]:
                return op if op.params["name"] == self.code.name else None
        return None


def _is_itself(ctx: Context, op: Op, code: Code, captured: tuple[Abstract, ...]) -> bool:
    """True when the name of the callee refers to the function that is being called."""
    name = op.params["name"]
    if op.primitive is py.load_cell:
        if name not in code.captured:
            return False
        cell = captured[code.captured.index(name)]
        f = ctx.contents_as(cell, CellObject).content if isinstance(cell, Ref) else None
        return isinstance(f, Closure) and f.code is code and f.captured == captured
    f = ctx.global_value(name) if op.primitive is py.global_ else ctx.free_value(name)
    function = f.function if isinstance(f, PyFunction) else getattr(f, "value", None)
    return isinstance(f, (PyFunction, Static)) and ctx.is_code_of(function, code)
