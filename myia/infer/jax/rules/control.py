"""Translation of calls, branches and loops: calls are inlined, `scan` and `while` become `loop`.

    b, c = scan[length=n ...] init xs   ->   %b, %c = for %k < %n (%b = %init, %c = zeros) {
                                               %x = row %k of %xs
                                               %b2, %y = body %b, %x
                                               yield %b2, %c with %y in row %k
                                             }

So the translation of a loop has the size of its body, whatever the trip count.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import jax
import numpy as np
from jax.extend.core import ClosedJaxpr

from myia.infer.jax.tracing.rules import translation_rule
from myia.infer.jax.tracing.translate import ir_aval, translate, translate_open
from myia.ir.avals import I64, Aval
from myia.ir.core import Value
from myia.primitives.arrays import dynamic_slices, shaping
from myia.primitives.arrays.reductions import reduce_or
from myia.primitives.core.define import constant, zeros
from myia.primitives.core.emit_structured import if_, loop
from myia.primitives.pointwise import logic

# ----- Calls


@translation_rule("jit", "pjit", "xla_metadata_call")
def _jit(*operands: Value, jaxpr: Any, **_: Any) -> list[Value]:
    return translate(jaxpr, operands)


@translation_rule("closed_call", "eval_jaxpr", "program_order")
def _closed_call(*operands: Value, call_jaxpr: Any, **_: Any) -> list[Value]:
    return translate(call_jaxpr, operands)


@translation_rule("call", "core_call")
def _call(*operands: Value, call_jaxpr: Any, **_: Any) -> list[Value]:
    return translate_open(call_jaxpr, (), operands)


@translation_rule("custom_vmap_call")
def _custom_vmap(*operands: Value, call: Any, **_: Any) -> list[Value]:
    return translate(call, operands)


# Which residuals the adjoint keeps is our own decision, so `remat` is only a call.
@translation_rule("remat", "remat2", "checkpoint")
def _remat(*operands: Value, jaxpr: Any, **_: Any) -> list[Value]:
    return translate_open(jaxpr, (), operands)


@translation_rule("composite")
def _composite(*operands: Value, jaxpr: Any, **_: Any) -> list[Value]:
    return translate(jaxpr, operands)


# ----- Branches


@translation_rule("cond")
def _cond(
    index: Value, *operands: Value, branches: Any, branches_platforms: Any = None, **_: Any
) -> Sequence[Value]:
    """Branch number `index`; one too small or too large is the first or the last."""
    if branches_platforms is not None:
        return translate(branches[_number_of_platform(branches_platforms)], operands)
    if index.dtype.kind == "b":
        then, other = (lambda: translate(branches[1], operands)), branches[0]
        return if_(index, then, lambda: translate(other, operands))
    return _switch(index, operands, branches, 0)


def _switch(index: Value, operands: Value, branches: Value, first: int) -> Sequence[Value]:
    """The branches from number `first` on."""
    if first == len(branches) - 1:
        return translate(branches[first], operands)
    return if_(
        logic.le(index, first),
        lambda: translate(branches[first], operands),
        lambda: _switch(index, operands, branches, first + 1),
    )


@translation_rule("platform_index")
def _platform_index(*, platforms: Any) -> Value:
    return constant(_number_of_platform(platforms), np.int32)


def _number_of_platform(platforms: Sequence[tuple[str, ...] | None]) -> int:
    """The index of the device's platform; None stands for all platforms that no other names."""
    backend = jax.default_backend()
    names = {backend} if backend != "gpu" else {"gpu", "cuda"}
    return next(i for i, group in enumerate(platforms) if group is None or names & {*group})


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
    rows = [_stacked_aval(aval, length) for aval in _row_avals(jaxpr, num_carry)]
    outs = [zeros(aval) for aval in rows]
    if length == 0:
        return [*init, *outs]

    def body(k: Value, *state: Value) -> list[Value]:
        index = constant(length - 1, I64.dtype) - k if reverse else k
        carries, outs = state[:num_carry], state[num_carry:]
        ys = translate(jaxpr, (*consts, *carries, *(row(x, index) for x in xs)))
        updated = [with_row(out, y, index) for out, y in zip(outs, ys[num_carry:])]
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


def _row_avals(jaxpr: ClosedJaxpr, num_carry: int) -> list[Aval]:
    return [ir_aval(y.aval) for y in jaxpr.jaxpr.outvars[num_carry:]]


def _stacked_aval(aval: Aval, length: int) -> Aval:
    return aval.with_shape((length, *aval.shape))


def _row_starts(k: Value, x: Value) -> list[Value]:
    return [k, *(constant(0, I64.dtype) for _ in x.shape[1:])]


def row(x: Value, k: Value) -> Value:
    """`x[k]`"""
    sliced = dynamic_slices.dynamic_slice(x, *_row_starts(k, x), sizes=(1, *x.shape[1:]))
    return shaping.reshape(sliced, shape=x.shape[1:])


def with_row(x: Value, y: Value, k: Value) -> Value:
    """`x` after `x[k] = y`"""
    update = shaping.reshape(y, shape=(1, *y.shape))
    return dynamic_slices.dynamic_update_slice(x, update, *_row_starts(k, x))
