"""Attributes, methods, arguments known at compile time, and lists built in loops."""

import copy
import math
import warnings

import numpy as np
import pytest

from myia.source.diagnostics import MyiaError
from tests.infer.driver import assert_same, run
from tests.library.samples.method_gradient_cases import METHODS

A = np.arange(12.0).reshape(3, 4)
V = np.array([0.5, -2.0, 3.0])
COMPLEX = np.array([1 + 2j, 3 - 1j])


def attributes(x):
    return x.shape, x.ndim, x.size, x.dtype, x.itemsize, x.nbytes, x.T, x.mT, x.real, len(x)


def reductions(x):
    return (
        x.sum(), x.sum(0), x.sum(axis=1, keepdims=True), x.mean(), x.max(1), x.min(),
        x.var(ddof=1), x.std(0), x.prod(), x.all(), x.any(1), x.argmax(), x.argmin(0),
        x.cumsum(), x.cumprod(1),
    )  # fmt: skip


def shapes(x):
    return (
        x.reshape(2, 6), x.reshape((4, -1)), x.reshape(-1), x.ravel(), x.flatten(), x.squeeze(),
        x.swapaxes(0, 1), x.transpose(), x.transpose(1, 0), x.transpose((1, 0)),
    )  # fmt: skip


def others(x):
    return (
        x.astype(np.float32), x.astype(int), x.astype("f4").dtype, x.copy(), x.clip(1, 5),
        x.round(1), x.repeat(2, axis=0), x.take([0, 2], axis=1), x.dot(x.T), x @ x.T, x.trace(),
        x.diagonal(1), x.tolist(), x.conj(), x.argsort(), x.item(3), x.item((1, 2)), x.item(1, 2),
    )  # fmt: skip


def of_scalars(x):
    v = x[0, 1]
    return (
        v.item(), x[0].sum().item(), v.shape, v.dtype, v.astype(int), v.T, v.sum(), v.real, v.imag,
        v.ndim, v.size, v.max(), v.reshape(1), v.reshape(1, 1), v.item() * 2, v.is_integer(),
    )  # fmt: skip


def of_python_numbers(x):
    return (2.5).real, (2).bit_length(), (2.0).is_integer(), x[0].item().real, (1 + 2j).imag


def parts_of_complex(c):
    return c.real, c.imag, c.conj(), np.abs(c), c[0].real, c[0].imag, np.angle(c)


def facts_at_compile_time(x):
    n = x.shape[0]
    return (
        np.zeros((n, n)), np.ones(x.shape), np.eye(n), np.arange(n), np.full(n, np.pi),
        np.sqrt(2.0), np.sqrt(2), np.sin(0.5) * x, math.sin(1.0) * x, np.float32(2) * x, np.inf,
        np.finfo(x.dtype).eps * x, np.finfo(np.float32).max, np.iinfo(np.int32).max,
        np.dtype(x.dtype).itemsize, x.dtype.kind, x.dtype == np.float64, np.add(1, 2),
    )  # fmt: skip


def float_ranges(x):
    return (
        np.arange(0.0, 1.0, 0.1), np.arange(5.0), np.arange(0, 2, 0.3), np.arange(1.0, 2.0, 0.2),
        np.linspace(0, 1, 11), np.linspace(-1.0, 1.0, 7, endpoint=False),
        np.arange(1, 10, 2, dtype=np.float32), np.arange(0, 1, 0.25, "f4"),
        np.linspace(0.0, 1.0, 5, retstep=True), np.arange(stop=3, start=1),
    )  # fmt: skip


def norms(x):
    return (
        np.linalg.norm(x, np.inf), np.linalg.norm(x, -np.inf, 1), np.linalg.norm(x, 1),
        np.linalg.norm(x[0], 2.5), np.linalg.norm(x[0], np.inf), np.linalg.norm(x, 3.0, 1),
    )  # fmt: skip


def weak_floats(x):
    y = x.astype(np.float32)
    return y + 1.5, np.maximum(y, 0.5), np.where(y > 0, y, 0.0), np.clip(y, 0, 1.0), y * math.pi


def python_and_numpy_scalars(x):
    y = x.astype(np.float32)
    return np.sin(x[0].item()) * y, math.sin(x[0]) * y, np.float64(2) * y, float(y[0]) * y


def arrays_of_scalars(x):
    return np.array([x[0], 1, 2.5]), np.array([[1, 2], [3, 4]]), np.array([x, x * 2]), np.array(3)


def list_of_arrays(x):
    hs = []
    for i in range(20):
        hs.append(x * i)
    return (
        np.array(hs), np.asarray(hs), np.stack(hs), np.stack(hs, axis=1), np.stack(hs, -1),
        np.concatenate(hs), np.vstack(hs), np.hstack(hs), np.column_stack(hs), np.sum(hs, axis=0),
        np.mean(hs), np.concatenate(hs, axis=None), np.concatenate(hs, dtype=np.float32),
    )  # fmt: skip


def list_of_matrices(x):
    hs = []
    for i in range(20):
        hs.append(x * i)
    return (
        np.concatenate(hs, axis=1), np.vstack(hs), np.hstack(hs), np.dstack(hs), np.stack(hs, 2),
        np.concatenate(hs, axis=-1), np.column_stack(hs),
    )  # fmt: skip


def list_of_numbers(x):
    hs = []
    for i in range(20):
        hs.append(x[0] * i)
    return (
        np.array(hs), np.stack(hs), np.hstack(hs), np.vstack(hs), np.column_stack(hs),
        np.max(hs), np.argmin(hs), np.sum(hs), np.cumsum(hs), np.dot(hs, hs),
    )  # fmt: skip


def running(x):
    total = np.float32(0)
    for v in x:
        total = total + v
    return total, np.maximum.reduce(x), np.add.accumulate(x)


def parts(x):
    return [a * 2 for a in np.array_split(x, 2)]


@pytest.mark.parametrize(
    "f, x",
    [
        (attributes, A), (reductions, A), (shapes, A), (others, A), (of_scalars, A),
        (of_python_numbers, V), (parts_of_complex, COMPLEX), (facts_at_compile_time, V),
        (float_ranges, V), (norms, A), (weak_floats, V), (python_and_numpy_scalars, V),
        (arrays_of_scalars, V), (list_of_arrays, V), (list_of_matrices, A), (list_of_numbers, V),
        (running, V.astype("f4")), (parts, V),
    ],
    ids=lambda f: getattr(f, "__name__", ""),
)  # fmt: skip
def test_program(f, x):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        wanted = f(copy.deepcopy(x))
    assert_same(run(f, x), wanted)


@pytest.mark.parametrize("name", METHODS)
def test_method(name):
    f, x = METHODS[name]
    assert_same(run(f, x), f(x.copy()), 1e-12)


def compressed_into(x, mask, out):
    return x.compress(mask, out=out[:2]), np.compress(mask[1:], x[0], out=out[2:]), out


def test_compress_writes_into_out():
    x, mask = A[:2, :2] + 0.5, np.array([True, False, True])
    assert_same(run(compressed_into, x, mask, np.zeros(3)), compressed_into(x, mask, np.zeros(3)))
    with pytest.raises(ValueError, match="does not match"):
        run(compressed_into, x, mask, np.zeros(4))


REFUSED = {
    "`where=` of `numpy.sin`": lambda x: np.sin(x, where=x > 0),
    "`order='F'` of `numpy.zeros`": lambda x: np.zeros(3, order="F"),
    "numpy.sum: got an unexpected keyword argument 'foo'": lambda x: np.sum(x, foo=1),
    "`numpy.unique` is not supported": lambda x: np.unique(x, axis=0),
    "the attribute `foo` of an array": lambda x: x.foo,
    "the attribute `sum` of float 2.0": lambda x: (2.0).sum(),
    "cannot reshape array of size 3 into shape": lambda x: x.reshape(5),
    "axis 3 is out of bounds for array of dimension 1": lambda x: x.sum(3),
    "not aligned: 3 .dim 0. != 7 .dim 0.": lambda x: x @ np.ones(7),
    "takes 2 positional arguments but 1 were given": lambda x: np.add(x),
    "non-broadcastable output operand": lambda x: np.add(x, 1, out=np.zeros(4)),
    "with casting rule 'same_kind'": lambda x: np.add(x, 1.5, out=np.zeros(3, int)),
    "must be known at compile time": lambda x: np.arange(x[0]),
    "an array of strings": lambda x: np.array(["a", "b"]),
    "zero-size array to reduction operation maximum": lambda x: np.max(x[:0]),
}


@pytest.mark.parametrize("message", REFUSED)
def test_refusals_say_what_is_wrong(message):
    with pytest.raises(MyiaError, match=message):
        run(REFUSED[message], V)
