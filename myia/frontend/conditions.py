"""Lowering of conditions: comparisons, `and`, `or`, `not`, and `x if c else y`.

Operands that may not be evaluated are in branches:

    a and b      ->      if a: b
                         else: a

Where only the truth of `a and b` matters, that of each operand is taken, so that their types may
differ: `if node is not None and node.weight:`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import gast

from myia.frontend.frame import Frame
from myia.frontend.lower_expr import EXPRESSIONS, expression
from myia.frontend.scopes import assigned
from myia.ir.builder import at, emit1
from myia.ir.core import Value
from myia.primitives.core import py

UNARY = {gast.UAdd: "+", gast.USub: "-", gast.Invert: "~", gast.Not: "not"}
COMPARE = {
    gast.Eq: "==",
    gast.NotEq: "!=",
    gast.Lt: "<",
    gast.LtE: "<=",
    gast.Gt: ">",
    gast.GtE: ">=",
    gast.Is: "is",
    gast.IsNot: "is not",
    gast.In: "in",
    gast.NotIn: "not in",
}


def _branch_value(
    frame: Frame,
    pred: Value,
    then: Callable[[], Value],
    other: Callable[[], Value],
    *parts: gast.expr,
) -> Value:
    """An `if` with one value; `parts`, evaluated in its branches, may assign by `:=`."""
    (value,) = frame.branch(pred, lambda: [then()], lambda: [other()], assigned(*parts))
    return value


def _if_expression(frame: Frame, node: gast.IfExp) -> Value:
    pred, then, other = test(frame, node.test), node.body, node.orelse
    arms = (lambda: expression(frame, then)), (lambda: expression(frame, other))
    return _branch_value(frame, pred, *arms, then, other)


def test(frame: Frame, node: gast.expr) -> Value:
    """An expression of which only the truth matters: operands of `and` and `or` may have types that
    differ."""
    if not isinstance(node, gast.BoolOp):
        return expression(frame, node)
    with at(frame.spans.of(node)):
        return _bool_op(frame, node, _truth)


def _truth(frame: Frame, node: gast.expr) -> Value:
    value = test(frame, node)
    if isinstance(node, gast.BoolOp) or (isinstance(node, gast.Name) and node.id.startswith("%")):
        return value
    with at(frame.spans.of(node)):
        return emit1(py.unary, value, op="truth")


def _bool_op(
    frame: Frame, node: gast.BoolOp, operand: Callable[[Frame, gast.expr], Value] = expression
) -> Value:
    """`a and b` is `b if a else a`, `a or b` is `a if a else b`, `a` being evaluated once."""

    def rest(value: Value, others: Sequence[gast.expr]) -> Value:
        if not others:
            return value

        def more() -> Value:
            return rest(operand(frame, others[0]), others[1:])

        if isinstance(node.op, gast.And):
            return _branch_value(frame, value, more, lambda: value, *others)
        return _branch_value(frame, value, lambda: value, more, *others)

    return rest(operand(frame, node.values[0]), node.values[1:])


def _compare(frame: Frame, node: gast.Compare) -> Value:
    """`a < b < c` is `a < b and b < c`, `b` being evaluated once."""

    def rest(left: Value, ops: Sequence[gast.cmpop], others: Sequence[gast.expr]) -> Value:
        right = expression(frame, others[0])
        value = emit1(py.compare, left, right, op=COMPARE[type(ops[0])])
        if len(ops) == 1:
            return value
        ops, others = ops[1:], others[1:]
        return _branch_value(frame, value, lambda: rest(right, ops, others), lambda: value, *others)

    return rest(expression(frame, node.left), node.ops, node.comparators)


def _unary(frame: Frame, node: gast.UnaryOp) -> Value:
    operand = test if isinstance(node.op, gast.Not) else expression
    return emit1(py.unary, operand(frame, node.operand), op=UNARY[type(node.op)])


EXPRESSIONS.update(
    {
        gast.UnaryOp: _unary,
        gast.IfExp: _if_expression,
        gast.BoolOp: _bool_op,
        gast.Compare: _compare,
    }
)
