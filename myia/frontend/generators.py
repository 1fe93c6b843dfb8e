"""Generators: which functions they are, and generator expressions as functions that yield.

    g = (f(x) for x in xs if c)      ->      g = %generator(xs)
                                             def %generator(%iter):
                                                 for x in %iter:
                                                     if c:
                                                         yield f(x)

The argument of a call that takes all items before it does anything else, such as `sum`, stays an
expression: it is a loop in the function that it is written in (`lower_expr.py`). So which function
is called must be known, and its other arguments must do nothing. Other calls may take the items
later, or only some of them, and change what they are made of meanwhile:

    for i, y in enumerate(f(x) for x in xs):
        xs[i + 1] = y
    xs.extend(xs[-1] * x for x in range(3))
"""

from __future__ import annotations

import builtins
import collections
import types
from typing import Any

import gast
import numpy as np

from myia.frontend.core import (
    Block,
    body_of,
    if_,
    name,
    walk_here,
)

# What takes all items before it does anything else.
TAKES_ALL = {bytes, dict, frozenset, list, max, min, set, sorted, sum, tuple}
TAKES_ALL |= {collections.Counter, collections.OrderedDict, collections.deque}
TAKES_ALL_IN = {"math", "statistics", "numpy", "jax"}  # modules: all that their functions take
CALLS_BETWEEN = {"key": (max, min), "count": (np.fromiter,)}  # keywords with which they do not
MAKE_ARRAYS = {"array", "asarray", "empty", "ones", "ones_like", "zeros", "zeros_like"}

ITERABLE = "%iter"  # the parameter of the function of a generator expression


def is_generator(function: gast.AST) -> bool:
    """Does a function yield?"""
    return yields(body_of(function))


def yields(stmts: Block) -> bool:
    """Is there a `yield` in these statements of a function?"""
    kinds = (gast.Yield, gast.YieldFrom)
    return any(isinstance(n, kinds) for stmt in stmts for n in walk_here(stmt))


def takes_all(f: Any) -> bool:
    """Does the function take all items of its argument before it does anything else?"""
    if any(f is g for g in TAKES_ALL):
        return True
    module = getattr(f, "__module__", None)
    in_module = isinstance(module, str) and module.partition(".")[0] in TAKES_ALL_IN
    return in_module and not isinstance(f, type)


Path = tuple[str, ...]  # ("np", "linalg", "norm")


def found(path: Path, namespace: dict[str, Any]) -> Any:
    """The object that a path leads to, from a global name or a builtin through modules; or None."""
    here = namespace.get(path[0], vars(builtins).get(path[0]))
    for attribute in path[1:]:
        here = vars(here).get(attribute) if isinstance(here, types.ModuleType) else None
    return here


class Names:
    """Whether the functions that a function calls by names of its module take all items."""

    def __init__(self, fn: types.FunctionType) -> None:
        self.globals = fn.__globals__
        self.local = {*fn.__code__.co_freevars}
        self.answers: dict[Path, bool] = {}

    def add_names_in(self, tree: gast.AST) -> None:
        names = [n for n in gast.walk(tree) if isinstance(n, gast.Name)]
        self.local |= {n.id for n in names if not isinstance(n.ctx, gast.Load)}
        self.local |= {n.name for n in gast.walk(tree) if isinstance(n, gast.FunctionDef)}

    def find(self, node: gast.AST) -> Any:
        """The object that the names of an expression lead to; None: that is not known."""
        path = _path(node)
        if path is None or path[0] in self.local:
            return None
        f = found(path, self.globals)
        self.answers[path] = takes_all(f)
        return f


def are_as_before(answers: dict[Path, bool], namespace: dict[str, Any]) -> bool:
    """Has `takes_all` the same answers in this namespace?"""
    return all(takes_all(found(path, namespace)) is known for path, known in answers.items())


def _path(node: gast.AST) -> Path | None:
    if isinstance(node, gast.Attribute):
        before = _path(node.value)
        return None if before is None else (*before, node.attr)
    return (node.id,) if isinstance(node, gast.Name) else None


def is_lazy(node: gast.GeneratorExp, parent: gast.AST | None, names: Names) -> bool:
    """May the items of a generator expression be taken later, or only some of them?"""
    if not isinstance(parent, gast.Call) or node not in parent.args:
        return True
    if any(isinstance(n, gast.Name) and n.id == "next" for n in gast.walk(node)):
        return True  # what it raises at its end is a RuntimeError in a generator
    f = names.find(parent.func)
    given = [*(x for x in parent.args if x is not node), *(k.value for k in parent.keywords)]
    between = any(f is g for k in parent.keywords for g in CALLS_BETWEEN.get(k.arg, ()))
    if between or not all(_does_nothing(x, names) for x in given):
        return True
    return not (takes_all(f) or _joins(parent.func))


def _joins(f: gast.AST) -> bool:
    """Is it `"text".join`?"""
    is_text = isinstance(f, gast.Attribute) and isinstance(f.value, gast.Constant)
    return is_text and isinstance(f.value.value, str) and f.attr == "join"


def _does_nothing(node: gast.AST, names: Names) -> bool:
    """Is it a value that takes no call, or a new array?"""
    if isinstance(node, gast.Call):
        f = names.find(node.func)
        if getattr(f, "__name__", None) not in MAKE_ARRAYS or not takes_all(f):
            return False
    return all(_does_nothing(n, names) for n in gast.iter_child_nodes(node) if n is not node) and (
        isinstance(node, (*SIMPLE, gast.Call, gast.operator, gast.unaryop, gast.expr_context))
    )


SIMPLE = (gast.Constant, gast.Name, gast.Attribute, gast.Tuple, gast.UnaryOp, gast.keyword)


class GeneratorFunction(gast.Lambda):
    """The function of a generator expression; its body is a block."""


def lazy_generators_to_functions(tree: gast.AST, names: Names) -> gast.AST:
    """`tree` with its lazy generator expressions as calls of functions (changed in place)."""
    names.add_names_in(tree)
    return _ToFunctions(names).visit(tree)


class _ToFunctions(gast.NodeTransformer):
    def __init__(self, names: Names) -> None:
        self.names = names
        self.parent: gast.AST | None = None

    def generic_visit(self, node: gast.AST) -> gast.AST:
        around, self.parent = self.parent, node
        super().generic_visit(node)
        self.parent = around
        return node

    def visit_GeneratorExp(self, node: gast.GeneratorExp) -> gast.expr:
        lazy = is_lazy(node, self.parent, self.names)
        self.generic_visit(node)
        return _call(node) if lazy else node


def _call(node: gast.GeneratorExp) -> gast.Call:
    first = node.generators[0].iter
    node.generators[0].iter = name(ITERABLE, node)
    item = gast.copy_location(gast.Yield(node.elt), node.elt)
    body: Block = [gast.copy_location(gast.Expr(item), node.elt)]
    for part in reversed(node.generators):
        for test in reversed(part.ifs):
            body = [if_(test, body, [], test)]
        body = [gast.copy_location(gast.For(part.target, part.iter, body, [], None), part.target)]
    parameter = gast.Name(ITERABLE, gast.Param(), None, None)
    arguments = gast.arguments([parameter], [], None, [], [], None, [])
    function = gast.copy_location(GeneratorFunction(arguments, body), node)
    return gast.copy_location(gast.Call(function, [first], []), node)
