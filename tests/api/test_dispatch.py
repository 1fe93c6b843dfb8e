"""Calls: which program serves them, and what comes back."""

from __future__ import annotations

import functools
import threading

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import myia

SCALE = 2.0
FACTOR = 2.0
TABLE = np.array([1.0, 2.0, 3.0])


def helper(x, power=2):
    return x**power


def read_globals(x):
    return helper(x) * SCALE + TABLE[0]


def mixed(x, a, y, *, b, z):
    return y - x, a * z, x * y * z, b + x


def test_packed_numbers_keep_their_positions():
    a, b = np.arange(3.0), np.arange(2.0)
    got = myia.jit(mixed)(1.5, a, np.float64(2.5), z=3.5, b=b)
    wanted = mixed(1.5, a, 2.5, b=b, z=3.5)
    for g, w in zip(got, wanted, strict=True):
        np.testing.assert_array_equal(g, w)
    assert type(got[2]) is np.float64  # of a Python float and a NumPy scalar


def test_results_of_floats_are_floats():
    f = myia.jit(lambda x, y: (x, {"sum": x + y}, [y, 3]))
    assert f(1.5, 2.0) == (1.5, {"sum": 3.5}, [2.0, 3])
    assert type(f(1.5, 2.0)[1]["sum"]) is float


def test_results_follow_the_arguments():
    f = myia.jit(lambda a, x: (a * x, x))
    for make, kind in ((np.ones, np.ndarray), (jax.numpy.ones, jax.Array)):
        scaled, x = f(make(3, dtype="float32"), 2.0)
        assert isinstance(scaled, kind)
        assert float(x) == 2.0
    assert f(np.ones(3), 2.0)[0].flags.writeable


def test_globals_are_read_at_every_call(monkeypatch):
    f = myia.jit(read_globals)
    assert f(3.0) == 19.0
    monkeypatch.setitem(globals(), "SCALE", 3.0)
    assert f(3.0) == 28.0
    monkeypatch.setitem(globals(), "TABLE", np.array([5.0, 2.0, 3.0]))
    assert f(3.0) == 32.0
    assert f.compiles == 1
    monkeypatch.setitem(globals(), "TABLE", np.array([5.0, 2.0]))
    assert (f(3.0), f.compiles) == (32.0, 2)


def test_a_default_that_changes_is_seen(monkeypatch):
    f = myia.jit(read_globals)
    assert f(3.0) == 19.0
    monkeypatch.setattr(helper, "__defaults__", (3,))
    assert f(3.0) == 55.0
    monkeypatch.setattr(helper, "__defaults__", (2,))
    assert (f(3.0), f.compiles) == (19.0, 2)


def test_a_function_that_changes_is_seen(monkeypatch):
    f = myia.jit(read_globals)
    assert f(3.0) == 19.0
    monkeypatch.setattr(helper, "__code__", (lambda x, power=2: x + power).__code__)
    assert f(3.0) == 11.0


def test_one_program_for_functions_made_anew():
    apply = myia.jit(lambda f, x: f(x))
    for k in (1.0, 2.0, 3.0):
        assert apply(lambda x, k=k: x * k, 2.0) == 2.0 * k
    assert apply.compiles == 1


def test_sets_of_equal_numbers_of_other_types_differ():
    f = myia.jit(lambda s: len(s) if 1 in s else 0)
    assert (f({1, 2}), f({1.0, 2}), f.compiles) == (2, 2, 2)


def test_objects_are_numbered_past_arrays_of_objects():
    def store(names, out):
        out[0] = 1.0
        return out

    out = np.zeros(2)
    assert myia.jit(store)(np.array([None, "a"]), out) is out
    np.testing.assert_array_equal(out, [1.0, 0.0])


def test_arrays_of_one_object_stay_one():
    def add(a, b):
        a[0] = 5.0
        return a + b

    a = np.ones(2)
    np.testing.assert_array_equal(myia.jit(add)(a, a), [10.0, 2.0])
    np.testing.assert_array_equal(a, [5.0, 1.0])


def test_partial_and_methods():
    f = functools.partial(helper, power=3)
    assert myia.jit(lambda g, x: g(x))(f, 2.0) == 8.0


# ----- Ahead of time


def test_compiled_takes_what_it_was_lowered_for():
    f = myia.jit(mixed)
    args, kwargs = (1.5, np.arange(3.0), 2.5), {"b": np.ones(2), "z": 3.5}
    compiled = f.lower(*args, **kwargs).compile()
    for got, wanted in zip(compiled(*args, **kwargs), mixed(*args, **kwargs), strict=True):
        np.testing.assert_array_equal(got, wanted)
    with pytest.raises(TypeError, match=r"`\w+` has the shape \(4,\), had \(3,\)"):
        compiled(1.5, np.arange(4.0), 2.5, **kwargs)


def powers(params, n, *, shift=0):
    total = 0.0
    for i in range(n):
        total += params["w"][0] ** i
    return total + shift


OTHERS = {  # what a program for ({"w": float64[2]}, 3, shift=1) is called with
    "n": (lambda p: ((p, 4), {"shift": 1}), "`n` is 4, was 3; .*`np.int64"),
    "shift": (lambda p: ((p, 3), {"shift": 2}), "`shift` is 2, was 1; "),
    "type of n": (lambda p: ((p, 3.0), {"shift": 1}), "`n` is float64, was int64"),
    "in a dict": (
        lambda p: (({"w": p["w"].astype(np.float32)}, 3), {"shift": 1}),
        r"`params\['w'\]` is float32, was float64",
    ),
    "too few": (lambda p: ((p,), {"shift": 1}), "1 positional arguments, not 2"),
    "no keyword": (lambda p: ((p, 3), {}), "passed by name are none, were `shift`"),
}


@pytest.mark.parametrize("case", OTHERS)
def test_compiled_names_the_argument_that_differs(case):
    params = {"w": np.array([2.0, 1.0])}
    compiled = myia.jit(powers).lower(params, 3, shift=1).compile()
    assert compiled(params, 3, shift=1) == 8.0
    (args, kwargs), text = OTHERS[case][0](params), OTHERS[case][1]
    with pytest.raises(TypeError, match=text) as caught:
        compiled(*args, **kwargs)
    assert "powers" in str(caught.value)
    assert compiled(params, 3, shift=1) == 8.0


def test_compiled_takes_any_numpy_int_if_it_was_lowered_for_one():
    params = {"w": np.array([2.0, 1.0])}
    compiled = myia.jit(powers).lower(params, np.int64(3), shift=1).compile()
    assert [compiled(params, np.int64(n), shift=1) for n in (0, 4)] == [1.0, 16.0]


def test_lowering_compiles_once():
    f = myia.jit(lambda x: x * 2.0)
    f(1.0)
    f.lower(1.0)
    assert f.compiles == 1


def test_compiled_outlives_the_change_of_an_int_into_an_argument():
    f = myia.jit(lambda x, n: x * n)
    compiled = f.lower(1.5, 2).compile()
    assert [f(1.5, n) for n in range(6)] == [1.5 * n for n in range(6)]
    assert compiled(1.5, 2) == 3.0


# ----- Calls looked up by the types of their arguments alone


def test_shapes_and_dtypes_alternate():
    f = myia.jit(lambda x: x * x)
    arrays = [jnp.arange(3.0, dtype="float32"), jnp.arange(2), jnp.ones((2, 2), "float32")]
    for x in [*arrays, *reversed(arrays), *arrays]:
        y = f(x)
        assert y.dtype == x.dtype and np.array_equal(y, np.asarray(x) ** 2)
    assert f.compiles == 3


def test_a_global_changes_between_calls_with_numbers(monkeypatch):
    monkeypatch.setitem(globals(), "FACTOR", 2.0)
    f = myia.jit(lambda x: x * FACTOR)
    assert f(3.0) == 6.0 == f(3.0)
    monkeypatch.setitem(globals(), "FACTOR", 5.0)
    assert f(3.0) == 15.0
    monkeypatch.setitem(globals(), "FACTOR", np.arange(2.0))
    assert np.array_equal(f(3.0), [0.0, 3.0]) and f.compiles == 2


def test_errors_of_calls_with_numbers_are_raised_each_time():
    f = myia.jit(lambda x: [1.0, 2.0][int(x)] * x)
    for _ in range(3):
        assert f(1.0) == 2.0
        with pytest.raises(IndexError):
            f(2.0)


def test_numbers_and_device_arrays_under_a_transform_of_jax():
    f = myia.jit(lambda x, y: x * y)
    x = jnp.arange(3.0)
    assert np.array_equal(f(x, 2.0), [0, 2, 4])
    assert np.array_equal(jax.vmap(lambda v: f(v, 2.0))(x), [0, 2, 4])
    assert np.array_equal(jax.jit(lambda v: f(v, 2.0))(x), [0, 2, 4])


def test_threads_compile_a_program_once():
    f = myia.grad(lambda x: x * helper(x))
    start = threading.Barrier(4)
    found = []

    def run():
        start.wait()
        found.append(f(2.0))

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [12.0] * 4
    assert f.compiles == 1


def test_an_int_given_by_keyword_becomes_an_argument():
    f = myia.jit(lambda x, *, n=2: x * n)
    assert [f(1.5, n=n) for n in range(9)] == [1.5 * n for n in range(9)]
    assert f(1.5) == 3.0 and f(1.5, n=2**70) == 1.5 * 2**70
    assert f.compiles == 6  # three values, any value, none, one beyond 64 bits


TAKEN_APART = (
    lambda x, n: x if n == 0 else np.ones(3) * x,
    lambda x, n: (x,) if n < 2 else (x, x),
    lambda x, n: {"w0": 1.0, "w1": x, "w2": 3.0, "w3": 4.0, "w4": x}["w%d" % n],  # noqa: UP031
    lambda x, n: np.arange(6.0)[:n] * x,
    lambda x, n: f"{n}",
)


@pytest.mark.parametrize("f", TAKEN_APART)
def test_an_int_that_no_program_can_take_as_an_argument(f):
    program = myia.jit(f)
    for n in range(5):
        found, expected = program(0.5, n), f(0.5, n)
        assert type(found) is type(expected)
        np.testing.assert_array_equal(found, expected)


def test_an_unknown_option_is_named():
    with pytest.raises(TypeError, match="unknown option 'donate'"):
        myia.jit(helper, donate=0)
