"""The order of evaluation and of effects: calls, displays, definitions (traces beside Python)."""

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
def late_binding(x):
    fs = [lambda: i * x for i in range(3)]
    return sum(f() for f in fs), 0


@program
def boolop(x):
    log, t = tracer()
    r = (t("a", 0) and t("b", 1)) or t("c", 2.0) or t("d", 3.0)
    s = t("e", 2.0) and t("f", x)
    return r * s, log


@program
def ifexp(x):
    log, t = tracer()
    r = t("a", x) if t("c", True) else t("b", 2.0)
    return r, log


@program
def slices(x):
    log, t = tracer()
    a = [1.0, 2.0, 3.0, 4.0, 5.0]
    b = t("a", a)[t("l", 1) : t("u", 5) : t("s", 2)]
    a[t("l2", 0) : t("u2", 2)] = t("v", [x])
    return sum(b) * sum(a) * x, log


@program
def np_setitem(x):
    log, t = tracer()
    a = np.zeros((2, 2))
    t("a", a)[t("i", 0), t("j", 1)] = t("v", x)
    t("a2", a)[t("i2", 0), t("j2", 1)] += t("v2", x)
    return a[0, 1], log


@program
def deletes(x):
    log, t = tracer()
    o = Acts(log)
    d = {"a": 1.0, "b": 2.0}
    del t("o", o)[t("i", 1)], t("d", d)[t("k", "a")]
    return x * len(d), log


@program
def unpack_star(x):
    log, t = tracer()
    a, *b, c = t("s", (x, 2.0, 3.0, 4.0))
    (d, e), f = t("n", ((1.0, x), 3.0))
    return a * sum(b) * c * d * e * f, log


@program
def listdisp(x):
    log, t = tracer()
    a = [t(1, x), *t(2, [2.0, 3.0]), t(3, 4.0)]
    b = (t(4, x), *t(5, (1.0,)))
    return sum(a) * sum(b), log


@program
def aug_list_alias(x):
    a = [1.0]
    b = a
    a += [x]
    c = (1.0,)
    d = c
    c += (x,)
    n = np.ones(2)
    m = n
    n += x
    return sum(b) + sum(m) + len(d), len(c)


@program
def aug_in_tuple(x):
    t_ = ([1.0],)
    try:
        t_[0] += [x]
    except TypeError:
        return x * len(t_[0]), 1
    return x, 0


@program
def aug_raise(x):
    log, t = tracer()
    a = [1.0, 2.0]
    try:
        t("a", a)[t("i", 5)] += t("v", x)
    except IndexError:
        log.append("ie")
    try:
        t("a", a)[t("i", 5)] = t("v", x)
    except IndexError:
        log.append("ie")
    return x, log


@program
def walrus(x):
    log, t = tracer()
    y = (z := t("a", x)) + (z := t("b", 2.0)) * z
    return y + z, log


@program
def forloop(x):
    log, t = tracer()
    a = [0.0, 0.0]
    for t("c", a)[t("i", 0)] in t("it", [1.0, x]):
        log.append("body")
    return a[0], log


@program
def while_else(x):
    log, t = tracer()
    n = 0
    while t("t", n < 2):
        n += 1
    else:
        log.append("else")
    return x * n, log


@program
def comp_order(x):
    log, t = tracer()
    r = [
        t(("e", i, j), i * j * x)
        for i in t("o", [1, 2])
        if t(("f", i), True)
        for j in t(("in", i), [1, 2])
        if t(("g", j), j > 1)
    ]
    return sum(r), log


@program
def genexp_lazy(x):
    log, t = tracer()
    g = (t(("e", i), i * x) for i in t("it", [1, 2, 3]))
    log.append("made")
    r = next(g)
    log.append("one")
    return r + sum(g), log


@program
def any_all(x):
    log, t = tracer()
    r = any(t(i, i > 0) for i in range(3))
    s = all(t(i, i < 1) for i in range(3))
    return x * r + s, log


@program
def zip_map(x):
    log, t = tracer()
    r = [
        v
        for v in zip(map(lambda i: t(("m", i), i * x), [1, 2]), map(lambda i: t(("n", i), i), [3]))
    ]
    return sum(a * b for a, b in r), log


@program
def sorted_key(x):
    log, t = tracer()
    r = sorted([3, 1, 2], key=lambda i: t(i, -i))
    m = max([1, 3, 2], key=lambda i: t(("m", i), i))
    return x * r[0] * m, log


@program
def class_body(x):
    log, t = tracer()

    class B:
        pass

    class C(t("base", B)):
        a = t("a", 1.0)
        b = t("b", x)

        def f(self, z=t("z", 3.0)):
            return self.b * z

    return C().f(), log


@program
def messages_of_assertions(x):
    log, t = tracer()
    assert t("a", True), t("m", "no")
    return x, log


@program
def raise_from(x):
    log, t = tracer()
    try:
        raise t("e", ValueError("v")) from t("c", KeyError("k"))
    except ValueError as e:
        log.append(str(e))
    return x, log


@program
def with_order(x):
    log, t = tracer()

    class C:
        def __init__(self, n):
            log.append(("init", n))
            self.n = n

        def __enter__(self):
            log.append(("enter", self.n))
            return self.n

        def __exit__(self, *a):
            log.append(("exit", self.n))

    with C(1) as a, C(a + 1) as b:
        log.append("body")
    return x * b, log


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_order(f):
    assert_as_python(f, 2.5)
