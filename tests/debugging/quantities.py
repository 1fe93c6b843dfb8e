"""What is compared: the value of a program with plain Python, its gradient with differences."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

import myia
from myia.api.programs.decision_tree import DecisionTree
from myia.infer.boundary.signature import Flattener
from myia.infer.eval.program import Program
from myia.ir.core import Function, walk
from myia.ir.verifier import verify
from myia.pipeline import Options, typed_program
from myia.primitives.core.structured import derivative_p
from myia.transforms.expand import expand_derivatives
from tests.debugging.subject import Subject
from tests.fuzz.comparisons import differences
from tests.zoo.losses import dot
from tests.zoo.reference_calls import call
from tests.zoo.trees import children, is_float, is_narrow, is_same, like, random_like, vector, wide

MAX_DIFFERENCES = 100  # arguments of more floats: derivatives along random directions
DIRECTIONS = 20
FLOOR = 1e-3  # smaller numbers are compared as if they were so large


@dataclass(frozen=True)
class Outcome:
    """What a call did: its result and its arguments after it (a tree, a row); or its error."""

    numbers: np.ndarray | None = None
    tree: Any = None
    error: Exception | None = None


@dataclass(frozen=True)
class Quantity:
    """A number (or many) that the compiler should make, and how to make it.

    want        the right numbers, by `oracle`
    projection  of the numbers of an outcome: what of them is compared with `want`
    trusted     in which of them `oracle` can be trusted: not at kinks and jumps
    make        options of the compiler -> the compiled function
    """

    name: str
    oracle: str
    subject: Subject
    want: Outcome
    make: Callable[..., Any]
    rtol: float
    labels: Callable[[int], str]
    floor: float = FLOOR
    projection: Callable[[np.ndarray], np.ndarray] = lambda x: x
    trusted: np.ndarray | None = None  # None: of all
    with_arguments: bool = True  # what the call does to its arguments counts, too
    options: Options = field(default_factory=Options)

    # ----- Compiled and run

    def without(self, name: str) -> Quantity:
        """The same quantity, compiled without the pass `name`."""
        disable = self.options.disable | {name}
        return replace(self, options=replace(self.options, disable=disable))

    @cached_property
    def transformed(self) -> Any:
        return self.make(pipeline=self.options, **self.subject.options)

    @cached_property
    def pipeline(self) -> Options:
        """The options of the compiler, among them those of the program."""
        return self.transformed.options.pipeline

    @cached_property
    def program(self) -> Program:
        flat = Flattener()
        signature = tuple(map(flat.add, self.subject.args))
        return typed_program(self.transformed.target(), signature, {}, self.pipeline, flat)

    def on_reference(self, function: Function) -> Outcome:
        """Of one stage of the program. Derivatives that are not yet expanded are expanded."""

        def run(*args):
            verify(function)
            flat = Flattener()
            for x in args:
                flat.add(x)
            hidden = DecisionTree(self.program).find(flat).hidden
            return call(self.program, without_derivatives(function), flat, hidden)

        return self.outcome(run)

    def on_xla(self) -> Outcome:
        return self.outcome(self.transformed)

    def outcome(self, f: Callable) -> Outcome:
        with globals_kept(self.subject):
            return outcome(f, self.subject.args, self.with_arguments)

    # ----- Compared

    def compared(self, found: Outcome) -> np.ndarray | None:
        """The numbers that are compared with `want`; None when there are none like these."""
        if found.numbers is None or self.want.numbers is None:
            return None
        try:
            numbers = self.projection(found.numbers)
        except ValueError:  # not as many as there should be
            return None
        return numbers if numbers.shape == self.want.numbers.shape else None

    def errors(self, found: Outcome) -> np.ndarray | None:
        """How far each number is from the right one, relative to the greatest of these."""
        got, want = self.compared(found), self.want.numbers
        if got is None:
            return None
        with np.errstate(invalid="ignore"):
            same = (got == want) | (np.isnan(got) & np.isnan(want))
            if self.trusted is not None:
                same |= ~self.trusted
            errors = np.where(same, 0.0, np.abs(got - want))
        errors = np.where(np.isnan(errors), np.inf, errors)
        return errors / np.max(np.abs(want[np.isfinite(want)]), initial=self.floor)

    def difference(self, found: Outcome) -> float:
        """The greatest of the errors."""
        if self.want.error is not None:
            return 0.0 if isinstance(found.error, type(self.want.error)) else np.inf
        errors = self.errors(found)
        return np.inf if errors is None else float(np.max(errors, initial=0.0))

    def is_right(self, found: Outcome) -> bool:
        return self.difference(found) <= self.rtol

    def worst(self, found: Outcome) -> int:
        """Which number is the most wrong."""
        errors = self.errors(found)
        return 0 if errors is None or not errors.size else int(np.argmax(errors))

    def text(self, found: Outcome, which: int) -> str:
        """The number, or the error."""
        if found.error is not None:
            lines = str(found.error).splitlines() or [""]
            return f"{type(found.error).__name__}: {lines[0]}"
        numbers = found.numbers if found is self.want else self.compared(found)
        if numbers is None:
            return f"{found.numbers.size} numbers"
        return repr(float(numbers[which])) if numbers.size else "no number"


@contextmanager
def globals_kept(subject: Subject) -> Iterator[None]:
    """What the program assigns to globals is undone: each call begins with the same."""
    names = subject.f.__globals__
    before = dict(names)
    try:
        yield
    finally:
        names.update(before)


def outcome(f: Callable, args: tuple, with_arguments: bool = True) -> Outcome:
    """Of a call on copies of the arguments."""
    args = copy.deepcopy(args)
    try:
        with np.errstate(all="ignore"):
            result = f(*args)
    except Exception as error:
        return Outcome(error=error)
    tree = (result, args) if with_arguments else result
    return Outcome(numbers(tree), tree)


def numbers(x: Any) -> np.ndarray:
    """All numbers of a tree in a row; a complex one counts as two."""
    parts = children(x)
    if parts is not None:
        return np.concatenate([np.zeros(0), *map(numbers, parts)])
    leaf = np.asarray(x)
    if leaf.dtype.kind == "c":
        return np.ravel([leaf.real, leaf.imag])
    return np.ravel(leaf).astype(float) if leaf.dtype.kind in "biuf" else np.zeros(0)


def number_name(i: int, trees: Iterable[tuple[str, Any]]) -> str:
    """What number `i` of the trees, each with its name, is called in Python: such as `x[1]`."""
    for name, x in trees:
        size = numbers(x).size
        if i >= size:
            i -= size
            continue
        parts = children(x)
        if parts is not None:
            return number_name(i, zip(_part_names(name, x), parts))
        leaf = np.asarray(x)
        part = ""
        if leaf.dtype.kind == "c":
            part, i = (".real", ".imag")[i // leaf.size], i % leaf.size
        index = ", ".join(map(str, np.unravel_index(i, leaf.shape)))
        return f"{name}{f'[{index}]' if index else ''}{part}"
    return f"number {i}"


def _part_names(name: str, x: Any) -> list[str]:
    """The names of the parts of a container, in the order of `children`."""
    if isinstance(x, (tuple, list)):
        return [f"{name}[{i}]" for i in range(len(x))]
    if isinstance(x, dict):
        return [f"{name}[{key!r}]" for key in x]
    return [f"{name}.{field}" for field in vars(x)]


def argument_names(subject: Subject) -> list[str]:
    """The parameters of the function, as far as they have names."""
    try:
        parameters = inspect.signature(subject.f).parameters.values()
    except (TypeError, ValueError):
        parameters = ()
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    names = [p.name for p in parameters if p.kind in kinds]
    count = len(subject.args)
    return [*names, *(f"args[{i}]" for i in range(len(names), count))][:count]


def without_derivatives(function: Function) -> Function:
    unexpanded = any(op.primitive is derivative_p for op in walk(function.region))
    return expand_derivatives(function) if unexpanded else function


# ----- The quantities of a program


def quantities(subject: Subject, rtol: float | None = None) -> list[Quantity]:
    """The value and, if the program asks for it, the gradient."""
    found = [value(subject)]
    if subject.argnums is not None and found[0].want.error is None:
        found.append(gradient(subject))
    return [replace(q, rtol=rtol) for q in found] if rtol is not None else found


def value(subject: Subject) -> Quantity:
    with globals_kept(subject):
        want = outcome(subject.f, subject.args)

    def label(i: int) -> str:
        if want.numbers is None:
            return ""
        result, args = want.tree
        size = numbers(result).size
        if i < size:
            return number_name(i, [("result", result)])
        return f"{number_name(i - size, zip(argument_names(subject), args))} after the call"

    return Quantity(
        name="value",
        oracle="plain Python",
        subject=subject,
        want=want,
        make=lambda **options: myia.jit(subject.f, **options),
        rtol=1e-4 if is_narrow(subject.args) else 1e-9,
        labels=label,
    )


def gradient(subject: Subject) -> Quantity:
    """Of `f` if it returns one float, else of a weighted sum of what it returns and changes."""
    loss, argnums = loss_of(subject), subject.argnums
    args = wide(subject.args)

    def at(x: np.ndarray):
        new = list(copy.deepcopy(args))
        for i, part in zip(argnums, like(tuple(args[i] for i in argnums), x)):
            new[i] = part
        with np.errstate(all="ignore"), globals_kept(subject):
            return loss(*new)

    point = vector(tuple(args[i] for i in argnums))
    names = argument_names(subject)
    active = [(names[i], args[i]) for i in argnums]
    directions, labels = _directions(point.size, active)
    try:
        slopes, trusted = differences(at, point, directions)
        want, trusted, here = slopes[:, 0], trusted[:, 0], abs(float(at(point)))
    except Exception:  # it raises nearby: there is nothing to compare with
        want, trusted, here = np.zeros(len(directions)), np.zeros(len(directions), bool), 0.0
    return Quantity(
        name="gradient",
        oracle="central differences",
        subject=subject,
        want=Outcome(want),
        make=lambda **options: myia.grad(loss, argnums, **options),
        rtol=1e-3 if is_narrow(subject.args) else 1e-5,
        labels=labels,
        floor=FLOOR * max(1.0, here),
        projection=lambda found: directions @ found,
        trusted=trusted,
        with_arguments=False,
    )


def _directions(size: int, trees: list[tuple[str, Any]]) -> tuple[np.ndarray, Callable[[int], str]]:
    if size <= MAX_DIFFERENCES:
        return np.eye(size), lambda i: number_name(i, trees)
    signs = np.random.default_rng(0).choice([-1.0, 1.0], size=(DIRECTIONS, size))
    return signs / np.sqrt(size), lambda i: f"along the random direction {i}"


def loss_of(subject: Subject) -> Callable:
    f, args = subject.f, copy.deepcopy(subject.args)
    with np.errstate(all="ignore"), globals_kept(subject):
        result = f(*args)
    changed = tuple(i for i, x in enumerate(subject.args) if not is_same(args[i], x))
    if is_float(result) and np.ndim(result) == 0 and not changed:
        return f
    weights = random_like((result, [args[i] for i in changed]), seed=1)

    def loss(*args):
        result = f(*args)
        return dot((result, [args[i] for i in changed]), weights)

    return loss
