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


def cut_backwards(x, n):
    xs, ys, k = [x * i for i in range(7)], [], n[0]
    for i in range(k + 1):
        ys.append(x * i)
    found = [ys[k::-1], ys[::-2], ys[-1 : k // 2 : -1]]
    for step in (-1, -3, 2):
        found += [xs[k::step], xs[:k:step], xs[k - 9 : 5 - k : step], xs[9 : k - 4 : step]]
    return sum(sum(v * i for i, v in enumerate(part)) for part in found), found


def stored_with_a_step(x, n):
    ys, k = [], n[0]
    for i in range(k + 3):
        ys.append(x * x * i)
    ys[::2] = [x] * len(ys[::2])
    ys[::-1] = ys
    ys[k : k + 3 : 2] = [7.0 * x, 8.0]
    return sum(v * i for i, v in enumerate(ys)), ys


def places(x, n):
    xs, k = [x, 1.0, 2.0, x, 1.0], n[0]
    found = (
        xs.index(x, 1),
        xs.index(1.0, k - 5),
        xs.index(1.0, k // 9, 3 * k),
        (x, 2, x).index(x, 1),
    )
    return x * sum(found), found, ["a", "b", "a"].index("a", 1)


def range_unpacked(x, n):
    first, *rest, last = range(n[0] + 3)
    (*most, end), total = range(n[0]), x
    for v in rest + most:
        total = total * x + v
    return total * last + first + end, rest, most


PROGRAMS = [repeated, every_other, defaults, cut_backwards, stored_with_a_step, places]


@pytest.mark.parametrize("f", [*PROGRAMS, range_unpacked])
def test_as_python(f):
    compiled = myia.jit(f)
    for n in ([6], [1]):
        assert_same(compiled(1.3, np.array(n)), f(1.3, np.array(n)))


@pytest.mark.parametrize("f", [every_other, *PROGRAMS[2:], range_unpacked])
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


ERRORS = [
    (lambda xs, n: xs.index(2.0, n), "2.0 is not in list"),
    (lambda xs, n: xs.index(0.0, n - 1, -1), "0.0 is not in list"),
    (lambda xs, n: tuple(xs).index(9.0, n), "tuple.index(x): x not in tuple"),
    (lambda xs, n: xs[n::0], "slice step cannot be zero"),
    (lambda xs, n: [0 for a, b in [range(n + 1)]], "too many values to unpack (expected 2)"),
]


@pytest.mark.parametrize("f, message", ERRORS)
def test_what_raises(f, message):
    with pytest.raises(ValueError) as wanted:
        f([1.0, 0.5], 2)
    with pytest.raises(ValueError) as found:
        myia.jit(lambda x, n: f([1.0, x], int(n[0])))(0.5, np.array([2]))
    assert str(found.value).partition("\n")[0] == str(wanted.value) == message


def test_a_store_of_too_many_items():
    def f(x, n):
        xs = [x, 1.0, 2.0]
        xs[n[0] :: 2] = [3.0, 4.0, 5.0]
        return xs

    message = "attempt to assign sequence of size 3 to extended slice of size 1"
    for run in (f, myia.jit(f)):
        with pytest.raises(ValueError, match=message):
            run(0.7, np.array([1]))
