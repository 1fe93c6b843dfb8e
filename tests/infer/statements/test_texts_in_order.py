"""Texts of lists and arrays that a later part of the text changes (beside Python)."""

import numpy as np
import pytest

import myia
from tests.infer.statements.beside_python import assert_as_python


class Acts:
    """Whatever is done with it, it appends to a list."""

    def __init__(self, a):
        self.a = a

    def act(self, item):
        self.a.append(item)
        return len(self.a)

    @property
    def grown(self):
        return self.act(1.0)

    def __add__(self, other):
        return self.act(2.0)

    def __neg__(self):
        return self.act(3.0)

    def __getitem__(self, i):
        return self.act(4.0)

    def __lt__(self, other):
        return self.act(5.0)

    def __contains__(self, item):
        return self.act(6.0) > 0

    def __call__(self):
        return self.act(7.0)

    def __str__(self):
        self.act(8.0)
        return "text"

    def __format__(self, spec):
        self.act(9.0)
        return f"<{spec}>"


def made(x):
    a = [x, 2.0]
    return a, Acts(a)


F_STRINGS = {
    "call": lambda a, p: f"{a} {p()} {a}",
    "property": lambda a, p: f"{a} {p.grown} {a}",
    "operator": lambda a, p: f"{a!r} {p + 1} {a}",
    "unary": lambda a, p: f"{a} {-p} {a}",
    "item": lambda a, p: f"{a} {p[0]} {a}",
    "comparison": lambda a, p: f"{a} {p < 1} {a}",
    "membership": lambda a, p: f"{a} {1 in p} {a}",
    "format": lambda a, p: f"{a} {p} {a}",
    "format with a specification": lambda a, p: f"{a} {p:ab} {a}",
    "str": lambda a, p: f"{a} {p!s} {a}",
    "branch": lambda a, p: f"{a} {p.grown if p.a else 0} {a}",
    "walrus": lambda a, p: f"{a} {(b := p.grown)} {a} {b}",
    "percent": lambda a, p: "%s %s %r" % (a, p.grown, a),
    "percent with a width": lambda a, p: "%% %s %5s %-4s|" % (a, p.grown, p()),
    "percent of numbers": lambda a, p: "%s %d" % (a, p.grown),
    "percent of instances": lambda a, p: "%s %s" % (p, a),
    "percent of one": lambda a, p: "%s" % p + str(a),
    "str.format": lambda a, p: "{} {}".format(a, p.grown),
    "str.format of instances": lambda a, p: "{0} {1} {0}".format(p, a),
    "names in str.format": lambda a, p: "{p} {a}".format(p=p, a=a),
    "join": lambda a, p: " ".join([str(a), str(p), str(a)]),
}


@pytest.mark.parametrize("name", F_STRINGS)
def test_lists(name):
    shown = F_STRINGS[name]

    def f(x):
        a, p = made(2.0)
        return x * 2, shown(a, p), a

    assert_as_python(f, 2.5)


def arrays(x):
    a = np.zeros(2)

    def f():
        a[0] += x
        return 1

    class Q:
        def __add__(self, other):
            a[1] += x
            return 2

    q = Q()
    print(a, f(), a)
    print("%s %s" % (a, f()))
    print("%s %s" % (a[0], f()))
    print("%s %d" % (a, f()))
    print("{} {}".format(a, f()))
    print(f"{a} {f()} {a}", a)
    print(f"{a} {q + 1} {a} {a[1]:.3f} {q + 1} {x + 1:.2f} {a}")
    return x


def test_arrays(capfd):
    arrays(2.0)
    wanted = capfd.readouterr().out
    myia.jit(arrays)(2.0)
    assert capfd.readouterr().out == wanted


def perhaps_none(x, k):
    best = None
    if k > 1:
        best = x
    print(f"{best} {x + 1} {best!r} {k - 1:d}", best)
    return x


@pytest.mark.parametrize("k", [1, 2])
def test_values_that_may_be_none(capfd, k):
    perhaps_none(2.0, k)
    wanted = capfd.readouterr().out
    myia.jit(perhaps_none)(2.0, k)
    assert capfd.readouterr().out == wanted
