"""`np.random.Generator` in compiled code: NumPy's numbers, and as many words taken."""

from __future__ import annotations

import copy
import random
import threading

import jax
import numpy as np
import pytest

import myia
from myia.library.random import ziggurat
from tests.library.random.streams import check_stream, state

P = np.array([0.1, 0.2, 0.3, 0.4])
ULP = 4 * 2.3e-16


def numbers(r):
    x = r.random(), r.random(3), r.random((2, 2)), r.random(dtype=np.float32)
    return x, r.uniform(-1.0, 3.0, 4), r.uniform([0.0, 1.0], 2.0), r.bit_generator.random_raw(3)


def integers(r):
    wide = r.integers(-5, 2**40, 4), r.integers(2**32, size=3), r.integers(-(2**63), 2**63 - 1, 3)
    kinds = r.integers(10), r.integers(9, dtype=int), r.integers(2, dtype=bool)
    return wide, kinds, r.integers(0, 10, 20, endpoint=True), r.integers(0, 2**64, 3, np.uint64)


def narrow_integers(r):
    bytes_ = r.integers(-100, 100, 9, np.int8), r.integers(0, 256, 9, np.uint8)
    return bytes_, r.integers(-300, 3000, 7, np.int16), r.integers(0, 2, 40, bool)


def integers_between_arrays(r):
    return (
        r.integers([1, 5, 100]),
        r.integers(0, [[3], [5]], (2, 3)),
        r.integers([3, 4], dtype="i2"),
    )


def orders(r):
    x, rows, xs = np.arange(7.0), np.arange(6.0).reshape(3, 2), [1.0, 2.0, 3.0, 4.0]
    r.shuffle(x)
    r.shuffle(rows)
    r.shuffle(rows, axis=1)
    r.shuffle(xs)
    return x, rows, xs, r.permutation(9), r.permutation(rows), r.permutation(rows, axis=1)


def choices(r):
    few = r.choice(5), r.choice(5, 3), r.choice(np.eye(3), 2), r.choice([1.0, 2.0, 3.0])
    return few, r.choice(4, 3, p=P), r.choice(4, 3, replace=False, p=P)


def distinct_choices(r):
    few = r.choice(10, 4, replace=False), r.choice(10, 4, replace=False, shuffle=False)
    many = r.choice(20000, 1000, replace=False), r.choice(10**9, 3, replace=False)
    return few, many, r.choice(6, 6, replace=False)


@pytest.mark.parametrize(
    "f",
    [
        numbers,
        integers,
        narrow_integers,
        integers_between_arrays,
        orders,
        choices,
        distinct_choices,
    ],
)
def test_bits(f):
    """What is equal to the last bit."""
    check_stream(f)


def of_words_made_ahead(r):
    """Half a word is kept; half of the words are refused; a block of words ends on the way."""
    half, many = r.random(dtype=np.float32), r.integers(0, 2**31 + 1, 700)
    rows = np.arange(600.0).reshape(300, 2)
    r.shuffle(rows[::-1])
    return half, many, rows, r.integers(0, 3 * 2**61, 300), r.integers(5, 6, 256), r.random()


@pytest.mark.parametrize("bits", [np.random.PCG64, np.random.MT19937])
def test_words_made_ahead(bits):
    check_stream(of_words_made_ahead, make=lambda: np.random.Generator(bits(3)))


@pytest.mark.parametrize("limit", [1, 5, 2**32, 2**32 + 1, 2**45])
def test_many_integers_below_a_limit_of_run_time(limit):
    check_stream(lambda r, n: r.integers(0, n, 300), limit)


def test_the_gradient_of_a_shuffled_array():
    def loss(x, r):
        y = x * x
        r.shuffle(y)
        return y @ np.arange(len(y))

    x, ours, theirs = np.linspace(1.0, 2.0, 300), np.random.default_rng(3), np.random.default_rng(3)
    want, order = np.empty(300), theirs.permutation(300)
    want[order] = 2.0 * x[order] * np.arange(300)
    np.testing.assert_allclose(myia.grad(loss)(x, ours), want, rtol=1e-15)
    assert state(ours) == state(theirs)


def samples(r):
    one = r.normal(), r.standard_normal(), r.exponential(), r.normal(2.0, 3.0)
    out = np.empty((2, 2))
    r.standard_normal(out=out)
    return one, out, r.normal([1.0, 2.0], [3.0, 4.0]), r.exponential(2.0, (2, 2))


def test_samples():
    check_stream(samples, rtol=ULP)


@pytest.mark.parametrize("name", ["standard_normal", "standard_exponential"])
@pytest.mark.parametrize("dtype", [np.float64, pytest.param(np.float32, marks=pytest.mark.slow)])
def test_many_samples(name, dtype):
    """With the tails, and what lies between the layers."""
    rtol = ULP if dtype is np.float64 else 5e-7
    check_stream(lambda r: getattr(r, name)(100_000, dtype=dtype), rtol=rtol, calls=1)


def test_tables():
    """Each layer has the same area."""
    for tables, bits in ((ziggurat.normal(), 52), (ziggurat.exponential(), 53)):
        width = tables.width * 2.0**bits
        x, f = np.array([0.0, *width[1:]]), tables.density
        area = width[0] * f[-1]
        np.testing.assert_allclose(x[1:] * -np.diff(f), area, rtol=1e-12)
        np.testing.assert_allclose(tables.limit[1:] / 2.0**bits, x[:-1] / x[1:], rtol=1e-12)


# ----- Control flow


def branches_and_loops(r, x):
    y = x
    for i in range(20):
        if r.random() < 0.5:
            y += r.normal()
        elif i > 15:
            return y, r.integers(3)
        else:
            y -= r.exponential()
    return y, r.integers(5)


def trips(r):
    n = 0
    while r.random() > 0.1:
        n += 1
        if n > 5 and r.integers(4) == 0:
            break
    return n, r.random()


def helper(r, k):
    return r.random() if k == 0 else helper(r, k - 1) + r.random()


def closures(r):
    def draw():
        return r.random()

    alias = r
    return helper(r, 3), draw(), alias.random(), [r.random() for _ in range(3)]


@pytest.mark.parametrize("seed", range(2))
def test_control_flow(seed):
    make = lambda: np.random.default_rng(seed)  # noqa: E731
    check_stream(branches_and_loops, 0.5, make=make, rtol=1e-13, calls=4)
    check_stream(trips, make=make, calls=4)


def test_helpers_and_names():
    check_stream(closures)


def test_half_a_word_is_kept():
    def f(r):
        r.integers(5)
        return r.random()

    check_stream(f, calls=3)
    check_stream(lambda r: r.integers(7, size=3), calls=3)


# ----- Where generators are


RNG = np.random.default_rng(11)


def of_global(x):
    return x * RNG.random()


def test_a_global_and_a_closure_advance():
    theirs = np.random.default_rng(11)
    f = myia.jit(of_global)
    assert [f(1.0), f(1.0), RNG.random()] == list(theirs.random(3))
    mine, theirs = np.random.default_rng(5), np.random.default_rng(5)
    g = myia.jit(lambda: mine.random())
    assert [g(), mine.random(), g()] == list(theirs.random(3))


class Net:
    def __init__(self):
        self.rng = np.random.default_rng(1)
        self.w = np.ones(3)

    def loss(self):
        return np.sum(self.w * (self.rng.random(3) < 0.5))


def test_an_attribute():
    ours, theirs = Net(), Net()
    want = [theirs.loss(), theirs.loss()]
    step = myia.jit(Net.loss)
    assert [step(ours), step(ours)] == want
    assert state(ours.rng) == state(theirs.rng)
    grad = myia.grad(Net.loss)(ours)
    np.testing.assert_array_equal(grad.w, theirs.rng.random(3) < 0.5)
    assert grad.rng is ours.rng


def test_one_generator_twice():
    r, want = np.random.default_rng(2), np.random.default_rng(2).random(2)
    assert myia.jit(lambda a, b: (a.random(), b.random()))(r, r) == tuple(want)
    bits = np.random.PCG64(2)
    a, b = np.random.Generator(bits), np.random.Generator(bits)
    assert myia.jit(lambda a, b: (a.random(), b.random()))(a, b) == tuple(want)


def test_results():
    made = myia.jit(lambda: np.random.default_rng(5))()
    assert type(made) is np.random.Generator and state(made) == state(np.random.default_rng(5))
    r = np.random.default_rng(1)
    same, copied = myia.jit(lambda r: (r, copy.deepcopy(r)))(r)
    assert same is r and copied is not r and state(copied) == state(r)
    known = myia.jit(lambda r: (isinstance(r, np.random.Generator), type(r)))(r)
    assert known == (True, np.random.Generator)


def test_seeds():
    f = lambda s: np.random.default_rng(s).random(2)  # noqa: E731
    compiled = myia.jit(f)
    for seed in (0, 1, 2, 3, 2**32 + 5, 2**62, 17):  # constants, then an argument
        np.testing.assert_array_equal(compiled(seed), f(seed))
    with pytest.raises(ValueError, match="non-negative"):
        compiled(-1)
    several = lambda: np.random.default_rng((1, 2)).random()  # noqa: E731
    assert myia.jit(several)() == several()


def test_fresh_entropy():
    f = myia.jit(lambda: [np.random.default_rng().random() for _ in range(3)])
    assert len({*f(), *f()}) == 6


def test_a_call_that_raises_draws_nothing():
    def f(r, limit):
        x = r.random()
        if x < limit:
            raise ValueError("small")
        return x

    r = np.random.default_rng(1)
    before = state(r)
    with pytest.raises(ValueError, match="small"):
        myia.jit(f)(r, 2.0)
    assert state(r) == before


@pytest.mark.parametrize(
    "f, message",
    [
        (lambda r: r.normal(0.0, -1.0), "scale < 0"),
        (lambda r: r.uniform(1.0, 0.0), "high - low < 0"),
        (lambda r: r.integers(3, 3), "low >= high"),
        (lambda r: r.integers(0, 300, dtype=np.int8), "high is out of bounds for int8"),
        (lambda r: r.choice(2, p=[0.5, 0.6]), "do not sum to 1"),
        (lambda r: r.choice(2, 3, replace=False), "larger sample than population"),
        (lambda r: r.choice(2, p=[1.0]), "a and p must have same size"),
        (lambda r: r.random(2, out=np.empty(3)), "size must match out.shape"),
    ],
)
def test_errors(f, message):
    for g in (f, myia.jit(f)):
        with pytest.raises(ValueError, match=message):
            g(np.random.default_rng(1))


# ----- Refused


def with_an_attribute(r):
    r.gain = 1.0


@pytest.mark.parametrize(
    "f, make, message",
    [
        (lambda r: r.integers([1.5], [3.0]), np.random.default_rng, "arrays that are not of int"),
        (lambda r: r.standard_gamma(2.0, dtype="f4"), np.random.default_rng, "gamma` in float32"),
        (lambda r: r.randint([0.5], [3.0]), np.random.RandomState, "arrays that are not of int"),
        (lambda r: r.getrandbits(80), random.Random, "more than 62 bits"),
        (lambda r: r.zipf(2.0), np.random.default_rng, "Generator.zipf` is not supported"),
    ],
)
def test_refusals_point_to_the_call(f, make, message):
    with pytest.raises(myia.errors.MyiaError, match=message) as caught:
        myia.jit(f)(make(1))
    assert "test_generator.py" in str(caught.value) and "^^^" in str(caught.value)


def test_refused():
    r = np.random.default_rng(1)
    with pytest.raises(myia.errors.MyiaError, match=r"numpy.random.Generator.spawn"):
        myia.jit(lambda r: r.spawn(2))(r)
    philox = np.random.Generator(np.random.Philox(1))
    with pytest.raises(myia.errors.MyiaError, match="not supported"):
        myia.jit(lambda r: r.random())(philox)
    with pytest.raises(AttributeError):
        myia.jit(with_an_attribute)(r)


def test_under_jax():
    with pytest.raises(TypeError, match="cannot be advanced"):
        jax.jit(lambda x: myia.jit(of_global)(x))(1.0)
    with pytest.raises(TypeError, match="cannot be advanced"):
        jax.vmap(lambda x: myia.jit(of_global)(x))(np.ones(2))
    inside = myia.jit(lambda x: x * np.random.default_rng(1).random())
    assert jax.jit(inside)(2.0) == pytest.approx(2.0 * np.random.default_rng(1).random())


def test_a_generator_used_by_another_thread():
    """Each call either has its own numbers, or is an error: none has those of another."""
    r = np.random.default_rng(9)
    f = myia.jit(lambda r: r.random(2000))
    f(r)
    found, errors = [], []

    def run():
        for _ in range(20):
            try:
                found.append(f(r))
            except RuntimeError as error:
                errors.append(error)

    threads = [threading.Thread(target=run) for _ in range(3)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert len({x[0] for x in found}) == len(found)
    assert all("used elsewhere" in str(e) for e in errors)
    theirs = np.random.default_rng(9)
    theirs.random(2000 * (len(found) + 1))
    assert state(r) == state(theirs)
