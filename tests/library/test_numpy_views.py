"""Views and copies: a write is visible through exactly those arrays that share memory in NumPy."""

import copy

import numpy as np
import pytest

from myia.source.diagnostics import MyiaError
from tests.infer.driver import assert_same, run


def reshaped(x):
    y, z, w = x.reshape(-1), x.ravel(), x.flatten()
    y[0], z[1], w[2] = 9, 8, 7
    return x, y, z, w


def reshaped_transpose(x):
    y = x.T.reshape(-1)
    y[0] = 99.0
    return x, y


def reshaped_rows(x):
    y, z = x[::2].reshape(-1), x[1:].reshape(2, 2, 2)
    y[0], z[0, 0, 0] = 99.0, 5.0
    return x, y, z


def raveled_columns(x):
    y = x[:, ::2].ravel()
    y[0] = 5.0
    return x, y


def reshaped_sum(x):
    y = x + 1
    z = y.reshape(-1)
    z[0] = 5.0
    return y, z


def reshaped_reduction(x):
    y = np.sort(np.cumsum(x, axis=0))
    z = y.reshape(-1)
    z[0] = 5.0
    return y, z


def split_and_flipped(x):
    p, q = np.split(x, 2, axis=1)
    p[0, 0] = 3.0
    q[:] += 1
    u = np.flip(x, 0)
    u[0, 0] = -1.0
    return x, p, q, u


def axes_added_and_moved(x):
    e = np.expand_dims(x, 0)
    e[0, 0, 0] = 4.0
    s = np.squeeze(e)
    s[1, 1] = 6.0
    m = np.moveaxis(x, 0, -1)
    m[0, 2] = 11.0
    a = np.atleast_2d(x[0])
    a[0, 3] = 1.5
    return x, e, s, m, a


def read_only_views(x):
    d, b = np.diag(x[:, :3]), np.broadcast_to(x[0], (2, 4))
    s = d.sum() + b.sum()
    x[0, 0] = 5.0
    return s, x


def copies(x):
    a, b, c, d = np.asarray(x), np.array(x), x.copy(), np.copy(x)
    a[0, 0] = 3.0
    b[0, 0] = 4.0
    c += 1
    d[0] = 0
    return x, a, b, c, d


def filled(x):
    x.fill(2.5)
    y = np.zeros(3)
    y.fill(1)
    np.copyto(y[1:], x[0, :2])
    return x, y


def sorted_in_place(x):
    x.sort()
    y = x[::-1].copy()
    y.sort(axis=0)
    return x, y


def written_out(x):
    y, z = np.empty_like(x), np.zeros(4)
    np.add(x, 1, out=y)
    np.multiply(x, 2, y)
    np.sin(x, out=x)
    np.sum(x, axis=0, out=z)
    return x, y, z


def added_at(x):
    idx = np.array([0, 0, 2])
    np.add.at(x, idx, 1.0)
    np.subtract.at(x, (1, slice(None)), [1, 2, 3, 4])
    row = x[0]
    np.add.at(row, [1, 1, -1], np.array([1.0, 2.0, 3.0]))
    return x


def absolute_is_new(x):
    y, z = abs(x), abs(x > 3)
    y[0, 0] = 7.0
    z[0, 0] = True
    return x, y, z, x > 3


PROGRAMS = [
    reshaped, reshaped_transpose, reshaped_rows, raveled_columns, reshaped_sum,
    reshaped_reduction, split_and_flipped, axes_added_and_moved, read_only_views, copies, filled,
    sorted_in_place, written_out, added_at, absolute_is_new,
]  # fmt: skip


@pytest.mark.parametrize("f", PROGRAMS)
def test_writes_are_seen_as_in_numpy(f):
    x = np.array([[3.0, 1, 2, 0], [4, 9, 7, 8], [5, 6, 11, 10]])
    theirs, ours = x.copy(), x.copy()
    wanted = copy.deepcopy(f(theirs))
    assert_same(run(f, ours), wanted)
    assert_same(ours, theirs)


def real_part(c):
    r = c.real
    r[:] = 5.0
    c.imag[1] = 9.0
    return c, r


def test_parts_of_complex_arrays_are_views():
    theirs, ours = (np.array([1 + 2j, 3 - 1j]) for _ in range(2))
    wanted = real_part(theirs)
    assert_same(run(real_part, ours), wanted)


# ----- What may be a view or a copy is refused once that matters


def write_the_copy(x):
    y = x.reshape(-1)
    y[0] = 5.0
    return x


def write_the_source(x):
    y = x.ravel()
    x[0, 0] = 5.0
    return y


def write_a_sum(x):
    y = x + 1
    z = y.reshape(-1)
    y[0, 0] = 5.0
    return z


def write_under_a_diagonal(x):
    y = np.diag(x)
    x[0, 0] = 5.0
    return y


@pytest.mark.parametrize(
    "f", [write_the_copy, write_the_source, write_a_sum, write_under_a_diagonal]
)
def test_unknown_layouts_are_refused_when_it_matters(f):
    with pytest.raises(MyiaError, match="may have been changed through another name"):
        run(f, np.asfortranarray(np.arange(9.0).reshape(3, 3)))


@pytest.mark.parametrize(
    "f",
    [lambda x: np.diag(x).fill(0), lambda x: np.broadcast_to(x, (2, 3, 3)).fill(0)],
    ids=["diag", "broadcast_to"],
)
def test_read_only_views_are_not_written_to(f):
    with pytest.raises(MyiaError, match="cannot write into"):
        run(f, np.ones((3, 3)))


def test_axes_of_length_one_make_views_of_any_layout():
    def f(x):
        x.reshape(1, 3, 3, 1)[0, 0, 0] = 5.0
        return x

    x = np.asfortranarray(np.arange(9.0).reshape(3, 3))
    assert_same(run(f, x.copy(order="F"))[0, 0], np.float64(5.0))
