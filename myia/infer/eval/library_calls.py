"""Calls of libraries, in error messages: public names, what works instead, the user's line.

The source of a function in the standard library or in an installed package is compiled like the
user's. What is refused there is shown at the user's call, with the chain of calls below it.
"""

from __future__ import annotations

import builtins
import functools
import sys
import sysconfig
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NoReturn

from myia.infer.domain.context import Context
from myia.infer.unsupported import NUMPY_PAGE, PYTHON_PAGE, UnsupportedFunction
from myia.ir.builder import current_span
from myia.source.diagnostics import MyiaError
from myia.source.span import Span

IN_NUMPY_PAGE = f"for what compiles {NUMPY_PAGE}; or compute it outside and pass it in"
DRAW = "draw the numbers outside and pass them as an argument, or on the host: `myia.host`"
# By the beginning of a public name: what works instead.
HELP = {
    "numpy.random": DRAW,
    "random": DRAW,
    "scipy.stats": "`jax.scipy.stats` has densities that are compiled; " + IN_NUMPY_PAGE,
    "scipy.sparse": f"for what compiles {PYTHON_PAGE}; of other formats: `A.tocsr()`",
    "scipy.optimize": "call it outside, on a compiled `myia.value_and_grad(f)` with `jac=True`",
    "scipy.integrate": "write its steps or its sum as a loop, which compiles; or call it outside",
    "scipy.interpolate": "`np.interp` compiles, and so does a loop over coefficients from outside",
    "numpy": IN_NUMPY_PAGE,
    "scipy": IN_NUMPY_PAGE,
    "torch": "write it with NumPy: a tensor that is an argument is an array here",
    "pandas": "pass the numbers: `x.to_numpy()`",
    "numba": "give the Python function: `f.py_func`",
    "id": "compare objects by `is`",
    "vars": "name the attributes: `getattr(x, name)`, `setattr(x, name, v)`",
    "open": "read the file outside and pass its numbers, or read it on the host: `myia.host`",
}
OUTSIDE = "call it outside and pass its result in, or on the host: `myia.host(f, like=...)`"
# Modules whose functions are not compiled from their source: threads, processes, files, sockets.
OF_THE_SYSTEM: tuple[str, ...] = ("asyncio", "concurrent", "http", "multiprocessing", "pathlib")
OF_THE_SYSTEM += ("shutil", "socket", "subprocess", "tempfile", "threading", "urllib")
UFUNC_MODULES = ("numpy", "scipy.special")
RANDOM_LABEL = "compiled code does not draw from it"


def refuse(ctx: Context, f: Any) -> NoReturn:
    """An error for a callable without a handler or readable source."""
    name = name_of(f)
    label = RANDOM_LABEL if name.startswith(("numpy.random.", "random.")) else ""
    kind = "numba" if type(f).__module__.startswith("numba.") else name
    ctx.fail(
        UnsupportedFunction, what=f"`{name}`", label_text=label, help_text=help_for(kind) or OUTSIDE
    )


def help_for(name: str) -> str | None:
    """What works instead of a function of a library."""
    found = [prefix for prefix in HELP if f"{name}.".startswith(f"{prefix}.")]
    return HELP[max(found, key=len)] if found else None


def name_of(f: Any) -> str:
    """How a user calls a function: `numpy.sort`, by its public module."""
    module = getattr(f, "__module__", None) or ""
    name = getattr(f, "__qualname__", None) or getattr(f, "__name__", None) or repr(f)
    if module == "io" and vars(builtins).get(name) is f:  # `open`
        return name
    if type(f).__name__ == "ufunc":
        of = (m for m in UFUNC_MODULES if getattr(sys.modules.get(m), name, None) is f)
        return f"{next(of, 'numpy')}.{name}"
    owner = getattr(f, "__self__", None)
    if not module and owner is not None and not isinstance(owner, type):  # of an instance
        module = type(owner).__module__
    if module in ("", "builtins") or not isinstance(module, str):
        return name
    parts = module.removeprefix("_").split(".")
    last = name.rpartition(".")[2]
    for i in range(1, len(parts) + 1):
        public = ".".join(parts[:i])
        for wanted in (name, last):
            if _found(public, wanted) is f:
                return f"{public}.{wanted}"
    return ".".join([*(part for part in parts if not part.startswith("_")), name])


def _found(module: str, name: str) -> Any:
    """`module.name`, if that module is imported and has it; no code runs."""
    return vars(sys.modules[module]).get(name) if module in sys.modules else None


@functools.cache
def is_library(file: str) -> bool:
    """Is this a file of the standard library, or of an installed package?"""
    paths = sysconfig.get_paths()
    roots = {Path(paths[k]) for k in ("stdlib", "platstdlib", "purelib", "platlib")}
    return not roots.isdisjoint(Path(file).parents)


@contextmanager
def located_at_call(f: Any) -> Iterator[None]:
    """An error in the source of a library is shown at the call of `f`, if that is the user's."""
    try:
        yield
    except MyiaError as error:
        span, at = current_span(), error.diagnostic.span
        if span is not None and at is not None and _is_in_library(at, error):
            name = name_of(f)
            error.called_from(span, name, help_for(name) or OUTSIDE)
        raise


def _is_in_library(at: Span, error: MyiaError) -> bool:
    """Has no call been met yet that stands in the user's source?"""
    innermost = error.calls[-1].span if error.calls else at
    return is_library(innermost.file.name)
