"""Arrays that grow in loops without a bound, and arrays of run-time size that are joined."""

import jax
import numpy as np
import pytest

import myia
from myia.infer import capacities
from tests.default_run import every

SIZES = ([3], [9], [50], [0])


def appended(x, n):
    v, i = np.zeros(1), 0
    while i < n[0]:
        v = np.append(v, x * i)
        v[i // 2] += 1.0
        i += 1
    return v, v[1:] - v[:-1], v.max(), len(v)


def until_long(x, n):
    v = np.array([x])
    while True:
        v = np.r_[v, v[-1] * 0.5 + 1.0]
        if len(v) > n[0]:
            break
        if v[-1] > 1e9:
            return v * 0.0
    return v


def rows(x, n):
    m, one = np.zeros((0, 3)), np.ones((2, 1))
    for i in range(n[0]):
        m = np.vstack([m, np.array([x, i, x * i])])
        one = np.hstack([one, np.array([[x], [i]])])
    return m, m[:, 1], one, m.ravel(), one.flatten(), m.reshape(-1)


def branches(x, n):
    v, w = np.zeros(0), np.zeros(0)
    for i in range(n[0]):
        if i % 3 == 0:
            v = np.append(v, x * i)
        elif i % 3 == 1:
            w = np.concatenate([w, np.arange(i) * x])
        else:
            v, w = w, v
    return v, w


def nested(x, n):
    v = np.zeros(0)
    for i in range(n[0]):
        j = 0
        while j < i % 4:
            v = np.append(v, x * j + i)
            j += 1
        v = np.append(v, -1.0)
    return v


def shrinking(x, n):
    v = np.arange(20.0) * x
    while len(v) > n[0] and len(v) > 2:
        v = v[v > v.mean() - x]
        v = v[1:]
    return v


def unique(x, n):
    seen = np.zeros(0, dtype=int)
    for i in range(n[0]):
        seen = np.unique(np.append(seen, (i * 7) % 11))
    return seen


def from_lists(x, n):
    parts = [np.array([x, -1.0])]
    for i in range(n[0]):
        parts.append(np.array([x * i, i]))
    return np.concatenate(parts), np.hstack(parts), np.vstack(parts), np.column_stack(parts)


def put_in_and_left_out(x, n):
    v = np.arange(4.0) * x
    for i in range(n[0]):
        v = np.insert(v, i % 4, x * i)
        if i % 3:
            v = np.delete(v, -1 - i % 4)
    return v, np.delete(np.arange(5.0), n[0] % 5), np.insert(np.arange(5), -(n[0] % 5), [7, x])


PROGRAMS = [
    put_in_and_left_out,
    appended,
    until_long,
    rows,
    branches,
    nested,
    shrinking,
    unique,
    from_lists,
]


@pytest.mark.parametrize("f", PROGRAMS)
def test_growth_from_room_for_three_elements(f, monkeypatch):
    monkeypatch.setattr(capacities, "FIRST_CAPACITY", 3)
    compiled = myia.jit(f)
    for n in SIZES:
        got, want = compiled(2.5, np.array(n)), f(2.5, np.array(n))
        jax.tree_util.tree_map(np.testing.assert_array_equal, got, want)


def energy(x, n):
    v, i = np.array([x]), 0
    while i < n[0]:
        v = np.append(v, 0.9 * np.sin(v[-1]) + 0.1 * x * v[i // 2])
        i += 1
    return (v * v).sum() + v[0] * v[-1]


def last(x, n):
    v, i = np.array([x]), 0
    while i < n[0]:
        v = np.append(v, 0.9 * v[-1] * v[i // 2])
        i += 1
    return v[-1]


@pytest.mark.parametrize("capacity", every(3, [16, 3, 100]))
def test_derivatives_at_every_capacity(capacity, monkeypatch):
    n, h = np.array([12]), 1e-5
    gradient = myia.grad(energy)
    second = myia.grad(gradient)
    want = myia.jit(energy)(1.3, n), gradient(1.3, n), second(1.3, n)
    monkeypatch.setattr(capacities, "FIRST_CAPACITY", capacity)
    first = myia.grad(energy)
    found = myia.jit(energy)(1.3, n), first(1.3, n), myia.grad(first)(1.3, n)
    np.testing.assert_allclose(found, want, rtol=1e-14)  # sums of arrays are those of their room
    assert myia.jit(last)(1.3, n) == last(1.3, n)
    differences = (energy(1.3 + h, n) - energy(1.3 - h, n)) / (2 * h)
    np.testing.assert_allclose(want[1], differences, rtol=1e-7)
    slopes = (gradient(1.3 + h, n) - gradient(1.3 - h, n)) / (2 * h)
    np.testing.assert_allclose(want[2], slopes, rtol=1e-6)
    _, tangent = myia.jvp(lambda x: energy(x, n), (1.3,), (1.0,))
    np.testing.assert_allclose(tangent, want[1], rtol=1e-12)


def test_a_bounded_loop_needs_no_second_run():
    def f(x, n):
        v = np.array([x])
        for i in myia.bounded(range(n[0]), 80):
            v = np.append(v, x * i)
        return v

    compiled = myia.jit(f)
    for n in ([3], [70]):
        np.testing.assert_array_equal(compiled(1.5, np.array(n)), f(1.5, np.array(n)))
    assert compiled.compiles == 1


def test_sizes_of_parts_that_differ():
    def f(x, n):
        return np.vstack([x[: n[0]], np.ones(2)])

    x = np.arange(4.0)
    np.testing.assert_array_equal(myia.jit(f)(x, np.array([2])), f(x, np.array([2])))
    with pytest.raises(ValueError, match="must match exactly"):
        myia.jit(f)(x, np.array([3]))


@pytest.mark.parametrize("join", [np.concatenate, np.stack, np.vstack])
def test_an_empty_list_has_nothing_to_join(join):
    def f(n):
        return join([np.ones(2) * i for i in range(n[0])])

    np.testing.assert_array_equal(myia.jit(f)(np.array([2])), f(np.array([2])))
    with pytest.raises(ValueError, match="need at least one array"):
        myia.jit(f)(np.array([0]))


def test_an_empty_list_of_integers_is_an_array_of_floats():
    def f(n, dtype=None):
        return np.array([i for i in range(n[0])], dtype)

    np.testing.assert_array_equal(myia.jit(f)(np.array([2])), [0, 1])
    with pytest.raises(ValueError, match="an empty list makes an array of float64, not int64"):
        myia.jit(f)(np.array([0]))
    assert myia.jit(lambda n: f(n, int))(np.array([0])).dtype == int


def test_a_raveled_array_is_read_only_and_never_out_of_date():
    def written(x, n):
        m = x[: n[0]]
        y = m.ravel()
        y[0] = 1.0
        return y

    def read(x, n):
        m = np.zeros((n[0], 2))
        y = m.ravel()
        m[0, 0] = 1.0
        return y

    for f in (written, read):
        with pytest.raises(myia.MyiaError, match=r"cannot write|changed through another name"):
            myia.jit(f)(np.ones((3, 2)), np.array([2]))


def test_refused_under_jax():
    with pytest.raises(myia.MyiaError, match="an array grows without a bound"):
        jax.jit(myia.jit(energy))(1.3, np.array([3]))
