"""Functions that call themselves in tail position and elsewhere, as deep as a static number says.

Values, changed arguments, exceptions and derivatives of Python's run.
"""

import numpy as np
import pytest

import myia
from myia.source.diagnostics import MyiaError
from tests.infer.driver import assert_same, inferred

FUNCTIONS = (np.sin, np.cos, np.tanh)
WEIGHTS = [np.eye(3)[:2] * 0.5 + 0.1, np.full((4, 2), 0.1), np.ones((1, 4))]
BOARD = np.array([[1, 0, 0, 0], [0, 0, 3, 0], [0, 4, 0, 0], [0, 0, 0, 2]])
WRONG_BOARD = np.array([[1, 0, 0, 1], [0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 0, 0]])


def factors(x, k):
    if k == 3:
        return 1.0
    if x > 0:
        return factors(x - 0.4, k + 1)
    return x * factors(x + 0.35, k + 1)


def of_a_number(x):
    return factors(x, 0)


def rows(x, k):
    if k == 3:
        return x
    if x.sum() > 0:
        return rows(x - 1, k + 1)
    return x * rows(x + 0.5, k + 1)


def of_an_array(x):
    return rows(x, 0).sum()


def power(x, n):
    if n == 0:
        return 1.0
    if n % 2:
        return x * power(x, n - 1)
    return power(x * x, n // 2)


def fifth(x):
    return power(x, 5)


def accumulated(x, n, product=1.0):
    if n == 0:
        return product
    if n % 2:
        return accumulated(x, n - 1, product * x)
    half = accumulated(x, n // 2)
    return half * half * product


def thirteenth(x):
    return accumulated(x, 13)


def inner_function(x):
    def go(y, k):
        if k == 0:
            return x
        if y > x:
            return go(y * 0.5, k - 1)
        return y * go(y * 2.5, k - 1)

    return go(x * 0.9, 4)


class Stairs:
    def __init__(self, height):
        self.height = height

    def climb(self, x, k):
        if k == 0:
            return self.height
        if x > self.height:
            return self.climb(x - self.height, k - 1)
        return x * self.climb(x + 1, k - 1)


def method(x):
    return Stairs(x * 0.4).climb(x, 4)


def even(x, n):
    if n == 0:
        return x
    if x > 1:
        return odd(x * 0.5, n - 1)
    return x + odd(x * 1.5, n - 1)


def odd(x, n):
    if n == 0:
        return -x
    if x > 1:
        return even(x * 0.7, n - 1)
    if x > 0.5:
        return odd(x + 0.3, n - 1)
    return x * even(x * 1.2, n - 1)


def each_other(x):
    return even(x, 5)


def nested(m, n, x):
    if m == 0:
        return n + x
    if n < 1:
        return nested(m - 1, 1.0, x)
    return nested(m - 1, nested(m, n - 1, x), x * 0.9)


def in_an_argument(x):
    return nested(1, 2.0, x)


def knapsack(weights, room):
    def go(i, left, value):
        if i == len(weights):
            return value
        if weights[i] > left:
            return go(i + 1, left, value)
        return max(go(i + 1, left, value), go(i + 1, left - weights[i], value + weights[i] ** 2))

    return go(0, room, 0.0)


# ----- What needs its numbers when compiling


def a_function_for_each(x, k):
    if k == 3:
        return np.float64(1.0)
    if x > 0:
        return a_function_for_each(FUNCTIONS[k](x) - 0.3, k + 1)
    return x * a_function_for_each(FUNCTIONS[k](x) + 0.2, k + 1)


def functions_in_turn(x):
    return x * a_function_for_each(x, 0)


def halves(v):
    if len(v) == 1:
        return v[0]
    if v[0] > 0:
        return halves(v[: len(v) // 2])
    return v[0] * halves(v[len(v) // 2 :])


def tail_halves(v):
    if len(v) == 1:
        return v[0]
    if v[0] > 0:
        return tail_halves(v[: len(v) // 2] * 2.0)
    return v.sum()


def layers(x, weights):
    if not weights:
        return x.sum()
    first, *rest = weights
    if x.sum() > 0:
        return layers(np.tanh(first @ x), rest)
    return 2 * layers(first @ x, rest)


def network(x):
    return layers(x, WEIGHTS)


# ----- Changed arguments


def backtracking(board):
    def fits(r, c, v):
        for i in range(4):
            if board[r, i] == v or board[i, c] == v:
                return False
        a, b = r // 2 * 2, c // 2 * 2
        return not (board[a : a + 2, b : b + 2] == v).any()

    def solve(pos):
        if pos == 16:
            return True
        r, c = pos // 4, pos % 4
        if board[r, c]:
            return solve(pos + 1)
        for v in range(1, 5):
            if fits(r, c, v):
                board[r, c] = v
                if solve(pos + 1):
                    return True
                board[r, c] = 0
        return False

    return solve(0)


def changes_before_and_after(a):
    def go(k):
        if k == 4:
            return a.sum()
        if a[k] > 0:
            a[k] -= 0.5
            return go(k + 1)
        a[k] *= 2.0
        result = a[k] * go(k + 1)
        a[k] += 1.0
        return result

    return go(0)


def queens(columns):
    count = 0

    def place(r):
        nonlocal count
        if r == 4:
            count += 1
            return False
        for c in range(4):
            free = True
            for q in range(r):
                if columns[q] == c or abs(columns[q] - c) == r - q:
                    free = False
            if free:
                columns[r] = c
                if place(r + 1):
                    return True
        return False

    place(0)
    return count


V = np.array([1.0, -2.0, 3.0, 4.0, -3.0, 0.5, 2.0, 0.7])
NUMBERS = (of_a_number, fifth, thirteenth, inner_function, method, each_other, in_an_argument,
           functions_in_turn)  # fmt: skip
CALLS = [(f, (x,)) for f in NUMBERS for x in (-0.6, 0.45, 1.7)]
CALLS += [(of_an_array, (np.array([0.3, 0.2, s]),)) for s in (-0.4, -0.9)]
CALLS += [(f, (s * V,)) for f in (halves, tail_halves) for s in (1.0, -1.0)]
CALLS += [(network, (np.array([s, 2.0, -3.5]),)) for s in (1.0, 2.0)]
CALLS += [(knapsack, (np.array([3.0, 1.0, 2.5]), room)) for room in (1.2, 3.7, 9.0)]


@pytest.mark.parametrize(("f", "args"), CALLS)
def test_value_and_gradient(f, args):
    assert_same(myia.jit(f)(*args), f(*args), 1e-13)
    x, *rest = args
    steps = 1e-6 * np.eye(np.size(x)).reshape(-1, *np.shape(x))
    wanted = [(f(x + h, *rest) - f(x - h, *rest)) / 2e-6 for h in steps]
    np.testing.assert_allclose(np.ravel(myia.grad(f)(*args)), wanted, rtol=1e-5, atol=1e-7)


@pytest.mark.parametrize("f", (of_a_number, method, each_other, functions_in_turn))
def test_second_order(f):
    slope = myia.grad(f)
    wanted = (slope(-0.6 + 1e-5) - slope(-0.6 - 1e-5)) / 2e-5
    np.testing.assert_allclose(myia.grad(slope)(-0.6), wanted, rtol=1e-5)
    np.testing.assert_allclose(myia.jacfwd(slope)(-0.6), wanted, rtol=1e-5)


@pytest.mark.parametrize(
    ("f", "x"),
    [
        (backtracking, BOARD),
        (backtracking, WRONG_BOARD),
        (changes_before_and_after, np.array([0.3, -0.2, 0.7, -1.0])),
        (queens, np.zeros(4, int)),
    ],
)
def test_changed_arguments(f, x):
    mine, expected = x.copy(), x.copy()
    assert_same(myia.jit(f)(mine), f(expected))
    assert_same(mine, expected)


def test_a_static_depth_is_inlined():
    """As in a recursion without a tail call: neither a loop nor a stack."""
    program, _ = inferred(of_a_number, 0.5)
    assert "loop" not in {op.primitive.name for op in program.function.region.ops}


def test_a_tail_call_alone_is_a_loop_still():
    def last(x, n=900):
        if n == 0 or x > 1e3:
            return x
        return last(x * 1.01, n - 1)

    program, _ = inferred(last, 0.5)
    assert [op.primitive.name for op in program.function.region.ops].count("loop") == 1
    assert myia.jit(last)(0.5) == last(0.5)


def raises_in_the_end(x, k):
    if k == 2:
        raise ValueError("end")
    if x > 5:
        return 3.0
    if x > 0:
        return raises_in_the_end(x + 1, k + 1)
    return 2 * raises_in_the_end(x - 1, k + 1)


@pytest.mark.parametrize("x", (0.5, -3.0, 4.5))
def test_exceptions(x):
    def caught(x):
        try:
            return raises_in_the_end(x, 0)
        except ValueError:
            return -1.0

    assert myia.jit(caught)(x) == caught(x)
    jitted = myia.jit(lambda x: raises_in_the_end(x, 0))
    if caught(x) == -1.0:
        with pytest.raises(ValueError, match="end"):
            jitted(x)
    else:
        assert jitted(x) == 3.0


def shrinking(v, n):
    if n == 0:
        return v.sum()
    if v[0] > 0:
        return shrinking(v[1:], n - 1)
    return v[0] * shrinking(v[1:], n - 1)


def test_arrays_that_shrink():
    v = np.array([1.0, -2.0, 3.0, 0.5])
    assert myia.jit(lambda v: shrinking(v, 3))(v) == shrinking(v, 3)
    with pytest.raises(MyiaError, match="recursion"):  # as often as only the run knows
        myia.jit(shrinking)(np.ones(300), np.int64(3))
