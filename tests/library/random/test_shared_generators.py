"""`np.random.RandomState`, `random.Random`, and the functions of modules that share one of them."""

from __future__ import annotations

import random

import numpy as np
import pytest

import myia
from tests.library.random.streams import check_equal, check_stream


def numpy_numbers(r):
    x = r.random_sample(), r.rand(2, 3), r.randn(3), r.normal(1.0, 2.0, 3), r.standard_normal()
    return x, r.uniform(0.1, 0.7, 2), r.exponential(2.0, 3), r.random()


def numpy_integers(r):
    wide = r.randint(2**40, size=3), r.randint(0, 2**32, 3)
    return r.randint(10), r.randint(3, 9, 5), wide, r.randint(5, dtype=np.int32)


def numpy_orders(r):
    x, rows = np.arange(7.0), np.arange(6.0).reshape(3, 2)
    r.shuffle(x)
    r.shuffle(rows)
    return x, rows, r.permutation(5), r.permutation(rows)


def numpy_choices(r):
    few = r.choice(5), r.choice(5, 3), r.choice(5, 3, replace=False)
    p = [0.1, 0.2, 0.3, 0.4]
    return few, r.choice([1.0, 2.0, 3.0, 4.0], 2, p=p), r.choice(4, 3, replace=False, p=p)


def more_than_one_batch(r):
    wide = r.randint(0, 2**31 + 1, 700), r.randint(0, 2**40, 300), r.randint(7, 8, 256)
    return r.randn(901), r.rand(900), wide, r.permutation(300), r.randn(16), r.rand()


@pytest.mark.parametrize(
    "f", [numpy_numbers, numpy_integers, numpy_orders, numpy_choices, more_than_one_batch]
)
def test_numpy(f):
    check_stream(f, make=lambda: np.random.RandomState(3), rtol=1e-15)


def python_numbers(r):
    x = r.random(), r.uniform(1, 2), r.gauss(0, 1), r.gauss(1.0, 2.0), r.gauss(0, 1)
    return x, r.normalvariate(0, 1), r.expovariate(2.0), r.lognormvariate(0, 1)


def python_integers(r):
    bits = r.getrandbits(5), r.getrandbits(40)
    return bits, r.randrange(10), r.randrange(3, 30, 4), r.randint(1, 6), r.randint(0, 2**40)


def python_choices(r):
    xs = [1.0, 2.0, 3.0, 4.0]
    r.shuffle(xs)
    return xs, r.choice(xs), r.sample(range(100), 5), r.sample([1, 2, 3, 4], 3)


def python_walk(r):
    total, n = 0.0, 0
    while n < 20 and r.random() < 0.95:
        total += r.gauss(0.0, 1.0) if r.random() < 0.6 else r.uniform(0.1, 0.7)
        n += 1
    return total, n


@pytest.mark.parametrize("f", [python_numbers, python_integers, python_choices, python_walk])
def test_python(f):
    check_stream(f, make=lambda: random.Random(3), rtol=1e-14)


@pytest.mark.slow
def test_other_distributions_of_python():
    def f(r):
        x = r.gammavariate(2.0, 3.0), r.betavariate(2.0, 3.0), r.vonmisesvariate(0.0, 2.0)
        return x, r.triangular(0, 1, 0.3), r.paretovariate(2.0), r.weibullvariate(1.0, 2.0)

    check_stream(f, make=lambda: random.Random(3), rtol=1e-14)


@pytest.mark.slow
def test_beta_numbers_of_python():
    """Of known and of run-time parameters, to 4 units in the last place."""

    def f(r, a, b):
        return np.array([(r.betavariate(a, b), r.betavariate(1.5, 1.1)) for _ in range(100_000)])

    ours, theirs = random.Random(3), random.Random(3)
    for a, b in ((1.1, 1.2), (0.5, 30.0)):
        np.testing.assert_array_max_ulp(myia.jit(f)(ours, a, b), f(theirs, a, b), 4)
    assert ours.getstate() == theirs.getstate()


@pytest.mark.parametrize(
    "shape", [1.0, *(pytest.param(x, marks=pytest.mark.slow) for x in (0.7, 3.0))]
)
def test_a_gamma_number_of_python_moves_with_its_shape(shape):
    """The mean is the shape, so the mean of the derivatives is 1; the steps of the sampler have
    others: none at all for the shape 1."""

    def mean(shape, r):
        total = 0.0
        for _ in range(4000):
            total += r.gammavariate(shape, 1.0)
        return total / 4000

    assert abs(myia.grad(mean)(shape, random.Random(3)) - 1.0) < 0.05


def seeded_numpy():
    np.random.seed(4)
    x = np.random.normal(), np.random.rand(2), np.random.randint(5), np.random.permutation(4)
    return x, np.random.choice(3), np.random.random(), np.random.ranf(2)


def unseeded_numpy():
    return sum(np.random.randn() for _ in range(25) if np.random.rand() < 0.6)


def seeded_python():
    x = random.random()
    random.seed(7)
    return x, random.gauss(0, 1), random.randint(1, 6), random.choice([1.0, 2.0])


def unseeded_python():
    return sum(1 for _ in range(100) if random.random() ** 2 + random.random() ** 2 < 1)


def run_from(seed, f):
    """What `f()` returns, and how the shared generators go on."""
    np.random.seed(seed)
    random.seed(seed)
    return f(), repr(np.random.get_state()), random.getstate()


@pytest.mark.parametrize("f", [seeded_numpy, unseeded_numpy, seeded_python, unseeded_python])
def test_modules(f):
    numpy, python = np.random.get_state(), random.getstate()
    try:
        compiled = myia.jit(f)
        for seed in (1, 2):
            got, want = run_from(seed, compiled), run_from(seed, f)
            check_equal(got[0], want[0], 1e-14)
            assert got[1:] == want[1:]
    finally:
        np.random.set_state(numpy)
        random.setstate(python)


def test_seeds():
    def f(seed):
        np.random.seed(seed)
        return np.random.rand()

    state, compiled = np.random.get_state(), myia.jit(f)
    try:
        for seed in (0, 1, 2, 3, 4, 2**32 - 1):  # constants, then an argument
            assert compiled(seed) == f(seed)
    finally:
        np.random.set_state(state)
    made = lambda: (np.random.RandomState(3).rand(), random.Random(3).random())  # noqa: E731
    assert myia.jit(made)() == made()
    rng = myia.jit(lambda: np.random.RandomState(5))()
    assert type(rng) is np.random.RandomState and rng.rand() == np.random.RandomState(5).rand()
    with pytest.raises(myia.errors.MyiaError, match="without a seed"):
        myia.jit(lambda: np.random.RandomState().rand())()


def test_a_generator_of_the_mersenne_twister():
    make = lambda: np.random.Generator(np.random.MT19937(2))  # noqa: E731
    check_stream(lambda r: (r.normal(size=3), r.integers(9, size=3)), make=make, rtol=1e-15)


def test_gradient():
    def f(x):
        np.random.seed(3)
        random.seed(3)
        y = x
        for _ in range(5):
            y = y + np.sin(y) * np.random.normal(x, 0.3) * random.uniform(x, 1.0)
        return y * y

    states, step = (np.random.get_state(), random.getstate()), 1e-6
    want = (f(0.7 + step) - f(0.7 - step)) / (2 * step)
    assert myia.grad(f)(0.7) == pytest.approx(want, rel=1e-7)
    np.random.set_state(states[0])
    random.setstate(states[1])


@pytest.mark.parametrize(
    "f, name",
    [
        (lambda: np.random.zipf(2.0), "numpy.random.zipf"),
        (lambda: np.random.get_state(), "numpy.random.get_state"),
        (lambda: random.randbytes(3), "random.Random.randbytes"),
    ],
)
def test_refused(f, name):
    with pytest.raises((myia.errors.MyiaError, AttributeError)):
        myia.jit(f)()


def test_errors_name_the_method_of_numpy():
    with pytest.raises(TypeError, match=r"^numpy\.random\.RandomState\.choice: .*'axis'"):
        myia.jit(lambda r: r.choice(3, axis=1))(np.random.RandomState(1))
