"""The order of evaluation and of effects: stores, operators (traces beside Python)."""

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
def setitem(x):
    log, t = tracer()
    a = [0.0, 0.0]
    t("c", a)[t("i", 1)] = t("v", x)
    return a[1], log


@program
def setattr_(x):
    log, t = tracer()
    o = Acts(log)
    t("o", o).v = t("v", x)
    return o.v, log


@program
def chain_assign(x):
    log, t = tracer()
    a = [0.0, 0.0]
    o = Acts(log)
    t("a", a)[t("i", 0)] = t("o", o).p = y = t("v", x)
    return a[0] + y + o.v, log


@program
def tuple_assign(x):
    log, t = tracer()
    a = [0.0, 0.0]
    t("a", a)[t("i", 0)], t("b", a)[t("j", 1)] = t("v", x), t("w", 2.0)
    return a[0] * a[1], log


@program
def self_ref(x):
    i = 0
    a = [5.0, 6.0, 7.0]
    i, a[i] = 1, x
    return a[0] + a[1] * 10 + i, a


@program
def aug_item(x):
    log, t = tracer()
    a = [1.0, 2.0]
    t("a", a)[t("i", 1)] += t("v", x)
    return a[1], log


@program
def aug_item_obj(x):
    log, t = tracer()
    o = Acts(log)
    t("o", o)[t("i", 1)] += t("v", x)
    return o.v, log


@program
def aug_attr(x):
    log, t = tracer()
    o = Acts(log)
    t("o", o).p += t("v", x)
    return o.v, log


@program
def aug_name(x):
    log, t = tracer()
    y = 1.0

    def f():
        nonlocal y
        y = 5.0
        return x

    y += f()
    return y, log


@program
def name_then_call(x):
    y = 1.0

    def f():
        nonlocal y
        y = 5.0
        return x

    return y + f() + y, y


@program
def list_then_call(x):
    a = [1.0]

    def f():
        a.append(x)
        return 1.0

    return len(a) + f() + len(a), a


@program
def compare_chain(x):
    log, t = tracer()
    r = t("a", 1) < t("b", 2) < t("c", 0) < t("d", 5)
    s = t("e", 1) < t("f", 2) <= t("g", 2)
    return x * s + r, log


@program
def compare_objs(x):
    log, t = tracer()
    o = Acts(log)
    r = 1 < o < 2
    s = o == o in [o]
    u = 1 in o
    return x * r * u, log


@program
def dict_display(x):
    log, t = tracer()
    d = {
        t("k1", "a"): t("v1", x),
        t("k2", "b"): t("v2", 2.0),
        **t("s", {"c": 3.0}),
        t("k3", "a"): t("v3", 4.0),
    }
    return d["a"] * d["c"] * x, log, list(d)


@program
def dict_comp(x):
    log, t = tracer()
    d = {t(("k", i), i): t(("v", i), x * i) for i in range(3)}
    return d[2], log


@program
def kwargs_order(x):
    log, t = tracer()

    def f(a, b, c, *d, **k):
        return a + 2 * b + 3 * c + sum(d) + sum(k.values())

    y = f(t(1, x), *t(2, (2.0,)), t(3, 5.0), *t(4, (1.0, 2.0)), z=t(5, 3.0), **t(6, {"w": 4.0}))
    return y, log


@program
def kw_star(x):
    log, t = tracer()

    def f(a, b, c):
        return a + 2 * b + 3 * c

    y = f(c=t(1, x), *t(2, (2.0,)), b=t(3, 5.0))
    return y, log


@program
def func_first(x):
    log, t = tracer()
    y = t("f", lambda a, b: a * b)(t("a", x), t("b", 3.0))
    return y, log


@program
def method_first(x):
    log, t = tracer()
    y = t("o", [1.0, 2.0]).index(t("a", 2.0))
    return x * y, log


@program
def defaults(x):
    log, t = tracer()
    y = 1.0

    def f(a=t("d1", x), *, b=t("d2", y)):
        log.append("call")
        return a * b

    y = 10.0
    log.append("def")
    return f() + f(2.0) + f(b=y), log


@program
def mutable_default(x):
    def f(v, acc=[]):
        acc.append(v)
        return len(acc)

    return x * f(1.0) + f(2.0) + f(3.0), 0


@program
def decorators(x):
    log, t = tracer()

    def d(n):
        log.append(("make", n))

        def w(f):
            log.append(("apply", n))
            return lambda *a: f(*a) + n

        return w

    @d(1)
    @d(2)
    def f(a, b=t("def", 2.0)):
        log.append("body")
        return a * b

    return f(x), log


@program
def lambda_default(x):
    log, t = tracer()
    fs = [lambda a, k=t(i, i): a * k for i in range(3)]
    return sum(f(x) for f in fs), log


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_order(f):
    assert_as_python(f, 2.5)
