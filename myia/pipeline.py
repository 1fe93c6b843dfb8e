"""The pipeline: all stages of the compiler, in order. No other module imports several of them.

source -> gast -> IR(py)      frontend.load
IR(py) -> typed IR            infer.eval.program.infer
then `STAGES`, each typed IR -> typed IR, in this order:
    prepare     passes before differentiation, which make the adjoint cheaper
    expand      derivative ops become adjoint code; loops and their adjoint loops (`rev`) stay ops
    optimize    passes while every primal value can still be recomputed
    storage     each `rev` gets a tape or online checkpointing: only ordinary loops are left
    finish      passes on the lowered program, with vectorization
typed IR -> executable        backends.xla (or backends.reference)

`passes/pipeline.py` says which passes the stages `prepare`, `optimize` and `finish` consist of.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from myia import library
from myia.backends.xla.devices import has_several_devices
from myia.backends.xla.executable import (
    Executable,
    Inlined,
    OtherAvals,
    Runnable,
    compile_function,
)
from myia.backends.xla.exporting import (
    Interface,
    executable_of,
    exported,
    exported_plain,
    interface_of,
)
from myia.backends.xla.modes import explain
from myia.backends.xla.packing import (
    Packing,
    Vectors,
    arguments_in_vectors,
    is_small,
    results_in_vectors,
)
from myia.backends.xla.shardings import CHOSEN_BY_JAX, Shardings, constrained
from myia.infer.boundary.integers import Choice
from myia.infer.boundary.signature import Flattener
from myia.infer.capacities import Site
from myia.infer.domain.context import Report
from myia.infer.eval.program import Program, infer, source_of
from myia.ir.core import Function, Op
from myia.ir.printer import to_text
from myia.ir.verifier import verify
from myia.primitives.core.platforms import ANY, OTHERS, default_platform, inferring_for
from myia.source import progress
from myia.source.diagnostics import InternalError, MyiaError
from myia.source.late import Late
from myia.source.process import compiling
from myia.storage import STRATEGIES, Limits, OverBudget, Plan

if TYPE_CHECKING:
    from myia.frontend import load as frontend
    from myia.passes import joined_scalars
    from myia.passes import pipeline as passes
    from myia.passes.phase import Pass
    from myia.storage import lower_rev, within_budget
    from myia.transforms import expand
else:  # with the first program that is compiled: one of the cache needs none of them
    frontend = Late("myia.frontend.load")
    joined_scalars = Late("myia.passes.joined_scalars")
    passes = Late("myia.passes.pipeline")
    lower_rev = Late("myia.storage.lower_rev")
    within_budget = Late("myia.storage.within_budget")
    expand = Late("myia.transforms.expand")

LIBRARY = library  # imported for the functions that it registers with `infer`


@dataclass(frozen=True)
class Options:
    """How a program is compiled.

    disable      passes to leave out
    verify       check the program after every stage and every pass; the default is False, unless
                 the environment has `MYIA_VERIFY=1`
    checkpoint   storage of reversed loops: "auto", "tape", "trail" (online checkpointing) or
                 "recompute"
    memory       bytes of temporaries that the executable may use, or None
    debug        an op that makes an infinity or NaN of finite numbers, or a subnormal number that
                 is taken for zero, is a run-time error
    exact        XLA must not combine operations of arithmetic (LLVM may: a product and a sum)
    under_a_trace  the program is called by a function that JAX compiles, so compiler options are
                 not ours
    platform     that of the device which runs it, or `ANY`; None: that of JAX's default device
    derivatives  how many derivatives of the program may be taken after its inference
    """

    disable: frozenset[str] = frozenset()
    verify: bool = field(default_factory=lambda: os.environ.get("MYIA_VERIFY") == "1")
    checkpoint: str = "auto"
    memory: int | None = None
    debug: bool = False
    exact: bool = False
    under_a_trace: bool = False
    platform: str | None = None
    derivatives: int = 0

    @property
    def target(self) -> str:
        """The platform for which passes are chosen."""
        return "cpu" if self.platform == ANY else self.platform or default_platform()

    @property
    def left_out(self) -> frozenset[str]:
        """The passes to leave out: loops whose storage the user plans stay loops."""
        plans = self.memory is not None or self.checkpoint != "auto"
        return self.disable | {"unroll_over_arrays"} if plans else self.disable


OF_THE_BACKEND = ("under_a_trace", "exact", "platform")

STAGES = ("prepare", "expand", "optimize", "storage", "finish")

# Told a stage, a pass, what it was given and what it returned.
Observer = Callable[[str, "Pass", Function, Function], None]


@dataclass(frozen=True)
class Compilation:
    """A typed program on its way through the stages.

    stage   the last stage of those that it has passed
    plan    how its loops are stored, from the stage `storage` on
    """

    function: Function
    options: Options = Options()
    stage: str = "typed"
    plan: Plan = field(default_factory=Plan)

    @compiling()
    def until(self, stage: str, observer: Observer | None = None) -> Compilation:
        """The program after a stage, which may be the present one."""
        now = self
        for now in self.stages(observer) if stage != self.stage else ():
            if now.stage == stage:
                break
        return now

    def stages(self, observer: Observer | None = None) -> Iterator[Compilation]:
        """The program after each stage to come; `observer` is told of every pass."""
        now, first = self, 1 + STAGES.index(self.stage) if self.stage in STAGES else 0
        known: set[Op] = set()  # those that the verifier has seen
        for stage in STAGES[first:]:
            now = now._after(stage, observer, known)
            if self.options.verify:
                verify(now.function, known=known)
            yield now

    def _after(self, stage: str, observer: Observer | None, known: set[Op]) -> Compilation:
        progress.stage(stage)
        if stage == "expand":
            return replace(self, function=expand.expand_derivatives(self.function), stage=stage)
        if stage == "storage":
            function, plan = self._with_storage()
            return replace(self, function=function, plan=plan, stage=stage)

        def apply(each: Pass, before: Function) -> Function:
            progress.stage(stage, each.name)
            after = each.function(before)
            if self.options.verify and after is not before:
                _verify_after(stage, each, after, known)
            if observer is not None:
                observer(stage, each, before, after)
            return after

        disable = self.options.left_out | passes.left_out(self.options.target)
        function = passes.optimize(self.function, stage, disable, apply)
        return replace(self, function=function, stage=stage)

    def _with_storage(self) -> tuple[Function, Plan]:
        limits = Limits(strategy=self.options.checkpoint)
        if self.options.memory is None:
            function, plans = lower_rev.lower_and_plan(self.function, limits)
            return function, Plan(plans)
        function, within = within_budget.lower_within(self.function, limits, self.options.memory)
        return function, Plan(within)


def _verify_after(stage: str, each: Pass, function: Function, known: set[Op]) -> None:
    try:
        verify(function, known=known)
    except InternalError as error:
        raise InternalError(f"the pass `{each.name}` of the stage `{stage}`: {error}") from error


def lowered(function: Function, options: Options = Options()) -> Function:
    """Typed IR that a backend can run."""
    return Compilation(function, options).until("finish").function


@compiling()
def typed_program(
    f: Any,
    positional: tuple[Any, ...],
    keywords: dict[str, Any],
    options: Options = Options(),
    flat: Flattener | None = None,
    report: Report | None = None,
    choose: Choice | None = None,
    capacities: Mapping[Site, int] | None = None,
) -> Program:
    """Typed IR of `f` at the signatures of its arguments; `flat`: what these were flattened by.

    The rest is that of `infer`.
    """
    progress.stage("inference")
    modes: dict[str, Any] = {"debug": options.debug, "report": report, "choose": choose}
    modes |= {"capacities": capacities, "derivatives": options.derivatives}
    with inferring_for(options.platform):
        program = infer(frontend.load, f, positional, keywords, flat, **modes)
    if options.verify:
        verify(program.function)
    return program


def with_vectors(function: Function, packing: Packing) -> tuple[Function, Packing]:
    """A program whose scalars travel in vectors, with vectors of its own where it can have them."""
    count = packing.given.count
    arguments = [v.positions for v in packing.given.vectors]
    arguments += [tuple(count + i for i in v.positions) for v in packing.hidden.vectors]
    results = [v.positions for v in packing.results.vectors]
    joined, of_arguments, of_results = joined_scalars.join_scalars(function, arguments, results)
    return joined, packing.joined(of_arguments, of_results) if of_arguments else packing


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
    shardings: Shardings = CHOSEN_BY_JAX,
) -> Compiled:
    """A typed program compiled, within the memory of the options.

    Within a budget outer loops are neither vectorized nor contracted: there is no room for the
    values of all their iterations.
    """
    if options.memory is not None:
        disable = options.disable | {"outer_loop", "outer_contraction"}
        options = replace(options, disable=disable)
    special: list[str] = []  # passes for some platforms that have changed the program

    def watch(stage: str, each: Pass, before: Function, after: Function) -> None:
        if each.on and after is not before:
            special.append(each.name)

    before_storage = Compilation(function, options).until("optimize", watch)

    def attempt(memory: int | None) -> Compiled:
        """`memory`: bytes for the storage of loops."""
        within = replace(options, memory=memory)
        last = replace(before_storage, options=within).until("finish", watch)
        elsewhere = None
        if special and (options.platform == ANY or has_several_devices()):
            others = Compilation(function, replace(within, platform=OTHERS))
            elsewhere = others.until("finish").function
        how: dict[str, Any] = {name: getattr(options, name) for name in OF_THE_BACKEND}
        how |= {"elsewhere": elsewhere, "shardings": shardings}
        executable = compile_function(last.function, donate, packing, **how)
        return Compiled(last.function, last.plan, executable)

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
            sizes: Any = found.executable.compile().stage.memory_analysis()
            used[found.plan] = sizes.temp_size_in_bytes
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


@compiling()
def describe(f: Any, function: Function, options: Options = Options()) -> dict[str, str]:
    """The text of every stage of `f`, by name; functions known by name have no `core` and `py`.

    `function`: its typed program.
    """
    source = source_of(f)
    texts = {}
    if source is not None:
        texts = {"core": frontend.core_text(source), "py": to_text(frontend.load(source))}
    texts["typed"] = to_text(function)
    stages = Compilation(function, options).stages()
    return texts | {now.stage: to_text(now.function) for now in stages}


@compiling()
def pass_results(function: Function, options: Options = Options()) -> dict[str, Function]:
    """What each run of a pass returned, by stage, pass and number: `finish.cse.1`."""
    results: dict[str, Function] = {}
    runs: Counter[str] = Counter()

    def note(stage: str, each: Pass, before: Function, after: Function) -> None:
        name = f"{stage}.{each.name}"
        runs[name] += 1
        results[f"{name}.{runs[name]}"] = after

    for _ in Compilation(function, options).stages(note):
        pass
    return results


def describe_pass(name: str, function: Function, options: Options = Options()) -> str:
    """The text of the program after a pass: `cse`, `finish.cse`, or `finish.cse.2`.

    If several of its runs have this name, it is the first of them.
    """
    results = pass_results(function, options)
    for run, after in results.items():
        if f".{name}." in f".{run}.":
            return to_text(after)
    known = dict.fromkeys(run.rpartition(".")[0] for run in results)
    raise KeyError(f"{name}: neither a stage nor a pass that ran: {', '.join(known)}")


__all__ = [
    "STRATEGIES",
    "Compilation",
    "Compiled",
    "Executable",
    "Inlined",
    "Interface",
    "Options",
    "OtherAvals",
    "Packing",
    "Plan",
    "Report",
    "Runnable",
    "Shardings",
    "Vectors",
    "arguments_in_vectors",
    "compiled",
    "constrained",
    "describe",
    "describe_pass",
    "executable_of",
    "explain",
    "exported",
    "exported_plain",
    "interface_of",
    "is_small",
    "lowered",
    "results_in_vectors",
    "typed_program",
    "with_vectors",
]
