"""Entries of the cache: a compiled program, without the ops that it consists of.

What it depends on are named facts; how it is called and what it returns is as in a saved program.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from myia.api.files.named_facts import named
from myia.api.files.save import results_json, vectors_json
from myia.artifacts.constants import Json, NotStorable, class_name, class_of
from myia.artifacts.recipe_forms import aval_json, aval_shape, kind_of, recipe_of
from myia.artifacts.saved_program import callable_of, deserialized, vectors_of
from myia.infer.boundary.arguments import Fact
from myia.infer.boundary.recipes import Recipe, form_of
from myia.infer.boundary.results import Cut
from myia.infer.domain.checks import Check
from myia.infer.eval.program import Program
from myia.ir.avals import Aval
from myia.ir.core import Function, Region, Value, walk
from myia.pipeline import Executable, Interface, Packing, executable_of, interface_of

NO_NAME = "it depends on what has no name in another process"
RUNS_AGAIN = "it warns, changes globals, or may run again"
EFFECTS = "it prints, or calls a function of the host"
NO_CLASS = "a class that has no name"


# ----- To JSON


def entry_json(program: Program, executable: Executable, target: Any) -> dict[str, Json]:
    """The manifest of a program. NotStorable: it has no form in a file, or depends on what has no
    name."""
    names = named(program.facts, target)
    if names is None:
        raise NotStorable(NO_NAME)
    if program.capacities or program.lost_state or program.assignments:
        raise NotStorable(RUNS_AGAIN)
    if any(op.primitive.effect for op in walk(executable.function.region)):
        raise NotStorable(EFFECTS)
    for recipe in (program.recipe, *(r for _, r in program.updates)):
        _check_classes(recipe)
    interface = interface_of(executable)
    return {
        "facts": names,
        "name": interface.function.name,
        "arguments": [aval_json(x.aval) for x in program.function.args],
        "results": [aval_json(x.aval) for x in program.function.results],
        "vectors": [*map(vectors_json, executable.vectors)],
        "alone": interface.alone,
        "donated": [*interface.donated],
        "options": interface.compiler_options,
        **results_json(program),
    }


def _check_classes(recipe: Recipe) -> None:
    """Are the classes in a recipe those that their names lead to?"""
    form = form_of(recipe)
    if form is None:
        return
    cls = form.fixed[0] if form.kind == "instance" else form.fixed
    has_class = form.kind in ("instance", "tuple") and isinstance(cls, type)
    if has_class and class_of(class_name(cls)) is not cls:
        raise NotStorable(NO_CLASS)
    if form.kind == "items":
        _check_template(form.fixed)
    for part in form.parts:
        _check_classes(part)


def _check_template(template: Any) -> None:
    if template.kind == "instance" or template.cls is not None:
        raise NotStorable(NO_CLASS)
    for item in template.items:
        _check_template(item)


# ----- From JSON


def program_of(told: dict[str, Json], facts: Sequence[Fact]) -> Program:
    """The program, with its facts here and now."""
    args, results = (
        [Value(Aval(*aval_shape(a))) for a in told[k]] for k in ("arguments", "results")
    )
    checks = [Check(RuntimeError, message) for _, message, _ in told["checks"]]
    return Program(
        Function(str(told["name"]), Region(tuple(args), (), tuple(results)), None),
        tuple(facts),
        tuple(map(kind_of, told["kinds"])),
        recipe_of(told["recipe"], is_own=True),
        tuple((i, recipe_of(r, is_own=True)) for i, r in told["updates"]),
        tuple(checks),
        {},
        (),
        cuts=tuple(Cut(i, tuple(lengths), None) for i, lengths in told["cuts"]),
        changed_in_copies=tuple(told.get("changed_in_copies", ())),
    )


def executable_in(told: dict[str, Json], blob: bytes, program: Program) -> Executable:
    """The executable of an entry, which is compiled by XLA when it is called first."""
    given, hidden, results = map(vectors_of, told["vectors"])
    packing = Packing(given, hidden, results)
    options, donated = dict(told["options"]), tuple(told["donated"])
    interface = Interface(program.function, packing, bool(told["alone"]), donated, options)
    exported = deserialized(blob)
    return executable_of(callable_of(exported), exported.platforms[0], None, interface)


def as_exported(executable: Executable, blob: bytes) -> Executable:
    """The same executable, made of its exported program: XLA is given what it will be given in
    another process, so that JAX's own cache knows it there."""
    program = callable_of(deserialized(blob))
    return executable_of(program, executable.platform, executable, interface_of(executable))
