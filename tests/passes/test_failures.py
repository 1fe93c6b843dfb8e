"""Loops that only look for the first failure ask first whether there is one."""

import numpy as np
import pytest
from before_after import before_after, unchanged

import myia
from myia.backends.reference.interpreter import evaluate
from myia.ir.core import walk
from myia.ir.parser import parse
from myia.ir.verifier import verify
from myia.passes.failures import ask_first
from myia.primitives.structured import loop_p

# Of each element: is it 1 (error 7), less than 0 (error 8), 1 again (error 9)?
SEARCH = """
func @f(%x: f64[29], %n: i64[], %start: i32[]) -> i32[] {
  %s = for %k < %n (%s0 = %start) bound 29 {
    %zero = 0: i32[]
    %7 = 7: i32[]
    %8 = 8: i32[]
    %9 = 9: i32[]
    %a = dynamic_slice %x, %k {sizes=(1,)}
    %b = reshape %a {shape=()}
    %one = 1.0: f64[]
    %low = 0.0: f64[]
    %p = eq %b, %one
    %q = lt %b, %low
    %is0 = eq %s0, %zero
    %p0 = and %p, %is0
    %s1 = select %p0, %7, %s0
    %is1 = eq %s1, %zero
    %q1 = and %q, %is1
    %s2 = select %q1, %8, %s1
    %is2 = eq %s2, %zero
    %p2 = and %p, %is2
    %s3 = select %p2, %9, %s2
    yield %s3
  }
  return %s
}"""


def test_the_first_of_three_failures(golden):
    golden(before_after(ask_first, SEARCH))


def test_what_asks_is_not_asked_again():
    once = ask_first(parse(SEARCH))
    assert ask_first(once) is once


@pytest.mark.parametrize("change", [
    ("eq %s1, %zero", "eq %s0, %zero"),  # another state than the one that is kept
    ("and %q, %is1", "or %q, %is1"),
    ("select %q1, %8, %s1", "select %q1, %s1, %8"),
    ("eq %s2, %zero", "eq %s2, %7"),
    ("eq %b, %one", "eq %s0, %zero"),  # what is asked depends on what was found
    ("bound 29", "bound 9"),  # so few trips are not worth it
    ("dynamic_slice %x, %k", "dynamic_slice %x, %n"),  # the same in all trips
])  # fmt: skip
def test_other_loops_stay(change):
    assert change[0] in SEARCH
    assert unchanged(ask_first, SEARCH.replace(*change))


@pytest.mark.parametrize("start", [0, 5])
def test_the_first_failure_is_found(start):
    before = parse(SEARCH)
    after = ask_first(before)
    verify(after)
    rng = np.random.default_rng(0)
    for n in (-1, 0, 1, 8, 28, 29):
        for failures in (0, 1, 2, 9):
            x = rng.uniform(2, 3, 29)
            x[rng.integers(0, 29, failures)] = rng.choice([1.0, -1.0, np.nan], failures)
            args = [x, np.int64(n), np.int32(start)]
            assert evaluate(after, args) == evaluate(before, args)


# ----- Programs


def shares(x, bins):
    for i in range(len(x)):
        place = (x[i] - 0.5) * 8
        cell = int(place)
        bins[cell] += 1.0 - place
        bins[cell + 1] += place * x[i]
    return (np.arange(9.0) * bins).sum()  # the adjoint needs nothing of the primal


def rows(x, bins):
    for row in range(3):
        for i in range(len(x)):
            bins[int(x[i] * 8) - row] += x[i] * x[i]
    return (np.arange(9.0) * bins).sum()  # the adjoint needs nothing of the primal


def guarded(x, bins):
    for i in range(len(x)):
        if x[i] > 0.25:
            bins[int(8 * x[i])] += x[i] * x[i]
    return (np.arange(9.0) * bins).sum()  # the adjoint needs nothing of the primal


# What fails in each: nothing (once with a negative index), an index, NaN, infinity, two of them.
FAILURES = [
    {},
    {0: -0.4},
    {20: 7.0},
    {3: 7.0},
    {20: np.nan},
    {7: np.inf, 6: np.nan},
    {6: np.inf, 7: np.nan},
    {2: -9.0, 19: np.nan},
    {8: np.nan, 20: -np.inf},
]


def in_python(f, x):
    """The value of `f`, or the type of the error that it raises, and the line."""
    try:
        return f(x, np.zeros(9))
    except (ValueError, OverflowError, IndexError) as error:
        return type(error), error.__traceback__.tb_next.tb_lineno


def by_differences(f, x):
    h = 1e-6
    steps = h * np.eye(len(x))
    return np.array([(in_python(f, x + d) - in_python(f, x - d)) / (2 * h) for d in steps])


@pytest.mark.parametrize("f", [shares, rows, guarded])
def test_gradients_and_the_errors_of_python(f):
    gradient = myia.grad(f)
    for failures in FAILURES:
        x = 0.55 + 0.3 * np.arange(21) / 21 + 0.003
        for i, value in failures.items():
            x[i] = value
        expected = in_python(f, x)
        if isinstance(expected, tuple):
            error, line = expected
            with pytest.raises(error, match=rf"test_failures\.py:{line}\b"):
                gradient(x, np.zeros(9))
        else:
            np.testing.assert_allclose(
                gradient(x, np.zeros(9)), by_differences(f, x), rtol=1e-6, atol=1e-6
            )


def test_no_trips():
    assert myia.grad(shares)(np.zeros(0), np.zeros(9)).shape == (0,)


def test_checks_of_a_gradient_are_asked_eight_at_a_time():
    program = parse(myia.grad(shares).ir(np.ones(24), np.zeros(9))["finish"])
    counts = [op.params["bound"] for op in walk(program.region) if op.primitive is loop_p]
    assert counts == [3, 24, 3]
