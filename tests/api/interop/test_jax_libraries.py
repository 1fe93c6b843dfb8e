"""Libraries made on JAX that call compiled functions, or transform them."""

from __future__ import annotations

import blackjax
import equinox as eqx
import flax.linen as nn
import jax
import jax.numpy as jnp
import numpy as np
import numpyro
import numpyro.distributions as dist
import optax
import pytest
from flax import nnx
from numpyro.infer import MCMC, NUTS

import myia

# ----- A loss with a loop that stops by itself


@myia.jit
def relaxed(w, x):
    """The state in which the map `tanh(w h + x)` comes to rest."""
    h = np.zeros_like(x)
    change, steps = 1.0, 0
    while change > 1e-6 and steps < 60:
        new = np.tanh(w @ h + x)
        change = np.max(np.abs(new - h))
        h, steps = new, steps + 1
    return h


def relaxed_by_jax(w, x):
    """As many steps as are enough."""
    return jax.lax.fori_loop(0, 60, lambda i, h: jnp.tanh(w @ h + x), jnp.zeros_like(x))


W = np.float32([[0.3, -0.2], [0.1, 0.4]])
X = np.float32([0.5, -1.0])
GOAL = np.float32([0.2, -0.3])


def loss(w, x=X):
    return ((relaxed(w, x) - GOAL) ** 2).sum()


def loss_by_jax(w, x=X):
    return ((relaxed_by_jax(w, x) - GOAL) ** 2).sum()


def same(got, want, tolerance=1e-5):
    close = lambda a, b: np.testing.assert_allclose(a, b, rtol=tolerance, atol=tolerance)  # noqa: E731
    jax.tree.map(close, got, want)


def test_optax_steps():
    optimizer = optax.chain(optax.clip_by_global_norm(1.0), optax.adam(0.05))
    gradient = myia.value_and_grad(myia.jit(lambda w: ((relaxed(w, X) - GOAL) ** 2).sum()))

    def run(value_and_grad):
        @jax.jit
        def step(w, state):
            value, slope = value_and_grad(w)
            updates, state = optimizer.update(slope, state, w)
            return optax.apply_updates(w, updates), state, value

        w, values = jnp.asarray(W), []
        state = optimizer.init(w)
        for _ in range(20):
            w, state, value = step(w, state)
            values.append(float(value))
        return w, values

    want = run(jax.value_and_grad(loss_by_jax))
    assert want[1][-1] < 0.2 * want[1][0]
    for ours in (gradient, jax.value_and_grad(loss)):
        same(run(ours), want, 1e-3)


@pytest.mark.slow
def test_optax_line_search():
    """It takes the values and slopes of a function that it calls in loops of its own."""
    solver = optax.lbfgs()

    @jax.jit
    def step(w, state):
        value, slope = optax.value_and_grad_from_state(loss)(w, state=state)
        updates, state = solver.update(slope, state, w, value=value, grad=slope, value_fn=loss)
        return optax.apply_updates(w, updates), state

    w = jnp.asarray(W)
    state = solver.init(w)
    for _ in range(8):
        w, state = step(w, state)
    assert float(loss(w)) < 1e-5 < 0.1 < float(loss(jnp.asarray(W)))


class Layer(eqx.Module):
    w: jax.Array
    name: str = "relaxed"

    def __call__(self, x):
        return relaxed(self.w, x)


def test_equinox_module():
    model = Layer(jnp.asarray(W))
    xs = jnp.stack([X, 2 * X, -X])

    @eqx.filter_jit
    @eqx.filter_value_and_grad
    def batch_loss(model, xs):
        return ((jax.vmap(model)(xs) - GOAL) ** 2).sum()

    by_jax = jax.value_and_grad(lambda w: sum(loss_by_jax(w, x) for x in xs))
    value, slope = batch_loss(model, xs)
    assert isinstance(slope, Layer) and slope.name is None
    same((value, slope.w), by_jax(model.w))
    along = eqx.filter_jvp(lambda m: m(xs[0]), (model,), (Layer(jnp.ones((2, 2)), None),))[1]
    same(along, jax.jvp(lambda w: relaxed_by_jax(w, xs[0]), (model.w,), (jnp.ones((2, 2)),))[1])


class Relaxed(nn.Module):
    @nn.compact
    def __call__(self, x):
        w = self.param("w", lambda key: jnp.asarray(W))
        return relaxed(w, nn.Dense(2)(x))


def test_flax_modules():
    x = jnp.asarray(X)
    model = Relaxed()
    params = model.init(jax.random.key(0), x)

    def by_jax(params):
        dense = params["params"]["Dense_0"]
        y = relaxed_by_jax(params["params"]["w"], x @ dense["kernel"] + dense["bias"])
        return ((y - GOAL) ** 2).sum()

    def by_model(params):
        return ((model.apply(params, x) - GOAL) ** 2).sum()

    same(jax.jit(jax.value_and_grad(by_model))(params), jax.value_and_grad(by_jax)(params))


class RelaxedNNX(nnx.Module):
    def __init__(self):
        self.w = nnx.Param(jnp.asarray(W))

    def __call__(self, x):
        return relaxed(self.w[...], x)


def test_flax_nnx_modules():
    @nnx.jit
    def step(model, x):
        return nnx.value_and_grad(lambda m: ((m(x) - GOAL) ** 2).sum())(model)

    value, slope = step(RelaxedNNX(), jnp.asarray(X))
    same((value, slope["w"][...]), jax.value_and_grad(loss_by_jax)(jnp.asarray(W)))


# ----- Samplers: the potential is written in plain Python

COUNTS = np.float32([3, 0, 2, 5, 1, 4, 2, 3, 0, 2])  # events of a Poisson process
SHAPE, RATE = 2.0, 0.5  # of the gamma distribution that the rate of the process is drawn from


def log_density(log_rate, counts):
    """Of the logarithm of the rate, with the factorials by a loop that stops by itself."""
    rate = np.exp(log_rate)
    total = SHAPE * log_rate - RATE * rate
    for n in counts:
        total += n * log_rate - rate
        k = n
        while k > 1:
            total -= np.log(k)
            k -= 1
    return total


def check_posterior(rates):
    """The rate has the gamma distribution of `shape` and `rate`."""
    shape, rate = SHAPE + COUNTS.sum(), RATE + len(COUNTS)
    deviation = np.sqrt(shape) / rate
    rates = np.asarray(rates, np.float64)
    assert abs(rates.mean() - shape / rate) < 0.15 * deviation
    assert abs(rates.std() - deviation) < 0.15 * deviation


def test_blackjax_nuts():
    F = myia.jit(lambda log_rate: log_density(log_rate, COUNTS))
    sampler = blackjax.nuts(F, step_size=0.7, inverse_mass_matrix=jnp.asarray([0.04]))

    @jax.jit
    def run(key, state):
        def step(state, key):
            state, _ = sampler.step(key, state)
            return state, state.position

        return jax.lax.scan(step, state, jax.random.split(key, 2000))[1]

    start = sampler.init(jnp.float32(0.5))
    check_posterior(jnp.exp(run(jax.random.key(1), start))[500:])


def test_numpyro_factor_and_potential():
    F = myia.jit(log_density)

    def model(counts):
        log_rate = numpyro.sample("log_rate", dist.ImproperUniform(dist.constraints.real, (), ()))
        numpyro.factor("density", F(log_rate, counts))

    how = {"num_warmup": 200, "num_samples": 1500, "progress_bar": False}
    by_factor = MCMC(NUTS(model), **how)
    by_factor.run(jax.random.key(0), COUNTS)
    check_posterior(jnp.exp(by_factor.get_samples()["log_rate"]))
    potential = MCMC(NUTS(potential_fn=myia.jit(lambda x: -log_density(x, COUNTS))), **how)
    potential.run(jax.random.key(1), init_params=jnp.float32(0.5))
    check_posterior(jnp.exp(potential.get_samples()))
