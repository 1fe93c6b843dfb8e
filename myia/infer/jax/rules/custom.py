"""Translation of `custom_jvp` and `custom_vjp`: their author's derivative rule is used.

JAX traces the rule, and we translate its jaxpr. That happens when a derivative is taken and not
earlier, since a rule may call the function that it belongs to.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from typing import Any

import jax
import numpy as np
from jax.extend.core import ClosedJaxpr

from myia.infer.jax.tracing.rules import translation_rule
from myia.infer.jax.tracing.translate import ir_aval, translate, translate_open, unsupported
from myia.ir.avals import Aval
from myia.ir.builder import at, build_region, current_span, emit
from myia.ir.core import Region, Value
from myia.primitives.core.define import zeros
from myia.primitives.core.structured import Rule, custom_p


@translation_rule("custom_jvp_call")
def _custom_jvp(
    *operands: Value, call_jaxpr: ClosedJaxpr, jvp_jaxpr_fun: Any, num_consts: int, **_: Any
) -> Sequence[Value]:
    build = partial(_jvp_region, call_jaxpr, jvp_jaxpr_fun, num_consts)
    return _custom(operands, call_jaxpr, num_consts, "jvp", build)


@translation_rule("custom_vjp_call")
def _custom_vjp(
    *operands: Value,
    call_jaxpr: ClosedJaxpr,
    fwd_jaxpr_thunk: Any,
    bwd: Any,
    num_consts: int,
    out_trees: Callable,
    **_: Any,
) -> Sequence[Value]:
    build = partial(_vjp_regions, call_jaxpr, fwd_jaxpr_thunk, bwd, num_consts, out_trees)
    return _custom(operands, call_jaxpr, num_consts, "vjp", build)


def _custom(
    operands: Sequence[Value], f: ClosedJaxpr, consts: int, mode: str, build: Callable
) -> Sequence[Value]:
    span = current_span()
    mode_of_f = _precision_of_trace(f)

    def located() -> tuple[Region, ...]:
        with at(span), mode_of_f():
            return build()

    return emit(
        custom_p,
        *operands,
        regions=[build_region([x.aval for x in operands], lambda *xs: translate(f, xs))],
        name=f.jaxpr.debug_info.func_name,
        rule=Rule(mode, located),
        consts=consts,
    )


def _precision_of_trace(f: ClosedJaxpr) -> Callable[[], AbstractContextManager]:
    """The mode in which to trace the rule: 64-bit if the function was traced in 64-bit mode."""
    avals = [ir_aval(x.aval) for x in (*f.jaxpr.invars, *f.jaxpr.outvars)]
    wide = any(a.dtype.itemsize > (8 if a.dtype.kind == "c" else 4) for a in avals)
    return (lambda: jax.enable_x64(True)) if wide or jax.enable_x64.value else nullcontext


# ----- custom_jvp


def _jvp_region(f: ClosedJaxpr, traced_rule: Any, consts: int) -> tuple[Region]:
    """rule(*args, *tangents) -> *ys, *tangents"""
    args, ys = _avals(f.jaxpr.invars), _avals(f.jaxpr.outvars)
    known = [not a.differentiable for a in args[consts:]]
    try:
        jaxpr, rule_consts, no_tangent = traced_rule.call_wrapped(*known)
    except TypeError as error:  # JAX gives integers a tangent with which nothing can be computed
        name = f.jaxpr.debug_info.func_name
        raise unsupported(f"the derivative rule of `{name}` on these dtypes", str(error)) from error

    def rule(*values: Value) -> list[Value]:
        primals, tangents = values[consts : len(args)], values[len(args) :]
        tangents = tangents[sum(a.differentiable for a in args[:consts]) :]
        results = translate_open(jaxpr, rule_consts, (*primals, *tangents))
        given = iter(results[len(ys) :])
        found = [zeros(y) if none else next(given) for y, none in zip(ys, no_tangent)]
        tangents_out = [t for t, y in zip(found, ys) if y.differentiable]
        return [*results[: len(ys)], *tangents_out]

    return (build_region([*args, *(a for a in args if a.differentiable)], rule),)


def _avals(variables: Sequence) -> list[Aval]:
    return [ir_aval(x.aval) for x in variables]


# ----- custom_vjp


def _vjp_regions(
    f: ClosedJaxpr, traced_forward: Any, bwd: Any, consts: int, out_trees: Callable
) -> tuple[Region, Region]:
    """forward(*args) -> *ys, *residuals; backward(*residuals, *cotangents) -> *cotangents"""
    args, ys = _avals(f.jaxpr.invars), _avals(f.jaxpr.outvars)
    jaxpr, rule_consts = traced_forward.call_wrapped(*(a.differentiable for a in args[consts:]))
    # JAX omits residuals that are arguments: `forwarded` has their numbers (None: not omitted).
    _, _, forwarded = out_trees()

    def forward(*values: Value) -> list[Value]:
        results = translate_open(jaxpr, rule_consts, values[consts:])
        split = len(results) - len(ys)
        found = iter(results[:split])
        residuals = [next(found) if i is None else values[i] for i in forwarded]
        return [*results[split:], *residuals]

    forward_region = build_region(args, forward)
    residuals = [r.aval for r in forward_region.yields[len(ys) :]]
    backward = _trace_backward(bwd, residuals, ys, args[consts:])
    takes = [*residuals, *(y for y in ys if y.differentiable)]
    return forward_region, build_region(takes, lambda *xs: translate(backward, xs))


def _trace_backward(
    bwd: Any, residuals: Sequence[Aval], ys: Sequence[Aval], args: Sequence[Aval]
) -> ClosedJaxpr:
    """The jaxpr of backward, between floating cotangents; where it gives none, zeros."""

    def backward(*values: jax.Array) -> list:
        given = iter(values[len(residuals) :])
        none = jax.dtypes.float0  # the dtype of the cotangents of integers
        cts = [next(given) if y.differentiable else np.zeros(y.shape, none) for y in ys]
        found = bwd.call_wrapped(*values[: len(residuals)], *cts)
        if isinstance(found, tuple):  # since JAX 0.11.2: the cotangents, and what is to be logged
            found, _ = found
        pairs = zip(args, found, strict=True)
        return [_array(a, ct) for a, ct in pairs if a.differentiable]

    takes = [*residuals, *(y for y in ys if y.differentiable)]
    return jax.make_jaxpr(backward)(*(jax.ShapeDtypeStruct(a.shape, a.dtype) for a in takes))


def _array(aval: Aval, ct: Any) -> jax.Array:
    """A cotangent as an array: JAX marks zero cotangents by an object of another type."""
    if isinstance(ct, jax.Array) or not hasattr(ct, "aval"):
        return jax.numpy.asarray(ct, aval.dtype)
    return jax.numpy.zeros(aval.shape, aval.dtype)
