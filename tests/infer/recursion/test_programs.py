"""Recursion on run-time values: the values, changed arguments and derivatives of Python's run."""

import copy
import sys

import numpy as np
import pytest

import myia
from myia.source.diagnostics import MyiaError
from tests.infer.driver import assert_same, inferred, run
from tests.infer.recursion import programs
from tests.infer.recursion.programs import PROGRAMS
from tests.zoo.hlo_copies import copies_in_loops
from tests.zoo.reference_calls import ReferenceCalls

NAMES = [f"{f.__name__}-{i}" for i, (f, _) in enumerate(PROGRAMS)]


@pytest.mark.parametrize(("f", "args"), PROGRAMS, ids=NAMES)
def test_value_and_arguments(f, args):
    expected, mine, given = copy.deepcopy(args), copy.deepcopy(args), copy.deepcopy(args)
    wanted = f(*expected)
    assert_same(run(f, *mine), wanted)
    assert_same(myia.jit(f)(*given), wanted)
    assert_same(given, expected)


def test_it_is_a_loop():
    """Not unrolled: the program does not grow with the number of calls."""
    program, _ = inferred(programs.adaptive_quadrature, 0.3, 1.5)
    assert [op.primitive.name for op in program.function.region.ops].count("loop") == 1


def flood_of_a_copy(grid, i, j):
    return programs.flood(grid.copy(), i, j)


@pytest.mark.parametrize(
    ("f", "args"),
    [
        (myia.jit(programs.adaptive_quadrature), (0.3, 1.5)),
        (myia.jit(flood_of_a_copy), (programs.WALLS, np.int64(1), np.int64(1))),
        (myia.grad(programs.power), (0.7, np.int64(10))),
    ],
)
def test_the_stack_is_not_copied(f, args):
    hlo = f.lower(*args).compile().as_text()
    assert "while" in hlo
    assert copies_in_loops(hlo, at_least=100) == []


def central(f, args, i):
    def shifted(h):
        given = [copy.deepcopy(a) for a in args]
        given[i] = given[i] + h
        return f(*given)

    x, h = np.asarray(args[i]), 1e-6
    if x.ndim == 0:
        return (shifted(h) - shifted(-h)) / (2 * h)
    steps = h * np.eye(x.size).reshape(x.size, *x.shape)
    return np.array([(shifted(s) - shifted(-s)) / (2 * h) for s in steps]).reshape(x.shape)


def sorted_sum(a):
    programs.sort_between(a, 0, len(a) - 1)
    return np.sum(a * np.arange(len(a)) ** 2)


VALUES = np.array([0.5, -1.0, 2.0, 0.3, 0.7, -0.2, 1.1])
GRADIENTS = [
    (programs.power, (0.7, np.int64(10)), (0,)),
    (programs.int_or_float, (5.5,), (0,)),
    (programs.adaptive_quadrature, (0.3, 1.5), (0, 1)),
    (programs.inner_function, (0.7, np.int64(5)), (0,)),
    (programs.variables_in_cells, (np.int64(4), 0.5), (1,)),
    (programs.in_a_for_loop, (0.3, np.int64(4)), (0,)),
    (programs.one_recursion_in_another, (2.5,), (0,)),
    (programs.called_in_a_loop, (3.5,), (0,)),
    (programs.tree, (VALUES, programs.LEFT, programs.RIGHT, np.int64(0)), (0,)),
    (lambda *xs: programs.vectors_as_results(*xs)[0],
     (VALUES, programs.LEFT, programs.RIGHT, np.int64(0)), (0,)),
    (programs.a_local_array, (np.array([1.0, 2.0]), np.int64(3)), (0,)),
    (sorted_sum, (VALUES,), (0,)),
    (lambda p, q: programs.search_by_a_method(p, q)[0],
     (programs.POINTS, np.array([0.3, 0.2])), (0, 1)),
]  # fmt: skip


@pytest.mark.parametrize(("f", "args", "argnums"), GRADIENTS)
def test_gradient(f, args, argnums):
    found = myia.grad(f, argnums=argnums)(*copy.deepcopy(args))
    for i, g in zip(argnums, found):
        np.testing.assert_allclose(g, central(f, args, i), rtol=2e-6, atol=2e-8)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("f", "x"),
    [
        (lambda x: programs.inner_function(x, np.int64(5)), 0.7),
        (lambda x: programs.power(x, np.int64(6)), 1.3),
        (lambda x: programs.adaptive_quadrature(x, 1.5), 0.4),
    ],
)
def test_second_order(f, x):
    wanted = central(myia.grad(f), (x,), 0)
    np.testing.assert_allclose(myia.grad(myia.grad(f))(x), wanted, rtol=1e-6)
    np.testing.assert_allclose(myia.jacfwd(myia.grad(f))(x), wanted, rtol=1e-6)
    np.testing.assert_allclose(myia.grad(myia.jacfwd(f))(x), wanted, rtol=1e-6)


def test_gradient_inside_compiled_code():
    def f(x):
        return myia.grad(lambda y: programs.power(y, np.int64(5)))(x) * x

    np.testing.assert_allclose(myia.jit(f)(1.3), 5 * 1.3**5, rtol=1e-12)


def test_a_compiled_function_calls_itself():
    assert run(lambda n: programs.compiled_power(0.7, n), np.int64(4)) == pytest.approx(1.5066)
    slope = myia.grad(programs.compiled_power)(0.7, np.int64(4))
    assert slope == pytest.approx(4 * 0.7**3 + 0.5 * (1 + 2 * 0.7 + 3 * 0.49))


def test_gradient_of_an_inner_recursion():
    def f(x, n):
        def go(y, k):
            return y**3 if k <= 0 else go(y * 0.5, k - 1) + y * go(y, k - 2)

        return go(x, n), myia.grad(lambda y: go(y, n))(x)

    n = np.int64(3)
    value, slope = ReferenceCalls(myia.jit(f))(0.7, n)
    assert slope == pytest.approx(central(lambda x: f(x, n)[0], (0.7,), 0), rel=1e-6)
    assert value == pytest.approx(f(0.7, n)[0])


# ----- The limit


def down(n):
    return 0 if n == 0 else 1 + down(n - 1)


def test_as_deep_as_the_limit():
    limit = sys.getrecursionlimit()
    assert myia.jit(down)(np.int64(limit - 1)) == limit - 1
    with pytest.raises(
        RecursionError, match="maximum recursion depth exceeded in a call of `down`"
    ):
        myia.jit(down)(np.int64(limit))


def test_another_limit():
    f, before = myia.jit(down), sys.getrecursionlimit()
    with pytest.raises(RecursionError):
        f(np.int64(before + 500))
    sys.setrecursionlimit(before + 600)
    try:
        assert f(np.int64(before + 500)) == before + 500
    finally:
        sys.setrecursionlimit(before)


# ----- Exceptions, and what is refused


def raises_deep_inside(x):
    if x < 1:
        raise ValueError(f"{x} is small")
    return raises_deep_inside(x - 1) + 1


def test_an_exception_deep_inside():
    with pytest.raises(ValueError, match=r"0\.5 is small"):
        myia.jit(raises_deep_inside)(3.5)


# ----- Exceptions that are caught around the recursion


class Found(Exception):
    def __init__(self, value, at):
        super().__init__("found", at)
        self.value, self.at = value, at


def search(v, lo, hi, x):
    """Raises from deep inside what it has found; marks what it has seen."""
    if lo >= hi:
        return 0.0
    m = (lo + hi) // 2
    seen = v[m]
    v[m] = -seen
    if abs(seen - x) < 0.25:
        raise Found(seen * x, m)
    return search(v, lo, m, x) + 0.5 * search(v, m + 1, hi, x) + seen


def found_by_an_exception(v, x):
    try:
        result = search(v, 0, len(v), x)
    except Found as e:
        result = e.value * e.at
    return result * x


def caught_in_a_loop(v, x):
    total = 0.0
    for i in range(3):
        try:
            total += search(v, 0, len(v), x + i)
        except Found as e:
            total -= e.value
            continue
        finally:
            total *= 0.5
        total += x
    return total


def caught_in_another_recursion(v, x, n):
    if n == 0:
        return x
    return outer_step(v, x, n) * x + caught_in_another_recursion(v, x, n - 1)


def outer_step(v, x, n):
    try:
        return search(v, 0, n, x)
    except (Found, ZeroDivisionError) as e:
        return 2.0 + len(e.args)


def quotient(x, n):
    return 1.0 / x if n == 0 else quotient(x - 1.0, n - 1) * x


def of_an_operation(x, n):
    try:
        return quotient(x, n)
    except ZeroDivisionError:
        return -x


def too_deep(n):
    return 0 if n == 0 else 1 + too_deep(n - 1)


def depth_as_an_exception(x, n):
    try:
        return x * too_deep(n)
    except RecursionError:
        return 3.0 * x


V = np.array([0.5, -1.0, 2.0, 0.3, 0.7, -0.2, 1.1])
CAUGHT = [
    (found_by_an_exception, (V, 0.6), 1),
    (found_by_an_exception, (V, 9.0), 1),
    (found_by_an_exception, (V[:0], 9.0), 1),
    (caught_in_a_loop, (V, 0.9), 1),
    (caught_in_another_recursion, (V, 0.6, np.int64(4)), 1),
    (of_an_operation, (2.0, np.int64(2)), 0),
    (of_an_operation, (2.5, np.int64(2)), 0),
    (depth_as_an_exception, (0.5, np.int64(2000)), 0),
    (depth_as_an_exception, (0.5, np.int64(20)), 0),
]


@pytest.mark.parametrize(("f", "args", "argnum"), CAUGHT)
def test_caught_around_the_recursion(f, args, argnum):
    expected, given = copy.deepcopy(args), copy.deepcopy(args)
    assert_same(run(f, *given), f(*expected))
    assert_same(given, expected)
    slope = myia.grad(f, argnums=argnum)(*copy.deepcopy(args))
    if f is not of_an_operation or args[0] != 2.0:  # which is no smooth point
        np.testing.assert_allclose(slope, central(f, args, argnum), rtol=2e-6, atol=2e-8)


def through_a_library(x):
    return x if x < 1 else sum(map(through_a_library, [x - 1, x - 2]))


def in_a_comprehension(x):
    return x if x < 1 else sum([in_a_comprehension(x - i) for i in range(1, 3)])


def growing(v, n):
    return v.sum() if n == 0 else growing(np.append(v, 1.0), n - 1) + 1


def doubling(v, n):
    return v.sum() if n == 0 else doubling(np.concatenate([v, v]), n - 1) + 1


def doubling_tuples(x, n, t=(1.0, 2.0)):
    return t[0] * x if n == 0 else doubling_tuples(x, n - 1, t + t) + len(t)


def doubling_lists(x, n, t=(1.0, 2.0)):
    return t[0] * x if n == 0 else doubling_lists(x, n - 1, [*t, *t]) + len(t)


def doubling_texts(x, n, t="ab"):
    return len(t) * x if n == 0 else doubling_texts(x, n - 1, t + t) + len(t)


def a_list_that_is_passed_on(xs, n):
    if n == 0:
        return xs[0]
    ys = [xs[0] + 1]
    return a_list_that_is_passed_on(ys, n - 1) + ys[0]


def a_view_of_what_changes(v, w, n):
    if n == 0:
        return w[0]
    v[0] += 1
    return a_view_of_what_changes(v, v[:2], n - 1) + v[1]


def an_array_passed_on_and_changed(v, n):
    if n == 0:
        return v.sum()
    w = v + 1
    s = an_array_passed_on_and_changed(w, n - 1)
    w[0] = s
    return w.sum()


def an_argument_that_is_changed(v, n):
    v[0] += 1
    if n == 0:
        return v.sum()
    w = v * 2
    return an_argument_that_is_changed(w, n - 1) + w.sum()


N = np.int64(3)
REFUSED = [
    (through_a_library, (3.0,), "through an operator, an attribute or a function of a library"),
    (in_a_comprehension, (3.0,), "a recursion on run-time values has"),
    (growing, (np.ones(2), N), "recursion does not end at compile time"),
    (doubling, (np.ones(2), N), "whose arrays grow to 2,097,152 elements is not supported"),
    (doubling_tuples, (1.0, N), "lists or tuples grow to 4,099 items is not supported"),
    (doubling_lists, (1.0, N), "lists or tuples grow to 4,099 items is not supported"),
    (doubling_texts, (1.0, N), "lists or tuples grow to 4,098 items is not supported"),
    (a_list_that_is_passed_on, ([1.0], N), "recursion does not end at compile time"),
    (a_view_of_what_changes, (np.ones(3), np.ones(2), N), "writes to the first"),
    (
        an_array_passed_on_and_changed,
        (np.ones(3), N),
        "cannot write into an array that a recursion",
    ),
    (an_argument_that_is_changed, (np.ones(3), N), "cannot write into an array that a recursion"),
]


@pytest.mark.parametrize(("f", "args", "message"), REFUSED)
def test_refused(f, args, message):
    f(*copy.deepcopy(args))
    with pytest.raises(MyiaError, match=message):
        run(f, *args)
