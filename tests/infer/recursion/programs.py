"""Recursive functions as people write them; the values of their arguments end the recursion."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

import myia

PROGRAMS: list[tuple[Callable, tuple]] = []
LEFT = np.array([1, 3, 5, -1, -1, -1, -1])
RIGHT = np.array([2, 4, 6, -1, -1, -1, -1])
WALLS = np.array([[0, 0, 1, 0], [1, 0, 0, 0], [0, 0, 1, 1], [0, 1, 0, 0]])


def program(*args):
    def register(f):
        PROGRAMS.append((f, args))
        return f

    return register


# ----- Numbers


@program(np.int64(9))
@program(np.int64(1))
def fib(n):
    if n < 2:
        return n
    return fib(n - 1) + fib(n - 2)


@program(np.int64(5))
def factorial_of_a_conditional(n):
    return 1 if n == 0 else n * factorial_of_a_conditional(n - 1)


@program(np.int64(2), np.int64(3))
def ackermann(m, n):
    if m == 0:
        return n + 1
    if n == 0:
        return ackermann(m - 1, n + 1)
    return ackermann(m - 1, ackermann(m, n - 1))


@program(0.7, np.int64(10))
def power(x, n):
    if n == 0:
        return 1.0
    half = power(x, n // 2)
    return half * half * x if n % 2 else half * half


@program(5.5)
def int_or_float(x):
    if x < 1.0:
        return 0
    return int_or_float(x - 1.0) + x * 0.5


@program(3.5)
def none_or_number(x):
    if x < 0:
        return None
    deeper = none_or_number(x - 1)
    return x if deeper is None else deeper * x


@program(np.int64(7))
def by_keyword_and_default(n, step=2, *, scale=1.5):
    if n <= 0:
        return 0.5
    return scale * by_keyword_and_default(n=n - step, scale=scale) + n


@program(np.int64(6), np.int64(2))
def binomial(n, k):
    if k == 0 or k == n:
        return 1
    return binomial(n - 1, k - 1) + binomial(n - 1, k)


@program(1.5 + 0.5j)
def of_complex_numbers(z):
    return z if abs(z) < 0.2 else of_complex_numbers(z * 0.5j) * z + 1


@program(np.float32(3.0))
def of_float32(x):
    return x if x < np.float32(0.5) else of_float32(x / np.float32(2)) * x


@program(4.0)
def a_value_on_one_path(x):
    if x > 2:
        y = a_value_on_one_path(x - 1)
    if x > 3:
        return y * x
    return x


@program(0.3, np.int64(4))
def in_a_for_loop(x, n):
    total = x
    for i in range(n):
        if i == 2:
            total += 0.5
            continue
        total += in_a_for_loop(x * 0.5, i)
        if total > 3:
            break
    else:
        total = -total
    return total


@program(3.0)
def in_a_while_loop(x):
    total = 1.0
    while x > 1 and in_a_while_loop(x - 1.5) > 0:
        x = x - 1
        total = total + x
    return total


@program(np.array([0.5, 1.5, 2.5]), np.int64(3))
def over_the_rows_of_an_array(v, n):
    total = 0.0
    if n > 0:
        for i, (a, b) in enumerate(zip(v, v[::-1])):
            total += i * a + b * over_the_rows_of_an_array(v, n - 2)
    return total


@program(2.5)
def one_recursion_in_another(x):
    def inner(y):
        return 1.0 if y < 1 else y * inner(y - 1)

    return x if x < 0 else inner(x) + one_recursion_in_another(x - 1) * 0.5


@program(3.5)
def called_in_a_loop(x):
    def go(y):
        return y if y < 1 else go(y - 1) + go(y - 2) * y

    total = 0.0
    while x > 0:
        total += go(x)
        x -= 1
    return total


# ----- Several functions


@program(np.int64(7))
def is_even(n):
    return True if n == 0 else is_odd(n - 1)


def is_odd(n):
    return False if n == 0 else is_even(n - 1)


def simpson(f, a, b):
    return (b - a) / 6 * (f(a) + 4 * f(0.5 * (a + b)) + f(b))


def quad(f, a, b, eps):
    m = 0.5 * (a + b)
    whole, left, right = simpson(f, a, b), simpson(f, a, m), simpson(f, m, b)
    if abs(left + right - whole) <= 15 * eps:
        return left + right + (left + right - whole) / 15
    return quad(f, a, m, eps / 2) + quad(f, m, b, eps / 2)


@program(0.3, 1.5)
def adaptive_quadrature(a, b):
    return quad(lambda x: x * x * np.sqrt(x), a, b, 1e-7)


TOKENS = np.array([3, -3, -4, 2, -1, 5, -2, 1, -5, -1, 4])  # 3 * (2 + 5 - 1) + 4


@program(TOKENS, np.int64(0))
def parser(t, at):
    return expression(t, at)[0]


def expression(t, at):
    value, at = term(t, at)
    while at < len(t) and (t[at] == -1 or t[at] == -2):
        op = t[at]
        other, at = term(t, at + 1)
        value = value + other if op == -1 else value - other
    return value, at


def term(t, at):
    value, at = factor(t, at)
    while at < len(t) and t[at] == -3:
        other, at = factor(t, at + 1)
        value = value * other
    return value, at


def factor(t, at):
    if t[at] == -4:
        value, at = expression(t, at + 1)
        return value, at + 1
    return t[at], at + 1


# ----- Closures, methods, state


@program(0.7, np.int64(5))
def inner_function(x, n):
    def go(y, k):
        if k <= 0:
            return y
        return go(y * x, k - 1) + np.sin(go(y + x, k - 2))

    return go(1.0, n)


@program(0.7, np.int64(5))
def lambda_under_a_name(x, n):
    go = lambda k: x if k < 1 else go(k - 1) * x + k  # noqa: E731
    return go(n)


@program(np.int64(5))
def nonlocal_count(n):
    calls = 0

    def go(k):
        nonlocal calls
        calls += 1
        if k > 1:
            go(k - 1)
            go(k - 2)

    go(n)
    return calls


@program(np.int64(4), 0.5)
def variables_in_cells(n, x):
    def go(k, y):
        if k == 0:
            return y
        z = y * x
        scaled = lambda t: t * z  # noqa: E731
        return scaled(go(k - 1, y + 1)) + z

    return go(n, x)


class Search:
    def __init__(self, points):
        self.points, self.visits = points, 0

    def nearest(self, q, lo, hi, axis, best):
        self.visits += 1
        if lo >= hi:
            return best
        m = (lo + hi) // 2
        p = self.points[m]
        best = min(best, np.sum((p - q) ** 2))
        d = q[axis] - p[axis]
        if d < 0:
            best = self.nearest(q, lo, m, 1 - axis, best)
            return self.nearest(q, m + 1, hi, 1 - axis, best) if d * d < best else best
        best = self.nearest(q, m + 1, hi, 1 - axis, best)
        return self.nearest(q, lo, m, 1 - axis, best) if d * d < best else best


POINTS = np.array([[-1.0, 0.5], [-0.5, 0.0], [-0.2, 1.0], [0.1, 0.2], [0.4, -1.0], [0.6, 0.4]])


@program(POINTS, np.array([0.3, 0.2]))
def search_by_a_method(points, q):
    search = Search(points)
    return search.nearest(q, 0, len(points), 0, np.inf), search.visits


class Weighed:
    def __init__(self, weights):
        self.weights, self.calls = weights, 0

    def __call__(self, n, x):
        self.calls += 1
        if n <= 0:
            return x * self.weights[0]
        return self(n - 1, x + 1) * self.weights[1] + self(n - 2, x)


@program(np.int64(4), 0.7, np.array([0.5, 0.3]))
def callable_instance(n, x, weights):
    f = Weighed(weights)
    return f(n, x) + f.calls


@myia.jit
def compiled_power(x, n):
    return 1.0 if n == 0 else x * compiled_power(x, n - 1) + 0.5


def scaled(f):
    return lambda *args: f(*args) * 1.5


@scaled
def halves(x, n):
    return x if n <= 0 else halves(x * 0.5, n - 1) + x


@program(0.7, np.int64(3))
def a_decorator(x, n):
    return halves(x, n)


# ----- Arrays


@program(np.array([0.5, -1.0, 2.0, 0.3, 0.7, -0.2, 1.1]), LEFT, RIGHT, np.int64(0))
def tree(v, left, right, i):
    if i < 0:
        return 0.0
    return v[i] * v[i] + tree(v, left, right, left[i]) * tree(v, left, right, right[i])


@program(np.array([0.5, -1.0, 2.0, 0.3, 0.7, -0.2, 1.1]), LEFT, RIGHT, np.int64(0))
def vectors_as_results(v, left, right, i):
    if i < 0:
        return np.zeros(2)
    a = vectors_as_results(v, left, right, left[i])
    b = vectors_as_results(v, left, right, right[i])
    out = np.array([a[0] + b[1], a[1] * b[0]]) + v[i]
    out[0] *= 2
    return out


@program(np.array([1.0, 2.0]), np.int64(3))
def a_local_array(v, n):
    if n == 0:
        return v.sum()
    w = v * n
    s = a_local_array(v, n - 1)
    w[0] += s
    return w.sum() + a_local_array(v, n - 2 if n > 1 else 0)


@program(WALLS, np.int64(1), np.int64(1))
def flood(grid, i, j):
    if i < 0 or j < 0 or i >= grid.shape[0] or j >= grid.shape[1] or grid[i, j] != 0:
        return 0
    grid[i, j] = 2
    return (
        1 + flood(grid, i + 1, j) + flood(grid, i - 1, j) + flood(grid, i, j + 1)
        + flood(grid, i, j - 1)
    )  # fmt: skip


@program(WALLS, np.int64(1), np.int64(1))
def flood_in_a_loop(grid, i, j):
    grid[i, j] = 2
    for di, dj in ((1, 0), (-1, 0), (0, 1), (0, -1)):
        y, x = i + di, j + dj
        if 0 <= y < grid.shape[0] and 0 <= x < grid.shape[1] and grid[y, x] == 0:
            flood_in_a_loop(grid, y, x)


def sort_between(a, lo, hi):
    if lo >= hi:
        return
    i = lo
    for j in range(lo, hi):
        if a[j] < a[hi]:
            a[i], a[j] = a[j], a[i]
            i += 1
    a[i], a[hi] = a[hi], a[i]
    sort_between(a, lo, i - 1)
    sort_between(a, i + 1, hi)


@program(np.array([0.5, -1.0, 2.0, 0.3, 0.7, -0.2, 1.1]))
def quicksort(a):
    sort_between(a, 0, len(a) - 1)


@program(np.zeros(5, int), np.int64(0))
def queens(board, row):
    if row == len(board):
        return 1
    count = 0
    for column in range(len(board)):
        free = True
        for r in range(row):
            if board[r] == column or abs(board[r] - column) == row - r:
                free = False
                break
        if free:
            board[row] = column
            count += queens(board, row + 1)
    return count


@program(np.full(30, -1.0), np.int64(12))
def memory_in_an_array(memo, n):
    if n < 2:
        return float(n)
    if memo[n] < 0:
        memo[n] = memory_in_an_array(memo, n - 1) + memory_in_an_array(memo, n - 2)
    return memo[n]


@program(np.array([1.0, 2.0]), np.int64(3))
def arrays_as_arguments(v, n):
    if n == 0:
        return v.sum()
    first = arrays_as_arguments(v * 0.5, n - 1)
    return first * v[0] + arrays_as_arguments(v + 1, n // 2)
