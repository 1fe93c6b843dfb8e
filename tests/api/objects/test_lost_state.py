"""State that a differentiated function changes, and that is lost, is warned of once."""

import functools
import types
import warnings

import numpy as np
import pytest

import myia
from myia.api.programs import lost_state_warning

X = np.array([1.0, 2.0])
BUFFER = np.zeros(2)


@pytest.fixture(autouse=True)
def nothing_warned_of(monkeypatch):
    monkeypatch.setattr(lost_state_warning, "_WARNED", set())


class Norm:
    def __init__(self):
        self.mean, self.var, self.calls = np.zeros(2), 1.0, 0

    def __call__(self, x):
        self.mean = 0.9 * self.mean + 0.1 * x
        self.var *= 0.5
        self.calls += 1
        return x - self.mean


class Net:
    def __init__(self):
        self.w, self.bn = np.ones(2), Norm()


def loss(net, x):
    return np.sum(net.bn(x) * net.w)


def lost(run):
    """The texts of the warnings of a call."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        run()
    assert all(w.category is myia.StateWarning and w.filename == __file__ for w in found)
    return [str(w.message) for w in found]


TRANSFORMED = {
    "grad": lambda f: myia.grad(f)(Net(), X),
    "value_and_grad": lambda f: myia.value_and_grad(f, argnums=(0, 1))(Net(), X),
    "jacrev": lambda f: myia.jacrev(f, argnums=1)(Net(), X),
    "jacfwd": lambda f: myia.jacfwd(f, argnums=1)(Net(), X),
    "hessian": lambda f: myia.hessian(f, argnums=1)(Net(), X),
    "hvp": lambda f: myia.hvp(f, argnums=1)(Net(), X, X),
    "jvp": lambda f: myia.jvp(f, (Net(), X), (Net(), X)),
    "vjp": lambda f: myia.vjp(f, Net(), X)[1](1.0),
    "inside": lambda f: myia.jit(lambda net, x: myia.grad(f)(net, x).w)(Net(), X),
    "keyword": lambda f: myia.grad(lambda x, net: f(net, x))(X, net=Net()),
}


@pytest.mark.parametrize("name", TRANSFORMED)
def test_state_that_is_lost_is_named(name):
    (text,) = lost(lambda: TRANSFORMED[name](loss))
    f = "<lambda>" if name == "keyword" else "loss"
    assert text.startswith(
        f"`{f}` changes `net.bn.mean`, `net.bn.var` and `net.bn.calls`: under a derivative"
    )
    assert "has_aux" in text


def test_one_warning_for_each_function():
    def other(net, x):
        return loss(net, x)

    assert len(lost(lambda: [myia.grad(loss)(Net(), X) for _ in range(2)])) == 1
    assert lost(lambda: myia.grad(loss)(Net(), np.ones((3, 2)))) == []  # another program
    assert len(lost(lambda: myia.grad(other)(Net(), X))) == 1


def test_state_that_is_returned_is_not_lost():
    def all_of_it(net, x):
        return loss(net, x), net

    def parts(net, x):
        return loss(net, x), (net.bn.mean, net.bn.var)

    def copies(net, x):
        return loss(net, x), {"mean": net.bn.mean.copy()}

    take = functools.partial(myia.value_and_grad, has_aux=True)
    (_, net), _ = take(all_of_it)(Net(), X)
    np.testing.assert_allclose(net.bn.mean, 0.1 * X)
    assert lost(lambda: take(all_of_it)(Net(), X)) == []
    assert [t.split(":")[0] for t in lost(lambda: take(parts)(Net(), X))] == [
        "`parts` changes `net.bn.calls`"
    ]
    assert [t.split(":")[0] for t in lost(lambda: take(copies)(Net(), X))] == [
        "`copies` changes `net.bn.var` and `net.bn.calls`"
    ]


def test_containers_and_arrays():
    def containers(x, d, stats):
        d["n"] = x.sum()
        d["rows"].append(1.0)
        del d["old"]
        stats[:] = x
        return x.sum()

    args = (X, {"rows": [], "old": 2.0}, X.copy())
    (text,) = lost(lambda: myia.grad(containers)(*args))
    assert text.startswith("`containers` changes `d['rows'][0]`, `d['n']`, `d['old']` and `stats`:")
    myia.jit(containers)(*args)  # this one writes back
    assert args[1] == {"n": 3.0, "rows": [1.0]}


class Cached:
    def __init__(self):
        self.w = 2.0

    @functools.cached_property
    def square(self):
        return self.w**2


def in_place(x):
    x[0] = 2.0 * x[1]
    return x.sum()


def cached(c):
    return c.square * c.w


def no_change(p):
    p.b = p.b
    p.name = "same"
    return p.w * p.b


def new_objects(x):
    p = types.SimpleNamespace(w=x)
    p.w = p.w * 2.0
    p.extra = [x]
    return p.w


@pytest.mark.parametrize(
    "f, x",
    [
        (in_place, X.copy()),  # an algorithm in the memory of what is differentiated
        (cached, Cached()),
        (no_change, types.SimpleNamespace(w=2.0, b=3.0, name="same")),
        (new_objects, 2.0),
    ],
)
def test_what_is_no_lost_state(f, x):
    for transform in (myia.grad, myia.jacfwd, lambda f: lambda x: myia.vjp(f, x)[1](1.0)):
        assert lost(lambda transform=transform: transform(f)(x)) == []


def test_globals_are_written_to():
    def f(x):
        BUFFER[:] += x
        return np.sum(BUFFER * x)

    BUFFER[:] = 0.0
    assert lost(lambda: myia.grad(f)(X)) == []
    np.testing.assert_array_equal(BUFFER, X)


def picked(w, x, labels):
    total = 0.0
    for i in range(len(labels)):
        total -= (x @ w)[i, labels[i]]
    return total


def batches(f, w, x, y, size):
    """The last batch is smaller: their length is known at run time."""
    last = 0.0
    for start in range(0, len(x), size):
        last, slope = myia.value_and_grad(f)(w, x[start : start + size], y[start : start + size])
        w = w - 0.1 * slope
    return last


def test_reading_a_batch_of_run_time_size_changes_nothing():
    x, y, w = np.ones((50, 3)), np.zeros(50, int), np.ones((3, 2))
    assert lost(lambda: myia.jit(batches)(picked, w, x, y, 16)) == []
