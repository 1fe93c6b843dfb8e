"""Renaming of comprehension variables and private names: one variable per name and function.

Comprehension variables, which have a scope of their own:

    [x * y for x in x]        ->        [x%1 * y for x%1 in x]

Private names inside a class, as Python's compiler spells them:

    self.__n                  ->        self._Counter__n
"""

from __future__ import annotations

import itertools

import gast

from myia.frontend.core import (
    COMPREHENSIONS,
    FUNCTIONS,
    body_of,
    evaluated_here,
    items_of,
    parameters,
    variables,
)
from myia.frontend.scopes import assigned

# ----- Comprehension variables


def rename_comprehension_variables(tree: gast.AST) -> None:
    """Give each variable of each comprehension in `tree` a name of its own (in place)."""
    _Renamer(itertools.count(1)).visit(tree, {})


class _Renamer:
    def __init__(self, numbers: itertools.count[int]):
        self.numbers = numbers

    def visit(self, node: gast.AST, names: dict[str, str]) -> None:
        if isinstance(node, gast.Name):
            node.id = names.get(node.id, node.id)
        elif isinstance(node, FUNCTIONS):
            self._visit_function(node, names)
        elif isinstance(node, COMPREHENSIONS):
            self._visit_comprehension(node, names)
        else:
            for child in gast.iter_child_nodes(node):
                self.visit(child, names)

    def _visit_function(self, node: gast.AST, names: dict[str, str]) -> None:
        for child in evaluated_here(node):
            self.visit(child, names)
        own = {p.id for p in parameters(node)} | set(assigned(*body_of(node)))
        inner = {old: new for old, new in names.items() if old not in own}
        for child in node.body if isinstance(node.body, list) else [node.body]:
            self.visit(child, inner)

    def _visit_comprehension(self, node: gast.AST, names: dict[str, str]) -> None:
        first, *rest = node.generators
        self.visit(first.iter, names)  # evaluated outside the comprehension's scope
        targets = dict.fromkeys(variables(*node.generators))
        inner = names | {name: f"{name}%{next(self.numbers)}" for name in targets}
        for child in (first.target, *first.ifs):
            self.visit(child, inner)
        for generator in rest:
            self.visit(generator, inner)
        for item in items_of(node):
            self.visit(item, inner)


# ----- Private names


def mangle_private_names(tree: gast.AST, qualname: str) -> None:
    """Mangle private names as Python does in the class that encloses `qualname` (in place)."""
    cls = _enclosing_class(qualname)
    if cls is not None:
        mangle(tree, cls)


def mangle(tree: gast.AST, cls: str) -> None:
    """Mangle private names as Python does in the class `cls` (in place).

    The keywords of calls are left alone, as Python leaves them.
    """
    if not cls.strip("_"):
        return
    prefix = "_" + cls.lstrip("_")
    for node in gast.walk(tree):
        for field in ("id", "attr", "name"):
            word = getattr(node, field, None)
            if isinstance(word, str) and word.startswith("__") and not word.endswith("__"):
                setattr(node, field, prefix + word)
        if isinstance(node, (gast.Nonlocal, gast.Global)):
            node.names = [
                prefix + n if n.startswith("__") and not n.endswith("__") else n for n in node.names
            ]


def _enclosing_class(qualname: str) -> str | None:
    """`A.f.<locals>.g` lies in A: a part is a function when `<locals>` follows it."""
    parts = qualname.split(".")
    for part, after in reversed(list(itertools.pairwise(parts))):
        if part != "<locals>" and after != "<locals>":
            return part
    return None
