"""StopIteration in a function of `map` ends the loop; in a generator it is an error."""

import functools

import pytest

import myia
from tests.infer.driver import assert_same, assert_value_and_derivative


def mapped(x):
    it = iter((x, x))
    return list(map(lambda _: next(it), range(5)))


def mapped_in_a_loop(x):
    it, total = iter((x, 3.0)), 0.0
    for v in map(lambda _: next(it), range(5)):
        total = total * 10 + v
    return [total]


def mapped_over_a_generator(x):
    it = iter((x, 3.0))

    def numbers():
        for i in range(6):
            yield i + 1

    return list(map(lambda _: next(it), numbers()))


def filtered(x):
    it = iter((x, 3.0))
    return [v * x for v in filter(lambda _: next(it) > 0, range(5))]


def spread(x):
    it = iter((x, 3.0))
    return list(map(lambda a, b: next(it) * a, range(5), range(5)))


def summed(x):
    it, other = iter((x, 3.0)), iter((x, 3.0))
    product = functools.reduce(lambda a, b: a * b, map(lambda _: next(other), range(5)))
    return [sum(map(lambda _: next(it), range(50))), product]


def taken(x):
    it = iter((x, 3.0))
    return [next(map(lambda _: next(it), range(5)))]


def at_run_time(x):
    def until_large(v):
        if v > 1.5:
            raise StopIteration
        return v * x

    return list(map(until_large, [1.0, x / 4, x, 1.0]))


def in_a_generator(x):
    it = iter((x, 3.0))
    try:
        return list(next(it) for _ in range(5))
    except RuntimeError:
        return [x]


FUNCTIONS = [
    mapped,
    mapped_in_a_loop,
    mapped_over_a_generator,
    filtered,
    spread,
    summed,
    taken,
    at_run_time,
    in_a_generator,
]


@pytest.mark.parametrize("f", FUNCTIONS)
def test_as_in_python(f):
    assert_same(myia.jit(f)(2.0), f(2.0))


@pytest.mark.parametrize("f", FUNCTIONS)
def test_derivatives(f):
    assert_value_and_derivative(lambda x: sum(v * (i + 1) for i, v in enumerate(f(x))), 2.0)
