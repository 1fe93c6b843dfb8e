"""Lists that have grown in a loop: concatenated, sliced, edited in place."""

# ruff: noqa: RUF005  (`+` is what is tested)

from __future__ import annotations

import copy
import math
import sys

import numpy as np
import pytest

import myia

N = 12


def grown(x, n=N):
    found = []
    for i in range(n):
        found.append(x * i + 1.0)
    return found


def expressions(x):
    a, b = grown(x), grown(x * x, 10)
    pairs = [(-1, x), *[(i, x * i) for i in range(N)][1:]]
    return {
        "+": (a + b, a + [x, 1.0], [x] + a, a + [], [] + b),
        "*": (a * 2, 2 * b, a * 0, len(a * -1)),
        "slices": (a[2:5], a[::-1], a[-3:], a[:-1:4], a[9:2:-3], a[5:5], a[20:]),
        "mixed": ([None] + a)[:3],
        "pairs": pairs + [(9, x)],
        "copies": (copy.copy(a), copy.deepcopy(b), a.copy(), list(b)),
    }


def in_place(x):
    a = grown(x)
    b, popped = a, []
    b += [x, 2 * x]
    b.insert(0, x * x)
    b.insert(-1, 7.0)
    popped += [b.pop(), b.pop(0), b.pop(-3)]
    del b[0], b[1:3]
    b[2:4] = [x, x, x]
    b.reverse()
    b *= 2
    c = copy.deepcopy(a)
    c[0] = 0.0
    b.extend(grown(x, 9))
    return a, b, c, popped


def arrays(x):
    hs = [np.zeros(3)]
    for i in range(N):
        hs.append(np.tanh(hs[-1] * x + i))
    k = hs[1:] + [np.ones(3)]
    return np.stack(k[::-1]), k[2], (hs + k)[13]


def sliding_slice(x):
    w = grown(x)
    s = 0.0
    for i in range(30):
        s += w[0] * w[-1]
        w = w[1:] + [math.sin(0.3 * w[0] + i)]
        w.append(0.5 * w.pop(0) + x)
    return s, w


def drained(x):
    a = grown(x)
    s = 0.0
    while a:
        s = s * 0.5 + a.pop()
    return s


def tree_walk(x):
    children = np.array([[1, 2], [3, 4], [5, 6]])
    stack, s = [0], 0.0
    for _ in range(20):
        if not stack:
            break
        v = stack.pop()
        s = s * 0.9 + x * v
        if v < 3:
            for child in children[v]:
                stack.append(child)
    return s


def counted(x):
    found = []
    for _ in myia.bounded(range(sys.maxsize), 50):
        if x > 100:
            break
        x *= 1.5
        found.append(x)
    return found, len(found)


def numbers(result):
    if isinstance(result, dict):
        return [v for item in result.values() for v in numbers(item)]
    if isinstance(result, (tuple, list)):
        return [v for item in result for v in numbers(item)]
    return [] if result is None else np.ravel(result).tolist()


def form(result):
    """The structure and the types, without the numbers."""
    if isinstance(result, dict):
        return {k: form(v) for k, v in result.items()}
    if isinstance(result, (tuple, list)):
        return type(result)(map(form, result))
    return type(result), np.shape(result)


PROGRAMS = (expressions, in_place, arrays, sliding_slice, drained, tree_walk, counted)


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_values(f):
    found, expected = myia.jit(f)(1.7), f(1.7)
    assert form(found) == form(expected)
    np.testing.assert_allclose(numbers(found), numbers(expected), rtol=1e-13)


def total(f):
    def weighted(x):
        s = 0.0
        for i, v in enumerate(f(x)):
            s += math.cos(i) * v
        return s

    return weighted


LOSSES = {
    "joined": total(lambda x: (grown(x) + [x * x])[::-1] + grown(x * x, 9) * 2),
    "edited": total(lambda x: in_place(x)[1]),
    "sliding_slice": lambda x: sliding_slice(x)[0],
    "drained": drained,
    "tree_walk": tree_walk,
}


@pytest.mark.parametrize("name", LOSSES)
def test_gradients(name):
    f, x, h = LOSSES[name], 1.7, 1e-6
    expected = (f(x + h) - f(x - h)) / (2 * h)
    assert myia.grad(f)(x) == pytest.approx(expected, rel=1e-6)


def test_a_list_that_has_grown_is_a_result_like_any():
    value, pullback = myia.vjp(grown, 2.0)
    assert value == grown(2.0)
    assert pullback([1.0] * N) == (66.0,)
    assert myia.jacfwd(grown)(2.0) == list(map(float, range(N)))


def test_an_empty_list_has_no_last_item():
    def f(x):
        a = grown(x)
        for _ in range(N):
            if x > 0:
                a.pop()
        return a.pop()

    assert myia.jit(f)(-1.0) == f(-1.0)
    with pytest.raises(IndexError, match="pop from empty list"):
        myia.jit(f)(1.0)


def test_a_change_of_what_was_joined_is_not_overlooked():
    def f(x, n):
        a = np.ones(2) * x
        hs = []
        for i in range(n):
            hs.append(a * i)
        k = hs + [a]
        a[0] = 100.0
        return k[-1][0]

    assert myia.jit(f)(2.0, N) == f(2.0, N)  # a short loop is unrolled for it
    with pytest.raises(myia.MyiaError, match="changed through another name"):
        myia.jit(f)(2.0, 5 * N)


def test_the_program_does_not_grow_with_the_list():
    def f(x, n=10):
        a = grown(x, n)
        return sum((a + a[1:])[::-1])

    few = myia.jit(f).ir(2.0)["typed"]
    many = myia.jit(lambda x: f(x, 1000)).ir(2.0)["typed"]
    assert len(few.splitlines()) == len(many.splitlines())
