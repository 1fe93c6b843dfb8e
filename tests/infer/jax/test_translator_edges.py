"""Derivatives of translated functions at kinks, ties, zeros and infinities.

The expected numbers are the mathematical derivatives where these exist, and the mean of the two
slopes at a kink. `jax.grad` agrees unless a case says otherwise.
"""

from __future__ import annotations

import math

import jax
import jax.nn as nn
import jax.numpy as jnp
import jax.scipy.special as special
import numpy as np
import pytest

from myia.backends.reference.interpreter import evaluate
from myia.transforms.vjp import vjp_region
from tests.infer.jax.jax_oracle import staged_region
from tests.sampled_arrays import differentiable

INF, NAN = math.inf, math.nan


def gradients(f, *args) -> list[np.ndarray]:
    """Of the sum of the results, by each argument."""
    args = [np.asarray(x, float) for x in args]
    region = staged_region(f, args)
    of = differentiable(region.yields)
    seeds = [np.ones(region.yields[i].shape) for i in of]
    pullback = vjp_region(region, range(len(args)), of)
    return evaluate(pullback, [*args, *seeds])[len(region.yields) :]


LN2 = math.log(2)
EDGES = {
    "sqrt": (jnp.sqrt, [0.0, 4.0], [INF, 0.25]),
    "cbrt": (jnp.cbrt, [0.0, 8.0], [INF, 1 / 12]),
    "abs": (jnp.abs, [0.0, -2.0, 2.0], [0, -1, 1]),  # JAX: 1 at 0
    "sign": (jnp.sign, [0.0, 1.0], [0, 0]),
    "hypot": (jnp.hypot, [0.0, 3.0], [0.0, 4.0], [0, 0.6], [0, 0.8]),  # JAX: 1 at 0
    "x**0": (lambda x: x**0.0, [0.0, 2.0], [0, 0]),  # JAX: NaN
    "0**y": (lambda y: 0.0**y, [0.0, 0.5, 2.0], [0, 0, 0]),
    "x**y": (jnp.power, [0.0, 0.0, 2.0], [1.0, 0.5, 0.0], [1, INF, 0], [0, 0, LN2]),
    "maximum": (jnp.maximum, [1.0, 2.0], [1.0, 3.0], [0.5, 0], [0.5, 1]),
    "minimum": (jnp.minimum, [1.0, 2.0], [1.0, 3.0], [0.5, 1], [0.5, 0]),
    "max": (jnp.max, [1.0, 3.0, 3.0], [0, 0.5, 0.5]),
    "nanmax": (jnp.nanmax, [1.0, NAN, 3.0, 3.0], [0, 0, 0.5, 0.5]),
    "clip": (lambda x: jnp.clip(x, 0, 1), [-1.0, 0.0, 0.5, 1.0, 2.0], [0, 0.5, 1, 0.5, 0]),
    "where": (lambda x: jnp.where(x > 0, jnp.log(x), x), [-1.0, 0.0, 2.0], [1, 1, 0.5]),
    "safe where": (
        lambda x: jnp.where(x > 0, jnp.log(jnp.where(x > 0, x, 1)), x),
        [-1.0, 0.0, 2.0],
        [1, 1, 0.5],
    ),
    "arctan2": (jnp.arctan2, [0.0, 0.0], [0.0, -1.0], [NAN, -1], [NAN, 0]),
    "logaddexp": (
        jnp.logaddexp,
        [-INF, 1.0, -INF],
        [-INF, 1.0, 2.0],
        [NAN, 0.5, 0],
        [NAN, 0.5, 1],
    ),
    "logsumexp": (special.logsumexp, [-INF, 1.0], [0, 1]),
    "softmax": (lambda x: nn.softmax(x)[0], [0.0, -INF, 0.0], [0.25, 0, -0.25]),
    "sinc": (jnp.sinc, [0.0, 1.0], [0, -1]),
    "prod": (jnp.prod, [0.0, 2.0, 3.0], [6, 0, 0]),
    "prod of zeros": (jnp.prod, [0.0, 2.0, 0.0], [0, 0, 0]),
    "cumprod": (jnp.cumprod, [2.0, 0.0, 3.0], [1, 8, 0]),
    "relu": (nn.relu, [-1.0, 0.0, 1.0], [0, 0, 1]),
    "relu6": (nn.relu6, [-1.0, 3.0, 7.0], [0, 1, 0]),
    "elu": (nn.elu, [-800.0, 1.0, 800.0], [0, 1, 1]),
    "softplus": (nn.softplus, [-800.0, 0.0, 800.0], [0, 0.5, 1]),
    "log_sigmoid": (nn.log_sigmoid, [-800.0, 0.0, 800.0], [1, 0.5, 0]),
    "sigmoid": (nn.sigmoid, [-800.0, 0.0, 800.0], [0, 0.25, 0]),
    "xlogy": (special.xlogy, [0.0, 0.0], [2.0, 1.0], [LN2, 0], [0, 0]),
    "entr": (special.entr, [1.0, 2.0], [-1, -1 - LN2]),
    "expm1": (jnp.expm1, [0.0, -800.0], [1, 0]),
    "mod": (jnp.mod, [5.0, -5.0], [2.0, 2.0], [1, 1], [-2, 3]),
    "nan_to_num": (jnp.nan_to_num, [NAN, INF, 1.0], [0, 0, 1]),
    "i0": (special.i0, [0.0], [0]),  # JAX: 1
    "erf": (special.erf, [0.0, 30.0, INF], [2 / math.sqrt(math.pi), 0, 0]),
    "gammaln": (special.gammaln, [1.0], [-np.euler_gamma]),
    "one sample": (jnp.var, [1.0, 1.0], [0, 0]),
}


@pytest.mark.parametrize("name", EDGES)
def test_edges(name):
    f, *rest = EDGES[name]
    args, expected = rest[: len(rest) // 2], rest[len(rest) // 2 :]
    for ct, wanted in zip(gradients(f, *args), expected, strict=True):
        np.testing.assert_allclose(ct, wanted, rtol=1e-7, atol=1e-15)


OTHERWISE_IN_JAX = {"abs", "hypot", "x**0", "i0", "where"}


def test_edges_are_those_of_jax():
    """Checks the table itself: JAX agrees in all cases that are not marked."""
    cases = {name: case for name, case in EDGES.items() if name not in OTHERWISE_IN_JAX}

    def by_jax():
        results = {}
        for name, (f, *rest) in cases.items():
            args = [jnp.asarray(x) for x in rest[: len(rest) // 2]]
            total = lambda *xs, f=f: jnp.sum(f(*xs))  # noqa: E731
            results[name] = jax.grad(total, tuple(range(len(args))))(*args)
        return results

    with jax.enable_x64(True):
        for name, cts in jax.jit(by_jax)().items():
            wanted = EDGES[name][1 + len(cts) :]
            for ct, y in zip(cts, wanted, strict=True):
                np.testing.assert_allclose(ct, y, rtol=1e-7, atol=1e-15, err_msg=name)


# ----- Complex numbers, where JAX differs from mathematics


def test_the_inverse_hyperbolic_cosine_left_of_the_imaginary_axis():
    z = np.array(-0.7 + 1.1j)
    region = staged_region(jnp.arccosh, [z])
    *_, slope = evaluate(vjp_region(region, [0], [0]), [z, np.complex128(1)])
    step = 1e-6
    expected = (np.arccosh(z + step) - np.arccosh(z - step)) / (2 * step)
    np.testing.assert_allclose(slope, expected, rtol=1e-8)


def test_the_sign_of_a_complex_number_turns_with_it():
    z = np.array(3 + 4j)
    region = staged_region(jnp.sign, [z])
    *_, ct = evaluate(vjp_region(region, [0], [0]), [z, np.complex128(1)])
    step = 1e-6
    turned = [(np.sign(z + s) - np.sign(z - s)).real / (2 * step) for s in (step, step * 1j)]
    np.testing.assert_allclose(ct, turned[0] - 1j * turned[1], rtol=1e-8)
