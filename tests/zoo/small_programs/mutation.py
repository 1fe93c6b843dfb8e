"""Stores into arrays: elements, slices, views, aliases, in branches, loops and callees."""

from __future__ import annotations

import numpy as np

from tests.zoo.small_programs.registry import program

A = np.array
M = np.array([[1.0, 2.0, 0.5], [0.3, -1.0, 2.0]])


@program((A([1.0, 2.0, 3.0]), 4.0), (A([0.1, 0.2, 0.3]), -1.0))
def element_set(a, x):
    a[1] = x * a[0]
    return np.sum(a * a)


@program((A([1.0, 2.0, 3.0]), 4.0), (A([0.1, 0.2, 0.3]), -1.0))
def element_added_to(a, x):
    a[1] += x * a[0]
    a[-1] *= a[1]
    a[0] -= 2
    return a


@program((A([1.0, 2.0, 3.0]),), (A([0.1, 0.2, 0.3]),))
def elements_swapped(a):
    a[0], a[2] = a[2] * 2, a[0]
    return a[0] * a[1] - a[2]


@program((A([1.0, 2.0, 3.0]),), (A([0.1, 0.2]),))
def filled_in_a_loop(a):
    b = np.zeros(len(a))
    for i in range(len(a)):
        b[i] = a[i] * a[i] + i
    return b


@program((A([1.0, 2.0, 3.0, 0.5]),), (A([0.1, 0.2]),))
def recurrence_in_place(a):
    for i in range(1, len(a)):
        a[i] = a[i] + 0.5 * a[i - 1] ** 2
    return a


@program((A([0.1, 0.2, 0.3]), 6), (A([0.1, 0.2, 0.3]), 0))
def overwritten_many_times(a, n):
    for i in range(n):
        j = i % 3
        a[j] = np.sin(a[j] + a[(j + 1) % 3])
    return a


@program((A([1.0, 2.0, 3.0]),), (A([0.1, 0.2, 0.3]),))
def slice_set(a):
    a[1:] = a[:-1] * 2
    return a


@program((A([1.0, 2.0, 3.0, 4.0]),), (A([0.1, 0.2, 0.3, 0.4]),))
def slice_added_to(a):
    a[1:3] += a[0] * a[2:]
    a[::2] *= 3
    return a


@program((A([1.0, 2.0, 3.0]), 5.0), (A([0.1, 0.2, 0.3]), 0.5))
def slice_set_to_a_number(a, x):
    a[:2] = x * x
    b = a * 1.0
    b[:] = x
    return np.sum(a) + b[0] * a[2]


@program((A([1.0, 2.0, 3.0]),), (A([0.1, 0.2, 0.3]),))
def alias(a):
    b = a
    b[0] = a[1] * a[2]
    return a * b


@program((A([1.0, 2.0, 3.0]),), (A([0.1, 0.2, 0.3]),))
def view_written(a):
    v = a[1:]
    v[0] = a[0] * 3
    return a


@program((A([1.0, 2.0, 3.0]),), (A([0.1, 0.2, 0.3]),))
def view_sees_writes(a):
    v = a[1:]
    a[2] = a[0] * a[0]
    return v * v[1]


@program((M,), (M * 0.5,))
def view_of_a_view(m):
    row = m[1]
    tail = row[1:]
    tail[0] = m[0, 0] * 2
    m[1, 2] = tail[0] * tail[1]
    return row


@program((M,), (M * 0.5,))
def transpose_written(m):
    t = m.T
    t[0, 1] = m[0, 0] * m[0, 1]
    t[2] *= 2
    return m


@program((M,), (M * 0.5,))
def reshape_written(m):
    flat = m.reshape(-1)
    flat[4] = flat[0] * flat[1]
    m.ravel()[5] = 7.0
    return m


@program((M,), (M * 0.5,))
def reshape_of_a_transpose_is_a_copy(m):
    m.T.reshape(-1)[0] = 9.0
    return m * 2


@program((A([1.0, 2.0, 3.0]),), (A([0.1, 0.2, 0.3]),))
def copies_do_not_write(a):
    b = a.copy()
    c = a + 0
    d = a[[0, 1]]
    e = np.where(a > 0, a, a)
    b[0] = c[0] = d[0] = e[0] = 100.0
    return a * b


@program((A([1.0, 2.0, 3.0]),), (A([0.1, 0.2, 0.3]),))
def whole_array_in_place(a):
    b = a
    a += 1
    a *= b
    return b


@program((A([1.0, 2.0, 3.0]),), (A([0.1, 0.2, 0.3]),))
def rebinding_is_no_write(a):
    b = a
    a = a + 1
    a[0] = 5.0
    return b * a


@program((M,), (M * 0.5,))
def rows_written_by_a_loop(m):
    for row in m:
        row += row[0] * 2
        row[1] = row[2] * row[2]
    return m


@program((A([1.0, 2.0, 3.0]),), (A([0.1, 0.2, 0.3]),))
def elements_of_a_loop_are_numbers(a):
    for v in a:
        v += 1
        v = v * 2
    return a * v


@program((A([1.0, 2.0, 3.0]), 1.0), (A([0.1, 0.2, 0.3]), -1.0))
def write_in_a_branch(a, x):
    if x > 0:
        a[0] = x * a[1]
    else:
        a[2] *= x
    return a


@program((A([1.0, -2.0, 3.0]),), (A([-0.1, 0.2, 0.3]),))
def write_in_a_branch_in_a_loop(a):
    count = 0.0
    for i in range(len(a)):
        if a[i] < 0:
            a[i] = a[i] * a[0]
            count += 1
        elif i > 0:
            a[i - 1] += a[i]
    return a * count


@program((A([1.0, 2.0, 3.0]),), (A([0.1, 0.2, 0.3]),))
def write_in_a_callee(a):
    def scale(b, k):
        b[0] *= k
        b[1:] += b[0]

    scale(a, 3.0)
    scale(a[1:], a[0])
    return a


@program((A([1.0, 2.0, 3.0]), 3), (A([0.1, 0.2, 0.3]), 0))
def write_in_a_callee_in_a_loop(a, n):
    def step(b, i):
        b[i] = b[i] * b[i - 1]
        return b[i]

    s = 0.0
    for i in range(n):
        s += step(a, i)
    return s * a


@program((A([1.0, 2.0, 3.0]), A([4.0, 5.0, 6.0])), (A([0.1, 0.2, 0.3]), A([1.0, 2.0, 3.0])))
def two_arguments_written(a, b):
    a[0], b[0] = b[1], a[1]
    b += a
    return a @ b


@program((A([1.0, 2.0, 3.0]),), (A([0.1, 0.2, 0.3]),))
def index_array_written(a):
    a[[0, 2]] = a[1] * a[[2, 0]]
    return a


@program((A([1.0, 2.0, 3.0]), A([5.0, 6.0, 7.0])), (A([0.1, 0.2, 0.3]), A([1.0, 2.0, 3.0])))
def repeated_index_last_store_wins(a, v):
    a[[0, 0, 1]] = v * v
    return a


@program((A([1.0, 2.0, 3.0]), A([5.0, 6.0, 7.0])), (A([0.1, 0.2, 0.3]), A([1.0, 2.0, 3.0])))
def repeated_index_added_once(a, v):
    a[[0, 0, 1]] += v
    return a * a


@program((A([1.0, 2.0, 3.0]), A([5.0, 6.0, 7.0])), (A([0.1, 0.2, 0.3]), A([1.0, 2.0, 3.0])))
def repeated_index_added_at(a, v):
    np.add.at(a, [0, 0, 1], v)
    return a * a


@program((A([1.0, -2.0, 3.0]),), (A([-0.1, 0.2, -0.3]),))
def mask_written(a):
    a[a < 0] = 0.5
    a[a > 2] = a[1]
    return a


@program((A([1.0, 2.0, 3.0]),), (A([0.1, 0.2, 0.3]),))
def overlapping_slices(a):
    a[1:] = a[:-1]
    a[:-1] += a[1:]
    return a * a


@program((A([1.0, 2.0, 3.0]),), (A([0.1, 0.2, 0.3]),))
def overlapping_reversal(a):
    a[:] = a[::-1] * a
    return a


@program((A([3.0, 1.0, 2.0]),), (A([0.1, 0.3, 0.2]),))
def bubble_sort(a):
    n = len(a)
    for i in range(n):
        for j in range(n - 1 - i):
            if a[j] > a[j + 1]:
                a[j], a[j + 1] = a[j + 1], a[j]
    return a * np.arange(3.0)


@program((A([1.0, 2.0]), 2), (A([1.0, 2.0]), 0))
def table_of_rows(a, n):
    out = np.zeros((n + 1, 2))
    out[0] = a
    for i in range(n):
        out[i + 1] = out[i] * out[i, ::-1] + a
    return out


@program((M,), (M * 0.5,))
def matrix_elements_in_place(m):
    for i in range(2):
        for j in range(3):
            m[i, j] = m[i, j] * m[1 - i, j] + j
    return m


@program((A([[2.0, 1.0], [1.0, 3.0]]),), (A([[4.0, 0.5], [0.5, 1.0]]),))
def cholesky(m):
    n = len(m)
    l = np.zeros((n, n))
    for i in range(n):
        for j in range(i + 1):
            s = m[i, j]
            for k in range(j):
                s -= l[i, k] * l[j, k]
            if i == j:
                l[i, j] = np.sqrt(s)
            else:
                l[i, j] = s / l[j, j]
    return l


@program((A([0.2, 0.3, 0.1, 0.4]), 3), (A([0.2, 0.3, 0.1, 0.4]), 0))
def heat_equation(u, steps):
    for _ in range(steps):
        new = u.copy()
        for i in range(1, len(u) - 1):
            new[i] = u[i] + 0.3 * (u[i - 1] - 2 * u[i] + u[i + 1])
        u = new
    return u


@program((A([0.2, 0.3, 0.1, 0.4]), 3), (A([0.2, 0.3, 0.1, 0.4]), 0))
def buffers_that_change_places(u, steps):
    u, v = u * 1.0, np.zeros(len(u))
    for _ in range(steps):
        for i in range(len(u)):
            v[i] = u[i - 1] * u[i]
        u, v = v, u
    return u + v


@program((A([1.0, 2.0, 3.0]), 2.5), (A([1.0, 2.0, 3.0]), 0.5))
def store_at_an_index_from_data(a, x):
    i = int(x)
    a[i] = x * x
    a[-1 - i] += a[i]
    return a


@program((A([1.0, 2.0, 3.0]),), (A([0.5, 0.1, 4.0]),))
def stored_then_killed(a):
    b = a * a
    b[0] = 0.0
    b[0] = a[1]
    b[1] = 7.0
    return b


@program((A([5.0, 0.3]),), (A([0.5, 0.3]),))
def while_in_place(a):
    while a[0] > 1:
        a[0] *= 0.5
        a[1] += a[0]
    return a


@program(([1.0, 2.0],), ([0.5, 3.0],))
def list_argument_changed(xs):
    xs[0] = xs[0] * xs[1]
    xs.append(2.0)
    return xs[0] * xs[2]


@program(({"a": A([1.0, 2.0]), "b": 2.0},), ({"a": A([0.5]), "b": 3.0},))
def dict_argument_changed(d):
    d["a"] *= d["b"]
    d["b"] = d["b"] * 2
    return np.sum(d["a"])


@program((A([1, 2, 3]), 2.9), (A([0, 0, 0]), -1.5))
def integer_array_truncates(k, x):
    k[0] = int(x)
    k[1] += 2
    return k * x


@program((2.9,), (0.7,))
def float_stored_in_an_int_array(x):
    a = np.zeros(3, int)
    a[0] = x
    b = np.array([1, 2])
    b[1] = x * 2
    return a.sum() * x + b.sum()


@program((A([1.0, 2.0, 3.0], np.float32), 0.1), (A([0.5, 1.0, 2.0], np.float32), 0.3))
def float64_stored_in_float32(a, x):
    a[0] = x * x
    a[1:] += x
    return a


@program((A([1.0, 2.0, 3.0]),), (A([0.5, 0.1, 4.0]),))
def reads_before_the_call(a):
    def g():
        a[0] = 10.0
        return a[1]

    a[0] += g()
    return a


@program((A([1.0, 2.0, 3.0]),), (A([0.5, 0.1, 4.0]),))
def right_side_before_subscript(a):
    order = [0]

    def index():
        order[0] = order[0] + 1
        return order[0]

    a[index()] = a[index()] * 5.0
    return a


@program(
    (A([[0.5, -1.0, 2.0], [1.5, 0.3, -0.7]]), 1.5),
    (A([[0.7, -0.2, 1.1], [2.5, 0.1, -1.7]]), 0.8),
)
def shape_assigned_and_masks_beside_arrays(a, x):
    b = a * x
    row = b[0]
    b.shape = (3, 2)
    b[b[:, 0] > 0.5, [1, 0]] *= x
    row[1] = x**2
    return np.sum(b**2) + np.sum(b[b[:, 0] > 0.5, None] * a[0, 0]) + np.sum(row)
