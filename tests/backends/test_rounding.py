"""Each operation is rounded as in NumPy: XLA's algebra must not combine them."""

import jax
import numpy as np
import pytest

import myia


def _sample(dtype):
    return np.random.default_rng(0).normal(size=1000).astype(dtype)


def quotients(x):
    table = x.reshape(20, 50)
    inner = (table[:-2, 1:-1] + table[2:, 1:-1] + table[1:-1, :-2] + table[1:-1, 2:]) / 5.0
    cells = x.copy()
    for i in range(1, len(x) - 1):
        cells[i] = (x[i - 1] + x[i] + x[i + 1]) / 3
    decay = x[0] * 0
    for v in x:
        decay = decay / 3.3 + v / 7
    return (
        x / 20,
        table / 7.0,
        inner,
        cells,
        decay,
        1 / (x / 3),
        x / x[3],
        x[:1] / 49,
        np.round(x, 2),
    )


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_quotients_are_exact_on_request(dtype):
    x = _sample(dtype)
    for mine, numpys in zip(myia.jit(quotients, exact=True)(x), quotients(x), strict=True):
        assert mine.dtype == numpys.dtype
        assert np.sum(mine != numpys) == 0


def test_quotients_of_complex_and_half_precision():
    z = _sample(float)[:500] + 1j * _sample(float)[500:]
    np.testing.assert_allclose(myia.jit(lambda z: z / 20, exact=True)(z), z / 20, rtol=1e-15)
    half = np.random.default_rng(1).normal(size=70_000).astype(np.float16)
    third = myia.jit(lambda x: x / np.float16(3), exact=True)(half)
    np.testing.assert_array_equal(third, half / np.float16(3))


def mandelbrot_rows(n):
    rows = np.zeros(n)
    for j in range(n):
        rows[j] = 4.0 * (j - 10) / 20
    return rows


def test_points_on_a_boundary():
    """An iteration count of a fractal follows from the last bit of such a quotient."""
    mine = myia.jit(mandelbrot_rows, exact=True)(40)
    np.testing.assert_array_equal(mine, mandelbrot_rows(40))


def test_by_default_quotients_are_right_to_the_last_bits():
    x = _sample(float)
    np.testing.assert_allclose(myia.jit(lambda x: x / 20)(x), x / 20, rtol=3e-16)


def test_exact_wherever_a_program_is_compiled():
    x = _sample(float)
    f = myia.jit(lambda x: x / 20, exact=True)
    with jax.enable_x64(True):
        np.testing.assert_array_equal(jax.jit(f)(x), x / 20)
    np.testing.assert_array_equal(f.lower(x).compile()(x), x / 20)
    loss = lambda x: np.sum((x / 20) ** 2)  # noqa: E731
    slope = myia.grad(loss, exact=True)(x)
    np.testing.assert_allclose(slope, 2 * (x / 20) / 20, rtol=5e-16)
    bend = myia.hvp(loss, exact=True)(x, np.ones(1000))
    np.testing.assert_allclose(bend, 2 / 400, rtol=3e-16)


def rounded_by_a_large_number(x):
    magic = 6755399441055744.0  # 1.5 * 2**52: rounds to whole numbers
    total = 0.0
    for v in x:
        total += (v + magic) - magic
    return (x + 1e16) - 1e16, (1e16 + x) - 1e16, 1.0 - (1.0 - x), total, ((x + 1) - 1) + 1


def test_sums_with_constants_keep_their_order():
    x = 100 * _sample(float)
    for mine, numpys in zip(myia.jit(rounded_by_a_large_number)(x), rounded_by_a_large_number(x)):
        np.testing.assert_array_equal(mine, numpys)
    v = np.float64(0.7)
    assert myia.jit(lambda v: (v + 1e16) - 1e16)(v) == 0
    f = lambda z: (z + (1e16 + 1e16j)) - (1e16 + 1e16j)  # noqa: E731
    z = x[:3] + 1j * x[3:6]
    np.testing.assert_array_equal(myia.jit(f)(z), f(z))
    single = x.astype(np.float32)
    f = lambda x: (x + 1e8) - 1e8  # noqa: E731
    np.testing.assert_array_equal(myia.jit(f)(single), f(single))
    table = np.linspace(1e15, 1e16, 1000)
    f = lambda x: (x + table) - table  # noqa: E731
    np.testing.assert_array_equal(myia.jit(f)(x), f(x))


def test_numbers_do_not_vanish_between_two_operations():
    def f(large, small, x):
        return (
            (large * 1e-200) * 1e-200,
            (large * 1e-200) / 1e200,
            (small / 1e-200) / 1e-200,
            (x / small) / (1 / small),
            large / (large / (1 / small)),
            (x * 1e308) / 1.5e308,
        )

    args = np.array([1e300]), np.array([1e-300]), np.array([1e-5])
    for mine, numpys in zip(myia.jit(f)(*args), f(*args), strict=True):
        np.testing.assert_allclose(mine, numpys, rtol=1e-15)
    f = lambda x, y: (x / y) / y  # noqa: E731
    x, y = np.float32([1e-30]), np.float32([1e-25])
    np.testing.assert_allclose(myia.jit(f)(x, y), f(x, y), rtol=1e-6)
    slope = myia.jvp(f, (np.array([1e-300]), np.array([1e-200])), (np.ones(1), np.zeros(1)))[1]
    assert np.isinf(slope).all()  # 1 / y**2 is 1e400


def test_derivatives_that_jax_takes():
    f = myia.jit(lambda x: ((x / 3 + 1.0) - 2.0) / (x / 7))
    exact = myia.jit(lambda x: x / 20 + x * x, exact=True)
    x = np.array([0.5, 2.0])
    with jax.enable_x64(True):
        np.testing.assert_allclose(jax.vmap(jax.grad(f))(x), 7 / x**2)
        np.testing.assert_allclose(jax.vmap(jax.grad(exact))(x), 1 / 20 + 2 * x)
        np.testing.assert_allclose(jax.vmap(jax.grad(jax.grad(exact)))(x), [2, 2])
        np.testing.assert_allclose(jax.vmap(jax.grad(jax.jit(f)))(x), 7 / x**2)
    single = x.astype(np.float32)
    np.testing.assert_allclose(jax.jacfwd(f)(single), np.diag(7 / single**2), rtol=1e-6)


def masked(m, x):
    total = 0.0
    for i in range(len(x)):
        total = total + (x[i] > 0) * np.log(x[i])
    return m * np.sqrt(x), m.astype(float) * x, (x > 0) * (x - np.inf), total


def test_a_mask_as_a_factor_keeps_nan_and_infinities():
    """XLA would select zeros where the mask is False."""
    m, x = np.array([True, False, False]), np.array([1.0, -1.0, np.inf])
    with np.errstate(all="ignore"):
        for mine, numpys in zip(myia.jit(masked)(m, x), masked(m, x), strict=True):
            np.testing.assert_array_equal(mine, numpys)


FAR = [
    0.0,
    1e-200,
    -1e-200,
    1e-150,
    1e150,
    1e200,
    -1e200,
    1.0,
    -2.5,
    700.0,
    np.inf,
    -np.inf,
    np.nan,
]
COMBINED = {
    "two factors": lambda x, y: (x * 1e200) * (y * 1e200),
    "small factors": lambda x, y: (x * 1e-200) * (y * 1e-200),
    "a factor and a divisor": lambda x, y: (x * 1e-150) * (y / 1e150),
    "factors of factors": lambda x, y: ((x * 1e40) * (y * 1e40)) * ((x * 1e-200) * (y * 1e40)),
    "a factor undone": lambda x, y: (x * 1e-200) * 1e200 + y,
    "a square": lambda x, y: (x * 1e200) ** 2,
    "np.square": lambda x, y: np.square(y / 1e200),
    "a cube": lambda x, y: (x / 1e-200) ** 3,
    "an inverse square": lambda x, y: (x * 1e200) ** -2,
    "a power known late": lambda x, y: np.power(x * 1e-200, 2.0) * y,
    "the logarithm of a root": lambda x, y: np.log(x**-0.5),
    "the logarithm of a power": lambda x, y: np.log(np.power(x, y)),
    "the logarithm of exp": lambda x, y: np.log(np.exp(x)),
    "the root of a square": lambda x, y: np.sqrt(x * x) + np.sqrt(np.square(y)),
    "a product of exp": lambda x, y: np.exp(x) * np.exp(y),
    "a quotient of exp": lambda x, y: np.exp(x) / np.exp(y),
    "a power of exp": lambda x, y: np.power(np.exp(x), y),
    "a quotient by a power": lambda x, y: x / np.power(y, x),
}


@pytest.mark.parametrize("name", COMBINED)
def test_what_xla_combines_keeps_its_zeros_infinities_and_nan(name):
    f = COMBINED[name]
    x, y = (np.array(v) for v in np.meshgrid(FAR, FAR))
    with np.errstate(all="ignore"):
        wanted = f(x, y)
        np.testing.assert_allclose(myia.jit(f)(x, y), wanted, rtol=1e-12, atol=1e-307)
        scalar = myia.jit(f)
        for i in np.ndindex(x.shape):
            np.testing.assert_allclose(
                scalar(x[i], y[i]),
                f(x[i], y[i]),
                rtol=1e-12,
                atol=1e-307,
                err_msg=str((x[i], y[i])),
            )


def test_in_single_precision_factors_meet_sooner():
    f = lambda m, n: (m * np.float32(1e-20)) * (n * np.float32(1e-20))  # noqa: E731
    m = np.array([1e25, 3e25], np.float32)
    np.testing.assert_allclose(myia.jit(f)(m, m), f(m, m), rtol=1e-6)
    np.testing.assert_allclose(myia.jit(f)(m[0], m[1]), f(m[0], m[1]), rtol=1e-6)
