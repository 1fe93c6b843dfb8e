"""The reference interpreter: control flow, and what it checks."""

from __future__ import annotations

import numpy as np
import pytest

from myia.backends.reference.interpreter import evaluate
from myia.ir.avals import BOOL, F64, I64
from myia.ir.builder import build_region, emit
from myia.ir.core import Function
from myia.ir.primitive import NONDIFFERENTIABLE, PRIMITIVES, Primitive
from myia.primitives.core import effects, py
from myia.primitives.core.define import constant
from myia.primitives.core.emit_structured import emit_loop, if_, loop
from myia.primitives.core.structured import Loop, call_p, derivative_p
from myia.primitives.pointwise import logic
from myia.source.diagnostics import InternalError


def below(limit):
    return lambda k, x: logic.lt(x, constant(limit, x.dtype))


def test_a_function_and_its_region_are_the_same_program():
    region = build_region([F64], lambda x: [x * x, x])
    assert evaluate(Function("f", region), [3.0]) == evaluate(region, [3.0]) == [9.0, 3.0]


def test_only_the_taken_branch_runs(capsys):
    def say(word):
        effects.debug_print(word)
        return [constant(len(word), float)]

    region = build_region([BOOL], lambda p: if_(p, lambda: say("yes"), lambda: say("no")))
    assert evaluate(region, [True]) == [3.0]
    assert capsys.readouterr().out == "yes\n"
    assert evaluate(region, [False]) == [2.0]
    assert capsys.readouterr().out == "no\n"


def test_a_counted_loop_passes_the_index():
    def program(x, n):
        return loop([x], lambda k, s: [s + logic.convert(k, dtype=float)], count=n)

    region = build_region([F64, I64], program)
    assert evaluate(region, [0.5, np.int64(4)]) == [6.5]
    assert evaluate(region, [0.5, np.int64(0)]) == [0.5]
    assert evaluate(region, [0.5, np.int64(-3)]) == [0.5]


def test_a_loop_ends_by_its_condition_or_its_count():
    def program(x, n):
        return loop([x], lambda k, s: [2 * s], count=n, cond=below(50))

    region = build_region([F64, I64], program)
    assert evaluate(region, [1.0, np.int64(3)]) == [8.0]
    assert evaluate(region, [1.0, np.int64(99)]) == [64.0]


def test_a_false_bound_is_noticed():
    region = build_region([F64], lambda x: loop([x], lambda k, s: [2 * s], cond=below(50), bound=3))
    with pytest.raises(InternalError, match="more than its 3 iterations"):
        evaluate(region, [1.0])


def test_a_call_runs_its_body():
    body = build_region([F64, F64], lambda x, y: [x - y])
    region = build_region([F64], lambda x: emit(call_p, x * 2, x, regions=[body], name="f"))
    assert evaluate(region, [3.0]) == [3.0]


def test_rev_runs_the_adjoint_backwards_at_the_carries_of_each_iteration():
    """x -> x * x three times; λ -> 2 x_k λ from the last iteration to the first; acc lists them."""

    def program(x, n):
        body = build_region([I64, F64], lambda k, x: [x * x])
        adjoint = build_region(
            [I64, F64, F64, F64],
            lambda k, x, ct, acc: [2 * x * ct, 10 * acc + logic.convert(k, dtype=float)],
        )
        one, none = constant(1, float), constant(0, float)
        return emit_loop(Loop(n, (x,), None, body, None, adjoint, (0,), (one,), (none,)))

    region = build_region([F64, I64], program)
    derivative, iterations = evaluate(region, [1.5, np.int64(3)])
    np.testing.assert_allclose(derivative, 8 * 1.5**7)
    assert iterations == 210.0
    assert evaluate(region, [1.5, np.int64(0)]) == [1.0, 0.0]


def test_a_derivative_must_have_been_expanded():
    f = build_region([F64], lambda x: [x])
    params = dict(mode="jvp", wrt=(0,), of=(0,))
    region = build_region([F64], lambda x: emit(derivative_p, x, x, regions=[f], **params))
    with pytest.raises(InternalError, match="derivative has no evaluation"):
        evaluate(region, [1.0])


def test_ir_of_python_is_refused():
    region = build_region([], lambda: emit(py.const, value=1))
    with pytest.raises(InternalError, match=r"py\.const has no evaluation"):
        evaluate(region, [])


@pytest.mark.parametrize("args", [[], [1.0, 2.0], [np.float32(1)], [np.zeros(3)], [1]])
def test_arguments_must_fit(args):
    with pytest.raises(InternalError):
        evaluate(build_region([F64], lambda x: [x]), args)


def test_a_wrong_shape_rule_is_noticed():
    wrong = Primitive(
        name="test.wrong",
        avals=lambda x: (x,),
        evaluate=lambda x: np.float32(x),
        derivative=NONDIFFERENTIABLE,
    )
    try:
        region = build_region([F64], lambda x: emit(wrong, x))
        with pytest.raises(InternalError, match=r"f32\[\] where f64\[\]"):
            evaluate(region, [1.0])
    finally:
        del PRIMITIVES["test.wrong"]


def test_results_do_not_alias_arguments():
    x = np.zeros(3)
    (y,) = evaluate(build_region([F64.with_shape(x.shape)], lambda x: [x]), [x])
    y[0] = 1
    assert x[0] == 0
