"""Objects of several kinds on two paths: instances of two classes, a tuple or an instance, ..."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest

import myia


class Point(NamedTuple):
    a: float
    b: float


class Circle:
    def __init__(self, r):
        self.r = r

    def area(self):
        return 3.0 * self.r**2

    def grow(self, k):
        self.r += k

    def __add__(self, other):
        return self.r + other

    def __len__(self):
        return 2

    def __iter__(self):
        yield self.r
        yield 1.0


class Square:
    def __init__(self, s):
        self.s = self.r = s

    def area(self):
        return self.s**2

    def grow(self, k):
        self.r = self.r * k
        self.s = self.s * k

    @property
    def side(self):
        return self.s

    def __add__(self, other):
        return self.s * other

    def __len__(self):
        return 3

    def __iter__(self):
        yield self.s


def methods_and_attributes(x):
    o = Circle(x) if x > 0.6 else Square(x) if x > 0.3 else Circle(2.0 * x)
    o.grow(0.5)
    o.r = o.r * 3.0
    total = o.area() * o.r + (o + 2.0) + len(o)
    for v in o:
        total += v * v
    return total


def known_objects(x):
    c, q = Circle(x), Square(x)
    o = c if x > 0.5 else q
    o.grow(0.5)
    for i in range(50):
        p = c if x * i > 10.0 else q
        p.grow(1.01)
    return c.area() * 2.0 + q.area() + o.area()


def asked_for_its_class(x):
    o = Circle(x) if x > 0.5 else Square(2.0 * x)
    if isinstance(o, Circle):
        y = o.area() * 2.0
    else:
        y = o.side
    match o:
        case Circle(r=r):
            y += r
        case Square(s=s):
            y += s * s
    return y if type(o) is Circle else 3.0 * y


def tuples_and_numbers(x):
    p = Point(x, 2.0) if x > 0.5 else (3.0 * x, x)
    q = (x, 2.0) if x > 0.3 else (x, x, x)
    r = x if x > 0.4 else (x, 5.0)
    s = [x, x * x] if x > 0.5 else (3.0 * x, x)
    d = {"a": x} if x > 0.5 else {"a": 2.0 * x, "b": 1.0}
    a, b = p
    total = a * b + p[0] + q[0] * len(q) + d["a"] * len(d)
    total += r[1] if isinstance(r, tuple) else r * 2.0
    for v in s:
        total += v * total
    return total + sum(s) + max(s)


def optional_and_held(x):
    o = None
    if x > 0.6:
        o = Circle(x)
    elif x > 0.3:
        o = Square(x)
    held = {"o": Circle(x)}
    if x > 0.5:
        held["o"] = Square(x)
    pair = (Circle(x), 1.0) if x > 0.5 else (Square(x), 2.0)
    total = 0.0 if o is None else o.area()
    return total + held["o"].area() + pair[0].area() * pair[1]


def carried_in_loops(x):
    o, n = Circle(x), 0
    while n < 30:
        if o.area() > 1.0:
            o = Square(o.r * 0.4)
        o.grow(1.2)
        n += 1
    best = None
    for i in range(10):
        c = Circle(x * i) if i % 3 else Square(x * i)
        if best is None or c.area() > best.area():
            best = c
    return o.area() + best.area()


def helper_in_a_long_loop(x):
    def area(k):
        shape = Circle(k) if k > 0.9 else Square(k)
        return shape.area()

    total = 0.0
    for i in range(3000):
        total += area(x + 0.00031 * i)
    return total


def iterators_over_one_of_several(x):
    d = {"a": x} if x > 0.5 else {"a": 2.0 * x, "b": 1.0}
    s = [x, x * x] if x > 0.4 else (3.0 * x, x, 1.0)
    total = sum(d.values()) + max(d.values()) + len(d.items()) + (2.0 * x in d.values())
    for i, (k, v) in enumerate(d.items()):
        total = total * 2.0 + v * (i + len(k))
    for v, w in zip(d.values(), s):
        total = total * 2.0 + v * w
    for v in reversed(s):
        total = total * 2.0 + v
    it = iter(d.values())
    return next(it) * total + sum(it) + sum(v * v for v in map(abs, s))


def missing_attribute(x):
    o = Circle(x) if x > 0.5 else (x, 1.0)
    try:
        return o.area()
    except AttributeError:
        return o[0] * 5.0


PROGRAMS = [
    *(methods_and_attributes, known_objects, asked_for_its_class, tuples_and_numbers),
    *(optional_and_held, carried_in_loops, helper_in_a_long_loop, missing_attribute),
    iterators_over_one_of_several,
]


@pytest.mark.parametrize("f", PROGRAMS)
def test_values_and_derivatives(f):
    compiled, gradient, h = myia.jit(f), myia.grad(f), 1e-6
    for x in (0.71, 0.47, 0.16):
        assert compiled(x) == pytest.approx(f(x), rel=1e-11)
        slope = (f(x + h) - f(x - h)) / (2 * h)
        assert gradient(x) == pytest.approx(slope, rel=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("f", PROGRAMS)
def test_second_derivatives(f):
    myia.check_grads(f, (0.71,), order=2)


def test_arguments_are_changed_and_results_are_objects():
    def f(c, q, x):
        o = c if x > 0.5 else q
        o.grow(2.0)
        return o if x < 0.9 else Point(x, x)

    compiled = myia.jit(f)
    for x in (0.3, 0.7, 0.95):
        c, q = Circle(1.0), Square(2.0)
        d, r = Circle(1.0), Square(2.0)
        found, expected = compiled(c, q, x), f(d, r, x)
        assert type(found) is type(expected)
        assert (vars(c), vars(q)) == (vars(d), vars(r))
        assert found is {0.3: q, 0.7: c}.get(x, found)


def test_a_loop_is_one_loop():
    text = str(myia.jit(helper_in_a_long_loop).ir(0.2)["typed"])
    assert text.count("\n") < 100


def missing(x):
    o = Circle(x) if x > 0.5 else Square(x)
    return o.side


def test_errors():
    assert myia.jit(missing)(0.25) == 0.25
    with pytest.raises(AttributeError, match="'Circle' object has no attribute 'side'"):
        myia.jit(missing)(0.75)

    def array_or_tuple(x):
        p = np.array([x, 1.0]) if x > 0.5 else (x, 2.0)
        return p[0]

    assert [myia.jit(array_or_tuple)(x) for x in (0.25, 0.75)] == [0.25, 0.75]
