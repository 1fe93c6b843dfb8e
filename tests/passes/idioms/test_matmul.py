"""Loop nests that accumulate products, beside the matrix products that they become."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import myia
from myia.backends.reference.interpreter import evaluate
from myia.ir.parser import parse
from myia.ir.verifier import verify
from myia.passes.idioms.matmul import matmul
from tests.passes.before_after import before_after, unchanged


def test_a_product_of_matrices(golden):
    golden(before_after(matmul, PRODUCT))


PRODUCT = """
func @f(%g: f64[20,9], %a: f64[20,7], %b: f64[7,9], %s: f64[]) -> f64[20,9], f64[] {
  %20 = 20: i64[]
  %19 = 19: i64[]
  %9 = 9: i64[]
  %7 = 7: i64[]
  %0 = 0.0: f64[]
  %1 = 1: i64[]
  %g, %s = for %k < %20 (%g = %g, %s = %s) bound 20 {
    %i = sub %19, %k
    %g, %s = for %j < %9 (%g = %g, %s = %s) bound 9 {
      %t = for %m < %7 (%t = %0) bound 7 {
        %2 = dynamic_slice %a, %i, %m {sizes=(1, 1)}
        %3 = reshape %2 {shape=()}
        %4 = dynamic_slice %b, %m, %j {sizes=(1, 1)}
        %5 = reshape %4 {shape=()}
        %6 = mul %3, %5
        %t = add %t, %6 {reassoc=True}
        yield %t
      }
      %10 = reshape %t {shape=(1, 1)}
      %11 = dynamic_slice %g, %i, %j {sizes=(1, 1)}
      %12 = add %11, %10 {reassoc=True}
      %g = dynamic_update_slice %g, %12, %i, %j
      %s = add %s, %t {reassoc=True}
      yield %g, %s
    }
    yield %g, %s
  }
  return %g, %s
}"""


@pytest.mark.parametrize("change", [
    # Sums whose order a user wrote.
    ("%t = add %t, %6 {reassoc=True}", "%t = add %t, %6"),
    ("%s = add %s, %t {reassoc=True}", "%s = max %s, %t"),
    # Start indices that leave the array, lie on a diagonal, or are not linear in the indices.
    ("%i = sub %19, %k", "%i = sub %20, %k"),
    ("dynamic_slice %a, %i, %m", "dynamic_slice %a, %m, %m"),
    ("dynamic_slice %b, %m, %j", "dynamic_slice %b, %m, %z"),
    # The array that is added to is read.
    ("dynamic_slice %a, %i, %m", "dynamic_slice %g, %i, %m"),
    ("%11 = dynamic_slice %g, %i, %j", "%11 = dynamic_slice %g, %i, %1"),
    # The trip count of a loop is dynamic.
    ("%m < %7 (%t = %0)", "%m < %i (%t = %0)"),
])  # fmt: skip
def test_other_nests_stay(change):
    old, new = change
    text = PRODUCT.replace(old, new).replace("%s: f64[])", "%s: f64[], %z: i64[])")
    assert old in PRODUCT and unchanged(matmul, text)


def test_the_same_numbers():
    before = parse(PRODUCT)
    after = matmul(before)
    verify(after)
    rng = np.random.default_rng(0)
    args = [rng.standard_normal(s) for s in [(20, 9), (20, 7), (7, 9), ()]]
    for x, y in zip(evaluate(before, args), evaluate(after, args), strict=True):
        np.testing.assert_allclose(x, y, rtol=1e-13, atol=1e-13)


# ----- Gradients of programs of users: matrix products, equal to those of JAX


def product(a, b, c):
    n, m = c.shape
    for i in range(n):
        for j in range(m):
            c[i, j] *= 0.5
            for k in range(a.shape[1]):
                c[i, j] += 2.0 * a[i, k] * b[k, j]
    return np.sum(c * c[::-1])


def product_backwards_of_parts(a, b, c):
    for k in range(a.shape[1] - 1, 1, -1):
        for i in range(1, c.shape[0]):
            for j in range(c.shape[1] - 2):
                c[i, j] += a[i, k] * b[k - 2, j + 2]
    return np.sum(c * c[::-1])


def weights_of_pairs(a, b, c):
    total = 0.0
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            total += c[i, 3] * a[i, j] * b[j, 0] + np.sin(a[i, j]) * (i - j)
    return total


def of_two_sums(a, b, c):
    total = 0.0
    for i in range(a.shape[0]):
        row = 0.0
        for j in range(a.shape[1]):
            row += a[i, j] * b[j, 1]
        total += row * c[i, 0]
    return total


def only_sums(a, b, c):
    for i in range(a.shape[0]):
        for j in range(a.shape[1]):
            c[i, 0] += a[i, j]
            c[0, 1] += a[i, j]
    return np.sum(c * c[::-1])


def rows_from_their_first_elements(a, b, c):
    """The iterations over a row depend on each other. The later load, in the iteration of the outer
    loop alone, does not make them independent."""
    total = 0.0
    for i in range(c.shape[0]):
        for j in range(c.shape[1]):
            c[i, j] = 0.5 * c[i, j] + c[i, 0]
        total += c[i, 3] * a[i, 0] * b[0, 1]
    return np.sum(c * c[::-1]) + total


def in_jax(f):
    def from_first_elements(c):
        first = 1.5 * c[:, :1]
        return jnp.concatenate((first, 0.5 * c[:, 1:] + first), axis=1)

    forms = {
        product: lambda a, b, c: squares(0.5 * c + 2.0 * a @ b),
        product_backwards_of_parts: lambda a, b, c: squares(
            c.at[1:, :-2].add(a[1:, 2:] @ b[:-2, 2:])
        ),
        weights_of_pairs: lambda a, b, c: (
            c[:, 3] @ a @ b[:, 0]
            + jnp.sum(jnp.sin(a) * (jnp.arange(a.shape[0])[:, None] - jnp.arange(a.shape[1])))
        ),
        of_two_sums: lambda a, b, c: (a @ b[:, 1]) @ c[:, 0],
        only_sums: lambda a, b, c: squares(c.at[:, 0].add(a.sum(1)).at[0, 1].add(a.sum())),
        rows_from_their_first_elements: lambda a, b, c: (
            squares(from_first_elements(c)) + from_first_elements(c)[:, 3] @ a[:, 0] * b[0, 1]
        ),
    }
    return forms[f]


def squares(c):
    return jnp.sum(c * c[::-1])


FUNCTIONS = [
    product,
    product_backwards_of_parts,
    weights_of_pairs,
    of_two_sums,
    only_sums,
    rows_from_their_first_elements,
]


def arguments(dtype, n=18, m=21, k=16):
    rng = np.random.default_rng(1)
    return [rng.standard_normal(s).astype(dtype) for s in [(n, k), (k, m), (n, m)]]


@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_gradients(f, dtype):
    args = arguments(dtype)
    gradient = myia.grad(f, argnums=(0, 1, 2))
    with jax.enable_x64(True):
        expected = jax.grad(in_jax(f), argnums=(0, 1, 2))(*map(jnp.asarray, args))
    tolerance = {np.float64: 1e-12, np.float32: 2e-4}[dtype]
    for x, y in zip(gradient(*args), expected, strict=True):
        assert x.dtype == y.dtype == dtype
        np.testing.assert_allclose(x, y, rtol=tolerance, atol=tolerance * np.abs(y).max())


@pytest.mark.parametrize("f", [product, product_backwards_of_parts], ids=lambda f: f.__name__)
def test_matrix_products_of_the_gradient(f):
    """Only the sums whose order the user wrote are loops still."""
    args = arguments(np.float64)
    text = myia.grad(f, argnums=(0, 1)).ir(*args)["finish"]
    assert text.count("dot_general") == 2


@pytest.mark.parametrize("f", FUNCTIONS, ids=lambda f: f.__name__)
def test_second_derivatives(f):
    args = arguments(np.float64, 16, 17, 16)
    rng = np.random.default_rng(2)
    directions = [rng.standard_normal(x.shape) for x in args]

    def slope(gradient, sum_of_products):
        return lambda *args: sum_of_products(gradient(*args))

    with jax.enable_x64(True):
        inner = jax.grad(in_jax(f), argnums=(0, 1, 2))
        along = slope(inner, lambda gs: sum((g * d).sum() for g, d in zip(gs, directions)))
        expected = jax.grad(along, argnums=(0, 1, 2))(*map(jnp.asarray, args))
    ours = myia.grad(f, argnums=(0, 1, 2))

    def along_ours(a, b, c):
        ga, gb, gc = ours(a, b, c)
        return np.sum(ga * directions[0]) + np.sum(gb * directions[1]) + np.sum(gc * directions[2])

    found = myia.grad(along_ours, argnums=(0, 1, 2))(*args)
    for x, y in zip(found, expected, strict=True):
        np.testing.assert_allclose(x, y, rtol=1e-11, atol=1e-11 * max(1.0, np.abs(y).max()))


def test_nonfinite_numbers_do_not_spread():
    """An element of a product is not finite where the user's sum was not, and only there."""
    a, b, c = arguments(np.float64)
    a[3, 4], b[5, 6], c[7, 8] = np.nan, np.inf, np.nan
    gradient = myia.grad(product, argnums=(0, 1, 2))
    with jax.enable_x64(True):
        expected = jax.grad(in_jax(product), argnums=(0, 1, 2))(*map(jnp.asarray, (a, b, c)))
    for x, y in zip(gradient(a, b, c), expected, strict=True):
        np.testing.assert_array_equal(np.isfinite(x), np.isfinite(y))


@pytest.mark.parametrize("shape", [(0, 5, 4), (3, 0, 4), (3, 5, 0), (1, 1, 1)])
def test_empty_and_single_elements(shape):
    args = arguments(np.float64, *shape)
    with jax.enable_x64(True):
        expected = jax.grad(in_jax(product), argnums=(0, 1, 2))(*map(jnp.asarray, args))
    for x, y in zip(myia.grad(product, argnums=(0, 1, 2))(*args), expected, strict=True):
        np.testing.assert_allclose(x, y, rtol=1e-12)


# ----- Elements that are replaced


MAP = """
func @f(%g: f64[20,30], %a: f64[20,30], %s: f64[]) -> f64[20,30], f64[] {
  %20 = 20: i64[]
  %30 = 30: i64[]
  %29 = 29: i64[]
  %0 = 0: i64[]
  %g, %s = for %i < %20 (%g = %g, %s = %s) bound 20 {
    %g, %s = for %k < %30 (%g = %g, %s = %s) bound 30 {
      %j = sub %29, %k
      %1 = dynamic_slice %g, %i, %j {sizes=(1, 1)}
      %2 = dynamic_slice %a, %i, %k {sizes=(1, 1)}
      %3 = mul %1, %2
      %4 = sin %3
      %g = dynamic_update_slice %g, %4, %i, %j
      %5 = reshape %1 {shape=()}
      %s = add %s, %5 {reassoc=True}
      yield %g, %s
    }
    yield %g, %s
  }
  return %g, %s
}"""


def test_elements_are_replaced(golden):
    golden(before_after(matmul, MAP))


def test_the_same_elements():
    before = parse(MAP)
    rng = np.random.default_rng(0)
    args = [rng.standard_normal(s) for s in [(20, 30), (20, 30), ()]]
    for x, y in zip(evaluate(before, args), evaluate(matmul(before), args), strict=True):
        np.testing.assert_allclose(x, y, rtol=1e-13)


@pytest.mark.parametrize("change", [
    # An iteration reads what another one stores; several iterations store one element.
    ("dynamic_slice %g, %i, %j", "dynamic_slice %g, %i, %k"),
    ("dynamic_slice %g, %i, %j", "dynamic_slice %g, %0, %j"),
    ("dynamic_update_slice %g, %4, %i, %j", "dynamic_update_slice %g, %4, %i, %0"),
])  # fmt: skip
def test_dependent_iterations_stay(change):
    assert change[0] in MAP and unchanged(matmul, MAP.replace(*change))


# ----- Inside another loop


def blocks(a, b, c):
    """Products of blocks whose start indices another loop determines."""
    for step in range(4):
        start = step + 1
        for i in range(c.shape[0]):
            for k in range(12):
                for j in range(c.shape[1] - 8):
                    c[i, j + start] += a[i, k + start - 1] * b[k, j + step]
    return np.sum(c * c[::-1])


def test_products_inside_another_loop():
    a, b, c = arguments(np.float64)
    gradient = myia.grad(blocks, argnums=(0, 1))
    assert "dot_general" in gradient.ir(a, b, c)["finish"]

    def in_jax(a, b, c):
        for step in range(4):
            start = step + 1
            left, right = a[:, start - 1 :][:, :12], b[:12, step:][:, :13]
            c = c.at[:, start : start + 13].add(left @ right)
        return jnp.sum(c * c[::-1])

    with jax.enable_x64(True):
        expected = jax.grad(in_jax, argnums=(0, 1))(*map(jnp.asarray, (a, b, c)))
    for x, y in zip(gradient(a, b, c), expected, strict=True):
        np.testing.assert_allclose(x, y, rtol=1e-12, atol=1e-12)


# ----- The order of multiplication stays


def products_of_three(a, u, v):
    c = np.zeros((20, 20))
    for i in range(20):
        for j in range(20):
            c[i, j] = u[i] * (v[j] * a[i, j])
    return c


def test_elements_are_multiplied_in_the_order_of_the_user():
    a, u, v = np.full((20, 20), 1e-200), np.full(20, 1e-200), np.full(20, 1e300)
    np.testing.assert_array_equal(myia.jit(products_of_three)(a, u, v), u * (v * a))
    rng = np.random.default_rng(0)
    a, u, v = rng.standard_normal((20, 20)), rng.standard_normal(20), rng.standard_normal(20)
    np.testing.assert_array_equal(
        myia.jit(products_of_three)(a, u, v), u[:, None] * (v[None, :] * a)
    )


def test_no_other_product_is_computed():
    """Not 1e200 * 1e200: a factor of 1e-300 is multiplied before."""

    def f(u, v, w, p):
        total = 0.0
        for i in range(20):
            for j in range(20):
                total += u[i] * v[j] * w[j] * p
        return total

    u, v = np.full(20, 1e-300), np.full(20, 1e200)
    by_u, by_p = myia.grad(f, argnums=(0, 3))(u, v, v, 1e-300)
    np.testing.assert_allclose(by_p, 4e102, rtol=1e-13)
    assert np.all(np.isfinite(by_u))
