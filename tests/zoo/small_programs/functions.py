"""Functions: defaults, keywords, stars, lambdas, higher order, recursion."""

from __future__ import annotations

import functools
import operator

import numpy as np

from tests.zoo.small_programs.registry import program

A = np.array


def square(x):
    return x * x


def scaled(x, by=2.0, *, shift=0.0):
    return x * by + shift


def total(*xs, start=0.0):
    s = start
    for x in xs:
        s = s + x
    return s


def with_options(x, **options):
    y = x
    if "power" in options:
        y = y ** options["power"]
    return y * options.get("scale", 1.0)


def twice(f):
    return lambda x: f(f(x))


@program((1.5,), (-0.5,))
def call_of_a_global(x):
    return square(x) + square(square(x))


@program((1.5, 2.0), (-0.5, 3.0))
def defaults(x, y):
    return scaled(x) * scaled(x, y)


@program((1.5, 2.0), (-0.5, 3.0))
def keywords(x, y):
    return scaled(x, shift=y) + scaled(by=x, x=y)


@program((1.5, 2.0), (-0.5, 3.0))
def star_arguments(x, y):
    return total(x, y, x * y) * total(start=y)


@program((1.5, 2.0), (-0.5, 3.0))
def stars_at_the_call(x, y):
    xs = (x, y)
    more = [x * y, 3.0]
    return total(*xs, *more, start=1.0)


@program((1.5, 2.0), (-0.5, 3.0))
def double_star(x, y):
    options = {"power": 2, "scale": y}
    return with_options(x, **options) + with_options(y) + with_options(x, scale=3.0)


@program((1.5,), (-0.5,))
def lambdas(x):
    f = lambda t: t * t + 1
    g = lambda a, b=2.0: a / b
    return g(f(x)) + (lambda: x)()


@program((1.5,), (-0.5,))
def composition(x):
    return twice(square)(x) + twice(twice(np.sin))(x)


@program((1.5,), (-0.5,))
def functions_as_arguments(x):
    def apply(f, *args):
        return f(*args)

    return apply(square, x) + apply(scaled, x, 3.0) + apply(np.cos, x)


@program((1.5, 2.0), (-0.5, 3.0))
def callables_in_a_list(x, y):
    fs = [square, np.sin, lambda t: t * y]
    for f in fs:
        x = f(x)
    return x


@program((1.5, "double"), (-0.5, "square"))
def callables_in_a_dict(x, name):
    table = {"square": square, "double": lambda t: 2 * t}
    return table[name](x)


@program((1.5, 5), (-0.5, 0))
def recursion_by_a_static_int(x, n):
    def power(x, n):
        if n == 0:
            return 1.0
        return x * power(x, n - 1)

    return power(x, n)


@program((1.1, 10), (0.7, 7))
def recursion_by_squaring(x, n):
    if n == 0:
        return 1.0
    half = recursion_by_squaring(x, n // 2)
    return half * half * x if n % 2 else half * half


@program((0.7, 7), (0.7, 2))
def recursion_twice(x, n):
    def fib(n):
        return x if n < 2 else fib(n - 1) + fib(n - 2) * x

    return fib(n)


@program((0.7, 4), (0.7, 1))
def mutual_recursion(x, n):
    def even(n, y):
        return y if n == 0 else odd(n - 1, y * x)

    def odd(n, y):
        return y + 1 if n == 0 else even(n - 1, y + x)

    return even(n, 1.0)


@program(((1.5, (2.0, (3.0, 0.5))),), ((0.1, 0.2),))
def recursion_over_structure(tree):
    def visit(t):
        if isinstance(t, tuple):
            return visit(t[0]) * 2 + visit(t[1])
        return t * t

    return visit(tree)


@program((100.0,), (0.5,))
def tail_recursion_on_data(x):
    def shrink(x, n):
        if x < 1:
            return x * n
        return shrink(x / 3, n + 1.0)

    return shrink(x, 1.0)


@program((0.7, 3.5), (0.7, 0.5))
def recursion_on_data(x, y):
    def go(y):
        if y < 1:
            return x * y
        return go(y - 1) * x + go(y - 2)

    return go(y)


@program((0.7, 3.5), (1.2, -0.5))
def mutual_recursion_on_data(x, y):
    def down(y, z):
        return z if y < 0 else x * other(y - 1, z * y) + z

    def other(y, z):
        return z * z if y < 0 else down(y - 1, z + x) * z

    return down(y, 1.0)


@program((1.5, 2.0), (-0.5, 3.0))
def functools_and_operator(x, y):
    product = functools.reduce(operator.mul, [x, y, x])
    scale = functools.partial(scaled, by=y)
    return product + scale(x) + operator.add(x, y)


@program((A([1.0, 2.0, 3.0]), 2.0), (A([0.5]), 0.1))
def map_and_filter(a, x):
    scaled_up = list(map(lambda v: v * x, a))
    s = 0.0
    for v in scaled_up:
        s = s + v * v
    for v in map(lambda v, w: v * w, a, a):
        s = s + v
    return s


@program((2.0, 5), (2.0, 0))
def filter_of_a_range(x, n):
    s = 0.0
    for i in filter(lambda i: i % 2, range(n)):
        s = s + x**i
    return s


@program((1.5, 2.0), (-0.5, 3.0))
def nested_calls_with_containers(x, y):
    def both(p):
        a, b = p
        return {"a": a * b, "b": a + b}

    d = both((x, y))
    e = both((d["a"], d["b"]))
    return e["a"] - e["b"]


@program((1.5,), (-0.5,))
def call_in_a_loop(x):
    def step(y, i):
        if i % 2:
            return y * x
        return y + x

    y = x
    for i in range(5):
        y = step(y, i)
    return y


@program((A([1.0, 2.0]), 4), (A([0.5, 0.1]), 0))
def function_with_a_loop_in_a_loop(a, n):
    def dot(u, v):
        s = 0.0
        for p, q in zip(u, v):
            s += p * q
        return s

    for i in range(n):
        a = a / (1 + dot(a, a))
    return dot(a, a)


@program((1.5,), (-0.5,))
def default_bound_at_definition(x):
    k = x

    def f(t, k=k):
        return t * k

    k = 100.0
    return f(x) + k


@program((1.5,), (-0.5,))
def reassigned_parameter(x):
    def f(t):
        t = t * t
        t += 1
        return t

    y = f(x)
    return y * x


@program((1.5, 3), (-0.5, 2))
def returns_a_function(x, n):
    def power(k):
        def raised(t):
            return t**k

        return raised

    return power(n)(x) + power(2)(x)


@program((0.8, 3.0), (0.2, 2.0))
def integrate(a, b):
    def trapezoid(f, a, b, n):
        h = (b - a) / n
        s = 0.5 * (f(a) + f(b))
        for i in range(1, n):
            s += f(a + i * h)
        return s * h

    return trapezoid(lambda t: np.exp(-t * t), a, b, 10)


@program((0.3, 1.2), (0.5, 2.0), order=1)
def bisection(lo, target):
    f = lambda t: t * t * t + t - target
    hi = lo + 2.0
    for _ in range(60):
        mid = 0.5 * (lo + hi)
        if f(mid) > 0:
            hi = mid
        else:
            lo = mid
    return lo - f(lo) / (3 * lo * lo + 1)


@program((1.5, 2.0), (-0.5, 3.0))
def callable_argument_and_result(x, y):
    def derivative_like(f, h):
        return lambda t: (f(t + h) - f(t)) / h

    return derivative_like(square, y)(x)


@program((1.5, square), (1.5, np.sin), (-0.5, twice(square)))
def callable_passed_in(x, f):
    return f(x) * x


@program((2.0, 3.0), (4.0, 5.0))
def unused_and_shadowed(x, y):
    sum = x + y
    max = lambda a: a * sum
    return max(y)


@program((1.5, 2.0), (0.5, -3.0))
def special_methods_by_name(x, y):
    s = x.__add__(y).__mul__(2.0) - y.__radd__(1)
    if x.__lt__(y):
        s = s.__truediv__(x) + x.__neg__()
    found = x.__add__("1")
    return s + [x, y].__getitem__(1) * (x, y).__len__() + (found is NotImplemented) * x


@program((A([1.0, 2.0, 3.0]), 0.5), (A([0.3, -1.4]), -2.0))
def special_methods_of_arrays(a, x):
    b = a.__mul__(x)
    for i in range(b.__len__()):
        b.__setitem__(i, b.__getitem__(i).__add__(i))
        b.__iadd__(x)
    a.__isub__(b)
    return np.sum(b.__matmul__(a).__pow__(2)) + a.__contains__(100.0)


@program((1.5, 2.0), (0.5, -3.0))
def getters_of_operator(x, y):
    rows = [(2, {"v": x}), (1, {"v": y * y}), (3, {"v": x * y})]
    rows.sort(key=operator.itemgetter(0))
    total = 0.0
    for rank, row in map(operator.itemgetter(0, 1), rows):
        total = operator.iadd(total, rank * operator.getitem(row, "v"))
    scale = operator.methodcaller("conjugate")(x) * operator.attrgetter("real")(y)
    return operator.truediv(total, 1.0 + operator.pow(scale, 2))
