"""Scopes: the kind of variable of each name, by Python's rules.

    local      an SSA value of the function
    cell       a local that an inner function reads or assigns: shared, so a cell
    captured   a cell of a compiled function around this one
    free       a variable of a Python closure around the outermost compiled function
    global     a name of the module, or a builtin

Comprehension variables have been renamed (`rename.py`), so functions are the only scopes.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import gast

from myia.frontend.core import (
    COMPREHENSIONS,
    FUNCTIONS,
    body_of,
    is_generated,
    parameters,
    walk_here,
)
from myia.frontend.generators import GeneratorFunction


@dataclass(eq=False)
class Scope:
    """The names of one function. `captured` are in the order of the function's cell arguments."""

    node: gast.AST
    parameters: tuple[str, ...]
    locals: set[str]  # with the parameters
    used: dict[str, None]  # read or assigned here, in order
    nonlocals: set[str]
    globals: set[str]  # declared so
    children: dict[gast.AST, Scope] = field(default_factory=dict)
    cells: set[str] = field(default_factory=set)
    captured: tuple[str, ...] = ()
    free: frozenset[str] = frozenset()
    walrus: set[str] = field(default_factory=set)  # assigned by `:=`

    def kind(self, name: str) -> str:
        if name in self.globals:
            return "global"
        if name in self.cells:
            return "cell"
        if name in self.captured:
            return "captured"
        if name in self.locals or is_generated(name):
            return "local"
        return "free" if name in self.free else "global"

    def is_value(self, name: str) -> bool:
        """Is `name` a plain SSA value here?"""
        return self.kind(name) == "local"


def scopes(function: gast.AST, free: frozenset[str]) -> Scope:
    """The scope of `function` and, as its children, of the functions inside it.

    `free` are the names of the Python closure around `function`.
    """
    scope = _collect(function)
    _resolve(scope, frozenset(), free)
    return scope


# ----- Bottom up: the names of each function


def _collect(node: gast.AST) -> Scope:
    own = tuple(p.id for p in parameters(node))
    scope = Scope(node, own, set(own), {}, set(), set())
    for stmt in body_of(node):
        for part in walk_here(stmt):
            _note(scope, part)
    if isinstance(node, GeneratorFunction):
        scope.nonlocals |= scope.walrus
    scope.locals -= scope.nonlocals | scope.globals
    return scope


def _note(scope: Scope, node: gast.AST) -> None:
    if isinstance(node, gast.Name):
        scope.used[node.id] = None
        if isinstance(node.ctx, (gast.Store, gast.Del)):
            scope.locals.add(node.id)
    elif isinstance(node, gast.Nonlocal):
        scope.nonlocals.update(node.names)
        scope.used.update(dict.fromkeys(node.names))
    elif isinstance(node, gast.Global):
        scope.globals.update(node.names)
    elif isinstance(node, gast.NamedExpr):
        scope.walrus.add(node.target.id)
    elif isinstance(node, FUNCTIONS):
        child = scope.children[node] = _collect(node)
        if isinstance(node, GeneratorFunction):  # it assigns the variables of the function around
            scope.walrus |= child.walrus
            scope.locals |= child.walrus
        if isinstance(node, gast.FunctionDef):
            scope.locals.add(node.name)


def _unresolved(scope: Scope) -> dict[str, None]:
    """The names that `scope`, or a function inside it, reads from outside."""
    names = dict(scope.used)
    for child in scope.children.values():
        names.update(_unresolved(child))
    return {name: None for name in names if name not in scope.locals | scope.globals}


# ----- Top down: the kind of the names from outside


def _resolve(scope: Scope, visible: frozenset[str], free: frozenset[str]) -> None:
    """`visible`: the variables of the compiled functions around `scope`."""
    visible, free = visible - scope.globals, free - scope.globals
    scope.free = free
    scope.captured = tuple(name for name in _unresolved(scope) if name in visible)
    inner = visible | scope.locals
    for child in scope.children.values():
        _resolve(child, inner, free)
        scope.cells.update(name for name in child.captured if name in scope.locals)


# ----- The names that code assigns


def assigned(*parts: gast.AST) -> Iterator[str]:
    """The names that `parts` bind in their scope, without comprehension variables."""
    inside: set[gast.AST] = set()
    for node in (node for part in parts for node in walk_here(part)):
        if isinstance(node, COMPREHENSIONS):
            inside.update(n for g in node.generators for n in gast.walk(g.target))
        elif isinstance(node, gast.FunctionDef):
            yield node.name
        elif _is_stored(node) and node not in inside:
            yield node.id


def _is_stored(node: gast.AST) -> bool:
    return isinstance(node, gast.Name) and isinstance(node.ctx, (gast.Store, gast.Del))
