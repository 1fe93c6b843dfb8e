"""The pullback of `vjp` belongs to the state in which the function was called.

It runs the function again, so it refuses what has changed besides the arguments.
"""

import jax
import numpy as np
import pytest

import myia

WEIGHTS, SCALE = np.ones(2), 3
CHANGED = "what the function reads besides its arguments has changed"


class Model:
    def __init__(self):
        self.w, self.k = np.ones(2), 1.0

    def __call__(self, x):
        return (self.w * x).sum() * self.k


def weighted(x):
    return (WEIGHTS * x).sum() * SCALE


def test_a_global_changes(monkeypatch):
    monkeypatch.setitem(globals(), "WEIGHTS", np.array([1.0, np.nan]))
    _, pull = myia.vjp(weighted, 2.0)
    assert np.isnan(pull(1.0)[0])
    WEIGHTS[1] = 1.0
    with pytest.raises(RuntimeError, match=CHANGED):
        pull(1.0)
    for scale in range(4, 10):  # an int that keeps changing becomes an argument
        _, pull = myia.vjp(weighted, 2.0)
        assert pull(1.0) == (2.0 * SCALE,)
        monkeypatch.setitem(globals(), "SCALE", scale)
        with pytest.raises(RuntimeError, match=CHANGED):
            pull(1.0)


def test_an_instance_changes():
    model = Model()
    _, pull = myia.vjp(model, 2.0)
    assert pull(1.0) == (2.0,)
    model.w = np.full(2, 3.0)
    with pytest.raises(RuntimeError, match=CHANGED):
        pull(1.0)
    model.w = np.ones(2)
    assert pull(1.0) == (2.0,)
    model.k = 2.0
    with pytest.raises(RuntimeError, match=CHANGED):
        pull(1.0)


def test_a_primal_changes():
    w = np.array([1.0, 2.0])
    _, pull = myia.vjp(lambda w: (w * w).sum(), w)
    w[:] = 7.0
    np.testing.assert_array_equal(pull(1.0)[0], [2.0, 4.0])


@myia.jit
def changed_in_compiled_code(w, x, how):
    k, log = 1.0, np.zeros(3)

    def f(x):
        return (w * x).sum() * k

    value, pull = myia.vjp(f, x)
    log[0] = value
    if how == 1:
        w[0] = 5.0
    elif how == 2:
        k = 4.0
    return pull(1.0)[0] + log[0]


def test_changes_in_compiled_code():
    assert changed_in_compiled_code(np.ones(2), 2.0, 0) == 6.0
    for how in (1, 2):
        with pytest.raises(myia.MyiaError, match="after a change of what it reads"):
            changed_in_compiled_code(np.ones(2), 2.0, how)


@myia.jit
def descended(x, targets):
    for target in targets:
        _, pull = myia.vjp(lambda x, to=target: ((x - to) ** 2).sum(), x)
        x -= 0.25 * pull(1.0)[0]
    return x


def test_pullbacks_in_a_loop():
    x, targets = np.array([1.0, 2.0]), np.array([[0.0, 4.0], [2.0, 2.0]])
    np.testing.assert_allclose(descended(x.copy(), targets), [1.25, 2.5])


def test_under_jit_of_jax():
    assert jax.jit(lambda x: myia.vjp(weighted, x)[1](1.0)[0])(2.0) == 6.0
