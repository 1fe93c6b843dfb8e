"""Defaults are those of the function at the call, whatever was done to it since its definition."""

import pytest

import myia


def scaled(x, y=1.0, *, a=2.0, b=3.0):
    return x * a + b * y


def use(x):
    return scaled(x)


@pytest.fixture
def f():
    saved = scaled.__defaults__, dict(scaled.__kwdefaults__)
    yield scaled
    scaled.__defaults__, scaled.__kwdefaults__ = saved


def same_as_python(x=1.5):
    assert myia.jit(use)(x) == use(x)
    assert myia.jit(scaled)(x) == scaled(x)
    assert myia.grad(use)(x) == scaled.__kwdefaults__["a"]


def test_keyword_defaults_in_another_order(f):
    f.__kwdefaults__ = {"b": 30.0, "a": 20.0}
    same_as_python()
    f.__kwdefaults__["a"] = 40.0
    same_as_python()
    f.__kwdefaults__ = {"a": 2.0, "b": 30.0}
    same_as_python()


def test_one_default_more_that_no_parameter_takes(f):
    f.__kwdefaults__ = {"z": 7.0, "a": 20.0, "b": 30.0}
    same_as_python()


def test_positional_defaults_of_another_length_are_refused(f):
    f.__defaults__ = (1.0, 2.0)
    assert use(1.0) == 8.0
    with pytest.raises(myia.MyiaError, match="defaults for other parameters"):
        myia.jit(use)(1.0)


def test_a_keyword_default_that_is_gone_is_refused(f):
    f.__kwdefaults__ = {"b": 3.0}
    with pytest.raises(myia.MyiaError, match="defaults for other parameters"):
        myia.jit(lambda x: scaled(x, a=4.0))(1.0)
