"""The library: what compiled code may call of Python, NumPy, SciPy and JAX, registered by name.

    in:   a call of a library function on abstract values (`infer/registry.py` finds the handler)
    out:  IR that computes the result, and its abstract value

A function is defined in one way, the first of these that serves:

    table               a ufunc: a primitive or a formula (`numpy/ufuncs/ufunc_table.py`)
    NumPy source        the default: derivatives, run-time sizes and errors come free (`source/`)
    traced from JAX     JAX's function has exactly NumPy's semantics (`support/traced.py`)
    at compile time     its arguments are known at compile time (`numpy/compile_time.py`)
    handler             views, static arguments, mutation, dtype rules, speed: it emits IR

Handlers are marked with their way (`support/ways.py`); `docs/numpy.md` lists the functions of each.
What becomes of dynamic arrays is declared where a handler is registered
(`support/dynamic_variants.py`).

Read `support/` and `formulas/` first, then `numpy/`, `python/`, `scipy/`, `source/` and `guests/`.
Importing this package registers all of them, in any order.
"""

import importlib
import pkgutil

for _module in pkgutil.walk_packages(__path__, f"{__name__}."):
    importlib.import_module(_module.name)
