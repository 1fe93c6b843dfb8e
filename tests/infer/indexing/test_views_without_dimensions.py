"""`a[1, ...]`: an array without dimensions is a view, where `a[1]` is a number, a copy."""

import copy
import functools
import math
import operator

import numpy as np
import pytest

import myia
from myia.source.diagnostics import MyiaError
from tests.infer.driver import assert_same, run


def a3():
    return np.array([1.0, 2.0, 3.0])


def m23():
    return np.arange(6.0).reshape(2, 3)


# ----- The base is written to, and the view is read


VIEWS = {
    "int_and_ellipsis": lambda a: a[1, ...],
    "ellipsis_and_int": lambda a: a[..., 1],
    "negative": lambda a: a[..., -2],
    "reshape": lambda a: a[1:2].reshape(()),
    "np_reshape": lambda a: np.reshape(a[1:2], ()),
    "squeeze": lambda a: np.squeeze(a[1:2]),
    "squeeze_method": lambda a: a[1:2].squeeze(),
    "squeeze_axis": lambda a: a[1:2].squeeze(axis=0),
    "of_a_view": lambda a: a[::-1][1, ...],
    "of_a_part": lambda a: a[1:][0, ...],
    "ellipsis_again": lambda a: a[1, ...][...],
    "transposed": lambda a: a[1, ...].T,
    "np_transpose": lambda a: np.transpose(a[1, ...]),
    "transpose_method": lambda a: a[1, ...].transpose(),
    "reshaped_again": lambda a: a[1, ...].reshape(()),
    "squeezed_again": lambda a: np.squeeze(a[1, ...]),
    "asarray": lambda a: np.asarray(a[1, ...]),
    "asanyarray": lambda a: np.asanyarray(a[1, ...]),
    "array_without_copy": lambda a: np.array(a[1, ...], copy=False),
    "array_copy_if_needed": lambda a: np.array(a[1, ...], copy=None),
    "astype_without_copy": lambda a: a[1, ...].astype(float, copy=False),
    "real": lambda a: a[1, ...].real,
    "np_real": lambda a: np.real(a[1, ...]),
    "in_a_tuple": lambda a: (a[1, ...], 1)[0],
    "in_a_list": lambda a: [a[1, ...], 1.0][0],
    "in_a_dict": lambda a: {"v": a[1, ...]}["v"],
    "number": lambda a: a[1],
    "number_of_a_view": lambda a: a[1, ...][()],
    "item": lambda a: a[1, ...].item(),
    "copy": lambda a: a[1, ...].copy(),
    "np_copy": lambda a: np.copy(a[1, ...]),
    "array": lambda a: np.array(a[1, ...]),
    "astype": lambda a: a[1, ...].astype(float),
    "positive": lambda a: +a[1, ...],
    "float": lambda a: float(a[1, ...]),
    "flattened": lambda a: a[1, ...].flatten()[0],
    "one_axis": lambda a: a[1, ...].reshape(1)[0, ...],
    "raveled": lambda a: a[1, ...].ravel()[0, ...],
    "np_raveled": lambda a: np.ravel(a[1, ...])[0, ...],
    "at_least_1d": lambda a: np.atleast_1d(a[1, ...])[0, ...],
    "at_least_2d": lambda a: np.atleast_2d(a[1, ...])[0, 0, ...],
    "expanded": lambda a: np.expand_dims(a[1, ...], 0)[0, ...],
    "newaxis": lambda a: a[1, ...][None][0, ...],
    "getattr": lambda a: getattr(a[1, ...], "T"),  # noqa: B009
    "partial": lambda a: functools.partial(lambda v: v, a[1, ...])(),
    "operator": lambda a: operator.getitem(a[1, ...], ...),
    "special_method": lambda a: a.__getitem__((1, ...)).__getitem__(...),
    "dict_of_keywords": lambda a: dict(v=a[1, ...])["v"],
    "reduce": lambda a: functools.reduce(lambda v, w: v, [1.0], a[1, ...]),
    "next": lambda a: next(iter([a[1, ...]])),
    "contiguous": lambda a: np.ascontiguousarray(a[1, ...])[0, ...],
}


def written(view, x):
    a = np.array([x, 2.0 * x, 3.0 * x])
    v = view(a)
    before = v + 0.0
    a[1] = x * x * x
    return before + 10.0 * v


@pytest.mark.parametrize("name", VIEWS)
def test_reads_what_the_base_holds_then(name):
    def f(x):
        return written(VIEWS[name], x)

    h = 1e-6
    wanted, slope = f(2.0), (f(2.0 + h) - f(2.0 - h)) / (2 * h)
    assert run(f, 2.0) == pytest.approx(wanted, rel=1e-12)
    assert myia.jit(f)(2.0) == pytest.approx(wanted, rel=1e-12)
    assert myia.grad(f)(2.0) == pytest.approx(slope, rel=1e-6)


def row_of_a_matrix(m):
    v, w = m[1, 2, ...], m[..., 0, 1]
    m[1] = 7.0
    m[0] *= 5.0
    return v + 0.0, w + 0.0, m


def given_by_an_argument(m):
    v = m[0, 0, ...]
    m += 1.0
    return v, v + 1.0


def written_in_a_loop(m):
    v, total = m[1, 1, ...], 0.0
    for i in range(4):
        m[1, 1] = i * 2.0
        total = total + v
    return total, v + 0.0


def in_functions(m):
    v = np.squeeze(m[:1, :1])
    numbers = math.sin(v), float(v), int(v), bool(v), abs(v), -v, v == 0.0, v < m[0, 1]
    m[0, 0] = 4.0
    again = math.sin(v), float(v), int(v), bool(v), abs(v), -v, v == 0.0, v < m[0, 1], v.item()
    return numbers, again, np.sum(v), v.sum(), max(v, 2.0), np.stack([v, v]), np.array([v, 1.0])


def in_conditions(m):
    v = m[0, 1, ...]
    found = 1.0 if v > 0 else 2.0
    m[0, 1] = -3.0
    other = 1.0 if v > 0 else 2.0
    while v < 0:
        m[0, 1] += 1.0
    return found, other, v + 0.0, not v, v and 2.0


def as_an_index(m):
    k = np.array([0, 1, 2])
    v = k[1, ...]
    k[1] = 2
    return m[0, v], m[0, int(v) :].sum(), m[v - 1]


def given_to_a_function(m):
    def change(v, m):
        m[0, 0] = 8.0
        return v * 2.0

    v = m[0, 0, ...]
    return change(v, m), v + 0.0


def stored_in_arrays(m):
    v = m[0, 0, ...]
    m[0, 0] = 6.0
    m[1, 1] = v
    m[1, :] = v + m[1, :]
    m[0, 1:] = v
    return m


def appended(m):
    vs = []
    vs.append(m[0, 0, ...])
    vs.append(m[0, 1, ...])
    m[0] = 5.0
    return vs[0] + vs[1], sum(vs), np.stack(vs), np.array(vs)


def of_one_branch(m):
    if m[0, 2] > 0:
        v = m[0, 1, ...]
    else:
        v = m[1, 1, ...]
    found = v + 1.0
    m[0, 1] = 5.0
    return found, v + 0.0


def at_a_run_time_index(m):
    v = m[0, int(m[0, 2]) - 1, ...]
    m[0, 1] = 9.0
    v += 1.0
    return v + 0.0, m


def of_a_part_of_run_time_size(m):
    v = m[0, : int(m[0, 2])][1, ...]
    m[0, 1] = 9.0
    return v + 0.0


def stays_one_object(m):
    v = m[0, 1, ...]
    w = v
    w += 1.0
    return v is w, v is None, v + 0.0


def number_or_view(m):
    v = 0.0
    if m[0, 2] > 0:
        v = m[0, 1, ...]
    return v + 1.0


def last_of_a_loop(m):
    v = np.float64(0.0)
    for i in range(3):
        v = np.squeeze(m[1:, i : i + 1])
    return v + 1.0


def parts_of_complex_numbers(m):
    c = m[0] + 1j
    v, w = c[1, ...].real, c[1, ...].imag
    c[1] = 5.0 + 7j
    return v + 0.0, w + 0.0


def properties(m):
    v = m[0, 1, ...]
    return v.shape, v.ndim, v.size, v.dtype, np.ndim(v), isinstance(v, np.ndarray)


PROGRAMS = [
    row_of_a_matrix, given_by_an_argument, written_in_a_loop, in_functions, in_conditions,
    as_an_index, given_to_a_function, stored_in_arrays, appended, of_one_branch,
    at_a_run_time_index, of_a_part_of_run_time_size, stays_one_object, number_or_view,
    last_of_a_loop, parts_of_complex_numbers, properties,
]  # fmt: skip


@pytest.mark.parametrize("f", PROGRAMS)
def test_programs(f):
    theirs, ours = m23(), m23()
    wanted = copy.deepcopy(f(theirs))
    assert_same(run(f, ours), wanted)
    assert_same(ours, theirs)


def test_as_a_text(capfd):
    def f(m):
        v = m[0, 1, ...]
        m[0, 1] = 2.5
        print(f"{v} {v:.3f}", v, "%s" % v, "{:.2f}".format(v), [v + 1.0])  # noqa: UP031, UP032

    f(m23())
    wanted = capfd.readouterr().out
    myia.jit(f)(m23())
    assert capfd.readouterr().out == wanted


# ----- The view is written to, and the base is read


def set_by_ellipsis(a, x):
    a[1, ...][...] = x


def set_by_empty(a, x):
    a[1:2].reshape(())[()] = x * x


def added_to(a, x):
    v = a[..., 1]
    v += x
    v *= 2.0


def filled(a, x):
    np.squeeze(a[1:2]).fill(3.0)
    a[0] = x


def filled_by_name(a, x):
    v = a[2, ...]
    v[...] = x
    a[2] += v
    v -= 1.0


def copied_to(a, x):
    np.copyto(a[1, ...], x * 3.0)


def output(a, x):
    v = a[1, ...]
    np.add(a[0], x, out=v)


def through_two(a, x):
    v = a[1, ...]
    w = v.reshape(1)
    w[0] = x * x
    v += 1.0


def in_a_loop(a, x):
    for i in range(3):
        v = a[i, ...]
        v += x * i


WRITES = [
    set_by_ellipsis, set_by_empty, added_to, filled, filled_by_name, copied_to, output,
    through_two, in_a_loop,
]  # fmt: skip


@pytest.mark.parametrize("write", WRITES)
def test_writes_are_seen_in_the_base(write):
    def f(x):
        a = np.array([x, 2.0 * x, 3.0 * x])
        write(a, x)
        return a @ np.array([1.0, 10.0, 100.0])

    h = 1e-6
    wanted, slope = f(2.0), (f(2.0 + h) - f(2.0 - h)) / (2 * h)
    assert run(f, 2.0) == pytest.approx(wanted, rel=1e-12)
    assert myia.jit(f)(2.0) == pytest.approx(wanted, rel=1e-12)
    assert myia.grad(f)(2.0) == pytest.approx(slope, rel=1e-6)


def test_the_greater_of_a_view_and_a_number():
    """It may be a view, or the number: refused once that matters."""

    def f(m):
        return max(m[0, 1, ...], 0.5) + 1.0

    def changed(m):
        v = max(m[0, 1, ...], 0.5)
        m[0, 1] = 7.0
        return v + 1.0

    assert myia.jit(f)(m23()) == f(m23())
    with pytest.raises(MyiaError, match="may have been changed through another name"):
        run(changed, m23())


def test_of_an_argument():
    def f(a):
        v = a[1, ...]
        v += 5.0
        v[...] = v * 2.0
        return v, a

    theirs, ours = a3(), a3()
    wanted = copy.deepcopy(f(theirs))
    assert_same(myia.jit(f)(ours), wanted)
    assert_same(ours, theirs)


def test_an_argument_without_dimensions_is_not_changed():
    def f(x):
        x += 1.0
        return x

    with pytest.raises(MyiaError, match="without dimensions"):
        run(f, np.array(2.0))
