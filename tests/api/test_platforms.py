"""Programs are for the platform that JAX lowers for, and for the device of the arguments."""

import os
import re
import subprocess
import sys

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import lax

import myia
from myia.api import dispatch
from myia.backends.xla import executable
from myia.ir.core import walk
from myia.pipeline import Options
from myia.primitives.core import platforms
from myia.primitives.core.platforms import ANY, is_platform_p

CPU, CUDA = ("cpu",), ("cuda",)


def relax(x):
    y = x.copy()
    for i in range(1, len(y)):
        y[i] = 0.5 * (y[i - 1] + y[i]) + np.sin(y[i])
    return np.sum(y * y)


def by_platform(x):
    """A function of a JAX library, with code of its own on a CPU."""
    return lax.platform_dependent(x, cpu=lambda x: 1.25 * x, default=lambda x: x * 1.375)


def loss(x):
    return np.sum(by_platform_of_library(x) * x)


@myia.staged
def by_platform_of_library(x):
    return by_platform(x)


def cpu_only(text: str) -> list[str]:
    """What only XLA's CPU backend needs; a conditional of one known branch is none of it."""
    found = re.findall("small_call|inlineable|xla_cpu", text)
    return found + re.findall(r"stablehlo\.case.*(?=\n)", without_known_branches(text))


def without_known_branches(text: str) -> str:
    """The text without conditionals on the platform, whose index is a constant."""
    known = set(re.findall(r"(%\w+) = stablehlo.constant dense<\d+> : tensor<i32>", text))
    lines = []
    for line in text.splitlines():
        case = re.search(r'(%\w+)(?::\d+)? = "stablehlo.case"\((%\w+)\)', line)
        if case and case[2] in known:
            known.add(case[1])
            continue
        lines.append(line)
    return "\n".join(lines) + "\n"


X = np.linspace(0.1, 1.0, 40)


@pytest.mark.parametrize("transform", [myia.jit, myia.grad])
def test_no_rule_for_cpus_reaches_another_platform(transform):
    traced = transform(relax).trace(X)
    here, there = (traced.lower(lowering_platforms=p).as_text() for p in (CPU, CUDA))
    assert cpu_only(here)
    assert cpu_only(there) == []
    assert "stablehlo.while" in there


def test_library_calls_are_those_of_the_platform():
    solved = myia.grad(lambda a, b: np.sum(np.linalg.solve(a, b)))
    traced = solved.trace(np.eye(3) + 0.1, np.ones(3))
    texts = [traced.lower(lowering_platforms=p).as_text() for p in (CPU, CUDA)]
    assert ["lapack_" in text for text in texts] == [True, False]
    assert ["cusolver_" in text for text in texts] == [False, True]


def test_compiler_options_are_for_cpus_only(monkeypatch):
    """Region analysis is for reads of an array that the loop writes."""
    given, jit = [], jax.jit

    def record(f, **options):
        given.append(options.get("compiler_options"))
        return jit(f, **options)

    monkeypatch.setattr(executable.jax, "jit", record)
    for names in (CPU, CUDA):
        myia.grad(relax).trace(X).lower(lowering_platforms=names).as_text()
    assert given[0] and given[1] is None


def test_under_a_trace_each_platform_has_its_program():
    with jax.enable_x64(True):
        traced = jax.jit(myia.grad(relax)).trace(X)
        texts = {p: traced.lower(lowering_platforms=p).as_text() for p in (CPU, CUDA, CPU + CUDA)}
        result = jax.jit(myia.grad(relax))(X)
    assert cpu_only(texts[CPU])
    assert cpu_only(texts[CUDA]) == []
    loops = {p: text.count("stablehlo.while") for p, text in texts.items()}
    assert loops[CPU + CUDA] == loops[CPU] + loops[CUDA]
    np.testing.assert_allclose(result, myia.grad(relax)(X), rtol=1e-12)


def test_loops_are_strip_mined_for_cpus_only():
    def squares(x):
        y = np.ones(40)
        for i in range(len(x)):
            y[i] += x[i] * x[i]
        return y

    f = myia.jit(squares)
    with jax.enable_x64(True):
        for traced in (f.trace(X), jax.jit(f).trace(X)):
            texts = [traced.lower(lowering_platforms=p).as_text() for p in (CPU, CUDA)]
            assert [text.count("stablehlo.while") for text in texts] == [1, 1]
            assert [re.search(r"tensor<8xf64>", text) is None for text in texts] == [False, True]


def test_arrays_of_run_time_size_are_loops_on_cpus_only():
    def triangle(x):
        total = 0.0
        for i in range(len(x)):
            total += np.sum(x[:i] * x[:i]) ** 2
        return total

    x = np.linspace(0.5, 1.0, 300)
    f = myia.grad(triangle)
    with jax.enable_x64(True):
        for traced in (f.trace(x), jax.jit(f).trace(x)):
            texts = [traced.lower(lowering_platforms=p).as_text() for p in (CPU, CUDA)]
            cpu, cuda = (text.count("stablehlo.while") for text in texts)
            assert cuda < cpu
        result = jax.jit(f)(x)
    elsewhere = myia.grad(triangle, pipeline=Options(platform="cuda"))
    for found in (result, elsewhere(x)):  # the program for a GPU runs on a CPU, too
        np.testing.assert_allclose(found, f(x), rtol=1e-12)


def test_programs_without_loops_are_traced_once():
    with jax.enable_x64(True):
        text = str(jax.make_jaxpr(myia.grad(lambda x: np.sum(np.sin(x) ** 2)))(X))
    assert "platform_index" not in text


def test_several_platforms_are_lowered_together():
    lowered = myia.grad(relax).trace(X).lower(lowering_platforms=CPU + CUDA)
    assert "_platform_index" in lowered.as_text()
    with pytest.raises(RuntimeError, match="lowered for cpu, cuda"):
        lowered.compile()


def test_what_has_no_device_is_not_compiled():
    lowered = myia.grad(relax).trace(X).lower(lowering_platforms=CUDA)
    with pytest.raises(RuntimeError, match="lowered for cuda"):
        lowered.compile()
    with pytest.raises(RuntimeError, match="no device of the platform 'cuda'"):
        myia.grad(relax, memory="64MB").trace(X).lower(lowering_platforms=CUDA)
    compiled = myia.grad(relax).trace(X).lower(lowering_platforms=CPU).compile()
    np.testing.assert_allclose(compiled(X), myia.grad(relax)(X), rtol=1e-12)


def test_unknown_platforms_are_refused():
    with pytest.raises(ValueError, match="'gpu' is none of the platforms cpu, cuda, rocm, tpu"):
        myia.jit(relax).trace(X).lower(lowering_platforms=("gpu",))


# ----- Code of JAX libraries that differs by platform


def test_code_for_the_platform_is_taken():
    for f in (myia.jit(loss), myia.grad(loss)):
        texts = [f.trace(X).lower(lowering_platforms=p).as_text() for p in (CPU, CUDA)]
        assert ["1.25" in text for text in texts] == [True, False]
        assert ["1.375" in text for text in texts] == [False, True]
    np.testing.assert_allclose(myia.grad(loss)(X), 2.5 * X, rtol=1e-6)


def test_under_a_trace_the_code_is_taken_when_it_is_lowered():
    with jax.enable_x64(True):
        traced = jax.jit(myia.grad(loss)).trace(X)
        np.testing.assert_allclose(jax.jit(myia.grad(loss))(X), 2.5 * X, rtol=1e-14)
        batch = jax.jit(jax.vmap(myia.grad(loss)))(jnp.stack([X, 2 * X]))
    np.testing.assert_allclose(batch, [2.5 * X, 5.0 * X], rtol=1e-14)
    texts = [traced.lower(lowering_platforms=p).as_text() for p in (CPU, CUDA)]
    factors = [re.findall(r"dense<1\.(\d+)", text) for text in texts]
    assert {x.rstrip("0") for x in factors[0]} >= {"25"}
    assert {x.rstrip("0") for x in factors[1]} >= {"375"}


def test_the_index_of_a_platform_is_a_number():
    @myia.staged
    def index(x):
        return x * lax.platform_dependent(cpu=lambda: 3.0, default=lambda: 5.0)

    assert myia.jit(lambda x: index(x))(2.0) == 6.0
    with jax.enable_x64(True):
        assert jax.jit(myia.jit(lambda x: index(x)))(2.0) == 6.0


# ----- Arguments on devices of several platforms


@pytest.fixture
def with_gpu(monkeypatch):
    """As if the default device were a GPU; everything still runs on the CPU."""
    for module in (dispatch, platforms):
        monkeypatch.setattr(module, "has_several_platforms", lambda: True)
    for module in (platforms, executable):
        monkeypatch.setattr(module, "default_platform", lambda: "cuda")


def platforms_of(f) -> set[str]:
    found = f._dispatcher.by_platform.values()
    programs = [p for d in found for p in d.programs.values()]
    variants = [v for p in programs for tree in p.trees.values() for v in tree.variants()]
    return {v.executable.platform for v in variants}


def test_arguments_tell_the_platform(with_gpu):
    def own(x):  # not relax: transforms of one function share programs
        return relax(x)

    f = myia.grad(own)
    expected = myia.grad(relax).trace(X).lower(lowering_platforms=CPU).as_text()
    bound = jax.device_put(jnp.asarray(X, jnp.float32), jax.devices("cpu")[0])
    np.testing.assert_allclose(f(bound), myia.grad(relax)(np.float32(X)), rtol=1e-4)
    assert set(f._dispatcher.by_platform) == {"cpu"}
    f(X)
    f(jnp.asarray(X, jnp.float32))
    assert set(f._dispatcher.by_platform) == {"cpu", "cuda"}
    assert f.compiles == 3
    f(bound)
    f(X)
    assert f.compiles == 3
    assert cpu_only(expected)
    assert cpu_only(f.lower(bound).as_text()) and not cpu_only(f.trace(X).lower().as_text())


def test_under_a_transform_of_jax_the_platform_is_not_known(with_gpu):
    def own(x):
        return relax(x)

    f = myia.grad(own)
    batch = jax.vmap(f)(jnp.stack([X, X]))
    assert set(f._dispatcher.by_platform) == {ANY}
    np.testing.assert_allclose(batch[0], myia.grad(relax)(X), rtol=1e-4)


def test_the_predicate_is_in_programs_for_any_platform_only(with_gpu):
    ops = {}
    for platform in ("cpu", "cuda", ANY):
        found = myia.jit(loss)._dispatcher.of_platform(platform)
        program = found.program(found.flatten((X,), {}))
        ops[platform] = [op.primitive for op in walk(program.function.region)]
    assert [is_platform_p in ops[p] for p in ("cpu", "cuda", ANY)] == [False, False, True]


SEVERAL_DEVICES = """
import jax, numpy as np, myia
from tests.api.test_platforms import relax, X
first, second = jax.devices()
f = myia.grad(relax)
expected = f(np.float32(X))
for device in (first, second):
    x = jax.device_put(np.float32(X), device)
    for result in (f(x), f.lower(x).compile()(x), jax.jit(f)(x)):
        assert result.devices() == {device}, result.devices()
        np.testing.assert_allclose(result, expected, rtol=1e-4)
assert f.compiles == 3, f.compiles  # of NumPy arrays, those of JAX, and its tracers
with jax.default_device(second):
    assert f(jax.numpy.asarray(X, "float32")).devices() == {second}
"""


def test_several_devices():
    flags = {"XLA_FLAGS": "--xla_force_host_platform_device_count=2"}
    command = [sys.executable, "-c", SEVERAL_DEVICES]
    out = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **flags})
    assert out.returncode == 0, out.stderr
