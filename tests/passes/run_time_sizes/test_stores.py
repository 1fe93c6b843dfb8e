"""Stores into run-time slices in loops: NumPy's arrays, at the cost of what is stored."""

import numpy as np
import pytest

import myia
from myia.backends.reference.interpreter import evaluate
from myia.ir.parser import parse
from tests.infer.driver import assert_same
from tests.passes.before_after import before_after
from tests.passes.run_time_sizes.test_valid_elements import (
    STARTS,
    STOPS,
    A,
    N,
    X,
    Y,
    after_pass,
    computed_elements,
    valid_elements,
)

STORE = """
func @f(%a: f64[90], %b: f64[90], %ends: i64[9]) -> f64[90] {
  %n = 9: i64[]
  %0 = 0: i64[]
  %a = for %i < %n (%a = %a) bound 9 {
    %end = dynamic_slice %ends, %i {sizes=(1,)}
    %end = reshape %end {shape=()}
    %end = max %end, %0
    %limit = 90: i64[]
    %end = min %end, %limit
    %index = iota {shape=(90,), axis=0, dtype=i64}
    %ends.1 = broadcast %end {shape=(90,), dims=()}
    %mask = lt %index, %ends.1
    %1 = mul %OTHER, %b
    %2 = select %mask, %1, %a
    %a = dynamic_update_slice %a, %2, %0
    yield %a
  }
  return %a
}"""


def test_a_prefix_is_rewritten(golden):
    golden(before_after(valid_elements, STORE.replace("%OTHER", "%a")))


def loops_after(text: str) -> int:
    return before_after(valid_elements, text).count(" = for ") - 2


def test_what_a_loop_would_have_overwritten_is_not_read():
    assert loops_after(STORE.replace("%OTHER", "%a")) == 1
    flipped = STORE.replace("%1 = mul", "%f = flip %a {axes=(0,)}\n    %1 = mul")
    assert loops_after(flipped.replace("%OTHER", "%f")) == 0
    older = STORE.replace("%1 = mul", "%o = dynamic_update_slice %a, %b, %0\n    %1 = mul")
    assert loops_after(older.replace("%OTHER, %b", "%a, %b").replace("%1, %a", "%1, %o")) == 0


def test_what_later_iterations_overwrite_is_read():
    shifts = [("high=(1,)", "low=(0,)", "1", "90", 1), ("high=(0,)", "low=(1,)", "0", "89", 0)]
    for high, low, start, limit, wanted in shifts:
        text = (
            STORE.replace("%limit = 90", "%limit = 89")
            .replace("%OTHER", "%p")
            .replace(
                "%1 = mul",
                f"""%s = slice %a {{limit=({limit},), start=({start},), stride=(1,)}}
    %zero = 0.0: f64[]
    %p = pad %s, %zero {{{high}, interior=(0,), {low}}}
    %1 = mul""",
            )
        )
        assert loops_after(text) == wanted
        before = parse(text)
        args = [np.linspace(-2.0, 3.0, 90), np.cos(np.arange(90.0)), np.arange(9) * 17 - 20]
        (found,), (old,) = evaluate(valid_elements(before), args), evaluate(before, args)
        np.testing.assert_array_equal(found, old)


def test_a_length_that_is_an_index_stays_masked():
    text = STORE.replace("%ends.1 = broadcast %end", "%ends.1 = broadcast %i")
    assert loops_after(text.replace("%OTHER", "%a")) == 0


# ----- Programs of Python


def stored(x, y, starts, stops):
    for i in range(len(starts)):
        a, b = starts[i], stops[i]
        x[a:b] *= y[a:b] + x[a:b].sum() * 0
        y[a:b] = x[i]
        x[a:b] += i
    return x, y


def shifted(x, starts, stops):
    """The array that is written is read ahead, behind, and backwards."""
    for i in range(len(starts)):
        a, b = max(starts[i], 1), max(min(stops[i], len(x) - 1), 1)
        x[a:b] = x[a + 1 : b + 1] * 0.5
        x[a:b] = x[a - 1 : b - 1] + 1.0
        x[a:b] = x[a:b][::-1] * 0.5
        x[a:b] = x[a - 1 : b - 1] * x[a + 1 : b + 1] + x[0]
    return x


def rows_and_columns(m, x, starts, stops):
    for i in range(1, len(starts)):
        a, b = starts[i], stops[i]
        m[i, a:b] += m[i - 1, a:b] * x[a:b]
        m[a:b, i] = m[a:b, i - 1] - m[i, a:b]
        m[a:b] *= 0.5
        m[a:b, 3:5] = 1.5
    return m


def windows(x, y, centres):
    total = np.zeros(len(x))
    for i in range(len(centres)):
        a, b = np.searchsorted(x, centres[i] - 0.5), np.searchsorted(x, centres[i] + 0.5)
        w = 1.0 - np.abs(x[a:b] - centres[i])
        total[a:b] += w * y[a:b] / (w.sum() + 1.0)
    return total


def copies(args):
    return [np.copy(x) if isinstance(x, np.ndarray) else x for x in args]


@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "complex128"])
def test_dtypes(dtype):
    args = [(v * 3).astype(dtype) for v in (X, Y)]
    with np.errstate(all="ignore"):
        wanted = stored(*copies(args), STARTS, STOPS)
    found = after_pass(stored, *copies(args), STARTS, STOPS)
    assert_same(found, wanted, 1e-5 if dtype == "float32" else 1e-12)


@pytest.mark.parametrize(
    "f, args",
    [
        (rows_and_columns, (A, X, STARTS, STOPS)),
        (windows, (X, Y, np.linspace(-2.5, 3.5, 9))),
    ],
)
def test_programs(f, args):
    wanted = f(*copies(args))
    assert_same(after_pass(f, *copies(args)), wanted, 1e-12)


def test_shifted_slices_of_one_array():
    wanted = shifted(*copies((X, STARTS, STOPS)))
    assert_same(after_pass(shifted, *copies((X, STARTS, STOPS)), fires=False), wanted, 1e-12)


def test_elements_that_are_not_there_reach_nothing():
    x = np.where(np.arange(N) % 20 < 5, X, np.nan)
    starts, stops = np.array([0, 20, 3]), np.array([5, 25, 3])
    args = x, np.where(np.isnan(x), np.inf, Y)
    wanted = stored(*copies(args), starts, stops)
    assert_same(after_pass(stored, *copies(args), starts, stops), wanted, 1e-12)


def normalized(starts, v, x):
    v = v.copy()
    for i in range(len(starts) - 1):
        a, b = starts[i], starts[i + 1]
        v[a:b] = v[a:b] * x[i] / (v[a:b].sum() + 9.0)
    return v


def test_derivatives():
    starts = np.array([0, 3, 3, 11, 12, 40])
    myia.check_grads(lambda v, x: (normalized(starts, v, x) ** 2).sum(), (X, Y), modes=("rev",))


def test_cost_is_proportional_to_the_sum_of_lengths(monkeypatch):
    def cost(row: int, capacity: int) -> int:
        starts = np.arange(21) * row
        once = computed_elements(monkeypatch, normalized, starts, np.ones(capacity), X)
        return once - computed_elements(monkeypatch, copied, np.ones(capacity))

    none, some, more = (cost(row, 400) for row in (0, 5, 10))
    assert more - some == some - none > 0
    assert cost(10, 4000) == more


def copied(v):
    return v.copy()
