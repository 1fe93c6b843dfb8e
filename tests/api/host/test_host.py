"""`myia.host(f, like=...)`: compiled code calls Python, each time that Python would."""

from __future__ import annotations

import copy
import dataclasses
import logging
import pickle
import threading
import time

import jax
import numpy as np
import pytest

import myia
from myia.backends.reference.interpreter import evaluate
from myia.infer.boundary.signature import Flattener
from myia.pipeline import lowered, typed_program

LOG = []
TABLE = {0: 2.5, 1: -1.0, 2: 0.5}


@dataclasses.dataclass
class State:
    x: float
    v: np.ndarray


@pytest.fixture(autouse=True)
def _empty_log():
    LOG.clear()


@myia.host(like=None)
def log(*args, **kwargs):
    LOG.append((*args, *kwargs.items()))


@myia.host(like=0.0)
def looked_up(i):
    LOG.append(("looked_up", i))
    return TABLE[i % 3]


@myia.host(like=True)
def more(i):
    LOG.append(("more", i))
    return i < 4


def both(f, *args):
    """The results and the logs of Python, and of compiled code: they must be the same."""
    LOG.clear()
    want, wanted_log = f(*args), list(LOG)
    LOG.clear()
    found = myia.jit(f)(*args)
    assert str(LOG) == str(wanted_log) and LOG
    assert [type(x) for record in LOG for x in record] == [
        type(x) for record in wanted_log for x in record
    ]
    np.testing.assert_equal(found, want)
    return found


def test_a_table_in_a_loop():
    def f(x, n):
        for i in range(n):
            x = x * 1.5 + looked_up(i)
            log(i, x, "text", None, (i, [x]), key={"x": x})
        return x

    both(f, 1.0, 20)


def test_in_branches():
    def f(x, n):
        for i in range(n):
            if x > 3.0:
                x = x - looked_up(i)
            else:
                log(x)
                x = x + 1.0
        return x

    both(f, 1.0, 20)


def test_that_decide_how_often_a_loop_runs():
    def f(i):
        while more(i):
            i = i + 1
        for j in range(10):
            if not more(j):
                break
        return i + j

    both(f, 0)
    both(lambda x: [looked_up(0), looked_up(1)] if more(1) and more(9) else [x, x], 1.0)


def test_in_order_with_print(capfd):
    @myia.host(like=0)
    def say(i):
        print("host", i)
        return i

    def f(n, x):
        for i in range(n):
            print("compiled", i, x)
            x = x + say(i)
            if i % 2 == 0:
                print("even", x)
        return x

    f(5, 1.0)
    want = capfd.readouterr().out
    myia.jit(f)(5, 1.0)
    assert capfd.readouterr().out == want and want.count("host") == 5


def test_arguments_are_those_of_python():
    def f(x, v, state):
        log(1, True, x, v, v[0], v.sum(), x > 0, state, state.v[1:], 2j * x, np.float32(x), v > 1)
        log(np.int8(3), v.astype(np.float16), v.astype(np.complex64), v.astype(np.uint64))
        return x

    both(f, 0.1, np.array([0.1, 1 / 3, 2.0]), State(0.1, np.ones(2)))


def test_arguments_are_copies_that_cannot_be_written_to():
    kept = []

    @myia.host(like=None)
    def keep(v):
        kept.append(v)

    @myia.host(like=None)
    def write(v):
        v[0] = 1.0

    def f(v):
        for _ in range(3):
            v = v + 1.0
            keep(v)
        return v

    myia.jit(f)(np.zeros(2000))
    assert [v[0] for v in kept] == [1.0, 2.0, 3.0] and all(np.ptp(v) == 0 for v in kept)
    with pytest.raises(ValueError, match="read-only"):
        myia.jit(lambda v: write(v))(np.zeros(3))


RESULTS = {
    "float": 0.5,
    "int": 7,
    "bool": True,
    "complex": 1j,
    "scalar": np.float32(0.1),
    "array": np.arange(6.0).reshape(2, 3) / 7,
    "no dimension": np.array(3),
    "empty": np.zeros((0, 2), np.int8),
    "complex array": np.array([1j, 0.5]),
    "half": np.array([0.1], np.float16),
    "big": np.array([2**63], np.uint64),
    "tuple": (1, 2.0, np.ones(2)),
    "nested": {"a": [1, (2.0, None)], "b": {"c": np.arange(3)}},
    "dataclass": State(0.25, np.array([1.0, 2.0])),
}


@pytest.mark.parametrize("result", RESULTS.values(), ids=RESULTS)
def test_results(result):
    h = myia.host(lambda: result, like=result)
    for found in (h(), myia.jit(lambda: h())()):  # outside of compiled code, and inside
        assert type(found) is type(result)
        found, want = (vars(x) if isinstance(x, State) else x for x in (found, result))
        np.testing.assert_equal(found, want)
        assert jax.tree.map(type, found) == jax.tree.map(type, want)
        assert jax.tree.map(_dtype, found) == jax.tree.map(_dtype, want)


def _dtype(x):
    return np.asarray(x).dtype


def test_examples_by_shape_and_dtype():
    draws = np.random.default_rng(0)
    h = myia.host(lambda: draws.normal(size=3), like=jax.ShapeDtypeStruct((3,), np.float64))
    found = myia.jit(lambda: h() + 0.0)()
    np.testing.assert_array_equal(found, np.random.default_rng(0).normal(size=3))


CONVERTED = [(0.0, 3, 3.0), (0.0, True, 1.0), (0.0, np.float32(0.5), 0.5), (0, np.int8(3), 3)]
UNLIKE = [
    (0.0, np.zeros(3), "an array of dtype float64 and shape (3,), where `like` is a float"),
    (0, 1.5, "1.5, of type float, where `like` is a int"),
    (0.0, None, "None, of type NoneType, where `like` is a float"),
    (0.0, 1j, "1j, of type complex, where `like` is a float"),
    (None, 0.0, "0.0, of type float, where `like` is None"),
    (np.int8(0), 300, "300, of type int, where `like` is a np.int8"),
    ((0.0, 0.0), (1.0,), "(1.0,), of type tuple, where `like` is a tuple of 2"),
    ({"a": 0}, {"b": 0}, "{'b': 0}, of type dict, where `like` is a dict with the keys ['a']"),
    ([0.0], [""], "'', of type str, where `like` is a float"),
    (
        np.zeros(3, np.float32),
        np.zeros(3),
        "an array of dtype float64 and shape (3,), where `like` is an array of dtype float32 and "
        "shape (3,)",
    ),
]


@pytest.mark.parametrize(("like", "result", "want"), CONVERTED)
def test_results_that_are_converted(like, result, want):
    h = myia.host(lambda: result, like=like)
    for found in (h(), myia.jit(lambda: h())()):
        assert found == want and type(found) is type(want)


@pytest.mark.parametrize(("like", "result", "message"), UNLIKE)
def test_results_that_are_not_like_the_example(like, result, message):
    def named():
        return result

    h = myia.host(named, like=like)
    for call in (h, myia.jit(lambda: h())):
        with pytest.raises(TypeError) as info:
            call()
        assert str(info.value).startswith("the result of `named`")
        assert str(info.value).endswith(message)


def test_examples_that_are_refused():
    for like in ("text", {1, 2}, [object()], np.array(["a"]), float, np.longdouble(1)):
        with pytest.raises(TypeError, match="it must be made of numbers"):
            myia.host(len, like=like)
    with pytest.raises(TypeError, match="needs `like`"):
        myia.host(len)


def test_exceptions_reach_the_caller(caplog):
    class Odd(Exception):
        pass

    @myia.host(like=0.0)
    def even(i):
        LOG.append(i)
        if i % 2:
            raise Odd("odd", i)
        return 0.5

    @myia.jit
    def f(x, n):
        for i in range(n):
            x = x + even(i)
            log("after", i)
        return x

    with caplog.at_level(logging.ERROR):
        for _ in range(2):
            LOG.clear()
            with pytest.raises(Odd) as info:
                f(1.0, 4)
            assert info.value.args == ("odd", 1)
            assert [entry.name for entry in info.traceback][-1] == "even"
            assert LOG == [0, ("after", 0), 1]
    assert f(1.0, 1) == 1.5 and not caplog.records


def test_nothing_is_called_after_a_failed_check():
    def f(v, i, n):
        for k in range(n):
            log("before", k)
            x = v[i + k]
            log("after", x)
        return x

    for call in (f, myia.jit(f)):
        LOG.clear()
        with pytest.raises(IndexError):
            call(np.arange(3.0), 1, 9)
        assert [x[0] for x in LOG] == ["before", "after"] * 2 + ["before"]


def test_made_inside_of_compiled_code():
    def f(n):
        t = myia.host(time.perf_counter, like=0.0)()
        s = 0.0
        for i in range(n):
            s += myia.host(_squared, like=(0.0, np.zeros(2)))(i)[1][1]
        return t, s

    before = time.perf_counter()
    t, s = myia.jit(f)(4)
    assert before < t < time.perf_counter() and s == 14.0
    t, s = f(4)
    assert t < time.perf_counter() and s == 14.0


def _squared(i):
    return float(i), np.array([i, i * i])


def test_made_inside_of_a_closure_is_refused():
    k = 2.0

    def scaled(x):
        return k * x

    with pytest.raises(myia.MyiaError, match="make it outside of compiled code"):
        myia.jit(lambda x: myia.host(scaled, like=0.0)(x))(1.0)
    h = myia.host(scaled, like=0.0)
    f = myia.jit(lambda x: h(x))
    assert f(1.0) == 2.0
    k = 3.0
    assert f(1.0) == 3.0  # its closure is Python's


def test_another_function_under_the_same_name():
    holder = {"h": myia.host(lambda: 1.0, like=0.0)}
    f = myia.jit(lambda x: x + holder["h"]())
    assert f(1.0) == 2.0
    holder["h"] = myia.host(lambda: 2.0, like=0.0)
    assert f(1.0) == 3.0


def test_methods():
    class Meter:
        def __init__(self):
            self.count = 0

        def tick(self, x):
            self.count += 1
            return x + self.count

    meter = Meter()
    tick = myia.host(meter.tick, like=0.0)
    f = myia.jit(lambda x: tick(tick(x)))
    assert f(0.0) == 3.0 and f(0.0) == 7.0 and meter.count == 4


@pytest.mark.parametrize("x64", [False, True])
def test_arrays_of_jax_keep_their_64_bits(x64):
    third = myia.host(lambda v, n: (v / 3.0, n + 1), like=(np.zeros((300, 300)), 0))

    @myia.jit
    def f(v, n):
        for _ in range(3):
            v = np.sin(v @ v)
        w, n = third(v, n)
        return w * 3.0 - v, n

    with jax.enable_x64(True):
        v = jax.numpy.full((300, 300), 1 / 3)
    with jax.enable_x64(x64):
        for _ in range(5):
            found, n = f(v, 2**40)
            assert isinstance(found, jax.Array) and np.max(np.abs(found)) < 1e-15
            assert int(n) == 2**40 + 1


def test_large_arrays():
    h = myia.host(lambda v: v + 1.0, like=np.zeros(500_000))
    f = myia.jit(lambda v: h(h(v) * 2.0))
    np.testing.assert_array_equal(f(np.ones(500_000)), np.full(500_000, 5.0))
    np.testing.assert_array_equal(f(jax.numpy.ones(500_000, np.float32) + 0.0), 5.0)


def test_threads():
    h = myia.host(lambda x, i: x + i, like=0.0)

    @myia.jit
    def f(x, n):
        for i in range(n):
            x = h(x, i)
        return x

    results = {}

    def work(k):
        results[k] = [f(float(k), 20) for _ in range(3)]

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert results == {k: [k + 190.0] * 3 for k in range(4)}


def test_inside_of_a_host_call():
    inner = myia.jit(lambda x: x * 2.0)
    h = myia.host(lambda x: inner(x), like=0.0)
    assert myia.jit(lambda x: h(x) + 1.0)(3.0) == 7.0
    twice = myia.jit(lambda x: h(x) + 1.0)
    outer = myia.host(lambda x: twice(x), like=0.0)
    with pytest.raises(RuntimeError, match="calls compiled code that calls the host"):
        myia.jit(lambda x: outer(x))(3.0)
    assert twice(3.0) == 7.0


def test_ahead_of_time():
    def f(x, n):
        for i in range(n):
            x = x + looked_up(i)
        return x

    compiled = myia.jit(f).lower(1.0, 5).compile()
    assert not LOG
    assert compiled(1.0, 5) == f(1.0, 5) and len(LOG) == 10


def test_under_jax_jit():
    def f(x):
        for i in range(3):
            x = x * looked_up(i)
            log(x > 0.0)
        return x

    want = f(2.0)
    LOG.clear()
    with jax.enable_x64(True):
        found = float(jax.jit(myia.jit(f))(2.0))
    jax.effects_barrier()
    assert found == want and len(LOG) == 6


def test_in_the_reference_interpreter():
    def f(x):
        for i in range(5):
            x = x * 1.5 + looked_up(i)
            log(i, x)
        return x

    want, wanted_log = f(1.0), list(LOG)
    LOG.clear()
    program = typed_program(f, (Flattener().add(1.0),), {})
    (found,) = evaluate(lowered(program.function), [np.float64(1.0)])
    assert found == want and wanted_log == LOG


def test_arrays_of_run_time_size():
    def f(x, i):
        log(x[:i], x[i : i + 2], x[x > 1.5], [x[i:], i])
        m = x.reshape(2, 4)
        log(m[:, : i - 1], m[: i - 2, 1:])
        return x

    for i in range(3, 6):
        both(f, np.array([0.0, 2.0, 1.0, 3.0, 4.0, 1.75, 0.5, 9.0]), i)


def test_lists_that_grow():
    def f(x, n):
        found = []
        for i in range(n):
            found.append(x * i)
            log(list(found), len(found))
        return x

    both(f, 1.5, 12)


module_level = myia.host(np.sum, like=0.0)


@myia.host(like=0)
def hidden_by_its_decorator(x):
    return len(x)


def test_pickles_and_copies():
    for h in (module_level, hidden_by_its_decorator, myia.host(np.max, like=0.0)):
        for made in (pickle.loads(pickle.dumps(h)), copy.copy(h), copy.deepcopy(h)):
            assert made([1.0, 1.0]) == h([1.0, 1.0])
            assert myia.jit(lambda x: made([x, x]))(1.0) == h([1.0, 1.0])  # noqa: B023
    assert repr(hidden_by_its_decorator) == "myia.host(hidden_by_its_decorator)"


def test_a_function_put_in_the_place_of_another():
    h = myia.host(lambda x: x + 1.0, like=0.0)
    f = myia.jit(lambda x: h(x))
    assert f(1.0) == 2.0
    h.f = lambda x: x + 2.0
    assert f(1.0) == 3.0
