"""Generators: which functions they are, and generator expressions as functions that yield.

    g = (f(x) for x in xs if c)      ->      g = %generator(xs)
                                             def %generator(%iter):
                                                 for x in %iter:
                                                     if c:
                                                         yield f(x)

The argument of a call other than `next` is consumed there. Such an expression stays one: it is a
loop in the function that it is written in (`lower_expr.py`).
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
    return isinstance(parent.func, gast.Name) and parent.func.id == "next"


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
