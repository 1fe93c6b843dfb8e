"""Executables: calls, ahead-of-time compilation, donation, JAX's configuration."""

import jax
import numpy as np
import pytest

from myia.backends.reference.interpreter import evaluate
from myia.backends.xla.executable import compile_function
from myia.primitives.pointwise.transcendental import sin
from tests.backends.xla_programs import F64_, PROGRAMS, function

counted_loop, _ = PROGRAMS["counted_loop"]
ARGS = (np.float64(0.3), np.float64(0.1), np.int64(5))


def test_configuration_of_jax_is_left_alone():
    before = jax.config.jax_enable_x64
    (y,) = compile_function(counted_loop)(*ARGS)
    assert y.dtype == np.float64
    assert jax.config.jax_enable_x64 == before
    assert jax.numpy.asarray(1.0).dtype == (np.float64 if before else np.float32)


def test_compiled_once():
    f = compile_function(counted_loop)
    f(*ARGS)
    f(np.float64(1), np.float64(2), np.int64(3))
    assert f._callable._cache_size() == 1


def test_ahead_of_time():
    f = compile_function(counted_loop)
    compiled = f.compile(f.lower())
    np.testing.assert_array_equal(compiled(*ARGS)[0], f(*ARGS)[0])
    assert "stablehlo.while" in f.lower().as_text()
    assert "HloModule" in compiled.stage.as_text()
    assert compiled.stage.cost_analysis() is not None
    assert compiled.stage.memory_analysis().argument_size_in_bytes == 24
    assert f.compile().stage.memory_analysis().argument_size_in_bytes == 24


def test_donated_memory_is_reused():
    f = function("f", [F64_((1000,))], lambda x: [sin(x)])
    donated = compile_function(f, donate=(0,)).compile().stage
    assert donated.memory_analysis().alias_size_in_bytes == 8000
    assert compile_function(f).compile().stage.memory_analysis().alias_size_in_bytes == 0


def test_program_can_be_called_under_a_trace():
    """Inside somebody's `jax.jit` and `jax.vmap`, where compiler options are not allowed."""
    program = compile_function(counted_loop, under_a_trace=True)
    with jax.enable_x64(True):
        (one,) = jax.jit(program)(*ARGS)
        (many,) = jax.vmap(program, in_axes=(0, None, None))(np.array([0.3, 0.3]), *ARGS[1:])
    np.testing.assert_allclose(many, [one, one])


def test_vmap_over_the_trip_count_keeps_barriers_exact():
    f, [args, _] = PROGRAMS["recurrence_in_place"]
    program = compile_function(f, under_a_trace=True)
    with jax.enable_x64(True):
        (many,) = jax.vmap(program, in_axes=(None, 0))(args[0], np.array([6, 0, 3]))
    for n, y in zip((6, 0, 3), many):
        np.testing.assert_allclose(y, compile_function(f)(args[0], np.int64(n))[0])


@pytest.mark.parametrize("name", ["shifted_slices", "row_swaps", "reverse_of_recurrence"])
def test_opaque_barriers_survive_vmap(name):
    f, [args, *_] = PROGRAMS[name]
    batched = [x.dtype.kind == "f" for x in args]
    args = [np.stack([x, 2 * x + 1]) if b else x for x, b in zip(args, batched)]
    program = jax.vmap(
        compile_function(f, under_a_trace=True), in_axes=[0 if b else None for b in batched]
    )
    with jax.enable_x64(True):
        results = jax.jit(program)(*args)
    for i in range(2):
        expected = evaluate(f, [x[i] if b else x for x, b in zip(args, batched)])
        for y, x in zip(results, expected, strict=True):
            np.testing.assert_allclose(y[i], x, rtol=1e-13)
