"""Views and arrays chosen at run time, then written: None or a view, views of several arrays,
shapes and dtypes; and what Python raises of a None that a handler catches."""

from __future__ import annotations

import copy

import numpy as np
import pytest

import myia
from myia.infer.domain.heap import ArrayObject, Heap, SelectedArray
from myia.infer.domain.heap_arrays import read_array, read_view
from myia.infer.domain.values import Scalar
from myia.infer.domain.views import StridedSlice
from myia.ir.avals import I64, Aval
from myia.ir.builder import Builder
from myia.ir.core import Value
from tests.infer.driver import assert_value_and_derivative, run

N = np.array([5])


def grid(x):
    return np.arange(15.0).reshape(5, 3) * x


def found_in_a_loop(x, n):
    a, best = grid(x), None
    for i in range(n[0]):
        if a[i, 0] + i * x > 1.5:
            best = a[i]
        if best is not None:
            best[1] += x
        a[:, 2] *= 1.1
    if best is not None:
        best[0] = x * x
    return np.sum(a * a)


def picked_again_and_again(x, n):
    a = grid(x)
    for _ in range(n[0]):
        best = None
        for i in range(5):
            if best is None or np.sum(a[i]) > np.sum(best):
                best = a[i]
        best *= 0.5
    return np.sum(a * a)


def returned_early(x, n):
    a = grid(x)

    def find(t):
        for i in range(n[0]):
            if a[i, 0] > t:
                return a[i, 1:]
        return None

    v = find(3.0)
    if v is not None:
        v[1] = x * x
    return np.sum(a * a) + (1.0 if find(1e3) is None else 2.0)


def broken_off(x, n):
    a, v, held = grid(x), None, {"v": None}
    for i in range(n[0]):
        if a[i, 0] > 5.0:
            v = a[i, 1:]
            held["v"] = a[i]
            break
    if v is None:
        v = a[4, 1:]
    v[0] = x * x
    if held["v"] is not None:
        held["v"][2] += v[0]
    return np.sum(a * a)


def written_by_a_closure(x, n):
    a, best = grid(x), None

    def see(i):
        nonlocal best
        if best is None or a[i, 0] > best[0]:
            best = a[i]

    for i in range(n[0]):
        see(i)
    best += x
    return np.sum(a * a)


def never_found(x, n):
    a, b, c = grid(x), None, grid(x)[4]
    for i in range(n[0] - 5):
        b = c = a[i]
    if b is None:
        a[2] *= x
    else:
        b[0] = 3.0
    c[0] = 1.0
    return np.sum(a * a)


def of_two_arrays(x, n):
    a, b = grid(x), np.ones((5, 3)) * x
    v, best = a[0], None
    for i in range(n[0]):
        if b[i, 0] + i > 2.0:
            v = b[i]
        if a[i, 0] * i > 3.0:
            best = a[i]
        elif b[i, 1] > 0.5:
            best = b[i]
        v[0] += x
        v *= 1.1
    if best is not None:
        best[0] = x * x
    return np.sum(a * a) + np.sum(b) * 2.0


def of_two_shapes(x, n):
    a = grid(x)
    v = a[0] if x > 0.5 else a[1:, 1]
    w, u = v, v[1:]
    v[:] = v * 2.0 + x
    u[0] = 5.0 * x
    for k in range(len(v)):
        w[k] *= x
    return np.sum(a**2) + np.sum(u) + (2.0 if v is w else 0.0)


def of_two_ranks(x, n):
    a = grid(x)
    v = a[0] if x > 0.5 else a[:2]
    v *= 2.0
    total = 0.0
    for row in v:
        total += np.sum(row * row) * x
    return total + np.sum(a**3) + v.ndim * np.sum(v @ np.ones(3))


def shapes_in_loops(x, n):
    a = grid(x)
    v = a[0]
    for i in range(n[0] - 1):
        if i * x > 1.0:
            v = a[i, :2]
        w = a[i] if x * i < 2.0 else a[i, :2]
        v[0] += x
        w *= 1.1
    return np.sum(a * a)


def dtypes(x, n):
    y, z = np.zeros(3, int) if x > 0.5 else np.zeros(3), np.zeros(3, int)
    y[0] = 2
    y[1] += 1
    for _ in range(n[0]):
        z = z + np.ones(3) * x
        z[0] *= 2
    return np.sum(y) * x + np.sum(z * z)


def chosen_by_exceptions(x, n):
    a = grid(x)
    try:
        if x > 1.0:
            raise ValueError("large")
        v = a[1]
    except ValueError:
        v = a[2, :2]
    v[0] = x * x
    return np.sum(a * a)


def carried_tuples(x, n):
    o = (x, 1.0)
    while o[0] < 20.0:
        o = (o[0] * 1.5, o[1] + x, x)
    return o[0] * o[1] + len(o) + sum(o)


def linked_list(x, n):
    o = None
    for i in range(12):
        o = (x * i, o)
    total = 0.0
    while o is not None:
        total += o[0] ** 2
        o = o[1]
    return total


PROGRAMS = [
    *(found_in_a_loop, picked_again_and_again, returned_early, broken_off, written_by_a_closure),
    *(never_found, of_two_arrays, of_two_shapes, of_two_ranks, shapes_in_loops, dtypes),
    *(chosen_by_exceptions, carried_tuples, linked_list),
]


@pytest.mark.parametrize("f", PROGRAMS)
def test_values_and_derivatives(f):
    for x in (0.31, 0.71, 1.31):
        assert_value_and_derivative(f, x, N)


@pytest.mark.slow
@pytest.mark.parametrize("f", PROGRAMS)
def test_second_derivatives(f):
    for x in (0.31, 0.71, 1.31):
        myia.check_grads(lambda x: f(x, N), (x,), order=2)


def test_arguments_are_changed_and_results_are_views():
    def f(a, x):
        v = a[0] if x > 0.5 else a[1:, 1]
        v[0] = x
        return v, v.shape, np.arange(2) if x > 0.5 else np.ones((2, 2))

    for x in (0.3, 0.7):
        a, b = np.ones((3, 3)), np.ones((3, 3))
        found, expected = myia.jit(f)(a, x), f(b, x)
        np.testing.assert_array_equal(a, b)
        np.testing.assert_array_equal(found[0], expected[0])
        assert found[1] == expected[1]
        assert found[2].dtype == expected[2].dtype
        np.testing.assert_array_equal(found[2], expected[2])


class Point:
    def __init__(self, v):
        self.v = v

    def get(self):
        return self.v


def use_item(b):
    return b[0]


def use_store(b):
    b[0] = 1.0


def use_attribute(b):
    return b.v


def use_new_attribute(b):
    b.v = 3.0


def use_sum(b):
    return 1.0 + b


def use_call(b):
    return b()


def use_loop(b):
    return [v for v in b]


def use_parts(b):
    first, _ = b
    return first


def use_order(b):
    return b < 1.0


def use_len(b):
    return len(b)


USES = {
    **dict.fromkeys((use_item, use_store), lambda x: np.ones(2) * x),
    **dict.fromkeys((use_loop, use_parts, use_len), lambda x: (x, x)),
    **dict.fromkeys((use_attribute, use_new_attribute), Point),
    **dict.fromkeys((use_sum, use_order), lambda x: x),
    use_call: lambda x: Point(x).get,
}


@pytest.mark.parametrize("use", USES)
def test_python_s_error_of_none_is_caught(use):
    make = USES[use]

    def f(x):
        b = None
        for i in range(4):
            if x * i > 1.2:
                b = make(x)
        try:
            use(b)
        except (TypeError, AttributeError) as e:
            return x * x, str(e)
        return x, ""

    for x in (0.3, 0.7):
        assert run(f, x) == f(x)
    assert myia.grad(lambda x: f(x)[0])(0.3) == 0.6


@pytest.mark.parametrize("q", [0.3, 0.6])
def test_a_view_that_a_write_makes_out_of_date_is_an_option(q):
    def f(q, x, y):
        for _ in range(2):
            if q > 0.5:
                y += sum(x)
            for k in range(3):
                for e in (y[0], q * 2.0):
                    if e > 0.7:
                        break
                    x = y[::-1]
                else:
                    y[k] = 0.3 * q
        return x[0] + x @ y * q

    args, copies = [(q, np.array([0.1, 0.2, 0.3]), np.array([0.4, 0.5, 0.6])) for _ in range(2)]
    np.testing.assert_allclose(run(f, *args), f(*copies), rtol=1e-14)
    np.testing.assert_allclose(args[2], copies[2], rtol=1e-14)


def test_what_is_refused():
    def copied(x):
        best = None
        for i in range(int(3 * x)):
            row = np.arange(4.0) * x
            best = row[1:]
            row[1] = i
        best[0] = 1.0
        return best

    with pytest.raises(myia.MyiaError, match="keep the index of the view, and write to the array"):
        myia.jit(copied)(1.0)

    def endless(x, n):
        o = (x, None)
        for i in range(n[0]):
            o = (x * i, o)
        return o[0]

    with pytest.raises(myia.MyiaError, match="a value of another form in each iteration"):
        myia.jit(endless)(1.0, copy.copy(N))


def test_options_of_several_choices_are_read_once():
    """Here the paths to the first arrays double with each choice."""
    heap, index = Heap(), Scalar(Value(I64, "k"), True)
    arrays = [heap.new(ArrayObject(Value(Aval(np.dtype(float), (3,)), name))) for name in "ab"]
    for _ in range(20):
        pairs = (arrays, arrays[::-1])
        arrays = [heap.new(SelectedArray(index, tuple(pair))) for pair in pairs]
    element = StridedSlice((1,), (1,), (1,), ())
    with Builder() as builder:
        whole, part = read_array(heap, arrays[0]), read_view(heap, arrays[0], element)
    assert (whole.shape, part.shape) == ((3,), ())
    assert len(builder.ops) < 1000


def test_a_store_through_a_view_of_one_of_two_names_of_an_array():
    def f(x, y):
        y = a = x
        for _ in range(2):
            for _ in range(1):
                x, y = y, x
            y = x[::1]
            if a[1] > 0.0:
                y = a
            y[2] *= 1.5
        return np.sum(x * y) + a[2]

    for first in (0.5, -0.5):
        x = np.array([0.3, first, 0.1])
        assert myia.jit(f)(x.copy(), x.copy()) == f(x.copy(), x.copy())
