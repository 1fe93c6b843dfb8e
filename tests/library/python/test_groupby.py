"""`itertools.groupby`, `zip(strict=True)`, and pairs of lists whose length is known at run time."""

import itertools
import operator

import numpy as np
import pytest

import myia
from myia.source.diagnostics import MyiaError


def by_kind(x):
    rows = [("b", x), ("b", 3.0), ("a", 2.0 * x)]
    sums = {k: sum(v for _, v in g) for k, g in itertools.groupby(rows, operator.itemgetter(0))}
    words = ["apple", "avocado", "banana", "cherry"]
    lengths = [(k, len(list(g))) for k, g in itertools.groupby(words, key=lambda w: w[0])]
    return sums["a"] * sums["b"], lengths


def by_number(x):
    total = 0.0
    for k, group in itertools.groupby([x, 2.0, x * x], key=lambda v: v > 1.0):
        values = list(group)
        total += sum(values) ** 2 * (2.0 if k else 1.0) * len(values)
    for k, group in itertools.groupby([x, 0.3, 2.5], key=int):
        for v in group:
            if v > 2.2:
                break
            total += v * v * (k + 1)
    return total


def runs(x):
    bits = [x > 0.5, x > 0.6, x > 0.8, x < 1.0]
    longest = max(len(list(g)) for _, g in itertools.groupby(bits))
    array = np.array([x, 2.0 * x, 3.0, 0.2])
    return longest * x + sum(sum(g) ** 2 for _, g in itertools.groupby(array, lambda v: v > 1.0))


def late(x):
    total, before = 0.0, None
    for _, group in itertools.groupby([1.0 * x, x, 2.0]):
        if before is not None:
            total += sum(before) + 1.0  # Python gives no more items of it
        before = group
    return total * x + sum(len(list(g)) for _, g in list(itertools.groupby([1, 1, 2])))


def strict(x):
    total, texts = 0.0, []
    for items in ([x, 2.0], [x], [x, 2.0, 3.0]):
        try:
            for a, b, c in zip([x, 1.0], items, [3.0, x], strict=True):
                total += a * b * c
        except ValueError as e:
            texts.append(str(e))
    return total, texts


def pairs(x):
    xs = []
    for i in range(int(4.0 * x)):
        xs.append(x * i * i)
    steps = sum((b - a) ** 2 for a, b in itertools.pairwise(xs))
    for a, b in zip(xs, np.arange(2.0), strict=True):
        steps += a * b
    return steps


@pytest.mark.parametrize("f", [by_kind, by_number, runs, late, strict, pairs])
def test_as_python(f):
    def loss(x):
        found = f(x)
        return found[0] if isinstance(found, tuple) else found

    got, want = myia.jit(f)(0.7), f(0.7)
    got, want = (x if isinstance(x, tuple) else (x,) for x in (got, want))
    assert got[1:] == want[1:] and got[0] == pytest.approx(want[0], rel=1e-13)
    h = 1e-4
    low, mid, high = loss(0.7 - h), loss(0.7), loss(0.7 + h)
    if f in (runs, pairs):  # whose second derivatives take long to compile
        assert myia.grad(loss)(0.7) == pytest.approx((high - low) / (2 * h), rel=1e-6)
        return
    first, second = myia.jvp(myia.grad(loss), (0.7,), (1.0,))
    assert first == pytest.approx((high - low) / (2 * h), rel=1e-6)
    assert second == pytest.approx((high - 2 * mid + low) / h**2, rel=1e-5)


def test_rows_of_lists_of_different_lengths():
    with pytest.raises(ValueError, match=r"argument 2 is longer than argument 1"):
        myia.jit(pairs)(0.3)
    with pytest.raises(ValueError, match=r"argument 2 is shorter than argument 1"):
        myia.jit(pairs)(1.2)


def test_a_key_with_an_effect_is_refused():
    def f(x):
        def key(v):
            print(v)
            return v > 1.0

        return sum(sum(g) for _, g in itertools.groupby([x, 2.0], key))

    with pytest.raises(MyiaError, match=r"a key of `itertools\.groupby` that has an effect"):
        myia.jit(f)(0.7)
