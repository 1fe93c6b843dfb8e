import jax
import numpy as np
import pytest

from myia.ir.parser import parse
from myia.ir.primitive import PRIMITIVES
from myia.passes.canonicalize.constant_folding import FOLDABLE_POINTWISE, constant_folding
from tests.passes.before_after import before_after, unchanged
from tests.passes.random_ir import FLOATS, INTS, identical


def test_arithmetic(golden):
    golden(before_after(constant_folding, """
func @f() -> f64[3], i32[], bool[], f64[2], i8[] {
  %0 = 2.0: f64[3]
  %1 = 3.0: f64[3]
  %2 = mul %0, %1
  %3 = convert %2 {dtype=i32}
  %4 = reduce_sum %3 {axes=(0,)}
  %5 = 18: i32[]
  %6 = eq %4, %5
  %7 = slice %2 {limit=(2,), start=(0,), stride=(1,)}
  %8 = 100: i8[]
  %9 = add %8, %8
  return %2, %4, %6, %7, %9
}"""))  # fmt: skip


def test_rearranged(golden):
    golden(before_after(constant_folding, """
func @f(%i: i64[], %at: i64[1]) -> f64[2], f64[4], f64[], f64[3], f64[3], i64[1] {
  %0 = 2.0: f64[]
  %1 = 2.0: f64[3]
  %2 = 2.0: f64[1]
  %3 = dynamic_slice %1, %i {sizes=(2,)}
  %4 = concatenate %1, %2 {axis=0}
  %5 = reduce_max %1 {axes=(0,)}
  %6 = dynamic_update_slice %1, %2, %i
  %7 = pad %2, %0 {high=(1,), interior=(0,), low=(1,)}
  %8 = iota {axis=0, dtype=i64, shape=(1,)}
  return %3, %4, %5, %6, %7, %8
}"""))  # fmt: skip


def test_branch(golden):
    golden(before_after(constant_folding, """
func @f(%x: f64[]) -> f64[] {
  %0 = 1: i64[]
  %1 = 2: i64[]
  %2 = lt %0, %1
  %y = if %2 {
    %3 = neg %x
    yield %3
  } else {
    yield %x
  }
  return %y
}"""))  # fmt: skip


def test_trip_counts_of_zero_and_one(golden):
    golden(before_after(constant_folding, """
func @f(%x: f64[]) -> f64[], f64[], f64[], f64[], f64[] {
  %0 = 0: i64[]
  %1 = 1: i64[]
  %a = for %k < %0 (%a = %x) { %2 = neg %a
    yield %2 }
  %b = for %k < %1 (%b = %x) { %3 = convert %k {dtype=f64}
    %4 = add %b, %3
    yield %4 }
  %c = while (%c = %x) { cond { %5 = False: bool[]
      yield %5 } body { %6 = neg %c
      yield %6 } }
  %d, %e = rev for %k < %1 (%x = %x) ct (%d = %x of %x) acc (%e = %x) {
    body { %7 = sin %x
      yield %7 }
    adjoint { %8 = cos %x
      %9 = mul %d, %8
      %10 = add %e, %d
      yield %9, %10 }
  }
  return %a, %b, %c, %d, %e
}"""))  # fmt: skip


NOT_FOLDED = {
    "exp is rounded differently by every library": "%0 = 1.0: f64[]; %1 = exp %0",
    "sums of floats depend on their order": "%0 = 0.1: f64[3]; %1 = reduce_sum %0 {axes=(0,)}",
    "0.0 or -0.0": "%a = 0.0: f64[]; %b = -0.0: f64[]; %0 = max %a, %b",
    "a subnormal operand": "%a = 5e-324: f64[]; %b = 2.0: f64[]; %0 = mul %a, %b",
    "a subnormal result": "%a = 1e-300: f64[]; %b = 1e-10: f64[]; %0 = mul %a, %b",
    "half precision": "%a = 0.5: f16[]; %0 = add %a, %a",
    "division by zero": "%a = 1: i64[]; %b = 0: i64[]; %0 = floordiv %a, %b",
    "a shift out of range": "%a = 1: i64[]; %b = 64: i64[]; %0 = shift_left %a, %b",
    "NaN as an integer": "%a = nan: f64[]; %0 = convert %a {dtype=i64}",
    "a float out of range": "%a = 300.0: f64[]; %0 = convert %a {dtype=u8}",
    "a fill value may be read": "%a = 1.0: f64[2]; %0 = sin %a",
}


@pytest.mark.parametrize("ops", NOT_FOLDED.values(), ids=list(NOT_FOLDED))
def test_not_folded(ops):
    lines = ops.replace("; ", "\n")
    assert unchanged(constant_folding, f"func @f() {{ {lines}\n }}")


def test_condition_with_an_effect_is_kept():
    assert unchanged(constant_folding, """
func @f(%x: f64[]) -> f64[] {
  %y = while (%y = %x) { cond {
      debug_print {fmt='tested'}
      %0 = False: bool[]
      yield %0
    } body { yield %y } }
  return %y
}""")  # fmt: skip


# ----- What is folded is what the machine computes


UNARY = {
    "abs", "ceil", "convert", "floor", "integer_pow", "is_finite", "neg", "not", "reciprocal",
    "round", "sign", "square", "trunc",
}  # fmt: skip


def _program(name, dtype, numbers):
    values = "\n".join(f"%{i} = {n!r}: {dtype}[]" for i, n in enumerate(numbers))
    operands = ", ".join(f"%{i}" for i in range(len(numbers)))
    params = {"integer_pow": " {y=3}", "convert": " {dtype=f32}"}.get(name, "")
    try:
        return parse(f"func @f() {{ {values}\n %r = {name} {operands}{params}\n return %r }}")
    except ValueError:
        return None  # not an operation on this dtype, or of this arity


def _cases():
    for primitive in sorted(FOLDABLE_POINTWISE, key=lambda p: p.name):
        arity = 1 if primitive.name in UNARY else 2
        for dtype in ("f64", "f32", "i64", "i32", "u8", "bool"):
            if primitive.name != "select" and _program(primitive.name, dtype, [1] * arity):
                yield primitive.name, dtype, arity


@pytest.mark.parametrize("name, dtype, arity", list(_cases()))
def test_folded_numbers_are_those_of_xla(name, dtype, arity):
    """Each folded number is the one that XLA computes from run-time operands."""
    choices = FLOATS if dtype in ("f64", "f32") else [False, True]
    if dtype[0] in "iu":
        choices = [n for n in sorted({*INTS, 8, 100}) if n >= 0 or dtype[0] == "i"]
    operands, folded = [], []
    for i in range(30):
        numbers = [choices[(i * (7 * k + 3) + k) % len(choices)] for k in range(arity)]
        f = _program(name, dtype, numbers)
        (*_, last) = constant_folding(f).region.ops
        if last.primitive.name == "constant":
            operands.append(numbers)
            folded.append(last.params["value"])
    if not folded:
        return
    params = f.region.ops[-1].params
    with jax.enable_x64(True):
        np_dtype = f.region.ops[0].results[0].dtype
        columns = [np.array(column, np_dtype) for column in zip(*operands)]
        machine = jax.jit(lambda *xs: PRIMITIVES[name].lower(*xs, **params))(*columns)
    assert identical(np.array(folded, f.results[0].dtype), np.asarray(machine))
