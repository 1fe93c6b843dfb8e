"""The kernels as users of JAX write them, twice: `REWRITTEN` and `BEST`, by name.

Each takes the arguments of the kernel of its name and returns what that writes and returns.

`REWRITTEN` has each kernel loop by loop, as an ordinary user rewrites it: see `rewritten/`. `BEST`
has a better version in JAX where there is one (`best/`: a matrix product replaces three loops), and
else the same function. Files have the names of those of
`kernel_programs`.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable

from benchmarks.kernel_programs import FAMILIES, KERNELS


def _versions(folder: str) -> dict[str, Callable]:
    """The functions in the folder's files that are named as a kernel is."""
    families = [family.__name__.rpartition(".")[2] for family in FAMILIES]
    files = [importlib.import_module(f"{__name__}.{folder}.{name}") for name in families]
    return {name: found for file in files for name, found in vars(file).items() if name in KERNELS}


REWRITTEN = _versions("rewritten")
BEST = REWRITTEN | _versions("best")

__all__ = ["BEST", "REWRITTEN"]
