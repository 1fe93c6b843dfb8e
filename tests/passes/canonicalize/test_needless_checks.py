"""Checks that cannot fail are gone from loops, and those that can are made."""

import numpy as np
import pytest

import myia
from myia.ir.parser import parse
from myia.ir.printer import to_text
from myia.passes.canonicalize.dce import dce
from myia.passes.canonicalize.needless_checks import needless_checks
from tests.passes.before_after import before_after, unchanged

COUNTER = """
func @f(%x: f64[]) -> i64[], i32[] checks ('OverflowError') {
  %0 = START: i64[]
  %e0 = 0: i32[]
  %n, %y, %e = while (%n = %0, %y = %x, %e = %e0) {
    cond {
      %1 = 1.0: f64[]
      %2: bool[] = gt %y, %1
      %3 = 0: i32[]
      %4: bool[] = eq %e, %3
      %5: bool[] = and %2, %4
      yield %5
    }
    body {
      %6 = STEP: i64[]
      %7: i64[] = add %n, %6
      %8: i64[] = xor %n, %7
      %9: i64[] = xor %6, %7
      %10: i64[] = and %8, %9
      %11 = 0: i64[]
      %12: bool[] = lt %10, %11
      %13 = 0: i32[]
      %14: bool[] = eq %e, %13
      %15: bool[] = and %12, %14
      %16 = 1: i32[]
      %17: i32[] = select %15, %16, %e
      %18 = 0.5: f64[]
      %19: f64[] = mul %y, %18
      yield %7, %19, %17
    }
  }
  return %n, %e
}"""


def counter(start, step):
    return COUNTER.replace("START", str(start)).replace("STEP", str(step))


def test_counter(golden):
    golden(before_after(needless_checks, counter(0, 1)))


@pytest.mark.parametrize("start, step", [(2**63 - 1, 1), (0, 2**40), (-(2**63), -1)])
def test_counters_that_may_overflow(start, step):
    assert unchanged(needless_checks, counter(start, step))


def test_tests_of_overflow_in_a_program_that_raises_nothing():
    """As under `vmap`."""
    text = counter(0, 1).replace(" checks ('OverflowError')", "")
    assert " xor " in text
    assert " xor " not in to_text(dce(needless_checks(parse(text))))
    assert unchanged(needless_checks, text.replace(" xor ", " sub "))


LIMIT = """\
      %1 = 200: i64[]
      %2: bool[] = lt %n, %1
      %6 = 1.0: f64[]
      %7: bool[] = gt %y, %6
      %no = False: bool[]
      %yes = True: bool[]
"""


@pytest.mark.parametrize(
    ("both", "proven"),
    [
        ("select %2, %7, %2", True),
        ("select %7, %2, %7", True),
        ("select %2, %7, %no", True),
        ("select %7, %2, %no", True),
        ("select %2, %no, %7", False),
        ("select %2, %7, %yes", False),
        ("select %2, %2, %7", False),
        ("select %7, %7, %2", False),
        ("select %2, %7, %7", False),
    ],
)
def test_a_limit_under_another_condition(both, proven):
    """`n < 200 and y > 1`, and what is no `and`."""
    start, end = COUNTER.index("      %1 = 1.0"), COUNTER.index("      %3 = 0: i32[]\n      %4")
    text = COUNTER[:start] + LIMIT + f"      %8: bool[] = {both}\n" + COUNTER[end:]
    text = text.replace("and %2, %4", "and %8, %4")
    text = text.replace("START", "0").replace("STEP", str(2**40))
    assert unchanged(needless_checks, text) != proven


LATER = """
func @f(%k: i64[]) -> i64[], i32[] checks ('IndexError', 'OverflowError') {
  %1 = 100: i64[]
  %2: bool[] = ge %k, %1
  %3 = 1: i32[]
  %4 = 0: i32[]
  %e = select %2, %3, %4
  %5 = 1: i64[]
  %n: i64[] = add %k, %5
  %6: i64[] = xor %k, %n
  %7: i64[] = xor %5, %n
  %8: i64[] = and %6, %7
  %9 = 0: i64[]
  %10: bool[] = lt %8, %9
  %11: bool[] = eq %e, %4
  %12: bool[] = and %10, %11
  %13 = 2: i32[]
  %14: i32[] = select %12, %13, %e
  return %n, %14
}""".replace(
    "%e = select %2", "%15: bool[] = eq %before, %4\n  %16 = and %2, %15\n  %e = select %16"
)
LATER = LATER.replace("%3, %4\n  %5", "%3, %before\n  %5").replace(
    "[]) ->", "[], %before: i32[]) ->"
)


def test_an_earlier_check_excludes_a_later_one():
    """Where `k >= 100` has not failed, `k + 1` does not overflow."""
    assert " xor " not in to_text(dce(needless_checks(parse(LATER))))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("ge %k", "le %k"),  # it says nothing about large numbers
        ("%3 = 1: i32[]", "%3 = 0: i32[]"),  # not the number of a check
        ("eq %e, %4", "eq %before, %4"),  # not of what the earlier check gave
        ("eq %e, %4", "eq %e, %3"),  # the later one counts where the earlier failed
        ("and %2, %15", "and %2, %2"),  # not a check: it may replace an error
        ("eq %before, %4", "eq %before, %3"),
        ("and %10, %11", "or %10, %11"),
    ],
)
def test_what_does_not_exclude_it(old, new):
    assert old in LATER
    assert " xor " in to_text(dce(needless_checks(parse(LATER.replace(old, new)))))


def neighbours(xs, x):
    k = int(x)
    return xs[k] + xs[k + 1]


def neighbours_in_a_try(xs, x):
    k = int(x)
    try:
        return xs[k] + xs[k + 1]
    except IndexError:
        return xs[-1]


@pytest.mark.parametrize("f", [neighbours, neighbours_in_a_try])
@pytest.mark.parametrize("x", [3.0, -5.0, -6.0, 4.0, 5.0, 2.0**63 - 1024.0, -(2.0**62)])
def test_after_an_access_the_next_index_does_not_overflow(f, x):
    compiled, xs = myia.jit(f), np.arange(5.0)
    try:
        expected = f(xs, x)
    except IndexError:
        with pytest.raises(IndexError):
            compiled(xs, x)
    else:
        assert compiled(xs, x) == expected
    assert " xor " not in compiled.ir(xs, x)["finish"]


def steps(x):
    n, i = 0, 0
    while x > 1.0:
        if i == 3:
            x, i = x / 3.0, 0
            continue
        x, i, n = x / 2.0, i + 1, n + 1
    return n, i, x


def bisection(xs, x):
    lo, hi = 0, len(xs)
    while lo < hi:
        mid = (lo + hi) // 2
        if xs[mid] < x:
            lo = mid + 1
        else:
            hi = mid
    return lo


def powers(x):
    n, total = 0, 0
    while x > 1.0:
        n = (n + 1) % 50
        total = n**3 + n * n - abs(-n)
        x = x / 2.0
    return total


def counters_in_a_nest(x):
    n, i = 0, 0
    while i < 3 and x > -9.0:
        i, j = i + 1, 0
        while j < 3 and x > -8.0:
            j, k = j + 1, 0
            while k < 3 and x > -7.0:
                k, n, x = k + 1, n + 1, x - 0.1
    return n, x


def doubling(x):
    n = 1
    while x > 1.0:
        n, x = n * 2, x / 2.0
    return n


def selects_an_error(text):
    return ": i32[] = select" in text


@pytest.mark.parametrize(
    "f, args",
    [
        (steps, (1e9,)),
        (steps, (0.5,)),
        (powers, (1e30,)),
        (counters_in_a_nest, (1.0,)),
        (bisection, (np.arange(50.0), 17.5)),
        (bisection, (np.arange(50.0), -1.0)),
        (bisection, (np.arange(50.0), 99.0)),
        (bisection, (np.zeros(0), 1.0)),
    ],
)
def test_proven_in_programs(f, args):
    compiled = myia.jit(f)
    assert compiled(*args) == pytest.approx(f(*args), rel=1e-12)
    assert not selects_an_error(compiled.ir(*args)["finish"])


def test_what_overflows_raises():
    compiled = myia.jit(doubling)
    assert compiled(1e9) == doubling(1e9)
    assert selects_an_error(compiled.ir(1e9)["finish"])
    with pytest.raises(OverflowError):
        compiled(1e25)


def argmin(gradient, f, x):
    """Gradient descent whose step is found by trial: it counts the steps that it accepts."""
    g = gradient(f)
    fx, gx, eta, i = f(x), g(x), 0.1, 0
    while abs(gx) > 1e-3:
        if i == 10:
            eta, i = 2 * eta, 0
            continue
        new = x - eta * gx
        if abs(x - new) <= 1e-5:
            break
        f_new = f(new)
        if f_new < fx:
            x, fx, gx, i = new, f_new, g(new), i + 1
        else:
            eta, i = eta / 2, 0
    return x


def nested(x):
    """The inner problem is solved for its value and for its derivative."""

    def f(p, q):
        return p * p + (q - 1.0) ** 2

    def best(p):
        return f(p, argmin(myia.grad, lambda q: f(p, q), 0.5))

    return argmin(myia.grad, best, x)


def test_equal_loops_are_one():
    text = myia.jit(nested).ir(1.0)["finish"]
    assert not selects_an_error(text)
    # The outer loop, and the inner one at its start and in its iterations.
    assert text.count("= while (") == 3


def test_comparisons_of_powers():
    """No tests of overflow, but comparisons with constants as those are."""

    def f(x, n):
        for i in range(n[0]):
            y = float(i % 1000)
            x += float(y**1.5 >= 5000.0) + 0.5 * float(y**0.7 >= 100.0)
        return x

    n = np.array([1000])
    assert myia.jit(f)(0.0, n) == f(0.0, n) > 0.0


def test_integers_that_are_infinite_in_narrow_floats():
    def f(x, n):
        for i in range(n[0]):
            x += float(np.float16(i % 100 * 1000) >= np.float16(np.inf))
        return x

    n = np.array([100])
    with np.errstate(over="ignore"):
        expected = f(0.0, n)
    assert myia.jit(f)(0.0, n) == expected == 34.0
