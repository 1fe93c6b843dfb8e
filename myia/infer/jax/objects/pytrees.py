"""Objects of JAX's libraries in signatures: how they are flattened, and put together again.

    a jax.Array                            a leaf, which is immutable
    a random key                           opaque: its words
    a module, a state, a frozen dict, ...  opaque: the leaves that JAX finds in it (a *pytree*)
    another object of such a library       a constant, which is assumed not to change

An object belongs to a library when its class, or a base of its class, does. Tuples, lists and dicts
are Python's, whoever defines their class.
"""

from __future__ import annotations

import inspect
import types
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import jax
import jax.extend.core

from myia.infer.boundary.instances import is_state, state_of
from myia.infer.boundary.signature import (
    PREDICATES,
    Flattener,
    Identity,
    Node,
    add_constant,
    array_of_jax,
    device_array,
)
from myia.infer.domain.values import Opaque
from myia.infer.registry import TRACED_PACKAGES, is_traced, top_package

_EXTEND: Any = jax.extend.core  # its stub lacks a function


@dataclass(frozen=True, slots=True)
class PyTree:
    """The structure of an object of class `cls` that JAX can flatten."""

    treedef: Any
    cls: type

    @property
    def is_tree(self) -> bool:
        return True

    def unflatten(self, parts: Sequence[Any]) -> Any:
        return jax.tree_util.tree_unflatten(self.treedef, parts)


@dataclass(frozen=True, slots=True)
class RandomKey:
    """The structure of random keys of the generator `impl`; the one leaf is an array of words."""

    impl: str
    cls: type = jax.Array

    @property
    def is_tree(self) -> bool:
        return False

    def unflatten(self, parts: Sequence[Any]) -> Any:
        return jax.random.wrap_key_data(parts[0], impl=self.impl)


def is_device_class(cls: Any) -> bool:
    return cls is jax.Array


def is_key(x: Any) -> bool:
    return jax.numpy.issubdtype(x.dtype, jax.dtypes.prng_key)


def class_attribute(x: Opaque, name: str) -> Any:
    """The class attribute `name` of `x`; None if there is none, or if the instance has its own."""
    own = x.structure.unflatten(x.parts) if isinstance(x.structure, PyTree) else None
    if name in getattr(own, "__dict__", ()):
        return None
    return inspect.getattr_static(x.structure.cls, name, None)


def is_user_function(found: Any) -> bool:
    """A function, method or property that the user wrote."""
    if isinstance(found, (staticmethod, classmethod)):
        found = found.__func__
    if isinstance(found, property):
        found = found.fget
    ours = top_package(found) == "myia"  # our classes in the role of a library's (`at_updates`)
    return isinstance(found, types.FunctionType) and not (ours or is_traced(found))


def snapshot(x: Any) -> Any:
    """A picture of the mutable state in `x`: two snapshots are equal if nothing was changed."""
    if isinstance(x, (tuple, list)):
        return (type(x), *map(snapshot, x))
    if isinstance(x, dict):
        return (type(x), *x, *map(snapshot, x.values()))
    if _is_pytree(x):
        leaves, treedef = jax.tree_util.tree_flatten(x)
        return (treedef, *map(Identity, leaves))
    if not is_library_object(x) and is_state(x):
        return (type(x), *((n, snapshot(value)) for n, value in state_of(x).items()))
    return Identity(x)


# ----- Rules of signatures


def _flatten_key(flat: Flattener, x: jax.Array) -> Any:
    words = flat.add(jax.random.key_data(x))
    return Node("opaque", RandomKey(str(jax.random.key_impl(x))), (), (words,))


def _flatten_tracer(flat: Flattener, x: jax.core.Tracer) -> Any:
    if is_key(x):
        return _flatten_key(flat, x)
    # This decides how a program is emitted, not what it means.
    compiled = _EXTEND.unsafe_am_i_under_a_jit_DO_NOT_USE()
    return array_of_jax(flat, x, "traced" if compiled else "transformed")


def _flatten_pytree(flat: Flattener, x: Any) -> Any:
    leaves, treedef = jax.tree_util.tree_flatten(x)
    parts = tuple([add_constant(flat, leaf) for leaf in leaves])
    return Node("opaque", PyTree(treedef, type(x)), (), parts)


def is_library_object(x: Any) -> bool:
    """An object whose class, or a base of whose class, is of one of `TRACED_PACKAGES`."""
    if isinstance(x, (tuple, list, dict)):
        return False
    return any(top_package(cls) in TRACED_PACKAGES for cls in type(x).__mro__)


def _is_pytree(x: Any) -> bool:
    return is_library_object(x) and not jax.tree_util.all_leaves([x])


PREDICATES[:0] = [
    (lambda x: isinstance(x, jax.core.Tracer), _flatten_tracer),
    (lambda x: isinstance(x, jax.Array) and is_key(x), _flatten_key),
    (lambda x: isinstance(x, jax.Array), device_array),
    (lambda x: isinstance(x, jax.ShapeDtypeStruct), array_of_jax),
    (_is_pytree, _flatten_pytree),
    (is_library_object, lambda flat, x: Identity(x)),
]
