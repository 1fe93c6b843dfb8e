"""Which callables of libraries are staged as they are, which mean something of their own here."""

from __future__ import annotations

import types
from typing import Any

from myia.infer.context import Context
from myia.infer.errors import Unsupported
from myia.infer.registry import STAGED, top_package
from myia.infer.staging.calls import call_staged
from myia.infer.values import Abstract, Partial, Static

# Functions that give another function: what is staged is the call of that function.
MAPS = {"vmap", "filter_vmap", "named_call", "vectorize"}
# Functions that give a function which computes the same.
SAME = {"jit", "filter_jit", "checkpoint", "remat", "filter_checkpoint"}
DERIVATIVES = {
    "custom_jvp": "myia.custom_jvp",
    "custom_vjp": "myia.custom_vjp",
    "filter_custom_jvp": "myia.custom_jvp",
    "filter_custom_vjp": "myia.custom_vjp",
    "filter_grad": "myia.grad",
    "filter_hessian": "myia.hessian",
    "filter_jacfwd": "myia.jacfwd",
    "filter_jacrev": "myia.jacrev",
    "filter_jvp": "myia.jvp",
    "filter_value_and_grad": "myia.value_and_grad",
    "filter_vjp": "myia.vjp",
    "grad": "myia.grad",
    "hessian": "myia.hessian",
    "jacfwd": "myia.jacfwd",
    "jacobian": "myia.jacrev",
    "jacrev": "myia.jacrev",
    "jvp": "myia.jvp",
    "linear_transpose": "myia.vjp",
    "linearize": "myia.jvp",
    "value_and_grad": "myia.value_and_grad",
    "vjp": "myia.vjp",
    "_GradWrapper": "myia.grad",
    "_ValueAndGradWrapper": "myia.value_and_grad",
}


def call_library(ctx: Context, f: Any, args: tuple, kwargs: dict) -> Abstract:
    """`f(*args, **kwargs)` for an `f` of one of the packages `STAGED`."""
    name = origin(f)
    whole = f"{top_package(f)}.{name}" if top_package(f) in STAGED else name
    if name in DERIVATIVES and not getattr(f, "__myia_staged__", False):
        ctx.fail(
            Unsupported,
            what=f"`{whole}` in compiled code",
            label_text="derivatives are taken by the adjoint that this package derives",
            help_text=f"use `{DERIVATIVES[name]}`",
        )
    if name in SAME and args and f.__name__ == name:
        return args[0]
    if name in MAPS and args and f.__name__ == name:
        return Partial(_call_mapped, (*args, *kwargs.values()), (f, len(args), *kwargs))
    return call_staged(ctx, f, args, kwargs, whole)


def origin(f: Any) -> str:
    """The public function that `f` is or was made by: `vmap`, for `jax.vmap(g)`."""
    code = getattr(f, "__code__", None)
    if isinstance(code, types.CodeType):
        return code.co_qualname.split(".<locals>")[0]
    return getattr(f, "__qualname__", None) or type(f).__qualname__


def _call_mapped(ctx: Context, partial: Partial, args: tuple, kwargs: dict) -> Abstract:
    """`vmap(f, **options)(*args, **kwargs)`"""
    transform, count, *names = partial.meta
    given = Static((transform, count, tuple(names), tuple(kwargs)))
    operands = (*partial.items, *kwargs.values(), *args)
    return call_staged(ctx, _apply_mapped, (given, *operands), {}, transform.__name__)


def _apply_mapped(form: tuple, *operands: Any) -> Any:
    transform, count, options, keywords = form
    first, rest = operands[:count], operands[count:]
    named = dict(zip(options, rest))
    rest = rest[len(options) :]
    given = dict(zip(keywords, rest))
    return transform(*first, **named)(*rest[len(keywords) :], **given)
