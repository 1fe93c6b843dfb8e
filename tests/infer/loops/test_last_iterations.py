"""Loops over batches, of which the last is smaller: one loop, and the last iteration after it."""

import numpy as np
import pytest

import myia

BATCH = 4


def batches(w, x):
    """The shape of a batch is needed at compile time."""
    steps = 0.0
    for start in range(0, len(x), BATCH):
        part = x[start : start + BATCH]
        noise = np.zeros(part.shape) + 0.1
        w = w - 0.1 * np.mean(np.sin(part * w) + noise)
        steps += len(part)
    return w * steps, start


def numbered(w, x):
    for k, start in enumerate(range(0, len(x), BATCH)):
        part = x[start : start + BATCH]
        w = w * np.sum(part + np.zeros(part.shape)) / (k + 1)
    return w, k


def until_the_end(w, x):
    for k in range(-(-len(x) // BATCH)):
        part = x[BATCH * k : min(BATCH * k + BATCH, len(x))]
        w = w * np.sum(part + np.zeros(part.shape))
    return w, k


def stopped(w, x):
    for start in range(0, len(x), BATCH):
        part = x[start : start + BATCH]
        w = w + np.sum(part * np.ones(part.shape))
        if w > 100.0:
            break
    else:
        start = -1
    return w, start


def written(w, x):
    x = x.copy()
    for start in range(0, len(x), BATCH):
        part = x[start : start + BATCH]
        part += w * np.arange(float(len(np.zeros(part.shape))))
        w += part[0]
    return w + x @ x, start


PROGRAMS = [batches, numbered, until_the_end, stopped, written]


@pytest.mark.parametrize("f", PROGRAMS)
@pytest.mark.parametrize("n", [30, 9])
def test_values(f, n):
    x = np.random.default_rng(n).uniform(0.5, 1.5, n)
    compiled = myia.jit(f)
    for w in (0.5, 95.0):
        np.testing.assert_allclose(compiled(w, x), f(w, x), rtol=1e-12)


@pytest.mark.parametrize("f", [batches, written])
def test_derivatives(f):
    x = np.random.default_rng(1).uniform(0.5, 1.5, 10)
    myia.check_grads(lambda w, x: f(w, x)[0], (0.5, x))


def text(f, n):
    return str(myia.jit(f).ir(0.5, np.ones(n))["typed"])


@pytest.mark.parametrize("f", PROGRAMS)
def test_the_program_does_not_grow_with_the_trip_count(f):
    assert text(f, 30).count("\n") == text(f, 302).count("\n")


def test_an_error_of_the_last_iteration():
    def f(x):
        total = 0.0
        for start in range(0, len(x), BATCH):
            part = x[start : start + BATCH]
            total += np.sum(part * np.ones(part.shape)) * x[start + 1]
        return total

    with pytest.raises(IndexError):
        myia.jit(f)(np.ones(9))
    assert myia.jit(f)(np.ones(10)) == f(np.ones(10))


def test_ordered_ranges_of_integers():
    """What cannot be otherwise is known when compiling: no branch is left."""

    def f(x):
        total = 0.0
        for i in range(8):
            total += x[max(i - 8, 0)] + x[min(i, 7)] if i <= 7 else x[100]
        return total

    assert " if " not in str(myia.jit(f).ir(np.ones(8))["typed"])
    x = np.arange(8.0)
    assert myia.jit(f)(x) == f(x)
