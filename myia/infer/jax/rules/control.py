"""Translation of calls, branches and loops: calls are inlined, `scan` and `while` become `loop`.

    b, c = scan[length=n ...] init xs   ->   %b, %c = for %k < %n (%b = %init, %c = zeros) {
                                               %x = row %k of %xs
                                               %b2, %y = body %b, %x
                                               yield %b2, %c with %y in row %k
                                             }

So the translation of a loop has the size of its body, whatever the trip count.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from jax.extend.core import ClosedJaxpr

from myia.infer.jax.tracing.rules import translation_rule
from myia.infer.jax.tracing.translate import ir_aval, translate, translate_open
from myia.infer.lists.growing_lists import row_at, with_row
from myia.ir.avals import I64
from myia.ir.core import Value
from myia.primitives.arrays import shaping
from myia.primitives.arrays.reductions import reduce_or
from myia.primitives.core.define import constant, zeros
from myia.primitives.core.emit_structured import if_, loop
from myia.primitives.core.platforms import ANY, inferred_for, is_platform
from myia.primitives.pointwise import logic

# ----- Calls

_CALLEE = {  # the parameter that is the jaxpr of the function
    **dict.fromkeys(["jit", "pjit", "xla_metadata_call", "composite"], "jaxpr"),
    # Which residuals the adjoint keeps is our own decision, so `remat` is only a call.
    **dict.fromkeys(["remat", "remat2", "checkpoint"], "jaxpr"),
    **dict.fromkeys(["closed_call", "eval_jaxpr", "program_order"], "call_jaxpr"),
    **dict.fromkeys(["call", "core_call"], "call_jaxpr"),
    "custom_vmap_call": "call",
}


def _call(*operands: Value, callee: str, **params: Any) -> list[Value]:
    f = params[callee]
    if isinstance(f, ClosedJaxpr):
        return translate(f, operands)
    return translate_open(f, (), operands)


for _name, _callee in _CALLEE.items():
    translation_rule(_name)(partial(_call, callee=_callee))


# ----- Branches


@translation_rule("cond")
def _cond(
    index: Value, *operands: Value, branches: Any, branches_platforms: Any = None, **_: Any
) -> Sequence[Value]:
    """Branch number `index`; one too small or too large is the first or the last."""
    if branches_platforms is not None:
        return _by_platform(branches_platforms, branches, operands)
    if index.dtype.kind == "b":
        other, then = branches
        return if_(index, lambda: translate(then, operands), lambda: translate(other, operands))
    return _switch(index, operands, branches, 0)


def _switch(
    index: Value, operands: Sequence[Value], branches: Sequence[ClosedJaxpr], first: int
) -> Sequence[Value]:
    """The branches from number `first` on."""
    if first == len(branches) - 1:
        return translate(branches[first], operands)
    return if_(
        logic.le(index, first),
        lambda: translate(branches[first], operands),
        lambda: _switch(index, operands, branches, first + 1),
    )


PlatformGroups = Sequence[tuple[str, ...] | None]  # None: all platforms that no other group names


@translation_rule("platform_index")
def _platform_index(*, platforms: PlatformGroups) -> Value:
    """The number of the platform's group."""
    numbers = [(constant(i, np.int32),) for i in range(len(platforms))]
    return _choice_by_platform(platforms, lambda i: numbers[i])[0]


def _by_platform(
    platforms: PlatformGroups, branches: Sequence[ClosedJaxpr], operands: Sequence[Value]
) -> Sequence[Value]:
    return _choice_by_platform(platforms, lambda i: translate(branches[i], operands))


def _choice_by_platform(
    platforms: PlatformGroups, emit: Callable[[int], Sequence[Value]], first: int = 0
) -> Sequence[Value]:
    """What `emit` gives for the platform's group; a branch where JAX tells it only when it lowers.

    The last group is not tested.
    """
    target, group = inferred_for(), platforms[first]
    if group is None or first == len(platforms) - 1 or target in group:
        return emit(first)
    if target != ANY:
        return _choice_by_platform(platforms, emit, first + 1)
    return if_(
        is_platform(group),
        lambda: emit(first),
        lambda: _choice_by_platform(platforms, emit, first + 1),
    )


# ----- Loops


@translation_rule("while")
def _while(
    *operands: Value,
    cond_jaxpr: ClosedJaxpr,
    body_jaxpr: ClosedJaxpr,
    cond_nconsts: int,
    body_nconsts: int,
    **_: Any,
) -> Sequence[Value]:
    n = cond_nconsts + body_nconsts
    of_cond, of_body, init = operands[:cond_nconsts], operands[cond_nconsts:n], operands[n:]

    def goes_on(k: Value, *carries: Value) -> Value:
        (on,) = translate(cond_jaxpr, (*of_cond, *carries))
        return reduce_or(on, axes=tuple(range(on.aval.ndim))) if on.shape else on

    def step(k: Value, *carries: Value) -> list[Value]:
        after = translate(body_jaxpr, (*of_body, *carries))
        if not cond_jaxpr.out_avals[0].shape:
            return after
        (on,) = translate(cond_jaxpr, (*of_cond, *carries))
        return [_select_batched(on, x, y) for x, y in zip(after, carries)]

    return loop(init, step, cond=goes_on)


def _select_batched(on: Value, x: Value, y: Value) -> Value:
    """A batched `while`: only the batch elements whose condition holds make the step."""
    on = shaping.broadcast(on, shape=x.shape, dims=tuple(range(on.aval.ndim)))
    return logic.select(on, x, y)


@translation_rule("scan")
def _scan(
    *operands: Value,
    jaxpr: ClosedJaxpr,
    length: int,
    reverse: bool,
    **groups: Any,
) -> Sequence[Value]:
    consts, init, xs = _scan_operands(operands, **groups)
    num_carry = len(init)
    rows = [ir_aval(y.aval) for y in jaxpr.jaxpr.outvars[num_carry:]]
    outs = [zeros(aval.with_shape((length, *aval.shape))) for aval in rows]
    if length == 0:
        return [*init, *outs]

    def body(k: Value, *state: Value) -> list[Value]:
        index = constant(length - 1, I64.dtype) - k if reverse else k
        carries, outs = state[:num_carry], state[num_carry:]
        ys = translate(jaxpr, (*consts, *carries, *(row_at(x, index) for x in xs)))
        updated = [with_row(out, index, y) for out, y in zip(outs, ys[num_carry:])]
        return [*ys[:num_carry], *updated]

    return loop([*init, *outs], body, count=constant(length, I64.dtype))


def _scan_operands(
    operands: Sequence[Value],
    *,
    num_consts: int = 0,
    num_carry: int = 0,
    ft_in: Any = None,
    **_: Any,
) -> list[list[Value]]:
    """Constants, carries and arrays to scan: by their numbers, or in JAX 0.11 a tree of groups."""
    if ft_in is not None:
        return [list(group) for group in ft_in.update(operands).unpack()]
    n = num_consts + num_carry
    return [list(operands[:num_consts]), list(operands[num_consts:n]), list(operands[n:])]
