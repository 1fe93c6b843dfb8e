"""Semantics of compiled functions: types, mutation, recompilation, run-time errors."""

from __future__ import annotations

import inspect
import math

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import myia
from tests.zoo.small_programs.objects import Counter, Pair

A = np.array

# ----- Types of results


def double(x):
    return x * 2


def halve(x):
    return x / 2


def power(x):
    return x**2


def total(x):
    return np.sum(x)


def half(x):
    return np.mean(x)


def compare(x):
    return x > 1


def add_float(x):
    return x + 0.5


def add_int64(x):
    return x + np.int64(1)


SCALARS = [3, True, 2.5, np.float32(2.5), np.float64(2.5), np.int32(3), np.int8(3), np.bool_(True)]
ARRAYS = [
    A([3, 1]),
    A([2.5, 1]),
    A([2.5, 1], np.float32),
    A([3, 1], np.int32),
    A([3, 1], np.int16),
    A([True, False]),
]
SCALAR_FUNCTIONS = [double, halve, power, compare, add_float, add_int64]


@pytest.mark.parametrize("f", [*SCALAR_FUNCTIONS, total, half], ids=lambda f: f.__name__)
@pytest.mark.parametrize("x", [*SCALARS, *ARRAYS], ids=repr)
def test_types_are_those_of_numpy(f, x):
    got, want = myia.jit(f)(x), f(x)
    assert type(got) is type(want)
    assert np.asarray(got).dtype == np.asarray(want).dtype
    np.testing.assert_allclose(got, want, rtol=1e-6)


def test_weak_floats_stay_narrow():
    def mean_square(xs):
        s = 0.0
        for x in xs:
            s += x * x
        return s / len(xs)

    x = A([1.0, 2.0], np.float32)
    value, grad = myia.value_and_grad(mean_square)(x)
    assert type(value) is np.float32
    assert grad.dtype == np.float32


def test_gradients_have_the_types_of_the_arguments():
    def f(x, y, a):
        return x * y * np.sum(a)

    args = (2.0, np.float32(3.0), A([1.0, 2.0], np.float32))
    grads = myia.grad(f, argnums=(0, 1, 2))(*args)
    assert [type(g) for g in grads] == [float, np.float32, np.ndarray]
    assert grads[2].dtype == np.float32


def test_jax_arrays_give_jax_arrays():
    assert isinstance(myia.jit(double)(jnp.ones(2)), jax.Array)
    assert isinstance(myia.grad(total)(jnp.ones(2)), jax.Array)
    assert isinstance(myia.jit(double)(np.ones(2)), np.ndarray)


def test_results_are_writable():
    r = myia.jit(double)(np.ones(2))
    r[0] = 5.0
    assert r.tolist() == [5.0, 2.0]


def test_containers_keep_their_types():
    def f(d, p):
        return {"d": d, "p": p, "t": (p.x, [p.y])}

    got = myia.jit(f)({"a": 1.0}, Pair(2.0, 3.0))
    assert got == {"d": {"a": 1.0}, "p": Pair(2.0, 3.0), "t": (2.0, [3.0])}


def test_an_argument_that_is_returned_is_itself():
    a, d = np.ones(2), {"a": 1.0}
    got = myia.jit(lambda a, d: (a, d))(a, d)
    assert got[0] is a
    assert got[1] is d


# ----- Mutation of arguments


@myia.jit
def write(a):
    a[0] = 7.0
    a[-1] += 1
    return a.sum()


@pytest.mark.parametrize(
    "view",
    [
        lambda m: m[0],
        lambda m: m[:, 1],
        lambda m: m[1, ::-1],
        lambda m: m.T[2],
        lambda m: m.ravel()[::2],
    ],
)
def test_numpy_arguments_are_written_back(view):
    ours, theirs = (np.arange(6.0).reshape(2, 3) for _ in range(2))
    assert write(view(ours)) == write.f(view(theirs))
    np.testing.assert_array_equal(ours, theirs)


def test_containers_are_written_back():
    @myia.jit
    def f(xs, d, c):
        xs[0] = xs[1] * 2
        xs.append(1.5)
        d["new"] = d.pop("old") + 1
        c.count = c.count * xs[0]
        c.seen = True

    xs, d, c = [1.0, 2.0], {"old": 3.0}, Counter(5.0)
    f(xs, d, c)
    assert xs == [4.0, 2.0, 1.5]
    assert d == {"new": 4.0}
    assert (c.count, c.calls, c.seen) == (20.0, 0, True)


def test_arrays_in_containers_are_written_back():
    @myia.jit
    def f(d):
        d["w"] -= 0.5 * d["w"]

    w = np.ones(2)
    f({"w": w})
    assert w.tolist() == [0.5, 0.5]


def test_one_array_passed_twice_is_one_array():
    @myia.jit
    def f(a, b):
        a[0] = b[1]
        b[0] += 9.0
        return a.sum()

    ours, theirs = np.arange(3.0), np.arange(3.0)
    assert f(ours, ours) == f.f(theirs, theirs)
    np.testing.assert_array_equal(ours, theirs)


def test_arguments_that_overlap_are_refused_when_one_is_written_to():
    @myia.jit
    def f(a, b):
        a[0] = b[0]
        return a.sum()

    z = np.arange(3.0)
    with pytest.raises(ValueError, match="share memory"):
        f(z[:2], z[1:])
    assert myia.jit(lambda a, b: a @ b)(z[:2], z[1:]) == 2.0


def test_global_arrays_are_written_back():
    f = myia.jit(write_global)
    GLOBAL[:] = [1.0, 2.0]
    assert f(5.0) == 7.0
    assert GLOBAL.tolist() == [5.0, 2.0]
    assert f(6.0) == 8.0
    assert f.compiles == 1


GLOBAL = np.zeros(2)


def write_global(x):
    GLOBAL[0] = x
    return np.sum(GLOBAL)


def test_jax_arrays_are_not_written_to():
    with pytest.raises(myia.MyiaError, match="immutable"):
        write(jnp.ones(3))


def test_read_only_arrays_are_not_written_to():
    a = np.ones(3)
    a.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        write(a)


def test_gradients_do_not_change_their_arguments():
    def f(a, d):
        a[0] = a[1] * d["x"]
        d["x"] = a[0] * 2
        return np.sum(a) * d["x"]

    a, d = A([1.0, 2.0]), {"x": 3.0}
    for transform in (myia.grad(f, argnums=(0, 1)), myia.value_and_grad(f)):
        transform(a, d)
    myia.jvp(f, (a, d), (a * 1.0, {"x": 1.0}))
    myia.vjp(f, a, d)[1](np.float64(1.0))
    assert a.tolist() == [1.0, 2.0]
    assert d == {"x": 3.0}


def test_pullbacks_are_those_of_the_call():
    """Neither the function nor its caller can change what the pullback is taken at."""

    def f(a):
        a[0] = a[0] * a[1]
        return np.sum(a * a)

    a = A([2.0, 3.0])
    value, pull = myia.vjp(f, a)
    assert (value, a.tolist()) == (45.0, [2.0, 3.0])
    a[:] = 100.0
    np.testing.assert_allclose(pull(np.float64(1.0))[0], [36.0, 30.0])

    @myia.jit
    def inside(a):
        value, pull = myia.vjp(f, a)
        a[:] = 100.0
        return value, pull(1.0)[0], a

    value, grad, after = inside(A([2.0, 3.0]))
    assert (value, after.tolist()) == (45.0, [100.0, 100.0])
    np.testing.assert_allclose(grad, [36.0, 30.0])


@pytest.mark.parametrize("argnums", [0, 1, (0, 1)])
def test_one_array_passed_twice_to_a_gradient(argnums):
    def writes(a, b):
        a[0] = 5.0
        return np.sum(b * b)

    z = np.ones(2)
    with pytest.raises(myia.MyiaError, match="another name"):
        myia.value_and_grad(writes, argnums=argnums)(z, z)
    value, _ = myia.value_and_grad(lambda a, b: a @ b, argnums=argnums)(z, z)
    assert value == 2.0


def test_results_do_not_share_memory_with_arguments():
    @myia.jit
    def f(x):
        return x + 0.0, x * 1.0, x[1:], x.copy()

    x = np.arange(1000.0)
    results = f(x)
    want = [np.array(r) for r in results]
    x[:] = 77.0
    for got, expected in zip(results, want):
        np.testing.assert_array_equal(got, expected)


# ----- Names that are read at every call


RATE = 2.0
SETTINGS = {"steps": 2}


def uses_globals(x):
    for _ in range(SETTINGS["steps"]):
        x = x * RATE + GLOBAL[0]
    return x


def test_globals_are_read_on_each_call(monkeypatch):
    f, g = myia.jit(uses_globals), myia.grad(uses_globals)
    GLOBAL[:] = 0.0
    assert (f(1.0), g(1.0)) == (4.0, 4.0)
    monkeypatch.setitem(globals(), "RATE", 3.0)
    assert (f(1.0), g(1.0)) == (9.0, 9.0)
    GLOBAL[0] = 1.0
    assert f(1.0) == 13.0
    assert (f.compiles, g.compiles) == (1, 1)
    monkeypatch.setitem(SETTINGS, "steps", 1)
    assert f(1.0) == 4.0
    assert f.compiles == 2
    monkeypatch.setitem(SETTINGS, "steps", 2)
    assert f(1.0) == 13.0
    assert f.compiles == 2


def test_closures_are_read_on_each_call():
    k = 2.0

    @myia.jit
    def f(x):
        return x * k

    assert f(3.0) == 6.0
    k = 5.0
    assert f(3.0) == 15.0
    assert f.compiles == 1


def test_a_lambda_made_anew_does_not_recompile():
    @myia.jit
    def apply(f, x):
        return f(x)

    got = [apply(lambda t, k=k: t * k, 2.0) for k in (1.0, 2.0, 3.0)]
    assert got == [2.0, 4.0, 6.0]
    assert apply.compiles == 1


def test_another_type_recompiles():
    f = myia.jit(double)
    for x in (1.0, 2.0, np.ones(2), np.zeros(2), np.ones(3), np.ones(2, np.float32)):
        f(x)
    assert f.compiles == 4


def test_attributes_of_instances_are_read_on_each_call():
    c = Counter(2.0)

    @myia.jit
    def f(x):
        return x * c.count

    assert f(3.0) == 6.0
    c.count = 5.0
    assert f(3.0) == 15.0
    assert f.compiles == 1


# ----- Integers that change


def test_a_trip_count_is_not_compiled_for_each_value():
    @myia.value_and_grad
    def f(x, n):
        y = 1.0
        for _ in range(n):
            y = y * x
        return y

    for n in range(1, 12):
        value, grad = f(1.5, n)
        assert value == pytest.approx(1.5**n)
        assert grad == pytest.approx(n * 1.5 ** (n - 1))
    assert f.compiles <= 4


def test_a_number_is_not_compiled_for_each_value():
    f = myia.jit(lambda x, n: (x * n, n // 3, n % 3, n**2, -n, n == 4))
    for n in range(-6, 7):
        got, want = f(2.5, n), f.f(2.5, n)
        assert got == want
        assert [type(g) for g in got] == [type(w) for w in want]
    assert f.compiles <= 4


def test_a_shape_is_compiled_for_each_value():
    f = myia.jit(lambda x, n: np.zeros(n) + x)
    assert [f(1.0, n).shape for n in range(6)] == [(n,) for n in range(6)]


def test_large_integers_are_exact():
    f = myia.jit(lambda n: n * 3 + 1)
    for n in (1, 2, 3, 4, 5, 2**61, 2**62, 2**70):
        assert f(n) == n * 3 + 1


# ----- Errors at run time


def raises(exception: type[Exception], f, *args, match: str | None = None):
    """The exception of Python, and the line marked with `# here`."""
    lines, first = inspect.getsourcelines(f)
    here = first + next(i for i, line in enumerate(lines) if "# here" in line)
    with pytest.raises(exception, match=match) as python:
        f(*args)
    assert type(python.value) is exception
    with pytest.raises(exception, match=match) as error:
        myia.jit(f)(*args)
    assert type(error.value) is exception
    (place,) = error.value.__notes__
    assert place.endswith(f"test_semantics.py:{here}")


def test_index_errors():
    def read(a, x):
        return a[int(x)]  # here

    def store(a, x):
        a[int(x)] = 1.0  # here
        return a

    def in_a_loop(a, x):
        s = x
        for i in range(int(x)):
            s = s + a[i] * 2  # here
        return s

    def of_a_list(a, x):
        xs = [v * 2 for v in a]
        return xs[int(x)]  # here

    for f in (read, store, of_a_list):
        raises(IndexError, f, np.ones(3), 3.0)
        raises(IndexError, f, np.ones(3), -4.0)
        assert np.sum(myia.jit(f)(np.ones(3), -3.0)) > 0
    raises(IndexError, in_a_loop, np.ones(3), 4.0)
    assert myia.jit(in_a_loop)(np.ones(3), 3.0) == 9.0


def test_stores_out_of_range_change_nothing():
    @myia.jit
    def f(a, x):
        a[int(x)] = 9.0

    a = np.ones(3)
    with pytest.raises(IndexError):
        f(a, 3.0)
    assert a.tolist() == [1.0, 1.0, 1.0]


def test_division_errors():
    def floor(x, y):
        return int(x) // int(y)  # here

    def modulo(x, y):
        return int(x) % int(y)  # here

    def divide(x, y):
        return int(x) / int(y)  # here

    def both(x, y):
        q, r = divmod(int(x), int(y))  # here
        return q * r

    for f in (floor, modulo, divide, both):
        raises(ZeroDivisionError, f, 7.0, 0.0)
        assert myia.jit(f)(7.0, -2.0) == f(7.0, -2.0)


def test_integers_of_floats():
    def to_int(x):
        return int(x)  # here

    raises(ValueError, to_int, math.nan, match="NaN")
    raises(OverflowError, to_int, math.inf)
    assert myia.jit(to_int)(-2.9) == -2


def test_integers_beyond_64_bits():
    """Python's are exact: what would not be is an error."""
    for f in (
        lambda x: int(x) * int(x),
        lambda x: int(x) + 2**62 + 2**61,
        lambda x: int(x) ** 3,
        lambda x: 1 << (int(x) // 10**17),
        lambda x: -int(x) * 4,
    ):
        with pytest.raises(OverflowError, match="64 bits"):
            myia.jit(f)(8e18)
        assert myia.jit(f)(1e5) == f(1e5)


def test_negative_shifts():
    def shift(x):
        return 8 >> int(x)  # here

    raises(ValueError, shift, -1.0, match="negative shift")


def test_unbound_names():
    def in_a_branch(x):
        if x > 0:
            y = x
        return y  # here

    def in_a_loop(x):
        for i in range(int(x)):
            y = i
        return y  # here

    def the_loop_variable(x):
        for i in range(int(x)):
            x = x * i
        return i  # here

    for f in (in_a_branch, in_a_loop, the_loop_variable):
        raises(UnboundLocalError, f, -1.0)
        assert myia.jit(f)(2.0) == f(2.0)


def test_none_is_no_number():
    def f(x):
        y = None
        if x > 0:
            y = x
        return y + 1  # here

    raises(TypeError, f, -1.0)
    assert myia.jit(f)(1.0) == 2.0


def test_errors_that_are_raised():
    def f(x):
        if x > 3:
            raise ValueError("too large")  # here
        assert x > -3, "too small"
        return x * x

    def g(x):
        assert x > -3, "too small"  # here
        return x * x

    raises(ValueError, f, 4.0, match="too large")
    raises(AssertionError, g, -4.0, match="too small")
    assert myia.jit(f)(2.0) == 4.0


def test_the_first_error_counts():
    def f(a, x):
        y = a[int(x)]  # here
        return y + 7 // int(x - x)

    raises(IndexError, f, np.ones(2), 5.0)


def test_errors_in_untaken_branches_are_none():
    def f(a, x):
        i = int(x)
        if 0 <= i < len(a):
            return a[i]
        return 7.0 if i == 0 else 1.0 / i

    assert myia.jit(f)(np.ones(2), 9.0) == f(np.ones(2), 9.0)


def test_errors_in_gradients():
    def f(a, x):
        return a[int(x)] * x

    grad = myia.grad(f)
    assert grad(A([1.0, 2.0]), 1.0).tolist() == [0.0, 1.0]
    with pytest.raises(IndexError):
        grad(A([1.0, 2.0]), 2.0)


def test_floats_do_not_raise():
    """Python raises, NumPy does not; compiled floats are NumPy's."""
    assert myia.jit(lambda x: math.log(x))(0.0) == -math.inf
    assert myia.jit(lambda x: 1.0 / x)(0.0) == math.inf
    assert myia.jit(lambda x: math.exp(x))(1000.0) == math.inf
    assert math.isnan(myia.jit(lambda x: math.sqrt(x))(-1.0))


def test_roots_of_negative_numbers():
    f = myia.jit(lambda x: x ** (1 / 3))
    with pytest.raises(ValueError, match="complex"):
        f(-8.0)
    assert math.isnan(f(np.float64(-8.0)))
    assert f(8.0) == pytest.approx(2.0)


def test_integer_arrays_to_integer_powers():
    def f(a, b):
        return a**b, np.power(a, b), (-1) ** b, 2**b, a**3

    for dtypes in ((np.int64, np.int64), (np.int32, np.int8), (np.int16, np.int16)):
        a, b = (
            np.array(x, dtype) for x, dtype in zip(([3, 2, 250 % 128, 1], [0, 7, 2, 70]), dtypes)
        )
        for found, expected in zip(myia.jit(f)(a, b), f(a, b)):
            np.testing.assert_array_equal(found, expected)
            assert found.dtype == expected.dtype
    with pytest.raises(ValueError, match="negative integer powers"):
        myia.jit(f)(np.array([2]), np.array([-1]))


def test_negative_powers_of_integers():
    assert myia.jit(lambda n: n**-1)(2) == 0.5
    with pytest.raises(myia.MyiaError, match="negative integer powers"):
        myia.jit(lambda k: k**-1)(A([2]))
    with pytest.raises(ValueError, match="negative power"):
        myia.jit(lambda x: 2 ** int(x))(-1.0)


# ----- Layouts


def written_through_reshape(m):
    m.reshape(-1)[1] = 9.0
    return np.sum(m * m)


def written_through_ravel(m):
    m.ravel()[1] = 9.0
    return m[0, 0] + m[0, 1] * m[1, 0]


def written_through_a_reshaped_transpose(m):
    m.T.reshape(-1)[1] = 9.0
    return np.sum(m * m)


LAYOUTS = [
    lambda m: m,
    lambda m: np.asfortranarray(m),
    lambda m: m[:, ::-1],
    lambda m: m[::-1],
    lambda m: m[:, :2],
    lambda m: m[:2],
    lambda m: m.T,
]


@pytest.mark.parametrize("layout", range(len(LAYOUTS)))
@pytest.mark.parametrize(
    "f",
    [written_through_reshape, written_through_ravel, written_through_a_reshaped_transpose],
    ids=lambda f: f.__name__,
)
def test_reshapes_write_through_where_numpy_gives_views(f, layout):
    """As in NumPy, or refused where the layout is not known."""
    view = LAYOUTS[layout]
    ours, theirs, untouched = (np.arange(9.0).reshape(3, 3) for _ in range(3))
    want = f(view(theirs))
    try:
        got = myia.jit(f)(view(ours))
        value, _ = myia.value_and_grad(f)(view(untouched))
    except myia.MyiaError as error:
        assert layout > 0 and "another name" in str(error)
        return
    assert (got, value) == (want, want)
    np.testing.assert_array_equal(ours, theirs)
    np.testing.assert_array_equal(untouched, np.arange(9.0).reshape(3, 3))


# ----- Objects under several names, copied where loops need rows


def appended_then_changed(a, n):
    rows = []
    for i in range(n):
        row = a * i
        rows.append(row)
    row[0] = 7.0
    return rows[n - 1]


def read_then_changed(a, n):
    rows = []
    for i in range(n):
        row = a * i
        rows.append(row)
    last = rows[n - 1]
    row[0] = 7.0
    return last


def copied_then_changed(a, n):
    rows = []
    for i in range(n):
        row = a * i
        rows.append(row)
    others = rows.copy()
    row[0] = 7.0
    return others[n - 1]


def held_before_the_loop(a, n):
    rows = [a, a * 2]
    for i in range(n):
        rows.append(rows[-1] + i)
    a[0] = 50.0
    return rows[0]


def stored_then_changed(a, n):
    rows = [a * i for i in range(n)]
    row = a * 3
    rows[2] = row
    row[0] = 7.0
    return rows[2]


def one_of_two_lists(a, n):
    rows = [a] if a[0] > 0 else [a, a * 2]
    a[0] = 99.0
    return rows[0]


def changed_in_each_iteration(a, n):
    rows = []
    for i in range(n):
        row = a * i
        rows.append(row)
        row[0] = 7.0
    return rows[1]


def written_through_the_list(a, n):
    rows = [a * i for i in range(n)]
    rows[3][0] = 7.0
    return rows[3]


@pytest.mark.parametrize(
    "f",
    [
        appended_then_changed,
        read_then_changed,
        copied_then_changed,
        held_before_the_loop,
        stored_then_changed,
        one_of_two_lists,
        changed_in_each_iteration,
        written_through_the_list,
    ],
    ids=lambda f: f.__name__,
)
def test_reads_of_invalidated_copies_are_refused(f):
    """Rows are copies: a row changed through another name is never read from the old copy."""
    try:
        got = myia.jit(f)(np.ones(2), 12)
    except myia.MyiaError as error:
        assert "another name" in str(error) or "cannot write" in str(error)
    else:
        np.testing.assert_array_equal(got, f(np.ones(2), 12))


def list_item_replaced(a, x):
    xs = [v * 1.0 for v in a]
    s = 0.0
    for v in xs:
        s += v
        xs[9] = x
    return s


def array_in_a_list_changed(a, x):
    rows = [a * 1.0, *[a * i for i in range(9)], a]
    s = 0.0
    for row in rows:
        s += row[0]
        a[0] = s * 0.1
    return s


def array_in_a_tuple_changed(a, x):
    s = 0.0
    for row in (a, a * 2, a * 3, a * 4, a * 5, a * 6, a * 7, a * 8, a * 9, a):
        s += row[0]
        a[0] = s * 0.1
    return s


def list_grows_while_it_is_read(a, x):
    xs = [x, x * 2]
    s = 0.0
    for v in xs:
        s += v
        if len(xs) < 6:
            xs.append(s)
    return s


def enumerated_list_changed(a, x):
    xs = [x, x * 2, x * 3]
    s = 0.0
    for i, v in enumerate(xs):
        s += v * i
        xs[2] = s
    return s


@pytest.mark.parametrize(
    "f",
    [
        list_item_replaced,
        array_in_a_list_changed,
        array_in_a_tuple_changed,
        list_grows_while_it_is_read,
        enumerated_list_changed,
    ],
    ids=lambda f: f.__name__,
)
def test_sequences_changed_while_a_loop_runs_over_them(f):
    want = f(np.arange(10.0) + 1, 0.5)
    assert myia.jit(f)(np.arange(10.0) + 1, 0.5) == pytest.approx(want)


# ----- Effects


def test_print_as_it_is_told(capfd):
    def f(x):
        for i in range(2):
            print(i, x, sep="{", end="}")
        print("", end=None)
        print(x, sep=None)

    myia.jit(f)(1.5)
    assert capfd.readouterr().out == "0{1.5}1{1.5}\n1.5\n"


def test_what_is_printed_of_arrays_that_are_not_read_afterwards(capfd):
    """Two nests of independent iterations, in a loop that prints."""

    def f(x, doubled, tripled):
        seen, total = np.zeros(18), 0.0
        for i in range(18):
            seen[i] = x[i, 0]
            print(i, seen, seen[i - 1], end="; ")
            total += x[i, i]
            for j in range(18):
                doubled[i, j] = x[i, j] * 2.0
            for j in range(18):
                tripled[i, j] = x[i, j] * 3.0
        return total

    x = np.arange(324.0).reshape(18, 18)
    f(x, x.copy(), x.copy())
    expected = capfd.readouterr().out
    for compiled in (myia.jit(f), myia.grad(f)):
        compiled(x, x.copy(), x.copy())
        jax.effects_barrier()
        assert capfd.readouterr().out == expected


def test_effects_run_once(capfd):
    @myia.grad
    def f(x):
        s = x
        for i in range(3):
            print("iteration", i)
            s = s * x
        return s

    assert f(2.0) == 32.0
    jax.effects_barrier()
    assert capfd.readouterr().out.splitlines() == ["iteration 0", "iteration 1", "iteration 2"]


def writes_then_rebinds(x, n):
    """The first iteration certainly writes to an array that the last one does not name."""
    a = x.copy()
    b = a
    for _ in range(4):
        if n < 1:
            a = a + 1.0
        else:
            a[0] = n
        n = n // 3
    return np.sum(a) + 10 * np.sum(b)


def writes_then_rebinds_an_argument(x, n):
    for _ in range(4):
        if n < 1:
            x = np.roll(x, 1)
        else:
            x[0] = n
        n = n // 3
    return 1.5


@pytest.mark.parametrize("f", [writes_then_rebinds, writes_then_rebinds_an_argument])
@pytest.mark.parametrize("n", [5, 0, 10])
def test_a_name_that_is_given_another_array_after_writes(f, n):
    ours, theirs = np.arange(3.0), np.arange(3.0)
    assert myia.jit(f)(ours, n) == f(theirs, n)
    np.testing.assert_array_equal(ours, theirs)


def written_or_given_another_array(q, x, a):
    """Two sums, before one of which the argument is written to through another name."""
    if q > -5.0:
        for _ in range(2):
            if x[2] >= q:
                a = np.full(3, 1.0) * x[2]
                q += x[0]
            else:
                a[1] = 1.0 / (1.0 + sum([v * q for i, v in enumerate(x) if i != 1]) ** 2)
    else:
        q -= sum([v for v in x if v > 0.1])
    return q


@pytest.mark.parametrize("q", [0.5, 2.5, 4.0, -7.0])
def test_the_last_write_may_be_to_the_argument_or_not(q):
    f, x = written_or_given_another_array, np.array([1.0, 2.0, 3.0])
    ours, theirs = np.arange(3.0), np.arange(3.0)
    np.testing.assert_allclose(myia.jit(f)(q, x, ours), f(q, x, theirs), rtol=1e-14)
    np.testing.assert_allclose(ours, theirs, rtol=1e-14)


def view_of_a_view_on_one_path(y, a):
    if y[0] > 0:
        y = a.reshape(-1)[2:5]
    a[0] += 1.0
    return y


def part_of_a_view_on_one_path(y, a):
    b = a.T
    if y[0] > 0:
        y = b[1:3, 0]
    else:
        y = b[:2, 1] * y[0]
    a[0] += 1.0
    return y


def views_of_views_listed(y, a):
    rows = []
    for i in range(12):
        rows.append(a.reshape(-1)[i : i + 2] if y[0] > 0 else y[:2])
    a[0] += 1.0
    return rows[int(y[1])]


def transposed_on_one_path(y, a):
    b = a if y[0] > 0 else a * 2.0
    c = np.broadcast_to(b[0], (2, 5))
    a[0] += 1.0
    return c


def flat_on_one_path(y, a):
    b = a.T if y[0] > 0 else a.T * 2.0
    c = b.reshape(-1)
    a[0] += 1.0
    return c


def flat_written_on_one_path(y, a):
    b = a if y[0] > 0 else a * 2.0
    c = b.reshape(-1)
    c[0] += 1.0
    return a


def rows_listed_on_one_path(y, a):
    b = a if y[0] > 0 else a * 2.0
    rows = []
    for i in range(3):
        rows.append(b[i])
    a[0] += 1.0
    return rows[int(y[1]) - 2]


@pytest.mark.parametrize(
    "f",
    [
        view_of_a_view_on_one_path,
        part_of_a_view_on_one_path,
        views_of_views_listed,
        transposed_on_one_path,
        flat_on_one_path,
        flat_written_on_one_path,
        rows_listed_on_one_path,
    ],
    ids=lambda f: f.__name__,
)
def test_a_view_of_a_view_is_invalidated_by_a_write_to_the_array(f):
    """The array whose memory it shows is two steps away: the write must not be lost."""
    args = np.array([1.0, 2.0, 3.0]), np.arange(15.0).reshape(3, 5)
    try:
        got = myia.jit(f)(*(x.copy() for x in args))
    except myia.MyiaError as error:
        assert "changed through another name" in str(error)
    else:
        np.testing.assert_array_equal(got, f(*args))


def captured_without_a_value(x):
    def g():
        return y * 2

    if x > 0:
        y = x
    return g()


def test_a_captured_name_without_a_value_is_a_name_error():
    for f in (captured_without_a_value, myia.jit(captured_without_a_value)):
        with pytest.raises(NameError, match="cannot access free variable 'y'") as caught:
            f(-1.0)
        assert type(caught.value) is NameError
