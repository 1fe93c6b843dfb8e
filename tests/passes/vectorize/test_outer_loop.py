"""Loops over rows as ops on whole arrays: the same numbers, or the same loop."""

import numpy as np
import pytest

import myia
from myia.backends.reference.interpreter import evaluate
from myia.ir.core import walk
from myia.ir.parser import parse
from myia.ir.verifier import verify
from myia.passes.vectorize.outer_loop import outer_loop
from myia.primitives.core.structured import loop_p
from tests.default_run import every
from tests.passes.before_after import before_after, unchanged


def test_rows_times_a_matrix(golden):
    golden(before_after(outer_loop, """
func @f(%a: f64[9,5], %m: f64[5,5], %g: f64[5,5]) -> f64[9,5], f64[5,5] {
  %n = 9: i64[]
  %0 = 0: i64[]
  %a, %g = for %k < %n (%a = %a, %g = %g) bound 9 {
    %1 = dynamic_slice %a, %k, %0 {sizes=(1, 5)}
    %2 = reshape %1 {shape=(5,)}
    %3 = dot_general %2, %m {contract=((0,), (0,)), batch=((), ())}
    %4 = reshape %3 {shape=(1, 5)}
    %5 = dynamic_update_slice %a, %4, %k, %0
    %6 = dot_general %2, %3 {contract=((), ()), batch=((), ())}
    %7 = add %g, %6 {reassoc=True}
    yield %5, %7
  }
  return %a, %g
}"""))  # fmt: skip


# ----- Every batching rule, on rows of %x and columns of %y; all iterations share %w

PROGRAM = """
func @f(%x: f64[11,6], %y: f64[6,11], %w: f64[6], %m: f64[6,6], %i: i64[]) -> f64[11,6], f64[6] {{
  %n = 11: i64[]
  %0 = 0: i64[]
  %1 = 1: i64[]
  %s0 = 0.5: f64[6]
  %x, %s = for %k < %n (%x = %x, %s = %s0) bound 11 {{
    %last = 10: i64[]
    %j = sub %last, %k
    %x1 = dynamic_slice %x, {k}, %0 {{sizes=(1, 6)}}
    %r = reshape %x1 {{shape=(6,)}}
    %y1 = dynamic_slice %y, %0, %k {{sizes=(6, 1)}}
    %c = reshape %y1 {{shape=(6,)}}
    {body}
    %z1 = reshape %z {{shape=(1, 6)}}
    %x2 = dynamic_update_slice %x, %z1, {k}, %0
    %s1 = add %s, %c {{reassoc=True}}
    yield %x2, %s1
  }}
  return %x, %s
}}"""


def spread(of: str) -> str:
    return f"{of}\n    %z = broadcast %v {{shape=(6,), dims=()}}"


BODIES = [
    "%z = mul %r, %c",
    "%z = sub %w, %r",
    spread("%v = reduce_sum %r {axes=(0,)}"),
    spread("%v = reduce_max %c {axes=(0,)}"),
    spread("%v = reduce_prod %c {axes=(0,)}"),
    spread("%a = argmin %c {axis=0}\n    %v = convert %a {dtype=f64}"),
    spread("%p = mul %r, %w\n    %v = reduce_sum %p {axes=(0,)}"),
    spread("%p = mul %r, %c\n    %v = reduce_sum %p {axes=(0,)}"),
    spread("%v = dot_general %r, %c {contract=((0,), (0,)), batch=((), ())}"),
    spread("%v = dot_general %w, %c {contract=((0,), (0,)), batch=((), ())}"),
    "%z = dot_general %r, %m {contract=((0,), (1,)), batch=((), ())}",
    "%z = dot_general %m, %r {contract=((0,), (0,)), batch=((), ())}",
    "%z = dot_general %r, %w {contract=((), ()), batch=((0,), (0,))}",
    "%z = dot_general %r, %c {contract=((), ()), batch=((0,), (0,))}",
    "%z = cumsum %r {axis=0, reverse=True}",
    "%z = cummax %c {axis=0, reverse=False}",
    "%z = flip %r {axes=(0,)}",
    "%h = slice %r {start=(0,), limit=(6,), stride=(2,)}\n    %z = concatenate %h, %h {axis=0}",
    "%f = 7.0: f64[]\n    %h = slice %r {start=(1,), limit=(5,), stride=(1,)}\n"
    "    %z = pad %h, %f {low=(2,), high=(0,), interior=(0,)}",
    "%h = reshape %r {shape=(2, 3)}\n    %t = transpose %h {permutation=(1, 0)}\n"
    "    %z = reshape %t {shape=(6,)}",
    "%h = dynamic_slice %r, %i {sizes=(2,)}\n    %z = dynamic_update_slice %c, %h, %1",
    "%h = dynamic_slice %r, %i {sizes=(2,)}\n    %z = dynamic_update_slice %w, %h, %1",
    "%f = convert %k {dtype=f64}\n    %h = broadcast %f {shape=(6,), dims=()}\n"
    "    %z = mul %h, %r",
    "%e = dynamic_slice %m, %i, %0 {sizes=(1, 6)}\n    %f = reshape %e {shape=(6,)}\n"
    "    %l = gt %r, %f\n    %z = select %l, %c, %f",
]  # fmt: skip


def arguments() -> list[np.ndarray]:
    rng = np.random.default_rng(0)
    shapes = (11, 6), (6, 11), (6,), (6, 6)
    return [*(rng.uniform(0.5, 1.5, shape) for shape in shapes), np.asarray(3)]


@pytest.mark.parametrize("k", ["%k", "%j"])
@pytest.mark.parametrize(
    "elements", [1 << 17, 24]
)  # all iterations; strips of four, and a remainder of three
def test_the_same_numbers(k, elements):
    """Forwards and backwards."""
    for body in BODIES:
        before = parse(PROGRAM.format(k=k, body=body))
        after = outer_loop(before, elements)
        verify(after)
        loops = [op for op in walk(after.region) if op.primitive is loop_p]
        assert len(loops) == (elements == 24), body
        for x, y in zip(evaluate(before, arguments()), evaluate(after, arguments()), strict=True):
            np.testing.assert_allclose(y, x, rtol=1e-14, err_msg=body)


# ----- Loops that stay


def stays(old: str = "", new: str = "") -> bool:
    text = PROGRAM.format(k="%k", body="%z = mul %r, %c")
    assert old in text
    return unchanged(outer_loop, text.replace(old, new))


def test_a_sum_in_the_order_of_the_user():
    assert not stays()
    assert stays(" {reassoc=True}", "")


def test_an_iteration_reads_the_previous_row():
    assert stays("%x1 = dynamic_slice %x, %k", "%b = sub %k, %1\n    %x1 = dynamic_slice %x, %b")


def test_rows_may_be_out_of_range():
    assert stays("%x2 = dynamic_update_slice %x, %z1, %k",
                 "%b = add %k, %1\n    %x2 = dynamic_update_slice %x, %z1, %b")  # fmt: skip


def test_an_index_that_is_not_affine():
    assert stays("dynamic_slice %x, %k", "dynamic_slice %x, %i")
    assert stays("%z = mul %r, %c", "%q = mul %k, %k\n    %z2 = dynamic_slice %x, %q, %0 "
                 "{sizes=(1, 6)}\n    %z = reshape %z2 {shape=(6,)}")  # fmt: skip


def test_a_running_sum_with_another_use():
    assert stays("%z = mul %r, %c", "%z = mul %r, %s")


def test_batches_larger_than_the_arrays():
    large = """%o = dot_general %r, %c {contract=((), ()), batch=((), ())}
    %p = exp %o
    %z = reduce_sum %p {axes=(1,)}"""
    assert stays("%z = mul %r, %c", large)


def test_branches():
    branch = "%b = lt %k, %i\n    %z = if %b {\n yield %r\n } else {\n yield %c\n }"
    assert stays("%z = mul %r, %c", branch)


# ----- Programs


def soft_rows(x):
    for row in x:
        row -= row.max()
        np.exp(row, out=row)
        row /= row.sum()
    return x


def products_from_the_end(A, C, p):
    total = 0.0
    for r in range(len(A) - 1, -1, -1):
        for q in range(A.shape[1]):
            A[r, q] = A[r, q] @ C
        total = total + A[r, 0] @ p
    return A, total


def adjacent_rows(A, B):
    for i in range(1, len(A) - 1):
        B[i] = A[i - 1] * A[i + 1] - np.cumsum(A[i])
    return B


def in_one_array(A):
    """All iterations read one row that one of them stores."""
    for k in range(len(A)):
        A[k] = A[k] * A[-2]
    return A


def in_place_behind(A):
    for k in range(1, len(A)):
        A[k - 1] = A[k] * 0.5 + np.sin(A[k])
    return A


def a_private_copy(A, B):
    """Each iteration stores into a copy that is private to it."""
    C = np.zeros(A.shape)
    for k in range(len(A)):
        A[k] = B[k] * 2.0
        T = A.copy()
        T[k, :2] = 5.0
        C[k] = T[len(A) - 1 - k]
    return A, C


def no_rows(A):
    for k in range(0):
        A[k] = A[k] * 2.0
    return A


RNG = np.random.default_rng(1)
PROGRAMS = [
    (soft_rows, (RNG.standard_normal((9, 7)),)),
    (products_from_the_end, (RNG.uniform(0.5, 1, (7, 6, 3)), RNG.random((3, 3)), RNG.random(3))),
    (adjacent_rows, (RNG.random((8, 5)), RNG.random((8, 5)))),
    (in_one_array, (RNG.random((6, 5)),)),
    (in_place_behind, (RNG.random((8, 5)),)),
    (a_private_copy, (RNG.random((6, 5)), RNG.random((6, 5)))),
    (no_rows, (RNG.random((4, 3)),)),
]


@pytest.mark.parametrize("f, args", PROGRAMS)
def test_programs_and_their_derivatives(f, args):
    def results(*args):
        found = f(*args)
        return found if isinstance(found, tuple) else (found,)

    copies = [a.copy() for a in args], [a.copy() for a in args]
    for found, expected in zip(myia.jit(results)(*copies[0]), results(*copies[1]), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-13)
    myia.check_grads(lambda *args: sum(np.sum(np.cos(y)) for y in results(*args)), args, order=1)


@pytest.mark.parametrize("program", every(9, PROGRAMS), ids=lambda program: program[0].__name__)
def test_second_derivatives_of_programs(program):
    f, args = program

    def total(*args):
        found = f(*args)
        return sum(np.sum(np.cos(y)) for y in (found if isinstance(found, tuple) else (found,)))

    myia.check_grads(total, args, order=2)


# ----- Sums beside recurrences


def residuals(x, n):
    """A sum of the user beside a recurrence; every iteration reads all of `x`."""
    total = 0.25
    for i in range(n):
        t = -1.0 + i * 2.0 / (n - 1.0)
        residual, power = np.sign(t), 1.0
        for j in range(len(x)):
            residual -= x[j] * power
            power *= t
        total += residual * residual
    return total


def several_sums(x, n):
    total, product, rest = 1.0, 1.0, 0.0
    for i in range(n):
        y = np.cos(1.0 * i)
        for j in range(len(x)):
            y = np.sin(y + x[j])
        total += y
        total -= 0.5 * y * y
        product *= 1.0 + 0.01 * y
        rest = rest + x[0] * y
    return total * product + rest


def sum_that_is_read(x, n):
    total, found = 0.0, 0.0
    for i in range(n):
        y = 1.0 * i
        for j in range(len(x)):
            y = np.sin(y * x[j])
        total += y
        found = max(found, total)
    return found


def counted_in_an_inner_loop(x, n):
    """The cotangent of `x[j]` gets the same number from every iteration."""
    total = 0.0
    for i in range(n):
        y = np.sin(1.0 * i)
        for j in range(len(x)):
            y = 0.5 * y + 0.25
            total += 3.0 * x[j]
        total += y
    return total


@pytest.mark.parametrize("f", [residuals, several_sums, sum_that_is_read, counted_in_an_inner_loop])
def test_sums_beside_recurrences(f):
    """Values with the pass and without it; derivatives against central differences, too."""
    x, n, h = np.linspace(-0.7, 0.9, 6), 22, 1e-6
    plain = myia.pipeline.Options(disable=frozenset({"outer_loop"}))
    value = float(myia.jit(f)(x, n))
    assert value == pytest.approx(float(myia.jit(f, pipeline=plain)(x, n)), rel=1e-14)
    assert value == pytest.approx(f(x, n), rel=1e-13)
    slopes = [(f(x + h * e, n) - f(x - h * e, n)) / (2 * h) for e in np.eye(6)]
    gradient = myia.grad(f)(x, n)
    np.testing.assert_allclose(gradient, slopes, rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(gradient, myia.grad(f, pipeline=plain)(x, n), rtol=1e-12)


def test_iterations_beside_a_sum_are_wide():
    x = np.linspace(-0.7, 0.9, 6)
    assert "f64[22]" in myia.jit(residuals).ir(x, 22)["finish"]
    text = myia.grad(residuals).ir(x, 22)["finish"]
    assert (text.count(" for ") == 1 and " dot_general " in text) or "reduce_sum" in text


ORDERED = """
func @f(%b: f64[9], %s: f64[]) -> f64[], f64[9] {
  %n = 9: i64[]
  %m = 5: i64[]
  %s, %b = for %k < %n (%s = %s, %b = %b) bound 9 {
    %1 = dynamic_slice %b, %k {sizes=(1,)}
    %2 = reshape %1 {shape=()}
    %y = for %j < %m (%y = %2) bound 5 {
      %3 = sin %y
      yield %3
    }
    %4 = sub %s, %y
    %5 = add %2, %4
    %6 = reshape %y {shape=(1,)}
    %b = dynamic_update_slice %b, %6, %k
    yield %5, %b
  }
  return %s, %b
}"""


def test_the_order_of_a_sum_is_kept():
    before = parse(ORDERED)
    after = outer_loop(before)
    verify(after)
    assert after is not before
    args = [np.random.default_rng(4).normal(size=9) * 10.0 ** np.arange(9), np.float64(1e3)]
    for x, y in zip(evaluate(before, args), evaluate(after, args), strict=True):
        np.testing.assert_array_equal(x, y)


ADDS_THE_SAME = """
func @f(%a: f64[5], %b: f64[9], %c: f64[]) -> f64[5], f64[9] {
  %n = 9: i64[]
  %m = 5: i64[]
  %a, %b = for %k < %n (%a = %a, %b = %b) bound 9 {
    %1 = dynamic_slice %b, %k {sizes=(1,)}
    %2 = reshape %1 {shape=()}
    %s, %a = for %j < %m (%s = %2, %a = %a) bound 5 {
      %3 = sin %s
      %4 = dynamic_slice %a, %j {sizes=(1,)}
      %5 = reshape %4 {shape=()}
      %6 = add %5, %TERM {reassoc=True}
      %7 = reshape %6 {shape=(1,)}
      %8 = dynamic_update_slice %a, %7, %j
      yield %3, %8
    }
    %9 = reshape %s {shape=(1,)}
    %b = dynamic_update_slice %b, %9, %k
    yield %a, %b
  }
  return %a, %b
}"""


@pytest.mark.parametrize("term", ["c", "s"])
def test_all_iterations_add_to_the_same_elements(term):
    before = parse(ADDS_THE_SAME.replace("%TERM", f"%{term}"))
    after = outer_loop(before)
    verify(after)
    assert after is not before
    rng = np.random.default_rng(4)
    args = [rng.normal(size=5), rng.normal(size=9), np.float64(0.3)]
    for x, y in zip(evaluate(before, args), evaluate(after, args), strict=True):
        np.testing.assert_allclose(y, x, rtol=1e-13)


@pytest.mark.parametrize("change", [(" {reassoc=True}", ""), ("add %5,", "mul %5,")])
def test_other_stores_to_the_same_elements(change):
    text = ADDS_THE_SAME.replace("%TERM", "%s").replace(*change)
    assert unchanged(outer_loop, text.replace(" {reassoc=True}", ""))
