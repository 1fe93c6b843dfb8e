"""Arrays that are not plain ones: of files, of another byte order, of libraries with DLPack."""

from __future__ import annotations

import os
import subprocess
import sys

import jax
import ml_dtypes
import numpy as np
import pytest

import myia
from myia.infer.boundary.signature import CallFlattener


def double_rest(x):
    x[1:] *= 2
    return x, x.sum()


def both(a, b):
    a[0] = b[1] + 1
    return a + b


def mapped(path, mode):
    return np.memmap(path, dtype=np.float64, mode=mode, shape=(3,))


@pytest.fixture
def path(tmp_path):
    np.array([1.0, 2.0, 3.0]).tofile(tmp_path / "numbers")
    return tmp_path / "numbers"


def test_memmap(path):
    x, F = mapped(path, "r+"), myia.jit(double_rest)
    flat = CallFlattener()
    flat.add(x)
    assert type(flat.leaves[0]) is np.ndarray and flat.leaves[0].ctypes.data == x.ctypes.data
    for k in (2, 4, 8):
        found, total = F(x)
        assert found is x and total == 1 + 5 * k
        x.flush()
        assert np.fromfile(path).tolist() == [1.0, 2.0 * k, 3.0 * k]
    assert F.compiles == 1
    gradient = myia.grad(lambda x: np.sum(x**2))(mapped(path, "r"))
    assert type(gradient) is np.ndarray and gradient.tolist() == [2.0, 32.0, 48.0]


def test_memmap_that_is_read_only(path):
    with pytest.raises(ValueError, match="assignment destination is read-only: `x`"):
        myia.jit(double_rest)(mapped(path, "r"))
    assert myia.jit(double_rest)(mapped(path, "c"))[1] == 11.0
    assert np.fromfile(path).tolist() == [1.0, 2.0, 3.0]


def test_two_mappings_of_one_file(path):
    x, y = mapped(path, "r+"), mapped(path, "r")
    with pytest.raises(ValueError, match="`a` and `b` share memory, and `a` is written to"):
        myia.jit(both)(x, y)
    assert myia.jit(both)(x[:1], x[1:]).tolist() == [6.0, 7.0]
    assert myia.jit(lambda a, b: a + b)(x, y).tolist() == [8.0, 4.0, 6.0]


def test_a_mapping_in_another_byte_order(path):
    x, F = np.memmap(path, ">f4", "r+", shape=(3,)), myia.jit(double_rest)
    x[:] = [1.0, 2.0, 3.0]
    for k in (2, 4, 8):
        found, total = F(x)
        assert found is x and total == 1 + 5 * k
        assert np.memmap(path, ">f4", "r", shape=(3,)).tolist() == [1.0, 2.0 * k, 3.0 * k]
    assert F.compiles == 1


@pytest.mark.parametrize("dtype", [">f8", ">f4", ">i4", ">c16"])
def test_another_byte_order(dtype):
    x, F = np.array([1, 2, 3], dtype), myia.jit(double_rest)
    plain = x.astype(x.dtype.newbyteorder("="))
    for _ in range(3):
        found, total = F(x)
        wanted, of_plain = double_rest(plain)
        assert found is x and x.dtype.str == dtype
        np.testing.assert_array_equal(x, wanted)
        assert total == of_plain and total.dtype == of_plain.dtype
    new = myia.jit(lambda x: x + x[0])(x)
    assert new.dtype == plain.dtype and new.dtype.isnative
    assert F(plain)[0] is plain  # another program


def test_another_byte_order_in_all_places():
    x = np.array([1.0, 2.0], ">f8")
    assert myia.grad(lambda d: np.sum(d["x"][0] ** 3))({"x": [x]})["x"][0].tolist() == [3.0, 12.0]
    F = myia.jit(lambda: x * 2)
    for k in (1.0, 5.0, 6.0, 7.0):
        x[0] = k
        assert F().tolist() == [2 * k, 4.0]
    assert myia.jit(both)(x, x).tolist() == [6.0, 4.0]
    y = np.arange(4.0).astype(">f8")
    with pytest.raises(ValueError, match="share memory"):
        myia.jit(both)(y[:2], y[1:3])
    with pytest.raises(ValueError, match="share memory"):
        myia.jit(both)(y[:2], y.view("<f8")[1:3])
    y.flags.writeable = False
    with pytest.raises(ValueError, match="assignment destination is read-only: `x`"):
        myia.jit(double_rest)(y)


class Producer:
    """An array of some library: its memory is offered by DLPack."""

    def __init__(self, a):
        self.a = a

    def __dlpack__(self, **options):
        return self.a.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.a.__dlpack_device__()


def test_dlpack():
    x, F = Producer(np.array([1.0, 2.0, 3.0])), myia.jit(double_rest)
    for k in (2, 4, 8):
        found, total = F(x)
        assert found is x and total == 1 + 5 * k and x.a.tolist() == [1.0, 2.0 * k, 3.0 * k]
    assert type(myia.grad(lambda x: np.sum(x**2))(x)) is np.ndarray
    x.a = np.array(["no number"])
    with pytest.raises(TypeError, match=r"NumPy cannot use the memory of a .*Producer: "):
        F(x)


@pytest.mark.slow
def test_libraries_are_not_imported():
    code = "import myia.api.public, sys; print({'torch', 'pandas', 'scipy.stats'} & {*sys.modules})"
    found = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env=os.environ
    )
    assert found.stdout.strip() == "set()", found.stdout + found.stderr


def smooth(x):
    total = x[0]
    for i in range(1, len(x)):
        total += np.tanh(x[i]) * x[i - 1]
    return total + np.sum(x**2) / 3


def test_float16():
    x, y = np.array([0.1, 1.5, 3.0], np.float16), np.array([1.0, 0.5, 2.0], np.float32)
    f = lambda x, y: (x * 2, x + y, x / 3, np.exp(x), x.sum(), x @ x, np.mean(x), x * 0.1)  # noqa: E731
    for found, wanted in zip(myia.jit(f)(x, y), f(x, y)):
        assert found.dtype == wanted.dtype
        np.testing.assert_array_equal(found, wanted)
    assert myia.jit(smooth)(x) == smooth(x)
    of_half, of_double = myia.grad(smooth)(x), myia.grad(smooth)(x.astype(np.float64))
    assert of_half.dtype == np.float16
    np.testing.assert_allclose(of_half, of_double, rtol=4e-3)
    second = myia.hessian(smooth)(x)
    assert second.dtype == np.float16
    np.testing.assert_allclose(second, myia.hessian(smooth)(x.astype(float)), rtol=1e-2, atol=2e-3)


@pytest.mark.parametrize("dtype", [ml_dtypes.bfloat16, ml_dtypes.float8_e4m3fn])
def test_short_floats_are_read_as_float32(dtype):
    x, F = np.array([1, 1.5, 3], dtype), myia.jit(double_rest)
    for _ in range(3):  # the third call is a guarded one
        wide = x.astype(np.float32)
        found, total = F(x)
        wanted, of_wide = double_rest(wide)
        assert found is x and x.dtype == dtype
        np.testing.assert_array_equal(x, wanted.astype(dtype))
        assert total == of_wide and total.dtype == np.float32
    assert F.compiles == 1
    y = np.array([0.1, 1.5, 3], dtype)
    new, slope = myia.jit(lambda x: x * 1.01)(y), myia.grad(smooth)(y)
    assert new.dtype == slope.dtype == np.float32
    np.testing.assert_array_equal(new, y.astype(np.float32) * np.float32(1.01))
    np.testing.assert_allclose(slope, myia.grad(smooth)(y.astype(float)), rtol=1e-6)
    assert myia.jit(lambda x: x * 2)(y[1]) == np.float32(3.0)  # a number
    with pytest.raises(ValueError, match="share memory"):
        myia.jit(both)(y[:2], y[1:])


def test_a_written_bfloat16_is_rounded():
    x = np.array([1, 2, 3.5], ml_dtypes.bfloat16)

    def scaled(x):
        x[1:] *= 1.01

    wide = x.astype(np.float32)
    scaled(wide)
    myia.jit(scaled)(x)
    np.testing.assert_array_equal(x, wide.astype(ml_dtypes.bfloat16))
    assert np.any(x != wide)
    x.flags.writeable = False
    with pytest.raises(ValueError, match="assignment destination is read-only: `x`"):
        myia.jit(scaled)(x)


def test_integers_of_four_bits_are_refused():
    x = np.ones(2, ml_dtypes.int4)
    with pytest.raises(myia.errors.MyiaError, match="numbers of dtype int4 are not") as error:
        myia.jit(lambda x: x * 2)(x)
    assert "`x.astype(np.float32)`" in str(error.value)


def test_numpy_beside_tracers():
    F = myia.jit(lambda a, x: a @ x)
    assert jax.jit(lambda x: F(np.eye(2), x))(jax.numpy.ones(2)).tolist() == [1.0, 1.0]
