"""The order of evaluation and of effects: items, iterators (traces beside Python)."""

import itertools

import numpy as np
import pytest

from tests.infer.statements.beside_python import assert_as_python

PROGRAMS = []


def program(f):
    PROGRAMS.append(f)
    return f


def tracer():
    """A trace, and a function that notes a name in it and gives a value."""
    log = []

    def t(name, value):
        log.append(name)
        return value

    return log, t


class Acts:
    """Whatever is done with it, it notes."""

    def __init__(self, log):
        self.log = log
        self.v = 1.0

    @property
    def p(self):
        self.log.append("get")
        return self.v

    @p.setter
    def p(self, v):
        self.log.append("set")
        self.v = v

    def __getitem__(self, i):
        self.log.append(("gi", i))
        return self.v

    def __setitem__(self, i, v):
        self.log.append(("si", i))
        self.v = v

    def __delitem__(self, i):
        self.log.append(("di", i))

    def __add__(self, o):
        self.log.append("add")
        return self.v

    def __radd__(self, o):
        self.log.append("radd")
        return self.v

    def __iadd__(self, o):
        self.log.append("iadd")
        return self

    def __lt__(self, o):
        self.log.append("lt")
        return True

    def __gt__(self, o):
        self.log.append("gt")
        return True

    def __eq__(self, o):
        self.log.append("eq")
        return True

    def __hash__(self):
        return 1

    def __bool__(self):
        self.log.append("bool")
        return True

    def __len__(self):
        self.log.append("len")
        return 2

    def __iter__(self):
        self.log.append("iter")
        return iter((1.0, 2.0))

    def __contains__(self, o):
        self.log.append("in")
        return True

    def __call__(self, *a, **k):
        self.log.append("call")
        return self.v


@program
def pow_unary(x):
    log, t = tracer()
    return -(t("a", x) ** t("b", 2)) * t("c", 3.0) // t("d", 1.0), log


@program
def reflected(x):
    log, t = tracer()
    o = Acts(log)
    r = 1 + o
    s = o + 1
    q = o
    q += 1
    return x * r * s, log


@program
def ops_bool(x):
    log, t = tracer()
    o = Acts(log)
    r = 1.0 if o else 2.0
    s = 2.0 if not o else 3.0
    u = o and 1.0
    return x * r * s, log


@program
def pop_order(x):
    a = [1.0, 2.0, 3.0]
    d = {a.pop(): a.pop()}
    b = [4.0, 5.0, 6.0]
    b[b.pop() > 5] = b.pop() * x
    return d[3.0] * b[0], list(d), len(b)


@program
def dict_get(x):
    log, t = tracer()
    d = {"a": x}
    y = t("d", d).get(t("k", "z"), t("def", 2.0))
    d.setdefault(t("k2", "a"), t("v2", 3.0))
    return y * d["a"], log


@program
def nested_call(x):
    log, t = tracer()
    return t("f", max)(t("a", t("b", x)), t("c", t("d", 1.0))), log


@program
def matmul(x):
    log, t = tracer()
    a = np.ones((2, 2))
    r = t("a", a * x) @ t("b", a)
    return r[0, 0], log


@program
def swap(x):
    a = [1.0, x]
    i = 0
    a[0], a[1] = a[1], a[0]
    i, j = 1, i
    return a[0] * 10 + a[1] + j, i


@program
def annassign(x):
    log, t = tracer()
    a = [0.0]
    t("a", a)[t("i", 0)]: float = t("v", x)
    return a[0], log


@program
def augglobal(x):
    log, t = tracer()
    a = [0.0]

    def f():
        a.append(1.0)
        return a

    f()[len(a) - 1] += x
    return a[-1], len(a)


@program
def star_target(x):
    log, t = tracer()
    a = [0.0, 0.0]
    t("A", a)[0], *t("B", a)[1:] = t("v", [x, 2.0, 3.0])
    return sum(a), log


@program
def map_that_is_longer(x):
    log = []

    def f(i):
        log.append(i)
        return i * x

    r = [a * b for a, b in zip(map(f, [1, 2, 3]), [1.0, 2.0])]
    return sum(r), log


@program
def map_of_a_longer_map(x):
    log = []

    def f(i):
        log.append(i)
        return i * x

    r = list(map(lambda a, b: a * b, map(f, [1, 2, 3]), [1.0, 2.0]))
    return sum(r), log


@program
def loop_over_a_longer_map(x):
    log = []

    def f(i):
        log.append(i)
        return i * x

    s = 0.0
    for a, b in zip(map(f, [1, 2, 3]), [1.0, 2.0]):
        s += a * b
    return s, log


@program
def zip_of_a_filter(x):
    log = []

    def f(i):
        log.append(i)
        return i > 1

    s = 0.0
    for a, b in zip(filter(f, [1, 2, 3]), [1.0]):
        s += a * b * x
    return s, log


@program
def enumerated_map_that_is_longer(x):
    log = []

    def f(i):
        log.append(i)
        return i * x

    s = 0.0
    for (i, a), b in zip(enumerate(map(f, [1, 2, 3])), [1.0, 2.0]):
        s += a * b * i
    return s, log


@program
def long_loop_over_a_longer_map(x):
    log = []

    def f(i):
        log.append(i)
        return i * x

    s = 0.0
    for a, b in zip(map(f, range(30)), range(20)):
        s += a * b
    return s, len(log)


@program
def starmap_that_is_longer(x):
    log = []

    def f(i, j):
        log.append(i)
        return i * x

    s = 0.0
    for a, b in zip(itertools.starmap(f, [(1, 2), (2, 3), (3, 4)]), [1.0, 2.0]):
        s += a * b
    return s, log


@program
def map_before_a_generator(x):
    log = []

    def f(i):
        log.append(("f", i))
        return i * x

    def g():
        for i in range(3):
            log.append(("g", i))
            yield i
        log.append("gend")

    s = 0.0
    for a, b in zip(map(f, [1, 2]), g()):
        s += a * b
    for a, b in zip(map(f, [1, 2, 4, 5]), g()):
        s += a * b
    return s, log


@program
def maps_of_several_lengths(x):
    log = []

    def f(i):
        log.append(("f", i))
        return i * x

    def h(i):
        log.append(("h", i))
        return i * x

    s = 0.0
    for a, b in zip(map(f, [1, 2]), map(h, [2])):
        s += a * b
    for a, b in zip(map(f, [1, 2]), map(h, [2, 3, 4])):
        s += a * b
    for a, b, c in zip(map(f, [1, 2]), map(h, [2, 3, 4]), [1.0]):
        s += a * b
    return s, log


@program
def map_after_a_generator(x):
    log = []

    def f(i):
        log.append(("f", i))
        return i * x

    def g():
        for i in range(3):
            log.append(("g", i))
            yield i
        log.append("gend")

    s = 0.0
    for a, b in zip(g(), map(f, [1, 2])):
        s += a * b
    for a, b in zip(g(), map(f, [1, 2, 4, 5])):
        s += a * b
    return s, log


@program
def iterator_after_zip(x):
    it = iter([1.0, 2.0, 3.0])
    s = 0.0
    for a, b in zip(it, [x]):
        s += a * b
    return s + next(it) * 10


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_order(f):
    assert_as_python(f, 2.5)
