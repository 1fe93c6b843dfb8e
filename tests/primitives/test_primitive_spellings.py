"""Each primitive is reached by something that a user writes."""

from __future__ import annotations

import numpy as np
import pytest

import myia
from myia.frontend.load import load
from myia.infer.boundary.signature import Flattener
from myia.infer.eval.program import infer
from myia.ir.core import Function, walk
from myia.ir.primitive import PRIMITIVES
from myia.pipeline import Compilation
from myia.transforms.expand import expand_derivatives
from tests.primitives.spellings import DERIVED, FINISHED, PREPARED, SPELLINGS, STORED

# In programs for any platform only, which are parts of functions that JAX traces; their test is
# `test_the_predicate_is_in_programs_for_any_platform_only` of tests/api/test_platforms.py.
UNDER_A_TRACE = {"is_platform"}
TYPED = {
    name
    for name, primitive in PRIMITIVES.items()
    if not name.startswith("py.") and not primitive.structured and name not in UNDER_A_TRACE
}


def typed(f, args) -> Function:
    flat = Flattener()
    return infer(load, f, tuple(flat.add(x) for x in args), {}).function


def primitives(function: Function) -> set[str]:
    return {op.primitive.name for op in walk(function.region)}


def gradient(f):
    return myia.grad(lambda *xs: np.sum(f(*xs)))


def test_every_primitive_has_a_spelling():
    tables = (SPELLINGS, DERIVED, PREPARED, STORED, FINISHED)
    missing, unknown = TYPED - set().union(*tables), set().union(*tables) - TYPED
    assert not missing, "give it a line in tests/primitives/spellings.py"
    assert not unknown, "tests/primitives/spellings.py: no primitive has this name"
    assert sum(map(len, tables)) == len(TYPED)


@pytest.mark.parametrize("name", SPELLINGS)
def test_the_spelling_reaches_the_primitive(name):
    f, *args = SPELLINGS[name]
    reached = primitives(typed(f, args))
    assert name in reached, "no name of Python is bound to it: see CONTRIBUTING.md"


@pytest.mark.parametrize("name", DERIVED)
def test_the_gradient_reaches_the_primitive(name):
    f, *args = DERIVED[name]
    assert name in primitives(expand_derivatives(typed(gradient(f), args)))


@pytest.mark.parametrize("name", PREPARED)
def test_the_prepared_program_reaches_the_primitive(name):
    f, *args = PREPARED[name]
    assert name in primitives(Compilation(typed(f, args)).until("prepare").function)


@pytest.mark.parametrize("name", STORED)
def test_the_storage_of_the_gradient_reaches_the_primitive(name):
    f, *args = STORED[name]
    lowered = Compilation(typed(gradient(f), args)).until("storage").function
    assert name in primitives(lowered)


@pytest.mark.parametrize("name", FINISHED)
def test_the_finished_gradient_reaches_the_primitive(name):
    f, *args = FINISHED[name]
    assert name in primitives(Compilation(typed(gradient(f), args)).until("finish").function)
