"""`try`: what is caught, what it costs, what leaves a program."""

import math
import re

import numpy as np
import pytest

import myia
from myia.ir.equality import same
from myia.ir.parser import parse
from tests.fuzz.run import run_seed


class Rejected(Exception):
    def __init__(self, value, why="no"):
        super().__init__(f"rejected: {why}")
        self.value = value


def final(f, *args):
    return myia.jit(f).ir(*args)["finish"]


def plain(x, a):
    total = 0.0
    for i in range(3):
        a[i] = a[i] * x
        total += a[i]
    return total


def in_a_try(x, a):
    total = 0.0
    try:
        for i in range(3):
            a[i] = a[i] * x
            total += a[i]
    except (KeyError, Rejected):
        total = -1.0
    finally:
        pass
    return total


def test_a_body_that_cannot_raise_costs_nothing():
    args = 2.0, np.ones(3)
    one, other = (final(f, *args).replace(f.__name__, "f") for f in (plain, in_a_try))
    assert same(*(parse(text.split("\n#")[0]) for text in (one, other)))


def reading(x):
    try:
        if x > 1.0:
            raise Rejected(x * 2.0, why="high")
        if x < -1.0:
            raise ValueError("low", x)
    except Rejected as e:
        return e.value * len(e.args), str(e) == "rejected: high", isinstance(e, Rejected)
    except ValueError as error:
        return error.args[1], error.args[0] == "low", isinstance(error, LookupError)
    return x, False, True


@pytest.mark.parametrize("x", [0.5, 2.0, -3.0])
def test_what_a_handler_sees(x):
    assert myia.jit(reading)(x) == reading(x)


def leaving(x, a):
    try:
        a[0] = 7.0
        if x > 2.0:
            raise Rejected(x)
        if x > 1.0:
            raise KeyError("k")
        a[int(x)] = 1.0
    except KeyError as e:
        raise ValueError("from", x) from e
    finally:
        a[1] = 2.0
    return x


@pytest.mark.parametrize(
    ("x", "error", "args"),
    [
        (3.0, Rejected, ("rejected: no",)),
        (1.5, ValueError, ("from", 1.5)),
        (-9.0, IndexError, ("index -9 is out of bounds for axis 0 with size 3",)),
    ],
)
def test_what_leaves_a_program(x, error, args):
    a = np.zeros(3)
    with pytest.raises(error) as info:
        myia.jit(leaving)(x, a)
    assert info.value.args == args
    assert "test_handlers.py" in info.value.__notes__[0]
    assert isinstance(info.value.__cause__, KeyError) == (error is ValueError)
    assert not a.any()  # a call that fails changes nothing


def uncaught_then_caught(x, n):
    try:
        try:
            if x > 0:
                raise ArithmeticError("first")
        except Rejected:
            x = 7.0
        if n == 2:  # known while compiling: from here on the error is certain
            raise KeyError(1)
    except KeyError:
        x += 3.0
    return x


def test_an_error_that_nothing_catches_is_the_first():
    """A later one, which would be caught, is not reached."""
    program = myia.jit(uncaught_then_caught)
    with pytest.raises(ArithmeticError, match="first"):
        program(1.0, 2)
    assert program(-1.0, 2) == 2.0
    assert program(-1.0, 3) == -1.0


def uncaught_before_a_loop(x, k):
    """The comprehension is unrolled: it begins where only errors that nothing catches are known."""
    for i in range(2):
        try:
            rows = [[int(x[i])] for _ in range(2)]
            if x[i] <= k:
                raise IndexError("k", i)
        except ValueError:
            rows = [[7], [8]]
        k -= rows[1][0] * 0.5
    return k


@pytest.mark.parametrize("x", [(0.1, 2.0), (2.0, 0.1), (0.1, 0.2), (3.0, 4.0), (np.nan, 1.0)])
def test_an_error_that_nothing_catches_is_kept_in_later_loops(x):
    x, outcomes = np.array(x), []
    for f in (uncaught_before_a_loop, myia.jit(uncaught_before_a_loop)):
        try:
            outcomes.append(f(x, 0.15))
        except IndexError as error:
            outcomes.append(error.args)
    assert outcomes[0] == outcomes[1]


def of_floats(x):
    found = []
    for f in (
        lambda: 1.0 / x,
        lambda: x**-2,
        lambda: math.log(x),
        lambda: math.sqrt(x - 1.0),
        lambda: math.exp(1000.0 * x),
        lambda: 10.0 // x + 10.0 % x,
        lambda: (x + 1e200) ** 2,
    ):
        try:
            found.append(f())
        except ZeroDivisionError:
            found.append(-1.0)
        except OverflowError:
            found.append(-2.0)
        except ValueError:
            found.append(-3.0)
    return found


@pytest.mark.parametrize("x", [0.0, 0.5, 2.0, -1.0])
def test_floats_raise_where_a_handler_may_catch(x):
    np.testing.assert_allclose(myia.jit(of_floats)(x), of_floats(x), rtol=1e-14)


def uncaught(x):
    try:
        return 1.0 / x
    except KeyError:
        return 0.0


def test_floats_do_not_raise_elsewhere():
    assert myia.jit(uncaught)(0.0) == math.inf


def newton(x, n):
    for _ in range(n):
        try:
            x = x - (x**3 - x) / (3.0 * x**2 - 1.0 if x != 0.25 else 0.0)
        except ZeroDivisionError:
            x = 2.0 * x + 1.0
    return x


@pytest.mark.parametrize("x", [0.25, 0.9, 3.0])
def test_derivatives_are_those_of_the_path_taken(x):
    h = 1e-6
    expected = (newton(x + h, 3) - newton(x - h, 3)) / (2 * h) if x != 0.25 else None
    if expected is None:  # its first step is that of the handler, whose derivative is 2
        expected = 2.0 * (newton(1.5 + h, 2) - newton(1.5 - h, 2)) / (2 * h)
    assert myia.grad(newton)(x, 3) == pytest.approx(expected, rel=1e-6, abs=1e-9)
    if x != 0.25:
        slope = (myia.grad(newton)(x + h, 3) - myia.grad(newton)(x - h, 3)) / (2 * h)
        assert myia.grad(myia.grad(newton))(x, 3) == pytest.approx(slope, rel=1e-5, abs=1e-8)


def storing(x, a):
    n, found, values = int(x), 0, [1.0, 2.0, 3.0]
    try:
        a[0] += 1.0
        a[n] = 7.0
    except IndexError:
        found += 1
    try:
        a[[1, n]] = x
    except IndexError:
        found += 1
    try:
        assert n < 3
        found += 10
        values[0] = values.pop(n)
    except AssertionError:
        found += 100
    b = a.astype(int)
    try:
        b[0] = x
        b[1] = x * np.inf
    except OverflowError:
        found += 1000
    try:
        values[n] = 5.0
    except IndexError:
        found += 10000
    return found, len(values), sum(values), b.sum()


@pytest.mark.parametrize("x", [2.5, 4.5])
def test_a_store_that_raises_changes_nothing(x):
    a, b = np.ones(3), np.ones(3)
    assert myia.jit(storing)(x, a) == storing(x, b)
    np.testing.assert_array_equal(a, b)


class Leaves:
    def __init__(self):
        self.count = 0

    def __enter__(self):
        return self

    def __exit__(self, *exception):
        self.count += 1


def with_context(x):
    c = Leaves()
    for k in range(3):
        try:
            with c:
                if k * x > 1.0:
                    raise ValueError
                x += 0.5
        except ValueError:
            x -= 0.25
    return x * c.count


@pytest.mark.parametrize("x", [0.1, 1.0])
def test_contexts_are_left(x):
    assert myia.jit(with_context)(x) == with_context(x)


def bare(x):
    if x > 0:
        raise
    return x


def test_refused():
    with pytest.raises(RuntimeError, match="No active exception to reraise"):
        myia.jit(bare)(1.0)


@pytest.mark.parametrize("seed", range(8))
def test_random_programs(seed):
    report = run_seed(seed, only=("try", "raise, assert", "what Python's floats and indices raise"))
    assert report.refused or report.counts["values"]


def quotient(a, n):
    return a // n


def remainder(a, n):
    return a % n


def fraction(a, n):
    return a / n


@pytest.mark.parametrize("f", [quotient, remainder, fraction])
def test_messages_of_divisions_by_zero(f):
    """Each operator has its own, which depends on Python's version."""
    compiled = myia.jit(f)
    for a in range(5):  # the fourth time they are arguments of the program
        with pytest.raises(ZeroDivisionError) as wanted:
            f(a, 0)
        with pytest.raises(ZeroDivisionError, match=re.escape(str(wanted.value))):
            compiled(a, 0)
