"""Shapes, indices and linear algebra."""

import numpy as np


def arguments(rng):
    """Two float64[12, 12]."""
    return rng.standard_normal((12, 12)), rng.standard_normal((12, 12))


def program(x, y):
    a = np.concatenate([x, np.transpose(y)], axis=1)
    b = np.reshape(np.stack([a, np.roll(a, 1, axis=0)]), (24, 24))
    top, bottom = np.split(b, 2)
    c = np.flip(top, axis=1) + np.tile(x, (1, 2)) + np.repeat(y, 2, axis=1)
    d = np.pad(c, 1)[1:-1, :-2] + np.take(bottom, np.argsort(x[0]), axis=0)
    e = np.take_along_axis(d, np.argsort(d, axis=1), axis=1)
    f = np.squeeze(np.expand_dims(e, 0)) + np.broadcast_to(np.ravel(x)[:24], (12, 24))
    g = np.swapaxes(np.moveaxis(np.stack([f, c, d]), 0, 2), 0, 1)
    h = np.einsum("ijk,jl->ikl", g, np.tril(x)) + np.diff(np.vstack([x, y]), axis=0)[:3]
    s = np.matmul(x, x.T) + 12 * np.eye(12)
    low = np.linalg.cholesky(s)
    u = np.linalg.solve(s, np.dot(low, y)) + np.linalg.inv(s)
    v = np.outer(np.diag(u), x[1]) + np.triu(u)
    w = np.tensordot(v, h[:, :1, :], axes=([1], [2])) + np.kron(x[:2, :2], y[:3, :3]).sum()
    return np.sum(w) + np.trace(v) + np.linalg.det(s / 12)
