"""Which callables of JAX's libraries are traced, and which have a meaning of their own here.

jax.vmap(f)(x)     the call of the mapped function is traced, not the call of `vmap`
jax.jit(f)         f itself
jax.grad(f)        refused: derivatives are ours
optax.adam(rate)   traced
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax

from myia.infer.domain.context import Context
from myia.infer.domain.values import Abstract, Partial, PyFunction
from myia.infer.jax.objects.calls import call_traced
from myia.infer.jax.objects.tracer_arguments import REBUILD_PARTIAL, functions_in, rebuild_call
from myia.infer.registry import TRACED_PACKAGES, is_traced, top_package
from myia.infer.unsupported import UnsupportedJax

# Functions that return another function: the call of that function is traced.
FUNCTION_TRANSFORMS = {"vmap", "filter_vmap", "named_call", "vectorize"}
# Functions that return a function which computes the same.
IDENTITY_TRANSFORMS = {"jit", "filter_jit", "checkpoint", "remat", "filter_checkpoint"}
_SAME = (
    *("custom_jvp", "custom_vjp", "grad", "hessian", "jacfwd", "jacrev", "jvp", "vjp"),
    "value_and_grad",
)
DERIVATIVES = {
    **{name: f"myia.{name}" for name in _SAME},
    **{f"filter_{name}": f"myia.{name}" for name in _SAME},
    "jacobian": "myia.jacrev",
    "linear_transpose": "myia.vjp",
    "linearize": "myia.jvp",
    "_GradWrapper": "myia.grad",
    "_ValueAndGradWrapper": "myia.value_and_grad",
}


def call_library(ctx: Context, f: Any, args: tuple, kwargs: dict) -> Abstract:
    """`f(*args, **kwargs)` for an `f` of one of the packages `TRACED_PACKAGES`."""
    name = getattr(f, "__name__", type(f).__name__)
    refuse_derivatives(ctx, f, name)
    if name in IDENTITY_TRANSFORMS and args:
        return args[0]
    if name in FUNCTION_TRANSFORMS and args:
        return Partial(_call_transformed, (*args, *kwargs.values()), (f, len(args), *kwargs))
    whole = f"{top_package(f)}.{name}" if top_package(f) in TRACED_PACKAGES else name
    return call_traced(ctx, f, args, kwargs, whole, calls=top_package(f) == "jax")


def call_marked_for_tracing(ctx: Context, f: PyFunction, args: tuple, kwargs: dict) -> Abstract:
    """Call a function that the user marked by `myia.staged`, with its closure."""
    return call_traced(ctx, _apply, (f, *args), kwargs, f.function.__name__)


def refuse_derivatives(ctx: Context, f: Any, name: str) -> None:
    """Refuse JAX's differentiating transforms, and functions that they made (`g = jax.grad(f)`)."""
    made_by = [g.__code__.co_qualname.split(".")[0] for g in functions_in(f) if g is not f]
    wrapper = type(f).__name__ if type(f).__name__.startswith("_") else name
    for origin in (name, wrapper, *made_by):
        if origin in DERIVATIVES:
            ctx.fail(
                UnsupportedJax,
                what=f"a derivative taken by JAX (`{origin.strip('_')}`) in compiled code",
                help_text=f"use `{DERIVATIVES[origin]}`, which derives the adjoint itself",
            )


def _call_transformed(ctx: Context, partial: Partial, args: tuple, kwargs: dict) -> Abstract:
    """`vmap(f, **options)(*args, **kwargs)`"""
    name = partial.meta[0].__name__
    return call_traced(ctx, _apply, (partial, *args), kwargs, name, calls=True)


REBUILD_PARTIAL[_call_transformed] = rebuild_call


def _apply(f: Callable, *args: Any, **kwargs: Any) -> Any:
    return f(*args, **kwargs)


def function_under_jit(f: Any) -> Any:
    """The user's function in `jax.jit(f)`, or None."""
    wrapped = getattr(f, "__wrapped__", None) if isinstance(f, _JIT_TYPE) else None
    return None if wrapped is None or is_traced(wrapped) else wrapped


_JIT_TYPE = type(jax.jit(len))
