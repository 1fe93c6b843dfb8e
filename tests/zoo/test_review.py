"""Programs as users write them that once gave a wrong number, or were refused for no reason."""

from __future__ import annotations

import dataclasses
import functools
import math

import numpy as np
import pytest

import myia

# ----- vjp


def running_product(a):
    for i in range(1, len(a)):
        a[i] *= a[i - 1]
    return a


def test_vjp_of_a_function_that_writes_to_its_argument():
    x = np.array([1.0, 2.0, 3.0])
    y, pullback = myia.vjp(running_product, x)
    np.testing.assert_array_equal(x, [1.0, 2.0, 3.0])
    np.testing.assert_array_equal(y, [1.0, 2.0, 6.0])
    x[:] = 7.0
    np.testing.assert_array_equal(pullback(np.ones(3))[0], [9.0, 4.0, 2.0])


# ----- Methods that are compiled


class Linear:
    def __init__(self):
        self.w = np.array([1.0, 2.0])

    @myia.jit
    def loss(self, x):
        return np.sum(self.w * x) ** 2

    @myia.jit
    def __call__(self, x):
        return self.w * x


def loss_of(model, x):
    return model.loss(x) + np.sum(model(x))


def test_compiled_methods_are_methods_inside_compiled_code():
    model, x = Linear(), np.array([3.0, 4.0])
    assert myia.jit(loss_of)(model, x) == loss_of(model, x) == 132.0
    np.testing.assert_array_equal(myia.grad(model.loss)(x), [22.0, 44.0])
    np.testing.assert_array_equal(myia.grad(loss_of)(model, x).w, [69.0, 92.0])


@dataclasses.dataclass
class Affine:  # has no hash, and compares its arrays
    w: np.ndarray
    b: float
    layers: int = 1
    calls: int = 0

    def __call__(self, x):
        self.calls += 1
        return np.sum(self.w * x + self.b) * self.layers


def test_an_instance_is_a_function_with_state():
    model = Affine(np.array([1.0, 2.0]), 0.5)
    for f in (myia.jit(model), myia.jit(functools.partial(Affine.__call__, model))):
        before = model.calls
        assert f(2.0) == 7.0
        model.w[0], model.b = 3.0, 1.0
        assert f(2.0) == 12.0
        assert model.calls == before + 2
        model.w[0], model.b = 1.0, 0.5
    assert myia.grad(model)(2.0) == 3.0
    with pytest.raises(myia.MyiaError, match="a function that changes an object from outside"):
        myia.vjp(model, 2.0)[1](1.0)
    assert myia.jvp(model, (2.0,), (1.0,))[1] == 3.0


def test_the_settings_of_an_instance_are_not_differentiated():
    model = Affine(np.array([1.0, 2.0]), 0.5, layers=3)
    found = myia.grad(lambda m, x: m(x))(model, 2.0)
    np.testing.assert_array_equal(found.w, [6.0, 6.0])
    assert (found.b, found.layers) == (6.0, 3)
    tangent = Affine(np.ones(2), 1.0, layers=3)
    assert myia.jvp(lambda m: m(2.0), (model,), (tangent,))[1] == 18.0


def test_a_method_of_an_instance_reads_and_writes_it():
    model = Affine(np.array([1.0, 2.0]), 0.5)
    f = myia.jit(model.__call__)
    assert f(2.0) == 7.0 and model.calls == 1
    model.w = np.array([4.0])
    assert f(2.0) == 8.5 and model.calls == 2


class Settings:
    rate = 2.0
    table = {"a": 1.0}  # noqa: RUF012

    def __init__(self):
        self.w = 1.0

    def value(self, x):
        return self.rate * x * self.w + self.table["a"]


class Doubled(Settings):
    def value(self, x):
        return 2 * super().value(x) + super().rate


def fresh_value(x):
    return Settings().value(x)


def test_what_a_class_holds_is_read_at_every_call(monkeypatch):
    one, two = Settings(), Doubled()
    programs = {
        fresh_value: (2.0,),
        one.value: (2.0,),
        (lambda s, x: s.value(x)): (one, 2.0),
        (lambda s, x: s.value(x) + s.rate): (two, 2.0),
    }
    compiled = {f: myia.jit(f) for f in programs}
    gradient = myia.grad(lambda s: s.value(2.0))
    for rate, a in ((2.0, 1.0), (5.0, 7.0)):
        monkeypatch.setattr(Settings, "rate", rate)
        monkeypatch.setitem(Settings.table, "a", a)
        for f, args in programs.items():
            assert compiled[f](*args) == f(*args)
        assert gradient(one).w == 2 * rate
    assert [f.compiles for f in compiled.values()] == [1] * len(compiled)
    monkeypatch.setattr(Doubled, "rate", 11.0, raising=False)
    for f, args in programs.items():
        assert compiled[f](*args) == f(*args)


def test_a_method_that_is_replaced(monkeypatch):
    f, one = myia.jit(lambda s: s.value(3.0)), Settings()
    assert f(one) == 7.0
    monkeypatch.setattr(Settings, "value", lambda self, x: x - self.rate)
    assert f(one) == f(one) == 1.0
    assert f.compiles == 2
    g = myia.jit(lambda s: s + 3.0)
    for sign in (1, -1):
        monkeypatch.setattr(Settings, "__add__", lambda self, x, sign=sign: sign * x, raising=False)
        assert g(one) == sign * 3.0


@functools.cache
def legendre(n, x):
    if n < 2:
        return x if n else 1.0
    return ((2 * n - 1) * x * legendre(n - 1, x) - (n - 1) * legendre(n - 2, x)) / n


@functools.cache
def binomial(n, k):
    return 1 if k in (0, n) else binomial(n - 1, k - 1) + binomial(n - 1, k)


def powers(x, n):
    return 1.0 if n == 0 else x * powers(x, n - 1)


def sum_of_powers(x):
    s = 0.0
    for n in range(12):
        s += powers(x, n)
    return s


def test_recursion_that_a_number_bounds():
    assert myia.grad(lambda x: legendre(4, x))(0.3) == pytest.approx((35 * 0.3**3 - 15 * 0.3) / 2)
    assert myia.jit(lambda x: x * binomial(60, 30))(1.0) == binomial(60, 30)
    f = myia.jit(powers)
    assert [f(2.0, n) for n in range(7)] == [2.0**n for n in range(7)]  # n does not become traced
    assert myia.jit(sum_of_powers)(2.0) == 4095.0


@pytest.mark.parametrize(
    "x", [np.ones(2).view(type("Sub", (np.ndarray,), {})), np.ma.ones(2), np.array(["a"])]
)
def test_what_may_change_unseen_is_no_constant(x):
    with pytest.raises(myia.MyiaError, match="is not supported"):
        myia.jit(lambda x: x == x)(x)


# ----- Functions that always raise


def scaled(x, kind):
    if kind == "double":
        return 2 * x
    raise ValueError(f"unknown kind {kind}")


def test_a_program_that_always_raises():
    assert myia.jit(scaled)(1.5, "double") == 3.0
    with pytest.raises(ValueError, match="unknown kind triple"):
        myia.jit(scaled)(1.5, "triple")
    with pytest.raises(ValueError, match="unknown kind triple"):
        myia.grad(scaled)(1.5, "triple")


# ----- Arrays without dimensions


def made(x):
    return np.array(x), np.zeros(()), np.where(x > 0, x, 1.0), np.array([x]).reshape(())


def viewed(a):
    return a, a[...], a[()], a * 2, a.copy(), isinstance(a, np.ndarray)


def taken(x):
    return x[0], x[..., 0], np.squeeze(x[:1]), np.sum(x)


def folded(xs):
    total = np.zeros(())
    for x in xs:
        total = total + x
    return total


SCALARS = [
    (made, (1.5,)),
    (viewed, (np.array(1.5),)),
    (viewed, (np.array(3),)),
    (taken, (np.array([1.0, 2.0]),)),
    (folded, (np.array([1.0, 2.0]),)),
]


@pytest.mark.parametrize(("f", "args"), SCALARS)
def test_arrays_without_dimensions_are_told_from_numbers(f, args):
    got, want = myia.jit(f)(*args), f(*args)
    got, want = (x if isinstance(x, tuple) else (x,) for x in (got, want))
    assert [type(x) for x in got] == [type(x) for x in want]
    np.testing.assert_array_equal(got, want)


def test_the_gradient_of_an_array_without_dimensions_is_one():
    gradient = myia.grad(lambda p: p["b"] ** 2)({"b": np.array(3.0)})["b"]
    assert isinstance(gradient, np.ndarray) and gradient == 6.0


def changed_argument(a):
    a += 1
    return a


def changed_alias(x):
    a = np.array(x)
    b = a
    b += 1
    return a


def changed_view(x):
    a = np.array([x])
    a.reshape(())[...] = 2.0
    return a


def changed_element(x):
    a = np.array([x, x])
    b = a[..., 0]
    b *= 2
    return a


def changed_in_a_loop(x):
    a = np.array(0.0)
    b = a
    for _ in range(20):
        a += x
    return b


CHANGED = [changed_alias, changed_view, changed_in_a_loop]


@pytest.mark.parametrize("f", CHANGED)
def test_changing_an_array_without_dimensions_is_refused(f):
    with pytest.raises(myia.MyiaError):
        myia.jit(f)(1.5)


def test_an_element_is_changed_through_its_view():
    np.testing.assert_array_equal(myia.jit(changed_element)(1.5), changed_element(1.5))
    assert changed_element(1.5).tolist() == [3.0, 1.5]


def test_changing_an_argument_without_dimensions_is_refused():
    with pytest.raises(myia.MyiaError, match="without dimensions"):
        myia.jit(changed_argument)(np.array(1.5))


# ----- Operators of classes


class Vector:
    def __init__(self, x, y):
        self.x, self.y = x, y

    def __neg__(self):
        return Vector(-self.x, -self.y)

    def __abs__(self):
        return math.hypot(self.x, self.y)


def lengths(x, y):
    return abs(-Vector(x, y)) - (-Vector(x, y)).y


def test_unary_operators_of_classes():
    assert myia.jit(lengths)(3.0, 4.0) == lengths(3.0, 4.0) == 9.0
