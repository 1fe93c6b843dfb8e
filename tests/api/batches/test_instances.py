"""Batches and instances: attributes of results, settings, structures of axes."""

import copy
import pickle
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import myia

RNG = np.random.default_rng(0)
X = RNG.normal(size=(4, 3))


@dataclass
class Pair:
    a: Any
    b: Any


@pytest.mark.parametrize("value", [2, True, 2.5, np.int32(3), np.bool_(False)])
def test_numbers_in_instances_have_an_axis(value):
    found = myia.vmap(lambda x: (Pair(x, value + 0 * 0), Pair([value], value)))(np.ones(3))
    want = np.stack([value + 0 * 0] * 3)
    assert found[0].b.dtype == want.dtype and np.array_equal(found[0].b, want)
    for x in (found[1].a[0], found[1].b):
        assert x.dtype == np.stack([value]).dtype and np.array_equal(x, [value] * 3)


@dataclass
class Model:
    w: Any
    act: str = "tanh"
    size: int = 3
    bias: bool = False
    function: Any = np.tanh
    names: Any = ("a", "b")
    inner: Any = None

    def __call__(self, x):
        y = x @ self.w * self.size
        return self.function(y) if self.act == "tanh" else y


SHARED = Model(np.array([0.3, -0.2, 0.5]), names=["a", None])


def loss(model, x):
    return model(x) ** 2


def check_slopes(found, model):
    """One gradient for each example; all else is as in the model."""
    eps = 1e-6 * np.eye(3)
    w = model.w
    for k, x in enumerate(X):
        ends = [[loss(Model(w + s * d, model.act), x) for d in eps] for s in (1, -1)]
        np.testing.assert_allclose(found.w[k], np.subtract(*ends) / 2e-6, 1e-6)
    assert type(found) is Model and (found.act, found.size) == (model.act, 3)
    assert found.bias is False and found.function is np.tanh and found.names == model.names


@pytest.mark.parametrize("act", ["tanh", "none"])
def test_slopes_of_examples_are_models(act):
    model = Model(SHARED.w, act, inner=Pair(1.0, [None, len, "text"]))
    found = myia.vmap(myia.grad(loss), in_axes=(None, 0))(model, X)
    check_slopes(found, model)
    assert np.array_equal(found.inner.a, np.zeros(4)) and found.inner.b == [None, len, "text"]
    check_slopes(myia.vmap(lambda x: myia.grad(lambda m: loss(m, x))(SHARED))(X), SHARED)
    many = Model(np.stack([SHARED.w] * 4), act)
    values, found = myia.vmap(myia.value_and_grad(loss))(many, X)
    check_slopes(found, model := Model(SHARED.w, act))
    np.testing.assert_allclose(values, [loss(model, x) for x in X])


def test_ints_that_change_from_call_to_call_are_settings_too():
    f = myia.vmap(myia.value_and_grad(loss), in_axes=(None, 0))
    for size in range(1, 6):
        values, slope = f(Model(SHARED.w, size=size), X)
        assert slope.size == size and type(slope.size) is int
        np.testing.assert_allclose(values, np.tanh(X @ SHARED.w * size) ** 2)


def test_functions_of_an_example_are_refused():
    with pytest.raises(TypeError, match=r"the result\.b is a function, which cannot be"):
        myia.vmap(lambda x: Pair(x, lambda y: x * y))(np.ones(3))
    with pytest.raises(TypeError, match=r"the result\[1\] is 'text', which cannot be"):
        myia.vmap(lambda x: (x, "text"))(np.ones(3))


@dataclass
class Three:
    a: Any
    b: Any
    name: Any = "plain"


def weighted(p, k):
    return p.a + p.b * k


def test_axes_in_instances():
    p = Three(np.arange(3.0), RNG.normal(size=(2, 3)), "other")
    want = np.stack([p.a[i] + p.b[:, i] * 2.0 for i in range(3)])
    for axes in (Three(0, 1), Three(0, 1, None)):
        f = myia.vmap(weighted, in_axes=(axes, None))
        np.testing.assert_allclose(f(p, 2.0), want)
        inside = myia.jit(lambda p: myia.vmap(weighted, in_axes=(Three(0, 1), None))(p, 2.0))
        np.testing.assert_allclose(inside(p), want)
        np.testing.assert_allclose(copy.copy(pickle.loads(pickle.dumps(f)))(p, 2.0), want)
    nested = myia.vmap(lambda q: q.a["p"].a + q.b, in_axes=(Pair({"p": Three(0, None)}, None),))
    np.testing.assert_allclose(nested(Pair({"p": p}, 1.0)), p.a + 1.0)
    found = myia.vmap(lambda x: Pair(x, (2 * x, 1.5)), out_axes=Pair(0, (1, None)))(X)
    assert np.array_equal(found.a, X) and np.array_equal(found.b[0], 2 * X.T)
    assert found.b[1] == 1.5
    assert "in_axes=(Three(a=0, b=1, name='plain'), None)" in repr(
        myia.vmap(weighted, in_axes=(Three(0, 1), None))
    )


WRONG = [
    (lambda p: myia.vmap(weighted, in_axes=(Three("x", 1), None))(p, 2.0), "has 'x' for `p.a`"),
    (lambda p: myia.vmap(weighted, in_axes=(Pair(0, 1), None))(p, 2.0), "an instance of Pair with"),
    (lambda p: myia.vmap(weighted, in_axes=Pair(0, 1))(p, 2.0), "in_axes is an instance"),
    (lambda p: myia.vmap(weighted, in_axes=(0, Pair(0, 0)))(p, p.a), "an instance of Pair with"),
    (lambda p: myia.vmap(np.sum, out_axes=Pair(0, 0))(p.b), "an instance of Pair with"),
]


@pytest.mark.parametrize("call, text", WRONG, ids=[t for _, t in WRONG])
def test_axes_that_do_not_fit(call, text):
    with pytest.raises((TypeError, ValueError), match=text):
        call(Three(np.arange(3.0), np.ones((3, 3))))


def test_modules_of_equinox():
    eqx = pytest.importorskip("equinox")
    mlp = eqx.nn.MLP(2, 1, 4, 1, key=jax.random.key(0))
    xs = jnp.asarray(RNG.normal(size=(3, 2)))

    def loss(model, x):
        return jnp.sum(model(x) ** 2)

    found = myia.vmap(myia.grad(loss), in_axes=(None, 0))(mlp, xs)
    want = eqx.filter_vmap(eqx.filter_grad(loss), in_axes=(None, 0))(mlp, xs)
    assert type(found) is type(mlp) and found.activation is mlp.activation
    ours, theirs = (jax.tree.leaves(eqx.filter(x, eqx.is_array)) for x in (found, want))
    assert len(ours) == len(theirs) == 4
    for x, y in zip(ours, theirs):
        assert isinstance(x, jax.Array) and x.shape == y.shape
        np.testing.assert_allclose(x, y, 1e-5)
    with pytest.raises(ValueError, match="a structure, where one entry holds for all arrays, for"):
        myia.vmap(loss, in_axes=((0, 0), 0))(mlp, xs)
    keys = jax.random.split(jax.random.key(1), 3)
    many = eqx.filter_vmap(lambda k: eqx.nn.MLP(2, 1, 4, 1, key=k))(keys)
    of_many = myia.vmap(lambda model, x: model(x))(many, xs)
    np.testing.assert_allclose(of_many, eqx.filter_vmap(lambda m, x: m(x))(many, xs), 1e-5)
