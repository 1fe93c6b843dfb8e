"""Functions of a module under `functools.cache`: their results outlive a call of the program."""

import functools

import numpy as np
import pytest

import myia

LOG = []
COUNT = 0
SIZES = [1.0, 2.0]


@functools.cache
def note(k):
    LOG.append(k)
    return k


@functools.cache
def said(k):
    print("said", k)
    return np.array([1.0, k]).sum()


@functools.cache
def counted(x, y):
    global COUNT
    COUNT += 1
    return (x * x + y * y) ** 0.5


@functools.cache
def counted_in_static_code(k):
    LOG.append(k)
    return k + 1


@functools.lru_cache
def table(n):
    return [0.0] * n


@functools.cache
def grid(n):
    return np.arange(n) * 1.0


@functools.cache
def nested(n):
    return {"list": [1.0, 2.0], "arrays": [np.zeros(n), np.ones(n)]}


class Box:
    def __init__(self, v):
        self.v = v

    @functools.cache  # noqa: B019
    def counts_calls(self):
        self.v += 1
        return self.v

    @functools.cache  # noqa: B019
    def scaled(self, k):
        return self.v * k


@functools.cache
def box(v):
    return Box(v)


@functools.cache
def half(n):
    if n < 0:
        raise ValueError("negative")
    return n * 0.5


@functools.cache
def sizes():
    return len(SIZES)


@functools.cache
def legendre(n, x):
    if n < 2:
        return x if n else 1.0
    return ((2 * n - 1) * x * legendre(n - 1, x) - (n - 1) * legendre(n - 2, x)) / n


# ----- Effects


def on_one_path(x):
    if x > 5:
        note(1)
    note(1)
    return x


def prints(x):
    return x * (said(1) + said(1))


def counts(x):
    return counted(x, 2.0) + counted(x, 2.0)


def counts_in_static_code(x):
    total = 0
    for i in range(4):
        total += counted_in_static_code(i % 2)
    return x * total


def changes_an_argument(x):
    return x * Box(1.0).counts_calls()


@pytest.mark.parametrize(
    "f", [on_one_path, prints, counts, counts_in_static_code, changes_an_argument]
)
def test_effects_are_refused(f):
    with pytest.raises(myia.MyiaError, match=r"an effect of .* under `functools.cache`"):
        myia.jit(f)(2.0)
    assert LOG == [] and COUNT == 0


# ----- Changes of what has been returned


def list_item(x):
    t = table(2)
    t[0] += x
    return table(2)[0]


def list_in_a_loop(x, n):
    t = table(3)
    for i in range(n):
        t[i] += x
    return sum(t)


def list_in_a_branch(x):
    t = table(3)
    if x > 0:
        t.append(x)
    return len(t)


def array_by_a_view(x):
    grid(4)[::2][:] = x
    return grid(4).sum()


def array_in_place(x):
    t = grid(4)
    t += x
    return t.sum()


def one_of_two_arrays(x):
    t = grid(3)
    u = t if x > 0 else np.zeros(3)
    u[0] = x
    return t.sum()


def inside(x):
    for row in nested(3)["arrays"]:
        row[0] = x
    return x


def list_inside(x):
    nested(3)["list"].append(x)
    return x


def attribute(x):
    box(1).v = x
    return x


@pytest.mark.parametrize(
    ("f", "args"),
    [
        (list_item, (2.0,)),
        (list_in_a_loop, (2.0, 2)),
        (list_in_a_branch, (2.0,)),
        (array_by_a_view, (2.0,)),
        (array_in_place, (2.0,)),
        (one_of_two_arrays, (2.0,)),
        (inside, (2.0,)),
        (list_inside, (2.0,)),
        (attribute, (2.0,)),
    ],
)
def test_changes_of_results_are_refused(f, args):
    with pytest.raises(myia.MyiaError, match=r"what a function under `functools.cache` has ret"):
        myia.jit(f)(*args)


# ----- Values


def identity(x):
    return 1.0 * x if table(2) is table(2) else 2.0 * x


def identity_after_a_branch(x):
    u = table(2) if x > 0 else [1.0, 2.0]
    v = table(2)
    return x * (v[0] + u[1] + (2.0 if table(2) is v else 1.0))


def in_a_loop(x, n):
    total = 0.0
    for i in range(n):
        total += grid(3)[i] * x * x + half(i)
    return total


def raised_once(x, n):
    try:
        total = half(n) * x
    except ValueError:
        total = -x
    return total + half(3)


def copied(x):
    t, u = grid(3).copy(), list(nested(3)["list"])
    t[0] = x
    u.append(x)
    return t.sum() * sum(u)


def method(x):
    b = Box(x)
    return b.scaled(2.0) * b.scaled(2.0) + b.scaled(x)


def of_the_argument(x):
    return legendre(6, x)


CASES = [
    (identity, (1.5,)),
    (identity_after_a_branch, (1.5,)),
    (in_a_loop, (1.5, 2)),
    (raised_once, (1.5, 2)),
    (raised_once, (1.5, -2)),
    (copied, (1.5,)),
    (method, (1.5,)),
    (of_the_argument, (0.3,)),
]


@pytest.mark.parametrize(("f", "args"), CASES)
def test_values_and_derivatives(f, args):
    x, *rest = args
    assert myia.jit(f)(*args) == pytest.approx(f(*args), rel=1e-14)
    slope = (f(x + 1e-6, *rest) - f(x - 1e-6, *rest)) / 2e-6
    assert myia.grad(f)(*args) == pytest.approx(slope, rel=1e-8)


def test_a_result_of_one_path_is_not_that_of_another():
    def f(x):
        if x > 5:
            SIZES.append(x)
            sizes()
        return x * sizes()

    assert myia.jit(f)(2.0) == 4.0


def test_a_result_does_not_change_with_what_it_was_computed_from():
    def f(x, values):
        @functools.cache
        def inner():
            return len(values)

        before = sizes() + inner()
        values.append(x)
        return x * (before + sizes() + inner())

    assert myia.jit(f)(2.0, [1.0]) == f(2.0, [1.0]) == 12.0
