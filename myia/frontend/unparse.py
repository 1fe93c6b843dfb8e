"""The printer of core Python, for `F.ir(*args)["core"]` and tests. The text is never compiled.

It is Python, with two exceptions:

    %value, %returned, %break       generated flags and values; no user can write `%`
    for x in xs, while test:        a `for` that stops early: the test precedes each iteration

Comprehension variables have the user's names again. Docstrings are left out.
"""

from __future__ import annotations

import ast

import gast

from myia.frontend.core import Loop, is_generated, user_name


def to_text(tree: gast.AST) -> str:
    """Core Python, with or without jumps, as text. It changes `tree`: print last, or a copy."""
    lines = _text(_FromCore().visit(tree)).splitlines()
    return "\n".join(line for line in lines if line) + "\n"


def _text(tree: gast.AST) -> str:
    return ast.unparse(ast.fix_missing_locations(gast.gast_to_ast(tree)))


class _FromCore(gast.NodeTransformer):
    """Core Python to gast, from the inside out. A name may be any text: `xs, while test`."""

    def visit_Name(self, node: gast.Name) -> gast.Name:
        self.generic_visit(node)
        node.id = node.id if is_generated(node.id) else user_name(node.id)
        return node

    def visit_Constant(self, node: gast.Constant) -> gast.expr:
        """A constant; the function of a desugared statement by its name."""
        if not callable(node.value):
            return node
        return gast.Name(node.value.__name__, gast.Load(), None, None)

    def visit_FunctionDef(self, node: gast.FunctionDef) -> gast.FunctionDef:
        self.generic_visit(node)
        node.name = node.name if is_generated(node.name) else user_name(node.name)
        node.body = [stmt for stmt in node.body if not _is_docstring(stmt)] or [gast.Pass()]
        return node

    def visit_If(self, node: gast.If) -> gast.If:
        self.generic_visit(node)
        return gast.If(node.test, node.body or [gast.Pass()], node.orelse)

    def visit_Loop(self, node: Loop) -> gast.For | gast.While:
        self.generic_visit(node)
        body, items = node.body or [gast.Pass()], node.iter
        if items is None:
            return gast.While(node.test, body, node.orelse)
        if node.test is not None:
            text = f"{_text(items)}, while {_text(node.test)}"
            items = gast.Name(text, gast.Load(), None, None)
        return gast.For(node.target, items, body, node.orelse, None)


def _is_docstring(stmt: gast.stmt) -> bool:
    return isinstance(stmt, gast.Expr) and isinstance(stmt.value, gast.Constant)
