"""Derivatives of complex numbers by real ones, and of real numbers by complex ones: all of them."""

import numpy as np
import pytest

import myia

X = np.array([0.3, -1.2, 2.0])
Z = np.array([1.0 + 2.0j, -0.5j, 3.0 + 0j])
BOTH = (myia.jacfwd, myia.jacrev)


def waves(x):
    return np.exp(1j * x)


def mixed(x):
    """Complex and real results, dense and sparse, and one that x has no part in."""
    spectrum = np.fft.fft(x)
    return spectrum, x * x, waves(x) * x[0], np.sum(spectrum) * 1j, np.ones(2) * 1j


def by_differences(f, x, h=1e-6):
    columns = [(f(x + h * e) - f(x - h * e)) / (2 * h) for e in np.eye(x.size)]
    return np.stack(columns, axis=-1)


@pytest.mark.parametrize("jacobian", BOTH)
def test_complex_results_of_real_arguments(jacobian):
    np.testing.assert_allclose(jacobian(np.fft.fft)(X), np.fft.fft(np.eye(3)).T, atol=1e-12)
    np.testing.assert_allclose(jacobian(waves)(X), np.diag(1j * waves(X)), atol=1e-12)
    assert jacobian(waves)(0.5) == pytest.approx(1j * np.exp(0.5j))
    found = jacobian(mixed)(X)
    for i, block in enumerate(found):
        want = by_differences(lambda x, i=i: mixed(x)[i], X)
        np.testing.assert_allclose(block, want, atol=1e-8)
    assert [b.dtype.kind for b in found] == ["c", "f", "c", "c", "c"]


@pytest.mark.parametrize("jacobian", BOTH)
def test_several_arguments(jacobian):
    def f(x, z):
        return x * z, np.sum(x) * np.abs(z[0]) ** 2

    by_x, by_z = jacobian(f, argnums=(0, 1))(X, Z)[0]
    np.testing.assert_allclose(by_x, np.diag(Z))
    np.testing.assert_allclose(by_z, np.diag(X))
    by_x, by_z = jacobian(f, argnums=(0, 1))(X, Z)[1]
    np.testing.assert_allclose(by_x, np.full(3, 5.0))
    np.testing.assert_allclose(by_z, [X.sum() * 2 * np.conj(Z[0]), 0, 0])


@pytest.mark.parametrize("jacobian", BOTH)
def test_real_results_of_complex_arguments_are_gradients(jacobian):
    def power(z):
        return np.sum(np.abs(z) ** 2)

    np.testing.assert_allclose(jacobian(power)(Z), 2 * np.conj(Z))
    np.testing.assert_allclose(jacobian(power)(Z), myia.grad(power)(Z))
    np.testing.assert_allclose(jacobian(np.real)(Z), np.eye(3), atol=0)
    np.testing.assert_allclose(jacobian(np.imag)(Z), -1j * np.eye(3), atol=0)
    np.testing.assert_allclose(jacobian(lambda z: z * z)(Z), np.diag(2 * Z))  # holomorphic
    narrow = jacobian(np.imag)(Z.astype(np.complex64))
    assert narrow.dtype == np.complex64


def test_in_compiled_code_and_in_batches():
    want = np.stack([np.diag(1j * waves(x)) for x in (X, 2 * X)])
    for jacobian in BOTH:
        found = myia.vmap(lambda x, j=jacobian: j(waves)(x))(np.stack([X, 2 * X]))
        np.testing.assert_allclose(found, want, atol=1e-12)
        loss = lambda x, j=jacobian: np.sum(np.abs(j(waves)(x) * x) ** 2)  # noqa: E731
        np.testing.assert_allclose(myia.grad(loss)(X), 2 * X, atol=1e-12)


def test_elements():
    np.testing.assert_allclose(myia.elementwise_grad(waves)(X), 1j * waves(X))
    assert myia.elementwise_grad(waves)(1.0) == pytest.approx(1j * np.exp(1j))
    f = lambda x, z: (x * z, x * x)  # noqa: E731
    by_x, by_z = myia.elementwise_grad(f, argnums=(0, 1))(X, Z)
    np.testing.assert_allclose(by_x, Z + 2 * X)
    np.testing.assert_allclose(by_z, X)


def test_effects_of_elements_are_made_once(capsys):
    def f(x):
        print("once")
        return np.exp(1j * x)

    assert myia.elementwise_grad(f)(0.0) == 1j
    assert capsys.readouterr().out == "once\n"


def test_hessians():
    hessian = myia.hessian(lambda x: np.sum(waves(x)))(X)
    np.testing.assert_allclose(hessian, np.diag(-waves(X)), atol=1e-12)
    np.testing.assert_allclose(myia.hessian(lambda z: np.sum(z**3))(Z), np.diag(6 * Z))
    for run in (myia.hessian, lambda f: myia.jit(lambda z: myia.hessian(f)(z))):
        with pytest.raises(myia.MyiaError, match="the gradient is not holomorphic"):
            run(lambda z: np.sum(np.abs(z) ** 2))(Z)
    parts = myia.hessian(lambda x, y: np.sum(np.abs(x + 1j * y) ** 2), argnums=(0, 1))(X, X)
    np.testing.assert_allclose(parts[0][0], 2 * np.eye(3), atol=1e-12)
    np.testing.assert_allclose(parts[0][1], np.zeros((3, 3)), atol=1e-12)


def square(x):
    return x * x


@pytest.mark.parametrize(
    "run",
    [
        lambda: myia.jvp(square, (2.0,), (1j,)),
        lambda: myia.vjp(square, X)[1](np.ones(3) * 1j),
        lambda: myia.hvp(lambda x: np.sum(x**3))(X, np.ones(3) * 1j),
        lambda: myia.jit(lambda x: myia.jvp(square, (x,), (x * 1j,)))(2.0),
    ],
)
def test_complex_directions_of_real_numbers_are_refused(run):
    with pytest.raises(myia.MyiaError, match="real numbers have real tangents and cotangents"):
        run()


def test_real_directions_of_complex_numbers():
    assert myia.jvp(square, (2.0 + 1j,), (1.0,)) == (3.0 + 4j, 4.0 + 2j)
    assert myia.vjp(square, 2.0 + 1j)[1](1.0) == (4.0 + 2j,)
