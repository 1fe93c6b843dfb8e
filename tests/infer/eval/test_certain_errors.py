"""Errors that are sure to be raised, in code that the compiler drops or tries again."""

import contextlib

import numpy as np
import pytest

import myia
from tests.infer.driver import outcome


class Bad(Exception):
    pass


class Worse(Exception):
    pass


def one_of_two(x):
    if x > 6.0:
        raise Bad("b")
    else:
        raise Worse("w")
    return x


def loudly(x):
    try:
        raise Bad("b")
    finally:
        print("final", x)
    return x


def after_a_print(x):
    print("before", x)
    raise Bad("b")


def out_of_range(x):
    y = np.ones(3)
    try:
        return y[7] * x
    finally:
        print("final", x)


def after_an_index(x):
    y = np.ones(3)
    try:
        z = y[int(x)]
        raise Worse(z)
    finally:
        if x > 30.0:
            raise KeyError(3)


KINDS = (Bad, Worse, IndexError, KeyError, UnboundLocalError)
BODIES = [one_of_two, loudly, after_a_print, out_of_range, after_an_index]


def in_a_derivative(f, y):
    return myia.grad(f)(y[0])


def in_a_checkpoint(f, y):
    return myia.checkpoint(f)(y[0])


def in_a_batch(f, y):
    return np.sum(myia.vmap(f)(y))


def in_unrolled_code(f, y):
    for k in range(3):
        z = 1.0 if k else y
        f(y[0])
    return z


def with_known_error(f, y):
    for k in range(3):
        z = 1.0 if k else y
        with contextlib.suppress(KeyError):
            f(unbound)  # noqa: F821
            unbound = 1.0  # noqa: F841
    return z


AROUND = [in_a_derivative, in_a_checkpoint, in_a_batch, in_unrolled_code, with_known_error]


def caught(around):
    def f(body, y):
        try:
            return around(body, y)
        except Bad:
            return 1.0
        except Worse:
            return 2.0

    return f


@pytest.mark.parametrize("catches", [False, True])
@pytest.mark.parametrize("around", AROUND, ids=lambda f: f.__name__)
@pytest.mark.parametrize("body", BODIES, ids=lambda f: f.__name__)
def test_what_raises_is_what_python_raises(body, around, catches, capfd, monkeypatch):
    f = caught(around) if catches else around
    compiled = myia.jit(f)
    inputs = [np.array([first, 2.0, 3.0]) for first in (5.0, 7.0, 1.0, 40.0)]
    found = [outcome(capfd, KINDS, compiled, body, y) for y in inputs]
    monkeypatch.setattr(myia, "grad", lambda f: f)
    monkeypatch.setattr(myia, "checkpoint", lambda f: f)
    monkeypatch.setattr(myia, "vmap", lambda f: lambda y: [f(x) for x in y])
    assert found == [outcome(capfd, KINDS, f, body, y) for y in inputs]
