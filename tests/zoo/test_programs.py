"""Every small program: values, gradients, second derivatives, on every backend and stage.

By default some tests take a spread of the programs, or of the passes and inputs of each program;
the slow tests take all of them. All tests of a program follow each other, as they share its
compiled functions.
"""

from __future__ import annotations

import copy
from collections.abc import Callable

import numpy as np
import pytest

import myia
from myia.frontend.load import load
from myia.ir.equality import same
from myia.ir.parser import parse
from myia.ir.printer import to_text
from tests.default_run import every
from tests.passes.by_name import passes_of
from tests.zoo.losses import losses_of
from tests.zoo.reference_calls import ReferenceCalls
from tests.zoo.small_programs import PROGRAMS, Program
from tests.zoo.trees import (
    assert_same,
    differentiable,
    is_narrow,
    is_same,
    like,
    ones_like,
    random_like,
    vector,
    wide,
)

# All programs have their losses from the same few functions, which are compiled often.
pytestmark = pytest.mark.filterwarnings("ignore::myia.CompileWarning")

STEP = 1e-3  # of central differences of fourth order
VALUE_RTOL = 1e-12
XLA_RTOL = 1e-10
GRADIENT_RTOL = 1e-9
DIFFERENCE_RTOL = 1e-6
DUALITY_RTOL = 1e-10


class Case:
    """A program, its losses, and its compiled functions, each compiled once a signature."""

    def __init__(self, program: Program):
        self.program = program
        self.all_inputs = [*program.inputs, *(args for args, _ in program.exact)]
        self.active = active_arguments(self.all_inputs)
        changed = written_arguments(program.f, self.all_inputs)
        self.losses = losses_of(program.f, order_of(self.active), changed)
        self.references: dict = {}
        self.transforms: dict = {}

    # ----- Compiled functions

    def transformed(self, name: str) -> Callable:
        if name not in self.transforms:
            self.transforms[name] = TRANSFORMS[name](self)
        return self.transforms[name]

    def reference(self, name: str, stage: str = "finish", disable: str | None = None):
        key = (name, stage, disable)
        if key not in self.references:
            self.references[key] = ReferenceCalls(self.transformed(name), stage, disable)
        return self.references[key]

    def on_reference(self, *key: str, **options: str) -> Callable:
        run = self.reference(*key, **options)
        return lambda *args: run(*copy.deepcopy(args))

    def on_xla(self, name: str) -> Callable:
        run = self.transformed(name)
        return lambda *args: run(*copy.deepcopy(args))

    # ----- Inputs

    def smooth(self) -> list[tuple]:
        """The inputs at which there are derivatives."""
        if not any(self.active):
            pytest.skip("no argument is made of floats")
        return list(self.program.inputs)

    def plain(self, f: Callable, *args):
        """`f` run by Python, on copies."""
        with np.errstate(all="ignore"):
            return f(*copy.deepcopy(args))

    def point(self, args: tuple) -> tuple:
        """`xs`, `rest`, weights of the results."""
        xs = tuple(x for x, active in zip(args, self.active) if active)
        rest = tuple(x for x, active in zip(args, self.active) if not active)
        return xs, rest, random_like(self.plain(self.losses.outcome, xs, rest), seed=1)


TRANSFORMS: dict[str, Callable[[Case], Callable]] = {
    "value": lambda case: myia.jit(case.program.f),
    "gradient": lambda case: myia.value_and_grad(case.losses.loss_and_outcome, has_aux=True),
    "tangent": lambda case: myia.jit(case.losses.tangent),
    "hvp": lambda case: myia.hvp(case.losses.loss),
    "reverse over reverse": lambda case: myia.grad(case.losses.directional),
    "forward over forward": lambda case: myia.jit(case.losses.second_tangent),
}


def active_arguments(inputs: list[tuple]) -> tuple[bool, ...]:
    """Which arguments are made of floats alone, in all inputs."""
    return tuple(all(map(differentiable, column)) for column in zip(*inputs, strict=True))


def order_of(active: tuple[bool, ...]) -> tuple[tuple[bool, int], ...]:
    """For each argument: whether it is active, and its index among the active or the others."""
    return tuple((a, sum(b == a for b in active[:i])) for i, a in enumerate(active))


def written_arguments(f: Callable, inputs: list[tuple]) -> tuple[int, ...]:
    found = set()
    for args in inputs:
        after = copy.deepcopy(args)
        with np.errstate(all="ignore"):
            f(*after)
        found |= {i for i, (x, y) in enumerate(zip(args, after)) if not is_same(x, y)}
    return tuple(sorted(found))


def differences(f: Callable, x: np.ndarray) -> np.ndarray:
    """The derivatives of `f` along the elements of `x`, by central differences."""
    columns = []
    for e in np.eye(x.size) * STEP:
        near, far = f(x + e) - f(x - e), f(x + 2 * e) - f(x - 2 * e)
        columns.append((8 * near - far) / (12 * STEP))
    return np.array(columns)


def close(got, want, rtol: float, what: str) -> None:
    """Within `rtol` of the greatest element, or of 1."""
    scale = np.max(np.abs(want), initial=1.0)
    np.testing.assert_allclose(got, want, rtol, rtol * scale, err_msg=what)


@pytest.fixture(scope="module", params=PROGRAMS, ids=lambda p: p.name)
def case(request) -> Case:
    return Case(request.param)


def programs(count: int) -> pytest.MarkDecorator:
    """By default, each `count`-th program."""
    cases = every(count, PROGRAMS)
    return pytest.mark.parametrize("case", cases, ids=[p.name for p in PROGRAMS], indirect=True)


# ----- Values


def check_value(run: Callable, case: Case, args: tuple, what: str = "result") -> None:
    """The same result as in Python, and the same done to the arguments."""
    ours, theirs = copy.deepcopy(args), copy.deepcopy(args)
    got = run(*ours)
    with np.errstate(all="ignore"):
        want = case.program.f(*theirs)
    assert_same(got, want, XLA_RTOL, what)
    assert_same(ours, theirs, XLA_RTOL, "arguments")


@pytest.mark.parametrize("stage", ["expand", "finish"])
def test_value(case, stage):
    run = case.reference("value", stage)
    for args in case.all_inputs:
        check_value(run, case, args)


# ----- First derivatives


def test_gradient(case):
    """On the reference interpreter: `rev` evaluated directly, and lowered to loops."""
    for args in case.smooth():
        xs, rest, weights = case.point(wide(args))

        def loss(x, xs=xs, rest=rest, weights=weights):
            return case.plain(case.losses.loss, like(xs, x), rest, weights)

        want = differences(loss, vector(xs))
        for stage in ("expand", "finish"):
            (_, outcome), grad = case.on_reference("gradient", stage)(xs, rest, weights)
            assert_same(outcome, case.plain(case.losses.outcome, xs, rest), VALUE_RTOL)
            assert_same(like(grad, 0 * want), like(xs, 0 * want), 0.0, "gradient")
            close(vector(grad), want, DIFFERENCE_RTOL, f"gradient after {stage}")
        v = random_like(xs, seed=2)
        tangent = case.on_reference("tangent")(xs, rest, weights, v)
        close(tangent, vector(grad) @ vector(v), DUALITY_RTOL, "forward against reverse")


def test_gradient_in_float32(case):
    """The gradient has the dtypes of the arguments, and is that of float64 but for rounding."""
    for args in filter(is_narrow, case.smooth()):
        narrow, exact = case.point(args), case.point(wide(args))
        _, got = case.on_reference("gradient")(*narrow)
        _, want = case.on_reference("gradient")(*exact)
        assert_same(like(got, 0 * vector(want)), like(narrow[0], 0 * vector(want)), 0.0)
        close(vector(got), vector(want), 1e-4, "gradient in float32")


def test_kinks(case):
    if not case.program.exact:
        pytest.skip("differentiable everywhere")
    for args, want in case.program.exact:
        xs, rest, weights = case.point(args)
        for run in (case.on_reference("gradient"), case.on_xla("gradient")):
            _, grad = run(xs, rest, ones_like(weights))
            close(vector(grad), vector(want), VALUE_RTOL, "gradient at a kink")


def check_xla(case: Case, args: tuple) -> None:
    """Values and gradients of the compiled program, against Python and the reference."""
    if not any(case.active):
        check_value(case.transformed("value"), case, args)
        return
    xs, rest, weights = case.point(args)
    (_, outcome), grad = case.on_xla("gradient")(xs, rest, weights)
    assert_same(outcome, case.plain(case.losses.outcome, xs, rest), XLA_RTOL)
    _, want = case.on_reference("gradient")(xs, rest, weights)
    assert_same(grad, want, XLA_RTOL, "gradient")


@programs(2)
def test_xla(case):
    """Each program at one of its inputs, which is not always the first one."""
    inputs = case.program.inputs
    if not inputs:
        pytest.skip("at a kink only")
    check_xla(case, inputs[PROGRAMS.index(case.program) % len(inputs)])


@pytest.mark.slow
def test_xla_at_every_input(case):
    for args in case.program.inputs:
        check_xla(case, args)


# ----- Second derivatives


def check_second_order(case: Case, run: Callable[[str], Callable]) -> None:
    if case.program.order < 2:
        pytest.skip("differentiable once")
    for args in case.smooth():
        xs, rest, weights = case.point(wide(args))
        v = random_like(xs, seed=3)
        gradient = case.on_reference("gradient")

        def along(step, at=xs, along=v, rest=(rest, weights), gradient=gradient):
            return vector(gradient(like(at, vector(at) + step[0] * vector(along)), *rest)[1])

        (want,) = differences(along, np.zeros(1))
        for name in ("hvp", "reverse over reverse"):
            close(vector(run(name)(xs, rest, weights, v)), want, DIFFERENCE_RTOL, name)
        name = "forward over forward"
        close(run(name)(xs, rest, weights, v), want @ vector(v), DIFFERENCE_RTOL, name)


@programs(4)
def test_second_order(case):
    check_second_order(case, case.on_reference)


@programs(25)
def test_second_order_on_xla(case):
    check_second_order(case, case.on_xla)


# ----- Every stage, every pass


def check_text(case: Case, transforms: list[str]) -> None:
    """The text of every stage is parsed as the same function."""
    for args in case.smooth() if transforms != ["value"] else case.program.inputs:
        xs, rest, weights = case.point(args)
        given = {
            "value": args,
            "gradient": (xs, rest, weights),
            "hvp": (xs, rest, weights, random_like(xs, seed=3)),
        }
        for name in transforms:
            case.on_reference(name)(*given[name])
    typed = [f for name in transforms for f in case.reference(name).functions()]
    for before in (load(case.program.f), *typed):
        text = to_text(before)
        after = parse(text)
        assert same(before, after)
        assert to_text(after) == text


@programs(3)
def test_text_is_read_back(case):
    check_text(case, ["value", "gradient"] if any(case.active) else ["value"])


@pytest.mark.slow
def test_text_of_second_derivatives_is_read_back(case):
    check_text(case, ["hvp"])


def check_without(case: Case, name: str) -> None:
    """The same gradients (or values) without the pass `name`."""
    for args in case.program.inputs:
        if not any(case.active):
            run = case.reference("value", disable=name)
            check_value(run, case, args, f"result without {name}")
            continue
        point = case.point(args)
        got = case.on_reference("gradient", disable=name)(*point)
        want = case.on_reference("gradient")(*point)
        assert_same(got, want, GRADIENT_RTOL, f"gradient without {name}")


WITHOUT = 3  # by default, each third program is tried without a pass


@programs(WITHOUT)
def test_without_a_pass(case):
    """Each program without one of the passes, each pass with some programs."""
    names = list(passes_of("finish"))
    check_without(case, names[PROGRAMS.index(case.program) // WITHOUT % len(names)])


@pytest.mark.slow
def test_without_each_pass(case):
    for name in passes_of("finish"):
        check_without(case, name)


@pytest.mark.slow
def test_value_on_xla(case):
    for args in case.program.inputs:
        check_value(case.transformed("value"), case, args)


def test_the_zoo_is_large():
    assert len(PROGRAMS) >= 150
    assert len({p.name for p in PROGRAMS}) == len(PROGRAMS)
    assert all(len(p.inputs) + len(p.exact) >= 2 for p in PROGRAMS)
