"""Equal loops become one: values and derivatives of programs, and random programs."""

import numpy as np
import pytest

import myia
from myia.backends.reference.interpreter import evaluate
from myia.ir.printer import to_text
from myia.ir.verifier import verify
from myia.passes.loops import rerolling as module
from myia.passes.loops.isomorphic_ops import Isomorphism
from myia.passes.loops.rerolling import rerolling
from myia.pipeline import Options
from tests.passes.before_after import before_after, unchanged
from tests.passes.random_ir import arguments, identical
from tests.passes.repeated_calls import repeated_calls
from tests.passes.test_with_derivatives import check, derived, floats

X, W = np.linspace(0.5, 1.2, 5), np.linspace(0.9, 0.3, 5)
OFF = Options(disable=frozenset({"rerolling"}))


def step(x, w):
    for _ in range(4):
        x = np.sin(x * w) + 0.5 * x
    return x


def running_sum(x, w, decay):
    y = np.zeros(5)
    s = 0.0
    for i in range(5):
        s = s * decay + np.sin(x[i] * w[i])
        y[i] = s
    return y


def in_place(y, x, factor):
    for i in range(1, 5):
        y[i] += y[i - 1] * x[i] * factor


def newton(a):
    y = a
    while abs(y * y - a) > 1e-12:
        y = 0.5 * (y + a / y)
    return y


def chain(x, w):
    x = step(x, w) + 0.1
    x = step(x, w) + 0.2
    x = step(x, w) + 0.4
    x = step(x, w) + 0.8
    x = step(x, w)
    return x.sum()


def independent(x, w):
    a, b, c = step(x, w), step(x * 2, w + 1), step(x - 1, w)
    d, e = step(np.cos(x), w), step(x, w * w)
    return (a * b).sum() + np.sin(c).sum() - (d * e).sum()


def accumulated(x, w):
    total = 0.0
    for factor in (0.1, 0.7, 0.3, 0.2, 0.9, 1.5):
        total = total + step(x * factor, w).sum()
    return total


def literals(x, w):
    x = running_sum(x, w, 0.1)
    x = running_sum(x, w, 0.2)
    x = running_sum(x, w, 0.7)
    x = running_sum(x, w, -0.4)
    return x.sum()


def collected(x, w):
    out = []
    for v in [w, w * 2, w + 1, w - 1, w * w, np.cos(w)]:
        x = step(x, v)
        out.append(x)
    return np.stack(out).sum(0) @ x


def mutated(x, w):
    y = x.copy()
    z = y
    in_place(y, w, 0.1)
    in_place(z, w, 0.2)
    in_place(y, w, 0.3)
    in_place(z, w, 0.4)
    return z.sum()


def rows(x, w):
    table = np.zeros((6, 5))
    table[0] = step(x, w)
    for k in (1, 2, 3, 4, 5):
        table[k] = step(table[k - 1], w)
    return (table * table).sum()


def columns_of_an_argument(x, w):
    table = np.outer(x, w)
    x = step(x, table[:, 0])
    x = step(x, table[:, 2])
    x = step(x, table[:, 1])
    x = step(x, table[:, 4])
    return x.sum()


def two_chains(x, w):
    for factor in (0.1, 0.2, 0.3, 0.4, 0.5):
        x = step(x, w * factor)
        w = step(w, x - factor)
    return x.sum() + w.sum()


def unknown_trip_counts(x, w):
    return sum(newton(x[k] * x[k] + n) * w[k] for k, n in enumerate((1.0, 9.0, 4.0, 25.0, 2.0)))


def poles(x, w):
    """The root at 0 is left out: it must not spoil the gradient."""

    def roots(v):
        total = 0.0
        for i in range(5):
            total = total + np.sqrt(v[i])
        return total

    a, b, c, d, e = roots(x * 0), roots(x), roots(x + 1), roots(x * 2), roots(x * w)
    return np.where(a > 1, a, 0.0) + b + c + d + e


def unused_results(x, w):
    a, b, c, d, e = step(x, w), step(w, x), step(x, x), step(w, w), step(x, w * 2)
    return (a * c).sum() + 0 * (b + d + e).sum()


ROLLED = [
    chain,
    independent,
    accumulated,
    literals,
    collected,
    mutated,
    rows,
    columns_of_an_argument,
    two_chains,
    unknown_trip_counts,
    poles,
    unused_results,
]


def loops(f, stage):
    """How many loops the program has at a stage."""
    text = myia.jit(f).ir(X, W)[stage]
    return sum(" for %" in line or "= while " in line for line in text.splitlines())


def differences(f, *args, h=1e-6):
    """The central differences of `f` in its first argument."""
    x, *rest = args
    return [(f(x + h * d, *rest) - f(x - h * d, *rest)) / (2 * h) for d in np.eye(5)]


@pytest.mark.parametrize("f", ROLLED)
def test_programs(f):
    assert loops(f, "prepare") < loops(f, "typed")
    assert myia.jit(f)(X, W) == pytest.approx(f(X, W), rel=1e-14)
    np.testing.assert_allclose(myia.grad(f)(X, W), differences(f, X, W), rtol=1e-6, atol=1e-8)


@pytest.mark.slow
@pytest.mark.parametrize("f", ROLLED)
def test_without_the_pass(f):
    on, off = myia.grad(f, (0, 1))(X, W), myia.grad(f, (0, 1), pipeline=OFF)(X, W)
    for ours, theirs in zip(on, off):
        np.testing.assert_allclose(ours, theirs, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("f", [chain, mutated])
def test_second_derivatives(f):
    gradient = myia.grad(f)

    def along(x, w):
        return gradient(x, w) @ W

    second = myia.grad(along)(X, W)
    np.testing.assert_allclose(second, differences(along, X, W), rtol=1e-6, atol=1e-8)
    forward = myia.jvp(gradient, (X, W), (W, 0 * W))[1]
    np.testing.assert_allclose(second, forward, rtol=1e-11, atol=1e-13)


def test_twenty_calls_make_as_many_loops_as_five():
    def calls(count):
        factors = tuple(0.1 + k * k for k in range(count))

        def program(x, w):
            for factor in factors:
                x = step(x, w * factor) + 0.5
            return x.sum()

        return program

    few, many = (myia.grad(calls(count)).ir(X, W)["finish"] for count in (5, 20))
    assert many.count(" for %") == few.count(" for %")
    assert len(many.splitlines()) <= len(few.splitlines()) + 15 * 2  # a factor, put into rows


def test_prints_keep_their_place(capsys):
    def prints(x, w):
        for factor in (1.0, 2.0, 3.0, 4.0, 5.0):
            x = step(x, w * factor)
            print("sum", x.sum())
        return x.sum()

    assert loops(prints, "prepare") == loops(prints, "typed")
    assert myia.jit(prints)(X, W) == pytest.approx(prints(X, W), rel=1e-14)


# ----- One pass

CALLS = """
func @f(%x: f64[3], %w: f64[3]) -> f64[3] {
  %n = 5: i64[]
  %a = for %k < %n (%c = %x) bound 5 {
    %1 = mul %c, %w
    yield %1
  }
  %b = for %k < %n (%c = %a) bound 5 {
    %1 = mul %c, %w
    yield %1
  }
  %c = for %k < %n (%c = %b) bound 5 {
    %1 = mul %c, %w
    yield %1
  }
  %d = for %k < %n (%c = %c) bound 5 {
    %1 = mul %c, %w
    yield %1
  }
  return %d
}"""


def test_a_chain_of_calls(golden):
    golden(before_after(rerolling, CALLS))


def test_other_bodies_stay():
    assert not unchanged(rerolling, CALLS)
    assert unchanged(rerolling, CALLS.replace("%1 = mul %c, %w", "%1 = add %c, %w", 1))


def test_few_calls_stay():
    third = CALLS.index("  %d = for")
    few = CALLS[:third] + "  return %c\n}"
    assert unchanged(rerolling, few)


def test_large_copies_stay():
    """Rows of arguments would cost more than a tenth of what the loops do."""

    def sums(*xs):
        return sum(total(x) for x in xs)

    def total(x):
        s = 0.0
        for i in range(4):
            s = s * 0.5 + x[i]
        return s

    args = [np.ones(100_000) for _ in range(5)]
    text = myia.jit(sums).ir(*args)
    assert text["prepare"].count(" for %") == 5


def test_long_iterations_stay():
    """They would run once more in the adjoint."""

    def calls(x, w):
        x = step(step(x, w), w)
        return step(step(x, w), w).sum()

    long = np.ones(100_000)
    assert myia.grad(calls).ir(long, long)["prepare"].count(" for %") == 4
    assert myia.jit(calls).ir(long, long)["prepare"].count(" for %") == 2
    assert myia.grad(calls).ir(X, W)["prepare"].count(" for %") == 2


def test_each_op_between_is_matched_once(monkeypatch):
    """A chain of sums of what came before leads to each op in many ways: 2 ** 30."""
    steps = 0

    def next_op(self, op, known):
        nonlocal steps
        steps += 1
        assert steps < 1000
        return original(self, op, known)

    original = Isomorphism._next_op
    monkeypatch.setattr(Isomorphism, "_next_op", next_op)
    sums = ["%x0 = add %c, %c", *(f"%x{i} = add %x{i - 1}, %x{i - 1}" for i in range(1, 30))]
    text = CALLS.replace("(%c = %a)", "(%c = %1)").replace("(%c = %b)", "(%c = %2)")
    text = text.replace("(%c = %c)", "(%c = %x29)")
    text = text.replace("  %b = for", "  %1 = add %a, %a\n  %b = for")
    text = text.replace("  %c = for", "  %2 = add %b, %b\n  %c = for")
    text = text.replace("  %d = for", "\n".join([*sums, "%d = for"]))
    assert unchanged(rerolling, text)
    assert steps


# ----- Random programs


@pytest.mark.parametrize("chunk", range(4))
def test_random_programs(chunk, monkeypatch):
    monkeypatch.setattr(module, "MIN_ITERATIONS", 3)
    monkeypatch.setattr(module, "MIN_SECONDS", 0.0)
    monkeypatch.setattr(module, "MAX_FREE_BYTES", 1 << 30)
    rolled = 0
    for seed in range(chunk * 25, (chunk + 1) * 25):
        f = repeated_calls(seed)
        g = rerolling(f)
        verify(g)
        rolled += g is not f
        args = arguments(f, seed)
        for x, y in zip(evaluate(f, args), evaluate(g, args), strict=True):
            assert identical(x, y), f"seed {seed}\n{to_text(f)}\n{to_text(g)}"
    assert rolled > 10


@pytest.mark.parametrize("mode", ["jvp", "vjp"])
def test_derivatives_of_random_programs(mode, monkeypatch):
    monkeypatch.setattr(module, "MIN_ITERATIONS", 2)
    monkeypatch.setattr(module, "MIN_SECONDS", 0.0)
    monkeypatch.setattr(module, "MAX_FREE_BYTES", 1 << 30)
    compared = 0
    for seed in range(300, 330):
        f = repeated_calls(seed)
        of, g = floats(f.results)[:3], rerolling(f)
        if g is not f and of:
            plain = derived(f, mode, of)
            check(plain, derived(g, mode, of), arguments(plain, seed, special=0), seed)
            compared += 1
    assert compared > 5
