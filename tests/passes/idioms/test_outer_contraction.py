"""Sums over an outer loop as products: values, derivatives, strips, what must stay a loop."""

from __future__ import annotations

import numpy as np
import pytest

import myia
from myia.passes.idioms import outer_contraction
from myia.primitives.linalg.dot import dot_general
from tests.default_run import every
from tests.zoo.reference_calls import ReferenceCalls

POINTS, CLUSTERS, DIMENSIONS = 7, 3, 4
PACKED = DIMENSIONS * (DIMENSIONS + 1) // 2


def arguments(points=POINTS, d=DIMENSIONS, k=CLUSTERS, dtype=float):
    rng = np.random.default_rng(0)
    packed = 0.3 * rng.normal(size=(k, d * (d + 1) // 2))
    given = packed, rng.normal(size=(k, d)), rng.normal(size=(points, d))
    if dtype is complex:
        given = tuple(x + 0.5j * rng.normal(size=x.shape) for x in given)
    return tuple(x.astype(dtype) for x in given)


def mixture(factors, means, x):
    """A packed triangle of each cluster, whose diagonal comes first."""
    n, d = x.shape
    total = 0.0
    for i in range(n):
        terms = np.zeros(len(means), x.dtype)
        for c in range(len(means)):
            squares, at = 0.0, d
            for j in range(d):
                y = np.exp(factors[c, j]) * (x[i, j] - means[c, j])
                for k in range(j):
                    y += factors[c, at] * (x[i, k] - means[c, k])
                    at += 1
                squares += y * y
            terms[c] = np.sum(factors[c, :d]) - squares / 2
        total += np.log(np.sum(np.exp(terms)))
    return total


def columns(factors, means, x):
    """The triangle by columns, the last one first, and its diagonal in it."""
    n, d = x.shape
    total = 0.0
    for i in range(n):
        for c in range(len(means)):
            at = factors.shape[1]
            for j in range(d - 1, -1, -1):
                y = means[c, j]
                for k in range(j, -1, -1):
                    at -= 1
                    y += factors[c, at] * x[i, k]
                total += np.tanh(y)
    return total


def upper(factors, means, x):
    """The part above a diagonal, at indices from a table; a recurrence before the sums."""
    n, d = x.shape
    table = np.arange(d * d).reshape(d, d) % factors.shape[1]
    total = 0.0
    for i in range(n):
        z = 0.1
        for c in range(len(means)):
            for j in range(d):
                y = z
                for k in range(j + 1, d):
                    y += factors[c, table[j, k]] * np.sin(x[i, k]) * means[c, k]
                z = np.tanh(y)
            total += z * z
    return total


def rectangle(factors, means, x):
    n, d = x.shape
    total = 0.0
    for i in range(n):
        z = 0.1
        for c in range(len(means)):
            for j in range(d - 1):
                y = 0.3 * z
                for k in range(d):
                    y += factors[c, (j + k) % 5] * x[i, k] + means[c, k] * x[i, 0]
                z = np.tanh(y)
        total += z
    return total


def without_points(factors, means, x):
    """A term that is the same for all points, and one that is negated twice."""
    n, d = x.shape
    total = 0.0
    for i in range(n):
        for c in range(len(means)):
            for j in range(d):
                for k in range(j):
                    total += factors[c, j + k] * means[c, k]
                    total -= -(factors[c, j] * x[i, k]) * means[c, j]
    return total


def of_the_point(factors, means, x):
    """The points say where to add: nothing is contracted."""
    n, d = x.shape
    total = 0.0
    for i in range(n):
        c = i % len(means)
        for j in range(d):
            y = means[c, j]
            for k in range(j):
                y += factors[c, j + k] * x[i, k]
            total += np.tanh(y)
    return total


PROGRAMS = [mixture, columns, upper, rectangle, without_points, of_the_point]
each = pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)


@pytest.fixture(params=[1 << 20, 24], ids=["whole", "strips"])
def lowered(request, monkeypatch):
    """Small loops are contracted; with `strips`, some iterations at a time."""
    monkeypatch.setattr(outer_contraction, "MIN_ITERATIONS", 2)
    monkeypatch.setattr(outer_contraction, "MIN_MULTIPLY_ADDS", 0)
    monkeypatch.setattr(outer_contraction, "MIN_WORK_BY_NUMBER", 0)
    monkeypatch.setattr(outer_contraction, "MAX_STRIP_ELEMENTS", request.param)


def along(f, args, direction):
    """Central differences of fourth order."""

    def at(step):
        return f(*(x + step * v for x, v in zip(args, direction)))

    h = 2e-3
    return (8 * (at(h) - at(-h)) - (at(2 * h) - at(-2 * h))) / (12 * h)


@each
@pytest.mark.parametrize("argnums", every(2, [(0, 1, 2), (0, 1)]), ids=str)
def test_derivatives(f, argnums, lowered):
    args, rng = arguments(), np.random.default_rng(2)
    v, u = ([rng.normal(size=x.shape) * (i in argnums) for i, x in enumerate(args)] for _ in "vu")
    gradient = myia.value_and_grad(f, argnums=argnums)

    def slope(*args):
        value, found = gradient(*args)
        assert value == pytest.approx(f(*args), rel=1e-13)
        return sum(np.vdot(g, v[i]) for g, i in zip(found, argnums))

    assert slope(*args) == pytest.approx(along(f, args, v), rel=1e-7, abs=1e-7)
    _, tangent = myia.jvp(f, args, tuple(v))
    assert slope(*args) == pytest.approx(tangent, rel=1e-11, abs=1e-11)
    second = myia.jvp(lambda *xs: myia.grad(f, argnums=argnums)(*xs), args, tuple(u))[1]
    found = sum(np.vdot(g, v[i]) for g, i in zip(second, argnums))
    assert found == pytest.approx(along(slope, args, u), rel=1e-6, abs=1e-6)


@each
@pytest.mark.parametrize("dtype", [float, np.float32])
@pytest.mark.parametrize("points", every(3, [5, 2, 12]))
def test_with_the_pass_and_without(f, dtype, points, lowered):
    args = arguments(points, dtype=dtype)
    gradient = myia.grad(f, argnums=(0, 1))
    found, expected = (
        ReferenceCalls(gradient, "finish", disable)(*args)
        for disable in (None, "outer_contraction")
    )
    tolerance = 1e-4 if dtype is np.float32 else 1e-12
    for x, y in zip(found, expected, strict=True):
        assert x.dtype == y.dtype == dtype
        np.testing.assert_allclose(x, y, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize("points, d, k", [(2, 0, 2), (3, 1, 2), (3, 2, 1), (3, 3, 0), (0, 3, 2)])
def test_empty_and_small(points, d, k, lowered):
    args = arguments(points, d, k)
    factors, means = myia.grad(columns, argnums=(0, 1))(*args)
    z = np.zeros((points, k, d))
    for j in range(d):
        row = args[0][:, _row(j, d)]
        z[:, :, j] = 1 - np.tanh(args[1][:, j] + args[2][:, : j + 1] @ row.T) ** 2
    np.testing.assert_allclose(means, z.sum(0), rtol=1e-12, atol=1e-14)
    for j in range(d):
        expected = np.einsum("nc,nk->ck", z[:, :, j], args[2][:, : j + 1])
        np.testing.assert_allclose(factors[:, _row(j, d)], expected, rtol=1e-12, atol=1e-14)


def _row(j, d):
    """Where row j of the triangle is, in `columns`."""
    start = j * (j + 1) // 2
    return slice(start, start + j + 1)


def linear(factors, x, w):
    """The factor of a row of the triangle is finite whatever the columns of `x` are."""
    total = 0.0
    for i in range(len(x)):
        for j in range(len(w)):
            at = 2 * j
            y = 0.0
            for k in range(j):
                y += factors[at + k] * x[i, k]
            total += w[j] * y
    return total


@pytest.mark.parametrize("special", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("k", [0, 2, 4, 5])
def test_special_numbers_stay_where_they_are(special, k, lowered):
    """The rectangle around the triangle has elements that no iteration reads."""
    _, _, x = arguments(POINTS, 6)
    x, w, factors = x.copy(), np.arange(1.0, 7.0), np.linspace(1.0, 2.0, 17)
    x[3, k] = special
    found = myia.grad(linear)(factors, x, w)
    want = np.zeros(17)
    for j in range(6):
        want[2 * j : 3 * j] += w[j] * x[:, :j].sum(0)
    np.testing.assert_allclose(found, want, rtol=1e-13)


@pytest.mark.slow
def test_the_sums_of_the_user_keep_their_order():
    """The largest terms are the first to be added: in another order the others would count."""
    args = arguments(80, 20, 5, np.float32)
    args[0][:, :20] += 3
    value, _ = myia.value_and_grad(mixture, argnums=(0, 1))(*args)
    same, _ = ReferenceCalls(myia.value_and_grad(mixture, argnums=(0, 1)))(*args)
    alone = ReferenceCalls(myia.jit(mixture))(*args)
    assert same == alone
    assert value == pytest.approx(float(alone), rel=1e-6)


# ----- What becomes a product


def finish(f, args, argnums=(0, 1)):
    return str(myia.grad(f, argnums=argnums).ir(*args)["finish"]).splitlines()


def test_one_product_a_strip():
    lines = finish(mixture, arguments(300, 20, 5))
    products = [line for line in lines if dot_general.name in line]
    assert len(products) == 1 and products[0].strip().startswith("%")
    assert "f64[5,20,19]" in products[0]  # clusters, rows, columns: the points are summed


def test_within_a_budget_nothing_is_recorded_for_products(monkeypatch):
    def emit(self):
        raise AssertionError("contracted")

    monkeypatch.setattr(outer_contraction._Contraction, "emit", emit)
    args = arguments(300, 20, 5)
    with pytest.raises(AssertionError, match="contracted"):
        myia.grad(mixture, argnums=1)(*args)
    found = myia.grad(mixture, argnums=1, memory=1 << 16)(*args)
    assert np.all(np.isfinite(found))


def test_long_loops_have_strips(monkeypatch):
    monkeypatch.setattr(outer_contraction, "MAX_STRIP_ELEMENTS", 100 * 5 * 20)
    lines = finish(mixture, arguments(300, 20, 5))
    assert sum(dot_general.name in line for line in lines) == 1
    assert any("f64[100,5,20]" in line for line in lines)
    assert not any("f64[300,5,20]" in line for line in lines)
    lines = finish(mixture, arguments(307, 20, 5))  # a prime
    assert sum(dot_general.name in line for line in lines) == 2


@pytest.mark.parametrize(
    "f, args",
    [
        (mixture, arguments(20, 20, 5)),
        (mixture, arguments(300, 10, 5)),
        (of_the_point, arguments(300, 20, 5)),
    ],
    ids=["few points", "few dimensions", "of the point"],
)
def test_other_loops_stay(f, args):
    assert not any(dot_general.name in line for line in finish(f, args))
