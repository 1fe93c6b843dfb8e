"""A `finally` that raises: its exception replaces a jump, or another exception, that it held up."""

import math

import numpy as np
import pytest

import myia
from tests.infer.driver import outcome

XS = np.array([1.0, 2.0, 3.0, 4.0])


class Stop(Exception):
    pass


KINDS = IndexError, KeyError, ValueError, ZeroDivisionError, Stop


# ----- Jumps


def continues(x, ks):
    s = 0.0
    for i in range(len(ks)):
        try:
            try:
                if ks[i] > 1:
                    continue
                s += 0.25
            finally:
                s += x[int(ks[i])]
        except IndexError:
            s += 100.0 * x[0]
        s = s * 2.0
    return s


def breaks(x, ks):
    s = 0.0
    for i in range(len(ks)):
        try:
            try:
                if ks[i] != 1:
                    break
            finally:
                s += x[int(ks[i])]
        except IndexError:
            s += 100.0
        s += 1000.0
    else:
        s += 0.5
    return s


def returns(x, ks):
    s = 0.0
    for i in range(len(ks)):
        try:
            for j in range(2):
                try:
                    return -s
                finally:
                    s += x[int(ks[i]) + j]
        except IndexError:
            s += 100.0
        s += 1000.0
    return s


def in_a_while(x, ks):
    s, i = 0.0, 0
    while i < len(ks):
        i += 1
        try:
            try:
                if ks[i - 1] > 0:
                    continue
                print("body", i)
            finally:
                s += x[int(ks[i - 1])]
        except IndexError:
            print("caught", i)
        print("rest", i)
        s += 10.0
    return s


def raised_by_hand(x, ks):
    s = 0.0
    for i in range(len(ks)):
        try:
            try:
                continue
            finally:
                if ks[i] > 3:
                    raise Stop(i)
                s += x[int(ks[i])]
        except Stop as e:
            s += 100.0 + e.args[0]
        s += 1000.0
    return s


class Adds:
    def __init__(self, a, j):
        self.a, self.j = a, j

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.a[self.j] += 1.0
        return False


def in_a_context(x, ks):
    n = 0
    a = x.copy()
    for i in range(len(ks)):
        try:
            with Adds(a, int(ks[i])):
                if ks[i] > 0:
                    continue
                n += 1
        except IndexError:
            n += 100
        n += 1000
    return n + a[0]


def of_an_outer_handler(x, ks):
    s = 0.0
    for i in range(len(ks)):
        try:
            try:
                try:
                    if ks[i] > 1:
                        break
                finally:
                    s += x[int(ks[i])]
            except KeyError:
                s -= 5.0
        except IndexError:
            s += 100.0
        s += 1000.0
    return s


# ----- Exceptions


def two_finals(x, ks):
    a = x.copy()
    try:
        try:
            raise Stop("first")
        finally:
            a[int(ks[0])] += 1.0
    finally:
        if a[0] < 9.0:
            raise ValueError("second")


def prints(x, ks):
    a = x.copy()
    try:
        try:
            raise Stop("first")
        finally:
            a[int(ks[0])] += 1.0
    finally:
        print("out")


def nested_contexts(x, ks):
    a = x.copy()
    with Adds(a, int(ks[0])), Adds(a, int(ks[-1])):
        raise Stop("body")


def in_a_handler(x, ks):
    a = x.copy()
    try:
        raise Stop("body")
    except Stop:
        try:
            raise KeyError(1)
        finally:
            a[int(ks[0])] -= 1.0
    finally:
        a[int(ks[-1])] -= 1.0


def of_a_handler_in_a_loop(x, ks):
    a = x.copy()
    for i in range(len(x)):
        try:
            try:
                raise Stop(i)
            except Stop:
                a[i] += float(6 // (i - int(ks[0])))
            finally:
                a[i] = a[int(ks[-1])]
        finally:
            a[int(ks[0]) + 2] += 1.0
    return a


def after_a_raise(x, ks):
    """The last error is certain, but not that the program comes to it."""
    for i in range(len(ks)):
        if ks[i] > 3:
            raise Stop(i)
    return x[0] + x[7]


PROGRAMS = [
    *(continues, breaks, returns, in_a_while, raised_by_hand, in_a_context, of_an_outer_handler),
    *(two_finals, prints, nested_contexts, in_a_handler, of_a_handler_in_a_loop, after_a_raise),
]
INPUTS = [[0, 9, 1], [9, 0, 1], [0, 1, 0], [1, 1, 1], [2, 9, 9], [0, 2, 9], [9, 8, 9], [9, 1, 0]]


@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_what_a_finally_raises_replaces(f, capfd):
    compiled = myia.jit(f)
    for ks in INPUTS:
        args = XS, np.array(ks)
        expected = outcome(capfd, KINDS, f, *args)
        assert outcome(capfd, KINDS, compiled, *args) == expected


@pytest.mark.parametrize("ks", INPUTS)
def test_the_gradient_is_that_of_the_path(ks):
    ks = np.array(ks)
    slope = myia.grad(continues)(XS, ks)
    steps = 1e-6 * np.eye(4)
    differences = [(continues(XS + h, ks) - continues(XS - h, ks)) / 2e-6 for h in steps]
    np.testing.assert_allclose(slope, differences, atol=1e-6)


def at_an_empty_axis(m, i):
    try:
        m[int(i[0]), int(i[1])] = 1.0
    except IndexError as e:
        print(e)
    return m[int(i[0]), int(i[1])]


def items_at_an_empty_axis(m, i):
    return m[i]


@pytest.mark.parametrize("f", [at_an_empty_axis, items_at_an_empty_axis])
@pytest.mark.parametrize("shape", [(0, 3), (2, 0), (0, 0)])
def test_indices_into_nothing_have_their_numbers(f, shape, capfd):
    for i in ([1, 5], [5, 1], [0, 0]):
        args = np.zeros(shape), np.array(i)
        expected = outcome(capfd, KINDS, f, *args)
        if isinstance(expected[0], np.ndarray):  # rows of no elements
            np.testing.assert_array_equal(outcome(capfd, KINDS, myia.jit(f), *args)[0], expected[0])
            continue
        assert outcome(capfd, KINDS, myia.jit(f), *args) == expected


def test_the_end_of_an_iterator_has_no_arguments():
    def f(x):
        g = iter(x)
        next(g)
        try:
            next(g)
        except StopIteration as e:
            return len(e.args)
        return 9

    compiled = myia.jit(f)
    for n in (1, 2):
        assert compiled(np.ones(n)) == f(np.ones(n))
    with pytest.raises(StopIteration) as found:
        compiled(np.ones(0))
    assert str(found.value).splitlines()[:1] in ([], [""])


def known_in_a_finally(a, y):
    """What the `finally` reads is known where the body ends, and another number where it raises."""
    z = 1.5
    try:
        if a <= 0.5:
            raise KeyError(1.5)
        z = 3.0
    finally:
        z -= 0.25
        if z < 1.6:
            raise ZeroDivisionError("no")
    return z * y


def caught_in_part(a, y):
    """An outer handler catches some of what the body raises."""
    z = 1.5
    for _ in range(2):
        try:
            try:
                if math.exp(a) <= 1.5:
                    raise KeyError(1.5)
                z = z * 0.5 + 1.5
            finally:
                z -= 0.25
                if y <= z**3 <= 2:
                    raise ZeroDivisionError("no")
        except ValueError:
            z += 1.0
    return z


def looped_in_a_finally(a, y):
    steps = 0
    try:
        if a <= 0.5:
            steps = 2
            raise KeyError(1.5)
    finally:
        for _ in range(steps):
            raise ZeroDivisionError("no")
    return y


def unbound_in_a_finally(a, y):
    try:
        if a <= 0.5:
            raise KeyError(1.5)
        z = 3.0
    finally:
        y = y + z
    return y


@pytest.mark.parametrize(
    "f", [known_in_a_finally, caught_in_part, looped_in_a_finally, unbound_in_a_finally]
)
def test_a_finally_after_an_error_that_nothing_catches(f):
    for a in (0.2, 0.8):
        for y in (0.3, 1.9, 4.0):
            assert kind_of(myia.jit(f), a, y) == kind_of(f, a, y), (a, y)


def kind_of(f, *args):
    try:
        return f(*args)
    except (KeyError, ZeroDivisionError, UnboundLocalError) as error:
        return type(error)
