"""Closures: shared variables, late binding, `nonlocal`, captured arrays."""

from __future__ import annotations

import numpy as np

from tests.zoo.small_programs.registry import program

A = np.array

WEIGHTS = np.array([0.5, -1.0, 2.0])
SCALE = 1.5
SETTINGS = {"rate": 0.3, "steps": 3, "names": ("a", "b")}


@program((1.5, 2.0), (-0.5, 3.0))
def reads_a_variable(x, y):
    def f(t):
        return t * y

    return f(x) + f(y)


@program((1.5, 2.0), (-0.5, 3.0))
def late_binding(x, y):
    def f(t):
        return t * y

    a = f(x)
    y = y + 1
    return a * f(x)


@program((1.5,), (-0.5,))
def late_binding_in_a_loop(x):
    fs = []
    for k in range(3):
        fs.append(lambda t: t * k)
    return fs[0](x) + fs[1](x) * x


@program((1.5,), (-0.5,))
def early_binding_in_a_loop(x):
    fs = [lambda t, k=k: t**k for k in range(1, 4)]
    return fs[0](x) + fs[1](x) * fs[2](x)


@program((1.5, 3), (-0.5, 0))
def nonlocal_counter(x, n):
    total = 0.0

    def add(v):
        nonlocal total
        total = total + v * v

    for i in range(n):
        add(x + i)
    add(x)
    return total


@program((1.5,), (-0.5,))
def nonlocal_in_a_branch(x):
    y = x

    def bump():
        nonlocal y
        if y > 0:
            y = y * x
        else:
            y = y - 1

    bump()
    bump()
    return y


@program((1.5,), (-0.5,))
def two_closures_share(x):
    state = x

    def get():
        return state

    def put(v):
        nonlocal state
        state = v

    put(get() * x)
    put(get() + x)
    return get()


@program((1.5,), (-0.5,))
def counter_factory(x):
    def make(start):
        count = start

        def step(by):
            nonlocal count
            count = count + by
            return count

        return step

    a, b = make(x), make(2 * x)
    a(1.0)
    return a(x) * b(x)


@program((1.5, 2.0), (-0.5, 3.0))
def three_deep(x, y):
    def outer(a):
        def middle(b):
            def inner(c):
                return a * b + c * x

            return inner(a)

        return middle(y)

    return outer(x)


@program((A([1.0, 2.0, 3.0]),), (A([0.5]),))
def captured_array_read_in_a_loop(a):
    def at(i):
        return a[i]

    s = 0.0
    for i in range(len(a)):
        s = s + at(i) * at(0)
    return s


@program((A([1.0, 2.0, 3.0]),), (A([0.5, 1.0, 2.0]),))
def global_array(a):
    return np.sum(a * WEIGHTS) * SCALE


@program((A([1.0, 2.0, 3.0]),), (A([0.5, 1.0, 2.0]),))
def global_array_in_a_loop(a):
    s = 0.0
    for i in range(3):
        s = s + WEIGHTS[i] * a[i] ** 2
    return s


@program((1.5,), (-0.5,))
def global_dict(x):
    for _ in range(SETTINGS["steps"]):
        x = x - SETTINGS["rate"] * x * x
    return x * len(SETTINGS["names"])


@program((A([1.0, 2.0]),), (A([0.5, 3.0]),))
def closure_writes_an_array(a):
    b = np.zeros(2)

    def put(i, v):
        b[i] = v

    put(0, a[1] * a[0])
    put(1, a[1])
    return b


@program((A([1.0, 2.0]), 3), (A([0.5, 3.0]), 0))
def closure_writes_an_array_in_a_loop(a, n):
    b = a * 1.0

    def step(i):
        b[i % 2] = b[i % 2] * a[0] + i

    for i in range(n):
        step(i)
    return b


@program((1.5,), (-0.5,))
def variable_defined_after_the_function(x):
    def f(t):
        return t * later

    later = x * x
    return f(x)


@program((1.5,), (-0.5,))
def comprehension_has_its_own_scope(x):
    i = 10
    squares = [i * x for i in range(3)]
    return squares[2] * i


@program((1.5,), (-0.5,))
def closure_over_a_loop_variable_called_inside(x):
    s = 0.0
    for i in range(4):

        def f(t):
            return t * i + x

        s = s + f(x)
    return s


@program((2.0,), (-2.0,))
def closure_in_a_branch(x):
    y = x * 3
    if x > 0:
        f = lambda t: t * y
        y = y + 1
        z = f(x)
    else:
        f = lambda t: t + y
        z = f(y)
    return z * y
