"""Objects of libraries in compiled code: their attributes, methods and items.

A method that the user wrote (in a class made from a library's) is read like any function of his; a
library's is staged. What the object holds is looked up on the object itself, put together again.
"""

from __future__ import annotations

from typing import Any

from myia.infer.domain.context import Context
from myia.infer.domain.values import Abstract, Opaque, Partial, Static
from myia.infer.jax.objects.at_updates import AT, subscript
from myia.infer.jax.objects.calls import call_traced
from myia.infer.jax.objects.dispatch import refuse_derivatives
from myia.infer.jax.objects.pytrees import RandomKey, class_attribute
from myia.infer.jax.objects.tracer_arguments import REBUILD_PARTIAL

OF_KEYS = ("__len__", "__getitem__")  # which the class of JAX's arrays does not tell


def special_method(x: Opaque, name: str) -> Partial | None:
    """The library's method that an operator calls; None if there is none."""
    known = isinstance(x.structure, RandomKey) and name in OF_KEYS
    return method(x, name) if known or callable(class_attribute(x, name)) else None


def attribute(ctx: Context, x: Opaque, name: str) -> Abstract:
    """`x.name`, of what `x` holds: an array is the very one in `x`."""
    return call_traced(ctx, getattr, (x, Static(name)), {}, _called(x, name), alias=True)


def method(x: Opaque, name: str) -> Partial:
    """The library's method `x.name`."""
    return Partial(call_method, (x,), name)


def call_method(ctx: Context, partial: Partial, args: tuple, kwargs: dict) -> Abstract:
    (x,) = partial.items
    name = partial.meta
    if x.structure is AT:
        return subscript(x, *args)
    refuse_derivatives(ctx, x.structure.cls, x.structure.cls.__name__)
    return call_traced(ctx, _call, (Static(name), x, *args), kwargs, _called(x, name))


def _call(name: str, x: Any, *args: Any, **kwargs: Any) -> Any:
    return getattr(x, name)(*args, **kwargs)


REBUILD_PARTIAL[call_method] = lambda name: lambda x: getattr(x, name)


def _called(x: Opaque, name: str) -> str:
    """As errors name it."""
    return f"{x.structure.cls.__name__}.{name}"
