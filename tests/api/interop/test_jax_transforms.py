"""JAX's transforms of compiled functions: our derivatives, through loops, to any order."""

from __future__ import annotations

import dataclasses

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax
from jax.sharding import Mesh, PartitionSpec

import myia

# ----- Programs, and what they compute in closed form


def root(x, tolerance=1e-6):
    """The square root of each element, by as many steps of Newton's method as it takes."""
    y = np.ones_like(x)
    for i in range(len(x)):
        guess, change = x[i], 1.0
        while abs(change) > tolerance:
            change = 0.5 * (x[i] / guess - guess)
            guess += change
        y[i] = guess
    return y.sum()


def products(x):
    """Sums of running products, in place, up to the first that is large."""
    y = x.copy()
    total = y[0]
    for i in range(1, len(y)):
        y[i] *= y[i - 1]
        if y[i] > 50.0:
            break
        total += y[i]
    return total


def branches(x):
    """A branch that is not taken is infinite, and has no derivative."""
    total = 0.0
    for v in x:
        if v > 0.0:
            total += np.sqrt(v) * v
        else:
            total += v * v
    return total


POSITIVE, MIXED = [0.5, 2.25, 1.25, 3.0], [0.0, 2.0, -1.25, 3.0]
PROGRAMS = {
    "root": (root, lambda x: jnp.sqrt(x).sum(), POSITIVE),
    "products": (products, lambda x: jnp.cumprod(x).sum(), POSITIVE),
    "branches": (
        branches,
        lambda x: jnp.where(x > 0.0, jnp.where(x > 0.0, x, 1.0) ** 1.5, x * x).sum(),
        MIXED,
    ),
}


def twice(x):
    return jnp.stack([x, 0.5 * x])


TRANSFORMS = {
    "vmap": lambda f: lambda x: jax.vmap(f)(twice(x)),
    "grad": jax.grad,
    "compiled grad": lambda f: jax.jit(jax.grad(f)),
    "grad of compiled": lambda f: jax.grad(jax.jit(f)),
    "vmap of grad": lambda f: lambda x: jax.vmap(jax.grad(f))(twice(x)),
    "grad of vmap": lambda f: lambda x: jax.grad(lambda x: (jax.vmap(f)(x) ** 2).sum())(twice(x)),
    "jacfwd": jax.jacfwd,
    "hessian": jax.hessian,
    "compiled hessian": lambda f: jax.jit(jax.hessian(f)),
    "reverse over reverse": lambda f: jax.jacrev(jax.jit(jax.jacrev(f))),
    "reverse over forward": lambda f: jax.jacrev(jax.jacfwd(f)),
    "vmap of hessian": lambda f: jax.jit(lambda x: jax.vmap(jax.hessian(f))(twice(x))),
    "third order": lambda f: jax.jit(jax.jacfwd(jax.hessian(f))),
    "checkpoint": lambda f: jax.jit(jax.hessian(jax.checkpoint(lambda x: f(jnp.exp(x))))),
    "scan": lambda f: jax.jit(
        jax.hessian(lambda x: lax.scan(lambda c, _: (c * f(c) / 8, f(c)), x, None, 2)[1].sum())
    ),
}
OF_ALL = ("grad", "compiled hessian", "grad of vmap", "vmap of grad")
SLOW = ("hessian", "grad of compiled", "reverse over forward", "vmap of hessian", "third order")
CASES = [
    pytest.param(name, how, wide, marks=pytest.mark.slow if how in SLOW or is_slow else ())
    for name in PROGRAMS
    for how in TRANSFORMS
    if name == "root" or how in OF_ALL
    for wide, is_slow in ((False, False), (True, name != "products" and how != "compiled grad"))
]


@pytest.mark.parametrize("name, how, wide", CASES)
def test_transforms(name, how, wide):
    f, by_jax, x = PROGRAMS[name]
    with jax.enable_x64(wide):
        x = jnp.asarray(x)
        got, want = TRANSFORMS[how](myia.jit(f))(x), TRANSFORMS[how](by_jax)(x)
        assert got.dtype == want.dtype == (np.float64 if wide else np.float32)
        tolerance = 1e-8 if wide else 2e-5
        np.testing.assert_allclose(got, want, rtol=tolerance, atol=tolerance)


def test_transforms_of_our_transforms():
    x = jnp.asarray(POSITIVE)
    want = jax.hessian(PROGRAMS["products"][1])(x)
    gradient = myia.grad(products)
    for found in (jax.jacfwd(gradient)(x), jax.jit(jax.jacrev(gradient))(x)):
        np.testing.assert_allclose(found, want, rtol=1e-5, atol=1e-6)
    along = jax.grad(lambda x: myia.jvp(products, (x,), (jnp.ones(4),))[1])(x)
    np.testing.assert_allclose(along, want.sum(axis=1), rtol=1e-5)
    pulled = jax.jacfwd(lambda x: myia.vjp(products, x)[1](1.0)[0])(x)
    np.testing.assert_allclose(pulled, want, rtol=1e-5, atol=1e-6)


def test_trip_counts_that_differ_between_examples():
    def power(x, n):
        result = 1.0
        while n > 0:
            result, n = result * x, n - 1
        return result

    F, x, n = myia.jit(power), jnp.asarray([2.0, 0.0, 3.0, 1.5]), jnp.asarray([3, 0, 1, 0])
    np.testing.assert_allclose(jax.vmap(F)(x, n), [8.0, 1.0, 3.0, 1.0])
    np.testing.assert_allclose(jax.vmap(jax.grad(F))(x, n), [12.0, 0.0, 1.0, 0.0])
    np.testing.assert_allclose(jax.vmap(F, (None, 0))(2.0, n), [8.0, 1.0, 2.0, 1.0])
    by_both = jax.vmap(jax.vmap(F, (0, None), out_axes=0), (None, 0), out_axes=1)(x, n)
    np.testing.assert_allclose(by_both, np.asarray(x)[:, None] ** np.asarray(n))
    assert jax.vmap(F)(x[:0], n[:0]).shape == (0,)


def test_bodies_of_loops_and_branches_of_jax():
    F = myia.jit(lambda x: root(x * np.ones(1, np.float32)))
    shrunk = lax.while_loop(lambda x: x > 1.5, F, 256.0)
    np.testing.assert_allclose(shrunk, np.sqrt(2.0), rtol=1e-6)
    np.testing.assert_allclose(lax.fori_loop(0, 3, lambda i, x: F(x), 256.0), 2.0, rtol=1e-6)
    either = jax.grad(lambda x: lax.cond(x > 1.0, F, lambda x: 3.0 * x, x))
    np.testing.assert_allclose(jax.vmap(either)(jnp.asarray([4.0, 0.5])), [0.25, 3.0], rtol=1e-5)


def test_linear_maps():
    F = myia.jit(lambda x: products(x))
    x, t = jnp.asarray(POSITIVE), jnp.asarray([1.0, -1.0, 0.5, 2.0])
    value, tangent = jax.jvp(F, (x,), (t,))
    found, along = jax.linearize(F, x)
    np.testing.assert_allclose(found, value)
    np.testing.assert_allclose(along(t), tangent)
    (pulled,) = jax.linear_transpose(along, t)(1.0)
    np.testing.assert_allclose(pulled, jax.grad(F)(x), rtol=1e-6)
    back = jax.linear_transpose(lambda ct: jax.linear_transpose(along, t)(ct)[0], 1.0)
    np.testing.assert_allclose(back(t)[0], tangent, rtol=1e-6)
    with pytest.raises(TypeError, match="JAX takes `<lambda>` for linear"):
        jax.linear_transpose(myia.jit(lambda x: 2.0 * x), 1.0)(1.0)


def test_shard_map():
    mesh = Mesh(np.array(jax.devices()[:1]), ("i",))
    split, whole = PartitionSpec("i"), PartitionSpec()
    F = myia.jit(lambda x, n: x**n)
    x, n = jnp.asarray([1.0, 2.0, 3.0]), jnp.asarray(3.0)
    how = {"mesh": mesh, "in_specs": (split, whole), "out_specs": split}
    for mapped in (jax.shard_map(F, **how), jax.shard_map(F, check_vma=False, **how)):
        total = lambda x, n, f=mapped: f(x, n).sum()  # noqa: E731
        found = jax.jit(jax.grad(total, (0, 1)))(x, n)
        np.testing.assert_allclose(found[0], 3.0 * x**2, rtol=1e-6)
        np.testing.assert_allclose(found[1], (x**3 * jnp.log(x)).sum(), rtol=1e-6)


def test_exported_derivatives():
    gradient = jax.jit(jax.grad(myia.jit(root)))
    x = jnp.asarray(POSITIVE)
    exported = jax.export.export(gradient, platforms=("cpu", "cuda"))(x)
    np.testing.assert_allclose(exported.call(x), 0.5 / np.sqrt(x), rtol=1e-5)


# ----- Arguments and results


@dataclasses.dataclass
class Weights:
    w: object
    b: object


@myia.jit
def layer(weights, x, k, flag, mode="plus"):
    y = x @ weights["w"] if flag else x[0] * weights["w"][0]
    if mode == "plus":
        y = y + weights["b"][0]
    return {"loss": (y * y).sum(), "k": k + 1, "names": ("y", y)}


def weights():
    return {"w": jnp.asarray([[1.0, 2.0], [0.5, -1.0]]), "b": (jnp.asarray([0.25, 0.5]),)}


def test_containers_integers_and_static_arguments():
    def by_jax(p, x):
        return ((x @ p["w"] + p["b"][0]) ** 2).sum()

    p, x = weights(), jnp.asarray([1.5, -0.5])
    want = jax.grad(by_jax)(p, x)
    same = lambda got, want: jax.tree.map(np.testing.assert_allclose, got, want)  # noqa: E731
    same(jax.grad(lambda p: layer(p, x, 2, True)["loss"])(p), want)
    same(jax.jit(jax.grad(lambda p, x, k, b: layer(p, x, k, b)["loss"]))(p, x, 3, True), want)
    # An int and a bool are arguments without a tangent, an int among the results has none.
    several = lambda p, k, b: [layer(p, x, k, b)[name] for name in ("loss", "k")]  # noqa: E731
    value, pull = jax.vjp(several, p, 3, True)
    assert value[1] == 4
    by_p, by_k, by_b = pull([jnp.float32(1.0), np.zeros((), jax.dtypes.float0)])
    same(by_p, want)
    assert by_k.dtype == by_b.dtype == jax.dtypes.float0
    loss = lambda p, k, b: (layer(p, x, k, b)["loss"], layer(p, x, k, b)["k"])  # noqa: E731
    found, aux = jax.grad(loss, has_aux=True)(p, 3, True)
    same(found, want)
    assert aux == 4


def test_instances_and_numpy_arrays_beside_tracers():
    fixed = np.asarray([1.0, -2.0, 0.5], np.float32)

    def f(p, x):
        return ((p.w * x + p.b) ** 2).sum()

    F = myia.jit(f)
    found = jax.grad(lambda w: F(Weights(w, 0.5), fixed))(2.0)
    np.testing.assert_allclose(found, (2.0 * (2.0 * fixed + 0.5) * fixed).sum(), rtol=1e-6)


SCALE = 0.5


def test_numbers_that_a_function_reads_are_no_tracers_of_a_call():
    F = myia.jit(lambda x: SCALE * x)
    for _ in range(2):  # in one trace, then in another
        assert lax.fori_loop(0, 3, lambda i, x: F(x), 8.0) == 1.0
        assert lax.while_loop(lambda x: x > 1.5, F, 8.0) == 1.0


def test_variables_that_are_tracers():
    def outer(y):
        return myia.jit(lambda x: (x * y * y).sum())(np.ones(2))  # all arguments are NumPy's

    def inner(y):
        return myia.grad(lambda x: x * x * y)(3.0)

    assert jax.grad(outer)(2.0) == 8.0 and jax.jit(jax.grad(outer))(2.0) == 8.0
    assert jax.vmap(jax.hessian(outer))(jnp.ones(2)).tolist() == [4.0, 4.0]
    assert jax.grad(inner)(2.0) == 6.0


def test_complex_numbers():
    def by_jax(z):
        return jnp.sum(z * z * jnp.conj(z))

    F, z = myia.jit(lambda z: np.sum(z * z * np.conj(z))), jnp.asarray([1 + 2j, 0.5 - 1j])
    for how in (
        lambda f: jax.vjp(f, z)[1](jnp.complex64(0.3 + 0.7j))[0],
        lambda f: jax.jvp(f, (z,), (0.5j * z,))[1],
        lambda f: jax.grad(lambda z: jnp.abs(f(z)))(z),
        lambda f: jax.grad(lambda x: jax.grad(lambda y: jnp.real(f(y * z)))(x))(2.0),
    ):
        np.testing.assert_allclose(how(F), how(by_jax), rtol=1e-5)


# ----- Rules, effects, refusals


@myia.custom_vjp
def clipped(x):
    return x * 1.0


clipped.defvjp(lambda x: (x * 1.0, None), lambda _, ct: (np.minimum(ct, 1.0),))


@myia.custom_jvp
def cubed(x):
    return x**3


cubed.defjvp(lambda primals, tangents: (primals[0] ** 3, 30.0 * primals[0] ** 2 * tangents[0]))


def test_rules_of_users_are_the_derivative():
    F = myia.jit(lambda x: clipped(x) * 5.0)
    assert jax.grad(F)(2.0) == 1.0 and jax.jit(jax.grad(F))(2.0) == 1.0
    assert jax.jit(F)(2.0) == 10.0
    assert jax.grad(lambda y: myia.jit(lambda x: clipped(x * y) * 5.0)(2.0))(3.0) == 2.0
    for forward in (jax.jacfwd(F), jax.jit(jax.jacfwd(F))):
        with pytest.raises(myia.MyiaError, match="has a rule for reverse mode only"):
            forward(2.0)
    G = myia.jit(lambda x: cubed(x))
    assert jax.grad(G)(1.0) == jax.jacfwd(G)(1.0) == 30.0
    assert jax.hessian(G)(1.0) == jax.grad(jax.grad(G))(1.0) == 60.0
    with pytest.raises(TypeError, match="JAX takes a third derivative"):
        jax.grad(jax.hessian(G))(1.0)


def test_what_a_function_prints_it_prints_once(capfd):
    @myia.jit
    def f(x):
        print("at", x)
        total = 0.0
        while total < 1.0:
            total = total + x
        return total

    assert jax.grad(f)(0.25) == 4.0
    jax.effects_barrier()
    assert capfd.readouterr().out == "at 0.25\n"
    assert jax.jit(jax.grad(f))(0.5) == 2.0
    jax.effects_barrier()
    assert capfd.readouterr().out == "at 0.5\n"
    assert jax.vmap(f)(jnp.asarray([0.5, 0.25])).tolist() == [1.0, 1.0]
    jax.effects_barrier()
    assert capfd.readouterr().out == "at 0.5\nat 0.25\n"


def test_calls_of_python_are_not_made_again():
    given = []
    double = myia.host(lambda x: given.append(float(x)) or 2.0 * float(x), like=0.0)
    F = myia.jit(lambda x: double(x) + x)
    with pytest.raises(TypeError, match="a derivative by JAX would do again"):
        jax.grad(F)(0.5)
    assert given == []
    assert jax.vmap(F)(jnp.asarray([1.0, 2.0])).tolist() == [3.0, 6.0]
    assert given == [1.0, 2.0]


def test_what_cannot_be_raised_or_written_is_refused():
    def f(x, i):
        return [1.0, 2.0][i] * x

    def writes(a, x):
        a[0] = x
        return a.sum()

    with pytest.raises(TypeError, match="`check=True` raises run-time errors"):
        jax.jit(myia.jit(f, check=True))(1.0, 1)
    array, W = np.zeros(2), myia.jit(writes)
    for transform in (jax.jit, jax.grad):
        with pytest.raises(TypeError, match=r"write into a copy, `y = x\.copy\(\)`"):
            transform(lambda x: W(array, x))(1.0)
        with pytest.raises(TypeError, match="the global 'ASSIGNED' would be a tracer"):
            transform(myia.jit(assigns))(1.0)
    assert array.tolist() == [0.0, 0.0] and ASSIGNED == 1.0


ASSIGNED = 1.0


def assigns(x):
    global ASSIGNED
    ASSIGNED = x
    return x * x


# ----- Without 64-bit mode


def test_dtypes_are_those_of_numpy_in_either_mode():
    """What is float64 stays float64, with all its digits, also where JAX has 32 bits."""
    third = np.array([1.0 / 3.0, 2.0])
    F = myia.jit(lambda x, y: (x * y, np.argmax(y), x * 2.0, y.sum()))
    x = jnp.asarray(1.0, jnp.float32)
    for wide in (False, True):
        with jax.enable_x64(wide):
            product, place, double, total = jax.jit(lambda x: F(x, third))(x)
            assert [r.dtype.name for r in (product, place, double, total)] == [
                "float64", "int64", "float32", "float64",
            ]  # fmt: skip
            assert np.array_equal(product, third) and float(total) == third.sum() and place == 1
            slope = jax.jit(jax.grad(lambda x: F(x, third)[0][0]))(x)
            assert slope.dtype == np.float32 and slope == np.float32(1.0 / 3.0)
    G = myia.jit(lambda x: x * (1.0 / 3.0))
    assert G(1.0) == 1.0 / 3.0  # of Python's numbers, in either mode
    assert jax.jit(G)(1.0) == np.float32(1.0 / 3.0)


def test_the_mode_of_the_user_is_left_alone():
    assert not jax.config.jax_enable_x64
    F = myia.jit(root)
    for run in (jax.grad(F), jax.jit(jax.jacfwd(F)), lambda x: jax.vmap(F)(x[None])):
        run(jnp.ones(2))
        assert not jax.config.jax_enable_x64
        assert jnp.arange(3.0).dtype == np.float32 and jnp.asarray(np.ones(1)).dtype == np.float32
    with pytest.raises(myia.MyiaError):
        jax.grad(myia.jit(lambda x: x.nothing))(1.0)
    assert not jax.config.jax_enable_x64
