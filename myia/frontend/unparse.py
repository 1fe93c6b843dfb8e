"""The printer of core Python, for `F.ir(*args)["core"]` and tests. The text is never compiled.

It is Python, with two exceptions:

    %value, %returned, %break       generated flags and values; no user can write `%`
    for x in xs, while test:        a `for` that stops early: the test precedes each iteration

Comprehension variables have the user's names again. Docstrings are left out.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from io import StringIO

import gast
from astunparse import Unparser

from myia.frontend.core import is_generated, user_name


def to_text(tree: gast.AST) -> str:
    """Core Python, with or without jumps, as text. It changes `tree`: print last, or a copy."""
    node = gast.gast_to_ast(_FromCore().visit(tree))
    out = StringIO()
    _Printer(node, out)
    return out.getvalue().strip("\n") + "\n"


class _FromCore(gast.NodeTransformer):
    """Core Python to gast. A `for` keeps its test in `type_comment`, which is otherwise None."""

    def visit_Name(self, node):
        self.generic_visit(node)
        node.id = node.id if is_generated(node.id) else user_name(node.id)
        return node

    def visit_FunctionDef(self, node):
        self.generic_visit(node)
        node.body = [stmt for stmt in node.body if not _is_docstring(stmt)] or [gast.Pass()]
        return node

    def visit_If(self, node):
        self.generic_visit(node)
        return gast.If(node.test, node.body or [gast.Pass()], node.orelse)

    def visit_Loop(self, node):
        self.generic_visit(node)
        body = node.body or [gast.Pass()]
        if node.iter is None:
            return gast.While(node.test, body, node.orelse)
        return gast.For(node.target, node.iter, body, node.orelse, node.test)


def _is_docstring(stmt: gast.stmt) -> bool:
    return isinstance(stmt, gast.Expr) and isinstance(stmt.value, gast.Constant)


class _Printer(Unparser):
    """Without blank lines, and without the parentheses that precedence makes superfluous."""

    def __init__(self, tree: ast.AST, out: StringIO):
        self.bare = {child for node in ast.walk(tree) for child in _bare_children(node)}
        if isinstance(tree, ast.Lambda):
            self.bare.add(tree)
        super().__init__(tree, out)

    def dispatch(self, tree):
        if isinstance(tree, ast.expr) and tree in self.bare:
            self.write(self._text(tree)[1:-1])
        else:
            super().dispatch(tree)

    def _text(self, tree: ast.AST) -> str:
        outside, self.f = self.f, StringIO()
        super().dispatch(tree)
        text, self.f = self.f.getvalue(), outside
        return text

    def _block(self, stmts: list[ast.stmt]) -> None:
        self.enter()
        self.dispatch(stmts)
        self.leave()

    def _FunctionDef(self, t):
        for decorator in t.decorator_list:
            self.fill("@")
            self.dispatch(decorator)
        self.fill(f"def {t.name}({self._text(t.args)})")
        if t.returns is not None:
            self.write(f" -> {self._text(t.returns)}")
        self._block(t.body)

    def _For(self, t):
        self.fill("for ")
        self.dispatch(t.target)
        self.write(" in ")
        self.dispatch(t.iter)
        if t.type_comment is not None:
            self.write(", while ")
            self.dispatch(t.type_comment)
        self._block(t.body)
        if t.orelse:
            self.fill("else")
            self._block(t.orelse)

    def _UnaryOp(self, t):
        self.write("(not " if isinstance(t.op, ast.Not) else f"({self.unop[type(t.op).__name__]}")
        self.dispatch(t.operand)
        self.write(")")

    def _Attribute(self, t):  # astunparse reads `Constant.n`, which Python 3.14 has no longer
        self.dispatch(t.value)
        is_int = isinstance(t.value, ast.Constant) and isinstance(t.value.value, int)
        self.write(f" .{t.attr}" if is_int else f".{t.attr}")

    def _Lambda(self, t):
        parameters = self._text(t.args)
        self.write(f"(lambda {parameters}: " if parameters else "(lambda: ")
        self.dispatch(t.body)
        self.write(")")


# ----- Parentheses: astunparse writes a pair around each of these expressions

OPERATORS = (
    (ast.IfExp, ast.Lambda),
    (ast.Or,),
    (ast.And,),
    (ast.Not,),
    (ast.Compare,),
    (ast.BitOr,),
    (ast.BitXor,),
    (ast.BitAnd,),
    (ast.LShift, ast.RShift),
    (ast.Add, ast.Sub),
    (ast.Mult, ast.MatMult, ast.Div, ast.FloorDiv, ast.Mod),
    (ast.UAdd, ast.USub, ast.Invert),
    (ast.Pow,),
)
PRECEDENCE = {kind: i for i, kinds in enumerate(OPERATORS) for kind in kinds}

# Fields that take any operation without parentheses, and fields that take a tuple, too.
FIELDS_OF_EXPRESSIONS = {
    ast.AnnAssign: ("value",),
    ast.Assert: ("test", "msg"),
    ast.AugAssign: ("value",),
    ast.Call: ("args",),
    ast.DictComp: ("key", "value"),
    ast.For: ("iter", "type_comment"),
    ast.GeneratorExp: ("elt",),
    ast.If: ("test",),
    ast.Lambda: ("body",),
    ast.List: ("elts",),
    ast.ListComp: ("elt",),
    ast.Raise: ("exc",),
    ast.Set: ("elts",),
    ast.SetComp: ("elt",),
    ast.Tuple: ("elts",),
    ast.While: ("test",),
    ast.arguments: ("defaults", "kw_defaults"),
    ast.keyword: ("value",),
}
FIELDS_OF_TUPLES = {
    ast.Assign: ("targets", "value"),
    ast.Expr: ("value",),
    ast.For: ("target",),
    ast.Return: ("value",),
    ast.Subscript: ("slice",),
    ast.comprehension: ("target",),
}


def _bare_children(node: ast.AST) -> Iterator[ast.expr]:
    """The children of `node` that are printed without the parentheses around them."""
    for child, least in _operands(node):
        if _precedence(child) >= least:
            yield child
    for fields in (FIELDS_OF_EXPRESSIONS, FIELDS_OF_TUPLES):
        for child in _children(node, fields.get(type(node), ())):
            is_tuple = isinstance(child, ast.Tuple) and child.elts and fields is FIELDS_OF_TUPLES
            if is_tuple or _precedence(child) >= 0:
                yield child
    if isinstance(node, ast.Call) and len(node.args) == 1 and not node.keywords:
        yield from (arg for arg in node.args if isinstance(arg, ast.GeneratorExp))


def _children(node: ast.AST, fields: tuple[str, ...]) -> Iterator[ast.expr]:
    for field in fields:
        value = getattr(node, field)
        yield from value if isinstance(value, list) else [value]


def _precedence(node: ast.AST | None) -> int:
    """The precedence of an operation; -1 for other nodes."""
    return PRECEDENCE.get(type(getattr(node, "op", node)), -1)


def _operands(node: ast.AST) -> Iterator[tuple[ast.expr, int]]:
    """The operands of an operation, each with the precedence from which it needs no parentheses."""
    own = _precedence(node)
    if isinstance(node, ast.BinOp):
        is_power = isinstance(node.op, ast.Pow)
        yield node.left, own + is_power
        yield node.right, PRECEDENCE[ast.USub] if is_power else own + 1
    elif isinstance(node, ast.UnaryOp):
        yield node.operand, own
    elif isinstance(node, ast.BoolOp):
        yield from ((value, own + 1) for value in node.values)
    elif isinstance(node, ast.Compare):
        yield from ((value, own + 1) for value in (node.left, *node.comparators))
    elif isinstance(node, ast.IfExp):
        yield from ((node.body, own + 1), (node.test, own + 1), (node.orelse, own))
