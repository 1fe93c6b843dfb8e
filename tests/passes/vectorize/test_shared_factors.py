"""Products with an array that all iterations share: one product, with iterations as a free axis."""

import numpy as np
import pytest

import myia

N, K, D = 12, 5, 8
RNG = np.random.default_rng(0)
LOWER, MEANS, POINTS = (
    RNG.standard_normal(shape) for shape in ((K, D, D), (K, D), (N, D))
)  # fmt: skip


def quadratic_forms(lower, means, points):
    out = np.zeros((len(points), len(lower)))
    for i in range(len(points)):
        for c in range(len(lower)):
            q = lower[c] @ (points[i] - means[c])
            out[i, c] = np.sum(q * q)
    return np.sum(np.log(np.sum(np.exp(-0.1 * out), axis=1)))


def in_rows(lower, means, points):
    total = 0.0
    for i in range(len(points)):
        row = np.zeros(len(lower))
        for c in range(len(lower)):
            q = lower[c] @ (points[i] - means[c])
            row[c] = -0.5 * np.sum(q * q)
        largest = np.max(row)
        total += largest + np.log(np.sum(np.exp(row - largest)))
    return total


def ir(f, *args):
    return str(f.ir(*args)["finish"])


def repeated(text):
    """The lines in which a matrix of the shared array is repeated for the iterations."""
    return [line for line in text.splitlines() if f"{K},{D},{D}] = broadcast" in line]


def check_slope(objective, gradient, args):
    direction = [RNG.standard_normal(x.shape) for x in args]
    slope = sum(np.sum(g * v) for g, v in zip(gradient, direction))
    h = 1e-5
    ends = [objective(*(x + s * h * v for x, v in zip(args, direction))) for s in (1, -1)]
    np.testing.assert_allclose(slope, (ends[0] - ends[1]) / (2 * h), rtol=1e-7)


@pytest.mark.parametrize("objective", [quadratic_forms, in_rows])
def test_shared_matrices_are_not_repeated(objective):
    args = (LOWER, MEANS, POINTS)
    gradient = myia.grad(objective, argnums=(0, 1, 2))
    text = ir(gradient, *args)
    assert repeated(text) == []
    # The cotangent of the matrices is one product that sums over the iterations.
    assert f"f64[{K},{D},{D}] = dot_general" in text and f"{N},{K},{D},{D}" not in text
    np.testing.assert_allclose(myia.jit(objective)(*args), objective(*args), rtol=1e-12)
    check_slope(objective, gradient(*args), args)


@pytest.mark.parametrize(
    "subscripts",
    ["cjk,ck->cj", "ck,cjk->cj", "cjk,ck->jc", "jck,ck->cj", "cjk,ckj->c", "cjk,clk->cjl"],
)
@pytest.mark.parametrize("first", ["shared", "varying"])
def test_batch_axes(subscripts, first):
    sizes = {"c": K, "j": D, "k": D, "l": 2}
    left, right = (
        [sizes[a] for a in axes] for axes in subscripts[: subscripts.index("-")].split(",")
    )
    of_shared, of_point = (left, right) if first == "shared" else (right, left)
    shape = [sizes[a] for a in subscripts[subscripts.index(">") + 1 :]]

    def products(shared, points):
        out = np.zeros((len(points), *shape))
        for i in range(len(points)):
            x = points[i].reshape(of_point)
            pair = (shared, x) if first == "shared" else (x, shared)
            out[i] = np.einsum(subscripts, *pair)
        return out

    def total(shared, points):
        return np.sum(products(shared, points) ** 2)

    args = RNG.standard_normal(of_shared), RNG.standard_normal((N, np.prod(of_point)))
    np.testing.assert_allclose(myia.jit(products)(*args), products(*args), rtol=1e-12, atol=1e-12)
    check_slope(total, myia.grad(total, argnums=(0, 1))(*args), args)
