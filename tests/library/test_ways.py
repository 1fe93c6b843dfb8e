"""Each function is defined in one way, whatever the order in which modules are imported."""

import importlib
import operator
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest

from myia.infer.registry import FUNCTIONS, METHODS, handler_of
from myia.library.formulas.lookup import COMPOSITIONS
from myia.library.support.ways import TRACED, WAYS, way_of


def test_every_handler_has_a_way():
    assert {way_of(handler) for handler in FUNCTIONS.values()} == set(WAYS)


@pytest.mark.parametrize("name", sorted(COMPOSITIONS))
def test_a_formula_of_jax_belongs_to_a_traced_function(name):
    package = ".".join(name.split(".")[:2]) if name.startswith("scipy") else "numpy"
    f = operator.attrgetter(name.removeprefix(f"{package}."))(importlib.import_module(package))
    assert way_of(handler_of(f)) == TRACED


# Methods whose arguments differ from those of the function.
OWN_METHODS = {"astype", "compress", "copy", "partition", "reshape", "sort", "transpose"}


def test_a_method_is_defined_as_the_function_of_its_name():
    for (kind, name), handler in METHODS.items():
        f = getattr(np, name, None)
        if kind == "array" and f in FUNCTIONS and name not in {*OWN_METHODS, "conj", "conjugate"}:
            assert handler is FUNCTIONS[f], name


TABLE = """
    import importlib, pkgutil, random, sys, types
    from pathlib import Path

    library = types.ModuleType("myia.library")  # its own imports are left out
    library.__path__ = [str(Path("myia/library").resolve())]
    sys.modules["myia.library"] = library
    from myia.infer.registry import DYNAMIC, FUNCTIONS, METHODS, PROPERTIES
    from myia.infer.registry import REGISTERED_ON_IMPORT

    names = [m.name for m in pkgutil.walk_packages(library.__path__, "myia.library.")]
    random.Random(int(sys.argv[1])).shuffle(names)
    for name in names:
        importlib.import_module(name)

    def described(handler):
        name = getattr(handler, "__qualname__", None) or handler.name
        variant = getattr(DYNAMIC.get(handler), "__qualname__", "")
        return f"{getattr(handler, '__module__', '')} {name} {variant}"

    for table in (FUNCTIONS, METHODS, PROPERTIES):
        rows = [f"{str(key).partition(' at 0x')[0]}: {described(h)}" for key, h in table.items()]
        print(*sorted(rows), sep="\\n")
    print({module: len(found) for module, found in sorted(REGISTERED_ON_IMPORT.items())})
"""


def table(seed: int) -> str:
    script = textwrap.dedent(TABLE)
    command = [sys.executable, "-c", script, str(seed)]
    root = Path(__file__).parents[2]
    return subprocess.run(command, cwd=root, capture_output=True, text=True, check=True).stdout


def test_registration_does_not_depend_on_the_order_of_imports():
    first = table(0)
    assert first.count("\n") > 900
    assert table(1) == first
