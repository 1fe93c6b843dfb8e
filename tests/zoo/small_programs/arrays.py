"""Arrays: making, indexing, shapes, reductions, products."""

from __future__ import annotations

import numpy as np

from tests.zoo.small_programs.registry import program

A = np.array
M = np.array([[1.0, 2.0, 0.5], [0.3, -1.0, 2.5]])


@program((A([1.0, 2.0, 3.0]), 2.0), (A([]), 2.0))
def broadcasting(a, x):
    return a * x + a / 3 - 1


@program((A([1.0, 2.0, 3.0]), M), (A([0.5, 0.1, 0.2]), M[:1]))
def broadcasting_of_rows(a, m):
    return m * a + a[:, None][:2].T[:, :1]


@program((A([1.0, 2.0, 3.0]),), (A([0.5, 0.1]),))
def outer_by_broadcasting(a):
    return a[:, None] * a[None, :] + a


@program((M,), (M[:, :1].copy(),))
def reductions(m):
    return m.sum() + np.sum(m, axis=0)[0] * m.mean(axis=1)[1] + np.prod(m) + m.max() * m.min()


@program((M,), (M * 2,))
def reductions_that_keep_axes(m):
    z = m - m.max(axis=1, keepdims=True)
    e = np.exp(z)
    return e / e.sum(axis=-1, keepdims=True)


@program((M,), (M[:1],))
def softmax_loss(m):
    z = m - np.max(m, axis=1, keepdims=True)
    return -np.mean((z - np.log(np.sum(np.exp(z), axis=1, keepdims=True)))[:, 0])


@program((M, A([1.0, 2.0, 3.0])), (M[:1], A([0.5, 0.1, 0.2])))
def matrix_products(m, x):
    return m @ x + np.dot(m, x) * (m @ m.T).sum() + x @ x


@program((M,), (M * 0.5,))
def transposes_and_reshapes(m):
    a = m.T.reshape(-1) * np.arange(6)
    b = np.ravel(m).reshape(3, 2)
    return a.sum() * b[2, 1] + np.transpose(m)[2, 0]


@program((A([1.0, 2.0, 3.0, 4.0]),), (A([0.5, 0.1, 0.2, -1.0]),))
def slices(a):
    return a[1:] * a[:-1] + a[::-1][1:] - a[-3:] * a[0::2].sum()


@program((M,), (M * 0.5,))
def slices_of_matrices(m):
    return m[0, 1:] * m[1, :2] + m[:, 0].sum() + m[-1][-1] + m[..., 1][0]


@program((A([1.0, 2.0, 3.0, 4.0]),), (A([0.5, 0.1, 0.2, -1.0]),))
def integer_array_index(a):
    return a[[0, 2, 2]] * a[np.array([1, 1, 3])]


@program((M, A([1, 0, 1])), (M, A([0, 0, 0])))
def rows_taken(m, idx):
    return m[idx] * m[idx, [0, 1, 2]][:, None]


@program((A([1.0, 2.0, 3.0, 4.0]), 2), (A([1.0, 2.0, 3.0, 4.0]), 0))
def index_from_an_argument(a, i):
    return a[i] * a[i + 1] + a[-i - 1]


@program((A([1.0, 2.0, 3.0, 4.0]), 2.7), (A([1.0, 2.0, 3.0, 4.0]), 0.2))
def index_from_data(a, x):
    i = int(x)
    return a[i] * a[-1 - i] * x


@program((A([1.0, 2.0, 3.0, 4.0]),), (A([0.5, 0.1, 0.2, -1.0]),))
def slice_that_moves(a):
    s = 0.0
    for i in range(len(a) - 1):
        s = s + np.prod(a[i : i + 2]) * i
    return s


@program((A([1.0, 2.0, 3.0, 4.0]),), (A([0.5, 0.1, 0.2]),))
def slice_that_grows(a):
    s = 0.0
    for i in range(len(a)):
        s = s * 0.5 + np.sum(a[: i + 1] * a[i])
    return s


@program(
    (A([[2.0, 0.0], [1.0, 3.0]]), A([1.0, 2.0])), (A([[1.0, 0.0], [-1.0, 2.0]]), A([0.1, 3.0]))
)
def forward_substitution(l, b):
    x = np.zeros(len(b))
    for i in range(len(b)):
        x[i] = (b[i] - l[i, :i] @ x[:i]) / l[i, i]
    return x


@program((A([1.0, 2.0]), A([3.0])), (A([]), A([1.0])))
def concatenated(a, b):
    return np.concatenate([a, b, a * 2]) ** 2


@program((A([1.0, 2.0]), A([3.0, 0.1])), (A([0.1, 3.0]), A([1.0, 1.0])))
def stacked(a, b):
    m = np.stack([a, b, a * b])
    return m * np.stack((b, a, b), axis=0) + np.vstack([a, b, a])


@program((2.0, 3.0), (0.1, -3.0))
def array_of_scalars(x, y):
    a = np.array([x, y, x * y, 1.0])
    b = np.array([[x, 0], [1, y]])
    return a.sum() * (b @ b).sum()


@program((2.0, 4), (0.1, 1))
def constructed(x, n):
    a = np.zeros(n) + x
    b = np.ones((n, 2)) * a[:, None]
    c = np.full(n, x) * np.arange(n)
    d = np.linspace(0.0, 1.0, n + 1)[:n]
    return b.sum() + (c * d).sum() + np.eye(n).sum() * x


@program((A([1.0, 2.0, 3.0]),), (A([0.5, 0.1, 0.2]),))
def like_another(a):
    b = np.zeros_like(a)
    b[1] = a[0] * a[2]
    return b + np.ones_like(a) * a


@program((A([1.0, 2.0, 3.0]),), (A([0.5]),))
def shapes_as_numbers(a):
    n = a.shape[0]
    return np.sum(a) / n + a.size * a[0] + a.ndim + len(a)


@program((A([]),), (np.zeros((0,)),))
def empty_array(a):
    s = np.sum(a * 2) + 1.0
    for v in a:
        s = s + v
    return s


@program((A([3.0, 1.0, 2.0]),), (A([0.5, 0.7, 0.1]),))
def sorting(a):
    return np.sort(a) * np.arange(3.0)


@program((A([1.0, 2.0, 3.0]),), (A([0.5, 0.7, 0.1]),))
def cumulative(a):
    return np.cumsum(a) * np.cumprod(a)[::-1]


@program((A([1.0, -2.0, 3.0]),), (A([-0.5, 0.7, 0.1]),))
def elementwise_functions(a):
    b = np.exp(-a) + np.sin(a) * np.cos(a) + np.tanh(a)
    return b + np.log1p(a * a) + np.sqrt(a * a + 1) + np.arctan2(a, 2.0)


@program((A([1.0, -2.0, 3.0]),), (A([-0.5, 0.7, 0.1]),))
def clipped(a):
    return np.clip(a, -1.0, 2.0) * a + np.maximum(a, 0) + np.minimum(a, 0.5) + np.abs(a)


@program((A([1.0, -2.0, 3.0]),), (A([-0.5, 0.7, 0.1]),))
def norm_and_mean(a):
    centered = a - a.mean()
    return np.sqrt(np.sum(centered**2)) + np.var(a) + np.linalg.norm(a)


@program((M,), (M * 0.5,))
def einsum_products(m):
    return np.einsum("ij,kj->ik", m, m) + np.outer(m[0], m[1])[:2, :2]


@program((A([1.0, 2.0, 3.0]), A([0.5, 0.25])), (A([1.0, 2.0, 0.1]), A([0.5, 1.0])))
def convolution_by_loops(x, k):
    n = len(x) - len(k) + 1
    y = np.zeros(n)
    for i in range(n):
        y[i] = np.sum(x[i : i + len(k)] * k)
    return y


@program((A([[2.0, 1.0], [1.0, 3.0]]),), (A([[1.0, 0.2], [0.2, 2.0]]),))
def power_iteration(m):
    v = np.ones(2)
    for _ in range(20):
        v = m @ v
        v = v / np.sqrt(v @ v)
    return v @ m @ v


@program((A([1.0, 2.0, 3.0]),), (A([0.5, 0.7, 0.1]),))
def compared_arrays(a):
    b = (a > 1.5) * a
    return b.sum() + np.where(a > b, a * a, b) @ a


@program((A([1, 2, 3]), 0.5), (A([0, 5]), 0.5))
def integer_arrays(k, x):
    return np.sum(k) * x + np.sum(k * x) + (k // 2).sum() * x + k.mean() * x


@program((A([1.0, 2.0, 3.0], np.float32),), (A([0.5], np.float32),))
def stays_float32(a):
    s = 0.0
    for v in a:
        s += v * 2
    return a * s + 1.0


@program((A([1.0, 2.0, 3.0], np.float32), 2.0), (A([0.5], np.float32), 3.0))
def float32_with_python_numbers(a, x):
    return a * x + 0.5 * a**2 - a / 3


@program((M,), (M * 0.5,))
def row_minima(m):
    best = np.full(m.shape[0], np.inf)
    for j in range(m.shape[1]):
        best = np.minimum(best, m[:, j])
    return best


@program((A([1.0, 2.0, 3.0, 0.5]),), (A([0.5, 0.7, 0.1, 4.0]),))
def new_axes(a):
    b = np.expand_dims(a, 0)
    c = a[np.newaxis, :, None]
    return (b * c[0]).sum(axis=0) + np.squeeze(b)
