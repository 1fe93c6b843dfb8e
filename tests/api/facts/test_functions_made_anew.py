"""`grad(f)` written anew, lambdas and closures made anew: they share programs, and no values."""

from __future__ import annotations

import collections
import functools
import gc
import weakref
from types import FunctionType

import jax
import numpy as np
import pytest

import myia
from myia.api import dispatch, sharing

TIMES = sharing.OWN_PROGRAMS + 4
X = np.array([1.0, 2.0, 3.0])


@pytest.fixture(autouse=True)
def counted(monkeypatch):
    """The compilations of all dispatchers."""
    found: list[str] = []
    variant = dispatch.Dispatcher._variant

    def compiled(self, *args):
        found.append(self.name)
        return variant(self, *args)

    monkeypatch.setattr(dispatch.Dispatcher, "_variant", compiled)
    return found


def loss(w, x):
    return np.sum((w - x) ** 2)


@pytest.mark.parametrize("transform", [myia.grad, myia.value_and_grad, myia.jacfwd, myia.jit])
def test_the_same_function_again(counted, transform):
    for i in range(TIMES):
        F = transform(loss)
        value, gradient = loss(X, X + i), np.full(3, -2.0 * i)
        wanted = {"jit": value, "value_and_grad": (value, gradient)}.get(F.name, gradient)
        jax.tree.map(np.testing.assert_array_equal, F(X, X + i), wanted)
        assert F.compiles == 1
    assert len(counted) == 1


def test_functions_that_hold_nothing_are_one(counted):
    """Lambdas without variables of their own; with other globals they are others."""
    for i in range(TIMES):
        assert myia.grad(myia.jit(lambda x: x * x * i_am_global))(float(i)) == 4.0 * i
    assert len(counted) == 1
    others = FunctionType(loss.__code__, {"np": np, "i_am_global": 3.0})
    assert myia.jit(loss)(X, X + 1.0) == myia.jit(others)(X, X + 1.0) == 3.0
    assert len(counted) == 3


def test_two_functions_that_are_kept(counted):
    """The second uses the programs of the first, with other arguments, too, and both stay right."""
    first, second = myia.grad(loss), myia.grad(loss)
    for x in (X, X[:2], 2.0):
        for F in (first, second, second, second, second, first):
            np.testing.assert_array_equal(F(x, x + 1.0), np.full(np.shape(x), -2.0))
    assert len(counted) == 3


i_am_global = 2.0


def closing_over(k, row, names):
    return lambda x, y=row * 2: x * k + row - names["a"] * y


def test_captured_values_are_those_of_each_function(counted):
    made = []
    for i in range(TIMES):
        f = closing_over(float(i), np.full(3, i + 1.0), {"a": i * 2.0})
        made.append((myia.jit(f), f))
    for F, f in [*made, *made[::-1]]:
        np.testing.assert_array_equal(F(X), f(X))
    assert len(counted) == sharing.OWN_PROGRAMS + 1


def counting(row, state):
    def f(x):
        state[0] += 1.0
        return (x * row).sum()

    return f


def weighted(row):
    return lambda x: (x * row).sum()


def test_a_captured_array_that_changes_is_read_again():
    for i in range(TIMES):
        row, state = np.full(3, i + 1.0), [0.0]
        F, G = myia.jit(counting(row, state)), myia.grad(weighted(row))
        for j in range(3):
            row[0] = 10.0 * j
            assert F(X) == (X * row).sum()
            np.testing.assert_array_equal(G(X), row)
        assert state == [3.0]


def applied(c):
    def f(x):
        if c is None or isinstance(c, str):
            return x * 2.0
        return c(x) if callable(c) else (x * c).sum()

    return f


def test_captured_types_and_shapes():
    captured = (2.0, 3, np.ones(3), np.ones((2, 3)), "text", None, 2.5, np.sin, applied(4.0))
    for _ in range(3):
        for c in captured:
            f = applied(c)
            np.testing.assert_allclose(myia.jit(f)(X), f(X), rtol=1e-15)


def test_options_have_programs_of_their_own():
    def f(x, y):
        return x * x * y

    for _ in range(TIMES):
        assert myia.grad(f)(3.0, 2.0) == 12.0
        assert myia.grad(f, argnums=1)(3.0, 2.0) == 9.0
        assert myia.grad(f, argnames="y")(3.0, y=2.0) == 9.0
        assert myia.grad(f, argnums=(0, 1))(3.0, 2.0) == (12.0, 9.0)
        assert myia.grad(f)(3.0, y=2.0) == 12.0
        assert myia.elementwise_grad(f)(3.0, 2.0) == 12.0
        assert myia.hvp(f)(3.0, 2.0, 1.0) == 4.0


GLOBAL = 1.0


def test_globals_are_read_at_every_call(monkeypatch):
    for i in range(TIMES):
        monkeypatch.setitem(globals(), "GLOBAL", i * 1.5)
        assert myia.grad(lambda x: x * GLOBAL)(2.0) == i * 1.5


@pytest.mark.parametrize("transform", [myia.jit, myia.grad])
def test_nothing_is_kept_alive(transform):
    alive = []
    for i in range(TIMES):
        a = np.full(4, i + 1.0)
        f = weighted(a)
        alive += [weakref.ref(a), weakref.ref(f)]
        transform(f)(np.ones(4))
        del a, f
    gc.collect()
    assert not any(x() is not None for x in alive)


def raising(k):
    def f(x):
        if x < 0.0:
            raise ValueError("negative")
        return x * k

    return f


def test_errors_are_those_of_the_function():
    for i in range(TIMES):
        F = myia.grad(raising(2.0 + i))
        assert F(1.0) == 2.0 + i
        with pytest.raises(ValueError, match="negative"):
            F(-1.0)
        with pytest.raises(myia.MyiaError, match="str"):
            F("text")


def writing(x):
    x[0] = 2.0
    return x.sum()


def test_errors_name_the_parameters():
    for _ in range(5):
        with pytest.raises(ValueError, match="read-only: `x`"):
            myia.jit(writing)(np.broadcast_to(1.0, (2,)))


# ----- Partials, methods, instances, and transforms of transforms


class Model:
    """Its state changes between calls; `count` is written by a compiled method."""

    def __init__(self, scale, row):
        self.scale, self.row, self.count = scale, row, 0.0

    def loss(self, w):
        return np.sum(self.scale * w**3 + self.row * w)

    def counted(self, w):
        self.count += 1.0
        return self.loss(w)

    __call__ = loss


def scaled(a, x, *, row):
    return np.sum(a * x**3 + row * x)


def _by_partial(scale, row):
    return functools.partial(scaled, scale, row=row)


def _by_method(scale, row):
    return Model(scale, row).loss


def _by_instance(scale, row):
    return Model(scale, row)


def _by_lambda(scale, row):
    return lambda x: scaled(scale, x, row=row)


def _by_partial_of_method(scale, row):
    return functools.partial(Model(scale, row).counted)


MADE = (_by_partial, _by_method, _by_instance, _by_lambda, _by_partial_of_method)
TRANSFORMED = {
    "jit": lambda f, s, r: myia.jit(f)(X),
    "grad": lambda f, s, r: myia.grad(f)(X),
    "jit of grad": lambda f, s, r: myia.jit(myia.grad(f))(X),
    "grad of jit": lambda f, s, r: myia.grad(myia.jit(f))(X),
    "partial of grad": lambda f, s, r: myia.jit(functools.partial(myia.grad(f), X))(),
    "grad of elementwise": lambda f, s, r: myia.elementwise_grad(myia.elementwise_grad(f))(X),
    "hessian": lambda f, s, r: myia.hessian(f)(X),
    "jvp": lambda f, s, r: myia.jvp(myia.grad(f), (X,), (X,)),
}
WANTED = {
    "jit": lambda s, r: np.sum(s * X**3 + r * X),
    "grad of elementwise": lambda s, r: 6 * s * X,
    "hessian": lambda s, r: np.diag(6 * s * X),
    "jvp": lambda s, r: (3 * s * X**2 + r, 6 * s * X * X),
}


@pytest.mark.parametrize("made", MADE)
@pytest.mark.parametrize("how", ["jit of grad", "grad of elementwise", "jvp"])
def test_what_is_made_anew_shares_programs(counted, made, how):
    for i in range(TIMES):
        scale, row = i + 0.5, np.full(3, -1.0 * i)
        found = TRANSFORMED[how](made(scale, row), scale, row)
        jax.tree.map(np.testing.assert_allclose, found, WANTED.get(how, _gradient)(scale, row))
    assert len(counted) <= sharing.OWN_PROGRAMS + 1


def _gradient(s, r):
    return 3 * s * X**2 + r


@pytest.mark.parametrize("count", [25, pytest.param(300, marks=pytest.mark.slow)])
def test_random_kinds_with_values_of_their_own(count):
    """One of many codes, transforms, and types of what they hold: none sees another's value."""
    chosen = np.random.default_rng(0)
    kinds = (float, int, np.float32, lambda v: np.full(3, v), lambda v: np.full((1,), v))
    for _ in range(count):
        made, how = MADE[chosen.integers(5)], [*TRANSFORMED][chosen.integers(4)]
        scale, row = (kinds[chosen.integers(5)](chosen.integers(1, 9)) for _ in range(2))
        found = TRANSFORMED[how](made(scale, row), scale, row)
        jax.tree.map(np.testing.assert_allclose, found, WANTED.get(how, _gradient)(scale, row))


def test_what_changes_between_calls_is_read():
    model, held = Model(1.0, np.ones(3)), functools.partial(scaled, 1.0, row=np.ones(3))
    for i in range(TIMES + 3):
        model.scale, model.row[1] = i, 2.0 * i
        held.keywords["row"][2] = 3.0 * i
        np.testing.assert_allclose(myia.grad(model.loss)(X), 3 * i * X**2 + model.row)
        np.testing.assert_allclose(myia.grad(model)(X), 3 * i * X**2 + model.row)
        np.testing.assert_allclose(myia.grad(held)(X), 3 * X**2 + held.keywords["row"])
        if i % 3 == 0:
            held.keywords["row"] = np.zeros(3)
            model.row = [0.0, 1.0, 2.0] if i % 2 else np.ones(3)
            model.row = np.array(model.row)


def test_methods_change_their_instance():
    for _ in range(2):
        model = Model(2.0, np.zeros(3))
        for i in range(TIMES):
            assert myia.jit(model.counted)(X) == model.loss(X)
            assert model.count == i + 1.0


def test_an_instance_that_is_an_argument_too():
    class Counter:
        def __init__(self):
            self.n = 0.0

        def add(self, other, x):
            other.n += x
            return self.n

    for i in range(TIMES):
        counter, other = Counter(), Counter()
        assert myia.jit(counter.add)(counter, 2.0 + i) == 2.0 + i
        assert (myia.jit(counter.add)(other, 1.0), other.n) == (2.0 + i, 1.0)


def test_arrays_of_jax_in_a_function_do_not_choose_the_result():
    held = jax.numpy.ones(3, "float32")
    for _ in range(TIMES):
        for f in (functools.partial(scaled, 2.0, row=held), Model(2.0, held)):
            assert type(myia.grad(f)(X)) is np.ndarray
            assert isinstance(myia.grad(f)(jax.numpy.ones(3)), jax.Array)


def test_names_of_arguments_of_what_is_made_anew():
    for i in range(TIMES):
        f = functools.partial(scaled, i + 1.0)
        np.testing.assert_allclose(myia.grad(f, argnames="row")(X, row=X), X)
        np.testing.assert_allclose(myia.grad(f, argnames="x")(X, row=X), 3 * (i + 1) * X**2 + X)
        v = myia.hvp(Model(i + 1.0, X).loss, argnames="w")(X, X)
        np.testing.assert_allclose(v, 6 * (i + 1) * X * X)


def test_errors_of_partials_and_methods():
    class Raising(Model):
        def loss(self, w):
            if self.scale < 0.0:
                raise ValueError("negative", self.scale)
            return w * self.scale

    for i in range(TIMES):
        with pytest.raises(ValueError) as caught:
            myia.grad(Raising(-1.0 - i, X).loss)(1.0)
        assert caught.value.args == ("negative", -1.0 - i)
        assert myia.grad(Raising(1.0, X).loss)(1.0) == 1.0
        with pytest.raises(myia.MyiaError, match="text"):
            myia.grad(functools.partial(Raising.loss, Raising(1.0, X)))("text")


def test_what_is_known_by_identity_keeps_few_programs(counted, monkeypatch):
    monkeypatch.setattr(sharing, "MOST_PROGRAMS", 3)
    alive = []
    for i in range(6):
        queue = collections.deque([1.0] * (i + 1))
        alive.append(weakref.ref(queue))
        assert myia.jit(functools.partial(lambda q, x: x * len(q), queue))(2.0) == 2.0 * (i + 1)
        del queue
    gc.collect()
    assert sum(x() is not None for x in alive) <= 3


def test_objects_that_are_kept_see_changes():
    """They are bound to a shared program after some calls."""

    def made(k):
        def f(x, y=2.0):
            return x * k * y + GLOBAL

        def change(v):
            nonlocal k
            k = v

        return f, change

    F, changes = [], []
    for i in range(TIMES):
        f, change = made(i + 1.0)
        F.append((myia.jit(f), f))
        changes.append(change)
        F[-1][0](1.0)
    for step in range(12):
        for (compiled, f), change in zip(F, changes):
            args = (3.0, np.float32(2.0), np.ones(2), np.ones(3), 4)[step % 5]
            for _ in range(4):
                np.testing.assert_array_equal(compiled(args), f(args))
            change(step * 1.5)
            np.testing.assert_array_equal(compiled(args), f(args))
            f.__defaults__ = (step + 0.5,)
            np.testing.assert_array_equal(compiled(args), f(args))


def test_objects_that_are_kept_see_types_and_globals(monkeypatch):
    F = [myia.jit(lambda x: x * GLOBAL) for _ in range(TIMES)][-1]
    G = [myia.jit(applied(None)) for _ in range(TIMES)]
    for G_ in G:
        G_(1.0)
    for i in range(12):
        monkeypatch.setitem(globals(), "GLOBAL", (i * 2.0, np.full(2, i), i)[i % 3])
        np.testing.assert_array_equal(F(2.0), 2.0 * GLOBAL)
        assert G[-1](i * 1.0) == i * 2.0
        for shape in ((), (2,), (3,)):
            x = jax.numpy.full(shape, i, "float32")
            np.testing.assert_array_equal(G[-1](x), x * 2)
    x = np.ones(2)
    y = [myia.jit(lambda a, b: (a + b, b)) for _ in range(TIMES)]
    for f in y * 6:
        np.testing.assert_array_equal(f(x, x)[0], [2.0, 2.0])
        np.testing.assert_array_equal(f(x, x + 1)[0], [3.0, 3.0])
