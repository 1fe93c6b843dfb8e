"""Objects of JAX and its libraries: what they are to signatures, and how they are put together.

    a jax.Array                            a leaf, which is immutable
    a random key                           opaque: the words that it consists of
    a module, a state, a frozen dict, ...  opaque: the leaves that JAX finds in it (a *pytree*)
    another object of such a library       itself, taken to stay as it is

An object is of a library when its class, or a base of its class, is. Tuples, lists and dicts are
Python's, whoever defines their class.
"""

from __future__ import annotations

import inspect
import types
from dataclasses import dataclass
from typing import Any

import jax
from jax.extend.core import unsafe_am_i_under_a_jit_DO_NOT_USE

from myia.infer.boundary.signature import (
    PREDICATES,
    Constant,
    Flattener,
    Identity,
    Node,
    attribute_names,
    device_array,
    device_struct,
    is_state,
    traced_array,
)
from myia.infer.domain.values import Opaque
from myia.infer.registry import TRACED_PACKAGES, is_traced, top_package


@dataclass(frozen=True, slots=True)
class PyTree:
    """An object of class `cls` that JAX can take apart."""

    treedef: Any
    cls: type

    def unflatten(self, parts):
        return jax.tree_util.tree_unflatten(self.treedef, parts)


@dataclass(frozen=True, slots=True)
class RandomKey:
    """An array of random keys of the generator `impl`; its one part is an array of words."""

    impl: str
    cls: type = jax.Array

    def unflatten(self, parts):
        return jax.random.wrap_key_data(parts[0], impl=self.impl)


def is_device_class(cls: Any) -> bool:
    return cls is jax.Array


def is_key(x: Any) -> bool:
    return jax.dtypes.issubdtype(x.dtype, jax.dtypes.prng_key)


def class_attribute(x: Opaque, name: str) -> Any:
    """What the class of `x` has under `name`, unless `x` has an attribute of its own; or None."""
    own = x.structure.unflatten(x.parts) if isinstance(x.structure, PyTree) else None
    if name in getattr(own, "__dict__", ()):
        return None
    return inspect.getattr_static(x.structure.cls, name, None)


def is_user_function(found: Any) -> bool:
    """A function, method or property in a class that is not a library's."""
    if isinstance(found, (staticmethod, classmethod)):
        found = found.__func__
    if isinstance(found, property):
        found = found.fget
    ours = top_package(found) == "myia"  # what stands for a class of a library's
    return isinstance(found, types.FunctionType) and not (ours or is_traced(found))


def snapshot(x: Any) -> Any:
    """What could be changed in `x`: snapshots are equal when nothing was."""
    if isinstance(x, (tuple, list)):
        return (type(x), *map(snapshot, x))
    if isinstance(x, dict):
        return (type(x), *x, *map(snapshot, x.values()))
    if _is_pytree(x):
        leaves, treedef = jax.tree_util.tree_flatten(x)
        return (treedef, *map(Identity, leaves))
    if not is_library_object(x) and is_state(x):
        return (type(x), *((n, snapshot(getattr(x, n))) for n in attribute_names(x)))
    return Identity(x)


# ----- Rules of signatures


def _key(flat: Flattener, x: jax.Array):
    words = flat.add(jax.random.key_data(x))
    return Node("opaque", RandomKey(str(jax.random.key_impl(x))), (), (words,))


def _traced(flat: Flattener, x: jax.core.Tracer):
    if is_key(x):
        return _key(flat, x)
    # How we emit a program hangs on this, and not what it means: `jax.vmap` alone runs it as it is.
    compiled = unsafe_am_i_under_a_jit_DO_NOT_USE()
    return traced_array(flat, x) if compiled else device_array(flat, x)


def _pytree(flat: Flattener, x: Any):
    leaves, treedef = jax.tree_util.tree_flatten(x)
    parts = tuple([_part(flat, leaf) for leaf in leaves])
    return Node("opaque", PyTree(treedef, type(x)), (), parts)


def _part(flat: Flattener, x: Any):
    """Libraries tell by the values of Python's numbers what to do (`if rate == 0.0`)."""
    return Constant(x, repr(x)) if type(x) in (float, complex) else flat.add(x)


def _itself(flat: Flattener, x: Any):
    return Identity(x)


def is_library_object(x: Any) -> bool:
    """An object, of a class or of a class made from one of the packages `TRACED_PACKAGES`."""
    if isinstance(x, (tuple, list, dict)):
        return False
    return any(top_package(cls) in TRACED_PACKAGES for cls in type(x).__mro__)


def _is_pytree(x: Any) -> bool:
    return is_library_object(x) and not jax.tree_util.all_leaves([x])


PREDICATES[:0] = [
    (lambda x: isinstance(x, jax.core.Tracer), _traced),
    (lambda x: isinstance(x, jax.Array) and is_key(x), _key),
    (lambda x: isinstance(x, jax.Array), device_array),
    (lambda x: isinstance(x, jax.ShapeDtypeStruct), device_struct),
    (_is_pytree, _pytree),
    (is_library_object, _itself),
]
