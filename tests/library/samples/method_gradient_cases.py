"""Methods and attributes of arrays: programs to be compared with NumPy and to be differentiated.

A method of its own right, also where a function has its name: `x.compress(mask)` is
`np.compress(mask, x)`.
"""

from __future__ import annotations

import numpy as np

from tests.library.samples.numpy_gradient_cases import GRADIENTS, MASK, I, M, V, X


def changed_by(change):
    """The array after a method that writes into it."""

    def program(x):
        y = 2 * x
        change(y, x)
        return y

    return program


def flat_written(x):
    y = 2 * x
    y.flat = x[:1] ** 2
    return y.flat[2] * np.sum(y)


def real_written(x):
    z = x * (1 + 2j)
    z.real = x**2
    return z.real * z.imag


METHODS = {
    "astype": (lambda x: x.astype(float), X),
    "choose": (lambda x: I.choose([x, x**2, V]), V),
    "clip": (lambda x: x.clip(-0.5, 0.5), X),
    "compress": (lambda x: x.compress([True, False, True], 1).cumsum(1).sum(), X),
    "compress a flat array": (lambda x: np.sum(x.compress(MASK.ravel()) ** 2), X),
    "conj": (lambda x: x.conj(), X),
    "conjugate": (lambda x: (x * 1j).conjugate().imag, X),
    "copy": (lambda x: x.copy(), X),
    "cumprod": (lambda x: x.cumprod(0), X),
    "cumsum": (lambda x: x.cumsum(1), X),
    "diagonal": (lambda x: x.diagonal(1), M),
    "dot": (lambda x: x.dot(V), X),
    "fill": (changed_by(lambda y, x: y.fill(x[1] ** 2)), V),
    "flat": (flat_written, X),
    "flatten": (lambda x: x.flatten(), X),
    "imag": (lambda x: (x * (1 + 2j)).imag, X),
    "item": (lambda x: x[1].item(), V),
    "mT": (lambda x: x.mT, X),
    "max": (lambda x: x.max(0), X),
    "mean": (lambda x: x.mean(1, keepdims=True), X),
    "min": (lambda x: x.min(), X),
    "partition": (changed_by(lambda y, x: y.partition(1)), V),
    "prod": (lambda x: x.prod(1), X),
    "put": (changed_by(lambda y, x: y.put([0, 2], x[:2] ** 2)), V),
    "ravel": (lambda x: x.ravel(), X),
    "real": (real_written, X),
    "repeat": (lambda x: x.repeat([2, 0, 1], 1), X),
    "reshape": (lambda x: x.reshape(3, 2), X),
    "round": (lambda x: x.round(1) * x, X),
    "sort": (changed_by(lambda y, x: y.sort(0)), X),
    "squeeze": (lambda x: x.squeeze(), X[None]),
    "std": (lambda x: x.std(1, ddof=1), X),
    "sum": (lambda x: x.sum(0, keepdims=True), X),
    "swapaxes": (lambda x: x.swapaxes(0, 1), X),
    "T": (lambda x: x.T, X),
    "take": (lambda x: x.take([0, 2, 0], 1), X),
    "tolist": (lambda x: np.array(x.tolist()), V),
    "trace": (lambda x: x.trace(1), M),
    "transpose": (lambda x: x.transpose(1, 0), X),
    "var": (lambda x: x.var(0), X),
    "view": (lambda x: x.view() ** 2, X),
}

GRADIENTS |= {f"numpy.ndarray.{name}": case for name, case in METHODS.items()}
