"""Jacobians and Hessians: structure, several arguments, what a function does beside its result."""

import numpy as np
import pytest

import myia

X = np.array([1.0, -2.0, 0.5])
PARAMS = {"w": X, "b": np.array([0.1, 0.2, 0.3])}
BOTH = (myia.jacfwd, myia.jacrev)


def test_jacobians():
    def f(x):
        return x * x * x[0]

    expected = np.diag(2 * X * X[0])
    expected[:, 0] += X * X
    np.testing.assert_allclose(myia.jacrev(f)(X), expected)
    np.testing.assert_allclose(myia.jacfwd(f)(X), expected)


def test_arrays_without_elements():
    empty = np.zeros((0, 2))
    assert myia.hessian(lambda x: np.sum(x**3))(empty).shape == (0, 2, 0, 2)
    for jacobian in BOTH:
        assert jacobian(lambda x: x * 2)(empty).shape == (0, 2, 0, 2)
        by_x, by_y = jacobian(lambda x, y: x[:0] * y, argnums=(0, 1))(X, 2.0)
        assert by_x.shape == (0, 3) and by_y.shape == (0,)
        by_x, by_y = jacobian(lambda x, y: np.sum(x) + y, argnums=(0, 1))(empty, 2.0)
        assert by_x.shape == (0, 2) and by_y == 1.0


def test_jacobian_shapes_of_structures():
    def f(p):
        return {"y": p["w"] * 2.0, "z": p["w"].sum() * p["b"]}

    for jacobian in (myia.jacrev(f)(PARAMS), myia.jacfwd(f)(PARAMS)):
        assert jacobian["y"]["w"].shape == (3, 3)
        np.testing.assert_allclose(jacobian["z"]["b"], np.eye(3) * X.sum())
        np.testing.assert_allclose(jacobian["y"]["b"], np.zeros((3, 3)))


def test_hessian_and_hvp():
    def f(x):
        return (x**3).sum() + x[0] * x[1]

    expected = np.diag(6 * X)
    expected[0, 1] = expected[1, 0] = 1.0
    np.testing.assert_allclose(myia.hessian(f)(X), expected)
    v = np.array([1.0, 2.0, 3.0])
    np.testing.assert_allclose(myia.hvp(f)(X, v), expected @ v)


# ----- Several arguments


def scaled(x, y):
    return {"a": x * y, "b": (x.sum(),)}


@pytest.mark.parametrize("jacobian", BOTH)
def test_a_tuple_of_argnums_gives_a_tuple_of_blocks(jacobian):
    found = jacobian(scaled, argnums=(0, 1))(X, 3.0)
    np.testing.assert_allclose(found["a"][0], 3.0 * np.eye(3))
    np.testing.assert_allclose(found["a"][1], X)
    np.testing.assert_allclose(found["b"][0][0], np.ones(3))
    assert found["b"][0][1] == 0.0
    (only,) = jacobian(lambda x, y: x * y, argnums=(-1,))(X, 3.0)
    np.testing.assert_allclose(only, X)


def test_second_derivatives_by_several_arguments():
    def f(x, y):
        return x * x * y

    def inside(x, y):
        return myia.hessian(f, argnums=(0, 1))(x, y)

    for found in (myia.hessian(f, argnums=(0, 1))(2.0, 3.0), myia.jit(inside)(2.0, 3.0)):
        assert found == ((6.0, 4.0), (4.0, 0.0))
    assert myia.hvp(f, argnums=(0, 1))(2.0, 3.0, (1.0, 10.0)) == (46.0, 4.0)
    assert myia.elementwise_grad(f, argnums=(0, 1))(2.0, 3.0) == (12.0, 4.0)


def test_aux_goes_along():
    def f(x):
        return x * x, {"n": len(x)}

    for jacobian in BOTH:
        found, aux = jacobian(f, has_aux=True)(X)
        np.testing.assert_allclose(found, np.diag(2 * X))
        assert aux == {"n": 3}
    found, aux = myia.hessian(lambda x: (x[0] ** 3, "s"), has_aux=True)(X)
    assert found[0, 0] == 6.0 and aux == "s"
    assert myia.jvp(lambda x: (x * x, 7), (3.0,), (1.0,), has_aux=True) == (9.0, 6.0, 7)
    value, pullback, aux = myia.vjp(lambda x: (x * x, 7), 3.0, has_aux=True)
    assert (value, pullback(1.0), aux) == (9.0, (6.0,), 7)

    def inside(x):
        value, pullback, aux = myia.vjp(lambda x: (x * x, 7), x, has_aux=True)
        return value, pullback(1.0), aux, myia.jvp(lambda x: (x, 8), (x,), (2.0,), has_aux=True)

    assert myia.jit(inside)(3.0) == (9.0, (6.0,), 7, (3.0, 2.0, 8))


# ----- What the function does beside its result


def counted(x):
    """An element at a run-time index, a counter and a test: three run-time errors."""
    n = 0
    while np.sum(x) < 20.0:
        x = x * x[n % 3]
        n += 1
        if n > 10:
            raise ValueError("never")
    return x


def test_run_time_errors():
    x = np.array([2.0, 3.0, 1.5])
    h = 1e-6
    columns = [(counted(x + h * e) - counted(x - h * e)) / (2 * h) for e in np.eye(3)]
    for jacobian in BOTH:
        program = jacobian(counted)
        np.testing.assert_allclose(program(x), np.stack(columns, axis=1), rtol=1e-7, atol=1e-7)
        with pytest.raises(ValueError, match="never"):
            program(np.zeros(3))


@pytest.mark.parametrize("jacobian", BOTH)
def test_what_is_printed_is_printed_once(jacobian, capfd):
    def f(x):
        for i in range(2):
            print("row", i)
        return x * x

    np.testing.assert_allclose(jacobian(f)(X), np.diag(2 * X))
    assert capfd.readouterr().out == "row 0\nrow 1\n"


SEEN = np.zeros(3)


def remembering(x):
    SEEN[:] = 2 * x
    return x * SEEN


@pytest.mark.parametrize("jacobian", (*BOTH, myia.elementwise_grad))
def test_what_the_function_writes_is_written(jacobian):
    SEEN[:] = 0.0
    found = jacobian(remembering)(X)
    np.testing.assert_allclose(found if found.ndim == 1 else np.diag(found), 4 * X)
    np.testing.assert_allclose(SEEN, 2 * X)
