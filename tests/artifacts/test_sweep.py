"""Programs of the zoo, and gradients of kernels: fresh, loaded, of the cache, by plain JAX."""

from __future__ import annotations

import copy

import pytest

import myia
from benchmarks.kernel_programs import KERNELS
from myia.api import sharing
from myia.artifacts import saved_program
from tests.artifacts.test_cache import folder, is_kept
from tests.default_run import every
from tests.zoo.small_programs import PROGRAMS
from tests.zoo.trees import assert_same

FIXTURES = (folder,)
PLAIN_RTOL = 1e-9  # XLA rounds in another order where it fuses other ops


def outcome(f, args):
    """The result of a call, and what it made of its arguments; or the exception."""
    given = copy.deepcopy(args)
    try:
        return f(*given), given
    except Exception as error:
        return type(error), given


def compare(transformed, args, path, monkeypatch):
    """Fresh, reloaded and plain JAX; False: it cannot be saved."""
    try:
        program = transformed.lower(*copy.deepcopy(args)).compile()
        program.save(path)
    except (myia.MyiaError, myia.errors.ArtifactError):
        return False
    fresh = outcome(program, args)
    assert_same(outcome(myia.load(path), args), fresh, rtol=0)
    monkeypatch.setattr(saved_program, "version_of", lambda name: "another")
    assert_same(outcome(myia.load(path), args), fresh, rtol=PLAIN_RTOL)
    monkeypatch.undo()
    return True


@pytest.mark.parametrize("program", every(60, PROGRAMS), ids=lambda p: p.f.__name__)
def test_programs(program, folder, tmp_path, monkeypatch):
    args = program.inputs[0] if program.inputs else program.exact[0][0]
    if not compare(myia.jit(program.f), args, tmp_path / "f.myia", monkeypatch):
        pytest.skip("it has no form in a file")
    sharing.forget()
    fresh = outcome(myia.jit(program.f), args)
    sharing.forget()
    _, kept = is_kept(outcome, myia.jit(program.f), args)
    assert_same(kept, fresh, rtol=0)


@pytest.mark.parametrize("name", every(25, KERNELS))
def test_gradients_of_kernels(name, tmp_path, monkeypatch):
    kernel = KERNELS[name]
    args = kernel.arguments(12)
    active = tuple(i + 1 for i in kernel.active(args))
    gradient = myia.grad(kernel.pure(), argnums=active)
    assert compare(gradient, (kernel.weights(12), *args), tmp_path / "f.myia", monkeypatch)
