"""Innermost loops over elements on vectors of eight: the same numbers, or no vectors."""

import numpy as np
import pytest

import myia
from myia.backends.reference.interpreter import evaluate
from myia.ir.core import walk
from myia.ir.parser import parse
from myia.ir.verifier import verify
from myia.passes.vectorize.inner_loop import inner_loop
from myia.primitives.arrays.dynamic_slices import dynamic_update_slice
from tests.passes.before_after import before_after, unchanged


def test_elements_of_two_arrays_and_their_sum(golden):
    golden(before_after(inner_loop, """
func @f(%a: f64[90], %b: f64[90], %s: f64[], %n: i64[]) -> f64[90], f64[] {
  %a, %s = for %k < %n (%a = %a, %s = %s) bound 90 {
    %1 = dynamic_slice %b, %k {sizes=(1,)}
    %2 = dynamic_slice %a, %k {sizes=(1,)}
    %3 = mul %1, %2
    %4 = dynamic_update_slice %a, %3, %k
    %5 = reshape %3 {shape=()}
    %6 = sub %s, %5
    yield %4, %6
  }
  return %a, %s
}"""))  # fmt: skip


def test_backwards_along_a_row(golden):
    golden(before_after(inner_loop, """
func @f(%a: f64[9,24], %b: f64[24], %i: i64[]) -> f64[9,24] {
  %n = 24: i64[]
  %last = 23: i64[]
  %a = for %k < %n (%a = %a) bound 24 {
    %j = sub %last, %k
    %1 = dynamic_slice %b, %j {sizes=(1,)}
    %2 = dynamic_slice %b, %k {sizes=(1,)}
    %3 = sub %1, %2
    %4 = reshape %3 {shape=(1, 1)}
    %5 = dynamic_update_slice %a, %4, %i, %j
    yield %5
  }
  return %a
}"""))  # fmt: skip


ARGUMENTS = "%x: f64[40], %y: f64[2,40], %p: i64[], %n: i64[], %s0: f64[]"


def loop(body: str, bound=40) -> str:
    return f"""
func @f({ARGUMENTS}) -> f64[40], f64[2,40], f64[] {{
  %0 = 0: i64[]
  %1 = 1: i64[]
  %7 = 7: i64[]
  %30 = 30: i64[]
  %scale = 60.0: f64[]
  %y.0 = neg %y
  %x, %y, %s = for %k < %n (%x = %x, %y = %y, %s = %s0) bound {bound} {{
    {body}
  }}
  return %x, %y, %s
}}"""


# The sine of an element: stored into an array and into a row, and summed.
SINE_STORED = """
    %c = sin %b
    %d = reshape %c {shape=(1,)}
    %x.1 = dynamic_update_slice %x, %d, %k
    %e = reshape %c {shape=(1, 1)}
    %y.1 = dynamic_update_slice %y, %e, %1, %k
    %s.1 = add %s, %c
    yield %x.1, %y.1, %s.1"""

ROWS = (
    """
    %a = dynamic_slice %y, %0, %k {sizes=(1, 1)}
    %b = reshape %a {shape=()}"""
    + SINE_STORED
)

# Row 3 is out of range, so row 1 (the last one) is read.
POSSIBLY_EQUAL_ROWS = ROWS.replace("%y, %0, %k", "%y, %p, %k")

# An iteration makes two contributions to the reduction.
TWO_STEPS = ROWS.replace(
    "    %s.1 = add %s, %c\n    yield %x.1, %y.1, %s.1",
    """\
    %s.1 = sub %s, %b
    %s.2 = reshape %s.1 {shape=(1,)}
    %s.3 = max %d, %s.2
    %s.4 = reshape %s.3 {shape=()}
    yield %x.1, %y.1, %s.4""",
)

INDEX_AS_OPERAND = """
    %a = dynamic_slice %x, %k {sizes=(1,)}
    %f = convert %k {dtype=f64}
    %g = reshape %f {shape=(1,)}
    %h = gt %k, %7
    %i = reshape %h {shape=(1,)}
    %b = mul %a, %g
    %c = select %i, %b, %a
    %x.1 = dynamic_update_slice %x, %c, %k
    %d = reshape %c {shape=(1, 1)}
    %y.1 = dynamic_update_slice %y, %d, %0, %k
    %e = reshape %c {shape=()}
    %s.1 = max %s, %e
    yield %x.1, %y.1, %s.1"""

DISTANT_DEPENDENCE = """
    %l = add %k, %7
    %m = add %l, %1
    %a = dynamic_slice %x, %k {sizes=(1,)}
    %x.1 = dynamic_update_slice %x, %a, %m
    %b = reshape %a {shape=(1, 1)}
    %y.1 = dynamic_update_slice %y, %b, %0, %k
    %c = reshape %a {shape=()}
    %s.1 = mul %s, %c
    yield %x.1, %y.1, %s.1"""


# u[i] = u[i + 1] + left, where left is the old u[i]: a load before the next iteration's store.
ANTIDEPENDENCE = """
    %next = add %k, %1
    %a = dynamic_slice %x, %k {sizes=(1,)}
    %b = dynamic_slice %x, %next {sizes=(1,)}
    %h = reshape %s {shape=(1,)}
    %c = sub %b, %h
    %x.1 = dynamic_update_slice %x, %c, %k
    %d = reshape %c {shape=(1, 1)}
    %y.1 = dynamic_update_slice %y, %d, %0, %k
    %s.1 = reshape %a {shape=()}
    yield %x.1, %y.1, %s.1"""

ANTIDEPENDENCE_BACKWARDS = """
    %i = sub %30, %k
    %next = sub %i, %1
    %m = add %next, %7
    %j = sub %m, %7
    %a = dynamic_slice %x, %i {sizes=(1,)}
    %b = dynamic_slice %x, %j {sizes=(1,)}
    %h = reshape %s {shape=(1,)}
    %c = sub %b, %h
    %x.1 = dynamic_update_slice %x, %c, %i
    %d = reshape %c {shape=(1, 1)}
    %y.1 = dynamic_update_slice %y, %d, %0, %i
    %e = mul %a, %b
    %s.1 = reshape %e {shape=()}
    yield %x.1, %y.1, %s.1"""

# The adjoint of a stencil of three; it reads another array.
STENCIL_ADJOINT = """
    %i = add %k, %1
    %j = add %i, %1
    %a = dynamic_slice %y, %1, %i {sizes=(1, 1)}
    %b = reshape %a {shape=(1,)}
    %c = mul %b, %b
    %p0 = dynamic_slice %x, %k {sizes=(1,)}
    %p1 = add %p0, %b
    %x.1 = dynamic_update_slice %x, %p1, %k
    %q0 = dynamic_slice %x.1, %i {sizes=(1,)}
    %q1 = sub %q0, %c
    %q2 = add %b, %q1
    %x.2 = dynamic_update_slice %x.1, %q2, %i
    %r0 = dynamic_slice %x.2, %j {sizes=(1,)}
    %r1 = add %r0, %c
    %x.3 = dynamic_update_slice %x.2, %r1, %j
    %d = reshape %c {shape=(1, 1)}
    %y.1 = dynamic_update_slice %y, %d, %0, %k
    %e = reshape %c {shape=()}
    %s.1 = min %s, %e
    yield %x.3, %y.1, %s.1"""

STENCIL_ADJOINT_BACKWARDS = (
    STENCIL_ADJOINT.replace("add %k, %1", "sub %30, %k")
    .replace("%x, %k", "%x, %l")
    .replace("%x, %p1, %k", "%x, %p1, %l")
    .replace("%j = add", "%l = sub %i, %1\n    %j = add")
)

# Contributions to elements are computed from their values before the first contribution.
LOAD_BEFORE_REDUCTION = STENCIL_ADJOINT.replace("mul %b, %b", "mul %b, %f").replace(
    "    %c =", "    %f = dynamic_slice %x, %j {sizes=(1,)}\n    %c =")  # fmt: skip
LOAD_BETWEEN_STEPS = STENCIL_ADJOINT.replace("%d = reshape %c", "%d = reshape %r0")


# Each iteration computes the index of its load: in range or out of range.
GATHER = (
    """
    %t = dynamic_slice %y, %0, %k {sizes=(1, 1)}
    %u = reshape %t {shape=()}
    %f = mul %u, %scale
    %i = convert %f {dtype=i64}
    %a = dynamic_slice %y.0, %1, %i {sizes=(1, 1)}
    %b = reshape %a {shape=()}"""
    + SINE_STORED
)


def before_and_after(body: str, bound: int, trip_count: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """The results of a loop, and of the vectorized loop."""
    before = parse(loop(body, bound))
    after = inner_loop(before)
    verify(after)
    assert after is not before
    rng = np.random.default_rng(0)
    args = [rng.uniform(0.5, 1.5, 40), rng.uniform(0.5, 1.5, (2, 40)), 3, trip_count, 0.25]
    args = [np.asarray(x) for x in args]
    return list(zip(evaluate(before, args), evaluate(after, args), strict=True))


@pytest.mark.parametrize("trip_count", [-3, 0, 5, 8, 16, 19, 23, 32])
@pytest.mark.parametrize("body, bound", [
    (ROWS, 40),
    (POSSIBLY_EQUAL_ROWS, 40),
    (TWO_STEPS, 40),
    (INDEX_AS_OPERAND, 40),
    (DISTANT_DEPENDENCE, 32),
    (ANTIDEPENDENCE, 39),
    (ANTIDEPENDENCE_BACKWARDS, 30),
    (STENCIL_ADJOINT, 38),
    (STENCIL_ADJOINT_BACKWARDS, 30),
    (LOAD_BEFORE_REDUCTION, 38),
    (LOAD_BETWEEN_STEPS, 38),
    (GATHER, 40),
])  # fmt: skip
def test_results_are_the_same_to_the_bit(body, bound, trip_count):
    for x, y in before_and_after(body, bound, min(trip_count, bound)):
        assert np.asarray(x).tobytes() == np.asarray(y).tobytes()


def reassociated(body: str) -> str:
    assert "add %s, %c" in body
    return body.replace("add %s, %c", "add %s, %c {reassoc=True}")


def test_a_reassociable_sum(golden):
    golden(before_after(inner_loop, loop(reassociated(ROWS))))


TWO_REASSOCIABLE_STEPS = ROWS.replace(
    "    %s.1 = add %s, %c\n    yield %x.1, %y.1, %s.1",
    """\
    %s.1 = add %b, %s {reassoc=True}
    %s.2 = add %s.1, %c {reassoc=True}
    yield %x.1, %y.1, %s.2""",
)


@pytest.mark.parametrize("trip_count", [-3, 0, 5, 8, 16, 19, 23, 40])
@pytest.mark.parametrize("body", [reassociated(ROWS), TWO_REASSOCIABLE_STEPS])
def test_a_reassociable_sum_is_close(body, trip_count):
    """No other result changes."""
    *same, total = before_and_after(body, 40, trip_count)
    assert all(x.tobytes() == y.tobytes() for x, y in same)
    np.testing.assert_allclose(*total, rtol=1e-15)


def test_a_reassociable_sum_with_axes():
    """The trip count is a multiple of the width: there is no remainder loop."""
    before = parse("""
func @f(%x: f64[32], %s: f64[1,1]) -> f64[1,1] {
  %n = 32: i64[]
  %s = for %k < %n (%s = %s) bound 32 {
    %a = dynamic_slice %x, %k {sizes=(1,)}
    %b = reshape %a {shape=(1, 1)}
    %c = mul %b, %b
    %s.1 = add %c, %s {reassoc=True}
    yield %s.1
  }
  return %s
}""")
    after = inner_loop(before)
    verify(after)
    assert after is not before
    args = [np.linspace(1.0, 2.0, 32), np.full((1, 1), 2.0)]
    (expected,), (found,) = evaluate(before, args), evaluate(after, args)
    assert found.shape == (1, 1)
    np.testing.assert_allclose(found, expected, rtol=1e-15)


OPPOSITE_STRIDES = """
    %i = sub %30, %k
    %a = dynamic_slice %y, %1, %k {sizes=(1, 1)}
    %b = reshape %a {shape=(1,)}
    %c = mul %b, %b
    %p0 = dynamic_slice %x, %k {sizes=(1,)}
    %p1 = add %p0, %b {reassoc=True}
    %x.1 = dynamic_update_slice %x, %p1, %k
    %q0 = dynamic_slice %x.1, %i {sizes=(1,)}
    %q1 = add %q0, %c {reassoc=True}
    %x.2 = dynamic_update_slice %x.1, %q1, %i
    %d = reshape %c {shape=(1, 1)}
    %y.1 = dynamic_update_slice %y, %d, %0, %k
    %e = reshape %c {shape=()}
    %s.1 = min %s, %e
    yield %x.2, %y.1, %s.1"""


@pytest.mark.parametrize("trip_count", [-3, 0, 5, 8, 16, 19, 23, 31])
def test_opposite_strides(trip_count):
    """Where two indices meet, an element gets its contributions in another order."""
    added, *same = before_and_after(OPPOSITE_STRIDES, 31, trip_count)
    np.testing.assert_allclose(*added, rtol=1e-15)
    assert all(x.tobytes() == y.tobytes() for x, y in same)


@pytest.mark.parametrize("ordered", ["%p0, %b", "%q0, %c"])
def test_ordered_sums_keep_their_order(ordered):
    body = OPPOSITE_STRIDES.replace(f"{ordered} {{reassoc=True}}", ordered)
    assert unchanged(inner_loop, loop(body, 31))


def test_a_low_trip_count():
    assert unchanged(inner_loop, loop(ROWS, bound=15))


def test_an_access_may_be_out_of_range():
    assert unchanged(inner_loop, loop(ROWS, bound=41))


def test_the_previous_iteration_stored_it():
    assert unchanged(
        inner_loop,
        loop(DISTANT_DEPENDENCE.replace("add %l, %1", "add %k, %1"), bound=39),
    )


def test_rows_that_may_be_equal():
    """Row %p is read, row 1 is stored: an iteration reads what the previous one stored."""
    behind = "%m = sub %k, %1\n    %a = dynamic_slice %y, %p, %m"
    assert unchanged(inner_loop, loop(ROWS.replace("%a = dynamic_slice %y, %0, %k", behind)))


def test_a_private_version_of_an_array():
    """Every iteration reads its version at the same index."""
    own = """
    %t = dynamic_update_slice %y, %e, %1, %k
    %u = dynamic_slice %t, %1, %7 {sizes=(1, 1)}
    %y.1 = dynamic_update_slice %y, %u, %1, %k"""
    body = ROWS.replace("\n    %y.1 = dynamic_update_slice %y, %e, %1, %k", own)
    assert unchanged(inner_loop, loop(body))


def test_an_index_that_is_not_affine():
    assert unchanged(inner_loop, loop(ROWS.replace(
        "%a = dynamic_slice %y, %0, %k {sizes=(1, 1)}",
        "%m = mul %k, %k\n    %a = dynamic_slice %y, %0, %m {sizes=(1, 1)}",
    )))  # fmt: skip


def test_a_running_sum_with_another_use():
    seen = "%s.1 = add %s, %c\n    %z = neg %s.1\n    %e = reshape %z"
    body = ROWS.replace("    %s.1 = add %s, %c\n", "").replace("%e = reshape %c", seen)
    assert unchanged(inner_loop, loop(body))
    assert not unchanged(inner_loop, loop(ROWS))


def test_a_sum_that_is_subtracted():
    swapped = ROWS.replace("add %s, %c", "sub %c, %s")
    assert unchanged(inner_loop, loop(swapped))


def test_a_recurrence_through_itself():
    """The carried value is computed from the carried value of the previous iteration."""
    assert unchanged(
        inner_loop, loop(ANTIDEPENDENCE.replace("reshape %a {shape=()}", "sin %s"), 39)
    )
    through_an_array = ANTIDEPENDENCE.replace("reshape %a", "reshape %d")
    assert unchanged(inner_loop, loop(through_an_array, 39))


def test_an_array_under_two_names():
    """A recurrence of whole arrays has no vector."""
    two = loop(ROWS).replace("%x, %y, %s = for", "%x, %y, %s, %old = for").replace(
        "%s = %s0)", "%s = %s0, %old = %x)").replace("%y.1, %s.1", "%y.1, %s.1, %x.1")  # fmt: skip
    assert unchanged(inner_loop, two)


def test_read_after_the_store():
    """The load finds the old element; a vector store would have overwritten it."""
    after = ANTIDEPENDENCE.replace("reshape %a", "reshape %z").replace(
        "    %d =", "    %z = dynamic_slice %x.1, %next {sizes=(1,)}\n    %d =")  # fmt: skip
    assert unchanged(inner_loop, loop(after, 39))


def test_a_load_after_a_contribution():
    seen = STENCIL_ADJOINT.replace("min %s, %e", "min %s, %w").replace(
        "    %d =", "    %w0 = dynamic_slice %x.3, %k {sizes=(1,)}\n"
        "    %w = reshape %w0 {shape=()}\n    %d =")  # fmt: skip
    assert unchanged(inner_loop, loop(seen, 38))
    read_late = STENCIL_ADJOINT.replace("%c = mul %b, %b", "%c = mul %b, %q0")
    assert unchanged(inner_loop, loop(read_late.replace(
        "%q0 = dynamic_slice %x.1, %i {sizes=(1,)}", "").replace("    %c =",
        "    %q0 = dynamic_slice %x, %i {sizes=(1,)}\n    %c ="), 38))  # fmt: skip


def test_a_reduction_and_another_store():
    assert unchanged(
        inner_loop,
        loop(STENCIL_ADJOINT.replace("%r1 = add %r0, %c", "%r1 = mul %r0, %c"), 38),
    )


# ----- Programs in which stores overwrite each other


def stored_twice(g, a, b):
    """The first sum is overwritten."""
    for i in range(len(a)):
        before = g[i]
        g[i] = before + a[i]
        g[i - 1] = g[i - 1] + a[i]
        g[i] = before + b[i]
    return g


def doubled(g, a, b):
    for i in range(len(a)):
        g[i] += g[i]
        g[i - 1] += a[i] * b[i]
    return g


@pytest.mark.parametrize("f", [stored_twice, doubled])
def test_contributions_that_a_store_overwrites(f):
    args = list(np.random.default_rng(0).random((3, 40)))
    program = parse(myia.jit(f).ir(*args)["finish"])
    assert any(x.aval.shape == (8,) for op in walk(program.region) for x in op.results)
    (found,) = evaluate(program, args)
    assert found.tobytes() == f(*args).tobytes()


def shifted_there_and_back(x, p):
    y = np.zeros(len(x))
    for i in range(len(x)):
        shift = p[i]
        y[shift + i - shift] = 2.0 * x[i]
    return y


def recurrences_shifted_there_and_back(x, p):
    y = np.ones((len(x), 5))
    for i in range(len(x)):
        for j in range(4):
            y[p[i] + i - p[i], j + 1] = y[i, j] * x[i]
    return y


def one_element_for_all_rows(x, p):
    a = np.outer(x, x)
    for i in range(len(a)):
        a[i] = 2.0 * a[i] + x[p[i] + 3 - p[i]]
    return a


def one_row_for_a_recurrence(x, p):
    a = np.outer(x, x[:5])
    for i in range(len(a)):
        for j in range(1, 5):
            a[i, j] = a[i, j - 1] + x[i - (i - j)]
    return a


@pytest.mark.parametrize(
    "f",
    [
        shifted_there_and_back,
        recurrences_shifted_there_and_back,
        one_element_for_all_rows,
        one_row_for_a_recurrence,
    ],
)
def test_indices_whose_varying_parts_cancel(f):
    args = [np.random.default_rng(0).random(40), np.arange(40) % 7]
    program = parse(myia.jit(f).ir(*args)["finish"])
    assert evaluate(program, args)[0].tobytes() == f(*args).tobytes()


def filtered(image, taps):
    out = np.zeros((image.shape[0] - 2, image.shape[1] - 2))
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            for k in range(3):
                for m in range(3):
                    out[i, j] += image[i + k, j + m] * taps[k, m]
    return np.sum(out * out)


def test_cotangents_of_a_filter_are_vectorized():
    """Those of its taps are carried: all iterations add to the same elements."""
    image, taps = np.random.default_rng(0).random((12, 28)), np.arange(9.0).reshape(3, 3)
    gradient = myia.grad(filtered, argnums=(0, 1))
    program = parse(gradient.ir(image, taps)["finish"])
    stores = [op for op in walk(program.region) if op.primitive is dynamic_update_slice]
    sizes = [op.operands[1].aval.shape for op in stores]
    assert sizes.count((1, 8)) >= 9  # of the image's cotangent, and of the output
    inner = [op for loop in walk(program.region) for r in loop.regions for op in walk(r)]
    assert not any(op in stores and op.results[0].aval.shape == (3, 3) for op in inner)
    windows = np.lib.stride_tricks.sliding_window_view
    twice = 2.0 * np.einsum("ijkm,km->ij", windows(image, (3, 3)), taps)
    of_image, of_taps = gradient(image, taps)
    np.testing.assert_allclose(of_taps, np.einsum("ijkm,ij->km", windows(image, (3, 3)), twice))
    padded = windows(np.pad(twice, 2), (3, 3))
    np.testing.assert_allclose(of_image, np.einsum("ijkm,km->ij", padded, taps[::-1, ::-1]))
