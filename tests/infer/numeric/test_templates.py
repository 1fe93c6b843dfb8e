"""Run-time numbers in `%`, `str.format` and f-strings: the text is Python's."""

# ruff: noqa: UP030, UP031, UP032, F507 - these templates are what is tested

from __future__ import annotations

import numpy as np
import pytest

import myia

X = np.array([0.5, -1.5, 1234.56789, 3.0])


def prints(x, i):
    a, n = x[i], int(x[3])
    p = float(a)
    print("<%f> %.3f %8.2f|%-8.2f|%+.1f %08.3f %-08.3f|% .2f %5.f" % (a, a, p, p, a, p, a, a, p))
    print("%g %.3g %e %12.4e 100%% %s %10s %-10s| %r %12r" % (a, a, a, p, a, a, p, a, p))
    print("%d %5d %05d %-5d|%+d %i" % (a, n, n, n, n, p), "%s" % a, "%s %s" % ([1, 2], n))
    print("%(u).2f and %(v)5d%%" % {"u": a, "v": n})
    print("{0:.3f} {1} {k:5.1f} {0!r}".format(a, n, k=p), "{} {!s:>8} {:d}".format(p, a, n))
    print(f"<{a}> {p!r} {n!r:>12} {a!r:>20} {p!s:12}|{n!s:5}|", [a, p, n], (a,), a, p)
    return a


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_the_text_is_that_of_python(capsys, dtype):
    compiled = myia.jit(prints)
    for i in range(3):
        prints(X.astype(dtype), i)
        expected = capsys.readouterr().out
        compiled(X.astype(dtype), i)
        assert capsys.readouterr().out == expected


def says_later(x, i):
    s, t = f"{x} {x[i]}", "%s" % [x[i], i]
    u = "{}" + s + "" + "!"
    x[i] = 7.0
    for k in range(2):
        u += f" {k} {x[k]:.1f};"
    print(s, t, u)
    return x[i]


def test_a_text_says_what_was_so_when_it_was_made(capsys):
    for i in range(3):
        says_later(X.copy(), i)
        expected = capsys.readouterr().out
        myia.jit(says_later)(X.copy(), i)
        assert capsys.readouterr().out == expected


def test_messages():
    def f(x):
        if x > 1.0:
            raise ValueError("%.2f is above %d" % (x, 1), "{:.1f}".format(x))
        return x**2

    assert myia.grad(f)(0.5) == 1.0
    with pytest.raises(ValueError, match="above") as info:
        myia.grad(f)(1.5)
    assert info.value.args == ("1.50 is above 1", "1.5")


@pytest.mark.parametrize(
    ("f", "error", "message"),
    [
        (lambda x: print("%d %d" % (x,)), TypeError, "not enough arguments"),
        (lambda x: print("%d" % (x, x)), TypeError, "not all arguments"),
        (lambda x: print("%x" % x), myia.MyiaError, "this template of `%`"),
        (lambda x: print("{0.real}".format(x)), myia.MyiaError, "this template"),
        (
            lambda x: print("{:>8}".format(str(x))),
            myia.MyiaError,
            "`:>8` of a string with run-time",
        ),
        (lambda x: print("{!a}".format(str(x))), myia.MyiaError, "`!a` of a string with run-time"),
        (lambda x: print([f"'{x}"]), myia.MyiaError, "`!r` of a string with run-time"),
        (lambda x: print(f"{x}" + x), TypeError, "unsupported operand types"),
    ],
)
def test_refused(f, error, message):
    with pytest.raises(error, match=message):
        myia.jit(f)(1.5)
