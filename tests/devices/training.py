"""Data-parallel training of the networks of the demo, on the devices of any number of processes."""

import jax
import jax_models
import models
import numpy as np
from jax.sharding import AxisType, NamedSharding
from jax.sharding import PartitionSpec as P

import myia

STEPS, BATCH, WIDTH = 20, 64, 16
NETWORKS = {
    "perceptron": (models.perceptron, jax_models.perceptron, models.perceptron_params),
    "recurrent": (models.recurrent, jax_models.recurrent, models.recurrent_params),
}


def step_of(model):
    def loss(params, images, targets):
        return models.cross_entropy(model(params, images), targets)

    def step(params, state, images, targets):
        value, grads = myia.value_and_grad(loss)(params, images, targets)
        params, state = models.adam(params, grads, state)
        return params, state, value

    return step


def batch(i, dtype):
    rng = np.random.default_rng([7, i])
    images = rng.random((BATCH, 8, 8)).astype(dtype)
    return images, np.eye(10, dtype=dtype)[rng.integers(10, size=BATCH)]


def start(name, dtype):
    """Parameters and state."""
    params = NETWORKS[name][2](np.random.default_rng(0), WIDTH)
    params = {key: p.astype(dtype) for key, p in params.items()}
    state = models.adam_state(params)
    return params, {**state, "steps": dtype(0)}


def shardings(axis_types=(AxisType.Auto,)):
    """Of what all devices have, and of a batch: on all devices of all processes."""
    mesh = jax.make_mesh((jax.device_count(),), ("batch",), axis_types=axis_types)
    return NamedSharding(mesh, P()), NamedSharding(mesh, P("batch"))


def placed(x, sharding):
    """An array that all processes have, of which each device gets its part."""
    return jax.make_array_from_callback(np.shape(x), sharding, lambda index: np.asarray(x)[index])


def train(step, params, state, place, dtype, steps=range(STEPS)):
    """`place(images, targets)`: a batch as it is passed."""
    losses = []
    for i in steps:
        params, state, loss = step(params, state, *place(*batch(i, dtype)))
        losses.append(loss)
    return params, state, losses


def trained_on_one_device(name, dtype):
    device = jax.local_devices()[0]
    params, state = start(name, dtype)
    with jax.enable_x64(True):
        params, state = jax.device_put((params, state), device)
        step = myia.jit(step_of(NETWORKS[name][0]))
        return train(step, params, state, lambda *xs: jax.device_put(xs, device), dtype)


def trained_on_all_devices(name, dtype, axis_types=(AxisType.Auto,)):
    everywhere, split = shardings(axis_types)
    params, state = start(name, dtype)
    with jax.enable_x64(True):
        params, state = jax.tree.map(lambda x: placed(x, everywhere), (params, state))
        step = myia.jit(step_of(NETWORKS[name][0]), donate_argnums=(0, 1))
        return train(step, params, state, lambda *xs: [placed(x, split) for x in xs], dtype)


def assert_equal(found, expected, dtype):
    """Parameters, state and losses of two trainings: differences are relative to the largest
    element of an array."""
    rtol = 1e-12 if dtype is np.float64 else 1e-4
    found, expected = (jax.tree.leaves(x) for x in (found, expected))
    for x, y in zip(found, expected, strict=True):
        x, y = np.asarray(x), np.asarray(y)
        assert (x.shape, x.dtype) == (y.shape, y.dtype)
        assert np.abs(x - y).max() <= rtol * np.abs(y).max()
