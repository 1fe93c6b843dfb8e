"""Reductions of arrays of run-time size in loops: NumPy's numbers, at the cost of what is there."""

import numpy as np
import pytest

import myia
from myia.backends.reference import interpreter
from myia.backends.reference.interpreter import evaluate
from myia.ir.core import Function, walk
from myia.ir.parser import parse
from myia.ir.verifier import verify
from myia.passes.canonicalize.dce import dce
from myia.passes.run_time_sizes.valid_elements import MIN_BOUND, valid_elements
from tests.infer.driver import assert_same, inferred
from tests.passes.before_after import before_after, unchanged
from tests.program_results import finish

N = 40
X = np.linspace(-2.0, 3.0, N)
Y = np.cos(np.arange(N))
A = np.outer(X, Y) + np.eye(N)
# a > b, negative, past the end, of one element, empty, whole
STARTS = np.array([0, 3, 9, -4, 38, 5, 12, -99, 39, 0])
STOPS = np.array([7, 3, 2, -1, 60, 6, -20, 99, -39, 40])


# ----- Programs of typed IR


def masked_sum(body: str, bound: int = N) -> str:
    return f"""
func @f(%x: f64[{bound}], %y: f64[{bound}], %s: f64[]) -> f64[] {{
  %n = 9: i64[]
  %s = for %i < %n (%s = %s) bound 9 {{
    %index = iota {{shape=({bound},), axis=0, dtype=i64}}
    %end = broadcast %i {{shape=({bound},), dims=()}}
    %mask = lt %index, %end
    %zero = 0.0: f64[{bound}]
    %1 = select %mask, %x, %zero
    %2 = select %mask, %y, %zero
    {body}
    %4 = reduce_sum %3 {{axes=(0,)}}
    %s = add %s, %4
    yield %s
  }}
  return %s
}}"""


def test_a_product_of_prefixes(golden):
    golden(before_after(valid_elements, masked_sum("%3 = mul %1, %2")))


def test_short_arrays_stay():
    assert unchanged(valid_elements, masked_sum("%3 = mul %1, %2", bound=MIN_BOUND - 1))


def test_zero_times_an_infinity_is_no_zero():
    assert unchanged(valid_elements, masked_sum("%3 = mul %1, %y"))


def test_a_mask_that_is_longer_than_the_axis():
    """The length is a number of which nothing is known."""
    text = masked_sum("%3 = mul %1, %2").replace("broadcast %i", "broadcast %length")
    before = parse(text.replace("%s: f64[])", "%s: f64[], %length: i64[])"))
    after = dce(valid_elements(before))
    verify(after)
    assert inner_loops(after)
    for length in (-3, 0, 1, 39, 40, 99):
        args = [X, Y, np.float64(0.0), np.int64(length)]
        np.testing.assert_allclose(evaluate(after, args), evaluate(before, args), rtol=1e-13)


def inner_loops(function: Function) -> list:
    loops = [op for op in walk(function.region) if op.primitive.name == "loop"]
    inside = (op for loop in loops for region in loop.regions for op in walk(region))
    return [op for op in inside if op.primitive.name == "loop"]


# ----- Programs of Python


def after_pass(f, *args, fires: bool = True):
    """What `f(*args)` gives by the program after the pass; checks that it applied."""
    program, flat = inferred(f, *args)
    after = dce(valid_elements(program.function))
    verify(after)
    assert bool(inner_loops(after)) == fires
    results = evaluate(after, [np.asarray(x) for x in flat.leaves])
    return finish(program, results, flat)


def both(f, *args, rtol=1e-13):
    with np.errstate(all="ignore"):
        wanted = f(*args)
    assert_same(after_pass(f, *args), wanted, rtol)


@pytest.mark.parametrize("dtype", ["int32", "uint8", "float64"])
def test_indices_of_another_type_are_left_alone(dtype):
    def f(x, stops):
        total = 0.0
        for i in range(len(stops)):
            total += np.where(np.arange(N, dtype=stops.dtype) < stops[i], x, 0.0).sum()
        return total

    stops = np.array([0, 3, 39, 40, 99]).astype(dtype)
    assert_same(after_pass(f, X, stops, fires=False), f(X, stops), 1e-13)
    np.testing.assert_allclose(myia.jit(f)(X, stops), f(X, stops), rtol=1e-13)


def reductions(x, y, starts, stops):
    out = np.zeros((len(starts), 7))
    for i in range(len(starts)):
        a, b = starts[i], stops[i]
        out[i, 0] = x[a:b].sum()
        out[i, 1] = x[a:b] @ y[a:b]
        out[i, 2] = np.prod(x[a:b] + y[a:b])
        out[i, 3] = np.max(x[a:b], initial=0.0)
        out[i, 4] = np.min(x[a:b] * 2.0, initial=9.0)
        out[i, 5] = np.any(x[a:b] > 1.0)
        out[i, 6] = np.all(x[a:b] > 1.0) + np.count_nonzero(y[a:b] > 0)
    return out


@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "int32", "uint8", "complex128"])
def test_lengths_that_are_empty_negative_or_past_the_end(dtype):
    x, y = (np.asarray(v * 5).astype(dtype) for v in (np.abs(X), np.abs(Y)))
    if dtype == "complex128":
        both(sums_of_complex, x + 2j * y, y - 1j * x, STARTS, STOPS)
    else:
        both(reductions, x, y, STARTS, STOPS, rtol=1e-5 if dtype == "float32" else 1e-13)


def sums_of_complex(x, y, starts, stops):
    out = np.zeros(len(starts), complex)
    for i in range(len(starts)):
        out[i] = (x[starts[i] : stops[i]] * 2.0).sum() + x[: stops[i]] @ y[: stops[i]]
    return out


def autocorrelation(x, a):
    out = np.zeros(len(x) // 2)
    for i in range(len(x) // 2):
        out[i] = x[: len(x) - i] @ x[i:] + (a[i:].T @ x[i:]).sum()
    return out


def test_slices_that_are_most_of_an_array():
    both(autocorrelation, X, A)
    myia.check_grads(lambda x: (autocorrelation(x, A) ** 2).sum(), (X,), modes=("rev",))


def several_sinks_of_one_chain(x, y, n):
    out = np.zeros((len(x), 4))
    for i in range(n + 1, len(x)):
        z = np.exp(x[:i]) * y[n:i].sum()
        out[i, 0] = z.sum()
        out[i, 1] = z @ z
        out[i, 2] = (z / z.sum()).sum()
        out[i, 3] = z[::-1] @ x[:i]
    return out


def nests(a, x, n):
    out = np.zeros(len(x))
    for i in range(len(x)):
        out[i] = a[:i, n:i].sum() + a[i:, i] @ x[i:] + (x[:i] @ a[:i]).max()
        out[i] += (a[n:i] * a[n:i]).sum(axis=1).sum() + a[i, :i][n:].sum()
    return out


def read_and_written(a, x, n):
    """The array that is read is stored into by the same loop."""
    for i in range(1, len(x)):
        x[i] = (x[i] - a[i, :i] @ x[:i]) / a[i, i]
        a[i, : i - 1] = a[i, 1:i] * 2.0
        a[i, i] = a[i, :i].sum() + x[max(i - n, 0) : i].sum()
    return a.sum() + x @ x


def gathers(x, indices, starts, stops):
    out = np.zeros(len(starts))
    for i in range(len(starts)):
        out[i] = (x[indices[starts[i] : stops[i]]] * x[starts[i] : stops[i]]).sum()
    return out


def early_exit(x, n):
    total = 0.0
    for i in range(len(x)):
        if i > n and x[:i].sum() > 1.0:
            break
        total += x[i:].sum()
    return total


@pytest.mark.parametrize(
    "f, args",
    [
        (several_sinks_of_one_chain, (X, Y, 2)),
        (nests, (A, X, 3)),
        (read_and_written, (A + 9 * np.eye(N), X, 3)),
        (gathers, (X, np.arange(N) * 7 % N - 20, STARTS, STOPS)),
        (early_exit, (X, 4)),
    ],
)
def test_programs(f, args):
    copies = [np.copy(x) if isinstance(x, np.ndarray) else x for x in args]
    wanted = f(*copies)
    copies = [np.copy(x) if isinstance(x, np.ndarray) else x for x in args]
    assert_same(after_pass(f, *copies), wanted, 1e-12)


def test_elements_that_are_not_there_reach_nothing():
    x = np.where(np.arange(N) % 20 < 5, X, np.nan)
    x[17] = np.inf
    starts, stops = np.array([0, 20, 17, 3]), np.array([5, 25, 18, 3])
    both(reductions, x, np.where(np.isnan(x), np.inf, Y), starts, stops)


def test_an_index_is_checked_where_it_is_there():
    indices = np.full(N, 99)
    indices[:5] = 1
    starts, stops = np.array([0, 2]), np.array([5, 4])
    both(gathers, X, indices, starts, stops)
    with pytest.raises(IndexError):
        after_pass(gathers, X, indices, starts, stops + 3)


def outside_of_loops(x, n):
    return x[:n].sum()


def test_one_sum_outside_of_loops_is_a_masked_sum():
    assert_same(after_pass(outside_of_loops, X, 5, fires=False), X[:5].sum(), 1e-13)


# ----- Derivatives


def softmax_of_prefixes(x, n):
    total = 0.0
    for i in range(n):
        e = np.exp(x[: i + 1] * x[i])
        total += e @ x[: i + 1] / np.sum(e)
    return total


def softmax_of_lengths(x, lengths):
    total = 0.0
    for n in lengths:
        e = np.exp(x[: n + 1] * x[n])
        total += e @ x[: n + 1] / np.sum(e)
    return total


def test_elementary_functions_masked_by_an_index_of_a_loop_stay_a_vector():
    got = after_pass(softmax_of_prefixes, X, 30, fires=False)
    assert_same(got, softmax_of_prefixes(X, 30), 1e-13)
    both(softmax_of_lengths, X, np.arange(30) % 7)


def objective(v, x, columns, starts):
    total = 0.0
    for i in range(len(starts) - 1):
        a, b = starts[i], starts[i + 1]
        total += np.tanh(v[a:b] @ x[columns[a:b]]) * np.max(x[a : b + 1]) + np.prod(x[a:b])
    return total


def solve(a, b):
    x = np.zeros(len(b))
    for i in range(len(b)):
        x[i] = (b[i] - a[i, :i] @ x[:i]) / a[i, i]
    return x @ x


STARTS_OF_ROWS = np.array([0, 3, 3, 11, 12, 40])


def test_derivatives_of_a_triangular_solve():
    myia.check_grads(solve, (A + 20 * np.eye(N), Y), modes=("rev",))


@pytest.mark.slow
@pytest.mark.parametrize("order", [1, 2])
def test_derivatives(order):
    columns = np.arange(N) * 3 % N
    myia.check_grads(
        lambda v, x: objective(v, x, columns, STARTS_OF_ROWS), (X, Y + 2.0), order=order
    )
    myia.check_grads(solve, (A + 20 * np.eye(N), Y), order=order)


def tied(x):
    total = 0.0
    for i in range(1, len(x)):
        total += np.max(x[:i])
    return total


def test_ties_share_a_derivative_evenly():
    found = myia.grad(tied)(np.zeros(N))
    wanted = sum(np.where(np.arange(N) < i, 1 / i, 0.0) for i in range(1, N))
    np.testing.assert_allclose(found, wanted, rtol=1e-12)


# ----- What it costs


def product(starts, columns, v, x):
    y = np.zeros(len(starts) - 1)
    for i in range(len(starts) - 1):
        y[i] = v[starts[i] : starts[i + 1]] @ x[columns[starts[i] : starts[i + 1]]]
    return y


def computed_elements(monkeypatch, f, *args) -> int:
    """How many elements the ops in inner loops compute, and others of the size of an axis."""
    program, flat = inferred(f, *args)
    after = dce(valid_elements(program.function))
    count, original = [0], interpreter._evaluate_op

    def counting(op, env):
        results = original(op, env)
        if not op.regions and op.primitive.name != "dynamic_update_slice":
            count[0] += sum(np.size(y) for y in results)
        return results

    with monkeypatch.context() as patch:
        patch.setattr(interpreter, "_evaluate_op", counting)
        evaluate(after, [np.asarray(x) for x in flat.leaves])
    return count[0]


def test_cost_is_proportional_to_the_sum_of_lengths(monkeypatch):
    """Rows of another length, in an array of the same capacity and in a longer one."""

    def cost(row: int, capacity: int) -> int:
        starts = np.arange(21) * row
        numbers, columns = np.ones(capacity), np.arange(capacity) % N
        return computed_elements(monkeypatch, product, starts, columns, numbers, X)

    none, some, more = (cost(row, 400) for row in (0, 5, 10))
    assert more - some == some - none > 0
    assert cost(10, 4000) == more


def test_bits_do_not_depend_on_the_capacity():
    rng = np.random.default_rng(0)
    starts, columns = np.cumsum([0, 3, 17, 0, 8, 60]), rng.integers(0, N, 88)
    v = rng.normal(size=88)

    def padded(x, n):
        return np.concatenate([x, np.zeros(n, x.dtype)])

    f = myia.jit(product)
    found = {f(starts, padded(columns, n), padded(v, n), X).tobytes() for n in (0, 1000)}
    assert len(found) == 1


@pytest.mark.parametrize("reduced", [np.sum, lambda x: x @ x], ids=["sum", "product"])
def test_short_floats_are_added_in_float32(reduced):
    """One by one, the sum of ones in float16 ends at 2,048."""

    def f(x):
        sums = np.zeros_like(x)
        for i in range(len(x)):
            sums[i] = reduced(x[:i])
        return sums

    found = myia.jit(f)(np.ones(3_000, np.float16))
    np.testing.assert_array_equal(found, np.arange(3_000).astype(np.float16))
