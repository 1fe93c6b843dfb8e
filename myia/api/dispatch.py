"""Dispatch: from a Python call to the executable for its signature.

A call is flattened into a signature and leaves (`infer/boundary/signature.py`). Programs are cached
by signature, and by the answers to the questions that they ask of Python (`decision_tree.py`).
"""

from __future__ import annotations

import functools
import itertools
import logging
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from myia.api.calls.shortcuts import MISSED, Shortcuts, types_of
from myia.api.capacities import GrownCapacities, Outgrown, refuse_capacities, with_held_effects
from myia.api.failed_checks import BeyondInt64, ChecksOfAnEntry, FailedChecks
from myia.api.files.cache import Entry, active, key_of
from myia.api.options import CompileOptions
from myia.api.pickling import Wrapper
from myia.api.programs.decision_tree import DecisionTree, Found
from myia.api.programs.learned_integers import LearnedIntegers, Recorded
from myia.api.programs.lost_state_warning import warn_of_lost_state
from myia.api.programs.recompilation import Recompilation, parameter_names
from myia.api.programs.shardings import as_given
from myia.api.programs.write_back import WriteBack
from myia.api.under_jax.calls import CANNOT_CHECK, compiled_under_jax
from myia.api.under_jax.programs import MOST_DERIVATIVES
from myia.api.variant import Call, Layout, Programs, Variant
from myia.backends.xla.devices import has_several_devices
from myia.infer.boundary.integers import Choice, Path
from myia.infer.boundary.signature import CallFlattener, Flattener
from myia.infer.domain.errors import DynamicSizeEscapes
from myia.infer.domain.facts import Place
from myia.infer.eval.program import Program
from myia.pipeline import (
    Compilation,
    Compiled,
    OtherAvals,
    Plan,
    Report,
    compiled,
    is_small,
    typed_program,
)
from myia.primitives.core.platforms import ANY, has_several_platforms, target_of
from myia.source.diagnostics import MyiaError
from myia.source.process import Lock
from myia.source.progress import compilation_of
from myia.storage.model.plan import loops_over_examples

LOG = logging.getLogger("myia")  # told of every compilation, at the level INFO
LOG.addHandler(logging.NullHandler())

CHANGING_GLOBALS = "globals that the program reads change type while it is compiled"
AS_AN_ARGUMENT = "for the sake of an int that may be known"
UNDER_JAX = "inside a transform of JAX (`jax.jit`, `jax.vmap`, `jax.grad`)"
ATTEMPTS = 8  # programs compiled for one call, if other threads change the globals that it reads


class Dispatcher:
    """The programs of one callable. `target` is what the inferer calls."""

    def __init__(self, target: Any, options: CompileOptions, name: str = "a function"):
        self.target, self.options, self.name = target, options, name
        self.programs: dict[Any, Programs] = {}  # by the signature of the call
        self.shortcuts = Shortcuts(self.run)
        self.integers = LearnedIntegers([("argument", i) for i in options.static_argnums])
        self.recompilation = Recompilation(getattr(target, "f", target))
        self.lock = Lock()
        self.by_platform: dict[str, Dispatcher] = {}
        self._static_ints: Dispatcher | None = None
        self.capacities = GrownCapacities(options.pipeline.memory)

    # ----- Platforms

    def of_call(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Dispatcher:
        """The programs for the platform of the arguments, where there are devices of several."""
        if not has_several_platforms() or self.options.pipeline.platform is not None:
            return self
        flat = CallFlattener()
        signatures(flat, args, kwargs)
        return self.of_platform(target_of(flat.leaves))

    def of_platform(self, platform: str) -> Dispatcher:
        """The programs for a platform, which only this one finds."""
        with self.lock:
            found = self.by_platform.get(platform)
            if found is None:
                pipeline = replace(self.options.pipeline, platform=platform)
                options = replace(self.options, pipeline=pipeline)
                found = self.by_platform[platform] = Dispatcher(self.target, options, self.name)
                found.recompilation = self.recompilation
            return found

    # ----- Calls

    def run(
        self, args: tuple[Any, ...], kwargs: dict[str, Any], used: set[Variant] | None = None
    ) -> Any:
        """The result of a call; `used`: the programs that calls have used, with its own."""
        while True:
            try:
                return self._run(args, kwargs, used)
            except Outgrown as outgrown:
                with self.lock:
                    self.capacities.grow(outgrown)
            except BeyondInt64 as limit:
                try:
                    return self.with_static_ints().run(args, kwargs, used)
                except MyiaError:  # told of this form alone
                    raise limit.error from None

    def with_static_ints(self) -> Dispatcher:
        """The programs in which no int is an argument, which only this one finds."""
        with self.lock:
            if self._static_ints is None:
                self._static_ints = Dispatcher(self.target, self.options, self.name)
                self._static_ints.recompilation = self.recompilation
                self._static_ints.integers.are_static = True
            return self._static_ints

    def _run(self, args: tuple[Any, ...], kwargs: dict[str, Any], used: set[Variant] | None) -> Any:
        if used is None and self.shortcuts.owner.install is None:
            try:
                result = self.shortcuts.others(types_of(args, kwargs), args, kwargs)
                if result is not MISSED:
                    return result
            except OtherAvals:
                self.shortcuts.other_avals(args, kwargs)
        if has_several_platforms() and (here := self.of_call(args, kwargs)) is not self:
            return here.run(args, kwargs, used)
        flat = CallFlattener()
        programs = self.programs.get(signatures(flat, args, kwargs))
        if programs is not None:
            static, found = programs.find(flat)
            if found is not None:
                if used is not None:
                    used.add(found.variant)
                else:
                    self.shortcuts.add(args, kwargs, programs, static)
                return found.variant.run(flat.leaves, flat, found.hidden)
        with compilation_of(self.name):
            call, (variant, hidden) = self.find(args, kwargs)
            if used is not None:
                used.add(variant)
            with self._logged("first run, with XLA's compilation,"):
                return variant.run(call.flat.leaves, call.flat, hidden)

    def bind(
        self,
        given: tuple[Any, ...],
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        own: Shortcuts,
        places: Sequence[Place],
    ) -> None:
        """Calls with `given` and arguments like these have a shortcut among those of a function of
        its `own`, which does not pass what is given, while `places` are as they are."""
        flat = CallFlattener()
        programs = self.programs.get(signatures(flat, (*given, *args), kwargs))
        if programs is None:
            return
        static, found = programs.find(flat)
        if found is not None:
            own.bind(args, kwargs, programs, static, held=given, places=places)

    def find(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[Call, Found[Variant]]:
        """The program of a call, compiled unless there is one; it is not run."""
        for _ in range(ATTEMPTS):
            call, tree = self.compile(args, kwargs)
            if (found := tree.find(call.flat)) is not None:
                return call, found
        raise RuntimeError(CHANGING_GLOBALS)

    def state(self, f: Any, args: tuple[Any, ...]) -> tuple[Variant, list[Any], list[Any]] | None:
        """The program of a call with `f`, the numbers in what it reads besides `args`, all objects.

        The program stands for the other objects that it reads. None: there is none.
        """
        here = self.of_call((f, *args), {}) if has_several_platforms() else self
        of_f, flat = CallFlattener(), CallFlattener()
        signatures(of_f, (f,), {})
        programs = here.programs.get(signatures(flat, (f, *args), {}))
        found = programs.find(flat)[1] if programs is not None else None
        read = itertools.chain(of_f.leaves, *(found.hidden if found is not None else ()))
        return found and (found.variant, [*read], flat.objects)

    def flatten(
        self, args: tuple[Any, ...], kwargs: dict[str, Any], choose: Choice | None = None
    ) -> Call:
        """A call, taken apart. `choose`: which ints are arguments, if not as in earlier calls."""
        flat = CallFlattener()
        key = signatures(flat, args, kwargs)
        programs = self.programs.get(key)
        if programs is None or choose is not None:
            functions = int(getattr(type(self.target), "takes_function", False))
            choose = choose or self.integers.known(key)
            programs = Programs(key, flat.leaves, choose, functions)
        return programs.call(flat, args, kwargs)

    # ----- Compilation

    def compile(
        self, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[Call, DecisionTree[Variant]]:
        """The programs of such calls, with a new one unless one fits.

        An int that keeps changing becomes an argument of it, if possible.
        """
        with self.lock, compilation_of(self.name):
            # Another thread may have compiled it meanwhile, or made its int an argument.
            call = self.flatten(args, kwargs)
            tree = call.programs.trees.get(call.integers)
            if tree is not None and tree.fits(call.flat):
                return call, tree

            def attempt(choose: Choice) -> tuple[Call, Variant]:
                call = self.flatten(args, kwargs, choose)
                return call, self._compiled(call, choose)

            found = self.integers.compile(call.programs.key, attempt)
            return self._registered(*found)

    def _registered(self, call: Call, variant: Variant) -> tuple[Call, DecisionTree[Variant]]:
        """The call, with its program among those that later calls find."""
        programs = self.programs.get(call.programs.key)
        if programs is None or programs.arguments != call.programs.arguments:
            # A new object, not a changed one: calls in other threads read it without the lock.
            programs = self.programs[call.programs.key] = call.programs
        tree = programs.trees.setdefault(call.integers, DecisionTree())
        tree.add(variant)
        self.capacities.add(variant.program, tree)
        self.recompilation.compiled(call.positional, call.keywords, variant.facts)
        warn_of_lost_state(variant.program.lost_state)
        return call._replace(programs=programs), tree

    def program(self, call: Call, choose: Choice | None = None) -> Program:
        """The typed program of a call; `choose` as for `flatten`."""
        infer = functools.partial(
            typed_program,
            self.target,
            call.positional,
            call.keywords,
            flat=call.flat,
            choose=choose or self.integers.known(call.programs.key),
            capacities=self.capacities.sizes,
        )
        options = self.options.pipeline
        traced = replace(options, platform=ANY, derivatives=MOST_DERIVATIVES)
        under_jax = any(leaf.is_tracer for leaf in call.leaves)
        program = infer(options=traced if under_jax else options)
        if not under_jax and program.reads_tracers:
            under_jax, program = True, infer(options=traced)
        is_jax = call.is_jax or under_jax
        keeps_checks = self.options.check or not is_jax or program.capacities
        return program if keeps_checks else program.unchecked()

    def _reporting(
        self, positional: tuple[Any, ...], keywords: dict[str, Any], choose: Choice, report: Report
    ) -> Program:
        """The program of a call, which reports the run-time values of one of its checks."""
        options = self.options.pipeline
        return typed_program(
            self.target,
            positional,
            keywords,
            options,
            report=report,
            choose=choose,
            capacities=self.capacities.sizes,
        )

    def plan(self, call: Call) -> Plan:
        """The storage plan of the program of a call."""
        tree = call.programs.trees.get(call.integers)
        known = tree is not None and tree.fits(call.flat)
        if not known and self.options.pipeline.memory is None:
            program = self.program(call)
            typed = Compilation(Layout(call, program).function, self.options.pipeline)
            has_batches = any(loops_over_examples(typed.function))
            compilation = typed.until("finish" if has_batches else "storage")
            plan = compilation.plan.with_notes(loops_over_examples(compilation.function))
        else:  # a budget needs XLA's figures
            found = self.find(call.args, call.kwargs)[1].variant
            program, plan = found.program, found.plan
        return plan.with_notes(str(capacity) for capacity, _ in program.capacities)

    @contextmanager
    def _logged(self, what: str) -> Iterator[None]:
        started = time.perf_counter()
        yield
        LOG.info("%s: %s took %.2f s", self.name, what, time.perf_counter() - started)

    def _compiled(self, call: Call, choose: Choice) -> Variant:
        LOG.info("%s: compiling program %d", self.name, self.recompilation.count + 1)
        with self._logged("inference and lowering"):
            return self._variant(call, choose)

    def _variant(self, call: Call, choose: Choice) -> Variant:
        """The program of a call: of the cache, or compiled, and then in the cache."""
        kept = active()
        key = None if kept is None else key_of(self.target, self.options, call)
        if kept is None or key is None or not self._is_kept:
            return self._compiled_variant(call, choose)
        found = kept.find(key, self.target, call)
        if found is not None:
            return self._kept_variant(call, found)
        variant = self._compiled_variant(call, choose)
        if not variant.has_effects:
            executable = kept.store(key, self.target, variant.program, variant.executable)
            variant.executable = executable or variant.executable
        return variant

    @property
    def _is_kept(self) -> bool:
        """May programs be in the cache? There they are exported for one device."""
        return self.options.pipeline.memory is None and not has_several_devices()

    def _kept_variant(self, call: Call, entry: Entry) -> Variant:
        """A program of the cache. Of its call nothing is kept but the signatures."""
        LOG.info("%s: a program of the cache", self.name)
        program, executable = entry.program, entry.executable
        takes_ints = bool(call.programs.arguments or entry.arguments)
        bare = call._replace(args=(), kwargs={}, flat=CallFlattener())

        def chosen(path: Path, value: int) -> bool:
            return path in entry.arguments

        def checks() -> FailedChecks:
            found = self.program(bare, chosen)
            report = functools.partial(self._reporting, call.positional, call.keywords, chosen)
            return FailedChecks(found, report, bool(executable.donated), takes_ints)

        failures = ChecksOfAnEntry([check.message for check in program.checks], checks)
        layout = Layout(call, program, joins=False)
        found = Compiled(program.function, Plan(), executable)
        variant = Variant(program, found, layout, failures, self._write_back(call, program))
        variant.anew = lambda: self._compiled_variant(bare, chosen)
        return variant

    def _compiled_variant(self, call: Call, choose: Choice) -> Variant:
        choose = Recorded(choose)
        program, effects = with_held_effects(self.program(call, choose))
        layout = Layout(call, program, has_shardings=self.options.has_shardings)
        takes_ints = bool(call.programs.arguments or choose.arguments)
        if takes_ints and any(capacity.of_int for capacity, _ in program.capacities):
            refuse_capacities(program, AS_AN_ARGUMENT)  # it is a compile-time value then
        if layout.under_jax:
            refuse_capacities(program, UNDER_JAX)
            for cut in program.cuts:
                raise MyiaError(DynamicSizeEscapes(cut.span))
            if program.checks:
                raise TypeError(CANNOT_CHECK)
        write_back = self._write_back(call, program)
        donated = donate = call.donated(self.options.donate_argnums)
        if write_back is not None and not layout.under_jax:
            donate = (*dict.fromkeys((*donated, *write_back.donated)),)
        if not layout.device:  # no result takes over the memory of a small array: it is packed
            args = program.function.args
            donate = tuple(i for i in donate if not is_small(args[i].aval))
        if program.capacities:  # another run may need the arguments
            donated = donate = ()
        LOG.debug("%s: arguments %s", self.name, [str(x.aval) for x in program.function.args])
        with self.capacities.limited(program):
            options = self.options.pipeline
            given = self.options.in_shardings, self.options.out_shardings
            placed = as_given(*given, call.positional, call.keywords, program)
            if layout.under_jax:
                found = compiled_under_jax(program.function, options, placed)
            else:
                found = compiled(layout.function, donate, layout.packing, options, placed)
        report = functools.partial(
            self._reporting, call.positional, call.keywords, choose.as_before
        )
        failures = FailedChecks(program, report, bool(donated), takes_ints)
        return Variant(program, found, layout, failures, write_back, effects)

    def _write_back(self, call: Call, program: Program) -> WriteBack | None:
        """What the program writes into objects of the caller, or copies of them; None: nothing."""
        if not (program.updates or program.assignments or program.changed_in_copies):
            return None
        return WriteBack(program, call.positional, call.keywords, self.names(call))

    def names(self, call: Call) -> list[str]:
        """Those of the positional arguments."""
        f = self.target.f if isinstance(self.target, Wrapper) else self.target
        return [*parameter_names(f, len(call.positional))]


def signatures(flat: Flattener, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The key of a call; its leaves and objects go to `flat`."""
    positional = tuple(map(flat.add, args))
    keywords = tuple([(k, flat.add(x)) for k, x in kwargs.items()]) if kwargs else ()
    return positional, keywords
