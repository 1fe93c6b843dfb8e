"""An error that nothing catches comes before a `try`: the body, which has a code of its own, keeps
quiet, ends, and changes neither which error it is nor its message."""

import numpy as np
import pytest

import myia

NAN = float("nan")


def prints(xs):
    total = 0.0
    for x in xs:
        k = int(x)
        try:
            print("in", k)
            total += 1.0 / k
        except ZeroDivisionError:
            print("zero")
            total -= 1.0
        else:
            print("else")
        finally:
            print("finally")
    return total


def counts_down(xs):
    """After the error `k` is any number: the least, from which it is long to zero."""
    total = 0.0
    for x in xs:
        k = int(x)
        try:
            while k != 0:
                k -= 1
                total += 1.0 / (k - 2)
        except ZeroDivisionError:
            total += 10.0
    return total


def counts_down_in_handlers(xs):
    total = 0.0
    for x in xs:
        k = int(x)
        try:
            total += 1.0 / (k - 2)
        except ZeroDivisionError:
            while k != 0:
                k -= 1
                total += 0.5
        else:
            while k != 0:
                k -= 1
    return total


def inner_error(xs):
    """The body has an error that its handler does not catch; so has what is before it."""
    values = np.arange(4.0)
    total = 0.0
    for x in xs:
        total += values[int(x)]
        try:
            total += float(values[int(x) + 1]) / float(x)
        except ZeroDivisionError:
            total += 1.0
    return total


def nested(xs):
    values = np.arange(4.0)
    total = 0.0
    for x in xs:
        k = int(x)
        try:
            total += values[k]
            try:
                total += 1.0 / (k - 1)
                print("inner", k)
                if k == 2:
                    raise KeyError(k)
            except ZeroDivisionError:
                total += values[k + 3]
        except IndexError:
            total += 100.0
    return total


def generated(xs):
    def items():
        for x in xs:
            k = int(x)
            try:
                yield 1.0 / k
            except ZeroDivisionError:
                yield -1.0

    total = 0.0
    for y in items():
        print(y > 0.0)
        while y > 1.5:
            y /= 2.0
        total += y
    return total


PROGRAMS = [prints, counts_down, counts_down_in_handlers, inner_error, nested, generated]
INPUTS = [
    [1.0, 2.0],
    [3.0, 0.0, 1.0],
    [0.0, 1.0, NAN, 2.0, 0.0],
    [NAN, 0.0, 2.0],
    [1.0, 3.0, 2.0, 0.0],
    [1.0, 0.0, 4.0, 2.0, 9.0],
]


def outcome(f, xs, capfd):
    try:
        result = float(f(np.array(xs)))
    except Exception as error:
        result = type(error).__name__, str(error)
    return result, capfd.readouterr().out


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_what_an_earlier_error_leaves(f, capfd):
    compiled = {len(xs): myia.jit(f) for xs in INPUTS}
    for xs in INPUTS:
        with np.errstate(all="ignore"):
            expected, printed = outcome(f, xs, capfd)
        found, told = outcome(compiled[len(xs)], xs, capfd)
        assert told == printed
        if isinstance(expected, float):
            np.testing.assert_allclose(found, expected, rtol=1e-12)
        else:
            assert found == expected


def test_only_what_nothing_catches_is_carried():
    """The code of the body ends in it: the loop does not carry it."""

    def f(a, n):
        total = 0.0
        for i in range(n):
            try:
                total += 1.0 / a[i % 3]
            except ZeroDivisionError:
                total += 1.0
        return total

    text = str(myia.jit(f).ir(np.ones(3), 5)["finish"])
    loop = next(line for line in text.splitlines() if " for " in line)
    assert "i32" not in text[text.index(loop) :]
