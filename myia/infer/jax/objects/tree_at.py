"""`equinox.tree_at`: the replaced part of a tree is found by running `where` on marked leaves.

    eqx.tree_at(lambda m: m.layers[0].weight, model, weight)

`where` is the user's function, and is compiled like the rest. It is given the tree with a distinct
string in place of each leaf; the strings in its result say which nodes are replaced.
"""

from __future__ import annotations

from collections.abc import Sequence
from types import ModuleType
from typing import Any

import jax
from jax.tree_util import DictKey, GetAttrKey, SequenceKey, tree_flatten_with_path

from myia.infer.domain.context import Context
from myia.infer.domain.values import NONE, Abstract, Static, is_none
from myia.infer.jax.objects.tree_functions import (
    AbstractLeaf,
    TreeArguments,
    abstract_tree,
    callback,
)
from myia.infer.registry import function, when_imported
from myia.infer.unsupported import UnsupportedJax


@when_imported("equinox")
def _register(equinox: ModuleType) -> None:
    @function(equinox.tree_at)
    def handler(
        ctx: Context,
        where: Abstract,
        pytree: Abstract,
        *replace: Abstract,
        is_leaf: Abstract = NONE,
        **options: Abstract,
    ) -> Abstract:
        if not is_none(is_leaf):
            ctx.fail(UnsupportedJax, what="`is_leaf=` of `equinox.tree_at`")
        trees = TreeArguments(ctx, "equinox.tree_at")
        tree = trees.tree(pytree)
        chosen = _SelectedNodes(ctx, trees, where, tree)
        given = {
            n: callback(ctx, x) if n == "replace_fn" else trees.tree(x) for n, x in options.items()
        }
        return trees.run(equinox.tree_at, chosen, tree, *map(trees.tree, replace), **given)


class _SelectedNodes:
    """The nodes that `where` selects, as a function of any tree with the structure of `tree`."""

    def __init__(self, ctx: Context, trees: TreeArguments, where: Abstract, tree: Any) -> None:
        leaves, structure = jax.tree.flatten(tree)
        marks = [f"leaf {i}" for i in range(len(leaves))]
        self.marked = jax.tree.unflatten(structure, marks)
        held = jax.tree.unflatten(structure, [AbstractLeaf(Static(mark)) for mark in marks])
        self.found = trees.tree(ctx.call(where, [abstract_tree(ctx, held)], {}))
        paths, _ = tree_flatten_with_path(self.marked)
        self.paths = {mark: path for path, mark in paths}

    def __call__(self, tree: Any) -> Any:
        path = self.path_to(self.found)
        if path is not None:
            return _follow_path(tree, path)
        paths = [path for node in self.found if (path := self.path_to(node)) is not None]
        if len(paths) < len(self.found):
            raise ValueError("`where` does not specify an element or elements of `pytree`.")
        return tuple(_follow_path(tree, path) for path in paths)

    def path_to(self, node: Any) -> Sequence | None:
        """The path to the node of the tree that has the marks and the structure of `node`."""
        marks, structure = jax.tree.flatten(node)
        path = self.paths.get(marks[0], ()) if marks else ()
        for length in range(len(path) + 1):
            there = _follow_path(self.marked, path[:length])
            if jax.tree.flatten(there) == (marks, structure):
                return path[:length]
        return None


def _follow_path(tree: Any, path: Sequence) -> Any:
    for key in path:
        if isinstance(key, GetAttrKey):
            tree = getattr(tree, key.name)
        elif isinstance(key, SequenceKey):
            tree = tree[key.idx]
        elif isinstance(key, DictKey):
            tree = tree[key.key]
        else:
            raise TypeError(
                f"{type(tree).__name__} does not say by what names its parts are reached"
            )
    return tree
