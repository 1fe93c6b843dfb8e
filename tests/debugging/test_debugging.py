"""The three commands: a mistake made on purpose is found where it is."""

from __future__ import annotations

import functools
import re
from dataclasses import replace
from random import Random

import pytest

from myia import pipeline
from myia.ir.core import Function
from myia.ir.parser import parse
from myia.ir.printer import to_text
from myia.source.diagnostics import InternalError
from tests.debugging import bisect_passes, compare_stages, reduce_program
from tests.debugging.compare_stages import ROOT, first_wrong, rows
from tests.debugging.quantities import quantities
from tests.debugging.subject import subject_of
from tests.fuzz.grammar.generator import Program
from tests.fuzz.shrink import shrink
from tests.passes.by_name import passes_of, substitute

PROGRAM = """
import numpy as np

def f(x, n):
    total = 0.0
    for i in range(1, n):
        x[i] += x[i - 1] * 0.375
        total += np.sin(x[i])
    return total

args = (np.linspace(0.5, 1.0, 4), 4)
argnums = 0
"""

REFUSED = PROGRAM.replace("    return", "    print(len(str(x)))\n    return")

TEN_LINES = """
import numpy as np

def helper(x):
    y = np.cumsum(x)
    return y - y[0]

def f(x, n):
    total = 0.0
    scale = np.max(helper(x)) + 1.0
    for i in range(1, n):
        if x[i] > 0.6:
            x[i] += x[i - 1] * 0.375
        total += np.sin(x[i]) / scale
    while total > 2.0:
        total = total * 0.5
    return total

args = (np.linspace(0.5, 1.0, 4), 4)
"""

RANDOM = """
import math

import numpy as np

def f(p, q, n, x, y, A):
    v = np.zeros(3)
    for i in range(n):
        if p > 0.25:
            v[i % 3] += 0.5 * q
        else:
            v = v + x
    t = 0.0
    for i in range(3):
        t += math.sin(y[i]) * v[i]
    return t + 0.5 * q + A.sum()
"""

REDUCED = """
import numpy as np

def f(x, n):
    x[1] += 0.375
args = (np.linspace(0.5, 1.0, 4), 4)
"""

WRONG_RULE = """
import numpy as np
import myia

@myia.custom_vjp
def square(x):
    return x * x

square.defvjp(lambda x: (x * x, x), lambda x, ct: (3.0 * x * ct,))

def f(x):
    return square(np.sin(x))

args = (0.7,)
argnums = 0
"""


def wrong(function: Function, number: str = "0.375", other: str = "0.25") -> Function:
    """The constant `number` is replaced by another one."""
    text = to_text(function)
    wrong_text = text.replace(f" {number}:", f" {other}:")
    return parse(wrong_text) if wrong_text != text else function


def middle(stage: str) -> str:
    """The name of a pass in the middle of a stage."""
    names = list(passes_of(stage))
    return names[len(names) // 2]


LATE = middle("finish")


def value_and_gradient(source: str = PROGRAM):
    return quantities(subject_of(source))


def wrong_stage(quantity) -> str | None:
    _, row = first_wrong(quantity, rows(quantity))
    return row and row.stage


# ----- Stages


def test_a_right_program_has_no_wrong_stage():
    for quantity in value_and_gradient():
        assert wrong_stage(quantity) is None
        assert bisect_passes.find(quantity).stage is None
    assert reduce_program.reduce(PROGRAM)[0] is None


def test_wrong_inference(monkeypatch):
    infer = pipeline.infer

    def wrong_infer(*args, **options):
        program = infer(*args, **options)
        return replace(program, function=wrong(program.function))

    monkeypatch.setattr(pipeline, "infer", wrong_infer)
    value, gradient = value_and_gradient()
    assert wrong_stage(value) == wrong_stage(gradient) == "typed"
    assert "frontend" in compare_stages.where(value, "typed")


def test_wrong_derivative_rule():
    value, gradient = value_and_gradient(WRONG_RULE)
    assert wrong_stage(value) is None
    assert wrong_stage(gradient) == "typed"
    assert "adjoint" in compare_stages.where(gradient, "typed")


def test_wrong_transform(monkeypatch):
    expand = pipeline.expand.expand_derivatives
    monkeypatch.setattr(pipeline.expand, "expand_derivatives", lambda f: wrong(expand(f)))
    for quantity in value_and_gradient():
        assert wrong_stage(quantity) == "expand"


def test_wrong_storage(monkeypatch):
    lower = pipeline.lower_rev.lower_and_plan

    @functools.wraps(lower)
    def wrong_lower(function, limits):
        lowered, plans = lower(function, limits)
        return wrong(lowered), plans

    monkeypatch.setattr(pipeline.lower_rev, "lower_and_plan", wrong_lower)
    for quantity in value_and_gradient():
        assert wrong_stage(quantity) == "storage"
        assert "storage" in compare_stages.where(quantity, "storage")


def test_wrong_backend(monkeypatch):
    compile_function = pipeline.compile_function

    @functools.wraps(compile_function)
    def wrong_compile(function, *args, **options):
        return compile_function(wrong(function), *args, **options)

    monkeypatch.setattr(pipeline, "compile_function", wrong_compile)
    for quantity in value_and_gradient():
        found = bisect_passes.find(quantity)
        assert (found.stage, found.step) == ("xla", None)
        assert "backends/xla" in compare_stages.where(quantity, "xla")


@pytest.mark.parametrize("stage", ["typed", *pipeline.STAGES, compare_stages.XLA])
def test_the_folders_to_look_at_exist(stage):
    for quantity in value_and_gradient():
        text = compare_stages.where(quantity, stage)
        folders = re.findall(r"myia/[\w/]*", text)
        assert all((ROOT / folder).is_dir() for folder in folders)
        assert folders or "`bisect`" in text


# ----- Passes


@pytest.mark.parametrize("stage", ["prepare", "optimize", "finish"])
def test_a_wrong_pass_is_named(monkeypatch, capsys, stage):
    name = middle(stage)
    substitute(monkeypatch, stage, name, wrong)
    for quantity in value_and_gradient():
        found = bisect_passes.find(quantity)
        assert (found.stage, found.step.name, found.step.number) == (stage, name, 1)
        assert name in found.without
        assert quantity.is_right(found.before) and not quantity.is_right(found.after)
        assert " 0.375:" in to_text(found.step.before)
        assert " 0.375:" not in to_text(found.step.after)
        assert not bisect_passes.report(quantity, show=True)
    printed = capsys.readouterr().out
    assert f"{name}, run 1" in printed
    assert "tests/debugging/test_debugging.py" in printed
    assert " 0.375:" in printed and " 0.25:" in printed


def test_the_run_is_named(monkeypatch):
    """One pass is wrong about what a later one leaves behind: in the second round."""

    def rename(function: Function) -> Function:
        return parse(to_text(function).replace("%total", "%renamed"))

    def wrong_if_renamed(function: Function) -> Function:
        return wrong(function) if "%renamed" in to_text(function) else function

    def rename_once(function: Function) -> Function:
        return rename(function) if "%total" in to_text(function) else function

    _, first, *_, last = passes_of("optimize")
    substitute(monkeypatch, "optimize", first, wrong_if_renamed)
    substitute(monkeypatch, "optimize", last, rename_once)
    found = bisect_passes.find(value_and_gradient()[0])
    assert (found.stage, found.step.name, found.step.number) == ("optimize", first, 2)
    assert set(found.without) == {first, last}


def test_a_pass_that_raises_is_named(monkeypatch):
    def raising(function: Function) -> Function:
        raise InternalError("on purpose")

    substitute(monkeypatch, "finish", LATE, raising)
    value, _ = value_and_gradient()
    found = bisect_passes.find(value)
    assert (found.stage, found.step.name) == ("finish", LATE)
    assert "on purpose" in value.text(found.after, 0)
    assert LATE in found.without


def test_a_pass_that_leaves_invalid_ir_is_named(monkeypatch):
    """The numbers are right; a value is defined twice."""

    def twice(function: Function) -> Function:
        region = function.region
        return function.with_region(replace(region, ops=(region.ops[0], *region.ops)))

    *_, last = passes_of("finish")  # no later pass repairs it
    substitute(monkeypatch, "finish", last, twice)
    value, _ = value_and_gradient()
    found = bisect_passes.find(value)
    assert (found.stage, found.step.name) == ("finish", last)
    assert "invalid IR" in value.text(found.after, 0)


# ----- Smaller programs


def test_a_failing_program_is_made_minimal(monkeypatch):
    substitute(monkeypatch, "finish", LATE, wrong)
    failure, smaller = reduce_program.reduce(TEN_LINES)
    assert (failure.quantity, failure.stage) == ("value", "finish")
    assert smaller.strip() == REDUCED.strip()


def test_a_wrong_gradient_stays_a_wrong_gradient():
    failure, smaller = reduce_program.reduce(WRONG_RULE)
    assert (failure.quantity, failure.stage) == ("gradient", "typed")
    assert "defvjp" in smaller and "np.sin" not in smaller


def test_an_error_stays_the_same_error():
    failure, smaller = reduce_program.reduce(REFUSED)
    assert failure.stage == "typed" and "MyiaError" in failure.how
    assert "str(" in smaller and "for" not in smaller
    assert reduce_program.failure(smaller)[0] == failure


def test_a_refusal_is_called_so(capsys):
    value, _ = value_and_gradient(REFUSED)
    assert not compare_stages.report(value)
    assert not bisect_passes.report(value, show=False)
    assert capsys.readouterr().out.count("the program is refused") == 2


class OneProgram:
    """In place of the random programs, which are others after each change of their grammar."""

    def __init__(self, rng: Random) -> None: ...

    def program(self) -> Program:
        return Program(RANDOM, risky=False)


def test_a_random_program_is_made_smaller(monkeypatch):
    monkeypatch.setattr(reduce_program, "Generator", OneProgram)
    assert reduce_program.reduce_random(17, 0, xla=False)[0] is None
    substitute(monkeypatch, "finish", LATE, lambda f: wrong(f, "0.5", "0.25"))
    found, smaller = reduce_program.reduce_random(17, 0, xla=False)
    assert "Mismatch value" in found
    assert "return 0.5 * q\n" in smaller
    assert reduce_program.failure(smaller)[0] is not None


def test_a_program_that_does_not_end_is_no_smaller_one():
    def fails(text: str) -> bool:
        try:
            exec(text, {})
        except NameError:
            return False
        return "while" in text

    source = "n = 2\nm = 3\nwhile n > 0:\n    n -= 1\n"
    assert shrink(source, fails, seconds=0.1) == "n = 2\nwhile n:\n    n -= 1"
