"""Ranges whose numbers are known at run time: their items, subscripts and what they hold."""

import itertools

import numpy as np
import pytest

import myia
from tests.infer.driver import assert_value_and_gradient


def items(start, stop, step):
    total, count = 0, 0
    for k in range(start, stop, step):
        total = total * 7 + k
        count += 1
    return total, count, len(range(start, stop, step))


def test_steps_of_run_time():
    compiled = myia.jit(items)
    ends = (-4, -1, 0, 1, 3, 8)
    for start, stop, step in itertools.product(ends, ends, (-9, -3, -2, -1, 1, 2, 3, 9)):
        found = compiled(*map(np.array, (start, stop, step)))
        assert tuple(map(int, found)) == items(start, stop, step), (start, stop, step)


@pytest.mark.parametrize("kind", [np.int32, np.int8, np.uint8, np.int64])
def test_numbers_of_other_types(kind):
    found = myia.jit(items)(np.array(1, kind), np.array(90, kind), np.array(7, kind))
    assert tuple(map(int, found)) == items(1, 90, 7)


def test_a_step_of_zero():
    def f(n, step, x):
        r = range(0, n, step)
        return x * len(r)

    with pytest.raises(ValueError, match=r"^range\(\) arg 3 must not be zero"):
        myia.jit(f)(np.array(5), np.array(0), 2.0)
    assert myia.jit(f)(np.array(5), np.array(2), 2.0) == 6.0

    def caught(n, step, x):
        try:
            for k in range(0, n, step):
                x = x * (k + 1)
        except ValueError:
            return -x
        return x

    for step in (0, 2):
        assert myia.jit(caught)(np.array(5), np.array(step), 2.0) == caught(5, step, 2.0)


def sieve(x):
    """The sum of what stands at prime indices."""
    prime = np.ones(len(x), dtype=bool)
    prime[:2] = False
    i = 2
    while i * i < len(x):
        if prime[i]:
            for j in range(i * i, len(x), i):
                prime[j] = False
        i += 1
    return np.sum(x[prime] ** 2)


def haar(x):
    """In place, by steps that double."""
    x = x.copy()
    step = 1
    while step < len(x):
        for i in range(0, len(x) - step, 2 * step):
            a, b = x[i], x[i + step]
            x[i], x[i + step] = (a + b) * 0.5, (a - b) * 0.5 * a
        step *= 2
    return x[0] * x[1] + np.sum(x)


def shell_sort(x):
    x = x.copy()
    gap = len(x) // 2
    while gap > 0:
        for i in range(gap, len(x)):
            for j in range(i, gap - 1, -gap):
                if x[j - gap] <= x[j]:
                    break
                x[j - gap], x[j] = x[j], x[j - gap]
        gap //= 2
    return np.sum(x * np.arange(len(x)))


@pytest.mark.parametrize("f", [sieve, haar, shell_sort])
@pytest.mark.parametrize("n", [8, 32])
def test_algorithms(f, n):
    x = np.random.default_rng(n).normal(size=n)
    assert_value_and_gradient(lambda k, x: k * f(x), [1.5], x, rel=1e-5, abs=1e-6)


def test_a_step_that_unrolled_code_knows():
    """The code has no checks of what it reads."""
    x = np.arange(8.0)
    ir = str(myia.jit(haar).ir(x))
    assert "IndexError" not in ir and "ValueError" not in ir
    assert "IndexError" in str(myia.jit(lambda x, n: x[range(0, n, n - 1)[1]]).ir(x, np.array(5)))


def test_items_at_indices():
    def f(n, i):
        return range(n)[i], range(3, 3 * n, 3)[i], range(n, 0, -1)[i]

    for i in range(-4, 4):
        assert tuple(map(int, myia.jit(f)(np.array(5), np.array(i)))) == f(5, i)
    for i in (-6, 5):
        with pytest.raises(IndexError, match=r"^range object index out of range"):
            myia.jit(lambda n, i: range(n)[i])(np.array(5), np.array(i))
    assert myia.jit(lambda n: range(n)[-1])(np.array(5)) == 4


@pytest.mark.parametrize("step", [-3, -1, 1, 2])
def test_what_is_in_them(step):
    def f(x, start, stop, step):
        return x in range(start, stop, step)

    compiled = myia.jit(f)
    for x in (*range(-4, 9), 2.5, 3.0, np.inf, np.nan):
        given = np.array(x)
        expected = f(x, 7, -2, step), f(x, -2, 7, step)
        found = (
            compiled(given, *map(np.array, (7, -2, step))),
            compiled(given, *map(np.array, (-2, 7, step))),
        )
        assert found == expected, x


def test_what_is_in_a_known_range():
    """It takes two comparisons, not one for each item."""

    def f(x, n):
        return x if n in range(0, 100_000, 5) and n not in range(10, 20) else -x

    for n in (15, 20, 21, -5, 100_000, 99_995):
        assert myia.jit(f)(1.5, np.array(n)) == f(1.5, n)
    assert str(myia.jit(f).ir(1.5, np.array(20))).count("\n") < 600


def test_lists_and_attributes():
    def f(n, x):
        order = list(range(n))
        order.sort(key=lambda i: -x[i])
        first = sorted(range(n), key=lambda i: x[i])[0]
        r = range(1, n, 2)
        return x[order[0]] * 2 + x[first] * r.stop + r.start + r.step + len([*map(abs, r)])

    x = np.array([0.3, 2.0, -1.0, 1.5])
    assert myia.jit(f)(np.array(4), x) == f(4, x)
    assert myia.jit(f)(np.array(2), x) == f(2, x)


def test_numbers_near_the_ends_of_64_bits():
    length = myia.jit(lambda a, b, s: len(range(a, b, s)))
    least = -(2**63)
    for ends in ((5, 0, least), (5, 0, least + 1), (0, 5, 2**63 - 1), (least, -1, 2**62)):
        assert length(*map(np.array, ends)) == len(range(*ends))
    with pytest.raises(OverflowError):
        length(np.array(-(2**62)), np.array(2**62), np.array(2**61))


@pytest.mark.parametrize("x", [np.uint8(3), np.uint8(4), np.int8(-1), np.float32(5.0), np.True_])
def test_numbers_of_numpy_in_a_range(x):
    for items in (range(9, -1, -2), range(-1, 7, 4)):
        assert myia.jit(lambda x, items=items: x in items)(x) == (x in items)


def truths(n, x):
    r, down, known = range(n), range(n, 2, -1), range(3)
    total = 0.0
    for k in r or known:
        total += (k + 1) * x
    while down:
        down = range(n, down.stop + 1, -1)
        total += 1.0
    last = r[-1] if r else -5
    return bool(r), not r, bool(range(3, n, 2)), bool(range(3, 0)), total, last, not (r and down)


def truths_of_views(n, x):
    empty, full = {}, {"a": x}
    known = [bool(d.keys()) or not d.values() or not d.items() for d in (empty, full)]
    return known, bool(empty.items()), bool(full.values()), x if not empty.keys() else -x


@pytest.mark.parametrize("f", [truths, truths_of_views])
def test_truth(f):
    compiled = myia.jit(f)
    for n in (-1, 0, 1, 4):
        assert compiled(np.array(n), 0.5) == f(n, 0.5)
