"""What is told of options that are not implemented: nothing would raise. Several results."""

from __future__ import annotations

import numpy as np
import pytest

import myia
from myia.library.support import traced
from myia.source.diagnostics import MyiaError
from tests.library.numpy_types.strict import assert_as_numpy

X = np.array([1.0, 2.5, -3.0])
N = np.array([5, -7, 9])

UNSUPPORTED = {
    "an array without dimensions": (lambda x: np.sum(x, out=np.zeros(())), X),
    "a copy into one": (lambda x: np.copyto(np.zeros(()), x[0]), X),
    "where of several results": (lambda x: np.divmod(x, 2, out=(x, x), where=x > 0), X),
}


@pytest.mark.parametrize("name", UNSUPPORTED)
def test_what_is_not_implemented_is_no_error_of_numpys(name):
    f, *args = UNSUPPORTED[name]
    with pytest.raises(MyiaError, match="not supported") as raised:
        myia.jit(f)(*args)
    assert not isinstance(raised.value, (TypeError, ValueError, ArithmeticError))
    assert "would raise" not in str(raised.value)


@pytest.mark.parametrize("exception", [TypeError, ValueError, IndexError])
def test_an_error_of_jaxs_is_not_taken_for_one_of_numpys(exception, monkeypatch):
    def fails(*args):
        raise exception("an option of JAX's")

    monkeypatch.setattr(traced, "trace", fails)
    with pytest.raises(MyiaError, match="not supported") as raised:
        myia.jit(lambda x: np.i0(x))(X)
    assert "an option of JAX's" in str(raised.value)
    assert not isinstance(raised.value, exception)


def test_what_numpy_refuses_is_told_in_its_words():
    with pytest.raises(ValueError, match="cannot be empty"):
        myia.jit(lambda x: np.convolve(x, x[:0]))(X)
    with pytest.raises(TypeError, match="too many positional arguments"):
        myia.jit(lambda x: np.polyfit(x, x, 1, None, False, None, False, 1))(X)


def written(f, *outs):
    """The results, and the arrays that they are written into."""

    def g(x, *more):
        made = [np.zeros(3, dtype) for dtype in outs]
        found = f(x, *more, made)
        return found, made, [a is b for a, b in zip(found, made)]

    return g


SEVERAL = {
    "divmod": (written(lambda x, o: np.divmod(x, 2, out=tuple(o)), int, int), N),
    "divmod by position": (written(lambda x, o: np.divmod(x, 2, *o), float, float), N),
    "divmod into one": (lambda x: np.divmod(x, 2, x), N),
    "divmod dtype": (lambda x: np.divmod(x, 2, dtype=np.float32), N),
    "divmod of numbers": (lambda x: np.divmod(x, 3), np.int8(7)),
    "divmod of Python's": (lambda x: np.divmod(x + 0.5, 3), 7.0),
    "divmod into ints": (lambda x, y: np.divmod(x, 2, out=(y, y)), X, N),
    "modf": (written(lambda x, o: np.modf(x, *o), float, float), X),
    "modf, out": (written(lambda x, o: np.modf(x, out=tuple(o)), float, float), X),
    "modf, one out": (lambda x: np.modf(x, out=(None, x)), X),
    "modf, too few": (lambda x: np.modf(x, out=(x,)), X),
    "frexp": (written(lambda x, o: np.frexp(x, out=tuple(o)), float, np.int32), X),
}


@pytest.mark.parametrize("name", SEVERAL)
def test_several_results(name):
    f, *args = SEVERAL[name]
    assert_as_numpy(f, *args)


def test_lapack_is_silent(capfd):
    """No function of LAPACK is called while compiling, with samples that it would write about."""

    def f(x, y):
        return np.polyfit(x, y, 1)

    assert_as_numpy(f, np.arange(4.0), np.arange(4.0) ** 2)
    assert capfd.readouterr().err == ""


BAD = {
    "degree": lambda x, y: np.polyfit(x, y, -1),
    "rows": lambda x, y: np.polyfit(x[:, None], y, 1),
    "nothing": lambda x, y: np.polyfit(x[:0], y[:0], 1),
    "a number": lambda x, y: np.polyfit(x, y[0], 1),
    "lengths": lambda x, y: np.polyfit(x, y[:2], 1),
    "weights": lambda x, y: np.polyfit(x, y, 1, w=x[:, None]),
    "too few weights": lambda x, y: np.polyfit(x, y, 1, w=x[:2]),
}


@pytest.mark.parametrize("name", BAD)
def test_polyfit_of_bad_samples(name):
    assert_as_numpy(BAD[name], X, N)
