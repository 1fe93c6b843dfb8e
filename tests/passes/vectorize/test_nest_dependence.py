"""Outer loops around recurrences: the same numbers side by side, or no vectors."""

import numpy as np
import pytest

import myia
from myia.backends.reference.interpreter import evaluate
from myia.ir.core import walk
from myia.ir.parser import parse
from myia.ir.verifier import verify
from myia.passes.vectorize.outer_loop import MAX_STRIDED_ITERATIONS, outer_loop
from myia.pipeline import Options, lowered
from myia.primitives.core.structured import loop_p
from tests.default_run import every
from tests.passes.before_after import before_after, unchanged


def test_a_recurrence_along_columns(golden):
    golden(before_after(outer_loop, """
func @f(%a: f64[6,5], %g: f64[7]) -> f64[6,5], f64[7] {
  %n = 5: i64[]
  %m = 5: i64[]
  %a, %g = for %j < %n (%a = %a, %g = %g) bound 5 {
    %one = 1: i64[]
    %l = add %j, %one
    %a, %g = for %i < %m (%a = %a, %g = %g) bound 5 {
      %h = add %i, %one
      %1 = dynamic_slice %a, %i, %j {sizes=(1, 1)}
      %2 = dynamic_slice %a, %h, %j {sizes=(1, 1)}
      %3 = mul %1, %2
      %4 = dynamic_update_slice %a, %3, %h, %j
      %5 = reshape %1 {shape=(1,)}
      %6 = dynamic_slice %g, %l {sizes=(1,)}
      %7 = add %6, %5 {reassoc=True}
      %8 = dynamic_update_slice %g, %7, %l
      %9 = dynamic_slice %8, %j {sizes=(1,)}
      %10 = add %9, %5 {reassoc=True}
      %11 = dynamic_update_slice %8, %10, %j
      yield %4, %11
    }
    yield %a, %g
  }
  return %a, %g
}"""))  # fmt: skip


# ----- One recurrence and variants of it; each outer iteration has its own column of %x

PROGRAM = """
func @f(%x: f64[9,13], %y: f64[13], %s: f64[], %p: i64[9], %m: i64[]) -> f64[9,13], f64[13], f64[] {
  %0 = 0: i64[]
  %1 = 1: i64[]
  %n = 13: i64[]
  %x, %y, %s = for %j < %n (%x = %x, %y = %y, %s = %s) bound 13 {
    %last = 12: i64[]
    %d = sub %last, %j
    %2 = 2: i64[]
    %x, %y, %s, %c = for %i < %m (%x = %x, %y = %y, %s = %s, %c = %2) bound 8 {
      %h = add %i, %1
      %a = dynamic_slice %x, %i, %j {sizes=(1, 1)}
      %b = dynamic_slice %x, %h, %j {sizes=(1, 1)}
      %e = sin %a
      %f = add %e, %b
      %x.1 = dynamic_update_slice %x, %f, %h, %j
      %u = reshape %f {shape=(1,)}
      %y.1 = dynamic_update_slice %y, %u, %j
      %v = reshape %f {shape=()}
      %s.1 = add %s, %v {reassoc=True}
      %c.1 = add %c, %1
      yield %x.1, %y.1, %s.1, %c.1
    }
    yield %x, %y, %s
  }
  return %x, %y, %s
}"""

ALL, STRIPS = 1 << 10, 5  # elements: all iterations; two strips of five and three more


def changed(name: str, *lines: str) -> str:
    """The program with other lines in the place of the one that defines `name`."""
    old = next(x for x in PROGRAM.splitlines() if x.strip().startswith(f"{name} ="))
    return PROGRAM.replace(old, "\n".join(lines))


BACKWARDS = PROGRAM.replace(", %j {", ", %d {").replace("%f, %h, %j", "%f, %h, %d")
ARRAY_REDUCTION = changed(
    "%y.1",
    "%y1 = dynamic_slice %y, %j {sizes=(1,)}",
    "%y2 = add %y1, %u {reassoc=True}",
    "%y.1 = dynamic_update_slice %y, %y2, %j",
)
SELECTED_SUM = changed(
    "%s.1",
    "%s1 = add %s, %v {reassoc=True}",
    "%w = neg %v",
    "%s2 = add %s, %w {reassoc=True}",
    "%o = lt %i, %2",
    "%s.1 = select %o, %s1, %s2",
)
A_FIXED_ROW = changed("%b", "%b = dynamic_slice %x, %0, %j {sizes=(1, 1)}")


def arguments(trip_count: int) -> list[np.ndarray]:
    rng = np.random.default_rng(0)
    args = rng.uniform(0.5, 1.5, (9, 13)), rng.random(13), 0.25, rng.integers(0, 8, 9), trip_count
    return [np.asarray(x) for x in args]


@pytest.mark.parametrize("text", [PROGRAM, BACKWARDS, ARRAY_REDUCTION, SELECTED_SUM, A_FIXED_ROW])
def test_the_same_numbers(text):
    before = parse(text)
    for elements in (ALL, STRIPS):
        after = outer_loop(before, elements)
        verify(after)
        loops = sum(op.primitive is loop_p for op in walk(after.region))
        assert loops == (1 if elements == ALL else 3)
        for trip_count in (-1, 0, 1, 8):
            args = arguments(trip_count)
            for x, y in zip(evaluate(before, args), evaluate(after, args), strict=True):
                np.testing.assert_allclose(y, x, rtol=1e-14)


def stays(name: str, *lines: str) -> bool:
    return unchanged(outer_loop, changed(name, *lines))


def test_a_load_from_another_column():
    """Whether the other iteration has changed that row by then depends on the order."""
    assert stays("%b", "%k = add %d, %1", "%b = dynamic_slice %x, %h, %k {sizes=(1, 1)}")
    assert stays("%b", "%b = dynamic_slice %x, %h, %0 {sizes=(1, 1)}")


def test_indices_that_coincide_in_other_inner_iterations():
    """`y[i + j]`, `y[p[i] + j]` and `y[c + j]`, where p[i] and c vary in the inner loop."""
    stored = "%y.1 = dynamic_update_slice %y, %u, %k"
    assert stays("%y.1", "%k = add %i, %j", stored)
    assert stays("%y.1", "%k = add %c, %j", stored)
    read = "%q = dynamic_slice %p, %i {sizes=(1,)}", "%r = reshape %q {shape=()}"
    assert stays("%y.1", *read, "%k = add %r, %j", stored)


def test_the_same_element_in_all_iterations():
    assert stays("%y.1", "%y.1 = dynamic_update_slice %y, %u, %i")
    assert stays("%y.1", "%y.1 = dynamic_update_slice %y, %u, %0")


def test_a_sum_in_the_order_of_the_user():
    assert stays("%s.1", "%s.1 = add %s, %v")


def test_a_running_sum_with_another_use():
    assert stays("%s.1", "%k = sin %s", "%s.1 = add %s, %k {reassoc=True}")
    assert stays("%s.1", "%s.1 = add %s, %s {reassoc=True}")


def test_a_trip_count_that_varies():
    assert unchanged(outer_loop, PROGRAM.replace("for %i < %m", "for %i < %j"))


def test_inner_loops_that_are_independent():
    """`inner_loop.py` vectorizes them."""
    text = """
func @f(%x: f64[16,13]) -> f64[16,13] {
  %n = 13: i64[]
  %m = 15: i64[]
  %x = for %j < %n (%x = %x) bound 13 {
    %one = 1: i64[]
    %x = for %i < %m (%x = %x) bound 15 {
      %h = add %i, %one
      %a = dynamic_slice %x, %READ, %j {sizes=(1, 1)}
      %b = sin %a
      %x = dynamic_update_slice %x, %b, %i, %j
      yield %x
    }
    yield %x
  }
  return %x
}"""
    assert unchanged(outer_loop, text.replace("%READ", "%h"))
    recurrence = text.replace("%READ", "%i").replace("%b, %i", "%b, %h")
    assert not unchanged(outer_loop, recurrence)


# ----- Programs: lines, filters and products of matrices


def tridiagonal_lines(u, r):
    n = u.shape[0]
    for j in range(u.shape[1]):
        q = np.zeros(n)
        u[0, j] = 1.0
        for i in range(1, n - 1):
            pivot = 1.0 + 2.0 * r - r * q[i - 1]
            q[i] = r / pivot
            u[i, j] = (u[i, j] + r * u[i - 1, j]) / pivot
        for i in range(n - 2, 0, -1):
            u[i, j] += q[i] * u[i + 1, j]
    return u


def both_ways(x, a):
    y = np.zeros(x.shape)
    for i in range(x.shape[0]):
        before = 0.0
        for j in range(x.shape[1]):
            before = a * before + x[i, j]
            y[i, j] = before
        after = x[i, -1]
        for j in range(x.shape[1] - 1, -1, -1):
            after = a * after + x[i, j]
            y[i, j] += after
    return y


def products(A, B):
    C = np.ones((A.shape[0], B.shape[1]))
    for i in range(A.shape[0]):
        for j in range(B.shape[1]):
            for k in range(A.shape[1]):
                C[i, j] += A[i, k] * B[k, j]
            C[i, j] *= 0.5
    return C


def states_of_cells(x, W):
    """A small network for each sample, over time."""
    out = np.zeros(len(x))
    for b in range(len(x)):
        h = np.zeros(3)
        for t in range(x.shape[1]):
            h = np.tanh(W @ h + x[b, t])
        out[b] = h.sum()
    return out


def waves_between_columns(u, c):
    """Columns read adjacent columns of the old array."""
    v = u.copy()
    for j in range(1, u.shape[1] - 1):
        for i in range(1, u.shape[0]):
            v[i, j] = v[i - 1, j] + c * (u[i, j - 1] - 2.0 * u[i, j] + u[i, j + 1])
    return v


def triangles_that_overlap(a):
    """An iteration stores above row i + 1 and reads that row; their i may differ."""
    for k in range(a.shape[1]):
        for i in range(a.shape[0] - 1):
            for j in range(i + 1):
                a[j, k] = a[j, k] * 0.5 + a[i + 1, 0]
    return a


RNG = np.random.default_rng(2)
PROGRAMS = [
    (tridiagonal_lines, (RNG.random((7, 6)), 0.6)),
    (both_ways, (RNG.random((6, 9)), 0.7)),
    (products, (RNG.random((6, 5)), RNG.random((5, 7)))),
    (states_of_cells, (RNG.random((6, 4)), RNG.standard_normal((3, 3)))),
    (waves_between_columns, (RNG.random((6, 8)), 0.3)),
    (triangles_that_overlap, (RNG.random((10, 8)),)),
]


@pytest.mark.parametrize("f, args", PROGRAMS)
def test_programs_and_their_derivatives(f, args):
    def copies():
        return [np.copy(a) if isinstance(a, np.ndarray) else a for a in args]

    np.testing.assert_allclose(myia.jit(f)(*copies()), f(*copies()), rtol=1e-13)
    myia.check_grads(lambda *args: np.sum(np.cos(f(*args))), args, order=1)


@pytest.mark.parametrize("program", every(9, PROGRAMS), ids=lambda program: program[0].__name__)
def test_second_derivatives_of_programs(program):
    f, args = program
    myia.check_grads(lambda *args: np.sum(np.cos(f(*args))), args, order=2)


def test_sums_of_the_user_to_the_bit():
    args = list(PROGRAMS[2][1])
    program = parse(myia.jit(products).ir(*args)["typed"])
    ours, plain = (lowered(program, Options(disable=off)) for off in (frozenset(), {"outer_loop"}))
    loops = [sum(op.primitive is loop_p for op in walk(f.region)) for f in (ours, plain)]
    assert loops[0] < loops[1]
    found, expected = evaluate(ours, args)[0], evaluate(plain, args)[0]
    assert found.tobytes() == expected.tobytes() == products(*args).tobytes()


def smoothed_rows(image, gain):
    out = np.zeros(image.shape)
    for i in range(image.shape[0]):
        y = 0.0
        for j in range(image.shape[1]):
            y = gain * image[i, j] + (1.0 - gain) * y
            out[i, j] = y
    return np.sum(out * np.cos(out))


def smoothed_columns(image, gain):
    out = np.zeros(image.shape)
    for j in range(image.shape[1]):
        y = 0.0
        for i in range(image.shape[0]):
            y = gain * image[i, j] + (1.0 - gain) * y
            out[i, j] = y
    return np.sum(out * np.cos(out))


@pytest.mark.parametrize(
    "f, shape, width",
    [(smoothed_rows, (300, 4), MAX_STRIDED_ITERATIONS), (smoothed_columns, (4, 300), 300)],
)
def test_strided_accesses_are_strip_mined(f, shape, width):
    """One element of each of 300 rows is in 300 cache lines, one of each column in few."""
    args = (RNG.random(shape), 0.3)
    program = parse(myia.grad(f, argnums=(0, 1)).ir(*args)["finish"])
    vectors = [y.shape for op in walk(program.region) for y in op.results if len(y.shape) == 1]
    assert max(vectors) == (width,)
    np.testing.assert_allclose(myia.jit(f)(*args), f(*args), rtol=1e-12)
    myia.check_grads(f, args, order=1)
