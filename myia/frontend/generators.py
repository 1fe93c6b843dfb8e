"""Generators: which functions they are, and generator expressions as functions that yield.

    g = (f(x) for x in xs if c)      ->      g = %generator(xs)
                                             def %generator(%iter):
                                                 for x in %iter:
                                                     if c:
                                                         yield f(x)

The argument of a call that takes all items at once, such as `sum`, stays an expression: it is a
loop in the function that it is written in (`lower_expr.py`). Other calls may take the items later,
or only some of them, and change what they are made of meanwhile:

    for i, y in enumerate(f(x) for x in xs):
        xs[i + 1] = y
"""

from __future__ import annotations

import gast

from myia.frontend.core import (
    Block,
    body_of,
    if_,
    name,
    walk_here,
)

# What takes all items at once: functions, modules of functions, methods.
TAKES_ALL = {"bytes", "Counter", "deque", "dict", "frozenset", "list", "max", "min", "OrderedDict"}
TAKES_ALL |= {"set", "sorted", "sum", "tuple", "fsum", "prod"}
TAKES_ALL_IN = {"np", "numpy", "math", "jnp", "statistics"}
METHODS = {"extend", "extendleft", "join", "update", "union", "intersection", "difference"}
METHODS |= {"append", "insert", "writelines", "from_iter", "fromkeys"}

ITERABLE = "%iter"  # the parameter of the function of a generator expression


def is_generator(function: gast.AST) -> bool:
    """Does a function yield?"""
    return yields(body_of(function))


def yields(stmts: Block) -> bool:
    """Is there a `yield` in these statements of a function?"""
    kinds = (gast.Yield, gast.YieldFrom)
    return any(isinstance(n, kinds) for stmt in stmts for n in walk_here(stmt))


def is_lazy(node: gast.GeneratorExp, parent: gast.AST | None) -> bool:
    """May the items of a generator expression be taken later, or only some of them?"""
    if not isinstance(parent, gast.Call) or node is parent.func:
        return True
    module, function = _path(parent.func)
    if module is None:
        return function not in TAKES_ALL
    return module not in TAKES_ALL_IN and function not in METHODS | TAKES_ALL


def _path(f: gast.AST) -> tuple[str | None, str | None]:
    """The name that an attribute is reached from, if any, and the last name."""
    if isinstance(f, gast.Name):
        return None, f.id
    root = f
    while isinstance(root, gast.Attribute):
        root = root.value
    named = isinstance(f, gast.Attribute) and isinstance(root, gast.Name)
    return (root.id, f.attr) if named else ("", None)


class GeneratorFunction(gast.Lambda):
    """The function of a generator expression; its body is a block."""


def lazy_generators_to_functions(tree: gast.AST) -> gast.AST:
    """`tree` with its lazy generator expressions as calls of functions (changed in place)."""
    return _ToFunctions().visit(tree)


class _ToFunctions(gast.NodeTransformer):
    def __init__(self) -> None:
        self.parent: gast.AST | None = None

    def generic_visit(self, node: gast.AST) -> gast.AST:
        around, self.parent = self.parent, node
        super().generic_visit(node)
        self.parent = around
        return node

    def visit_GeneratorExp(self, node: gast.GeneratorExp) -> gast.expr:
        lazy = is_lazy(node, self.parent)
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
