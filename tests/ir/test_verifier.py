"""The verifier: every program above is valid; one failing example for each invariant."""

import pytest

from myia.ir.avals import F64, I64, PY
from myia.ir.builder import Builder, build_region, emit1
from myia.ir.core import Function, Op, Region, Value
from myia.ir.parser import parse
from myia.ir.primitive import Primitive
from myia.ir.verifier import verify
from myia.primitives.arrays.shaping import transpose
from myia.primitives.core import py
from myia.primitives.core.effects import debug_print
from myia.primitives.core.structured import if_p
from myia.primitives.pointwise.arithmetic import add, neg
from myia.source.diagnostics import InternalError
from tests.ir import programs


@pytest.mark.parametrize("program", programs.TYPED, ids=lambda p: p.__name__)
def test_valid(program):
    verify(program())


def test_valid_python():
    verify(programs.python(), vocabulary="py")


def function(args, ops, yields) -> Function:
    return Function("f", Region(tuple(args), tuple(ops), tuple(yields)))


def op(primitive, operands=(), result=F64, regions=(), **params) -> Op:
    """An op made without the builder, so that it can be wrong."""
    return Op(primitive, tuple(operands), params, tuple(regions), (Value(result),))


def rejected(program, message, **options):
    with pytest.raises(InternalError, match=message) as error:
        verify(program, **options)
    return str(error.value)


# ----- 1. Each value is defined once


def test_result_defined_twice():
    x = Value(F64, "x")
    p = op(neg, [x])
    rejected(function([x], [p, p], []), "is defined twice")


def test_argument_defined_twice():
    x = Value(F64, "x")
    rejected(function([x, x], [], []), "%x is defined twice")


def test_region_used_twice():
    x, p = Value(F64, "x"), Value(F64.with_dtype(bool), "p")
    branch = build_region([], lambda: [neg(x)])
    f = function([x, p], [op(if_p, [p], regions=[branch, branch])], [])
    rejected(f, "is defined twice")


# ----- 2. Defined before use, and visible


def test_used_before_definition():
    x = Value(F64, "x")
    first = op(neg, [x])
    second = op(neg, first.results)
    text = rejected(function([x], [second, first], []), "operand 0, .* is not defined before")
    guilty, message = text.splitlines()[2:4]
    assert "neg" in guilty and message.strip().startswith("^^^ operand 0")


def test_used_outside_its_region():
    x, p = Value(F64, "x"), Value(F64.with_dtype(bool), "p")
    inside = build_region([], lambda: [neg(x)])
    other = build_region([], lambda: [x])
    f = function([x, p], [op(if_p, [p], regions=[inside, other])], inside.yields)
    rejected(f, "yield 0, .* is not visible here")


def test_function_is_closed():
    rejected(function([], [], [Value(F64, "x")]), "yield 0, %x, is not defined before")


# ----- 3. The shape rule


def test_wrong_result():
    x = Value(F64)
    rejected(function([x], [op(neg, [x], result=I64)], []), r"results are \(i64\[\]\)")


def test_wrong_operands():
    x, y = Value(F64), Value(I64)
    rejected(function([x, y], [op(add, [x, y])], []), "shape rule: .*operands differ")


def test_wrong_parameters():
    x = Value(F64)
    rejected(function([x], [op(transpose, [x])], []), "shape rule: TypeError")


def test_branches_differ():
    x, p = Value(F64), Value(F64.with_dtype(bool))
    regions = [build_region([], lambda: [x]), build_region([], lambda: [])]
    rejected(function([x, p], [op(if_p, [p], regions=regions)], []), "branches yield different")


def test_malformed_loop_is_shown():
    f = programs.power()
    loop = f.region.ops[1]
    broken = Op(loop.primitive, loop.operands[:1], loop.params, loop.regions, loop.results)
    text = rejected(function(f.args, [f.region.ops[0], broken], []), "initial carries")
    assert "%y = loop %n {bound=10" in text.replace(": f64[]", "")


# ----- 4. Regions if and only if structured


def test_region_of_an_unstructured_op():
    x = Value(F64)
    f = function([x], [op(neg, [x], regions=[build_region([], lambda: [])])], [])
    rejected(f, "neg has 1 regions")


def test_structured_op_without_regions():
    p = Value(F64.with_dtype(bool))
    rejected(function([p], [op(if_p, [p])], []), "if has 0 regions")


# ----- 5. The registered primitive


def test_unregistered_primitive():
    class Stray(Primitive):
        def __post_init__(self):
            pass

    x = Value(F64)
    stray = Stray(name="neg", avals=neg.avals)
    rejected(function([x], [op(stray, [x])], []), "neg is not a registered primitive")


# ----- 6. Hashable parameters


def test_unhashable_parameter():
    f = parse("func @f() { %x = 1.0: f64[2] }")
    (p,) = f.region.ops
    broken = op(p.primitive, [], p.results[0].aval, **{**p.params, "shape": [2]})
    rejected(function([], [broken], []), "parameter shape is not hashable")


# ----- 7. One vocabulary


def test_python_in_typed():
    with Builder() as b:
        emit1(py.const, value=1)
    rejected(function([], b.ops, []), "py.const in typed IR.*|has the aval py")


def test_typed_in_python():
    f = parse("func @f() { %x = 1.0: f64[] }")
    rejected(f, "constant in IR.py.", vocabulary="py")


def test_nested_code_is_verified():
    inner = programs.python()
    broken = type(inner)("g", (), (), Region((), (), (Value(PY, "nowhere"),)), inner.namespace)
    with Builder() as b:
        emit1(py.function, code=broken)
    rejected(function([], b.ops, []), "%nowhere, is not defined", vocabulary="py")


def test_lengths_are_ints():
    rejected(function([Value(F64.with_shape((-1,)), "x")], [], []), r"%x has the aval f64\[-1\]")


# ----- 8. No effect inside `rev`


def test_effect_in_rev():
    f = programs.reversal()
    rev = f.region.ops[0]
    body, adjoint = rev.regions

    def loud(*args):
        debug_print("again")
        return body.yields

    with Builder() as b:
        loud()
    noisy = Region(body.args, (*b.ops, *body.ops), body.yields)
    broken = Op(rev.primitive, rev.operands, rev.params, (noisy, adjoint), rev.results)
    rejected(function(f.args, [broken], []), "an effect inside rev")


# ----- 9. No derivative after the expansion


def test_derivative_left():
    verify(programs.calls())
    rejected(programs.calls(), "a derivative that was not expanded", expanded=True)


def test_all_violations_are_shown():
    x = Value(F64)
    text = rejected(function([x], [op(neg, [x], I64), op(neg, [Value(F64)])], []), "marked")
    assert text.count("^^^") == 3
