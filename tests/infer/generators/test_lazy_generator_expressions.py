"""What takes items one by one sees what happens between two of them."""

import collections
import functools
import math

import numpy as np
import pytest

import myia
from tests.infer.driver import assert_same, assert_value_and_derivative


class Total:
    def __init__(self):
        self.total, self.log = 0.0, []

    def update(self, items):
        for item in items:
            self.total += 1.0
            self.log.append(item)

    def join(self, items):
        self.update(items)


def methods_of_a_class(x):
    a, b = Total(), Total()
    a.update(a.total * x for _ in range(3))
    b.join(b.total + x for _ in range(3))
    return a.log, b.log


def kept(x):
    kept, k = [], x
    kept.append(v * k for v in (1.0, 2.0))
    k = 10.0 * x
    return sum(kept[0])


def extended(x):
    xs = [x]
    xs.extend(xs[-1] * 2.0 for _ in range(3))
    xs += (xs[-1] * x for _ in range(2))
    return xs


def extended_deques(x):
    d, e = collections.deque([x]), collections.deque([x])
    d.extend(len(d) * x for _ in range(3))
    e.extendleft(e[0] * x for _ in range(3))
    return list(d), list(e)


def updated_dict(x):
    d = {"a": x}
    d.update((k, d["a"] + len(d)) for k in ("p", "a", "q", "r"))
    return d


def updated_by_what_writes(x):
    d = {"a": x}

    def put(k):
        d[k + "x"] = x
        return k, len(d) * x

    d.update(map(put, "pq"))
    d.update((k, x) for k in "zy")
    return d


def updated_sets(x):
    s, t = {1}, {2}
    s.update(len(s) + k for k in (5, 6, 7))
    t.update(k for k in range(12))
    return sorted(s), sorted(t), x


def keys_of_a_dict(x):
    d = {}
    d.update((k, x * len(d)) for k in range(12))
    return d


def keys_of_extrema(x):
    log = []

    def key(v):
        log.append(-v)
        return -v

    def item(v):
        log.append(v)
        return v * x

    most = max((item(v) for v in (1.0, x, 3.0)), key=key)
    least = min(map(item, (1.0, x, 3.0)), key=key)
    nothing = max((v for v in ()), key=key, default=x)
    return most, least, nothing, log


def key_that_appends(x):
    xs = [x, 1.0]

    def key(v):
        if len(xs) < 5:
            xs.append(v + 1)
        return v

    return max(xs, key=key), xs


def reduced(x):
    log, xs = [], [x, 1.0]

    def items():
        for v in (1.0, x, 3.0):
            log.append(v)
            yield v

    def step(a, b):
        log.append(-b)
        if len(xs) < 5:
            xs.append(b + 1)
        return a * 2 + b

    return functools.reduce(step, items()), functools.reduce(step, xs, x), log


def reduced_nothing(x):
    try:
        functools.reduce(max, iter([]))
    except TypeError as error:
        return str(error), functools.reduce(max, iter([]), x)


def other_arguments(x):
    xs, k = [x], [x]

    def f():
        xs.append(3.0)
        k[0] = 3.0 * x
        return 0.0

    return sum((v for v in xs), f()), sum((v * k[0] for v in (1.0, 2.0)), f())


def end_of_another(x):
    it = iter((x, 1.0))
    try:
        return list(next(it) for _ in range(5))
    except RuntimeError:
        return [x]


calls = [0.0]


def fsum(items):
    """Not that of `math`."""
    found = []
    for v in items:
        calls[0] += 1
        found.append(v)
    return found


def names_of_others(x):
    def prod(items):
        nonlocal k
        found = []
        for v in items:
            k += 1.0
            found.append(v)
        return found

    k = x
    calls[0] = 0.0
    return prod(k * v for v in (1.0, 2.0, 3.0)), fsum(calls[0] * v * x for v in (1.0, 2.0))


def at_once(x):
    xs = [x, 1.0, 3.0]
    return (
        sum(v * v for v in xs),
        list(v for v in xs),
        max(v for v in xs),
        min((v for v in xs), default=0.0),
        sorted((v for v in xs), key=lambda v: -v),
        math.fsum(v for v in xs),
        math.prod(v for v in xs),
        dict((i, v) for i, v in enumerate(xs)),
        sum((v * np.ones(2) for v in xs), np.zeros(2)),
        list(collections.deque(v for v in xs)),
    )


def too_many(x):
    log = []

    def items():
        for i in range(6):
            log.append(i * x)
            yield i * x

    def item(i):
        log.append(i * x)
        return i * x

    try:
        _, _ = items()
    except ValueError:
        log.append(9.0)
    try:
        _, _, _ = map(item, range(9))
    except ValueError:
        log.append(8.0)
    return log


def as_many(x):
    a, b, c = (i * x for i in range(3))
    d, *e = (i * x for i in range(3))
    return a, b, c, d, e


FUNCTIONS = [
    methods_of_a_class,
    kept,
    extended,
    extended_deques,
    updated_dict,
    updated_by_what_writes,
    updated_sets,
    keys_of_a_dict,
    keys_of_extrema,
    key_that_appends,
    reduced,
    reduced_nothing,
    other_arguments,
    end_of_another,
    names_of_others,
    at_once,
    too_many,
    as_many,
]


@pytest.mark.parametrize("f", FUNCTIONS)
def test_as_in_python(f):
    assert_same(_without_dicts(myia.jit(f)(2.0)), _without_dicts(f(2.0)))


def _without_dicts(x):
    if isinstance(x, dict):
        return [[k, v] for k, v in x.items()]
    return tuple(map(_without_dicts, x)) if isinstance(x, tuple) else x


def total(f):
    def number(x):
        found = f(x)
        return sum(v * (i + 1) for i, v in enumerate(found))

    return number


def of_dict(x):
    d = updated_dict(x)
    return d["a"] + 2 * d["p"] * d["q"] + d["r"]


def of_reduced(x):
    a, b, log = reduced(x)
    return a * b + log[3]


@pytest.mark.parametrize(
    "f",
    [
        kept,
        total(extended),
        total(lambda x: extended_deques(x)[1]),
        of_dict,
        of_reduced,
        total(lambda x: keys_of_extrema(x)[:2]),
        total(other_arguments),
        total(lambda x: names_of_others(x)[1]),
    ],
)
def test_derivatives(f):
    assert_value_and_derivative(f, 2.0)


def with_a_name_that_is_bound_anew(x):
    calls[0] = 0.0
    return sum(calls[0] * v + x for v in (1.0, 2.0, 3.0))


def test_a_name_that_is_bound_anew(monkeypatch):
    """The expression is a loop while `sum` is Python's."""
    f = with_a_name_that_is_bound_anew
    compiled = myia.jit(f)
    assert compiled(2.0) == f(2.0) == 6.0
    monkeypatch.setitem(globals(), "sum", fsum)
    assert compiled(2.0) == f(2.0) == [2.0, 4.0, 8.0]
    monkeypatch.undo()
    assert compiled(2.0) == 6.0
