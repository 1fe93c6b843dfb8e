"""Objects of JAX's libraries in compiled code: their attributes, methods and items.

A method that the user wrote, in a class derived from a library's, is compiled like any function of
the user's. A method of the library is traced. Attributes are looked up on the object itself, which
is put together again from its leaves.
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

KEY_METHODS = ("__len__", "__getitem__")  # the class of JAX's arrays does not have them


def special_method(x: Opaque, name: str) -> Partial | None:
    """The library's method that an operator calls; None if there is none."""
    of_key = isinstance(x.structure, RandomKey) and name in KEY_METHODS
    return method(x, name) if of_key or callable(class_attribute(x, name)) else None


def attribute(ctx: Context, x: Opaque, name: str) -> Abstract:
    """`x.name`: an array that `x` holds stays the same object."""
    return call_traced(ctx, getattr, (x, Static(name)), {}, _method_name(x, name), alias=True)


def method(x: Opaque, name: str) -> Partial:
    """The library's method `x.name`."""
    return Partial(call_method, (x,), name)


def call_method(ctx: Context, partial: Partial, args: tuple, kwargs: dict) -> Abstract:
    x, name = partial.items[0], partial.meta
    assert isinstance(x, Opaque)
    if x.structure is AT:
        return subscript(x, *args)
    refuse_derivatives(ctx, x.structure.cls, x.structure.cls.__name__)
    return call_traced(ctx, _call, (Static(name), x, *args), kwargs, _method_name(x, name))


def _call(name: str, x: Any, *args: Any, **kwargs: Any) -> Any:
    return getattr(x, name)(*args, **kwargs)


REBUILD_PARTIAL[call_method] = lambda name: lambda x: getattr(x, name)


def _method_name(x: Opaque, name: str) -> str:
    """The name of a method in error messages."""
    return f"{x.structure.cls.__name__}.{name}"
