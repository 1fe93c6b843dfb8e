"""Checks on eight devices of a CPU, run by `test_eight_devices.py` in one process:

python eight.py      prints what went wrong, by the name of the check, as JSON
"""

import dataclasses
import json
import sys
import tempfile
import time
import traceback
from concurrent.futures import ThreadPoolExecutor
from functools import cache

import jax
import numpy as np
from jax.sharding import AxisType, NamedSharding
from jax.sharding import PartitionSpec as P

import myia
from myia.artifacts.errors import ArtifactError
from tests.devices import training
from tests.devices.collectives import collective_bytes

WHOLE = 'inlineable="false"'  # in the HLO of a loop that is compiled whole
X = np.linspace(-2.0, 2.0, 64)
SCALE = np.array([1.0, -1.0, 0.5])


@cache
def mesh(kind=AxisType.Auto):
    return jax.make_mesh((8,), ("b",), axis_types=(kind,))


def split(*axes, kind=AxisType.Auto):
    return NamedSharding(mesh(kind), P(*axes))


def raised(kind, f, *args, text="", **kwargs):
    try:
        f(*args, **kwargs)
    except kind as error:
        assert text in str(error), error
    else:
        raise AssertionError("nothing was raised")


def same(found, expected):
    found, expected = jax.tree.leaves(found), jax.tree.leaves(expected)
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_array_equal(np.asarray(a), np.asarray(b))


# ----- Programs


def filter_of(x):
    """A loop whose iterations depend on each other, with stores along the axis."""
    y = x.copy()
    for i in range(1, len(y)):
        y[i] += 0.5 * y[i - 1]
    return y


def search(x):
    """A loop that stores and breaks."""
    y, found = x.copy(), -1
    for i in range(len(x)):
        if y[i] > 1.0:
            found = i
            for j in range(i, len(x)):
                if j == i + 9:
                    break
                y[j] = -y[j]
            break
        y[i] = np.sqrt(y[i]) if y[i] > 0 else 0.0
    return y, found


def settle(x):
    y, moved = x.copy(), 1.0
    while moved > 1e-3:
        moved = 0.0
        for i in range(1, len(y) - 1):
            step = 0.3 * (y[i - 1] - 2.0 * y[i] + y[i + 1])
            y[i] += step
            moved = max(moved, abs(step))
    return y


def scattered(x):
    y = np.zeros(len(x), x.dtype)
    for i in range(len(x)):
        y[(7 * i) % 48] += x[i]
    y[::5] = x[:13]
    y[np.array([3, 40, 63])] += SCALE
    return y


def no_trips(x):
    y = x.copy()
    for i in range(len(y), 0):
        y[i] = 0.0
    y[:0] = 1.0
    return y


def reversed_in_place(x):
    y = x.copy()
    for i in range(len(y) // 2):
        y[i], y[-1 - i] = y[-1 - i], y[i]
    return y


def sorted_rows(x):
    y = x.reshape(8, 8).copy()
    for i in range(8):
        for j in range(i):
            if y[i].sum() < y[j].sum():
                row = y[i].copy()
                y[i] = y[j]
                y[j] = row
    return y


STORES = (filter_of, search, settle, scattered, no_trips, reversed_in_place, sorted_rows)


def loss(w, x, y):
    hidden = np.tanh(x @ w["a"])
    return np.mean((hidden @ w["b"] - y) ** 2)


def loss_args(dtype=np.float64):
    rng = np.random.default_rng(0)
    w = {"a": rng.normal(size=(8, 16)), "b": rng.normal(size=(16, 4))}
    args = w, rng.normal(size=(64, 8)), rng.normal(size=(64, 4))
    return jax.tree.map(lambda x: x.astype(dtype), args)


# ----- Stores along the axis, and loops


def check_stores_are_those_of_one_device():
    with jax.enable_x64(True):
        one, all_of_them = jax.device_put(X), jax.device_put(X, split("b"))
        for f in STORES:
            compiled = myia.jit(f)
            expected = compiled(one)
            same(compiled(all_of_them), expected)
            np.testing.assert_allclose(jax.tree.leaves(expected)[0], jax.tree.leaves(f(X))[0])
            assert compiled.compiles == 1
        same(jax.jit(compiled, in_shardings=split("b"))(X), expected)


def check_stores_of_other_dtypes():
    for dtype in (np.int32, np.bool_, np.complex64, np.float32):
        x = (X * 10).astype(dtype)
        same(myia.jit(reversed_in_place)(jax.device_put(x, split("b"))), reversed_in_place(x))


def check_gradients_through_stores():
    with jax.enable_x64(True):
        for f in (filter_of, settle, scattered, reversed_in_place):
            g = myia.grad(lambda x, f=f: np.sum(f(x) ** 2))
            found = g(jax.device_put(X, split("b")))
            np.testing.assert_allclose(found, g(jax.device_put(X)), rtol=1e-12, atol=1e-14)


def check_no_loop_is_compiled_whole():
    f, x = myia.jit(filter_of), X.astype(np.float32)
    assert WHOLE in f.lower(jax.device_put(x)).compile().as_text()
    assert WHOLE in jax.jit(f).lower(x).compile().as_text()
    for of_many in (
        f.lower(jax.device_put(x, split("b"))),
        f.lower(jax.device_put(x, split())),
        myia.jit(filter_of, in_shardings=split("b")).lower(x),
        jax.jit(f, in_shardings=split("b")).lower(x),
    ):
        text = of_many.compile().as_text()
        assert "num_partitions=8" in text and "while(" in text and WHOLE not in text
    with jax.set_mesh(mesh()):
        assert WHOLE not in myia.jit(filter_of).lower(x).compile().as_text()


def check_results_stay_sharded():
    f = myia.jit(lambda x: np.sin(x) * 2.0)
    hlo = f.lower(jax.device_put(X, split("b"))).compile().as_text()
    assert collective_bytes(hlo) == 0
    for sharding in (split("b"), split(), split("b", kind=AxisType.Explicit)):
        x = jax.device_put(X, sharding)
        assert f(x).sharding == sharding
        same(f(x), f(jax.device_put(X)))
    assert f.compiles == 1


def check_threads():
    f = myia.jit(filter_of)
    places = [split("b"), split(), jax.devices()[3]] * 4
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda place: f(jax.device_put(X, place)), places))
    same(found, [found[0]] * len(found))
    assert f.compiles == 1


# ----- Options


def check_options():
    w, x, y = loss_args()
    expected = myia.value_and_grad(loss)(w, x, y)
    given = (split(), split("b"), split("b"))
    results = (None, {"a": split("b"), "b": None})
    g = myia.value_and_grad(loss, in_shardings=given, out_shardings=results)
    value, grads = g(w, x, y)
    assert isinstance(value, jax.Array) and grads["a"].sharding == split("b")
    for a, b in zip(jax.tree.leaves((value, grads)), jax.tree.leaves(expected), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12)
    with jax.enable_x64(True):
        under_jax = jax.jit(myia.value_and_grad(loss), in_shardings=given)(w, x, y)
    np.testing.assert_allclose(under_jax[0], expected[0], rtol=1e-12)
    with jax.set_mesh(mesh()):
        value, _ = myia.value_and_grad(loss, in_shardings=(P(), P("b"), P("b")))(w, x, y)
        np.testing.assert_allclose(value, expected[0], rtol=1e-12)
    assert g.lower(w, x, y).compile()(w, x, y)[1]["a"].sharding == split("b")


@dataclasses.dataclass
class Model:
    w: np.ndarray
    scale: float


def check_structures():
    def f(model, pair, n):
        return {"y": model.w * model.scale + pair[0][:, None], "n": n}, [pair[1]]

    model, pair = Model(np.ones((16, 8)), 2.0), (np.arange(16.0), np.arange(8.0))
    for of_model in (split("b"), Model(split("b"), None), {"w": split("b"), "scale": None}):
        if of_model == split("b"):
            model.scale = np.full((16, 8), 2.0)
        else:
            model.scale = 2.0
        results = ({"y": split(None, "b"), "n": None}, None)
        g = myia.jit(f, in_shardings=(of_model, [split("b"), None], None), out_shardings=results)
        found, (rest,) = g(model, pair, 3)
        assert found["y"].sharding == split(None, "b")
        same((found["y"], rest), (2.0 + np.arange(16.0)[:, None] * np.ones(8), pair[1]))
        assert found["n"] == 3


def check_globals_and_numbers():
    def f(x, a, b):
        return x * a + b * SCALE[1] + SCALE.sum()

    for given in (None, (split("b"), None, None)):
        with jax.enable_x64(True):
            found = myia.jit(f, in_shardings=given)(jax.device_put(X, split("b")), 2.0, 3.0)
        np.testing.assert_allclose(found, f(X, 2.0, 3.0), rtol=1e-12)


def check_arrays_of_numpy_are_written():
    def fill(x):
        for i in range(len(x)):
            x[i] = 2.0 * i
        return x.sum()

    x = np.zeros(64)
    found = myia.jit(fill, in_shardings=split("b"))(x)
    same(x, 2.0 * np.arange(64))
    assert isinstance(found, jax.Array) and found == x.sum()


def check_options_inside_a_function_of_jax():
    inner = myia.jit(lambda x: x * x, in_shardings=split("b"), out_shardings=split())
    f = jax.jit(lambda x: inner(x * 2.0))
    assert f(jax.device_put(X, split())).sharding.is_fully_replicated
    assert "all-gather" in f.lower(jax.device_put(X, split())).compile().as_text()
    same(f(X), (X.astype(np.float32) * 2.0) ** 2)


def check_donation():
    for kind in (AxisType.Auto, AxisType.Explicit):
        p, g = (jax.device_put(X, split("b", kind=kind)) for _ in range(2))
        found = myia.jit(lambda p, g: p - 0.5 * g, donate_argnums=0)(p, g)
        assert found.sharding == p.sharding
        raised(RuntimeError, np.asarray, p, text="delete")
        np.testing.assert_allclose(found, X.astype(np.float32) * 0.5)


def check_wrong_options():
    w, x, y = loss_args()
    raised(TypeError, myia.jit, loss, in_shardings="b", text="in_shardings has 'b'")
    two = myia.jit(loss, in_shardings=(split(), split("b")))
    raised(ValueError, two, w, x, y, text="in_shardings has [NamedSharding")
    keys = myia.jit(loss, in_shardings=({"a": split()}, None, None))
    raised(ValueError, keys, w, x, y, text="for item 0 of the arguments")
    raised(ValueError, two, w, x, y=y, text="pass `y` by position")
    raised(ValueError, myia.jit(loss, out_shardings=(split(),)), w, x, y, text="for the result")
    inner = myia.jit(loss, in_shardings=split())
    raised(myia.errors.MyiaError, myia.jit(lambda *a: inner(*a)), w, x, y, text="option-inside")
    uneven = myia.jit(np.sum, in_shardings=split("b"))
    raised(ValueError, uneven, np.ones(9), text="evenly divide")
    elsewhere = jax.device_put(X, jax.devices()[1])
    raised(ValueError, uneven, elsewhere, text="does not match")


# ----- Training


def check_training_is_that_of_one_device():
    for name, dtype in (("recurrent", np.float64), ("recurrent", np.float32)):
        expected = training.trained_on_one_device(name, dtype)
        found = training.trained_on_all_devices(name, dtype)
        training.assert_equal(found, expected, dtype)
        for p in jax.tree.leaves(found[:2]):
            assert p.sharding.num_devices == 8 and p.is_fully_replicated
    explicit = training.trained_on_all_devices(name, dtype, (AxisType.Explicit,))
    training.assert_equal(explicit, expected, dtype)


def check_collectives_are_those_of_jax():
    everywhere, batch = training.shardings()
    for name, (model, by_hand, _) in training.NETWORKS.items():
        args = jax.device_put(training.start(name, np.float32), everywhere)
        args = (*args, *jax.device_put(training.batch(0, np.float32), batch))
        ours, theirs = (
            collective_bytes(step.lower(*args).compile().as_text())
            for step in (
                myia.jit(training.step_of(model)),
                training.jax_models.step_of(by_hand),
            )
        )
        parameters = sum(x.nbytes for x in jax.tree.leaves(args[0]))
        assert parameters <= ours <= theirs, (name, ours, theirs)


# ----- What else a call does


def check_errors_of_runs():
    x = jax.device_put(X, split("b"))
    at = myia.jit(lambda x, i: x[i], check=True)
    raised(IndexError, at, x, 99, text="index 99 is out of bounds for axis 0 with size 64")
    log = myia.jit(lambda x: np.log(x), debug=True)
    raised(FloatingPointError, log, x)

    def talk(x):
        print("sum", x.sum())
        return x

    raised(ValueError, myia.jit(talk), x, text="runs on one device")


def check_results_of_run_time_size():
    def large(x):
        return x[x > 1.0], [v * 2.0 for v in x if v > 1.5]

    found, expected = (myia.jit(large)(jax.device_put(X, s)) for s in (split("b"), None))
    same(found, expected)
    assert len(found[0]) == sum(X > 1.0)


def check_the_host_is_called_once():
    calls = []

    def note(v):
        calls.append(float(v))
        return np.float32(v)

    called = myia.host(note, like=np.float32(0))
    f = myia.jit(lambda x: x * called(np.sum(x)))
    same(f(jax.device_put(np.ones(8, np.float32), split("b"))), np.full(8, 8.0, np.float32))
    assert calls == [8.0]


def check_batches():
    xs = np.arange(40.0, dtype=np.float32).reshape(8, 5)
    expected = [filter_of(x) for x in xs]
    for f in (myia.vmap(filter_of), jax.vmap(myia.jit(filter_of))):
        found = f(jax.device_put(xs, split("b")))
        assert found.sharding.spec == P("b")
        np.testing.assert_allclose(found, expected, rtol=1e-6)


def check_derivatives_by_jax():
    x = jax.device_put(X.astype(np.float32), split("b"))
    f = myia.jit(lambda x: np.sum(np.sin(x) * np.max(x)))
    by_hand = jax.grad(lambda x: jax.numpy.sum(jax.numpy.sin(x) * x.max()))
    np.testing.assert_allclose(jax.grad(f)(x), by_hand(x), rtol=1e-5)


def check_explicit_axes():
    x = jax.device_put(X, split("b", kind=AxisType.Explicit))
    f = myia.jit(filter_of)
    expected = f(jax.device_put(X))
    same(f(x), expected)
    same(f.lower(x).compile()(x), expected)
    given = myia.jit(filter_of, in_shardings=x.sharding, out_shardings=x.sharding)(x)
    same(given, expected)
    assert given.sharding == x.sharding
    raised(TypeError, jax.jit(f), x, text="jax.sharding.auto_axes")
    same(jax.jit(jax.sharding.auto_axes(f, out_sharding=x.sharding))(x), expected)
    with jax.set_mesh(mesh(AxisType.Explicit)):
        same(f(x), expected)
        dot = myia.value_and_grad(lambda x: x @ x)
        np.testing.assert_allclose(dot(x)[1], 2 * X, rtol=1e-6)


def check_saved_programs():
    x = jax.device_put(X.astype(np.float32), split("b"))
    f = myia.jit(filter_of)
    expected = f(jax.device_put(X))
    with tempfile.TemporaryDirectory() as folder:
        path = f"{folder}/f.myia"
        f.lower(x).compile().save(path)
        loaded = myia.load(path)
        for each in (loaded, jax.jit(loaded)):
            found = each(x)
            same(found, expected)
            assert found.sharding == x.sharding
        named = myia.jit(filter_of, in_shardings=split("b")).lower(X).compile()
        raised(ArtifactError, named.save, path, text="name devices")


def check_the_cache():
    with tempfile.TemporaryDirectory() as folder:
        myia.cache(folder)
        try:
            for _ in range(2):
                f = myia.jit(filter_of)
                expected = f(jax.device_put(X))
                same(f(jax.device_put(X, split("b"))), expected)
        finally:
            myia.cache(None)


CHECKS = {
    name.removeprefix("check_"): check
    for name, check in globals().items()
    if name.startswith("check_")
}


def main(*names: str) -> None:
    assert jax.device_count() == 8
    failed = {}
    for name in names or CHECKS:
        started = time.time()
        try:
            CHECKS[name]()
        except Exception:
            failed[name] = traceback.format_exc()
        print(f"{name}: {time.time() - started:.1f} s", file=sys.stderr)
    print(json.dumps(failed))


if __name__ == "__main__":
    main(*sys.argv[1:])
