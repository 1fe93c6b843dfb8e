"""Format specifications that Python does not take raise what Python raises, by the type alone."""

# ruff: noqa: UP031, UP032, F504, F505, F507, F509, F523, F524, F525 - they are what is tested

from __future__ import annotations

from typing import NamedTuple

import jax
import numpy as np
import pytest

import myia


class Point(NamedTuple):
    a: float
    b: int


WRONG = [
    lambda x, n: f"{x:d}",
    lambda x, n: f"{x:q}",
    lambda x, n: f"{x:.}",
    lambda x, n: f"{x:s}",
    lambda x, n: f"{x:,,}",
    lambda x, n: f"{n:.2d}",
    lambda x, n: f"{n:s}",
    lambda x, n: f"{x > 1:s}",
    lambda x, n: f"{x!s:d}",
    lambda x, n: f"{x + 2j:%}",
    lambda x, n: f"{np.float32(x):d}",
    lambda x, n: f"{np.array([x, n]):.2f}",
    lambda x, n: f"{(x, n):>14}",
    lambda x, n: f"{[x, n]:>14}",
    lambda x, n: "{}".format(x) + f"{ {'a': x}:>9}",
    lambda x, n: f"{f'{x}':d}",
    lambda x, n: format(x, "d"),
    lambda x, n: "{:d}".format(x),
    lambda x, n: "{:.2f} {n} {0}".format(x, n=n),
    lambda x, n: "{0:.2f} {n} {}".format(x, n=n),
    lambda x, n: "{1}".format(x),
    lambda x, n: "{n}".format(x),
    lambda x, n: "{} {}".format(x),
    lambda x, n: "{!z}".format(x),
    lambda x, n: "%x" % x,
    lambda x, n: "%q" % x,
    lambda x, n: "%d %d" % x,
    lambda x, n: "%d" % (x, x),
    lambda x, n: "%(a)s" % x,
    lambda x, n: "%(a)s" % {"b": x},
]


@pytest.mark.parametrize("text", WRONG)
def test_wrong_formats(text, capfd):
    """Also of a text that nothing prints, and where a handler catches it."""

    def caught(x, n):
        try:
            text(x, n)
        except (ValueError, TypeError, LookupError) as e:
            print(str(e))
            return e.args, x
        return x

    def not_taken(x, n):
        if x > 5:
            print(text(x, n))
        return x

    with pytest.raises((ValueError, TypeError, LookupError)) as wanted:
        text(1.5, 3)
    with pytest.raises(type(wanted.value)) as found:
        myia.jit(lambda x, n: (text(x, int(n)), x)[1])(1.5, 3.0)
    assert str(found.value).splitlines()[0] in (str(wanted.value), str(wanted.value.args[0]))
    if not isinstance(wanted.value, TypeError):  # which is a mistake wherever it is written
        with pytest.raises(type(wanted.value)) as found:
            myia.jit(not_taken)(5.5, 3)
        assert found.value.args == wanted.value.args
        assert myia.jit(not_taken)(1.5, 3) == 1.5
    result = caught(1.5, 3), capfd.readouterr().out
    found_result = myia.jit(caught)(1.5, 3)
    jax.effects_barrier()
    assert (found_result, capfd.readouterr().out) == result


def right(x):
    n, y, z, b = int(x), np.float32(x), x + 2j, x > 1
    print(f"{n:c}|{n:x}|{n:f}|{n:%}|{n:,}|{n:08.3f}|{n:+d}|{n:*<8}|{n:#x}|{n:b}|{n:n}")
    print(f"{x:e}|{x:g}|{x:%}|{x:,.2f}|{x:_.1f}|{x:>10.2f}|{x:010.3f}|{x:z.1f}|{x:.3}|{x: }")
    print(f"{b}|{b!s:>8}|{b:d}|{y:.2f}|{y!r}|{z:.2f}|{z:>12}|{x!s:.3}|{x!r:<10}")
    print(Point(x, n), [Point(x, 1)], f"{Point(x, n)}", {"a": x, "{": [n]}, {})
    return x


def test_right_formats(capfd):
    for x in (65.5, 1.25):
        right(x)
        wanted = capfd.readouterr().out
        myia.jit(right)(x)
        jax.effects_barrier()
        assert capfd.readouterr().out == wanted


def test_padded_containers_are_refused():
    for text in (lambda x: f"{(x, 1)!s:>14}", lambda x: f"{[x]!r:>14}"):
        with pytest.raises(myia.MyiaError, match="is not supported"):
            myia.jit(lambda x, text=text: print(text(x)))(1.5)


def test_characters():
    def f(n):
        print(f"{n:c}")
        return n

    g = myia.jit(lambda x: f(int(x)))
    assert g(65.0) == 65
    for n in (-1.0, 1114112.0):
        with pytest.raises(OverflowError, match="arg not in range"):
            g(n)
