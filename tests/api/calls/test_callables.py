"""What is called may be a class, a partial, or an object with names of its own."""

import dataclasses
import functools
import time

import jax
import numpy as np
import pytest

import myia


def line(a, x):
    return a * x


class Named:
    """Its names are some that the compiler has given to objects of its own."""

    takes_function = True
    transform = 3.0

    def __init__(self):
        self.f = 3.0

    def parameter_names(self):
        return []

    def __call__(self, x):
        return self.f * x


@pytest.mark.parametrize("names", [3, ["y"], None, "method"])
def test_an_object_with_parameter_names(names):
    f = Named()
    if names != "method":
        f.parameter_names = names
    assert myia.jit(f)(2.0) == 6.0
    assert myia.grad(f)(2.0) == 3.0
    assert myia.jvp(f, (2.0,), (1.0,)) == (6.0, 3.0)
    with pytest.raises(TypeError, match="`x` has the shape"):
        myia.jit(f).lower(np.ones(2)).compile()(np.ones(3))


def test_the_key_of_an_object_with_names(tmp_path):
    myia.cache(tmp_path)
    try:
        assert myia.jit(Named())(2.0) == 6.0
    finally:
        myia.cache(None)


@dataclasses.dataclass
class Point:
    x: float
    y: float = 2.0


def test_derivatives_of_classes():
    assert myia.jvp(float, (2.0,), (1.0,)) == (2.0, 1.0)
    assert myia.jvp(Point, (2.0,), (1.0,)) == (Point(2.0), Point(1.0, 0.0))
    for _ in range(2):
        value, pull = myia.vjp(Point, 3.0, 4.0)
        assert value == Point(3.0, 4.0) and pull(Point(5.0, 6.0)) == (5.0, 6.0)
    assert not [name for name in vars(Point) if "myia" in name]
    value, pull = myia.vjp(np.float64, 2.0)
    assert value == 2.0 and pull(1.0) == (1.0,)


def rule(primals, tangents):
    return line(3.0, *primals), 5.0 * tangents[0]


def forward(x):
    return line(3.0, x), None


def backward(residuals, ct):
    return (7.0 * ct,)


class Triple:
    def __call__(self, x):
        return 3.0 * x


@pytest.mark.parametrize("f", [functools.partial(line, 3.0), Triple()], ids=["partial", "object"])
@pytest.mark.parametrize("of", [myia, jax], ids=["myia", "jax"])
def test_custom_rules_of_what_has_no_name(f, of):
    g, h = of.custom_jvp(f), of.custom_vjp(f)
    g.defjvp(rule)
    h.defvjp(forward, backward)
    assert myia.jit(lambda x: g(x))(2.0) == 6.0
    assert myia.grad(lambda x: g(x))(2.0) == 5.0
    assert myia.grad(lambda x: h(x))(2.0) == 7.0


def test_a_custom_function_without_a_rule_has_a_name():
    with pytest.raises(myia.MyiaError, match="`line`, which has no derivative rule yet"):
        myia.grad(myia.custom_jvp(functools.partial(line, 3.0)))(1.0)


class Untold:
    def __init__(self):
        self.a = 2.0

    def __repr__(self):
        raise RuntimeError("no text")

    def times(self, x):
        return self.a * x


def test_bound_objects_are_not_told():
    f = functools.partial(Untold.times, Untold())
    for each in (myia.jit(f), myia.grad(f), myia.vmap(f), myia.value_and_grad(f)):
        assert "partial(Untold.times, ...)" in repr(each)
    assert myia.jit(f)(3.0) == 6.0 and myia.grad(f)(3.0) == 2.0


def test_a_long_list_that_is_bound_costs_no_text():
    numbers = [10**40 + i for i in range(400_000)]
    f = functools.partial(lambda xs, x: x * len(xs), numbers)
    start = time.perf_counter()
    myia.jit(f)
    spent = time.perf_counter() - start
    start = time.perf_counter()
    repr(numbers)
    assert spent < (time.perf_counter() - start) / 2
