"""Which functions of NumPy give a view and which a copy, seen by writes to one of the two."""

import copy

import numpy as np
import pytest

import myia
from myia.source.diagnostics import MyiaError
from tests.infer.driver import assert_same, run

f4 = np.float32

MADE = {
    "asarray": lambda a: np.asarray(a),
    "asarray_same": lambda a: np.asarray(a, np.float64),
    "asarray_other": lambda a: np.asarray(a, f4),
    "asarray_copy": lambda a: np.asarray(a, copy=True),
    "asarray_no_copy": lambda a: np.asarray(a, copy=False),
    "array": lambda a: np.array(a),
    "array_if_needed": lambda a: np.array(a, copy=None),
    "array_no_copy": lambda a: np.array(a, copy=False),
    "array_other": lambda a: np.array(a, f4, copy=None),
    "array_of_rows": lambda a: np.array([a[0], a[1]], copy=None),
    "ndmin": lambda a: np.array(a, ndmin=3)[0],
    "ndmin_if_needed": lambda a: np.array(a, ndmin=3, copy=None)[0],
    "ndmin_no_copy": lambda a: np.array(a, ndmin=3, copy=False)[0],
    "atleast_1d": lambda a: np.atleast_1d(a),
    "atleast_2d": lambda a: np.atleast_2d(a[0]),
    "atleast_3d": lambda a: np.atleast_3d(a),
    "contiguous": lambda a: np.ascontiguousarray(a),
    "contiguous_of_transposed": lambda a: np.ascontiguousarray(a.T),
    "contiguous_rows": lambda a: np.ascontiguousarray(a[:1]),
    "ravel": lambda a: np.ravel(a),
    "ravel_transposed": lambda a: a.T.ravel(),
    "ravel_in_order": lambda a: a.T.ravel(order="F"),
    "ravel_part": lambda a: a[:, :2].ravel(),
    "flatten": lambda a: a.flatten(),
    "flat_part": lambda a: a.flat[:2],
    "squeeze": lambda a: np.squeeze(a[:1]),
    "expand_dims": lambda a: np.expand_dims(a, 1),
    "moveaxis": lambda a: np.moveaxis(a, 0, 1),
    "swapaxes": lambda a: np.swapaxes(a, 0, 1),
    "permute_dims": lambda a: np.permute_dims(a, (1, 0)),
    "real": lambda a: np.real(a),
    "conj_method": lambda a: a.conj(),
    "conj": lambda a: np.conj(a),
    "diag_of_a_row": lambda a: np.diag(a[0]),
    "astype": lambda a: a.astype(float),
    "astype_if_needed": lambda a: a.astype(float, copy=False),
    "reshape": lambda a: np.reshape(a, (3, 2)),
    "reshape_transposed": lambda a: a.T.reshape(-1),
    "reshape_in_order": lambda a: np.reshape(a.T, (6,), order="F"),
    "reshape_copy": lambda a: a.reshape((3, 2), copy=True),
    "reshape_no_copy": lambda a: np.reshape(a, (3, 2), copy=False),
    "split": lambda a: np.split(a, 3, axis=1)[0],
    "hsplit": lambda a: np.hsplit(a, 3)[1],
    "unstack": lambda a: np.unstack(a)[0],
    "rot90": lambda a: np.rot90(a),
    "flip": lambda a: np.flip(a),
    "roll": lambda a: np.roll(a, 1),
    "take": lambda a: np.take(a, 0, axis=0),
    "positive": lambda a: +a,
    "nan_to_num": lambda a: np.nan_to_num(a, copy=False),
}


def fresh():
    return np.arange(1.0, 7.0).reshape(2, 3)


@pytest.mark.parametrize("name", MADE)
def test_a_write_to_either(name):
    def f(a, b):
        v, w = MADE[name](a), MADE[name](b)
        before = v + 0.0
        a[0, 0] = 50.0
        a[1] *= 2.0
        w[...] = 7.5
        return before, v + 0.0, w + 0.0, b

    wanted = copy.deepcopy(f(fresh(), fresh()))
    assert_same(run(f, fresh(), fresh()), wanted)


@pytest.mark.parametrize(
    "make", [lambda a: np.array(a, f4, copy=False), lambda a: np.asarray(a, f4, copy=False)]
)
def test_a_copy_that_is_not_allowed(make):
    for call in (make, lambda a: run(make, a)):
        with pytest.raises(ValueError, match="Unable to avoid copy"):
            call(fresh())


READ_ONLY = {
    "broadcast_to": lambda a: np.broadcast_to(a, (2, 2, 3)),
    "broadcast_number": lambda a: np.broadcast_to(a[0, 0], (2,)),
    "diagonal": lambda a: np.diagonal(a),
    "diag": lambda a: np.diag(a),
}


@pytest.mark.parametrize("name", READ_ONLY)
def test_read_only(name):
    def written(a):
        READ_ONLY[name](a)[...] = 1.0
        return a

    with pytest.raises(ValueError, match="read-only"):
        written(fresh())
    with pytest.raises(MyiaError, match="cannot write into"):
        run(written, fresh())


def test_gradient_through_a_view_of_more_axes():
    def f(x):
        a = np.array([x, 2.0 * x])
        v = np.array(a, ndmin=2, copy=None)
        a[0] = x * x
        v[0, 1] *= 3.0
        return v[0, 0] + a[1]

    assert myia.jit(f)(2.0) == f(2.0)
    assert myia.grad(f)(2.0) == pytest.approx((f(2.0 + 1e-6) - f(2.0 - 1e-6)) / 2e-6, rel=1e-6)
