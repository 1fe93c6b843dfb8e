"""Numbers of two kinds in lists and tuples, and as what NumPy makes an array of."""

from __future__ import annotations

import math
import operator
from bisect import bisect_left
from itertools import repeat

import numpy as np
import pytest

import myia
from myia import MyiaError
from tests.infer.number_kinds.test_joins import assert_as_python, assert_same

BYTES = np.array([100, 27], np.int8)
BOOLS = np.array([True, True])
FLOATS = np.array([0.5, 3.0], np.float32)


# ----- Arrays made of them


def stacked(x, a):
    v = a[0] if x > 1 else 300
    return np.stack([v, v]) + np.int8(1), len(np.hstack([v, v]))


def joined_rows(x, a):
    v = a[0] if x > 1 else 300
    return np.concatenate([[v], [1]]), np.r_[v, np.float32(2.5)]


def reduced(x, a):
    v = a[0] if x > 1 else 300
    return np.sum([v, v]), np.max((v, 1)) * 2, np.mean([v, a[1]])


def elementwise(x, a):
    v = a[0] if x > 1 else 300
    return np.where(x > 0.5, [v, v], 1)[0] + 100, a.astype(np.float32) * [v, 2]


def two_at_a_time(x, a):
    v, w = (a[0] if x > 1 else 300), (a[1] if x > 2 else 500)
    return np.sum([v, w, w]), np.sum([[v, 1], [2, v]])


def decided_by_another(x, a):
    v = a[0] if x > 1 else 300
    return np.sum([v, 0.25]), np.array([v, a[1].astype(np.int64)]) * 2


ARRAYS = [stacked, joined_rows, reduced, elementwise, two_at_a_time, decided_by_another]


@pytest.mark.parametrize("x", [0.0, 2.0, 3.0])
@pytest.mark.parametrize("f", ARRAYS, ids=lambda f: f.__name__)
@pytest.mark.filterwarnings("ignore:overflow encountered")
def test_arrays_have_the_dtype_of_each_kind(f, x):
    def elements(found):
        return tuple((y.dtype.name, y.tolist()) for y in map(np.asarray, found))

    assert elements(myia.jit(f)(x, BYTES)) == elements(f(x, BYTES))


def test_so_many_kinds_are_refused():
    def f(x, a):
        return np.sum([a[0] if x > k else 300 for k in range(12)])

    with pytest.raises(MyiaError, match="so many numbers of several kinds"):
        myia.jit(f)(2.0, BYTES)


# ----- Lists of one kind


def bool_in_a_tuple(x, a):
    return ((a[0], 1), (300, 2))[int(x) % 2][0] + a[0]


def int_beside_bools(x, a):
    xs = [a[0], a[1], a[0]]
    xs[int(x) % 2] = 7
    return xs[2] + xs[2]


def bool_beside_numbers(x, a):
    xs = [a[0], a[1]]
    xs[int(x) % 2] = True
    return xs[0] * 0.1


def byte_beside_bools(x, a):
    xs = [False, True]
    xs[int(x) % 2] = a[0]
    return xs[1] + 200


def wide_int_beside_floats(x, a):
    xs = [a[0], a[1]]
    xs[int(x) % 2] = 16777217
    return int(xs[int(x) % 2])


def run_time_int_beside_floats(x, a):
    xs = [a[0], a[1]]
    xs[int(x) % 2] = int(x * 16777217)
    return int(xs[int(x) % 2])


def appended_to_halves(x, a):
    xs = []
    for i in range(int(x) + 1):
        xs.append(a[i % 2])
    xs.append(70000)
    return xs[-1]


def fraction_beside_complex(x, a):
    return ((a[0], 1), (0.1, 2))[int(x) % 2][0]


REFUSED = [
    (bool_in_a_tuple, BOOLS),
    (int_beside_bools, BOOLS),
    (bool_beside_numbers, FLOATS),
    (bool_beside_numbers, BYTES),
    (byte_beside_bools, BYTES),
    (wide_int_beside_floats, FLOATS),
    (run_time_int_beside_floats, FLOATS),
    (appended_to_halves, FLOATS.astype(np.float16)),
    (fraction_beside_complex, np.array([1j, 2], np.complex64)),
]


@pytest.mark.parametrize(("f", "a"), REFUSED, ids=lambda x: getattr(x, "__name__", None))
def test_a_list_does_not_change_its_numbers(f, a):
    with pytest.raises(MyiaError):
        myia.jit(f)(1.0, a)


def filled_with_floats(x, a):
    xs, ys = [0] * 3, [0.0] * 3
    for i in range(3):
        xs[i] = a[i % 2] * i
        ys[(i + int(x)) % 3] = a[0] * i
    return xs[2], ys[int(x)], ys


def small_numbers_beside_floats(x, a):
    xs = [a[0], a[1]]
    for i in range(2):
        xs[(i + int(x)) % 2] = i
    xs[int(x) % 2] = 0.5
    return xs[int(x) % 2], xs[1 - int(x) % 2]


@pytest.mark.parametrize("x", [0.0, 1.0])
@pytest.mark.parametrize("f", [filled_with_floats, small_numbers_beside_floats])
def test_a_list_of_floats_holds_what_is_exact(f, x):
    wanted, found = f(x, FLOATS), myia.jit(f)(x, FLOATS)
    np.testing.assert_array_equal(np.hstack(found), np.hstack(wanted))
    assert found[0].dtype == np.float32


# ----- The same value of two kinds


def python_or_numpy(x, a):
    v = a[0] if x > 1 else 300
    return v.item() if x > 1 else v


def shown(x, a):
    v = a[0] if x > 1 else 300
    w = [a[0], 300][int(x) % 2]
    print(f"{v + 1} {w}", f"{(True if x > 1 else x)}")


@pytest.mark.parametrize("x", [0.0, 2.0])
def test_a_python_number_beside_its_own_numpy_number(x):
    assert_as_python(python_or_numpy, x, BOOLS)


@pytest.mark.parametrize("x", [0.0, 2.0])
def test_what_is_printed(x, capfd):
    shown(x, BYTES)
    wanted = capfd.readouterr().out
    myia.jit(shown)(x, BYTES)
    assert capfd.readouterr().out == wanted


# ----- Narrow integers as counts and indices


def repeated(x, a):
    return sum([x, 2.0, 3.0] * a[0]), len([x] * a[0]) + 100


def ranges(x, a):
    t = 0
    for i in range(a[0]):
        t += i
    inner = range(a[1], a[0])
    return t, len(range(a[0])) + 100, inner.start + 200, inner.stop + 200, inner[2] + 100


def counted_items(x, a):
    return [(i + 100, v) for i, v in enumerate([x, 1.0], a[0])]


def repeated_forever(x, a):
    t = 0.0
    for v in repeat(x, a[0]):
        t += v
    return t


def searched(x, a):
    return bisect_left([0.0, 1.0, x, 9.0], 1.5, a[1]) + 100


def integers_of_math(x, a):
    return math.gcd(a[0], 12) + 100, math.comb(a[0], 2), operator.index(a[0]) * 100


COUNTS = [repeated, ranges, counted_items, repeated_forever, searched, integers_of_math]


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.uint32, np.uint64])
@pytest.mark.parametrize("f", COUNTS, ids=lambda f: f.__name__)
def test_counts_are_ints_of_python(f, dtype):
    a = np.array([100, 2], dtype)
    assert_same(myia.jit(f)(2.0, a), f(2.0, a))


def test_a_count_beyond_64_bits_is_an_error():
    def f(n, k):
        t = 0
        for i in range(n, k, -n):  # of unsigned integers the step is 2**64 - n
            t += i
        return t

    with pytest.raises(OverflowError):
        myia.jit(f)(np.uint64(100), np.uint64(2))
