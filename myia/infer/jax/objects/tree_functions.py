"""`jax.tree.map` and its relatives: run at compile time, on trees whose leaves are abstract values.

    jax.tree.map(lambda p, g: p - rate * g, params, grads)

These functions only flatten and rebuild trees, which needs no tracing. The functions that they are
given are the user's, and are compiled.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jax
import numpy as np

from myia.infer.boundary import arguments
from myia.infer.boundary.recipes import Recipe
from myia.infer.boundary.signature import RULES, Flattener, Leaf
from myia.infer.domain.context import Context
from myia.infer.domain.errors import BadValue
from myia.infer.domain.heap import BufferObject
from myia.infer.domain.values import (
    EQUAL_BY_VALUE,
    Abstract,
    Closure,
    Method,
    Opaque,
    Partial,
    PyFunction,
    Ref,
    Scalar,
    Static,
    is_none,
)
from myia.infer.jax.objects.pytrees import RandomKey
from myia.infer.jax.objects.tracer_arguments import TracerArguments
from myia.infer.registry import function

TREE_FUNCTIONS: tuple[Callable, ...] = (
    *(jax.tree.leaves, jax.tree.flatten, jax.tree.unflatten, jax.tree.structure),
    *(jax.tree.leaves_with_path, jax.tree.transpose),
    *(jax.tree_util.tree_leaves, jax.tree_util.tree_flatten, jax.tree_util.tree_unflatten),
    *(jax.tree_util.tree_structure, jax.tree_util.tree_transpose),
)
FUNCTIONS_OF_CALLBACK_AND_TREES: tuple[Callable, ...] = (
    *(jax.tree.map, jax.tree.map_with_path, jax.tree.reduce),
    *(jax.tree_util.tree_map, jax.tree_util.tree_map_with_path, jax.tree_util.tree_reduce),
)


class AbstractLeaf:
    """A leaf of a tree: an abstract value."""

    __slots__ = ("value",)

    def __init__(self, value: Abstract) -> None:
        self.value = value


class TreeArguments(TracerArguments):
    """Rebuilds trees with an `AbstractLeaf` for each leaf."""

    def recipe(self, x: Abstract) -> Recipe:
        x = self.ctx.force(x)
        key = isinstance(x, Opaque) and isinstance(x.structure, RandomKey)
        if key or isinstance(x, LEAF_TYPES) or self.ctx.is_array(x):
            held = AbstractLeaf(x)
            return lambda n, o: held
        return super().recipe(x)

    def object(self, x: Ref) -> Recipe:
        """A list that grew in a loop is a node like any list: its length must be a constant."""
        if not isinstance(self.ctx.contents(x), BufferObject):
            return super().object(x)
        items = [self.recipe(item) for item in self.ctx.list_items(x)]
        return lambda n, o: [item(n, o) for item in items]

    def check(self, f: Any) -> None:
        """Functions in trees are not called, so the user's are accepted too."""

    def tree(self, x: Abstract) -> Any:
        return self.recipe(x)((), ())

    def run(self, f: Callable, *args: Any, **kwargs: Any) -> Abstract:
        """The result of `f`, a function on trees."""
        try:
            result = f(*args, **kwargs)
        except (TypeError, ValueError) as e:
            message = str(e).splitlines()[0]
            self.ctx.fail(BadValue, message=message, exception=type(e).__name__)
        return abstract_tree(self.ctx, result)


LEAF_TYPES = (Scalar, Closure, PyFunction, Partial, Method)


def callback(ctx: Context, f: Abstract) -> Callable:
    """`f` as a Python function from trees to a tree."""

    def call(*args: Any) -> Any:
        result = ctx.call(f, [abstract_tree(ctx, x) for x in args], {})
        return result.value if isinstance(result, Static) else AbstractLeaf(result)

    return call


def abstract_tree(ctx: Context, x: Any) -> Abstract:
    """The inverse of `TreeArguments.recipe`."""
    flat = Flattener()
    signature = flat.add(x)
    leaves = [leaf.value if isinstance(leaf, AbstractLeaf) else leaf for leaf in flat.leaves]
    return arguments.abstract(ctx, signature, arguments.ResultLeaves(leaves), None)


def _flatten_abstract_leaf(flat: Flattener, x: AbstractLeaf) -> Any:
    flat.leaves.append(x)
    return _LEAF_SIGNATURE


_LEAF_SIGNATURE = Leaf("held", np.dtype(object))
RULES[AbstractLeaf] = _flatten_abstract_leaf
EQUAL_BY_VALUE.append(type(jax.tree.structure(0)))


def _register(f: Callable, functions: int) -> None:
    """Register `f`, which takes `functions` callbacks before its trees."""

    @function(f)
    def handler(ctx: Context, *args: Abstract, **kwargs: Abstract) -> Abstract:
        trees = TreeArguments(ctx, f"jax.tree.{f.__name__}")
        called = [callback(ctx, x) for x in args[:functions]]
        keywords = {
            k: callback(ctx, x) if k == "is_leaf" and not is_none(x) else trees.tree(x)
            for k, x in kwargs.items()
        }
        return trees.run(f, *called, *map(trees.tree, args[functions:]), **keywords)


for _f in TREE_FUNCTIONS:
    _register(_f, 0)
for _f in FUNCTIONS_OF_CALLBACK_AND_TREES:
    _register(_f, 1)
