"""A subscript that is an array without dimensions selects as arrays do: a copy, not a view."""

import numpy as np
import pytest

import myia


def swapped_rows(a, i, j):
    a[i], a[j] = a[j], a[i]
    return a * 1.0


def row_changed(a, i, j):
    row = a[i]
    row[0] = 99.0
    a[j] += row
    return a * 1.0


def column_changed(a, i, j):
    column = a[:, i]
    column += 1.0
    return a * 1.0 + column.sum()


def beside_a_slice(a, i, j):
    part = a[i, :1]
    part[:] = 7.0
    return a * 1.0


def base_changed(a, i, j):
    row = a[i]
    a[i] = 5.0
    return row * a[j]


def made_inside(a, i, j):
    k = np.array(j)
    row = a[k]
    row *= 2.0
    return a + row


def of_run_time_size(a, i, j):
    b = a[a[:, 0] > -9.0]
    row = b[i]
    row[:] = 3.0
    return b * 1.0


PROGRAMS = [
    *(swapped_rows, row_changed, column_changed, beside_a_slice, base_changed, made_inside),
    of_run_time_size,
]
CASES = [(f, np.array) for f in PROGRAMS]
# Of run-time size a view would be read-only.
CASES += [(f, make) for f in PROGRAMS if f is not of_run_time_size for make in (int, np.int64)]


@pytest.mark.parametrize("f, make", CASES)
def test_value_and_argument(f, make):
    a, b = (np.arange(1.0, 7.0).reshape(3, 2) for _ in range(2))
    found, expected = myia.jit(f)(a, make(1), make(0)), f(b, make(1), make(0))
    np.testing.assert_array_equal(found, expected)
    np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("f", PROGRAMS)
def test_gradient(f):
    a, direction = (
        np.arange(1.0, 7.0).reshape(3, 2),
        np.array([[1.0, -2.0], [0.5, 3.0], [-1.0, 2.0]]),
    )
    i, j, h = np.array(1), np.array(0), 1e-6
    weights = np.cos(np.arange(6.0)).reshape(3, 2)

    def loss(a):
        return np.sum(f(a.copy(), i, j) * weights)

    expected = (loss(a + h * direction) - loss(a - h * direction)) / (2 * h)
    assert np.sum(myia.grad(loss)(a) * direction) == pytest.approx(expected, rel=1e-7, abs=1e-7)


def row_of_what_changes_its_kind(a, i):
    for _ in range(2):
        i = i + 0 if a[0, 0] > 0.0 else i
    return a[i]


def test_what_may_be_a_view_or_a_copy_can_be_read():
    def f(a, i):
        return row_of_what_changes_its_kind(a, i) * 2.0

    a = np.arange(1.0, 7.0).reshape(3, 2)
    np.testing.assert_array_equal(myia.jit(f)(a, np.array(1)), f(a, np.array(1)))


def test_what_may_be_a_view_or_a_copy_is_not_written_to():
    def f(a, i):
        row = row_of_what_changes_its_kind(a, i)
        row[0] = 9.0
        return a * 1.0

    with pytest.raises(myia.MyiaError, match="cannot write into a view, or a copy if the index"):
        myia.jit(f)(np.ones((3, 2)), np.array(1))


def test_what_may_be_a_view_or_a_copy_is_not_read_after_a_write_to_the_array():
    def f(a, i):
        row = row_of_what_changes_its_kind(a, i)
        a[0] = 9.0
        return row * 1.0

    with pytest.raises(myia.MyiaError, match="may have been changed through another name"):
        myia.jit(f)(np.ones((3, 2)), np.array(1))
