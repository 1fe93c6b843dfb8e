"""Names, views and stores as NumPy has them: values, what is written, two orders of derivative."""

from __future__ import annotations

import numpy as np
import pytest

from tests.zoo.in_place_checks import check_in_place

X = np.array([0.7, -1.2, 1.9, 0.4, -0.8, 1.1])
Y = np.array([0.3, 0.9, -1.4, 0.6, 1.2, -0.5])
M = np.sin(np.arange(16.0)).reshape(4, 4) + 0.17 * np.arange(16.0).reshape(4, 4) - 1.1
N = np.cos(1.7 * np.arange(16.0)).reshape(4, 4)


# ----- Rows of one matrix are swapped


def rows_by_integer_arrays(a, b):
    for i in range(3):
        p = i + int(np.argmax(np.abs(a[i:, i])))
        a[[i, p]] = a[[p, i]]
        a[i + 1 :] -= np.outer(a[i + 1 :, i] / a[i, i], a[i])
    return np.sum(a * b)


def rows_by_a_copy(a, b):
    for i in range(3):
        p = i + int(np.argmax(np.abs(a[i:, i])))
        row = a[i].copy()
        a[i] = a[p]
        a[p] = row
        a[i + 1 :] -= np.outer(a[i + 1 :, i] / a[i, i], a[i])
    return np.sum(a * b)


def rows_by_views(a, b):
    """NumPy's trap: the right-hand sides are views, so the first store shows in the second."""
    for i in range(3):
        p = int(np.argmax(a[:, i]))
        a[i], a[p] = a[p], a[i]
    return np.sum(a * b)


def parts_of_rows_on_one_path(a, b):
    for i in range(3):
        p = i + int(np.argmax(np.abs(a[i:, i])))
        if p != i:
            a[[i, p], i:] = a[[p, i], i:]
            a[:, [i, p]] = a[:, [p, i]]
    return np.sum(a * b)


# ----- Stores by mask, and into parts of complex numbers


def copied_where(a, b):
    np.copyto(a, b * a)
    np.copyto(a, b[0], where=b > 0)
    np.copyto(a[1:], b[:-1] ** 2, where=[True, False, True, False, True])
    return np.sum(a * b)


def parts_of_complex_numbers(a, b):
    z = np.zeros(6, complex)
    z.real = b
    z.imag = a * b
    z.imag[1] = a[2]
    z.flat = z * z
    return np.sum(np.abs(z) ** 2 * a)


# ----- One array or another under one name


def either(a, b):
    v = a if b[0] > 0 else b
    v[0] = 1.0
    v[1:3] *= 2.0
    a[4] = v[1] * v[4]
    return np.sum(a * b) + np.sum(v**2)


def either_in_turn(a, b):
    for i in range(5):
        if a[i] > b[i]:
            v = a
        else:
            v = b
        v[i] = v[i] * v[i + 1]
        v = a if i % 2 else v
        v += 0.1
    return np.sum(a * b)


def either_handed_on(a, b):
    def change(z, k):
        z[k] = z[k] ** 2

    change(a if a[0] > 0 else b, 1)
    change(b if a[0] > 0 else a, 2)
    kept = {"v": a if b[1] > 0 else b}
    kept["v"][3:] *= kept["v"][0]
    return np.sum(a * b)


def views_of_either(a, b):
    v = (a if a[0] > 0 else b)[1:5]
    w = v[::-1]
    w[0] = b[0] * a[0]
    v[1:3] += w[:2]
    return np.sum(a * a * b)


def either_view(a, b):
    v = a[1:4] if a[0] > 0 else b[2:5]
    w = a[1:3] if b[0] < 0 else a[4:]
    v *= 2.0
    w[0] = v[1] * v[2]
    v += w[1]
    return np.sum(a * a * b)


def shortened_in_some_iterations(a, b):
    v = a
    for i in range(3):
        v = v[1:] if i < 2 else v
        v[0] = b[i] * v[-1]
    return np.sum(a * a)


def rows_of_either(a, b):
    for i in range(3):
        r = a[i] if a[i, 0] > b[i, 0] else b[:, i]
        r *= 1.5
        r[0] = r[1] * r[2]
        b[i] -= r
    return np.sum(a * b)


def alike_on_both_paths(a, b):
    if a[0] > 0:
        a[1] = b[0]
        c = a[2:]
    else:
        b[0] = 1.0
        c = a[2:]
    c[0] = 9.0 * b[1]
    return np.sum(a * b)


def new_on_one_path(a, b):
    v = a if b[0] > 0 else np.sin(b)
    w = np.cos(a) if b[0] > 0 else b
    v[0] = w[0] ** 2
    w[1] = v[1] ** 2
    return np.sum(a * b) + np.sum(v * w)


def chosen_twice(a, b):
    """Where a path was not taken its values are not read."""
    if b[0] > 0:
        v = b
    else:
        if a[0] > 0:
            w = a * 2.0
        else:
            w = a
        v = w
    v[0] = 7.0 * a[1]
    return np.sum(a * b * v)


def compared_by_identity(a, b):
    v = a if b[0] > 0 else b
    w = b
    for i in range(3):
        if v[i] < 0.5:
            w = a
    if v is a:
        v[0] = 2.0 * b[1]
    if w is not b:
        w[1] = 3.0 * v[0]
    return np.sum(a * b)


def every_store_into_either(a, b):
    v = a if b[0] > 0 else b
    v.sort()
    np.add.at(v, [0, 0, 2], b[:3])
    v[v > 0.5] *= 2.0
    np.copyto(v[1:3], a[3:5])
    v.reshape(2, 3)[0] += b[1]
    v[[1, 2]] = v[[2, 1]]
    np.sin(v, out=v)
    np.add(v[1:], v[:-1], out=v[:-1])
    k = int(np.argmax(b))
    v[:k] = 1.5 * v[k]
    w = v[k:]
    w *= 2.0
    w[0] = a[0]
    return np.sum(a * b)


def either_in_a_nest(a, b):
    for k in range(2):
        for i in range(3):
            v = a if a[i] > b[i] else b
            w = b if v[0] > 0.5 else a
            v[i] += w[i + 1]
            w[i] -= v[i] * 0.1
            for j in range(2):
                u = v if j == k else w
                u[j + 3] *= 1.1
    return np.sum(a * b)


def carried_by_a_while_loop(a, b):
    cur, other, i = a, b, 0
    while i < 5:
        cur[i] += other[i] * 0.5
        if cur[i] > other[i]:
            cur, other = other, cur
        i += 1
    else:
        cur[5] = a[0]
    return np.sum(a * b * cur)


def the_best_so_far(a, b):
    best = a
    for i in range(4):
        other = best * 1.0
        other[i] = b[i]
        if np.sum(other) > np.sum(best):
            best = other
    best[0] = 5.0
    return np.sum(a * b) + np.sum(best * b)


def returned_early(a, b):
    def pick(x, y, c):
        if c > 0:
            return x
        return y

    pick(a, b, b[0])[0] = 3.0
    z = pick(a[1:], b[:-1], b[2])
    z[0] *= 2.0
    pick(z, a[:5], b[1])[1] = a[0]
    return np.sum(a * b)


def complex_parts_of_either(a, b):
    x, y = a + 1j * b, b - 1j * a
    v = x if b[0] > 0 else y
    v[1:] *= 1j
    v.imag[0] = b[1]
    v.real = a
    x[2] = v[0] * 2.0
    return np.sum(np.abs(x * y) ** 2)


# ----- Arrays in lists that grow


def rows_listed(a, b):
    rows = [a[i] for i in range(4)]
    rows[1] += b[0]
    rows[2][:] = rows[1] * rows[0]
    a[3] = rows[0] * 2.0
    rows[3][0] = 7.0 * b[1, 1]
    return np.sum(a * b)


def layers_listed(a, b):
    layers = [np.zeros(3) for _ in range(12)]
    for i in range(12):
        layers[i][i % 3] = a[i % 6] * b[i // 2]
        layers[(i + 1) % 12] += layers[i] ** 2
    kept = []
    for i in range(3):
        z = a * b[i]
        kept.append(z)
        z[i] = 2.0 * a[0]
    return np.sum(np.stack(layers) ** 2) + np.sum(kept[0] * kept[2])


# ----- Arrays written and given to the name anew


def changed_then_new(a, b):
    c = a
    for i in range(4):
        a[i] = a[i] * b[i]
        a = a * 1.1
    return np.sum(a * b) + np.sum(c**2)


def changed_and_new_in_some_iterations(a, b):
    n = 0
    while n < 4:
        a[n] += b[n] ** 2
        if a[n] > 0.5:
            a = np.sin(a)
        n += 1
    a[5] = 2.0 * a[4]
    return np.sum(a * b)


def new_then_changed(a, b):
    for i in range(3):
        if b[i] > 0:
            continue
        a = a + b
    a[1] = 3.0 * b[0]
    return np.sum(a * b)


def changed_in_a_nest(a, b):
    s = 0.0
    for i in range(3):
        a[i] *= b[i]
        for j in range(2):
            a[j, 0] += b[j, 1]
            if b[j, 0] > 0.5:
                a = a * 2.0
        s += np.sum(a**2)
    return s


def given_another_argument(a, b):
    for i in range(4):
        a[i] = b[i] * a[i]
        if i == 2:
            a = b
    return np.sum(a * b)


def in_turn_with_something_new(a, b):
    u, v = a, b
    for i in range(4):
        u[i] = 0.5 * v[i + 1]
        u, v = v, u * v
        if v[0] > 0.2:
            v[1] += u[2]
    return np.sum(a * b) + np.sum(u * v)


# ----- Parts of slices whose ends are known at run time


def parts_of_known_size(a, b):
    k = int(np.argmax(b))
    v = a[k - 2 :]
    v[:2] += b[:2]
    v[:2][1] *= 3.0
    for i in range(1, 5):
        w = a[i:]
        u = w[:2]
        u[0] = b[i] * u[1]
        w[0] += u[0] * u[1]
    return np.sum(a * a)


def one_element_repeated(a, b):
    k = int(np.argmax(b))
    c = a[k : k + 1]
    s = np.sum(c * b) + np.sum(b[: k + 1] / (2.0 + c**2))
    b[1:] = c
    b[: k - 1] = a[k - 1 : k]
    return s + np.sum(a * b)


def slices_stacked(a, b):
    k = int(np.argmax(b))
    rows = []
    for i in range(3):
        rows.append(a[k - i : k - i + 2] * b[i])
    return np.sum(np.stack(rows) ** 2 * np.arange(6.0).reshape(3, 2))


def indices_of_a_mask(a, b):
    indices = np.where(a > 0.2)[0]
    a[indices] -= b[indices] ** 2
    return np.sum(a * b) * len(indices)


@pytest.mark.parametrize(
    "f, args",
    [
        (rows_by_integer_arrays, (M, N)),
        (rows_by_a_copy, (M, N)),
        (rows_by_views, (M, N)),
        (parts_of_rows_on_one_path, (M, N)),
        (copied_where, (X, Y)),
        (parts_of_complex_numbers, (X, Y)),
        (either, (X, Y)),
        (either_in_turn, (X, Y)),
        (either_handed_on, (X, Y)),
        (views_of_either, (X, Y)),
        (either_view, (X, Y)),
        (shortened_in_some_iterations, (X, Y)),
        (rows_of_either, (M, N)),
        (alike_on_both_paths, (X, Y)),
        (new_on_one_path, (X, Y)),
        (chosen_twice, (X, -Y)),
        (parts_of_known_size, (X, Y)),
        (one_element_repeated, (X, Y)),
        (slices_stacked, (X, Y)),
        (indices_of_a_mask, (X, Y)),
        (every_store_into_either, (X, Y)),
        (every_store_into_either, (X, np.abs(Y) * [-1, 1, 1, 1, 1, 1])),
        (either_in_a_nest, (X, Y)),
        (carried_by_a_while_loop, (X, Y)),
        (the_best_so_far, (X, Y)),
        (returned_early, (X, Y)),
        (complex_parts_of_either, (X, Y)),
        (rows_listed, (M, N)),
        (layers_listed, (X, Y)),
        (compared_by_identity, (X, Y)),
        (compared_by_identity, (X, -Y)),
        (changed_then_new, (X, Y)),
        (changed_and_new_in_some_iterations, (X, Y)),
        (new_then_changed, (X, Y)),
        (changed_in_a_nest, (M, N)),
        (given_another_argument, (X, Y)),
        (in_turn_with_something_new, (X, Y)),
    ],
    ids=lambda p: getattr(p, "__name__", ""),
)
def test_as_in_numpy(f, args):
    check_in_place(f, *args)
