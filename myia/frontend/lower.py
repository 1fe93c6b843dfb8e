"""Lowering of functions and statements: core Python -> IR(py).

def f(x):                             region(%x) {
    y = x * 2                           %y = py.binary {op="*"} %x, 2
    return lambda: y         ->         ... y is a cell, since the lambda reads it
                                      }
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import replace
from functools import partial

import gast

from myia.frontend import errors
from myia.frontend.conditions import test
from myia.frontend.core import Loop, body_of, has_discard
from myia.frontend.desugar import desugar
from myia.frontend.frame import Frame
from myia.frontend.generators import is_generator
from myia.frontend.liveness import liveness, maybe_unbound_reads
from myia.frontend.lower_expr import BINARY, assign, const, expression, expressions
from myia.frontend.scopes import Scope, assigned
from myia.frontend.spans import Spans
from myia.ir.avals import PY
from myia.ir.builder import at, build_region, emit, emit1
from myia.ir.core import Region, Value
from myia.primitives.core import py
from myia.source.diagnostics import MyiaError

# ----- Functions


def lower(scope: Scope, spans: Spans, namespace: py.Namespace) -> py.Code:
    """The function of `scope` as code of IR(py); its syntax tree is consumed."""
    if not is_generator(scope.node):
        return _lower(scope, spans, namespace)
    closing = _lower(copy.deepcopy(scope), spans, namespace, may_close=True)
    return replace(_lower(scope, spans, namespace), closing=closing.region)


def _lower(scope: Scope, spans: Spans, namespace: py.Namespace, may_close: bool = False) -> py.Code:
    node = scope.node
    maybe_unbound, user_liveness = maybe_unbound_reads(node), liveness(body_of(node))
    stmts = desugar(node, may_close=may_close)
    core_liveness = liveness(stmts)
    shared = {n for t, live in core_liveness.escapes.items() for n in assigned(t) if n in live}
    frame = Frame(
        scope=scope,
        spans=spans,
        namespace=namespace,
        maybe_unbound=maybe_unbound,
        user_liveness=user_liveness,
        core_liveness=core_liveness,
        shared=frozenset(n for n in shared if scope.is_value(n)),
        lower_function=_closure,
    )
    name = getattr(node, "name", "<genexpr>" if is_generator(node) else "<lambda>")
    return py.Code(
        name=name.partition("%")[0] or name,  # of a method: without its class
        parameters=_signature(node),
        captured=scope.captured,
        region=_region(frame, stmts),
        namespace=namespace,
        span=spans.header(node),
    )


def _signature(node: gast.AST) -> tuple[py.Parameter, ...]:
    a = node.args
    plain = [*((p, "POSITIONAL_ONLY") for p in a.posonlyargs)]
    plain += [(p, "POSITIONAL_OR_KEYWORD") for p in a.args]
    first_default = len(plain) - len(a.defaults)
    found = [py.Parameter(p.id, kind, i >= first_default) for i, (p, kind) in enumerate(plain)]
    if a.vararg:
        found.append(py.Parameter(a.vararg.id, "VAR_POSITIONAL"))
    for p, default in zip(a.kwonlyargs, a.kw_defaults):
        found.append(py.Parameter(p.id, "KEYWORD_ONLY", default is not None))
    if a.kwarg:
        found.append(py.Parameter(a.kwarg.id, "VAR_KEYWORD"))
    return tuple(found)


def _region(frame: Frame, stmts: list[gast.stmt]) -> Region:
    scope = frame.scope
    names = [*scope.captured, *scope.parameters]

    def body(*args: Value) -> list[Value]:
        frame.cells.update(zip(scope.captured, args))
        given = dict(zip(scope.parameters, args[len(scope.captured) :]))
        for name in (*_entry_cells(scope), *sorted(frame.shared)):
            frame.new_cell(name)
        for name, value in given.items():
            frame.write(name, value)
        *rest, last = stmts
        block(frame, rest)
        return [expression(frame, last.value)]

    with at(frame.spans.of(scope.node)):
        return build_region([PY] * len(names), body, names)


def _entry_cells(scope: Scope) -> list[str]:
    """The cells to make on entry. (Comprehensions make the cells of their variables.)"""
    order = dict.fromkeys([*scope.parameters, *scope.used, *scope.locals])
    return [name for name in order if name in scope.cells and "%" not in name[1:]]


def _closure(frame: Frame, node: gast.AST) -> Value:
    """The value of a `def` or `lambda`: its code with its cells and defaults."""
    defaults = expressions(frame, node.args.defaults)
    defaults += [expression(frame, d) for d in node.args.kw_defaults if d is not None]
    code = lower(frame.scope.children[node], frame.spans, frame.namespace)
    cells = [frame.cells[name] for name in code.captured]
    return emit1(py.function, *cells, *defaults, code=code)


# ----- Statements


def block(frame: Frame, stmts: list[gast.stmt]) -> None:
    for stmt in stmts:
        with at(frame.spans.header(stmt)):
            STATEMENTS[type(stmt)](frame, stmt)


def _pass(frame: Frame, node: gast.stmt) -> None:
    pass


def _nonlocal(frame: Frame, node: gast.Nonlocal) -> None:
    for name in node.names:
        if frame.scope.kind(name) not in ("cell", "captured"):
            raise MyiaError(errors.NonlocalOfPython(frame.spans.of(node), name))


def _expr(frame: Frame, node: gast.Expr) -> None:
    if not isinstance(node.value, gast.Constant):  # a docstring
        expression(frame, node.value)


def _assign(frame: Frame, node: gast.Assign) -> None:
    value = expression(frame, node.value)
    for target in node.targets:
        assign(frame, target, value)


def _annotated(frame: Frame, node: gast.AnnAssign) -> None:
    if node.value is not None:
        assign(frame, node.target, expression(frame, node.value))
    elif isinstance(node.target, (gast.Attribute, gast.Subscript)):
        expression(frame, node.target.value)


def _augmented(frame: Frame, node: gast.AugAssign) -> None:
    """`x[i] op= y`: x and i are evaluated once, x[i] is read before y."""
    target, op = node.target, BINARY[type(node.op)]
    if isinstance(target, gast.Name):
        old = frame.read(target)
        frame.write(target.id, emit1(py.inplace, old, expression(frame, node.value), op=op))
        return
    obj = expression(frame, target.value)
    if isinstance(target, gast.Attribute):
        with at(frame.spans.of(target)):
            old = emit1(py.getattr_, obj, name=target.attr)
        new = emit1(py.inplace, old, expression(frame, node.value), op=op)
        emit(py.setattr_, obj, new, name=target.attr)
        return
    key = expression(frame, target.slice)
    with at(frame.spans.of(target)):
        old = emit1(py.getitem, obj, key)
    new = emit1(py.inplace, old, expression(frame, node.value), op=op)
    emit(py.setitem, obj, key, new)


def _delete(frame: Frame, node: gast.Delete) -> None:
    for target in node.targets:
        _delete_target(frame, target)


def _delete_target(frame: Frame, target: gast.expr) -> None:
    if isinstance(target, gast.Name):
        frame.delete(target)
    elif isinstance(target, gast.Subscript):
        emit(py.delitem, expression(frame, target.value), expression(frame, target.slice))
    elif isinstance(target, gast.Attribute):
        delattr_ = const(delattr)
        operands = (delattr_, expression(frame, target.value), const(target.attr))
        emit1(py.call, *operands, spec=(None, None))
    else:
        for part in target.elts:
            _delete_target(frame, part)


def _assert(frame: Frame, node: gast.Assert) -> None:
    condition = test(frame, node.test)
    if node.msg is None or isinstance(node.msg, gast.Constant):
        emit(py.assert_, condition, const(None) if node.msg is None else const(node.msg.value))
        return

    def fail() -> list[Value]:  # the message is computed only if the assertion fails
        emit(py.assert_, const(False), expression(frame, node.msg))
        return []

    frame.branch(condition, lambda: [], fail, assigned(node.msg))


def _raise(frame: Frame, node: gast.Raise) -> None:
    emit(py.raise_, *expressions(frame, [x for x in (node.exc, node.cause) if x is not None]))


def _function(frame: Frame, node: gast.FunctionDef) -> None:
    decorators = expressions(frame, node.decorator_list)
    value = _closure(frame, node)
    for decorator in reversed(decorators):
        value = emit1(py.call, decorator, value, spec=(None,))
    frame.write(node.name, value)


def _if(frame: Frame, node: gast.If) -> None:
    def branch(stmts: list[gast.stmt]) -> Callable[[], list[Value]]:
        def build() -> list[Value]:
            block(frame, stmts)
            return []

        return build

    frame.branch(
        test(frame, node.test),
        branch(node.body),
        branch(node.orelse),
        assigned(*node.body, *node.orelse),
        frame.live_after(node),
    )


def _loop(frame: Frame, node: Loop) -> None:
    targets = [] if node.target is None else [node.target]
    live = frame.live_at(node)

    def body(item: Value) -> None:
        if node.target is not None:
            assign(frame, node.target, item)
        block(frame, node.body)
        frame.forget(n for n in assigned(*targets, *node.body) if n not in live)

    frame.loop(
        None if node.iter is None else expression(frame, node.iter),
        None if node.test is None else lambda: test(frame, node.test),
        body,
        assigned(*targets, *node.body),
        live,
    )


def _classes(frame: Frame, node: gast.expr | None) -> list[Value]:
    return [] if node is None else [expression(frame, node)]


def _try(frame: Frame, node: gast.Try) -> None:
    def part(stmts: list[gast.stmt]) -> Callable[[], list[Value]]:
        def build() -> list[Value]:
            block(frame, stmts)
            return []

        return build

    if node.finalbody:
        regions = [part(node.body), part(node.finalbody)]
        frame.parts(py.finally_, regions, assigned(node), jumps=has_discard(node))
        return
    regions = [part(node.body), part(node.orelse)]
    for handler in node.handlers:
        regions += [partial(_classes, frame, handler.type), part(handler.body)]
    frame.parts(py.try_, regions, assigned(node))


STATEMENTS: dict[type, Callable[[Frame, gast.stmt], None]] = {
    gast.Pass: _pass,
    gast.Nonlocal: _nonlocal,
    gast.Global: _pass,
    gast.Expr: _expr,
    gast.Assign: _assign,
    gast.AnnAssign: _annotated,
    gast.AugAssign: _augmented,
    gast.Delete: _delete,
    gast.Assert: _assert,
    gast.Raise: _raise,
    gast.FunctionDef: _function,
    gast.If: _if,
    gast.Try: _try,
    Loop: _loop,
}
