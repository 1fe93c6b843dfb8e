"""Translation of a jaxpr to our IR: equation by equation, each by the rule of its primitive.

    { lambda ; a:f64[3]. let b:f64[3] = tanh a; c:f64[] = reduce_sum[axes=(0,)] b in (c,) }
      ->  %b = tanh %a
          %c = reduce_sum %b {axes=(0,)}

A random key becomes an array of its words: `key<fry>[2]` is `u32[2,2]` here. A primitive without a
rule is refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import jax
import numpy as np
from jax.extend.core import ClosedJaxpr, Jaxpr, JaxprEqn, Literal, Var, jaxpr_as_fun

from myia.infer.jax.tracing.random_keys import is_key, rule_for_keys
from myia.infer.jax.tracing.rules import RULES
from myia.infer.unsupported import UnsupportedJax
from myia.ir.avals import Aval
from myia.ir.builder import current_span
from myia.ir.core import Value
from myia.primitives.arrays.shaping import reshape
from myia.primitives.core.define import array_constant
from myia.source.diagnostics import InternalError, MyiaError

SUPPORTED_DTYPE_KINDS = "biufc"


def translate(closed: ClosedJaxpr, operands: Sequence[Value]) -> list[Value]:
    """Emit the equations of `closed`, applied to `operands`; returns its results."""
    return translate_open(closed.jaxpr, closed.consts, operands)


def translate_open(jaxpr: Jaxpr, consts: Sequence, operands: Sequence[Value]) -> list[Value]:
    """As `translate`, for a jaxpr whose constants are given separately."""
    env: dict[Var, Value] = {}
    # Which inputs a jaxpr counts as constants differs between JAX's versions, their order does not.
    inputs = [*jaxpr.constvars, *jaxpr.invars]
    _define(env, inputs, [*(array_value(c) for c in consts), *operands], "inputs")
    for eqn in jaxpr.eqns:
        results = _translate_equation(eqn, [_read(env, x) for x in eqn.invars])
        _define(env, eqn.outvars, results, eqn.primitive.name)
    return [_read(env, y) for y in jaxpr.outvars]


def translate_pointwise(jaxpr: Jaxpr, consts: Sequence, operands: Sequence[Value]) -> list[Value]:
    """The results of `jaxpr`, a function of scalars, for each element of arrays of one shape.

    `jax.vmap` maps it over one axis, and the mapped jaxpr is translated.
    """
    shape, size = operands[0].shape, operands[0].aval.size
    rows = [jax.ShapeDtypeStruct((size,), x.dtype) for x in operands]
    with jax.enable_x64(True):
        mapped = jax.make_jaxpr(jax.vmap(jaxpr_as_fun(ClosedJaxpr(jaxpr, consts))))(*rows)
    results = translate(mapped, [reshape(x, shape=(size,)) for x in operands])
    return [reshape(y, shape=shape) for y in results]


def unsupported(what: str, label: str = "", **more: str) -> MyiaError:
    """The error to raise for something of JAX's that has no translation."""
    return MyiaError(UnsupportedJax(current_span(), what, label, **more))


def ir_aval(aval: Any) -> Aval:
    """The aval in our IR of a value of a jaxpr."""
    dtype = aval.dtype
    if is_key(aval):
        return _key_aval(dtype, tuple(aval.shape))
    if (
        jax.numpy.issubdtype(dtype, jax.dtypes.extended)
        or np.dtype(dtype).kind not in SUPPORTED_DTYPE_KINDS
    ):
        raise unsupported(f"the dtype {dtype}")
    return Aval(np.dtype(dtype), tuple(aval.shape))


@cache
def _key_aval(dtype: np.dtype, shape: tuple[int, ...]) -> Aval:
    words = jax.eval_shape(jax.random.key_data, jax.ShapeDtypeStruct(shape, dtype))
    return Aval(np.dtype(words.dtype), tuple(words.shape))


def array_value(x: Any) -> Value:
    """A concrete array or random key, as a constant."""
    if isinstance(x, jax.core.Tracer):
        raise unsupported(
            "a function or rule of a library that keeps a value from when it was traced"
        )
    if is_key(x):
        x = jax.random.key_data(x)
    return array_constant(np.asarray(x))


def _read(env: dict[Var, Value], x: Var | Literal) -> Value:
    if isinstance(x, Literal):
        aval = ir_aval(x.aval)
        return array_constant(np.broadcast_to(np.asarray(x.val, aval.dtype), aval.shape))
    return env[x]


def _define(
    env: dict[Var, Value], names: Sequence[Var], values: Sequence[Value], what: str
) -> None:
    if len(names) != len(values):
        raise InternalError(f"{what}: {len(values)} values for {len(names)} variables")
    for name, value in zip(names, values):
        if value.aval != ir_aval(name.aval):
            raise InternalError(f"{what}: {value.aval} where the jaxpr has {ir_aval(name.aval)}")
        env[name] = value


def _translate_equation(eqn: JaxprEqn, operands: list[Value]) -> Sequence[Value]:
    name = eqn.primitive.name
    if name not in RULES:
        raise unsupported(f"the JAX operation `{name}`", "this call needs it")
    try:
        results = rule_for_keys(RULES[name], eqn)(*operands, **eqn.params)
    except InternalError as error:  # our shape rule accepts fewer shapes than JAX's
        avals = ", ".join(str(x.aval) for x in operands)
        raise unsupported(f"the JAX operation `{name}` on {avals}", "this call needs it") from error
    return [results] if isinstance(results, Value) else list(results)
