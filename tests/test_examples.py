"""The functions of the demo, at tiny sizes."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import jax
import numpy as np
import pytest

import myia
from examples import (
    augmented_training,
    estimators,
    greeks,
    hmc,
    jax_models,
    models,
    particle_filter,
)

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


@pytest.mark.slow
def test_another_process_goes_on_with_a_saved_step(network):
    """As the same step here: the losses of its first and last batch."""
    demo, (model, _, params) = digits(), network
    params = {key: p.astype(np.float32) for key, p in params.items()}
    data, _ = demo.load()
    data = demo.Digits(data.images[:300], data.labels[:300], data.targets[:300])
    args = jax.device_put((params, models.adam_state(params)))
    batch = data.images[: demo.BATCH], data.targets[: demo.BATCH]
    step = myia.jit(demo.step_of(model)).lower(*args, *batch).compile()
    found = demo.resumed(step, demo.Training(step, params), data)
    _, losses = demo.train(step, params, data, 1, "here")
    np.testing.assert_allclose(found.losses, [losses[0], losses[-1]], rtol=1e-5)
    assert 0 < found.own_seconds < found.seconds


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


DATA_PARALLEL = """
import jax
jax.config.update("jax_num_cpu_devices", 8)
import data_parallel
assert data_parallel.main(steps=24, last=16) > 0.3
"""


def test_data_parallel():
    """Killed after step 16, with a checkpoint of step 14, or of step 9 if that was not finished."""
    pytest.importorskip("orbax.checkpoint", reason="needs orbax-checkpoint, scikit-learn")
    path = os.pathsep.join(str(Path(__file__).parent.parent / name) for name in (".", "examples"))
    command = [sys.executable, "-c", DATA_PARALLEL]
    env = {**os.environ, "PYTHONPATH": path}
    found = subprocess.run(command, capture_output=True, text=True, env=env)
    assert found.returncode == 0, found.stderr
    went_on = re.search(
        r"went on from step (\d+)\nb1: ", found.stdout[found.stdout.index("killed") :]
    )
    steps = re.findall(r"step (\d+) on 8 devices", found.stdout)
    assert steps and steps[-1] == "23"
    assert went_on is not None and went_on[1] == steps[0] in ("10", "15")


def test_estimators():
    estimates = estimators.main(count=20, rounds=4_000)
    exact = estimators.exact_quadratic(0.5, 1.5), estimators.exact_jump(0.5, 1.5)
    for cost, values in zip(("quadratic", "jump"), exact, strict=True):
        for name, value in values.items():
            score, moved = (
                estimates[f"{cost}, {estimator}"][name]
                for estimator in ("score_function", "reparameterised")
            )
            assert score.agrees(value)
            assert moved.agrees(value) == (cost == "quadratic")
            assert moved.deviation < 0.5 * score.deviation


def test_hmc():
    draws = hmc.main(chains=2, warm_up=300, samples=2_000)  # which checks the moments
    assert draws.shape == (4_000, 4)
    x, y = hmc.make_data(np.random.default_rng(0))
    args = hmc.log_posterior, np.zeros(4), 2, 3, (x, y)
    ours, theirs = (
        run(*args[:2], np.random.default_rng(1), *args[2:]) for run in (myia.jit(hmc.hmc), hmc.hmc)
    )
    for a, b in zip(ours, theirs, strict=True):  # the same, run by Python
        np.testing.assert_allclose(a, b, rtol=1e-9)


@pytest.mark.slow
def test_augmented_training():
    before, after = augmented_training.main(count=504, epochs=12)
    assert before < 0.7 and after > 0.95
    rng = np.random.default_rng(0)
    pictures, labels = augmented_training.make_data(rng, 24)  # and a batch that is smaller
    weights = augmented_training.make_weights(rng)
    ours, theirs = (
        run(weights, pictures, labels, np.random.default_rng(1), 0.1)
        for run in (myia.jit(augmented_training.epoch), augmented_training.epoch)
    )
    for a, b in zip(jax.tree.leaves(ours), jax.tree.leaves(theirs), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-12)


@pytest.mark.slow
def test_particle_filter():
    found = particle_filter.main(steps=30, count=400, runs=40)
    for mean, error, exact in found.values():
        assert abs(mean - exact) < 5 * error + 0.05  # and a bias that vanishes with many particles
    params = {"decay": 0.9, "noise": 0.5, "error": 0.8}
    observed, _ = particle_filter.simulate(params, np.random.default_rng(1), 30)
    ours, theirs = (
        run(params, observed, np.random.default_rng(2), 50)
        for run in (myia.jit(particle_filter.particle_filter), particle_filter.particle_filter)
    )
    for a, b in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-9)


@pytest.mark.slow
def test_greeks():
    found = greeks.main(steps=6, count=4_000, rounds=20)
    for estimates, errors, exact in found.values():
        np.testing.assert_array_less(abs(estimates - exact)[:4], 5 * errors[:4])
        np.testing.assert_allclose(estimates[4], exact[4], rtol=0.05)  # a difference quotient
    assert len(found) == 2
