"""`vmap` of no examples: what does not depend on an example is computed all the same."""

import numpy as np
import pytest

import myia

NONE = np.zeros(0)


def shared(w, x):
    return w * 2.0, x * w


def by_loop(w, x):
    total = 0.0
    for i in range(3):
        total += w[i] ** i
    return total, x + total


def in_containers(w, x):
    return {"w": np.sin(w), "x": x, "pair": (w.sum(), 3.0)}


def with_a_check(w, x):
    if w < 0.0:
        raise ValueError("negative")
    print(x)
    return w + 1.0, x


def test_results_that_all_examples_share(capsys):
    axes = {"in_axes": (None, 0), "out_axes": (None, 0)}
    for f in (shared, with_a_check):
        first, second = myia.vmap(f, **axes)(3.0, NONE)
        assert first == f(3.0, 0.0)[0] and second.shape == (0,)
    capsys.readouterr()
    myia.vmap(with_a_check, **axes)(3.0, NONE)
    assert capsys.readouterr().out == ""
    w = np.array([1.0, 2.0, 3.0])
    first, second = myia.vmap(by_loop, **axes)(w, NONE)
    assert first == by_loop(w, 0.0)[0] and second.shape == (0,)


def test_results_in_containers():
    w, out_axes = np.array([1.0, 2.0]), {"w": None, "x": 0, "pair": (None, None)}
    f = myia.vmap(in_containers, in_axes=(None, 0), out_axes=out_axes)
    found, wanted = f(w, NONE), in_containers(w, 0.0)
    np.testing.assert_allclose(found["w"], wanted["w"])
    assert found["x"].shape == (0,) and found["pair"] == wanted["pair"]


@pytest.mark.parametrize("count", [0, 1, 3])
def test_their_derivative(count):
    def total(w, xs):
        first, second = myia.vmap(shared, in_axes=(None, 0), out_axes=(None, 0))(w, xs)
        return first * 5.0 + np.sum(second)

    assert myia.grad(total)(3.0, np.ones(count)) == 10.0 + count
