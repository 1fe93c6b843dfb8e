"""The pipeline: all stages of the compiler, in order. No other module imports several of them.

source -> gast -> IR(py)      frontend.load
IR(py) -> typed IR            infer.program.infer
then the list `STAGES`, each typed IR -> typed IR, in this order:
    prepare     passes before differentiation, which make the adjoint cheaper
    expand      derivative ops become adjoint code; loops and their adjoint loops (`rev`) stay ops
    optimize    passes while every primal value can still be recomputed
    storage     each `rev` gets a tape or online checkpointing: only ordinary loops are left
    finish      passes on the lowered program, with vectorization
typed IR -> executable        backends.xla (or backends.reference)
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

from myia import library
from myia.backends.xla.executable import Executable, OtherAvals, compile_function
from myia.backends.xla.modes import explain
from myia.backends.xla.scalar_packing import Packing
from myia.frontend.load import core_text, load
from myia.infer.boundary.integers import Choice
from myia.infer.boundary.signature import Flattener
from myia.infer.domain.context import Report
from myia.infer.eval.program import Program, infer, source_of
from myia.ir.core import Function
from myia.ir.printer import to_text
from myia.ir.verifier import verify
from myia.passes.pipeline import EARLY_PASSES, LATE_PASSES, optimize
from myia.source.diagnostics import InternalError, MyiaError
from myia.source.process import compiling
from myia.storage import STRATEGIES, Limits, OverBudget, Plan, lower_and_plan, lower_within
from myia.transforms.expand import expand_derivatives

LIBRARY = library  # imported for the functions that it registers with `infer`


@dataclass(frozen=True)
class Options:
    """How a program is compiled.

    disable      passes to leave out
    verify       check every stage
    checkpoint   storage of reversed loops: "auto", "tape", "trail" (online checkpointing) or
                 "recompute"
    memory       bytes of temporaries that the executable may use, or None
    debug        an op that makes an infinity or NaN of finite numbers is a run-time error
    exact        XLA must not combine operations of arithmetic
    under_a_trace  the program is called by a function that JAX compiles, so compiler options are
                 not ours
    transformed  JAX applies `vmap` or derivatives of its own to the program
    """

    disable: frozenset[str] = frozenset()
    verify: bool = False
    checkpoint: str = "auto"
    memory: int | None = None
    debug: bool = False
    exact: bool = False
    under_a_trace: bool = False
    transformed: bool = False


Stage = Callable[[Function, Options], Function]

STAGES: dict[str, Stage] = {
    "prepare": lambda f, options: optimize(f, options.disable, EARLY_PASSES),
    "expand": lambda f, options: expand_derivatives(f),
    "optimize": lambda f, options: optimize(f, options.disable),
    "storage": lambda f, options: stored(f, options)[0],
    "finish": lambda f, options: optimize(f, options.disable, LATE_PASSES),
}


def stored(function: Function, options: Options) -> tuple[Function, Plan]:
    """The program with storage for its reversed loops, and the plan of that storage."""
    limits = Limits(strategy=options.checkpoint)
    if options.memory is None:
        lowered, plans = lower_and_plan(function, limits)
    else:
        lowered, plans = lower_within(function, limits, options.memory)
    return lowered, Plan(plans)


@compiling()
def planned(function: Function, options: Options = Options()) -> Plan:
    """The storage plan of a typed program."""
    return stored(_before_storage(function, options), options)[1]


@compiling()
def _before_storage(function: Function, options: Options) -> Function:
    for name, after in stages(function, options):
        function = after
        if name == "optimize":
            return function
    raise InternalError("no stage comes before storage")


@compiling()
def _from_storage_on(function: Function, options: Options) -> tuple[Function, Plan]:
    with_storage, plan = stored(function, options)
    finished = STAGES["finish"](with_storage, options)
    if options.verify:
        verify(with_storage)
        verify(finished)
    return finished, plan


@compiling()
def typed_program(
    f: Any,
    positional: tuple[Any, ...],
    keywords: dict[str, Any],
    options: Options = Options(),
    flat: Flattener | None = None,
    report: Report | None = None,
    choose: Choice | None = None,
) -> Program:
    """Typed IR of `f` at the signatures of its arguments; `flat`: what these were flattened by."""
    modes = {"debug": options.debug, "report": report, "choose": choose}
    program = infer(load, f, positional, keywords, flat, **modes)
    if options.verify:
        verify(program.function)
    return program


@compiling()
def lowered(function: Function, options: Options = Options()) -> Function:
    """Typed IR that a backend can run."""
    for _, after in stages(function, options):
        function = after
    return function


def stages(function: Function, options: Options = Options()) -> Iterable[tuple[str, Function]]:
    """The program after each stage, by the stage's name."""
    for name, run in STAGES.items():
        function = run(function, options)
        if options.verify:
            verify(function)
        yield name, function


@dataclass(frozen=True)
class Compiled:
    """A lowered program, the plan of its storage, and its executable."""

    function: Function
    plan: Plan
    executable: Executable


def compiled(
    function: Function,
    donate: tuple[int, ...] = (),
    packing: Packing | None = None,
    options: Options = Options(),
) -> Compiled:
    """A typed program compiled, within the memory of the options.

    Within a budget outer loops are not vectorized: there is no room for the values of all their
    iterations.
    """
    if options.memory is not None:
        options = replace(options, disable=options.disable | {"outer_loop"})
    function = _before_storage(function, options)

    def attempt(memory: int | None) -> Compiled:
        """`memory`: bytes for the storage of loops."""
        lowered, plan = _from_storage_on(function, replace(options, memory=memory))
        how = {name: getattr(options, name) for name in ("under_a_trace", "transformed", "exact")}
        executable = compile_function(lowered, donate, packing, **how)
        return Compiled(lowered, plan, executable)

    return attempt(None) if options.memory is None else _within(options.memory, attempt)


def _within(budget: int, attempt: Callable[[int | None], Compiled]) -> Compiled:
    """The first attempt whose temporaries fit into the budget.

    How many temporaries a program needs beside its storage is known only when XLA has compiled it.
    So each attempt lowers the bytes for storage by the excess of the last one. The last two
    attempts have the least storage, and storage without a budget (a short tape may take less than a
    program that replays). They do not depend on the budget, so the least number of bytes that the
    error names always suffices.
    """
    used: dict[Plan, int] = {}

    def fits(found: Compiled) -> bool:
        if found.plan not in used:
            used[found.plan] = found.executable.memory_analysis().temp_size_in_bytes
        return used[found.plan] <= budget

    found = attempt(budget)
    # A plan that comes again would give the same excess.
    while found.plan not in used:
        if fits(found):
            return found
        found = attempt(max(0, found.plan.bytes - (used[found.plan] - budget)))
    last = [attempt(0), attempt(None)]
    for found in last:
        if fits(found):
            return found
    raise MyiaError(OverBudget(None, budget, min(used[found.plan] for found in last)))


def describe(f: Any, program: Program, options: Options = Options()) -> dict[str, str]:
    """The text of every stage, by name; functions known by name have neither `core` nor `py`."""
    source = source_of(f)
    texts = {}
    if source is not None:
        texts = {"core": core_text(source), "py": to_text(load(source))}
    texts["typed"] = to_text(program.function)
    texts |= {name: to_text(function) for name, function in stages(program.function, options)}
    return texts


__all__ = [
    "STRATEGIES",
    "Compiled",
    "Executable",
    "Options",
    "OtherAvals",
    "Packing",
    "Plan",
    "Report",
    "compiled",
    "describe",
    "explain",
    "lowered",
    "planned",
    "stages",
    "typed_program",
]
