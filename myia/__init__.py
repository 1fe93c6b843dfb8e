"""Source-transformation automatic differentiation and compilation of plain Python and NumPy.

The public API: `jit`, `grad` and the other transforms take a Python function and return a compiled
one. The rooms, from the ground up: `source`, `ir`, `primitives`, `rewriting`, `widening`,
`analysis`; the stages `frontend` (Python to IR), `infer` and `library` (types and shapes),
`transforms` (derivatives), `passes`, `storage` (residuals of adjoint loops), `backends`;
`pipeline.py` composes them, `artifacts` are programs in files, `api` is the outside.
docs/architecture.md is the map.

`import myia` reads the errors only; the compiler is read when the first of its functions is used.
"""

import importlib
from typing import TYPE_CHECKING, Any

from myia import errors
from myia.errors import (
    ArtifactError,
    CompileWarning,
    InternalError,
    MyiaError,
    MyiaWarning,
    StateWarning,
)
from myia.source.process import compiling

if TYPE_CHECKING:
    from myia.api.public import (
        bounded,
        cache,
        check_grads,
        checkpoint,
        custom_jvp,
        custom_vjp,
        elementwise_grad,
        grad,
        hessian,
        host,
        hvp,
        jacfwd,
        jacrev,
        jit,
        jvp,
        save,
        staged,
        stop_gradient,
        torch_function,
        value_and_grad,
        vjp,
        vmap,
    )
    from myia.artifacts.load import load

__version__ = "0.1.0"

__all__ = [
    "ArtifactError",
    "CompileWarning",
    "InternalError",
    "MyiaError",
    "MyiaWarning",
    "StateWarning",
    "__version__",
    "bounded",
    "cache",
    "check_grads",
    "checkpoint",
    "custom_jvp",
    "custom_vjp",
    "elementwise_grad",
    "errors",
    "grad",
    "hessian",
    "host",
    "hvp",
    "jacfwd",
    "jacrev",
    "jit",
    "jvp",
    "load",
    "save",
    "staged",
    "stop_gradient",
    "torch_function",
    "value_and_grad",
    "vjp",
    "vmap",
]


def __getattr__(name: str) -> Any:
    """A function of the API (PEP 562); with it all others are bound, and not asked for again."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if name == "load":  # which needs no compiler
        loader = importlib.import_module("myia.artifacts.load")
        globals()[name] = loader.load
        return loader.load
    with compiling():  # which pauses the garbage collector: what is read stays
        public = importlib.import_module("myia.api.public")
    globals().update({each: getattr(public, each) for each in public.__all__})
    return globals()[name]


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
