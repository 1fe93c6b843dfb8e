"""Desugaring of `class` inside a function to a call of `primitives/core/desugared.py`.

    @dataclass                     %decorator1.0 = dataclass
    class P(B):                    k%P1 = 2.0
        r: float                   def f%P1(self):
        k = 2.0           ->           return super(%class1, self).f() * k
        def f(self):               %class1 = make_class("P", (B,), {"k": k%P1, "f": f%P1},
            return super().f() * k                       {"r": "float"})
                                   P = %decorator1.0(%class1)

The names of a class are variables of their own: its methods do not see them, as in Python.
"""

from __future__ import annotations

import ast
import itertools

import gast

from myia.frontend import errors
from myia.frontend.core import (
    COMPREHENSIONS,
    FUNCTIONS,
    Block,
    assign,
    constant,
    evaluated_here,
    name,
    parameters,
)
from myia.frontend.rename import mangle
from myia.frontend.scopes import assigned
from myia.frontend.spans import Spans
from myia.primitives.core import desugared
from myia.source.diagnostics import MyiaError

OF_CLASSES = (gast.FunctionDef, gast.Assign, gast.AugAssign, gast.AnnAssign, gast.Expr, gast.Pass)


def remove_classes(tree: gast.AST, spans: Spans) -> gast.AST:
    """`tree` without classes (changed in place)."""
    return _Classes(spans).visit(tree)


class _Classes(gast.NodeTransformer):
    def __init__(self, spans: Spans):
        self.spans = spans
        self.numbers = itertools.count(1)

    def visit_ClassDef(self, node: gast.ClassDef) -> Block:
        node.body = [new for stmt in node.body for new in self.inner(stmt)]
        for stmt in node.body:
            if not isinstance(stmt, OF_CLASSES):
                raise MyiaError(errors.UnsupportedClassBody(self.spans.header(stmt), node.name))
            mangle(stmt, node.name)
        number = next(self.numbers)
        made = f"%class{number}"
        for function in [n for n in gast.walk(node) if isinstance(n, FUNCTIONS)]:
            _name_class(function, made)
        decorators = [f"%decorator{number}.{i}" for i in range(len(node.decorator_list))]
        before = [assign(n, x, x) for n, x in zip(decorators, node.decorator_list)]
        before += _calls_first(node, number)
        body = _Body(node, number, self.spans)
        result: gast.expr = name(made, node)
        for decorator in reversed(decorators):
            result = _call(name(decorator, node), [result], node)
        return [
            *before,
            *body.statements,
            assign(made, body.made(), node),
            assign(node.name, result, node),
        ]

    def inner(self, stmt: gast.stmt) -> Block:
        """A statement of a class without classes in it."""
        found = self.visit(stmt)
        return found if isinstance(found, list) else [found]


def _calls_first(node: gast.ClassDef, number: int) -> Block:
    """Bases and keywords that call something are evaluated before the body."""
    before: Block = []

    def kept(x: gast.expr) -> gast.expr:
        if not any(isinstance(n, gast.Call) for n in gast.walk(x)):
            return x
        title = f"%base{number}.{len(before)}"
        before.append(assign(title, x, x))
        return name(title, x)

    node.bases = [kept(base) for base in node.bases]
    for keyword in node.keywords:
        keyword.value = kept(keyword.value)
    return before


def _call(f: gast.expr, args: list[gast.expr], like: gast.AST) -> gast.Call:
    return gast.copy_location(gast.Call(f, args, []), like)


def _name_class(function: gast.AST, made: str) -> None:
    """`super()` is `super(__class__, self)`, and `__class__` is the class."""
    first = next((p.id for p in parameters(function)), None)
    body = function.body if isinstance(function.body, list) else [function.body]
    pending: list[gast.AST] = list(body)
    while pending:
        node = pending.pop()
        if isinstance(node, gast.Name) and node.id == "__class__":
            node.id = made
        elif first is not None and _is_bare_super(node):
            node.args = [name(made, node), name(first, node)]
        pending += evaluated_here(node)


def _is_bare_super(node: gast.AST) -> bool:
    if not isinstance(node, gast.Call) or node.args or node.keywords:
        return False
    return isinstance(node.func, gast.Name) and node.func.id == "super"


class _Body:
    """The body of a class. `names`: those that it has bound so far, and their variables."""

    def __init__(self, node: gast.ClassDef, number: int, spans: Spans):
        self.node, self.number, self.spans = node, number, spans
        self.names: dict[str, str] = {}
        self.annotations: dict[str, str] = {}
        self.own = set(assigned(*node.body))
        self.statements: Block = []
        for stmt in node.body:
            self.add(stmt)

    def add(self, stmt: gast.stmt) -> None:
        if isinstance(stmt, gast.Pass) or _is_text(stmt):
            return
        if isinstance(stmt, gast.AnnAssign) and isinstance(stmt.target, gast.Name):
            self.annotations[stmt.target.id] = _text(stmt.annotation)
            if stmt.value is None:
                return
            stmt = gast.copy_location(gast.Assign([stmt.target], stmt.value, None), stmt)
        self.rename(stmt)
        bound = [stmt.name] if isinstance(stmt, gast.FunctionDef) else []
        for node in _evaluated(stmt):
            if isinstance(node, gast.Name) and isinstance(node.ctx, gast.Store):
                bound.append(node.id)
                node.id = self.variable(node.id)
        if isinstance(stmt, gast.FunctionDef):
            stmt.name = self.variable(stmt.name)
        self.names |= {old: self.variable(old) for old in bound}
        self.statements.append(stmt)

    def variable(self, id: str) -> str:
        return id if "%" in id else f"{id}%{self.node.name}{self.number}"

    def rename(self, stmt: gast.stmt) -> None:
        """The names that are read."""
        for node in _evaluated(stmt):
            if not isinstance(node, gast.Name):
                continue
            if node.id not in self.own:
                node.is_free = True  # a variable of the function around: `Frame.is_free`
                continue
            is_read = not isinstance(node.ctx, gast.Store)
            if isinstance(stmt, gast.AugAssign) and node is stmt.target:
                is_read = True
            if is_read and node.id not in self.names:
                found = errors.UnboundInClass(self.spans.of(node), node.id, self.node.name)
                raise MyiaError(found)
            if not isinstance(node.ctx, gast.Store):
                node.id = self.names[node.id]

    def made(self) -> gast.expr:
        like = self.node
        bases = gast.copy_location(gast.Tuple(list(like.bases), gast.Load()), like)
        own = {n: name(v, like) for n, v in self.names.items() if "%" not in n}
        members = _dict(own, like)
        annotations = _dict({n: constant(t, like) for n, t in self.annotations.items()}, like)
        function, text = constant(desugared.make_class, like), constant(like.name, like)
        made = _call(function, [text, bases, members, annotations], like)
        made.keywords = list(like.keywords)
        return made


def _dict(items: dict[str, gast.expr], like: gast.AST) -> gast.expr:
    keys = [constant(key, like) for key in items]
    return gast.copy_location(gast.Dict(keys, list(items.values())), like)


def _is_text(stmt: gast.stmt) -> bool:
    return isinstance(stmt, gast.Expr) and isinstance(stmt.value, gast.Constant)


def _text(annotation: gast.expr) -> str:
    return ast.unparse(ast.fix_missing_locations(gast.gast_to_ast(gast.Expression(annotation))))


def _evaluated(node: gast.AST) -> list[gast.AST]:
    """What is evaluated in the scope of a class: of a comprehension its first iterable."""
    if isinstance(node, COMPREHENSIONS):
        return _evaluated(node.generators[0].iter)
    return [node, *(n for child in evaluated_here(node) for n in _evaluated(child))]
