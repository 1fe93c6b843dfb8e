"""`docs/numpy.md` says what is supported of NumPy and SciPy; `--update-golden` writes it.

What it says is what the tables hold that other tests run: values in `numpy_cases` and the samples,
derivatives in `numpy_gradient_cases`, both of methods in `method_gradient_cases`.
"""

import sys
import types
import warnings
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from myia.infer.registry import METHODS, PROPERTIES, handler_of
from myia.library.numpy.refused import NUMERIC_REASONS, REASONS
from myia.library.support.ways import WAYS, way_of
from tests.library.samples import (
    from_source_samples,
    in_place_gradient_cases,
    linalg_gradient_cases,
    linalg_samples,
    method_gradient_cases,
    numpy_array_cases,
    scipy_samples,
)
from tests.library.samples.numpy_cases import CASES
from tests.library.samples.numpy_gradient_cases import GRADIENTS
from tests.library.samples.numpy_samples import VALUES
from tests.library.samples.numpy_tables import MODULES, WITHOUT_DERIVATIVE, reason_of

PAGE = Path(__file__).parents[2] / "docs" / "numpy.md"
assert (
    in_place_gradient_cases
    and linalg_gradient_cases
    and method_gradient_cases
    and numpy_array_cases
    and linalg_samples
    and scipy_samples
    and from_source_samples
)  # imported for the cases that they add

SUPPORTED = "supported with a gradient test"
NOT_DIFFERENTIABLE = "supported, not differentiable"
REFUSED = "refused"
HEAD = """# NumPy and SciPy

Every public function of `numpy`, `numpy.linalg`, `numpy.fft`, `scipy.special`, `scipy.linalg`,
`math` and `cmath` (of NumPy 2.4 and Python 3.11), and what becomes of it in compiled code (of
`scipy.signal` and `scipy.stats` some functions compile, too):

- **supported with a gradient test**: values and dtypes are compared with NumPy's; derivatives are
  compared with central differences, to second order, in both modes;
- **supported, not differentiable**: values and dtypes are compared with NumPy's; results are
  integers or truth values, piecewise constant, or known at compile time (of `schur`,
  `hessenberg`, `sqrtm` and `solve_sylvester` the derivative is refused);
- **refused**: with the reason.

How they are defined: by a **table** of ufuncs, by **NumPy source** that is compiled as a program's
own functions are, **traced from JAX**, **at compile time** by NumPy, by a **handler** that
emits code.

A result whose size is known only at run time (`numpy.nonzero`, `numpy.unique`, `x[mask]`) is
cut to this size where it leaves compiled code. Eigenvalues of matrices that are not symmetric
(`numpy.linalg.eig`, `numpy.roots`, `scipy.linalg.sqrtm`) are complex, also where all of them are
real. Of `numpy.random`, generators draw in compiled code:
see [python.md](python.md#random-numbers).
"""


def functions(module: types.ModuleType) -> dict[str, object]:
    """The public functions of a module, by name."""
    names = getattr(module, "__all__", None) or [n for n in dir(module) if not n.startswith("_")]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = {n: getattr(module, n) for n in sorted(set(names))}
    return {
        n: f
        for n, f in found.items()
        if callable(f) and not isinstance(f, (type, types.ModuleType)) and not n.startswith("test")
    }


TESTED_GRADIENTS = {label.split()[0] for label in GRADIENTS}


def names_of(module: str, name: str, f: object) -> set[str]:
    """The names under which the tables may know a function."""
    return {f"{module}.{name}", f"{module}.{getattr(f, '__name__', name)}"}


def status(module: str, name: str, f: object) -> str:
    if handler_of(f) is None or (module == "numpy" and name in REASONS):
        return REFUSED
    if names_of(module, name, f) & TESTED_GRADIENTS:
        return SUPPORTED
    return NOT_DIFFERENTIABLE


def section(module: types.ModuleType) -> str:
    name = module.__name__
    rows = {n: status(name, n, f) for n, f in functions(module).items()}
    ways = {n: way_of(handler_of(f)) for n, f in functions(module).items()}
    return f"\n## `{name}`\n" + listed(rows, ways, lambda n: reason_of(name, n))


def listed(rows: dict[str, str], ways: dict[str, str], reason) -> str:
    text = ""
    for wanted in (SUPPORTED, NOT_DIFFERENTIABLE):
        supported: dict[str, list[str]] = {way: [] for way in WAYS}
        for n, found in rows.items():
            if found == wanted:
                supported[ways[n]].append(f"`{n}`")
        text += f"\n{wanted.capitalize()} ({sum(map(len, supported.values()))}):\n\n"
        text += "".join(f"- {way}: {', '.join(ns)}\n" for way, ns in supported.items() if ns)
    refused: dict[str, list[str]] = {}
    for n, found in rows.items():
        if found == REFUSED:
            refused.setdefault(reason(n), []).append(f"`{n}`")
    if refused:
        text += f"\nRefused ({sum(map(len, refused.values()))}):\n\n"
        text += "".join(f"- {why}: {', '.join(names)}\n" for why, names in refused.items())
    return text


def summary() -> str:
    text = "\n| | gradient test | not differentiable | refused |\n|---|---|---|---|\n"
    for module in MODULES:
        found = Counter(status(module.__name__, n, f) for n, f in functions(module).items())
        counts = " | ".join(str(found[s]) for s in (SUPPORTED, NOT_DIFFERENTIABLE, REFUSED))
        text += f"| `{module.__name__}` | {counts} |\n"
    text += (
        f"\nOf the functions of `numpy` that compute with numbers, {share():.1%} are supported.\n"
    )
    return text


def share() -> float:
    """Files, text, dates and the like do not compute with numbers."""
    rows = {n: status("numpy", n, f) for n, f in functions(np).items()}
    numeric = [n for n in rows if n not in REASONS or REASONS[n] in NUMERIC_REASONS]
    return sum(rows[n] != REFUSED for n in numeric) / len(numeric)


def methods() -> str:
    """Attributes and methods of arrays."""
    names = [n for n in dir(np.ndarray) if not n.startswith("_")]
    ours = {n for kind, n in (*METHODS, *PROPERTIES) if kind == "array"}
    rows = {n: array_status(n) if n in ours else REFUSED for n in names}
    found = {n: METHODS.get(("array", n)) or PROPERTIES.get(("array", n)) for n in names}
    ways = {n: way_of(handler) for n, handler in found.items()}
    return "\n## Methods and attributes of arrays\n" + listed(
        rows, ways, lambda n: reason_of("numpy.ndarray", n)
    )


def array_status(name: str) -> str:
    """A test of the function of that name is none of the method, whose arguments may differ."""
    return SUPPORTED if f"numpy.ndarray.{name}" in TESTED_GRADIENTS else NOT_DIFFERENTIABLE


def page() -> str:
    return HEAD + summary() + "".join(map(section, MODULES)) + methods()


@pytest.mark.skipif(
    (sys.version_info[:2], np.__version__[:3]) != ((3, 11), "2.4"),
    reason="the page lists the functions of Python 3.11 and NumPy 2.4",
)
def test_page(request):
    if request.config.getoption("--update-golden"):
        PAGE.write_text(page())
    assert PAGE.read_text() == page()


def test_at_least_95_percent_of_numeric_functions_are_supported():
    assert share() >= 0.95


def supported() -> list[tuple[str, str, object]]:
    return [
        (module.__name__, n, f)
        for module in MODULES
        for n, f in functions(module).items()
        if status(module.__name__, n, f) != REFUSED
    ]


def test_every_supported_function_is_compared_with_numpy():
    tested = {*VALUES, *(f"numpy.{n}" for n in CASES), *TESTED_GRADIENTS}
    missing = [f"{m}.{n}" for m, n, f in supported() if m not in ("math", "cmath")]
    missing = [n for n in missing if not names_of(*n.rpartition(".")[::2], _object(n)) & tested]
    assert missing == []


def _object(name: str) -> object:
    module, _, last = name.rpartition(".")
    return next(functions(m)[last] for m in MODULES if m.__name__ == module)


def test_what_has_no_gradient_test_is_listed():
    found = {f"{m}.{n}" for m, n, f in supported() if not names_of(m, n, f) & TESTED_GRADIENTS}
    assert found == WITHOUT_DERIVATIVE
