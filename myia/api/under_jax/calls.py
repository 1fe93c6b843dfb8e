"""Calls of programs in functions that JAX transforms: primitives of JAX's, with our derivatives.

    call_p      *arguments                        -> *results of the program
    linear_p    *arguments, *residuals, *tangents -> *tangents of results

The derivative of a call is a call, and a linear map of the tangents. Its transpose, which reverse
mode applies, is our adjoint of the whole program, loops included: a pullback that reads what a
forward sweep has left. Where reverse mode meets a program of one scalar, such as a loss, its
gradient comes with its value, and the linear map is a product with that. What the programs are is
in `programs.py`; here is how JAX calls them.

Every rule works in 64-bit mode, whatever that of the user: the avals of a program are fixed.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax
from jax.core import ShapedArray
from jax.extend.core import JaxprEqn, Primitive
from jax.extend.core.primitives import convert_element_type_p
from jax.interpreters import ad, batching, mlir
from jax.interpreters.partial_eval import JaxprTracer, dce_rules
from jax.sharding import PartitionSpec

from myia.api.under_jax.programs import Linear, Program
from myia.ir.core import Function, Value
from myia.pipeline import (
    Compiled,
    Executable,
    Options,
    OtherAvals,
    Packing,
    Plan,
    Shardings,
    Vectors,
    constrained,
)
from myia.primitives.core.platforms import ANY

call_p, linear_p = Primitive("myia"), Primitive("myia_derivative")
call_p.multiple_results = linear_p.multiple_results = True

CANNOT_CHECK = (
    "`check=True` raises run-time errors, which a function under a transform of JAX (`jax.jit`, "
    "`jax.vmap`, `jax.grad`) cannot: leave it out there"
)
NOT_LINEAR = (
    "JAX takes {0} for linear, and would transpose it: take the derivative (`jax.vjp`, `myia.vjp`)"
)


class UnderJax(Executable):
    """A program as it is called with tracers of JAX's. It is compiled where JAX runs it, or what it
    makes of it."""

    __slots__ = ("program",)

    def __init__(self, function: Function, options: Options, shardings: Shardings):
        self.program = program = Program(function, options)

        def call(*arrays: Any) -> Sequence[Any]:
            given = _typed(function.args, arrays)
            if [x.shape for x in given] != [x.shape for x in function.args]:
                raise OtherAvals
            results = _call(program, constrained(given, shardings.of_arguments))
            return constrained(results, shardings.of_results)

        packing = Packing(Vectors(len(function.args)))
        super().__init__(call, function, packing, False, True, ANY, (), None)
        self._pack = self._pack_hidden = lambda arrays: [*map(_strongly_typed, arrays)]

    def hidden(self, arrays: Sequence[Any], keep: bool = False) -> Sequence[Any]:
        return super().hidden(arrays)  # on the device they would be tracers of this call

    def lower(
        self,
        where: Any = None,
        platforms: tuple[str, ...] | None = None,
        each: Sequence[Any] = (),
    ) -> jax.stages.Lowered:
        return self.program.nested.lower(where, platforms, each)


def compiled_under_jax(function: Function, options: Options, shardings: Shardings) -> Compiled:
    """A typed program for calls with tracers."""
    return Compiled(function, Plan(), UnderJax(function, options, shardings))


def _like(g: Any, t: Any) -> Any:
    """`t` in the dtype of `g`: JAX narrows tangents of NumPy's given to a linearized function."""
    return convert_element_type_p.bind(t, new_dtype=g.dtype, weak_type=False, sharding=None)


def _strongly_typed(x: Any) -> Any:
    """`x` in the mode of the user: a Python float in a weakly typed tracer has 64 bits in ours."""
    return lax.convert_element_type(x, x.dtype) if getattr(x, "weak_type", False) else x


def _typed(like: Sequence[Value], arrays: Sequence[Any]) -> list[Any]:
    """Arguments with the dtypes of these values: numbers of Python's may be among them, and arrays
    of NumPy that JAX takes for ones of 32 bits, but outside of its 64-bit mode only."""
    return [
        x if isinstance(x, jax.Array) else np.asarray(x, arg.dtype)
        for x, arg in zip(arrays, like, strict=True)
    ]


def _call(program: Program, arrays: Sequence[Any]) -> Sequence[Any]:
    given = _varying_alike(_typed(program.function.args, arrays))
    return call_p.bind(*given, program=program)  # type: ignore[no-any-return]


def _apply(linear: Linear, arguments: Sequence[Any], inputs: Sequence[Any]) -> Sequence[Any]:
    """`linear` at these arguments of its program, and the residuals that it has of them."""
    given = _varying_alike(_typed(linear.operands, (*arguments, *inputs)))
    return linear_p.bind(*given, linear=linear)  # type: ignore[no-any-return]


def _varying_alike(arrays: Sequence[Any]) -> Sequence[Any]:
    """Under `jax.shard_map` every array varies along the axes along which one of them does."""
    own = [_varying(jax.typeof(x)) for x in arrays]
    of_all = frozenset[str]().union(*own)
    return [
        lax.pcast(x, tuple(of_all - axes), to="varying") if axes != of_all else x
        for x, axes in zip(arrays, own)
    ]


def _varying(aval: Any) -> frozenset[str]:
    """The axes of `jax.shard_map` along which a value varies."""
    kind = getattr(aval, "manual_axis_type", None)
    axes: frozenset[str] = kind.varying if kind else frozenset()
    return axes


def _results(program: Program, avals: Sequence[Any]) -> list[ShapedArray]:
    """Avals of the results, which vary as these arguments do."""
    like = next((aval for aval in avals if _varying(aval)), None)
    if like is None:
        return [ShapedArray(y.shape, y.dtype) for y in program.function.results]
    return [
        like.update(
            shape=y.shape,
            dtype=y.dtype,
            weak_type=False,
            sharding=like.sharding.update(spec=PartitionSpec(*[None] * len(y.shape))),
        )
        for y in program.function.results
    ]


def _in_64_bits(rule: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(rule)
    def run(*args: Any, **params: Any) -> Any:
        with jax.enable_x64(True):
            return rule(*args, **params)

    return run


# ----- Running


def _run(*arrays: Any, program: Program) -> Sequence[Any]:
    return program.alone(*_typed(program.function.args, arrays))


def _run_linear(*arrays: Any, linear: Linear) -> Sequence[Any]:
    return _run(*linear.read(arrays), program=linear.program)


def _avals(*avals: Any, program: Program) -> tuple[list[ShapedArray], frozenset[Any]]:
    return _results(program, avals), program.effects


def _avals_linear(*avals: Any, linear: Linear) -> list[ShapedArray]:
    return _results(linear.program, avals)


def _lower(ctx: mlir.LoweringRuleContext, *arrays: Any, program: Program) -> Any:
    return _lowered(ctx, arrays, lambda *xs: program.nested(*xs))


def _lower_linear(ctx: mlir.LoweringRuleContext, *arrays: Any, linear: Linear) -> Any:
    return _lowered(ctx, arrays, lambda *xs: linear.program.nested(*linear.read(xs)))


def _lowered(ctx: mlir.LoweringRuleContext, arrays: Sequence[Any], call: Callable[..., Any]) -> Any:
    lower = mlir.lower_fun(call)
    if ctx.dim_var_values:  # sizes, and the platform of several, have the width of the user's mode
        return lower(ctx, *arrays)
    with jax.enable_x64(True):
        return lower(ctx, *arrays)


call_p.def_impl(_run)
linear_p.def_impl(_run_linear)
call_p.def_effectful_abstract_eval(_avals)
linear_p.def_abstract_eval(_avals_linear)
mlir.register_lowering(call_p, _lower)
mlir.register_lowering(linear_p, _lower_linear)


# ----- Results that nothing reads, inside of `jax.jit`


def _without_unread(used: list[bool], eqn: JaxprEqn) -> tuple[list[bool], JaxprEqn | None]:
    if all(used) or (eqn.effects and not any(used)):
        return [True] * len(eqn.invars), eqn
    if not any(used):
        return [False] * len(eqn.invars), None
    read = tuple(i for i, is_used in enumerate(used) if is_used)
    params = {name: made.only(read) for name, made in eqn.params.items()}
    outvars = [eqn.outvars[i] for i in read]
    return [True] * len(eqn.invars), eqn.replace(params=params, outvars=outvars)


dce_rules[call_p] = dce_rules[linear_p] = _without_unread


# ----- Batches


@_in_64_bits
def _batch(arrays: Sequence[Any], axes: Sequence[int | None], *, program: Program) -> Any:
    size, mapped = _sizes(arrays, axes)
    given = [_rows(x, axis) for x, axis in zip(arrays, axes)]
    results = _call(program.batched(size, mapped), given)
    return results, [0] * len(results)


@_in_64_bits
def _batch_linear(arrays: Sequence[Any], axes: Sequence[int | None], *, linear: Linear) -> Any:
    """The inputs are mapped together, so that the map is linear in all of them."""
    size, mapped = _sizes(arrays, axes)
    rows = [_rows(x, axis) for x, axis in zip(arrays, axes)]
    count = linear.given
    inputs = [
        x if given else jnp.broadcast_to(x, (size, *np.shape(x)))
        for x, given in zip(rows[count:], mapped[count:])
    ]
    results = _apply(linear.batched(size, mapped[:count]), rows[:count], inputs)
    return results, [0] * len(results)


def _sizes(arrays: Sequence[Any], axes: Sequence[int | None]) -> tuple[int, tuple[bool, ...]]:
    """How many examples there are, and which arrays have them."""
    size = next(x.shape[axis] for x, axis in zip(arrays, axes) if axis is not None)
    return size, tuple(axis is not None for axis in axes)


def _rows(x: Any, axis: int | None) -> Any:
    return jnp.moveaxis(x, axis, 0) if axis else x


batching.primitive_batchers[call_p] = _batch
batching.primitive_batchers[linear_p] = _batch_linear


# ----- Derivatives


@_in_64_bits
def _jvp(primals: Sequence[Any], tangents: Sequence[Any], *, program: Program) -> Any:
    wrt, of = _active(program, tangents)
    loss = _loss(program, wrt, of)
    if program.origin is not None:
        return _jvp_of_forward(program, program.origin, primals, tangents)
    if wrt and of and any(isinstance(t, JaxprTracer) for t in tangents):
        if loss is not None:
            return _linearized(program, loss, primals, tangents)
        return _with_residuals(program, primals, tangents, wrt, of)
    found = _tangents(program, primals, tangents, wrt, of)  # or it is refused
    return _call(program, primals), found


@_in_64_bits
def _jvp_linear(primals: Sequence[Any], tangents: Sequence[Any], *, linear: Linear) -> Any:
    """It is a function of its arguments, on which its residuals depend, too."""
    count, start = linear.arguments, linear.given
    results = _apply(linear, primals[:start], primals[start:])
    if all(type(t) is ad.Zero for t in tangents[:count]):
        inputs = [*map(ad.instantiate_zeros, tangents[start:])]
        return results, _apply(linear, primals[:start], inputs)
    alone = linear.alone.program
    primals, tangents = ([*xs[:count], *xs[start:]] for xs in (primals, tangents))
    return results, _tangents(alone, primals, tangents, *_active(alone, tangents))


def _active(program: Program, tangents: Sequence[Any]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The arguments that have tangents, and the results: numbers that are no floats have none."""
    wrt = [i for i, t in enumerate(tangents) if _is_float(program.function.args[i].dtype, t)]
    of = [i for i, y in enumerate(program.function.results) if y.dtype.kind in "fc"]
    return tuple(wrt), tuple(of)


def _loss(program: Program, wrt: Sequence[int], of: Sequence[int]) -> int | None:
    """The result whose gradient reverse mode will want: the one real scalar among those that have
    tangents. Beside it a function may return what JAX does not differentiate (`has_aux`)."""
    args, results = program.function.args, program.function.results
    scalars = [i for i in of if not results[i].shape and results[i].dtype.kind == "f"]
    is_real = all(args[i].dtype.kind == "f" for i in wrt)
    is_whole = len(of) == 1 or program.order == 0  # else the scalar comes with its own gradient
    return scalars[0] if wrt and len(scalars) == 1 and is_real and is_whole else None


def _linearized(
    program: Program, loss: int, primals: Sequence[Any], tangents: Sequence[Any]
) -> tuple[list[Any], list[Any]]:
    """The results, and their tangents where these are not known yet: the transpose will be applied
    to them. The value comes from the forward sweep of the gradient."""
    wrt, of = _active(program, tangents)
    found = _call(program.with_gradient(wrt, loss), primals)
    count = len(program.function.results)
    slopes = _varying_alike([*found[count:], *[tangents[i] for i in wrt]])
    along = [jnp.sum(g * _like(g, t)) for g, t in zip(slopes, slopes[len(wrt) :])]
    others = tuple(i for i in of if i != loss)
    of_results = _tangents(program, primals, tangents, wrt, others)
    of_results[loss] = sum(along[1:], along[0]).astype(program.function.results[loss].dtype)
    return [*found[:count]], of_results


def _with_residuals(
    program: Program,
    primals: Sequence[Any],
    tangents: Sequence[Any],
    wrt: tuple[int, ...],
    of: tuple[int, ...],
) -> tuple[list[Any], list[Any]]:
    """The results, and their tangents where these are not known yet: the transpose, which will be
    applied to them, reads what the forward sweep leaves."""
    found = _call(program.forward(wrt, of), primals)
    count = len(program.function.results)
    return [*found[:count]], _tangents(program, primals, tangents, wrt, of, found[count:])


def _jvp_of_forward(
    program: Program, origin: Program, primals: Sequence[Any], tangents: Sequence[Any]
) -> tuple[list[Any], list[Any]]:
    """Of a forward sweep: what reads residuals is differentiated as a function of the arguments."""
    found = _call(program, primals)
    of_results = _tangents(origin, primals, tangents, *_active(origin, tangents))
    residuals = [jax.typeof(x).to_tangent_aval() for x in found[len(of_results) :]]
    return [*found], [*of_results, *map(ad.Zero, residuals)]


def _tangents(
    program: Program,
    primals: Sequence[Any],
    tangents: Sequence[Any],
    wrt: tuple[int, ...],
    of: tuple[int, ...],
    residuals: Sequence[Any] = (),
) -> list[Any]:
    """Those of the results `of`, along those of the arguments `wrt`."""
    results = _results(program, [*map(jax.typeof, primals)])
    found: list[Any] = [ad.Zero(aval.to_tangent_aval()) for aval in results]
    if wrt and of:
        linear = Linear(program, wrt, of, residuals=len(residuals))
        given = [*primals, *residuals]
        for i, t in zip(of, _apply(linear, given, [tangents[i] for i in wrt])):
            found[i] = t
    return found


def _is_float(dtype: np.dtype, tangent: Any) -> bool:
    return dtype.kind in "fc" and type(tangent) is not ad.Zero


@_in_64_bits
def _transpose(cts: Sequence[Any], *primals: Any, linear: Linear) -> list[Any]:
    count = linear.given
    arguments, inputs = primals[:count], primals[count:]
    if any(map(ad.is_undefined_primal, arguments)):
        _refuse_transpose(cts, *arguments, program=linear.of_program)
    wanted = [i for i, x in enumerate(inputs) if ad.is_undefined_primal(x)]
    found: list[Any] = [None] * len(primals)
    if wanted and (given := [i for i, ct in enumerate(cts) if type(ct) is not ad.Zero]):
        transposed = linear.transposed(wanted, given)
        arguments = arguments[: transposed.given]
        for i, ct in zip(wanted, _apply(transposed, arguments, [cts[j] for j in given])):
            found[count + i] = ct
    return found


def _refuse_transpose(cts: Sequence[Any], *arguments: Any, program: Program) -> NoReturn:
    raise TypeError(NOT_LINEAR.format(f"`{program}`"))


ad.primitive_jvps[call_p] = _jvp
ad.primitive_jvps[linear_p] = _jvp_linear
ad.primitive_transposes[call_p] = _refuse_transpose
ad.primitive_transposes[linear_p] = _transpose
