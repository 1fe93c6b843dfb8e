"""`myia.vmap` against a loop over the examples in Python."""

import copy
import pickle
from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import myia
from tests.api.batches.by_loop import check

RNG = np.random.default_rng(0)
X, Y, W = RNG.normal(size=(5, 3)), RNG.normal(size=(5, 3)), RNG.normal(size=(3, 3))
ONES = np.ones(3)


# ----- Control flow, mutation, results


def first_positive(x):
    for v in x:
        if v > 0:
            return v * 2
    return x.sum()


def jumps(x):
    s = 0.0
    for i, v in enumerate(x):
        if s > 1:
            break
        if v < 0:
            continue
        s += v * i
    return s, i


def halvings(x):
    n = 0
    while abs(x[0]) > 0.1:
        x = x / 2
        n += 1
    return {"x": x, "n": n}


def adds_into(x, y):
    for i in range(len(x)):
        if y[i] > 0:
            x[i] += y[i]
    return x[0]


def writes_views(x):
    x[0], x[1] = x[1], x[0]
    v = x[1:]
    v *= 2
    return v


def reshapes(x):
    y = x.reshape(-1)
    y[0] = 9.0
    return y.copy()


def grows(x):
    out = []
    for v in x:
        out.append(v * v)
    return out, np.array(out)


def closure(x):
    c = 0.0

    def add(v):
        nonlocal c
        c += v

    for v in x:
        add(v)
    return c


def catches(x):
    try:
        if x[0] < 0:
            raise ValueError("no root")
        return x[0] ** 0.5
    except ValueError:
        return -1.0


@pytest.mark.parametrize(
    "f", [first_positive, jumps, halvings, grows, closure, catches, lambda x: x[x > 0].sum()]
)
def test_programs(f):
    check(myia.vmap(f), f, (X,))


def test_what_is_written_into_a_part_is_in_the_array():
    check(myia.vmap(adds_into), adds_into, (X, Y))
    for axis in (1, -1):
        check(myia.vmap(writes_views, in_axes=axis), writes_views, (X,), (axis,))
    # Example i of the first is contiguous, of the second it is not: `reshape` copies.
    check(myia.vmap(reshapes), reshapes, (RNG.normal(size=(4, 2, 3)),))
    check(myia.vmap(reshapes, in_axes=1), reshapes, (RNG.normal(size=(2, 4, 3)),), (1,))


def test_dtypes():
    def integers(x):
        return x // 2, x / 2, x > 1, 3, 2.5, True

    check(myia.vmap(integers), integers, (np.arange(5),))

    def narrow(x, y):
        return x * 2.0, x + 1, x * y

    check(myia.vmap(narrow), narrow, (np.float32([1, 2]), np.array([1, 2])))


@dataclass
class Layer:
    w: np.ndarray
    b: np.ndarray
    rate: int = 2


def test_structures():
    args = Layer(RNG.normal(size=(4, 3, 3)), RNG.normal(size=(4, 3))), X[:4]
    found = myia.vmap(lambda p, x: {"y": p.rate * (p.w @ x) + p.b, "p": p})(*args)
    want = [2 * (args[0].w[i] @ X[i]) + args[0].b[i] for i in range(4)]
    np.testing.assert_allclose(found["y"], want)
    assert found["p"].rate == 2 and found["p"].w.shape == (4, 3, 3)
    axes = ({"w": None, "b": [0, 1]}, None)
    f = myia.vmap(lambda p, k: (p["w"] * k, p["b"]), in_axes=axes, out_axes=(1, 0))
    ws, (b, c) = f({"w": ONES, "b": [X, X.T]}, 2)
    assert ws.shape == (3, 5) and np.array_equal(b, X) and np.array_equal(c, X)
    kept = myia.vmap(lambda x: (x, None, 2.5, "text"), out_axes=(0, 0, None, None))(ONES)
    assert kept[1:] == (None, 2.5, "text")


def test_axes_and_forms():
    assert myia.vmap(lambda x, k: x * k)(X, k=np.arange(5)).shape == X.shape
    outer = myia.vmap(np.outer, in_axes=(-1, 1), out_axes=1)(X, Y)
    np.testing.assert_allclose(outer, np.einsum("ik,jk->ikj", X, Y))

    @myia.vmap(in_axes=(0, None), out_axes=-1)
    def product(x, w):
        return w @ x

    np.testing.assert_allclose(product(X, W), W @ X.T)
    pairs = myia.vmap(myia.vmap(lambda a, b: a - b, in_axes=(None, 0)), in_axes=(0, None))
    np.testing.assert_allclose(pairs(X[:, 0], Y[:2, 0]), X[:, :1] - Y[:2, 0])
    assert "in_axes=(0, None), out_axes=-1" in repr(product)
    again = pickle.loads(pickle.dumps(myia.vmap(np.sum, in_axes=1)))
    np.testing.assert_allclose(copy.copy(again)(X), X.sum(0))


def test_inside_compiled_code():
    @myia.jit
    def program(x, axes):
        rows = myia.vmap(lambda r: r * r.sum(), in_axes=1, out_axes=1)(x)
        by_dict = myia.vmap(lambda p: p["a"] + p["b"], in_axes=({"a": 0, "b": None},))
        return rows, by_dict({"a": x, "b": x[0]}), myia.vmap(np.sort)(x)

    rows, sums, in_order = program(X, 0)
    np.testing.assert_allclose(rows, X * X.sum(0))
    np.testing.assert_allclose(sums, X + X[0])
    np.testing.assert_allclose(in_order, np.sort(X))


def test_with_jax():
    found = myia.vmap(np.sum)(jnp.asarray(X))
    assert isinstance(found, jax.Array)
    twice = jax.vmap(myia.vmap(np.sum))(jnp.stack([X, Y]))
    np.testing.assert_allclose(twice, [X.sum(1), Y.sum(1)], 1e-6)


def test_without_examples():
    f = myia.vmap(lambda x: (x @ x, x, 3, x[0] > 0))
    found = f(np.zeros((0, 4), np.float32))
    assert [y.shape for y in found] == [(0,), (0, 4), (0,), (0,)]
    assert [y.dtype.char for y in found] == ["f", "f", "l", "?"]
    assert myia.grad(lambda x: f(x)[0].sum())(np.zeros((0, 4))).shape == (0, 4)


def test_generators():
    def draws(seed):
        return np.random.default_rng(seed).normal(size=2)

    check(myia.vmap(draws), draws, (np.arange(3),))
    rng = np.random.default_rng(0)
    with pytest.raises(myia.MyiaError, match="a draw from a generator that all examples") as e:
        myia.vmap(lambda x: x * rng.normal())(ONES)
    assert "give each example a seed" in str(e.value)


# ----- Derivatives


def steps(x):
    s = 0.0
    while x > 0.1:
        s += np.sin(x)
        x = x * 0.7
    return s


def test_derivatives():
    x, h = np.array([0.3, 1.1, 2.7, 0.05]), 1e-6
    want = [(steps(v + h) - steps(v - h)) / (2 * h) for v in x]
    slopes = myia.vmap(myia.grad(steps))(x)
    np.testing.assert_allclose(slopes, want, 1e-6)
    many = myia.vmap(steps)
    for jacobian in (myia.jacfwd, myia.jacrev):
        np.testing.assert_allclose(jacobian(many)(x), np.diag(slopes), 1e-12)
    curvatures = myia.vmap(myia.grad(myia.grad(steps)))(x)
    np.testing.assert_allclose(
        myia.hessian(lambda x: many(x).sum())(x), np.diag(curvatures), 1e-12, 1e-15
    )


def test_products_with_derivatives():
    def q(x):
        return (x**2).sum() * x[0]

    slopes = np.stack([myia.grad(q)(x) for x in X])
    _, tangents = myia.jvp(myia.vmap(q), (X,), (Y,))
    np.testing.assert_allclose(tangents, (slopes * Y).sum(1))
    _, pull = myia.vjp(myia.vmap(q), X)
    np.testing.assert_allclose(pull(np.arange(5.0))[0], slopes * np.arange(5.0)[:, None])
    np.testing.assert_allclose(myia.vmap(lambda x: myia.vjp(q, x)[1](1.0)[0])(X), slopes)
    by_example = myia.vmap(lambda x, t: myia.jvp(q, (x,), (t,)))(X, Y)[1]
    np.testing.assert_allclose(by_example, tangents)
    of_checkpoint = myia.grad(lambda x: myia.checkpoint(myia.vmap(q))(x).sum())(X)
    np.testing.assert_allclose(of_checkpoint, slopes)
    values, grads = myia.vmap(myia.value_and_grad(myia.checkpoint(q)))(X)
    np.testing.assert_allclose(grads, slopes)
    np.testing.assert_allclose(values, [q(x) for x in X])


# ----- Errors


def test_errors_of_examples():
    def picks(x, i):
        if i < 0:
            raise ValueError("a negative index")
        return x[i]

    f = myia.vmap(picks)
    with pytest.raises(IndexError, match="index 7 is out of bounds for axis 0 with size 3"):
        f(X, np.array([0, 7, 1, 8, -1]))
    with pytest.raises(ValueError, match="a negative index"):
        f(X, np.array([0, -2, 1, 8, 1]))
    assert f(X, np.array([0, 1, 2, 2, 1])).shape == (5,)

    @myia.jit
    def caught(x, i):
        try:
            return myia.vmap(picks)(x, i)
        except IndexError:
            return -ONES[:2]

    assert np.array_equal(caught(X[:2], np.array([0, 9])), [-1, -1])


TWO = (ONES, ONES)


@pytest.mark.parametrize(
    ("axes", "args", "error", "message"),
    [
        (0, (ONES, X), ValueError, "3 along axis 0 of `x`, 5 along axis 0 of `y`"),
        (0, (ONES, 2.0), ValueError, "`y` is a Python float, which has no axis"),
        (0, (ONES, np.float64(1)), ValueError, "`y` is a float64 scalar, which has no axis"),
        ((0,), TWO, ValueError, "in_axes has 1 entry for 2 positional arguments"),
        ((0, 1), TWO, ValueError, "in_axes has 1 for `y`, which has 1 axis"),
        (None, TWO, ValueError, "no argument has examples"),
        ({"x": 0}, TWO, TypeError, "in_axes is a dict"),
        ((0, {"b": 0}), (ONES, {"a": ONES}), ValueError, "keys 'b' for `y`, which is a dict"),
        ((0, (0, 0)), TWO, ValueError, "in_axes has 2 entries for `y`, which is an array"),
    ],
)
def test_wrong_in_axes(axes, args, error, message):
    with pytest.raises(error, match=message):
        myia.vmap(lambda x, y: x, in_axes=axes)(*args)


@pytest.mark.parametrize(
    ("f", "axes", "error", "message"),
    [
        (lambda x: "text", 0, TypeError, "the result is 'text', which cannot be an array"),
        (lambda x: (x, 2), None, ValueError, r"None for the result\[0\], which differs"),
        (lambda x: x, 2, ValueError, "out_axes has 2 for the result of all examples, which has 1"),
        (
            lambda x: (x, x),
            (0, 0, 0),
            ValueError,
            "3 entries for the result, which is a tuple of 2",
        ),
        (lambda x: lambda: x, 0, TypeError, "cannot be an array of all examples"),
    ],
)
def test_wrong_out_axes(f, axes, error, message):
    with pytest.raises(error, match=message):
        myia.vmap(f, out_axes=axes)(ONES)


def test_wrong_options():
    for axes in (1.5, True, (0, "x"), {"a": 2.0}):
        with pytest.raises(
            TypeError, match="which is not an int, None, or a tuple, list, dict or instance"
        ):
            myia.vmap(np.sum, in_axes=axes)
    with pytest.raises(TypeError, match="unknown option 'inaxes': did you mean 'in_axes'"):
        myia.vmap(np.sum, inaxes=1)
    with pytest.raises(TypeError, match="takes a function"):
        myia.vmap(3)


SHARED = np.zeros(3)


def writes_shared(x):
    SHARED[0] = x
    return x


def reads_all(x):
    def each(r):
        s = x.sum()
        r[0] = 9.0
        return s

    return myia.vmap(each)(x)


def test_what_examples_share_does_not_change():
    """An iteration of the loop would see what an earlier one has done."""
    for f, args, message in [
        (myia.vmap(writes_shared), (ONES,), "a change of an array that all examples"),
        (myia.vmap(adds_into, (None, 0)), (ONES, X), "a change of an array that all examples"),
        (myia.vmap(lambda d: d.update(a=1.0)), ({"a": X},), "a change of a dict"),
        (myia.jit(reads_all), (X,), "a change of `r` under `vmap`, where the same array has"),
    ]:
        with pytest.raises(myia.MyiaError, match=message):
            f(*copy.deepcopy(args))
    for views in (lambda x: (x[1:], x[:-1]), lambda x: (x[:3], x.T)):
        with pytest.raises(myia.MyiaError):
            myia.jit(lambda x, views=views: myia.vmap(adds_into)(*views(x)))(X.copy())
    x = X.copy()
    found = myia.jit(lambda x: myia.vmap(adds_into)(x, x))(x)  # one part under two names
    np.testing.assert_allclose(x, np.where(X > 0, 2 * X, X))
    np.testing.assert_allclose(found, x[:, 0])


def until_small(x, w):
    while np.abs(x).max() > 0.3:
        x = np.tanh(w @ x)
    return x


def printed(x):
    print(x)
    return x * 2


def test_the_plan_tells_of_batches_that_stay_loops():
    wide = myia.vmap(until_small, in_axes=(0, None))
    assert "examples" not in str(wide.plan(X, W / 3))
    one_by_one = myia.vmap(printed)
    assert "3 examples of `vmap`, one after the other" in str(one_by_one.plan(ONES))
