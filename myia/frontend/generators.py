"""Generators: which functions they are, and generator expressions as functions that yield.

    g = (f(x) for x in xs if c)      ->      g = %generator(xs)
                                             def %generator(%iter):
                                                 for x in %iter:
                                                     if c:
                                                         yield f(x)

The argument of a call other than `next` is consumed there. Such an expression stays one: it is a
loop in the function that it is written in (`lower_expr.py`). The arguments of `enumerate`, `zip`
and their like, over which a loop runs, are functions:

    for i, y in enumerate(f(x) for x in xs):
        xs[i + 1] = y
"""

from __future__ import annotations

import gast

from myia.frontend.core import (
    Block,
    body_of,
    has_walrus,
    if_,
    name,
    walk_here,
)

# Calls of which the items are taken one by one, and with them those of their arguments.
LAZY = {"enumerate", "zip", "map", "filter", "iter", "chain", "islice", "takewhile", "dropwhile"}
LAZY |= {"accumulate", "pairwise", "starmap", "filterfalse"}
# What is called by these names changes no argument.
PURE = {"abs", "bool", "complex", "divmod", "float", "int", "isinstance", "len", "max", "min"}
PURE |= {"pow", "print", "range", "round", "sum", *LAZY}
PURE_MODULES = {"itertools", "np", "numpy", "math", "cmath"}

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


def taken_with(loop: gast.For) -> set[gast.GeneratorExp]:
    """The generator expressions over which a loop runs through calls, as functions.

    `zip` takes one of them. Of several, none is a function if the body cannot change what they
    read; else they are, and refused.
    """
    found, calls = set[gast.GeneratorExp](), [loop.iter]
    while calls:
        call = calls.pop()
        if _is_lazy_call(call):
            calls += call.args
            found |= {x for x in call.args if isinstance(x, gast.GeneratorExp)}
    if any(map(has_walrus, found)):
        return set()
    read = {n.id for x in found for n in gast.walk(x) if isinstance(n, gast.Name)}
    body = [n for stmt in loop.body for n in gast.walk(stmt)]
    return found if len(found) == 1 or any(_may_change(n, read) for n in body) else set()


def _may_change(node: gast.AST, names: set[str]) -> bool:
    """May it change the variables of these names, or an object?"""
    if isinstance(node, gast.Expr):  # a value that nobody uses: `np.copyto(x, y)`
        is_print = isinstance(node.value, gast.Call) and _path(node.value.func) == (None, "print")
        return not is_print and not isinstance(node.value, gast.Constant)
    if isinstance(node, gast.Call):
        return not _is_pure(node)
    if isinstance(node, gast.Name):
        return node.id in names and not isinstance(node.ctx, gast.Load)
    stored = isinstance(node, (gast.Subscript, gast.Attribute))
    return stored and not isinstance(node.ctx, gast.Load)


def _is_pure(call: gast.Call) -> bool:
    """Is it known by its name to change no argument?"""
    module, function = _path(call.func)
    known = module in PURE_MODULES or (module is None and function in PURE)
    return known and all(k.arg not in (None, "out") for k in call.keywords)


def _is_lazy_call(node: gast.AST) -> bool:
    if not isinstance(node, gast.Call):
        return False
    module, function = _path(node.func)
    return module in (None, "itertools") and function in LAZY


def _path(f: gast.AST) -> tuple[str | None, str | None]:
    """The name that an attribute is reached from, if any, and the last name; None: no names."""
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
        self.taken_with_loops: set[gast.GeneratorExp] = set()

    def visit_For(self, node: gast.For) -> gast.AST:
        self.taken_with_loops |= taken_with(node)
        return self.generic_visit(node)

    def generic_visit(self, node: gast.AST) -> gast.AST:
        around, self.parent = self.parent, node
        super().generic_visit(node)
        self.parent = around
        return node

    def visit_GeneratorExp(self, node: gast.GeneratorExp) -> gast.expr:
        lazy = is_lazy(node, self.parent) or node in self.taken_with_loops
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
