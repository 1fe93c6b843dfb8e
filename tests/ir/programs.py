"""Small programs that together use every form of the IR."""

from myia.ir.avals import F64, I64, PY
from myia.ir.builder import at, build_region, emit, emit1
from myia.ir.code import Code, Parameter
from myia.ir.core import Function
from myia.primitives.arrays.shaping import reduce_sum
from myia.primitives.core import py
from myia.primitives.core.define import constant
from myia.primitives.core.emit_structured import emit_loop, if_, loop
from myia.primitives.core.structured import Loop, call_p, derivative_p
from myia.primitives.pointwise.arithmetic import add, mul, neg, sub
from myia.primitives.pointwise.logic import gt, lt
from myia.source.span import SourceFile, Span

FILE = SourceFile("examples/power.py", ())
ARRAY = F64.with_shape((3,))


def line(number: int) -> Span:
    return Span(FILE, number, 0, number, 1)


def typed(body, *args, names=(), name="f") -> Function:
    return Function(name, build_region(args, body, names), line(1))


def power() -> Function:
    """A counted loop, spans and names."""

    def body(x, n):
        one = constant(1.0, "float64")
        with at(line(3)):
            (y,) = loop([one], lambda k, y: [mul(y, x)], count=n, bound=10)
        y.name = "y"
        return [y]

    return typed(body, F64, I64, names=("x", "n"))


def branches() -> Function:
    def body(x, y):
        p = gt(x, y)
        z, w = if_(p, lambda: [neg(x), y], lambda: [add(x, y), mul(x, x)])
        if_(p, lambda: [], lambda: [])
        return [z, w]

    return typed(body, F64, F64, names=("x", "x"))


def newton() -> Function:
    """A `while` that reads its index, and one that is counted too."""

    def body(x, n):
        below = lambda k, y: lt(y, x)  # noqa: E731
        (y,) = loop([x], lambda k, y: [mul(y, y)], cond=below)
        (z,) = loop([y], lambda k, y: [y * 2.0], cond=lambda k, y: lt(k, n))
        (w,) = loop([z], lambda k, y: [sub(y, x)], cond=below, count=n)
        loop([], lambda k: [], count=n)
        return [w]

    return typed(body, F64, I64, names=("x", "n"))


def reversal() -> Function:
    def body(x, c, n):
        def step():
            return build_region([I64, F64], lambda k, y: [mul(y, c)], ["k", "y"])

        cond = build_region([I64, F64], lambda k, y: [lt(y, x)], ["k", "y"])
        back = build_region(
            [I64, F64, F64, F64],
            lambda k, y, ct, acc: [mul(ct, c), add(acc, mul(ct, y))],
            ["k", "y", "dy", "dc"],
        )
        counted = emit_loop(Loop(n, (x,), None, step(), None, back, (0,), (x,), (c,)))
        cond_back = build_region([I64, F64, F64], lambda k, y, acc: [acc + y])
        conditional = emit_loop(Loop(None, (x,), cond, step(), 4, cond_back, (), (), (c,)))
        return [*counted, *conditional]

    return typed(body, F64, F64, I64, names=("x", "c", "n"))


def calls() -> Function:
    def body(x, v):
        callee = build_region([F64, ARRAY], lambda a, b: [a + reduce_sum(b, axes=(0,))], ["a", "b"])
        (y,) = emit(call_p, x, v, regions=[callee], name="<lambda>")
        f = build_region([F64], lambda a: [a * a], ["a"])
        return emit(derivative_p, y, x, regions=[f], mode="vjp", wrt=(0,), of=(0,))

    return typed(body, F64, ARRAY, names=("x", "v"))


def constants() -> Function:
    values = [(1.5, "float64"), (-0.0, "float32"), (float("nan"), "float64")]
    values += [(float("-inf"), "float64"), (-3, "int32"), (True, "bool"), (1 - 0.0j, "complex64")]
    return typed(lambda: [constant(v, dtype, (2, 3)) for v, dtype in values])


def python() -> Code:
    """Nested functions of one name, captured cells, all kinds of parameters and of literals."""
    kinds = [
        Parameter("a", "POSITIONAL_ONLY"),
        Parameter("b", "POSITIONAL_OR_KEYWORD", True),
        Parameter("rest", "VAR_POSITIONAL"),
        Parameter("c", "KEYWORD_ONLY", True),
        Parameter("options", "VAR_KEYWORD"),
    ]
    literal = (1, -0.0, float("nan"), 'it\'s # not a "comment"\n', None, True, 2j, ..., b"x", ())

    def inner(cell, *args):
        (items,) = loop_over(args[2], args[0])
        return [emit1(py.call, emit1(py.load_cell, cell), items, spec=("*",))]

    def loop_over(iterable, init):
        body = build_region([PY, PY], lambda item, x: [emit1(py.binary, x, item, op="+")])
        return emit_loop(Loop(iterable, (init,), None, body, None))

    names = [p.name for p in kinds]
    codes = [
        Code("<lambda>", tuple(kinds), ("f",), build_region([PY] * 6, inner, ["f", *names]), None)
        for _ in range(2)
    ]

    def main(f):
        cell = emit1(py.cell)
        emit(py.store_cell, cell, f)
        x, y = (emit1(py.function, cell, code=code) for code in codes)
        emit(py.assert_, emit1(py.compare, x, y, op="is not"), emit1(py.const, value=literal))
        return if_(x, lambda: [y], lambda: [x])

    return Code(
        "main", (Parameter("f", "POSITIONAL_OR_KEYWORD"),), (), build_region([PY], main), None
    )


TYPED = [power, branches, newton, reversal, calls, constants]
ALL = [*TYPED, python]
