"""Lists at run-time indices: stores, slices, insertions, deletions, searches; sorting by hand.

Each program runs on a short list, of single items, and on a long one, which becomes a buffer.
"""

import copy
import warnings

import numpy as np
import pytest

import myia

SHORT = [3.0, 1.5, 2.0, 5.0, 4.25]
LONG = [((7 * i) % 23) + 0.25 * (i % 3) for i in range(20)]


def weighted(xs):
    total = 0.0
    for i in range(len(xs)):
        total += (i + 1) * xs[i] * xs[i]
    return total


def store(xs, v):
    xs[int(v)] = v * v
    return weighted(xs)


def store_negative(xs, v):
    xs[-int(v)] *= v
    return weighted(xs)


def store_out_of_range(xs, v):
    xs[int(v) + 100] = 1.0
    return weighted(xs)


def load_out_of_range(xs, v):
    xs[int(v)] = v
    return xs[-int(v) - 100]


def swap(xs, v):
    i = int(v)
    xs[i], xs[0] = xs[0], xs[i]
    return weighted(xs)


def swap_of_one(xs, v):
    i = int(v)
    xs[i], xs[2] = xs[2] * v, xs[i] * 2
    return weighted(xs)


def histogram(xs, v):
    counts = [0] * 30
    sums = [0.0] * 30
    for x in xs:
        counts[int(x)] += 1
        sums[int(x)] += x * v
    return sum(counts), sum(s * s * n for s, n in zip(sums, counts))


def insertion_sort(xs, v):
    for i in range(1, len(xs)):
        x = xs[i]
        j = i - 1
        while j >= 0 and xs[j] > x:
            xs[j + 1] = xs[j]
            j -= 1
        xs[j + 1] = x
    return weighted(xs) * v


def bubble_sort(xs, v):
    n = len(xs)
    for i in range(n):
        for j in range(n - 1 - i):
            if xs[j] > xs[j + 1]:
                xs[j], xs[j + 1] = xs[j + 1], xs[j]
    return weighted(xs) * v


def selection_sort(xs, v):
    n = len(xs)
    for i in range(n):
        least = i
        for j in range(i + 1, n):
            if xs[j] < xs[least]:
                least = j
        xs[i], xs[least] = xs[least], xs[i]
    return weighted(xs) * v


def changed_while_iterated(xs, v):
    for i, x in enumerate(xs):
        xs[i] = x * v
        xs[-1] += x
    return weighted(xs)


def quicksort(xs, v):
    lows, highs = [0] * len(xs), [0] * len(xs)
    highs[0] = len(xs) - 1
    top = 1
    while top > 0:
        top -= 1
        lo, hi = lows[top], highs[top]
        if lo >= hi:
            continue
        pivot = xs[hi]
        i = lo
        for j in range(lo, hi):
            if xs[j] < pivot:
                xs[i], xs[j] = xs[j], xs[i]
                i += 1
        xs[i], xs[hi] = xs[hi], xs[i]
        lows[top], highs[top] = lo, i - 1
        top += 1
        lows[top], highs[top] = i + 1, hi
        top += 1
    return weighted(xs) * v


def slice_to(xs, v):
    part = xs[: int(v)]
    return sum(x * x for x in part), len(part), xs


def slice_from(xs, v):
    return weighted(xs[int(v) :])


def slice_between(xs, v):
    i = int(v)
    part = xs[i : i + 2]
    part[0] = 7.0 * v  # another list
    return weighted(part), weighted(xs)


def slice_negative(xs, v):
    return weighted(xs[-int(v) :]), weighted(xs[: -int(v)]), xs[int(v) :]


def slice_empty(xs, v):
    return xs[int(v) + 100 :], xs[int(v) : 0]


def slice_stored(xs, v):
    xs[int(v) : int(v) + 2] = [v, v * v, 1.0]
    return weighted(xs), xs


def slice_deleted(xs, v):
    del xs[: int(v)]
    return weighted(xs), xs


def deleted(xs, v):
    del xs[int(v)]
    return weighted(xs)


def deleted_out_of_range(xs, v):
    del xs[int(v) + 100]
    return weighted(xs)


def inserted(xs, v):
    xs.insert(int(v), v * v)
    return weighted(xs)


def inserted_past_the_end(xs, v):
    xs.insert(int(v) + 100, v * v)
    xs.insert(-int(v) - 100, v)
    return weighted(xs)


def popped(xs, v):
    a = xs.pop(int(v))
    b = xs.pop(-int(v))
    return a * b * weighted(xs)


def popped_out_of_range(xs, v):
    return xs.pop(int(v) + 100)


def queue(xs, v):
    total = 0.0
    for i in range(len(xs) - 1):
        total = total * v + xs.pop(0)
        xs.insert(i // 2, total * 0.01)
    return total + weighted(xs)


def searched(xs, v):
    return v in xs, v * 100 in xs, xs.count(v), xs.index(v), v not in xs


def not_found(xs, v):
    return xs.index(v * 100)


def removed(xs, v):
    xs.remove(v)
    return weighted(xs)


def not_removed(xs, v):
    xs.remove(v * 100)
    return weighted(xs)


def reversed_after(xs, v):
    del xs[int(v) :]
    xs.reverse()
    return weighted(xs), weighted(xs[::-1])


def extended(xs, v):
    xs.extend(xs[: int(v)])
    return weighted(xs), xs + xs[int(v) :]


def another_name(xs, v):
    ys = xs
    ys[int(v)] = 7.0 * v
    return weighted(xs), ys is xs


def a_copy(xs, v):
    ys = list(xs)
    ys[int(v)] = 7.0 * v
    return weighted(xs), weighted(ys), ys is xs


def in_a_branch(xs, v):
    if v > 1.0:
        xs[int(v)] = v
    else:
        xs[0] = 2.0
    return weighted(xs)


def early_return(xs, v):
    for i in range(len(xs)):
        if xs[i] > 4.0 * v:
            return xs[i]
        xs[len(xs) - 1 - i] = v * xs[i]
    return 0.0


def of_tuples(xs, v):
    pairs = [(x, i) for i, x in enumerate(xs)]
    k = int(v)
    pairs[k], pairs[0] = pairs[0], (v, 7)
    return sum(a * b for a, b in pairs)


def of_none(xs, v):
    out = [None] * len(xs)
    for i in range(len(xs)):
        out[i] = xs[i] * v
    return weighted(out)


def of_arrays(xs, v):
    rows = [np.array([x, v]) for x in xs]
    rows[int(v)] = rows[0] * 2.0
    return np.sum(np.stack(rows) ** 2)


def static_after(xs, v):
    sizes = [0] * len(xs)
    for i in range(len(xs)):
        sizes[i] = i + 1
        xs[i] = xs[i] * v
    return np.sum(np.ones(sizes[2]) * xs[0])


PROGRAMS = [
    *(store, store_negative, store_out_of_range, load_out_of_range, swap, swap_of_one, histogram),
    *(insertion_sort, bubble_sort, selection_sort, quicksort, changed_while_iterated),
    *(slice_to, slice_from, slice_between, slice_negative, slice_empty, slice_stored),
    *(slice_deleted, deleted, deleted_out_of_range, inserted, inserted_past_the_end, popped),
    *(popped_out_of_range, queue, searched, not_found, removed, not_removed, reversed_after),
    *(extended, another_name, a_copy, in_a_branch, early_return, of_tuples, of_none, of_arrays),
    static_after,
]


def outcome(f, *args):
    """The value, and the arguments afterwards; or the exception."""
    try:
        return f(*args), args
    except (IndexError, ValueError) as e:
        return IndexError if isinstance(e, IndexError) else ValueError


def assert_same(got, want):
    assert type(got) is type(want)
    if isinstance(want, (list, tuple)):
        assert len(got) == len(want)
        for g, w in zip(got, want):
            assert_same(g, w)
    elif isinstance(want, (int, type)):
        assert got == want
    else:
        np.testing.assert_allclose(got, want, rtol=1e-12)


@pytest.mark.parametrize("xs", [SHORT, LONG], ids=["short", "long"])
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_as_python(f, xs):
    compiled = myia.jit(f)
    for v in (2.0, 1.5):
        want = outcome(f, copy.deepcopy(xs), v)
        got = outcome(compiled, copy.deepcopy(xs), v)
        assert_same(got, want)


DIFFERENTIABLE = [
    *(store, store_negative, swap, swap_of_one, insertion_sort, bubble_sort, selection_sort),
    *(quicksort, slice_from, deleted, inserted, inserted_past_the_end, popped, queue, in_a_branch),
    *(early_return, of_tuples, of_none, of_arrays, static_after),
]


@pytest.mark.parametrize("xs", [SHORT, LONG[:11]], ids=["short", "long"])
@pytest.mark.parametrize("order", [1, pytest.param(2, marks=pytest.mark.slow)])
@pytest.mark.parametrize("f", DIFFERENTIABLE, ids=lambda f: f.__name__)
def test_derivatives(f, order, xs):
    def of(xs, v):
        return f(list(xs), v) * 0.01

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        myia.check_grads(of, (xs, 2.5), order=order)


def test_gradient_inside_of_a_loop():
    def step(xs, v):
        def sorted_sum(ys):
            ys = list(ys)
            for _ in range(len(ys)):
                for j in range(len(ys) - 1):
                    if ys[j] > ys[j + 1]:
                        ys[j], ys[j + 1] = ys[j + 1], ys[j]
            return weighted(ys)

        total = 0.0
        for _ in range(3):
            gradient = myia.grad(sorted_sum)(xs)
            xs = [x - 0.01 * v * g for x, g in zip(xs, gradient)]
            total += sorted_sum(xs)
        return total

    xs = LONG[:10]

    def by_hand(xs, v):
        total = 0.0
        for _ in range(3):
            order = np.argsort(xs, kind="stable")
            g = np.empty(len(xs))
            g[order] = 2 * (np.arange(len(xs)) + 1) * np.array(xs)[order]
            xs = [x - 0.01 * v * d for x, d in zip(xs, g)]
            total += weighted(sorted(xs))
        return total

    np.testing.assert_allclose(myia.jit(step)(xs, 0.5), by_hand(xs, 0.5), rtol=1e-12)


def ops_of(f, *args):
    return f.ir(*args)["typed"].count("\n")


def test_a_sort_by_hand_is_a_loop():
    def program(xs):
        return insertion_sort(xs, 1.0)

    few, many = (ops_of(myia.jit(program), [float(i) for i in range(n)]) for n in (40, 400))
    assert many - few <= 3 * 360  # what each item needs to enter the list


def test_a_changed_list_is_compared():
    def program(xs, v):
        ys = list(xs)
        ys[int(v)] = xs[int(v)]
        zs = list(ys)
        zs[int(v)] = -1.0
        return xs == ys, ys == zs, zs < ys

    for xs in (SHORT, LONG):
        assert myia.jit(program)(xs, 2.0) == program(xs, 2.0) == (True, False, True)


def sliding(xs, v):
    for i in range(len(xs) - 1):
        xs[i : i + 2] = [xs[i + 1] * v, xs[i]]
    return weighted(xs)


def repeatedly_extended(xs, v):
    for i in range(4):
        xs.extend(xs[: i + int(v)])
    return weighted(xs)


def test_edits_in_loops():
    for f in (sliding, repeatedly_extended):
        for xs in (SHORT, LONG):
            want, got = outcome(f, list(xs), 1.5), outcome(myia.jit(f), list(xs), 1.5)
            assert_same(got, want)


def grown(x):
    while x < 3.0:
        yield x
        x = x * 1.5


def unpacked_selection(xs, v):
    return max([0.1, *[w * w for w in xs if w > v], v])


def unpacked_generator(xs, v):
    return sum([v, *grown(v), *(1.0, v), *xs])


def unpacked_in_a_loop(xs, v):
    found = []
    for k in range(3):
        found = [*found, v * k, *[w for w in xs if w > k * v]]
    return weighted(found)


@pytest.mark.parametrize("f", [unpacked_selection, unpacked_generator, unpacked_in_a_loop])
def test_lists_of_run_time_length_are_unpacked(f):
    compiled, gradient = myia.jit(f), myia.grad(f, argnums=1)
    for v in (0.4, 1.1, 7.0):
        assert compiled(SHORT, v) == pytest.approx(f(SHORT, v), rel=1e-14)
        slope = (f(SHORT, v + 1e-6) - f(SHORT, v - 1e-6)) / 2e-6
        assert gradient(SHORT, v) == pytest.approx(slope, rel=1e-6)
