"""The program that is debugged: a function and its arguments, as source text.

    program.py                 a file that defines what is listed below
    zoo:loops.power_by_range   a program of tests/zoo/small_programs
    seed:17                    a program of the random tester, tests/fuzz
    kernel:lu                  a kernel of benchmarks/kernel_programs

The text defines
    f         the function; not needed if the text defines one public function only
    args      a tuple of its arguments
    argnums   optional: the arguments whose gradient is checked besides the value (an int, a tuple
              of ints, or "all" for all arguments that are made of floats)
    options   optional: a dict of options of `myia.jit` and `myia.grad`, such as {"memory": "64MB"}
"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from benchmarks.kernel_programs import KERNELS
from tests.fuzz.grammar.generator import Generator
from tests.fuzz.programs import ACTIVE, MODULES, define, random_arguments
from tests.zoo.small_programs import PROGRAMS
from tests.zoo.trees import differentiable


@dataclass(frozen=True)
class Subject:
    """`argnums`: the arguments whose gradient is checked; None: the value alone is checked."""

    f: Callable
    args: tuple
    argnums: tuple[int, ...] | None = None
    options: dict[str, Any] = field(default_factory=dict)


def subject_of(source: str, filename: str | None = None) -> Subject:
    """What the text defines. `filename`: the name of the file in the IR and in errors."""
    names = define(source, {}, filename)
    f = _function(names)
    if f is None or "args" not in names:
        raise ValueError(_what_to_add(names, f))
    args, argnums = names["args"], names.get("argnums")
    if not isinstance(args, tuple):
        raise ValueError("`args` is a tuple of the arguments, also if there is one: args = (x,)")
    if argnums == "all":
        argnums = tuple(i for i, x in enumerate(args) if differentiable(x)) or None
    elif isinstance(argnums, int):
        argnums = (argnums,)
    return Subject(f, args, argnums, names.get("options", {}))


def _function(names: dict[str, Any]) -> Callable | None:
    """`f`, or the only public function that the text defines."""
    functions = _public_functions(names)
    return names.get("f") or (functions[0] if len(functions) == 1 else None)


def _public_functions(names: dict[str, Any]) -> list[Callable]:
    module = names["__name__"]
    found = (x for name, x in names.items() if not name.startswith("_"))
    return [f for f in dict.fromkeys(filter(inspect.isfunction, found)) if f.__module__ == module]


def _what_to_add(names: dict[str, Any], f: Callable | None) -> str:
    """The message for a text without `f` or `args`: the lines to add, as an example."""
    functions = _public_functions(names)
    missing, lines = [], []
    if f is None:
        missing.append("which function is meant")
        lines.append(f"f = {functions[-1].__name__ if functions else 'smooth'}")
    if "args" not in names:
        missing.append("its arguments")
        f = f or next(reversed(functions), None)
        parameters = ", ".join(inspect.signature(f).parameters) if f else "x, n"
        lines.append(f"args = (...)  # a tuple, the values of: {parameters}")
    text = "".join(f"\n    {line}" for line in lines)
    return f"the program does not say {' and '.join(missing)}; add, for example:{text}"


# ----- The text of a program


def source_of(name: str, which: int = 0) -> str:
    """The text of the program `name`, on the `which`-th of its inputs."""
    family, _, rest = name.partition(":")
    if family in FAMILIES and rest:
        return FAMILIES[family](rest, which)
    sys.path.insert(0, str(Path(name).resolve().parent))  # for what the file imports
    return Path(name).read_text()


def filename_of(name: str) -> str:
    """The name of the file of the program `name`; programs by name have none."""
    family, _, rest = name.partition(":")
    return f"<{name}>" if family in FAMILIES and rest else str(Path(name).resolve())


def source_of_seed(seed: str, which: int) -> str:
    source = Generator(Random(int(seed))).program().source
    return with_arguments(source, int(seed), which)


def with_arguments(source: str, seed: int, which: int) -> str:
    """The text of a random program with its inputs."""
    rng = Random(seed)
    args = [random_arguments(rng) for _ in range(which + 1)][which]
    text = ", ".join(_literal(x) for x in args)
    used = [name for name in MODULES if re.search(rf"\b{name}\.", source)]
    head = "".join(f"import {name}\n" for name in used if name != "np")
    return (
        f"{head}\nimport numpy as np\n\n{source.strip()}\n\nargs = ({text})\nargnums = {ACTIVE}\n"
    )


def _literal(x: Any) -> str:
    return f"np.array({x.tolist()})" if isinstance(x, np.ndarray) else repr(x)


def source_of_zoo(name: str, which: int) -> str:
    """The module of the program, with its last lines."""
    found = next((p for p in PROGRAMS if p.name == name), None)
    if found is None:
        raise ValueError(f"no program of the zoo is named {name}")
    lines = (
        "from tests.zoo.small_programs.registry import ALL",
        f"f = {found.f.__name__}",
        "program = next(p for p in ALL if p.f is f)",
        f"args = [*program.inputs, *(args for args, _ in program.exact)][{which}]",
        'argnums = "all"',
    )
    return "\n".join([inspect.getsource(sys.modules[found.f.__module__]), *lines, ""])


def source_of_kernel(name: str, which: int) -> str:
    if name not in KERNELS:
        raise ValueError(f"no kernel is named {name}")
    lines = (
        "from benchmarks.kernel_programs import KERNELS",
        f"kernel = KERNELS[{name!r}]",
        f"size = kernel.tests[{which}]",
        "f = kernel.objective()",
        "args = (kernel.weights(size), *kernel.arguments(size))",
        "argnums = tuple(1 + i for i in kernel.active(args[1:]))",
    )
    return "\n".join([*lines, ""])


FAMILIES: dict[str, Callable[[str, int], str]] = {
    "zoo": source_of_zoo,
    "seed": source_of_seed,
    "kernel": source_of_kernel,
}
