"""Desugaring of `with` and `import` to calls of `primitives/core/desugared.py`; context functions.

    with E as t:                   %context = E
        body              ->       t = enter(%context)
                                   %inside = True
                                   try:
                                       try:
                                           body
                                       except caught_by(%context):
                                           %inside = False
                                           if not exit_with(%context, caught()):
                                               raise
                                   finally:
                                       if %inside:
                                           leave(%context)

(Another target than a name is assigned in the inner `try`: the context sees what that raises.)

    import a.b                     a = import_module("a.b", True)
    from m import x as y  ->       y = import_from("m", "x")

    assert x, y           ->       if False:                        under `python -O`
                                       assert x, y

A function under `contextlib.contextmanager` is cut in two at its `yield`:

    def scaled(k):                 def scaled(k):
        old = k.scale                  old = k.scale
        try:                           def %leave():
            yield 2        ->              k.scale = old
        finally:                       return 2, %leave
            k.scale = old                  def %raised(%error):
        print(k)                               k.scale = old
                                           return 2, %leave, %raised

(`%leave` prints, too.) An exception that nothing catches ends the program, whose arguments are then
as they were: what leaving the context does then is not seen.
"""

from __future__ import annotations

import copy
import importlib.util
import itertools
from collections.abc import Callable, Iterator
from typing import Any

import gast

from myia.frontend import errors
from myia.frontend.core import Block, assign, constant, name, parameters
from myia.frontend.scopes import assigned
from myia.frontend.spans import Spans
from myia.primitives.core import desugared
from myia.source.diagnostics import MyiaError

NEW_SCOPES = (gast.FunctionDef, gast.ClassDef, gast.Lambda)


def skip_assertions(tree: gast.AST) -> gast.AST:
    """`tree` whose assertions are not run; the names that they assign are still local."""
    return _Skipped().visit(tree)


class _Skipped(gast.NodeTransformer):
    def visit_Assert(self, node: gast.Assert) -> gast.stmt:
        return gast.copy_location(gast.If(constant(False, node), [node], []), node)


def desugar_statements(tree: gast.AST, package: str | None) -> gast.AST:
    """`tree` without `with` and `import`; `package`: of the module, for relative imports."""
    return _Statements(package).visit(tree)


class _Statements(gast.NodeTransformer):
    def __init__(self, package: str | None):
        self.package = package
        self.numbers = itertools.count(1)

    # ----- Contexts

    def visit_With(self, node: gast.With) -> Block:
        self.generic_visit(node)
        body = node.body
        for item in reversed(node.items):
            body = self.inside(item, body)
        return body

    def inside(self, item: gast.withitem, body: Block) -> Block:
        """`body` in one context."""
        like, number = item.context_expr, next(self.numbers)
        context, inside = f"%context{number}", f"%inside{number}"
        entered = _call(desugared.enter, [name(context, like)], like)
        target = item.optional_vars
        if target is None:
            first: gast.stmt = gast.Expr(entered)
        elif isinstance(target, gast.Name):
            first = gast.Assign([target], entered, None)
        else:  # a store that may raise: the context sees its exception
            given = f"%given{number}"
            first = assign(given, entered, like)
            store = gast.Assign([target], name(given, like), None)
            body = [gast.copy_location(store, target), *body]

        gast.copy_location(first, like)
        left = gast.Expr(_call(desugared.leave, [name(context, like)], like))
        leave = gast.If(name(inside, like), [gast.copy_location(left, like)], [])
        entering = assign(inside, constant(True, like), like)
        handler = gast.copy_location(_exit_with(context, inside, like), like)
        within = gast.copy_location(gast.Try(body, [handler], [], []), body[0])
        ends = gast.Try([within], [], [], [gast.copy_location(leave, like)])
        return [assign(context, like, like), first, entering, gast.copy_location(ends, body[0])]

    # ----- Imports

    def visit_Import(self, node: gast.Import) -> Block:
        done: Block = []
        for alias in node.names:
            args: list[Any] = [alias.name] if alias.asname else [alias.name, True]
            bound = alias.asname or alias.name.partition(".")[0]
            done.append(_import(desugared.import_module, args, bound, node))
        return done

    def visit_ImportFrom(self, node: gast.ImportFrom) -> Block:
        module = node.module or ""
        if node.level:
            module = importlib.util.resolve_name("." * node.level + module, self.package)
        return [
            _import(desugared.import_from, [module, a.name], a.asname or a.name, node)
            for a in node.names
        ]


def _exit_with(context: str, inside: str, like: gast.AST) -> gast.ExceptHandler:
    """The handler of a context that may catch an exception."""
    error = _call(desugared.caught, [], like)
    caught = _call(desugared.exit_with, [name(context, like), error], like)
    again = gast.copy_location(gast.Raise(None, None), like)
    test = gast.copy_location(gast.UnaryOp(gast.Not(), caught), like)
    unless_caught = gast.copy_location(gast.If(test, [again], []), like)
    left = assign(inside, constant(False, like), like)
    classes = _call(desugared.caught_by, [name(context, like)], like)
    return gast.ExceptHandler(classes, None, [left, unless_caught])


def _import(function: Callable, args: list[Any], bound: str, like: gast.AST) -> gast.stmt:
    call = _call(function, [constant(x, like) for x in args], like)
    return assign(bound, call, like)


def _call(function: Callable, args: list[gast.expr], like: gast.AST) -> gast.Call:
    return gast.copy_location(gast.Call(constant(function, like), args, []), like)


# ----- Functions under `contextlib.contextmanager`


def is_context_function(tree: gast.AST) -> bool:
    decorators = getattr(tree, "decorator_list", ())
    return any(_last_name(d) == "contextmanager" for d in decorators)


def cut_context_function(tree: gast.FunctionDef, spans: Spans) -> gast.FunctionDef:
    """A function under `contextmanager`, cut in two (in place)."""
    stmts = _flattened(tree.body)
    is_handled = any(_is_handled(stmt) for stmt in stmts)
    if is_handled:
        stmts = _flattened(tree.body, handled=True)
    found = [i for i, stmt in enumerate(stmts) if _is_yield(stmt)]
    raised = [] if is_handled else _where_raised(tree.body)
    if len(found) != 1 or _jumps([*stmts[: found[0]], *raised]) or _yields(stmts) != 1:
        raise MyiaError(errors.UnsupportedContextFunction(spans.header(tree), tree.name))
    at = stmts[found[0]]
    before, after = stmts[: found[0]], stmts[found[0] + 1 :]
    value = at.value.value or constant(None, at)
    given: Block = []  # of the `yield`
    if isinstance(at, gast.Assign):
        given = [gast.copy_location(gast.Assign(at.targets, constant(None, at), None), at)]
    if is_handled:
        error = gast.copy_location(gast.Raise(name("%error", at), None), at)
        caught = gast.copy_location(gast.Return(constant(True, at)), at)
        raised = [*_from_yield(copy.deepcopy(tree.body), [error]), caught]
        _return_true(raised)
        after = _from_yield(tree.body, given)
    else:
        after = [*given, *after]
    shared = {p.id for p in parameters(tree)} | set(assigned(*before))
    ends = [
        _end("%leave", [], after, shared, at),
        _end(desugared.CAUGHT if is_handled else "%raised", ["%error"], raised, shared, at),
    ]
    values = [value, *(name(end.name, at) for end in ends)]
    result = gast.Return(gast.copy_location(gast.Tuple(values, gast.Load()), at))
    tree.body = [*before, *ends, gast.copy_location(result, at)]
    return tree


def _is_handled(stmt: gast.stmt) -> bool:
    """Is it a `try` whose handlers see what the body of the `with` raises?

    Before the `yield` its body does nothing that they could see, too.
    """
    if not isinstance(stmt, gast.Try) or _yields(stmt.body) != 1 or _yields([stmt]) != 1:
        return False
    first = stmt.body[0]
    return bool(stmt.handlers) and (_is_yield(first) or _is_handled(first))


def _from_yield(stmts: Block, instead: Block) -> Block:
    """What follows the `yield`, in the parts of its `try`s; `instead`: what stands in its place."""
    i = next(i for i, stmt in enumerate(stmts) if _yields([stmt]))
    stmt, rest = stmts[i], stmts[i + 1 :]
    if not isinstance(stmt, gast.Try):
        return [*instead, *rest]
    stmt.body = _from_yield(stmt.body, instead) or [gast.copy_location(gast.Pass(), stmt)]
    return [stmt, *rest]


def _return_true(stmts: Block) -> None:
    """A `return` in a handler ends the generator: the exception is caught."""
    for stmt in stmts:
        for node in _inside(stmt):
            if isinstance(node, gast.Return):
                node.value = constant(True, node)


def _end(
    title: str, args: list[str], body: Block, shared: set[str], at: gast.AST
) -> gast.FunctionDef:
    """What a context function does after its `yield`; it rebinds the variables of before."""
    rebound = sorted(shared & set(assigned(*body)))
    first: Block = [gast.Nonlocal(rebound)] if rebound else []
    params = [gast.copy_location(gast.Name(x, gast.Param(), None, None), at) for x in args]
    last = gast.Pass()
    for node in (*first, last):
        gast.copy_location(node, at)
    arguments = gast.arguments(params, [], None, [], [], None, [])
    end = gast.FunctionDef(title, arguments, [*first, *body, last], [], None, None, [])
    return gast.copy_location(end, at)


def _where_raised(stmts: Block) -> Block:
    """What is done when the `yield` in `stmts` raises: the `finally` around it, the inner first."""
    for stmt in stmts:
        if isinstance(stmt, gast.Try) and _yields([stmt]):
            if not stmt.handlers and _is_of_context(stmt.body[0]):
                (within,) = stmt.body
                (context,) = within.handlers[0].type.args
                error = name("%error", context)
                left = gast.Expr(
                    _call(desugared.exit_with, [copy.deepcopy(context), error], context)
                )
                return [*_where_raised(within.body), gast.copy_location(left, context)]
            return [*_where_raised(stmt.body), *copy.deepcopy(stmt.finalbody)]
    return []


def _last_name(node: gast.expr) -> str | None:
    return node.attr if isinstance(node, gast.Attribute) else getattr(node, "id", None)


def _flattened(stmts: Block, handled: bool = False) -> Block:
    """`stmts` with the parts of each `try` and `finally` one after the other: nothing is raised.

    `handled`: also those of a `try` whose handlers see what the body of the `with` raises.
    """
    done: Block = []
    for stmt in stmts:
        if not isinstance(stmt, gast.Try) or not _yields([stmt]):
            done.append(stmt)
        elif not stmt.handlers and _is_of_context(stmt.body[0]):
            (within,), (leave,) = stmt.body, stmt.finalbody
            (context,) = within.handlers[0].type.args
            check = gast.Expr(_call(desugared.catches_nothing, [context], context))
            done += [
                gast.copy_location(check, context),
                *_flattened([*within.body, *leave.body], handled),
            ]
        elif not stmt.handlers or (handled and _is_handled(stmt)):
            done += _flattened([*stmt.body, *stmt.orelse, *stmt.finalbody], handled)
        else:
            done.append(stmt)
    return done


def _is_of_context(stmt: gast.stmt) -> bool:
    """Is it the `try` around the body of a `with`?"""
    test = stmt.handlers[0].type if isinstance(stmt, gast.Try) and stmt.handlers else None
    called = test.func if isinstance(test, gast.Call) else None
    return isinstance(called, gast.Constant) and called.value is desugared.caught_by


def _is_yield(stmt: gast.stmt) -> bool:
    """Is it a `yield`, or an assignment of what one gives?"""
    return isinstance(stmt, (gast.Expr, gast.Assign)) and isinstance(stmt.value, gast.Yield)


def _yields(stmts: Block) -> int:
    return sum(isinstance(n, (gast.Yield, gast.YieldFrom)) for s in stmts for n in _inside(s))


def _jumps(stmts: Block) -> bool:
    return any(isinstance(n, gast.Return) for s in stmts for n in _inside(s))


def _inside(node: gast.AST) -> Iterator[gast.AST]:
    """`node` and its descendants, without those of inner functions."""
    yield node
    if not isinstance(node, NEW_SCOPES):
        for child in gast.iter_child_nodes(node):
            yield from _inside(child)
