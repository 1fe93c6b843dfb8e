"""The functions of the demo, at tiny sizes."""

from __future__ import annotations

import jax
import numpy as np
import pytest

import myia
from examples import jax_models, models

BATCH = 5
NETWORKS = {
    "perceptron": (models.perceptron, jax_models.perceptron, models.perceptron_params),
    "recurrent": (models.recurrent, jax_models.recurrent, models.recurrent_params),
}


@pytest.fixture(params=NETWORKS)
def network(request):
    model, by_hand, make = NETWORKS[request.param]
    return model, by_hand, make(np.random.default_rng(0), width=3)


@pytest.fixture
def batch():
    rng = np.random.default_rng(1)
    return rng.random((BATCH, 8, 8)), np.eye(10)[rng.integers(10, size=BATCH)]


def digits():
    return pytest.importorskip("digits", reason="the demo needs scikit-learn, tqdm, matplotlib")


def test_gradient(network, batch):
    model, _, params = network
    assert digits().gradient_error(model, params, *batch, checks=2) < 1e-7


def test_a_step_is_that_of_jax(network, batch):
    model, by_hand, params = network
    state = models.adam_state(params)
    step = myia.jit(digits().step_of(model)).lower(params, state, *batch).compile()
    ours = step(*step(params, state, *batch)[:2], *batch)
    with jax.enable_x64(True):
        theirs_step = jax_models.step_of(by_hand)
        theirs = theirs_step(*theirs_step(*jax.device_put((params, state)), *batch)[:2], *batch)
    for name in params:
        np.testing.assert_allclose(ours[0][name], theirs[0][name], rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(ours[2], theirs[2], rtol=1e-9)


def test_training(tmp_path):
    demo = digits()
    data, test = demo.load()
    assert (len(data.images), len(test.images)) == (1437, 360)
    params = models.perceptron_params(np.random.default_rng(0), width=32)
    params = {name: p.astype(np.float32) for name, p in params.items()}
    args = jax.device_put((params, models.adam_state(params)))
    step = myia.jit(demo.step_of(models.perceptron), donate_argnums=(0, 1))
    compiled = step.lower(*args, data.images[: demo.BATCH], data.targets[: demo.BATCH]).compile()
    training, losses = demo.train(compiled, params, data, epochs=20, name="test")
    assert losses[-1] < losses[0] / 3
    scores = models.perceptron(jax.device_get(training.params), test.images)
    assert models.accuracy(scores, test.labels) > 0.8
    demo.plot({"test": losses}, tmp_path / "curves.png")
    assert (tmp_path / "curves.png").stat().st_size > 10_000


def test_optax():
    optax_training = pytest.importorskip("optax_training", reason="needs optax, scikit-learn")
    losses, right = optax_training.train(epochs=10)
    assert losses[-1] < losses[0] / 5
    assert right > 0.95
    assert optax_training.epoch.compiles == 1  # with a loop over the batches in it


def test_equinox():
    equinox_model = pytest.importorskip("equinox_model", reason="needs equinox, scikit-learn")
    losses, right = equinox_model.train(steps=60, width=16)
    assert losses[-1] < losses[0] / 2
    assert right > 0.5
    assert equinox_model.step.compiles == 1


def test_the_gradient_of_an_equinox_model_is_that_of_jax():
    model = pytest.importorskip("equinox_model", reason="needs equinox, scikit-learn")
    reader = model.Reader(4, key=jax.random.key(0))
    params, rest = model.eqx.partition(reader, model.eqx.is_array)

    def loss(params, images, digits):
        return model.loss(params, rest, images, digits)

    args = params, np.ones((2, 8, 8), np.float32), np.array([1, 7])
    ours, theirs = myia.grad(loss)(*args), jax.jit(jax.grad(loss))(*args)
    for g, w in zip(jax.tree.leaves(ours), jax.tree.leaves(theirs), strict=True):
        np.testing.assert_allclose(g, w, rtol=1e-4, atol=1e-6)


def example(name):
    return pytest.importorskip(name, reason="the pictures need matplotlib")


def test_tuning(tmp_path, capsys):
    tuning = example("tuning")
    found = tuning.main(steps=60, rounds=4, path=tmp_path / "tuning.png")
    assert found.losses[-1] < found.losses[0]
    assert "temporaries" in capsys.readouterr().out
    assert (tmp_path / "tuning.png").stat().st_size > 10_000

    rng = np.random.default_rng(1)
    data, weights = tuning.make_data(rng), tuning.make_weights(rng)
    hyper = {"log_rate": np.log(0.05), "logit_momentum": 1.0}
    slopes = myia.grad(tuning.held_out_loss, static_argnums=3)(hyper, weights, data, 60)
    for name, slope in slopes.items():
        up, down = ({**hyper, name: hyper[name] + h} for h in (1e-5, -1e-5))
        values = [myia.jit(tuning.held_out_loss)(x, weights, data, 60) for x in (up, down)]
        np.testing.assert_allclose(slope, (values[0] - values[1]) / 2e-5, rtol=1e-5)


def test_ode(tmp_path):
    ode = example("ode")
    p = ode.main(rounds=30, n=6, end=4.0, path=tmp_path / "ode.png")
    assert all(0.5 < p[name] / true < 2 for name, true in ode.TRUE.items())
    assert (tmp_path / "ode.png").stat().st_size > 10_000
    times, observed = ode.observe(np.random.default_rng(0), 6, 4.0)
    states, taken, rejected = ode.trajectory(ode.TRUE, times)  # the same, run by Python
    np.testing.assert_allclose(myia.jit(ode.trajectory)(ode.TRUE, times)[0], states, rtol=1e-9)
    assert taken > 20 and rejected > 0

    log_p = {name: np.log(x) for name, x in ode.TRUE.items()}
    slopes = myia.grad(ode.misfit)(log_p, times, observed)
    for name, slope in slopes.items():
        up, down = ({**log_p, name: log_p[name] + h} for h in (1e-6, -1e-6))
        values = [myia.jit(ode.misfit)(x, times, observed) for x in (up, down)]
        np.testing.assert_allclose(slope, (values[0] - values[1]) / 2e-6, rtol=1e-5)
