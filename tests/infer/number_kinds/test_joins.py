"""Numbers of two kinds that meet where paths meet: each stays what it is on its path.

By NEP 50 a Python number takes the dtype of NumPy's that it meets: in arithmetic, not in a join,
where it would wrap (1000 beside an int8), become inf, or lose digits.
"""

from __future__ import annotations

import numpy as np
import pytest

import myia
from tests.infer.driver import run

A = np.array([3, 200, 7], np.uint8)


def assert_as_python(f, *args):
    """Values and types, through XLA and the reference interpreter."""
    wanted = f(*args)
    for found in (myia.jit(f)(*args), run(f, *args)):
        assert_same(found, wanted)


def assert_same(found, wanted):
    if isinstance(wanted, (tuple, list)):
        assert type(found) is type(wanted) and len(found) == len(wanted)
        for x, y in zip(found, wanted):
            assert_same(x, y)
    elif wanted is None:
        assert found is None
    else:
        kinds = (bool, np.bool_) if isinstance(wanted, (bool, np.bool_)) else type(wanted)
        assert isinstance(found, kinds), (found, wanted)
        kind = np.asarray(wanted).dtype  # floats may be contracted: `s * v + 0.1` is rounded once
        rtol = 0 if kind.kind in "iub" else 4 * np.finfo(kind).eps
        np.testing.assert_allclose(found, wanted, rtol=rtol)


# ----- Branches


def int_or_int8(a, x):
    n = int(x) * 1000
    return np.int8(3) if x > 2 else n


def negative_or_uint8(a, x):
    return np.uint8(3) if x > 2 else -int(x)


def large_or_float32(a, x):
    return np.float32(3) if x > 2 else x * 1e300


def digits_or_float32(a, x):
    y = np.float32(x) if x > 2 else x * 0.1
    return y * 3.0


def int_or_float32(a, x):
    return np.float32(x) if x > 2 else int(x) + 16777217


def zero_or_uint8(a, x):
    v = 0
    if x > 1:
        v = a.max()
    return v, v - 1


def constant_or_item(a, x):
    v = a[0] if x > 1 else 300
    return v, v + 1, v * 2


def constant_that_floats_do_not_hold(a, x):
    w = np.float32(0.1) if x > 2 else 0.1
    return w, w * 3, w + np.float32(1)


def floats_of_two_widths(a, x):
    v = np.float32(x) if x > 2 else np.float64(x) * 0.1
    return v, v + v, v * 3


def integers_of_two_widths(a, x):
    v = a[1] if x > 2 else np.int64(200)
    return v, v + 100, -v


def unsigned_or_negative(a, x):
    u = np.uint64(2**63 + 5) if x > 2 else -int(x)
    i = np.int64(2**62 + 1) if x > 2 else np.uint64(7)
    return u, u > 3, i + i


def half_or_float(a, x):
    v = np.float16(x) if x > 2 else x * 0.1
    return v, v + v, v * np.float32(2), np.sqrt(v)


def bool_or_number(a, x):
    b, n = x > 2, int(x)
    return b and n, True if b else 0, b if x > 2 else 0.5, (b or n) + 1, (b and n) == 0


def complex_or_float(a, x):
    z = complex(x, 1.0) if x > 2 else x
    return z * z, abs(z)


def by_match(a, x):
    match int(x):
        case 1:
            v = a[0]
        case 2:
            v = -0.3
        case _:
            v = np.float32(0.1)
    return v * 2


def of_or_and_and(a, x):
    c = x > 2
    return (a[0] if c else 1000) and 5, (c and a[0]) == 0, (c or a[0]) == 1


def extrema(a, x):
    m = max(a[0], int(x) * 1000)
    return m, min(a[0], -int(x)), max(np.float32(x), 0.1), max(-1, *a), max([v for v in a] + [-1])


def or_none(a, x):
    v = None
    if x > 1:
        v = a[0]
    if x > 2:
        v = 1000
    return v, 0 if v is None else v + 1


# ----- What is done with such a number


def operators(a, x):
    v = a[0] if x > 2 else 1000
    w = np.int16(-5) if x > 1.5 else 0.25
    return v * w, v + v, w**2, v < w, divmod(v, 7), v // 2, v % 5, -w, abs(w), v == 3, v & 1, v << 1


def conversions(a, x):
    v = a[0] if x > 2 else 7
    return int(v), float(v), np.sqrt(v), round(v), bool(v), np.int64(v) + 1


def library_functions(a, x):
    v = a[0] if x > 2 else 100
    return np.maximum(v, a), np.where(x > 1, v, 2), np.add(v, 1), np.zeros(3) + v, a + v


def arguments_and_containers(a, x):
    v = a[0] if x > 2 else 2

    def h(t, n=3):
        return t + n

    return h(v), h(1, n=v), [v, v][0] + 1, (v, 1)[0] * 2, {"k": v}["k"] - 4, np.array([v, 1.5])


def subscripts(a, x):
    v = a[0] if x > 2 else 2
    b = a.copy()
    b[v % 3] = v
    return a[:v].sum(), a[v % 3], np.arange(5)[1:3] * v, b, [1, 2, 3][v % 2]


def ranges(a, x):
    s = 0
    for i in range(a[0] if x > 2 else 7):
        s += i
    return s


def types(a, x):
    v = a[0] if x > 2 else 1000
    return isinstance(v, int), type(v) is int, isinstance(v, np.uint8)


# ----- What holds such a number


class Box:
    def __init__(self, v):
        self.v = v


def attribute(a, x):
    box = Box(-1)
    if x > 2:
        box.v = a[0]
    return box.v, box.v - 4


def dict_value(a, x):
    d = {"v": -1}
    if x > 2:
        d["v"] = a[0]
    return d["v"], d["v"] - 4, d.get("w", -1)


def dict_item_at_a_key(a, x):
    d = {1: a[0], 2: 0.1, 3: np.float32(0.1), 4: 10**6}
    k = int(x)
    return d[k], d[k] * 3


def dict_of_integers_at_a_key(a, x):
    d = {1: a[0], 2: -1, 3: 1000}
    return d[int(x)], d[int(x)] - 1


def dict_item_stored_at_a_key(a, x):
    d = {1: -1, 2: a[1], 3: 7}
    d[int(x)] = a[0]
    d[int(x * 2) % 3 + 1] = 1000
    return d[1] + 1, d[2], d[3] * 3


def list_item_at_an_index(a, x):
    xs, ys = [-1, a[0], 1000, -2], [0.1, np.float32(0.1), a[1], 0.7]
    return xs[int(x)], xs[int(x) - 1] - 4, ys[int(x)] * 3


def closure_variable(a, x):
    v = -1

    def store():
        nonlocal v
        v = a[0]

    if x > 2:
        store()
    return v, v - 4


PROGRAMS = [f for f in list(globals().values()) if getattr(f, "__module__", "") == __name__]
PROGRAMS = [f for f in PROGRAMS if callable(f) and f not in (assert_as_python, assert_same, Box)]


@pytest.mark.parametrize("x", [1.0, 1.1, 2.0, 3.0])
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_a_number_is_what_it_is_on_its_path(f, x):
    assert_as_python(f, A, x)


def test_an_argument_beside_an_int16():
    def f(x, n):
        return n if x > 1 else np.int16(7)

    for x, n in ((2.0, 70_000), (0.0, 70_000), (2.0, 70_001), (2.0, 2**40)):
        assert_same(myia.jit(f)(x, n), f(x, n))


# ----- Constants that floats hold keep their dtype


def test_a_float32_program_stays_float32():
    def f(a, x):
        best = 0.0
        for v in a:
            best = max(best, v)
        worst = np.inf if x > 2 else a[0]
        half = a[1] if x > 2 else 0.5
        return best, worst, half * a, -np.inf if x > 2 else a[2], 0 if x > 2 else a[2]

    a = np.array([0.1, 0.7, 0.3], np.float32)
    for x in (1.0, 3.0):
        assert all(y.dtype == np.float32 for y in myia.jit(f)(a, x))


# ----- Derivatives


def loss_of_two_kinds(x):
    y = np.float32(2) * x * x if x > 2 else x * x * 0.1
    z = np.float32(x) if x > 2 else y
    return y * z


def loss_of_a_dict(x):
    d = {0: x * x, 1: np.float32(x) * np.float32(x), 2: 0.3}
    return d[int(x) % 3] * x


def loss_of_a_loop(x):
    w = np.array([1.5, 2.5, 0.5, 3.0], np.float32)
    s = x
    for v in w:
        s = s * v + x * 0.5
    return s


@pytest.mark.parametrize("x", [1.25, 2.5, 3.25])
@pytest.mark.parametrize("f", [loss_of_two_kinds, loss_of_a_dict, loss_of_a_loop])
def test_gradients(f, x):
    h = 1e-2
    slope = (float(f(x + h)) - float(f(x - h))) / (2 * h)
    assert myia.grad(f)(x) == pytest.approx(slope, rel=1e-3)
    value, gradient = myia.value_and_grad(f)(x)
    assert type(value) is type(f(x)) and value == pytest.approx(f(x), rel=1e-15)
    assert gradient == myia.jacrev(f)(x) == pytest.approx(slope, rel=1e-3)
    assert myia.jacfwd(f)(x) == pytest.approx(slope, rel=1e-3)


def test_a_batch_has_one_dtype():
    def f(x):
        return np.float32(3) if x > 2 else x * 0.1

    x = np.array([1.0, 2.0, 3.0])
    found = myia.vmap(f)(x)
    assert found.dtype == np.float64
    np.testing.assert_array_equal(found, [f(v) for v in x])
