"""Sizes that depend on data, with a bound: masks, slices of run-time length."""

from __future__ import annotations

import numpy as np

from tests.zoo.small_programs.registry import program

A = np.array
X = A([1.0, 2.0, -3.0, 4.0, 0.5])
Y = A([0.3, -1.2, 0.7, 1.1, 2.0])
M = A([[1.0, 2.0, 0.5, 0.1], [0.3, -1.0, 2.0, 0.7], [0.4, 0.9, 1.5, -0.2]])


# ----- Slices


@program((A([1.0, 2.0, 3.0, 4.0]), 2.5), (A([1.0, 2.0, 3.0, 4.0]), 0.5))
def head_of_run_time_length(a, x):
    return np.sum(a[: int(x)] ** 2) * x


@program((X, 1.5, 3.5), (X, 3.5, 3.5), (X, 4.5, 1.5), (X, -1.5, 9.5))
def between_run_time_ends(a, x, y):
    i, j = int(x), int(y)
    return np.sum(np.sin(a[i:j])) + np.sum(a[j:]) * x


@program((X, -2.5), (X, -7.5), (X, 2.5))
def ends_from_the_back(a, x):
    i = int(x)
    return np.sum(a[i:] ** 2) - 2 * np.sum(a[:i])


@program((X, Y, 3.5), (X, Y, 0.5), (X, Y, 7.5))
def elementwise_on_heads(a, b, x):
    i = int(x)
    y = a[:i] * b[:i] + x * np.exp(b[:i]) - 1
    return np.sum(np.where(y > 0, y, 0.1 * y)), np.sum(-y)


@program((X, 3.5), (X, 0.5))
def a_number_meets_a_head(a, x):
    y = (a[: int(x)] - x) / (2.0 * x)
    return np.sum(y**3), np.sum(np.maximum(y, 0.2))


@program((X, Y, 3.5), (X, Y, 1.5))
def products_of_parts(a, b, x):
    i = int(x)
    return a[:i] @ b[:i], np.dot(a[i:], b[i:]), np.inner(a[1:i], b[: i - 1])


@program((M, 1.5, 3.5), (M, 0.5, 2.5), (M, 2.5, 0.5))
def products_of_rows_and_columns(m, x, y):
    i, j = int(x), int(y)
    return m[i, :j] @ m[i - 1, :j], m[:i, j - 1] @ m[:i, 0], m[:i, :j].sum()


@program((M, X, 1.5, 3.5), (M, X, 2.5, 0.5), (M, X, 0.5, 4.5))
def matrix_times_vector_of_parts(m, a, x, y):
    i, j = int(x), int(y)
    u = m[:i, :j] @ a[:j]
    v = a[:i] @ m[:i]
    return np.sum(u * u), v, u @ m[:i, 1]


@program((X, Y, 2.5, 3.5), (X, Y, 0.5, 4.5))
def outer_of_parts(a, b, x, y):
    o = np.outer(a[: int(x)], b[: int(y)])
    return np.sum(o**2), np.sum(o @ b[: int(y)])


@program((M, X, 2.5), (M, X, 1.5), (M, X, 0.5))
def axes_of_a_part(m, a, x):
    i = int(x)
    p = m[:i] * a[:i, None]
    return p.sum(axis=0), np.sum(p.sum(axis=1) ** 2), np.sum(p.mean(axis=1, keepdims=True) * p)


@program((X, 3.5), (X, 0.5), (X, 5.5))
def backwards(a, x):
    k = int(x)
    return np.sum(a[k::-1] * np.arange(1.0, 6.0)[: k + 1]) if k < 5 else np.sum(a[:k:-1])


@program((X, 3.5), (X, 1.5))
def flipped_and_turned(a, x):
    y = a[: int(x)]
    return y @ np.flip(y), y @ y[::-1], np.sum(np.cumsum(y[::-1]) ** 2)


@program((X, 4.5), (X, 1.5), (X, 0.5))
def every_second(a, x):
    y = a[: int(x)]
    return np.sum(y[::2] ** 2), np.sum(a[1 : int(x) : 2]), np.sum(np.sin(y[1:]))


@program((X, 4.5, 2.5), (X, 2.5, 1.5))
def parts_of_parts(a, x, y):
    u = a[1 : int(x)]
    v = u[: int(y)]
    return np.sum(v**2), u[-1] * u[0], np.sum(u[:-1] * u[1:])


@program((X, 2.5), (X, 1.5))
def window_of_static_length(a, x):
    i = int(x)
    return np.sum(a[i : i + 3] ** 2), np.sum(a[i - 1 : i + 1]) * x


@program((X, 2.5), (X, 4.5))
def element_of_a_part(a, x):
    i = int(x)
    y = a[:i]
    return y[0] * y[-1] + y[i - 1] ** 2


# ----- Reductions


@program((X, 3.5), (X, 1.5))
def reductions_of_a_head(a, x):
    y = a[: int(x)]
    return np.prod(y), np.max(y), y.min(), np.ptp(y), np.mean(y), y.size * x, len(y) * x


@program((X, 3.5), (X, 5.5))
def spread_of_a_tail(a, x):
    y = a[: int(x)] * 1.5
    return y.var(), np.std(y), np.var(y, ddof=1), np.linalg.norm(y), np.linalg.norm(y, 1)


@program((X, 3.5), (X, 1.5))
def running_folds(a, x):
    y = a[: int(x)]
    return np.sum(np.cumsum(y) ** 2), np.sum(np.cumprod(y) * y), np.cumsum(y)[-1]


@program((X, 3.5), (X, 1.5), (X, 0.5))
def truths_of_a_head(a, x):
    y = a[: int(x)]
    if np.any(y < 0) or np.all(y > 1.5):
        return np.sum(y) * x
    return np.count_nonzero(y) * x


@program((X, 3.5), (X, 1.5))
def place_of_an_extremum(a, x):
    y = a[: int(x)]
    return a[np.argmax(y)] * y[y.argmin()]


@program((X, 4.5), (X, 1.5))
def sorted_head(a, x):
    y = np.sort(a[: int(x)])
    return np.sum(y * np.arange(5.0)[: int(x)]), y[0], np.median(y)


@program((X, 0.5), (X, 2.5))
def nothing_is_there(a, x):
    y = a[: int(x)]
    s = np.sum(1.0 / (y - y + x)) + np.prod(y) + (y @ y) + np.linalg.norm(y)
    return s if y.size == 0 else s * y.mean()


# ----- Stores


@program((A([1.0, 2.0, 3.0, 4.0]), 2.5), (A([1.0, 2.0, 3.0, 4.0]), 0.5))
def head_written(a, x):
    a[: int(x)] = 0.5 * x
    return a


@program((X, Y, 1.5, 3.5), (X, Y, 3.5, 3.5))
def part_written(a, b, x, y):
    i, j = int(x), int(y)
    a[i:j] = b[i:j] ** 2
    a[:i] += b[5 - i :]
    a[j:] *= x
    return a


@program((M, X, 0.5), (M, X, 1.5))
def block_written(m, a, x):
    i = int(x)
    m[i + 1 :, i:] -= np.outer(m[i + 1 :, i], a[i:4])
    m[: i + 1, 0] = np.sin(a[: i + 1])
    return m


@program((X, 3.5), (X, 1.5))
def overlapping_parts(a, x):
    k = int(x)
    a[:k] += 0.5 * np.flip(a[:k])
    a[1 : k + 1] = a[:k]
    return a


@program((X, 3.5), (X, 1.5))
def view_of_a_head(a, x):
    v = a[: int(x)]
    v[0] = x * x
    v *= 2.0
    a[0] += 1.0
    v[-1] = v[0] * v[-1]
    return a, np.sum(v**2)


@program((X, 3.5), (X, 1.5))
def copy_of_a_head(a, x):
    v = a[: int(x)].copy()
    v[0] = x
    v[1:] *= 2.0
    w = np.zeros_like(v)
    w[:] = v
    return a, np.sum(v**2), np.sum(w) - np.sum(np.ones_like(v))


# ----- Masks


@program((A([1.0, -2.0, 3.0, 4.0]),), (A([0.5, 0.1, 0.2, -1.0]),), (A([-1.0, -1.0, -1.0, -1.0]),))
def mask_selects(a):
    return np.sum(a[a > 0.15] ** 2)


@program((A([1.0, -2.0, 3.0]),), (A([-0.1, 0.2, -0.3]),))
def mask_added_to(a):
    a[a > 2] *= a[1]
    return a


@program((A([1.0, 2.0, -3.0]),), exact=[((A([1.0, 0.0, -3.0]),), (A([1.0, 0.0, 0.0]),))])
def logarithm_of_a_mask(a):
    return np.log(a[a > 0]).sum()


@program(
    (A([2.0, 3.0, -1.0, -2.0]),),
    exact=[((A([1.0, 2.0, 0.0, -3.0]),), (A([1.0, 0.5, 0.0, 0.0]),))],
)
def logarithm_of_a_head(a):
    n = 0
    for v in a:
        if v > 0:
            n += 1
    return np.log(a[:n]).sum()


@program((X, Y), (Y, X))
def two_masks(a, b):
    m = a > 0
    s = np.sum(a[m] * b[m])
    k = min(len(a[m]), len(b[b > 0]))
    return s, np.sum(a[m][:k] * b[b > 0][:k]), a[m].mean(), np.sum(m) * s


@program((X, Y), (Y, X))
def masked_stores(a, b):
    m = a > 0
    a[m] = b[m] * 2 + a[m]
    b[m] += 1.0
    b[~m] = 0.5 * a[~m]
    return a, b


@program((M,), (-M,))
def masks_of_matrices(m):
    big = m > 0.45
    rows = m.sum(axis=1) > 1.5
    s = np.sum(m[big] ** 2) + np.sum(m[rows].sum(axis=0) * m[0])
    m[big] = np.sqrt(m[big])
    m[rows, 1:] *= 0.5
    return m, s


@program((X, Y), (Y, X))
def what_a_mask_selects_in_order(a, b):
    y = a[a > 0]
    return y[0] * y[-1], np.sum(np.cumsum(y) ** 2), np.sum(np.sort(y)[:2] * y[:2]), y.max()


@program((X, Y), (Y, X))
def places_of_truth(a, b):
    (k,) = np.nonzero(a > 0)
    i = np.flatnonzero(b < 0.9)
    b[k] = a[k] * 2
    return np.sum(a[k] * b[k]), b, np.sum(a[i]), len(k) * 1.0


@program((X, 1.5), (Y, 0.5))
def masks_of_masks(a, x):
    y = a[a > 0]
    z = y[y < 2.5]
    y[y > 1.5] = x
    return np.sum(z**2), np.sum(y**3)


# ----- Loops, branches, calls


@program((A([1.0, 2.0, 3.0, 4.0]), 2.5), (A([1.0, 2.0, 3.0, 4.0]), 4.5))
def grows_in_a_while(a, x):
    i, s = 1, 0.0
    while i < x:
        s = s + a[:i] @ a[:i]
        i += 1
    return s


@program((X, 3.5), (X, 1.5), (X, 0.5))
def items_of_a_head(a, x):
    s = 0.0
    for i, v in enumerate(a[: int(x)]):
        s = s * 0.5 + v**2 + i
    for u, v in zip(a[: int(x)], a[1:]):
        s += u * v
    return s


@program((M, 2.5), (M, 1.5))
def rows_of_a_part(m, x):
    s = 0.0
    for row in m[: int(x)]:
        s = s + row @ row * s + row[0]
    return s


@program((X, 3.5), (X, 1.5))
def part_in_a_branch(a, x):
    i = int(x)
    if x > 2:
        a[:i] = a[:i] ** 2
        s = np.sum(a[i:])
    else:
        s = a[: i + 1].max()
    return s, a


def _half(v, w):
    v[:] = 0.5 * v
    return np.sum(v * w)


@program((X, Y, 3.5), (X, Y, 1.5))
def part_passed_to_a_function(a, b, x):
    i = int(x)
    return _half(a[:i], b[:i]) + _half(a[1:], b[1:]), a


@program((X.astype(np.float32), np.float32(3.5)), (Y.astype(np.float32), np.float32(1.5)))
def heads_in_single_precision(a, x):
    y = a[: int(x)]
    y = y * 0.5 + x
    return y.mean(), np.sum(y**2), y @ y


@program((A([3, 1, -2, 5]), 3), (A([3, 1, -2, 5]), 0))
def heads_of_integers(a, n):
    k = a[1] + 1
    b = a > 0
    return a[:k].sum(), a[:k].max(), (a[:k] * 2)[-1], a[b].prod(), b[:n].sum(), b[: a[1]].any()


@program((X, 3.5), (X, 1.5))
def chosen_in_a_branch(a, x):
    i = int(x)
    y = a[:i] ** 2 if x > 2 else a[1:4] * 1.0
    z = a[a > 0]
    if x > 2:
        y[0] += x
        z = z[1:]
    for k in range(3):
        y += a[k] * y
    return np.sum(y * y), z @ z


@program((X,), (Y,))
def without_one_element(a):
    s = 0.0
    for i in range(len(a)):
        y = np.concatenate([a[:i], a[i + 1 :]])
        s = 0.5 * s + y @ y - np.sin(y[0])
    return s


# ----- Kernels


S = A([[4.0, 1.0, 0.5, 0.2], [1.0, 5.0, 1.5, 0.3], [0.5, 1.5, 6.0, 0.7], [0.2, 0.3, 0.7, 3.0]])


@program((S,), (S + 0.1,))
def cholesky(a):
    for i in range(a.shape[0]):
        for j in range(i):
            a[i, j] = (a[i, j] - np.dot(a[i, :j], a[j, :j])) / a[j, j]
        a[i, i] = np.sqrt(a[i, i] - np.dot(a[i, :i], a[i, :i]))
    return a


@program((S,), (S + M[0],))
def lu_factors(a):
    n = a.shape[0]
    for i in range(n):
        for j in range(i):
            a[i, j] = (a[i, j] - a[i, :j] @ a[:j, j]) / a[j, j]
        for j in range(i, n):
            a[i, j] -= a[i, :i] @ a[:i, j]
    return a


@program((S, A([1.0, 2.0, 3.0, 4.0])), (S + 1.0, A([0.1, -0.2, 0.3, 0.4])))
def eliminated(a, b):
    n = len(b)
    for k in range(n):
        a[k + 1 :, k] /= a[k, k]
        a[k + 1 :, k + 1 :] -= np.outer(a[k + 1 :, k], a[k, k + 1 :])
        b[k + 1 :] -= a[k + 1 :, k] * b[k]
    for k in range(n - 1, -1, -1):
        b[k] = (b[k] - a[k, k + 1 :] @ b[k + 1 :]) / a[k, k]
    return b


@program((S, A([1.0, 2.0, 3.0, 4.0])), (S + 1.0, A([0.1, -0.2, 0.3, 0.4])))
def triangular_solve(m, b):
    x = np.zeros_like(b)
    for i in range(x.shape[0]):
        x[i] = (b[i] - m[i, :i] @ x[:i]) / m[i, i]
    return x


@program((A([0.3, -0.2, 0.5, 0.1]),), (A([0.1, 0.2, -0.3, 0.4]),))
def levinson_durbin(r):
    y = np.empty_like(r)
    y[0] = alpha = -r[0]
    beta = 1.0
    for k in range(1, r.shape[0]):
        beta *= 1.0 - alpha * alpha
        alpha = -(r[k] + np.dot(np.flip(r[:k]), y[:k])) / beta
        y[:k] += alpha * np.flip(y[:k])
        y[k] = alpha
    return y


@program((M.T,), (S[:, :3],))
def gram_schmidt(a):
    q, r = np.zeros_like(a), np.zeros((a.shape[1], a.shape[1]))
    for k in range(a.shape[1]):
        r[k, k] = np.sqrt(np.dot(a[:, k], a[:, k]))
        q[:, k] = a[:, k] / r[k, k]
        r[k, k + 1 :] = q[:, k] @ a[:, k + 1 :]
        a[:, k + 1 :] -= np.outer(q[:, k], r[k, k + 1 :])
    return q, r


@program((M,), (M + S[:3],))
def correlation(data):
    data -= np.mean(data, axis=0)
    data /= np.std(data, axis=0)
    n = data.shape[1]
    c = np.eye(n)
    for i in range(n - 1):
        c[i + 1 : n, i] = c[i, i + 1 : n] = data[:, i] @ data[:, i + 1 : n]
    return c


@program((M,), (M + S[:3],))
def covariance(data):
    n = data.shape[1]
    data -= np.mean(data, axis=0)
    c = np.zeros((n, n))
    for i in range(n):
        c[i:, i] = data[:, i] @ data[:, i:] / (len(data) - 1.0)
        c[i, i:] = c[i:, i]
    return c
