"""The XLA backend computes what the reference interpreter computes, and its HLO says why it may."""

import re

import jax
import numpy as np
import pytest

import myia
from myia.backends.reference.interpreter import evaluate
from myia.backends.xla.cpu.emission_options import UNDER_A_TRACE, Rules, rules_for_cpu
from myia.backends.xla.emit import emit
from myia.backends.xla.executable import compile_function
from myia.ir.avals import F64, I64
from myia.ir.builder import at, build_region
from myia.ir.core import Function, Region
from myia.ir.verifier import verify
from myia.primitives.arrays.dynamic_slices import dynamic_slice, dynamic_update_slice
from myia.primitives.arrays.shaping import reduce_sum, reshape, slice
from myia.primitives.core.define import constant, zeros
from myia.primitives.core.effects import debug_print
from myia.primitives.core.emit_structured import emit_loop, if_, loop
from myia.primitives.core.structured import Loop
from myia.primitives.linalg.dot import dot_general
from myia.primitives.pointwise.arithmetic import div
from myia.primitives.pointwise.logic import gt, lt
from myia.primitives.pointwise.transcendental import sin
from myia.source.diagnostics import InternalError
from myia.source.span import SourceFile, Span
from tests.backends.xla_programs import F64_, PROGRAMS, function, integer, read, write


def cases():
    for name, (f, argument_sets) in PROGRAMS.items():
        for i, args in enumerate(argument_sets):
            yield pytest.param(f, args, id=f"{name}-{i}")


@pytest.mark.parametrize(("f", "args"), list(cases()))
def test_agrees_with_the_reference(f, args):
    verify(f)
    expected = evaluate(f, args)
    results = compile_function(f)(*args)
    assert len(results) == len(expected)
    for y, x in zip(results, expected):
        assert (y.dtype, y.shape) == (x.dtype, x.shape)
        np.testing.assert_allclose(y, x, rtol=1e-6 if x.dtype == np.float32 else 1e-13)


@pytest.mark.parametrize(("f", "args"), list(cases()))
@pytest.mark.parametrize("rules", [Rules(), UNDER_A_TRACE], ids=["plain", "traced"])
def test_other_rules_agree_too(f, args, rules):
    """What is emitted for other platforms, and under a user's trace."""
    if (
        f.name.startswith("shifted")
        and not rules.opaque_barriers
        and jax.default_backend() == "cpu"
    ):
        pytest.skip("wrong without opaque barriers")
    with jax.enable_x64(True):
        results = jax.jit(emit(f, rules))(*args)
    for y, x in zip(results, evaluate(f, args), strict=True):
        np.testing.assert_allclose(y, x, rtol=1e-6 if x.dtype == np.float32 else 1e-13)


def counted(trip_count: int) -> Function:
    def body(x):
        return loop([x], lambda k, x: [sin(x)], count=integer(trip_count))

    return function("f", [F64], body)


def test_size_does_not_depend_on_the_trip_count():
    texts = [compile_function(counted(n)).lower().as_text() for n in (10, 9_999)]
    assert texts[0].count("\n") == texts[1].count("\n")


def test_an_unread_index_is_dropped():
    def body(x):
        return loop([x], lambda k, x: [x * 2.0], cond=lambda k, x: lt(x, constant(9, np.float64)))

    program = emit(function("f", [F64], body), Rules())
    with jax.enable_x64(True):
        assert "i64" not in jax.jit(program).lower(np.float64(1)).as_text()


def test_untaken_branch_does_not_run(capsys):
    def body(x):
        def positive():
            debug_print("positive")
            return [div(1, x)]

        return if_(gt(x, constant(0, np.float64)), positive, lambda: [x])

    f = compile_function(function("f", [F64], body))
    jax.block_until_ready(f(np.float64(-1)))
    jax.effects_barrier()
    assert capsys.readouterr().out == ""
    jax.block_until_ready(f(np.float64(1)))
    jax.effects_barrier()
    assert capsys.readouterr().out == "positive\n"


def test_condition_does_not_run_after_the_last_iteration(capsys):
    def body(x):
        def cond(k, x):
            debug_print("{}", k)
            return lt(x, constant(100, np.float64))

        return loop([x], lambda k, x: [x * 2.0], count=integer(3), cond=cond)

    f = compile_function(function("f", [F64], body))
    jax.block_until_ready(f(np.float64(1)))
    jax.effects_barrier()
    assert capsys.readouterr().out == "0\n1\n2\n"


def test_spans_become_scopes_of_the_hlo():
    file = SourceFile("folder/model.py", ("y = sin(x)",))

    def body(x):
        with at(Span(file, 1, 4, 1, 10)):
            return [sin(x)]

    assert "model.py:1" in compile_function(function("f", [F64], body)).compile().stage.as_text()


def test_reversals_are_lowered_before():
    body = build_region([I64, F64], lambda k, x: [sin(x)])
    adjoint = build_region([I64, F64, F64], lambda k, x, ct: [ct])

    def reversal(n, x, ct):
        return emit_loop(Loop(n, (x,), None, body, None, adjoint, (0,), (ct,)))

    with pytest.raises(InternalError, match="rev reached the XLA backend"):
        compile_function(function("f", [I64, F64, F64], reversal)).lower().as_text()


# ----- Rules for the CPU (docs/emission.md)

on_cpu = pytest.mark.skipif(jax.default_backend() != "cpu", reason="rules for the CPU")


def conditionals(f: Function) -> int:
    return compile_function(f).compile().stage.as_text().count(" conditional(")


def reading_and_writing(count: Function | None = None) -> Function:
    def body(v, n):
        def iteration(k, v, c):
            x = read(v, k + 1)
            return [write(v, x + read(v, k), k + 1), c + x]

        return loop([v, zeros(F64)], iteration, count=n if count is None else integer(count))

    return function("f", [F64_((1000,)), I64], body)


@on_cpu
@pytest.mark.parametrize("count", [None, 999], ids=["dynamic", "static"])
def test_opaque_barriers_survive_the_compiler(count):
    """One for both reads."""
    assert conditionals(reading_and_writing(count)) == 1


@on_cpu
def test_a_read_that_depends_on_another_has_its_own_barrier():
    def iteration(k, v):
        x, y = read(v, k), read(v, k + 1)
        w = write(v, x + y, k)
        return [write(w, read(w, k + 2) * x, k + 1)]

    def body(v, n):
        return loop([v], iteration, count=n)

    assert conditionals(function("f", [F64_((1000,)), I64], body)) == 2


@on_cpu
def test_read_only_loops_have_no_barriers():
    def body(v, n):
        return loop([zeros(F64)], lambda k, c: [c + read(v, k)], count=n)

    assert conditionals(function("f", [F64_((1000,)), I64], body)) == 0


@on_cpu
def test_a_single_update_has_no_barrier():
    def body(v, n):
        return loop([v], lambda k, v: [write(v, read(v, k) * 2.0, k)], count=n)

    assert conditionals(function("f", [F64_((1000,)), I64], body)) == 0


@on_cpu
@pytest.mark.parametrize(
    ("n", "m", "count"), [(128, 64, 1), (64, 127, 0), (8192, 1, 0), (2048, 8, 1), (4096, 7, 0)]
)
def test_factors_of_large_products_have_a_barrier(n, m, count):
    def body(a, x, y):
        no = ((), ())
        return [a + dot_general(x * 2.0, y - 1.0, contract=no, batch=no)]

    f = function("f", [F64_((n, m)), F64_((n,)), F64_((m,))], body)
    assert conditionals(f) == count
    args = (np.ones((n, m)), np.linspace(0, 1, n), np.linspace(2, 3, m))
    np.testing.assert_allclose(compile_function(f)(*args)[0], evaluate(f, args)[0], rtol=1e-15)


@on_cpu
@pytest.mark.parametrize("outside", [False, True])
def test_factors_that_are_not_fused_have_none(outside):
    """Arguments, products of matrices, what comes from outside of a loop."""

    def product(x, y):
        return dot_general(x, y, contract=((), ()), batch=((), ()))

    def body(a, m, x, y, n):
        made = x * 2.0 if outside else dot_general(m, x, contract=((1,), (0,)), batch=((), ()))
        if not outside:
            return [a + product(made, y)]
        return loop([a], lambda k, a: [a * 0.5 + product(made, y)], count=n)

    arrays = [F64_((128, 128)), F64_((128, 128)), F64_((128,)), F64_((128,))]
    f = function("f", [*arrays, I64], body)
    assert conditionals(f) == 0
    rng = np.random.default_rng(0)
    args = (*(rng.random(x.shape) for x in arrays), np.int64(3))
    np.testing.assert_allclose(compile_function(f)(*args)[0], evaluate(f, args)[0], rtol=1e-12)


@on_cpu
def test_slices_rewritten_in_place_have_no_barrier():
    """Nor a copy, though each iteration writes two of them and reads them in between."""

    def iteration(k, v):
        rest = slice(v, start=(1,), limit=(1000,), stride=(1,))
        v = dynamic_update_slice(v, rest * 2.0, integer(1))
        part = dynamic_slice(v, k, sizes=(500,))
        return [dynamic_update_slice(v, part + 1.0, k)]

    f = function("f", [F64_((1000,)), I64], lambda v, n: loop([v], iteration, count=n))
    assert conditionals(f) == 0
    assert "f64[1000]{0} copy(" not in _bodies_of_loops(f)
    v = np.linspace(0.0, 1.0, 1000)
    for ours, expected in zip(compile_function(f)(v, np.int64(3)), evaluate(f, (v, np.int64(3)))):
        np.testing.assert_allclose(ours, expected, rtol=1e-15)


def _bodies_of_loops(f: Function) -> str:
    text = compile_function(f).compile().stage.as_text()
    bodies = set(re.findall(r"body=%([\w.]+)", text))
    found = re.finditer(r"^%([\w.]+) .*?^}", text, re.MULTILINE | re.DOTALL)
    return "".join(match.group() for match in found if match.group(1) in bodies)


@on_cpu
@pytest.mark.parametrize("name", ["reverse_of_recurrence", "log_of_overwritten_values"])
def test_no_copy_of_a_buffer_inside_a_loop(name):
    f, _ = PROGRAMS[name]
    text = compile_function(f).compile().stage.as_text()
    bodies = {name for name in re.findall(r"body=%([\w.]+)", text)}
    computations = re.findall(r"^%([\w.]+) .*?^}", text, re.MULTILINE | re.DOTALL)
    assert bodies and bodies <= set(computations)
    for match in re.finditer(r"^%([\w.]+) .*?^}", text, re.MULTILINE | re.DOTALL):
        if match.group(1) in bodies:
            assert not re.search(r"f64\[[\d,]+\]\S* copy\(", match.group())


@on_cpu
@pytest.mark.parametrize(
    ("name", "is_one_function"),
    [("counted_loop", True), ("recurrent_network", True), ("vector_loop", False)],
)
def test_which_loops_are_emitted_as_one_function(name, is_one_function):
    f, _ = PROGRAMS[name]
    assert ("xla_cpu_small_call" in compile_function(f).lower().as_text()) == is_one_function


def branch_after_loops(size: int) -> Function:
    """An array that comes from a loop is written in a branch, and is a result too.

    With region analysis and whole loop calls together, XLA loses the copy.
    """

    def body(x, u, v, w, n):
        v, _ = loop([u, v], lambda k, u, v: [v, v], count=n)
        written = if_(gt(x, zeros(F64)), lambda: [write(v, x, n)], lambda: [u])

        def reading_and_writing(k, w, c):
            y = read(w, k)
            total = reduce_sum(w * 0.5, axes=(0,))
            return [write(w, y + read(w, k + 1) + total, k), c + y]

        return [v, *written, *loop([w, x], reading_and_writing, count=n)]

    vector = F64_((size,))
    return function("f", [F64, vector, vector, vector, I64], body)


REGION_ANALYSIS = Rules(opaque_barriers=True, region_analysis=True)


@on_cpu
@pytest.mark.parametrize(("size", "rules"), [(6, UNDER_A_TRACE), (5000, REGION_ANALYSIS)])
def test_array_of_a_loop_written_in_a_branch(size, rules):
    """The small loops are whole loop calls, also the one that reads what it writes."""
    v = np.arange(float(size)) / size
    f, args = branch_after_loops(size), (np.float64(1), -v - 1, v, v, np.int64(3))
    assert rules_for_cpu(f) == rules
    for y, x in zip(compile_function(f)(*args), evaluate(f, args), strict=True):
        np.testing.assert_allclose(y, x)


@on_cpu
def test_region_analysis_only_where_arrays_are_read_and_written():
    assert not rules_for_cpu(PROGRAMS["counted_loop"][0]).region_analysis
    assert not rules_for_cpu(PROGRAMS["tape"][0]).region_analysis
    assert rules_for_cpu(PROGRAMS["reverse_of_recurrence"][0]).region_analysis


def row_rewritten(branch: bool) -> Function:
    """A sum over all of an array is added to a row, which is read for nothing else."""

    def body(a, x):
        n, _ = a.shape
        zero = integer(0)

        def iteration(k, a):
            total, a = reduce_sum(a * a, axes=(0,)), a * 0.5
            row = dynamic_slice(a, k, zero, sizes=(1, n))
            return [dynamic_update_slice(a, row + reshape(total, shape=(1, n)), k, zero)]

        (a,) = loop([a], iteration, count=integer(n))
        return if_(gt(x, zeros(F64)), lambda: [a * 2.0], lambda: [a]) if branch else [a]

    return function("f", [F64_((40, 40)), F64], body)


@on_cpu
@pytest.mark.parametrize("branch", [False, True])
def test_region_analysis_where_slices_are_rewritten_in_place(branch):
    """Unless a branch makes it unsound together with whole loop calls."""
    f = row_rewritten(branch)
    args = np.random.default_rng(0).uniform(-0.1, 0.1, size=(40, 40)), np.float64(1.0)
    assert rules_for_cpu(f) == Rules(
        opaque_barriers=True, whole_loop_calls=True, region_analysis=not branch
    )
    np.testing.assert_allclose(compile_function(f)(*args)[0], evaluate(f, args)[0], rtol=1e-12)


def test_region_is_closed_by_its_arguments():
    """A function's region that reads a value from outside cannot be emitted."""
    stray = build_region([F64], lambda x: [x]).args[0]
    with pytest.raises(KeyError):
        compile_function(Function("f", Region((), (), (stray,)))).lower()


def test_empty_batches_of_a_loop_that_reads_what_it_writes():
    def f(x):
        x = x.copy()
        for i in range(1, len(x)):
            x[i] = x[i - 1] * 0.5 + x[i]
        return x

    with jax.enable_x64(True):
        assert jax.vmap(myia.jit(f))(np.zeros((0, 5_000))).shape == (0, 5_000)
