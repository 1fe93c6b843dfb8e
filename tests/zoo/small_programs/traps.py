"""Where others are silently wrong."""

from __future__ import annotations

import math

import numpy as np

from tests.zoo.small_programs.registry import program

A = np.array
M = np.array([[1.0, 2.0, 0.5], [0.3, -1.0, 2.5]])


@program((0.7,), (2.3,))
def stores_truncate_in_integer_arrays(x):
    a = np.zeros(3, int)
    a[0] = 0.7
    b = np.full(3, 0)
    b[1] = x
    c = np.zeros_like(np.array([1, 2]))
    c[:] = 1.9
    return a, b.sum() * x, c, np.array([1, 2]).dtype == b.dtype


@program((A([1.0, 2.0], np.float32), 2.0), (A([0.5], np.float32), 3.0))
def weak_float_meets_float32(a, x):
    s = 0.0
    for v in a:
        s += v
    t = 1.0
    for v in a:
        t = t * v * x
    return s, t


@program((1.0, math.nan), (math.nan, 1.0), (1.0, 2.0), (2.0, 1.0))
def python_max_of_nan(x, y):
    return (max(x, y) > 0) + 2 * (min(x, y) > 0), max(1.0, y, x) == 1.0


@program(
    (2.0, 3.0), exact=[((2.0, 2.0), (1.0 + 0.5, 0.0 + 0.5)), ((-0.0, 0.0), (1.0 + 0.5, 0.0 + 0.5))]
)
def ties_of_both_kinds(x, y):
    return max(x, y) + np.maximum(x, y)


@program((A([1.0, 2.0, 5.0, -3.0]),), exact=[((A([1.0, 2.0, 0.0, -3.0]),), (A([1, 0.5, 0, 0]),))])
def logarithm_of_a_head(x):
    return np.log(x[:2]).sum()


@program((A([1.0, 2.0, 0.0, -3.0]), 2), (A([1.0, 2.0, 0.0, -3.0]), 0))
def logarithm_of_a_head_by_loop(x, n):
    s = 0.0
    for v in x[:n]:
        s += np.log(v)
    return s


@program((A([1.0, 4.0, 0.5]),), exact=[((A([1.0, 0.0, -4.0]),), (A([0.5, 0.0, 0.0]),))])
def roots_where_positive(x):
    s = 0.0
    for v in x:
        if v > 0:
            s += math.sqrt(v)
    return s


@program((2.0, 3.0), exact=[((0.0, 3.0), (0.0, 1.0)), ((0.0, 0.0), (0.0, 1.0))])
def untaken_power(x, y):
    return x**-0.5 + y if x > 0 else y


@program((A([2.0, 0.5]), 3.0), exact=[((A([0.0, 0.5]), 3.0), (A([0.0, -4.0]), 0.0))])
def continue_skips_a_pole(a, x):
    s = 0.0
    for v in a:
        if v == 0:
            continue
        s += 1 / v
    return s


@program((A([1.0, 2.0, 3.0]), A([7.0, 8.0])), (A([0.1, 0.2, 0.3]), A([1.0, 2.0])))
def last_of_two_stores(y, v):
    y[[1, 1]] = v
    return y * y


@program((A([1.0, 2.0, 3.0]), 2.0), (A([0.1, 0.2, 0.3]), 0.5))
def cell_stays_when_a_name_moves(a, x):
    b = a
    a = a * x
    b[0] = 5.0
    a[1] = b[0] * b[1]
    return a, b


@program((M,), (M[:1],))
def written_through_a_reshape(m):
    m.reshape(-1)[0] = 9.0
    m.T.reshape(-1)[1] = 7.0
    return m * m


@program((A([1.0, 2.0, 3.0, 4.0]),), (A([0.1, 0.2, 0.3, 0.4]),))
def overlapping_moves(x):
    x[1:] = x[:-1]
    x[:2] += x[2:]
    x[::-1] = x * 2
    x[1:3] = x[2:0:-1] + x[0]
    return x


@program((8388609, 3.0), (16777217, 2.0))
def integers_wider_than_float32(n, x):
    k = np.array([n, n], np.int32)
    return np.mean(k) * x, np.sqrt(k) * x, np.sum(k) / 2


@program((7, 0.5), (-7, 0.5))
def signs_of_integer_division(n, x):
    i = int(x * 10)
    return n // 2, n % 3, -n // i, n % -i, (-n) % 4, divmod(n, i)


@program((3.7, 2.0), (-3.7, 2.0), (0.2, 2.0))
def traced_integers_are_exact(x, y):
    n = int(x)
    return n // 2, n % 3, n / 2, n**2, -n, abs(n), n * y, y**n, n == 3, float(n)


@program((1.5, 3), (0.5, 2))
def defaults_bound_once(x, n):
    fs = []
    for i in range(n):

        def f(t, i=i, scale=x * i):
            return t * i + scale

        fs.append(f)
    s = 0.0
    for f in fs:
        s += f(x)
    return s


@program((A([1.0, 2.0, 3.0]),), (A([0.5, 0.1, 4.0]),))
def increment_reads_first(a):
    def shift():
        a[1] = a[1] + 10.0
        return a[0]

    a[1] += shift()
    x = a[0]
    a[0] = a[2]
    return x * a


@program((1.5, 4), (0.5, 1))
def names_after_loops(x, n):
    for i in range(n):
        y = x * i
    for j in (3.0, 4.0, x):
        pass
    return i * y + j


@program((0.5, 3), (2.0, 0))
def loop_over_a_list_that_grows(x, n):
    xs = [x, 2.0]
    s = 0.0
    for v in xs:
        s = s * x + v
        if len(xs) < 5:
            xs.append(v + n)
    return s * len(xs)


@program((2.0, 3.0), (0.3, -2.0))
def shared_subexpressions_of_branches(x, y):
    z = np.exp(x)
    if x > 1:
        return z * y
    w = np.exp(x) * y
    return w + z


@program((A([1.0, 2.0]), 3), (A([1.0, 2.0]), 0))
def carried_twice(a, n):
    b = a
    for _ in range(n):
        a, b = b * 0.5, a + b
    return a, b


@program((A([1.0, 2.0]), 3), (A([1.0, 2.0]), 2))
def aliases_through_a_loop(a, n):
    b = a
    for i in range(n):
        b[i % 2] += a[0]
    return a * b


@program((0.7, 4), (0.2, 3))
def dead_carries(x, n):
    y, unused, z = x, x, 1.0
    for i in range(n):
        unused = unused * z + i
        y = y * x
        z = z + unused
    return y


@program((0.0, 2.0), (0.5, 2.0))
def zero_to_a_power(x, y):
    return x**2 + x**1 + (x + 1) ** 0, 0.0**y


@program((A([0.0, 3.0]),), (A([-2.0, 0.0]),))
def products_with_zeros(a):
    return np.prod(a), a**2, a[0] * a[1]
