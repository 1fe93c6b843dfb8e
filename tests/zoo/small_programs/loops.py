"""`for`: ranges, rows, zips, lists; carried values; nests; loops that run no time."""

from __future__ import annotations

import numpy as np

from tests.zoo.small_programs.registry import program

A = np.array
M = np.array([[1.0, 2.0, 0.5], [0.3, -1.0, 2.0]])


@program((0.9, 0), (0.9, 1), (0.9, 5))
def power_by_range(x, n):
    y = 1.0
    for _ in range(n):
        y = y * x
    return y


@program((0.9,), (-0.4,))
def range_of_constant(x):
    y = x
    for i in range(4):
        y = np.sin(y) + i * x
    return y


@program((1.1, 2, 7), (1.1, 7, 2), (1.1, -3, 3))
def range_from_start(x, a, b):
    s = 0.0
    for i in range(a, b):
        s += i * x
    return s * s


@program((1.1, 7, 0, -2), (1.1, 0, 7, -2), (1.1, 0, 7, 3))
def range_with_step(x, a, b, step):
    s = x
    for i in range(a, b, step):
        s = s * x + i
    return s


@program((1.1,), (0.3,))
def range_backwards(x):
    s = 0.0
    for i in range(5, 0, -1):
        s = s * x + i
    return s


@program((3.7, 1.1), (0.2, 1.1), (-3.0, 1.1))
def bound_from_data(x, y):
    n = int(x)
    s = x
    for i in range(n):
        s = s + y**i
    return s


@program((3.7, 1.1), (0.2, 1.1))
def both_bounds_from_data(x, y):
    n = int(x)
    s = x * y
    for i in range(n, 2 * n + 2):
        s = s * y + i
    return s


@program((3.7, 1.1), (0.2, 1.1))
def backwards_from_data(x, y):
    n = int(x)
    s = y
    for i in range(n, -1, -1):
        s = s * y + i * x
    return s


@program((A([1.0, 2.0, 3.0]),), (A([0.5]),), (A([]),))
def over_elements(a):
    s = 0.0
    for v in a:
        s += v * v
    return s


@program((M,), (M[:0],), (M.T.copy(),))
def over_rows(m):
    s = 0.0
    for row in m:
        s += np.sum(row * row) * row[0]
    return s


@program((A([1.0, 2.0, 3.0]), A([0.5, -1.0, 2.0])), (A([1.0]), A([2.0])))
def over_zip(a, b):
    s = 1.0
    for x, y in zip(a, b):
        s = s * (x + y)
    return s


@program((A([1.0, 2.0, 3.0]), A([0.5, -1.0])), (A([1.0]), A([2.0, 3.0, 4.0])))
def zip_of_different_lengths(a, b):
    s = 0.0
    for x, y in zip(a, b):
        s = s * x + y
    return s


@program((A([1.0, 2.0, 3.0]),), (A([0.5]),))
def over_enumerate(a):
    s = 0.0
    for i, v in enumerate(a):
        s = s + v ** (i + 1)
    return s


@program((A([1.0, 2.0, 3.0]),), (A([0.5]),))
def enumerate_from_one(a):
    s = 0.0
    for i, v in enumerate(a, 1):
        s = s + v / i
    return s


@program((A([1.0, 2.0, 3.0]), A([0.5, 0.2, 0.1])), (A([0.5]), A([0.3])))
def enumerate_of_zip(a, b):
    s = 0.0
    for i, (x, y) in enumerate(zip(a, b)):
        s = s * x + y * i
    return s


@program((A([1.0, 2.0, 3.0]),), (A([0.5]),))
def over_reversed(a):
    s = 0.0
    for v in reversed(a):
        s = s * 0.5 + v * v
    return s


@program((1.1, 4), (1.1, 0))
def reversed_range(x, n):
    s = 0.0
    for i in reversed(range(n)):
        s = s * x + i
    return s


@program((1.5, 0.7, -0.3), (0.1, 0.2, 0.3))
def over_a_tuple(a, b, c):
    s = 1.0
    for v in (a, b, c):
        s = s * v + v
    return s


@program(([0.5, 1.5, 2.5],), ([0.5],))
def over_a_list(xs):
    s = 1.0
    for v in xs:
        s = s * v + 1
    return s


@program(([0.5 + 0.1 * i for i in range(20)],), ([0.3 + 0.05 * i for i in range(20)],))
def over_a_long_list(xs):
    s = 1.0
    for v in xs:
        s = s * v + 0.1
    return s


@program(([A([1.0, 2.0]), A([0.5]), A([])], 2.0), ([A([1.0])], 3.0))
def over_arrays_of_different_shapes(arrays, x):
    s = x
    for a in arrays:
        s = s + np.sum(a * x)
    return s


@program(({"a": 1.0, "b": 2.0},), ({"a": 0.5, "b": -1.0},))
def over_a_dict(d):
    s = 0.0
    for k in d:
        s = s * 2 + d[k] ** 2
    return s


@program(({"a": 1.0, "b": 2.0},), ({"a": 0.5, "b": -1.0},))
def over_dict_views(d):
    s = 0.0
    for v in d.values():
        s += v * v
    for k, v in d.items():
        s += v if k == "a" else 3 * v
    for k in d.keys():
        s *= d[k]
    return s


@program((M,), (M * 2,))
def nest_over_elements(m):
    s = 0.0
    for i in range(m.shape[0]):
        for j in range(m.shape[1]):
            s = s + m[i, j] ** 2 * (i + 1) / (j + 1)
    return s


@program((0.9, 3), (0.9, 1), (0.9, 0))
def triangular_nest(x, n):
    s = 0.0
    for i in range(n):
        for j in range(i + 1):
            s = s * x + i - j
    return s


@program((0.9, 3.2), (0.9, 0.2))
def nest_with_bounds_from_data(x, t):
    n = int(t)
    s = t
    for i in range(n):
        for j in range(i):
            s = s * x + j
        s = s + x
    return s


@program((0.9, 2), (0.9, 0))
def nest_of_three(x, n):
    s = 1.0
    for i in range(n):
        for j in range(2):
            for k in range(n):
                s = s * x + i * j - k
    return s


@program((1.5, 5), (1.5, 0))
def int_becomes_float(x, n):
    s = 0
    for _ in range(n):
        s = s + x
    return s * x


@program((1.5, 5), (0.5, 2), (0.5, 0))
def int_becomes_float_late(x, n):
    a, b = 1, 0
    for _ in range(n):
        a, b = b, a * x
    return a + b + x


@program((1.5, 5), (1.5, 0))
def fibonacci(x, n):
    a, b = x, 1.0
    for _ in range(n):
        a, b = b, a + b
    return a * b


@program((1.5, 4), (1.5, 1))
def loop_variable_after_the_loop(x, n):
    i = 0
    for i in range(n):
        x = x * 1.1
    return x * i


@program((A([1.0, 2.0, 3.0]),), (A([0.5, 4.0]),))
def element_after_the_loop(a):
    s = 0.0
    for v in a:
        s += v
    return s * v


@program((1.5, 4), (1.5, 1))
def loop_variable_assigned(x, n):
    s = 0.0
    for i in range(n):
        i = i * 2
        s += i * x
    return s + i


@program((A([1.0, -2.0, 3.0]),), (A([-1.0, -2.0]),))
def branch_in_loop(a):
    s = 0.0
    for v in a:
        if v > 0:
            s = s + v * v
        else:
            s = s - v
    return s


@program((A([1.0, -2.0, 3.0]),), (A([-1.0, -2.0]),))
def loop_in_branch(a):
    s = a[0]
    if a[0] > 0:
        for v in a:
            s = s * v
    else:
        for v in a:
            s = s + v * v
    return s


@program((A([1.0, -2.0, 3.0]),), (A([-1.0, -2.0, -0.5]),))
def defined_in_the_first_trip(a):
    s = 0.0
    for i, v in enumerate(a):
        if i == 0:
            first = v
        s = s + v * first
    return s


@program((A([1.0, 5.0, 3.0]),), (A([-1.0, -2.0, -0.5]),))
def argmax_by_loop(a):
    best, where = a[0], 0
    for i in range(1, len(a)):
        if a[i] > best:
            best, where = a[i], i
    return best * best + where


@program((A([1.0, 2.0, 3.0]), 0.3), (A([0.5, -1.0]), 0.9))
def exponential_average(a, decay):
    m = 0.0
    for v in a:
        m = decay * m + (1 - decay) * v
    return m


@program((A([1.0, 2.0, 3.0]), 0.3), (A([0.5]), 0.9), (A([]), 0.9))
def horner(coefficients, x):
    y = 0.0
    for c in coefficients[::-1]:
        y = y * x + c
    return y


@program((A([1.0, 2.0, 3.0]), M), (A([0.5, -0.1, 0.2]), M * 0.5))
def matrix_vector_by_loops(x, m):
    y = np.zeros(m.shape[0])
    for i in range(m.shape[0]):
        for j in range(len(x)):
            y[i] += m[i, j] * x[j]
    return y


@program((A([0.1, 0.2]), M[:, :2].copy(), 3), (A([0.1, 0.2]), M[:, :2].copy(), 0))
def array_carried(h, w, n):
    for _ in range(n):
        h = np.tanh(w @ h + 0.1)
    return h


@program((0.9, 30), (0.9, 70))
def many_trips(x, n):
    y = x
    for i in range(n):
        y = np.sin(y) + x / (i + 1)
    return y


@program((1.2, 3), (1.2, 0))
def two_loops_in_a_row(x, n):
    y = x
    for _ in range(n):
        y = y * x
    z = y
    for _ in range(n):
        z = z + y * x
    return z


@program((1.2, 3), (1.2, 0))
def nothing_but_the_loop_index(x, n):
    s = 0
    for i in range(n):
        s += i
    return x * s


@program((A([1.0, 2.0, 3.0]),), (A([0.3, 0.2]),))
def pairs(a):
    s = 0.0
    for i in range(len(a)):
        for j in range(i + 1, len(a)):
            d = a[i] - a[j]
            s += 1 / (d * d)
    return s


@program((A([0.5, 1.0, 2.0, 4.0]),), (A([0.5, 1.0]),))
def sliced_sequence(a):
    s = 0.0
    for x, y in zip(a[:-1], a[1:]):
        s += (y - x) * (x + y) / 2
    return s


@program((M, 2.0), (M * 0.3, 0.5))
def rows_of_a_transpose(m, x):
    s = x
    for column in m.T:
        s = s * x + column @ column
    return s


@program((np.stack([M, 2 * M]),), (np.stack([M]),))
def rows_of_rows(t):
    s = 0.0
    for m in t:
        for row in m:
            s = s * 0.5 + np.prod(row)
    return s


@program((1.3,), (0.4,))
def over_a_string_and_constants(x):
    s = x
    for c in "abc":
        s = s * (2 if c == "b" else x)
    for k in (1, 2.5, True):
        s = s + k * x
    for k in [1, 2, 3]:
        s = s + k * x
    return s


@program((1.3, np.int64(3)), (1.3, np.int64(0)))
def bound_of_numpy_integer(x, n):
    s = x
    for i in range(n):
        s = s * x + i
    return s


@program((A([1, 3, 2]), 1.1), (A([0, 0]), 1.1))
def bounds_from_an_array(counts, x):
    s = x
    for n in counts:
        for j in range(n):
            s = s * x + j
    return s
