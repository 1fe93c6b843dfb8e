"""Lists that are repeated, cut with a step, and asked for an extremum, of a length of run time."""

import numpy as np
import pytest

import myia
from tests.infer.lists.test_list_edits import assert_same


def repeated(x, n):
    xs = [x, 2.0] * n[0]
    zeros = n[0] * [0]
    for i in range(len(xs)):
        xs[i] = xs[i] * i
    m = [[0.0] * n[0] for _ in range(n[0])]
    for i in range(n[0]):
        for j in range(n[0]):
            m[i][j] = x * i + j
    return sum(xs) + len(zeros) + sum(m[i][-1] for i in range(n[0])), xs, zeros


def every_other(x, n):
    xs = [x * i for i in range(10)]
    return sum(xs[: n[0] : 2]) * sum(xs[n[0] // 2 :: 3]), xs[1 : n[0] : 4]


def defaults(x, n):
    xs = [x * i for i in range(n[0]) if i > 2]
    return max(xs, default=x) * min(xs, default=2.0, key=lambda v: abs(v - 5.0)), len(xs)


@pytest.mark.parametrize("f", [repeated, every_other, defaults])
def test_as_python(f):
    compiled = myia.jit(f)
    for n in ([6], [1]):
        assert_same(compiled(1.3, np.array(n)), f(1.3, np.array(n)))


@pytest.mark.parametrize("f", [every_other, defaults])
def test_derivatives(f):
    n, h = np.array([6]), 1e-6
    slope = (f(1.3 + h, n)[0] - f(1.3 - h, n)[0]) / (2 * h)
    assert myia.grad(lambda x: f(x, n)[0])(1.3) == pytest.approx(slope, rel=1e-6)


@pytest.mark.parametrize("f", [max, min])
def test_the_extremum_of_nothing(f):
    with pytest.raises(ValueError) as wanted:
        f([])
    with pytest.raises(ValueError) as found:
        myia.jit(lambda n: f([i for i in range(n[0])]))(np.array([0]))
    assert found.value.args == wanted.value.args
