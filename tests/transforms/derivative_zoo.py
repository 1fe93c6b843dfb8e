"""Programs of typed IR to differentiate, each with arguments: name -> (body, arguments)."""

from __future__ import annotations

import numpy as np

from myia.primitives.arrays.dynamic_slices import dynamic_slice, dynamic_update_slice
from myia.primitives.arrays.shaping import broadcast, reduce_sum, reshape
from myia.primitives.core.define import constant
from myia.primitives.core.emit_structured import if_, loop
from myia.primitives.linalg.dot import dot_general
from myia.primitives.pointwise import value_operators  # noqa: F401  (Python's operators on values)
from myia.primitives.pointwise.logic import gt, lt, select
from myia.primitives.pointwise.transcendental import cos, exp, log, sin, sqrt, tanh

ZOO: dict = {}


def program(*args):
    def register(body):
        ZOO[body.__name__] = (body, args)
        return body

    return register


def integer(n):
    return constant(n, np.int64)


def number(x):
    return constant(x, np.float64)


def read(x, i):
    return reshape(dynamic_slice(x, i, sizes=(1,)), shape=())


def write(x, i, v):
    return dynamic_update_slice(x, reshape(v, shape=(1,)), i)


VECTOR = np.array([0.3, -0.7, 1.1, 0.5])

# ----- Straight line


@program(0.7, 1.3)
def straight(x, y):
    z = sin(x) * y
    return [z * z + x, -z]


@program(0.7, 1.3)
def unused_argument(x, y):
    return [x * x]


@program(0.7)
def same_result_twice(x):
    y = x * x
    return [y, y, x]


@program(0.7)
def constant_result(x):
    return [number(2.0), x * 3.0]


@program(VECTOR, 1)
def slices(x, i):
    y = write(x, i, read(x, i) * read(x, i + 1))
    return [reduce_sum(sin(y) * x, axes=(0,))]


@program(np.arange(6.0).reshape(2, 3) / 7, VECTOR[:3])
def products(a, x):
    y = dot_general(a, x, contract=((1,), (0,)), batch=((), ()))
    return [reduce_sum(tanh(y) * y, axes=(0,)), y]


@program(VECTOR)
def selected(x):
    return [reduce_sum(select(gt(x, 0.0 * x), x * x, sin(x)), axes=(0,))]


# ----- Branches


def branch(x, y, limit):
    p = gt(x, number(limit))
    z, w = if_(p, lambda: [sin(x) * y, x], lambda: [exp(y) * x, y * y])
    return [z * w, w]


@program(0.7, 1.3)
def branch_taken(x, y):
    return branch(x, y, 0.0)


@program(0.7, 1.3)
def branch_other(x, y):
    return branch(x, y, 1.0)


@program(0.7, 1.3)
def nested_branches(x, y):
    def then():
        a = sin(x)

        def inner():
            b = a * cos(y)
            return [b * b * a]

        (c,) = if_(gt(a, number(0.1)), inner, lambda: [a])
        return [c * a, c]

    u, v = if_(gt(x, number(0.0)), then, lambda: [x, log(x)])
    return [u * v]


@program(-0.7)
def untaken_nan(x):
    (y,) = if_(gt(x, number(0.0)), lambda: [sqrt(x) * log(x)], lambda: [x * x])
    return [y]


@program(VECTOR, 2)
def branch_reads_array(x, i):
    s = reduce_sum(x * x, axes=(0,))
    (y,) = if_(lt(i, integer(3)), lambda: [read(x, i) * read(x, i)], lambda: [s])
    return [y * s]


# ----- Loops


@program(0.7, 1.3)
def power(x, p):
    (y,) = loop([x], lambda k, y: [sin(y) * p + x], count=integer(4))
    return [y]


@program(0.7, 1.3)
def no_iterations(x, p):
    (y,) = loop([x], lambda k, y: [sin(y) * p], count=integer(0))
    return [y * p]


@program(0.7, 1.3)
def negative_count(x, p):
    (y,) = loop([x], lambda k, y: [sin(y) * p], count=integer(-2))
    return [y * p]


@program(0.7, 3)
def linear_loop(p, n):
    (y,) = loop([number(1.0)], lambda k, y: [y * 0.5 + p], count=n)
    return [y]


@program(1.1, 1.7)
def while_loop(x, p):
    (y,) = loop([x], lambda k, y: [y * p + sin(y)], cond=lambda k, y: lt(y, number(30.0)))
    return [y * p]


@program(1.1, 1.7)
def while_and_count(x, p):
    cond = lambda k, y: lt(y, number(30.0))  # noqa: E731
    (y,) = loop([x], lambda k, y: [y * p + sin(y)], cond=cond, count=integer(3))
    return [y * p]


@program(0.6, 1.2)
def integer_carry(x, p):
    def body(k, y, i, last):
        odd = gt(i, integer(2))
        (z,) = if_(odd, lambda: [y * p], lambda: [y + sin(p)])
        return [z, i + 1, y]

    y, i, last = loop([x, integer(0), p], body, count=integer(5))
    return [y * last, i]


@program(VECTOR, 0.9)
def reads_array(x, p):
    def body(k, y):
        return [y * read(x, k) + sin(y * p)]

    (y,) = loop([p], body, count=integer(4))
    return [y]


@program(VECTOR, 0.9)
def updates_array(x, p):
    def body(k, a, s):
        v = sin(read(a, k)) * s + read(a, k + 1)
        return [write(a, k + 1, v * p), s + v]

    a, s = loop([x, p], body, count=integer(3))
    return [reduce_sum(a * a, axes=(0,)) * s]


@program(VECTOR, 0.9)
def vector_state(x, p):
    m = broadcast(p, shape=(4,), dims=())
    (y,) = loop([x], lambda k, y: [tanh(y * m) + x], count=integer(3))
    return [reduce_sum(y * y, axes=(0,))]


@program(0.8, 0.6)
def swap(x, y):
    a, b = loop([x, y], lambda k, a, b: [b, a * b], count=integer(4))
    return [a, b]


@program(0.8, 0.6)
def yields_capture(x, p):
    a, b = loop([x, p], lambda k, a, b: [p, a * b], count=integer(3))
    return [a * b]


# ----- Nests


@program(0.8, 0.6)
def nest(x, p):
    def outer(k, y):
        (z,) = loop([y], lambda j, z: [z * p + sin(y)], count=k)
        return [z * y]

    (y,) = loop([x], outer, count=integer(4))
    return [y]


@program(0.8, 1.6)
def newton_nest(x, p):
    """An outer loop over a Newton iteration of unknown length."""

    def outer(k, y):
        far = lambda j, z: gt((z * z - p * y) * (z * z - p * y), number(1e-2))  # noqa: E731
        (z,) = loop([y + 1.0], lambda j, z: [0.5 * (z + p * y / z)], cond=far)
        return [z]

    (y,) = loop([x], outer, count=integer(3))
    return [y]


@program(0.8, 0.6, VECTOR)
def loop_if_loop(x, p, a):
    def outer(k, y, s):
        def then():
            (z,) = loop([y], lambda j, z: [sin(z) * p + read(a, j)], count=k)
            return [z, z * s]

        def other():
            return [y * read(a, k), s + y]

        z, t = if_(lt(k, integer(2)), other, then)
        return [z, t]

    y, s = loop([x, p], outer, count=integer(4))
    return [y * s]


@program(0.8, VECTOR)
def if_in_while(x, a):
    def body(k, y, i):
        (z,) = if_(gt(y, number(1.0)), lambda: [y * read(a, i)], lambda: [y + exp(y)])
        return [z, select(lt(i, integer(3)), i + 1, i)]

    y, _ = loop([x, integer(0)], body, cond=lambda k, y, i: lt(k, integer(6)))
    return [y]


@program(np.arange(1.0, 7.0).reshape(2, 3) / 5, 0.4)
def two_dimensional(a, p):
    """A relaxation sweep in place, by rows and columns."""

    def at(x, i, j):
        return reshape(dynamic_slice(x, i, j, sizes=(1, 1)), shape=())

    def row(i, a):
        def cell(j, a):
            v = sin(at(a, i, j) * p) + at(a, i, j + 1)
            return [dynamic_update_slice(a, reshape(v, shape=(1, 1)), i, j)]

        return loop([a], cell, count=integer(2))

    (a,) = loop([a], row, count=integer(2))
    return [reduce_sum(a * a, axes=(0, 1))]
