"""Modes of JAX, memory that is not there, and JAX's own transforms outside of 64-bit mode."""

from __future__ import annotations

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import myia


def branches(x, n=4):
    s = 0.0
    for i in range(n):
        if x > i:
            s += np.sin(x) * i
    return s


def writes(a):
    i = 0
    while i < len(a):
        a[i] = a[i] * 2.0 if a[i] > 0 else -a[i]
        i += 1
    return a.sum()


def scanned(x):
    return jnp.tanh(jax.lax.scan(lambda c, v: (c + v * c, c * v), 1.0, x)[0])


def checked(x):
    return [1.0, 2.0][int(x)] * x


TABLE = np.arange(3.0)


def reads_a_global(x):
    return (x * TABLE).sum()


PROGRAMS = {
    "branches": (branches, 2.5),
    "writes": (writes, np.array([-1.0, 2.0, 0.5])),
    "scanned": (scanned, np.array([0.5, -0.25])),
    "checked": (checked, 1.5),
    "global": (reads_a_global, np.array([1.0, 2.0, 4.0])),
}


def like(x):
    return np.array(x) if isinstance(x, np.ndarray) else x


@pytest.mark.parametrize("mode", [jax.disable_jit, jax.checking_leaks])
@pytest.mark.parametrize("name", PROGRAMS)
def test_modes_that_change_how_jax_calls_us(name, mode):
    f, x = PROGRAMS[name]
    expected = myia.grad(f)(like(x))
    with mode():
        F = myia.grad(f)
        for _ in range(2):
            np.testing.assert_allclose(F(like(x)), expected, rtol=1e-6)
        np.testing.assert_allclose(F.lower(like(x)).compile()(like(x)), expected, rtol=1e-6)
        compiled = jax.jit(F)(jnp.asarray(x)) if f is not checked and f is not writes else None
    if compiled is not None:
        np.testing.assert_allclose(compiled, expected, rtol=1e-5)


@pytest.mark.parametrize("mode", [jax.disable_jit, jax.checking_leaks])
def test_run_time_errors_in_these_modes(mode):
    with mode(), pytest.raises(IndexError):
        myia.jit(checked)(5.0)


def test_transfers_that_are_forbidden():
    def f(x):
        return x * 2.0

    F, x = myia.jit(f), jax.device_put(np.arange(3, dtype=np.float32))
    with jax.transfer_guard_host_to_device("disallow"):
        for G, y in ((F, 1.5), (F, np.ones(3)), (myia.jit(reads_a_global), x)):
            with pytest.raises(RuntimeError, match=r"pass `jax\.Array`s"):
                G(y)
        found = F(x)
    np.testing.assert_array_equal(found, [0.0, 2.0, 4.0])
    assert F(1.5) == 3.0


# ----- Out of memory


def too_large(x):
    return np.ones((10**7, 10**6)) * x


def too_large_inside(x):
    a = np.zeros((10**6, 10**7))
    for i in range(3):
        a[i] = a[i - 1] + x
    return a[2].sum()


@pytest.mark.parametrize("make", [float, np.float64, jnp.float32])
@pytest.mark.parametrize(
    "F", [myia.jit(too_large), myia.jit(too_large_inside), myia.grad(too_large_inside)]
)
def test_out_of_memory_is_a_memory_error(F, make):
    x = make(1.0)
    if isinstance(x, jax.Array):  # such a call does not wait: the error may come with the numbers
        with pytest.raises((MemoryError, jax.errors.JaxRuntimeError), match="RESOURCE_EXHAUSTED"):
            np.asarray(F(x))
    else:
        with pytest.raises(MemoryError, match="Out of memory allocating 8") as info:
            F(x)
        assert isinstance(info.value.__cause__, jax.errors.JaxRuntimeError)
    assert myia.jit(lambda x: x * 2.0)(x) == 2.0  # alive afterwards


def test_an_argument_is_what_it_was_when_memory_runs_out():
    def f(a):
        a[0] = 5.0
        return too_large(a[0])

    a = np.zeros(2)
    with pytest.raises(MemoryError):
        myia.jit(f)(a)
    np.testing.assert_array_equal(a, [0.0, 0.0])


# ----- JAX's transforms of our functions


def cubes(x):
    s = 0.0
    for i in range(3):
        s = s + x[i] * x[i] * x[i]
    return s


def products(x):
    y = x * 1.0
    for i in range(1, x.shape[0]):
        y[i] = y[i - 1] * x[i]
    return y.sum()


def picked(x):
    return (x[np.array([0, 2, 2])] ** 2).sum() + x[::-1][1] * x[0]


def added(x):
    y = np.zeros(4, x.dtype)
    y[np.array([3, 1])] += x[:2] * x[1:3]
    return (y * y).sum()


def reference(f):
    """The same function in JAX's terms."""
    return {
        cubes: lambda x: (x[:3] ** 3).sum(),
        products: lambda x: jnp.cumprod(x).sum(),
        picked: lambda x: x[0] ** 2 + 2 * x[2] ** 2 + x[-2] * x[0],
        added: lambda x: ((x[:2] * x[1:3]) ** 2).sum(),
    }[f]


OF_JAX = {
    "hessian": jax.hessian,
    "jacrev": jax.jacrev,
    "jacfwd": jax.jacfwd,
    "compiled hessian": lambda f: jax.jit(jax.hessian(f)),
    "vmap of grad": lambda f: lambda x: jax.vmap(jax.grad(f))(jnp.stack([x, 2 * x])),
    "vmap": lambda f: lambda x: jax.vmap(f)(jnp.stack([x, 2 * x])),
}


QUICK = ("jacrev",)
CASES = [
    pytest.param(f, name, marks=[] if name in QUICK or f is cubes else pytest.mark.slow)
    for f in (cubes, products, picked, added)
    for name in OF_JAX
]


@pytest.mark.parametrize("f, name", CASES)
def test_transforms_of_jax_outside_of_64_bit_mode(f, name):
    """Its rules index in the user's mode."""
    assert not jax.config.jax_enable_x64
    x = jnp.asarray([1.0, 2.0, 3.0, 0.5, 0.25])
    found = OF_JAX[name](myia.jit(f))(x)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, OF_JAX[name](reference(f))(x), rtol=1e-5, atol=1e-5)
