"""Names that loops bind to None or a number, tested in every form, used where they are there."""

from __future__ import annotations

import pytest

from tests.infer.driver import assert_value_and_derivative


def by_not(x):
    o = None
    s = 0.0
    k = 0
    while k < 5 and s < 10:
        if not (o is None):  # noqa: E714
            s += o * 0.5
        else:
            s += x
        o = s if s > 1 else None
        k += 1
    return s


def with_another_condition(x):
    o = None
    s = 0.0
    for k in range(30):
        if o is not None and o > 0:
            s += o * 2
        elif o is None:
            s += 0.1
        else:
            s -= o
        o = x * k if k % 2 else None
    return s


def after_continue(x):
    o = None
    s = 0.0
    for k in range(30):
        if o is None:
            o = x * k
            continue
        s += o * 0.5
        if s > 3:
            o = None
    return s


def in_nested_loops(x):
    o = None
    s = 0.0
    for k in range(3):
        for j in range(3):
            if o is None:
                o = x * j
            else:
                s += o * k
                if s > 1:
                    o = None
    return s if o is None else s + o


def in_a_conditional_expression(x):
    o = None
    s = 0.0
    for k in range(30):
        s += 1.0 if o is None else o * 0.5
        o = None if x * k < 1 else x + k
    return s


def walrus(x):
    def find(t):
        return t * 2 if t > 1 else None

    s = 0.0
    for k in range(4):
        if (r := find(x * k)) is None:
            s += 0.25
        else:
            s += r * 0.5
    return s


def through_a_function(x):
    def find(t):
        for k in range(30):
            if k * t > 2:
                return k * t
        return None

    r = find(x)
    if r is None:
        return x
    return r * 0.5 + find(x)


def in_a_comprehension(x):
    os = [x * k if x * k > 1 else None for k in range(4)]
    return sum(o * 0.5 if o is not None else 0.1 for o in os)


def in_while_true(x):
    o = None
    while True:
        if o is None:
            o = x
        elif o > 10:
            break
        else:
            o = o * 1.5 + 1
    return o


def two_names(x):
    o = None
    p = None
    s = 0.0
    for k in range(30):
        if o is None and p is None:
            o = x * k
        elif o is not None and p is None:
            p = o * 0.5
        elif p is not None:
            s += p * (o if o is not None else 1.0)
            o = None
        else:
            s += o
    return s


def differences(x):
    prev = None
    s = 0.0
    for v in (x, 2 * x, 3.0, x * x):
        d = v if prev is None else v - prev
        prev = v
        s += d * d
    return s


def with_a_handler(x):
    o = None
    s = x
    for k in range(30):
        try:
            if o is None:
                raise ValueError
            s += o * 0.5
        except ValueError:
            o = x * k
    return s


def by_a_name_of_the_test(x):
    o = None
    s = 0.0
    for k in range(30):
        b = o is None
        if b:
            s += 1.0
        else:
            s += o * 0.5
        if x * k > 1:
            o = x * k
    return s


def of_an_attribute(x):
    class Held:
        pass

    o = Held()
    o.v = None
    s = 0.0
    for k in range(30):
        if o.v is None:
            s += 1.0
        else:
            s += o.v * 0.5
        if x * k > 1:
            o.v = x * k
    return s


def of_an_item(x):
    o = {"a": None}
    s = 0.0
    for k in range(30):
        if o["a"] is None:
            s += 1.0
        else:
            s += o["a"] * 0.5
        if x * k > 1:
            o["a"] = x * k
    return s


def by_its_type(x):
    o = None
    s = 0.0
    for k in range(30):
        if isinstance(o, float):
            s += o * 0.5
        else:
            s += 1.0
        if x * k > 1:
            o = x * k
    return s


def by_and_and_or(x):
    o = None
    s = 0.0
    for k in range(30):
        s += (o or 1.0) * 0.5
        o = o and o + 1.0
        if x * k > 1 and o is None:
            o = x
    return s


def shifted(x):
    a = b = None
    s = 0.0
    for k in range(30):
        a, b = b, (x * k if x * k > 1 else None)
        if a is not None and b is not None:
            s += a * b
        elif a is not None or b is not None:
            s += a if a is not None else b
    return s


def of_tuples(x):
    o = None
    s = 0.0
    for k in range(30):
        if o is None:
            if x * k > 1:
                o = (x, k)
        else:
            a, b = o
            s += a * b
    return s


def with_break_and_else(x):
    o = None
    s = 0.0
    for k in range(30):
        assert o is None or o > -100
        if o is None:
            o = x * k
            continue
        if o > 2:
            break
        s += o
        o += 1
    else:
        s += 100
    return s if o is None else s + o


def of_a_generator(x):
    def g():
        for k in range(30):
            yield x * k if x * k > 1 else None

    s = 0.0
    for o in g():
        if o is None:
            s += 1
        else:
            s += o * 0.5
    return s


def behind_or(x):
    o = None
    s = 0.0
    for k in range(30):
        if k > 2 or o is None:
            s += 0.5
        else:
            s += o * 0.5
        if x * k > 1:
            o = x * k
    return s


def bisection(x):
    lo, hi = None, None
    m = x
    for _k in range(8):
        if m * m > 2:
            hi = m
        else:
            lo = m
        if hi is None:
            m = m * 2
        elif lo is None:
            m = m / 2
        else:
            m = (lo + hi) / 2
    return m


def in_a_closure(x):
    o = None

    def f():
        return 1.0 if o is None else o * 0.5

    s = 0.0
    for k in range(30):
        s += f()
        if x * k > 1:
            o = x * k
    return s


def nonlocal_name(x):
    o = None

    def setit(k):
        nonlocal o
        if o is None:
            o = x * k if x * k > 1 else None
        else:
            o = o * 0.5

    for k in range(30):
        setit(k)
    return x if o is None else o


def in_a_tuple(x):
    o = None
    s = 0.0
    for k in range(30):
        t = (o, k)
        if t[0] is None:
            s += 1
        else:
            s += t[0] * t[1]
        if x * k > 1:
            o = x * k
    return s


def with_elif(x):
    o = None
    s = 0.0
    for k in range(30):
        if o is None:
            v = 1.0
        elif o > 3:
            v = o - 3
        elif o > 2:
            v = o * 2
        else:
            v = o * 0.5
        s += v
        if x * k > 1:
            o = x * k
    return s


PROGRAMS = [
    *(
        by_not,
        with_another_condition,
        after_continue,
        in_nested_loops,
        in_a_conditional_expression,
    ),
    *(walrus, through_a_function, in_a_comprehension, in_while_true, two_names),
    *(differences, with_a_handler, by_a_name_of_the_test, of_an_attribute, of_an_item),
    *(by_its_type, by_and_and_or, shifted, of_tuples, with_break_and_else),
    *(of_a_generator, behind_or, bisection, in_a_closure, nonlocal_name),
    *(in_a_tuple, with_elif),
]


@pytest.mark.parametrize("f", PROGRAMS)
def test_values_and_derivatives(f):
    for x in (2.3, 0.31):
        assert_value_and_derivative(f, x)
