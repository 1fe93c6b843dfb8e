"""Every primitive of JAX with a derivative has the same derivative here, to second order."""

from __future__ import annotations

import functools
from collections.abc import Iterator

import jax
import jax.experimental.checkify  # it has a primitive of its own
import numpy as np
import pytest
from jax.extend.core import ClosedJaxpr, Jaxpr
from jax.interpreters import ad

from myia.infer.jax.tracing.rules import RULES
from myia.infer.jax.tracing.trace import trace
from myia.infer.jax.tracing.translate import translate
from myia.ir.avals import F64
from myia.ir.builder import build_region
from myia.source.diagnostics import MyiaError
from tests.default_run import every
from tests.lax.sampled_case import Case
from tests.lax.sampled_oracle import assert_equal, by_jax, on_reference, on_xla
from tests.lax.sampled_table import CASES, LEFT_OUT, NOT_IN_EVERY_VERSION


def is_of_jax(rule) -> bool:
    """Not of a library that has added its own, as `jax.experimental.sparse` is."""
    rules = [rule]
    while isinstance(rule, functools.partial):
        rules += [x for arg in rule.args for x in (arg if isinstance(arg, tuple) else (arg,))]
        rule = rule.func
        rules.append(rule)
    modules = [getattr(x, "__module__", None) or "" for x in rules]
    of_others = any(m.startswith("jax.experimental.sparse.") for m in modules)
    return rule.__module__.startswith("jax.") and not of_others


WITH_DERIVATIVE = {p.name for p, rule in ad.primitive_jvps.items() if is_of_jax(rule)}


def sample(cases: list[Case]) -> list[Case]:
    """Each tenth of a primitive's cases, and each that is the first of a kind."""
    taken, seen = [], set()
    for i, case in enumerate(cases):
        dtypes = {x.dtype for x in case.inputs}
        empty = any(x.size == 0 for x in case.inputs)
        kinds = {case.variant, f"order {case.order}", *dtypes, empty}
        if i % 10 == 0 or kinds - seen:
            taken.append(case)
        seen |= kinds
    return taken


@pytest.mark.parametrize("name", every(3, sorted(CASES)))
def test_derivatives_are_those_of_jax(name):
    """Some cases by the reference interpreter; the middle one on XLA too, through all passes."""
    cases = sample(CASES[name])
    wanted = by_jax(cases)
    for case, results in zip(cases, wanted):
        assert_equal(on_reference(case), results, str(case))
    middle = len(cases) // 2
    (compiled,) = on_xla([cases[middle]])
    assert_equal(compiled, wanted[middle], f"on XLA: {cases[middle]}")


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(CASES))
def test_derivatives_of_all_cases_are_those_of_jax(name):
    cases = CASES[name]
    for case, compiled, wanted in zip(cases, on_xla(cases), by_jax(cases)):
        assert_equal(on_reference(case), wanted, str(case))
        assert_equal(compiled, wanted, f"on XLA: {case}")


def test_no_primitive_is_missing():
    known = CASES.keys() | LEFT_OUT.keys()
    assert known >= WITH_DERIVATIVE
    assert known - WITH_DERIVATIVE <= NOT_IN_EVERY_VERSION
    assert not CASES.keys() & LEFT_OUT.keys()


def test_what_is_left_out_is_refused():
    """Without a translation; except calls and marks without a meaning here."""
    marks = {"reshard", "stage", "tie", "xla_metadata_value"}
    assert {name for name in LEFT_OUT if name in RULES} == {"composite", "eval_jaxpr", *marks}


def counted(x):
    r = jax.new_ref(x)
    r[...] += 1
    return jax.freeze(r)


def divided(x):
    def divide(r, t):
        return t / r

    return jax.custom_derivatives.linear_call(divide, divide, x + 1, x)


REFUSED = {
    "debug_callback": lambda x: jax.debug.callback(print, x),
    "debug_print": lambda x: jax.debug.print("{}", x),
    "ffi_call": lambda x: jax.ffi.ffi_call("none", jax.ShapeDtypeStruct(x.shape, x.dtype))(x),
    "io_callback": lambda x: jax.experimental.io_callback(np.sin, x, x),
    "linear_call": divided,
    "new_ref": counted,
    "pure_callback": lambda x: jax.pure_callback(np.sin, x, x),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_program_with_it_is_refused_by_name(name):
    assert name in LEFT_OUT
    staged = trace(lambda x: jax.tree.leaves(REFUSED[name](x)), [F64.with_shape((3,))])
    with pytest.raises(MyiaError, match=f"the JAX operation `{name}` is not supported"):
        build_region([F64.with_shape((3,))], lambda x: translate(staged, [x]))


def test_the_table_is_large():
    cases = [case for row in CASES.values() for case in row]
    assert sum(case.order > 0 for case in cases) >= 1500
    assert sum(case.order > 1 for case in cases) >= 1500
    assert sum(bool(case.variant) for case in cases) >= 700
    dtypes = {x.dtype.char for case in cases for x in case.inputs}
    assert {"f", "d", "F", "D", "?", "i"} <= dtypes
    assert sum(any(x.size == 0 for x in case.inputs) for case in cases) >= 100
    assert sum(all(x.ndim == 0 for x in case.inputs) for case in cases) >= 100


@pytest.mark.parametrize("name", sorted(CASES))
def test_each_case_is_of_its_primitive(name):
    """Under `vmap` it may be another: of a batch of slices a gather, of branches a selection."""
    for case in CASES[name]:
        if not case.variant:
            assert name in set(_primitives(_staged(case).jaxpr)), case


def _staged(case: Case) -> ClosedJaxpr:
    with jax.enable_x64(True):
        return jax.make_jaxpr(case.f)(*map(np.asarray, case.inputs))


def _primitives(jaxpr: Jaxpr) -> Iterator[str]:
    for eqn in jaxpr.eqns:
        yield eqn.primitive.name
        for inner in jax.tree.leaves(list(eqn.params.values()), is_leaf=_is_jaxpr):
            if _is_jaxpr(inner):
                yield from _primitives(getattr(inner, "jaxpr", inner))


def _is_jaxpr(x) -> bool:
    return isinstance(x, ClosedJaxpr | Jaxpr)
