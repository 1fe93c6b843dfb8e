"""Source-transformation automatic differentiation and compilation of plain Python and NumPy.

The public API: `jit`, `grad` and the other transforms take a Python function and return a compiled
one. The rooms, in data-flow order: `source`, `ir`, `primitives`, `rewriting`, `frontend` (Python to
IR), `infer` and `library` (types and shapes), `transforms` (derivatives), `passes`, `storage`
(residuals of adjoint loops), `backends`; `pipeline.py` composes them, `api` is the outside.
docs/architecture.md is the map.
"""

from myia import errors
from myia.api.annotations.bounded import bounded
from myia.api.annotations.checkpoint import checkpoint
from myia.api.annotations.custom import custom_jvp, custom_vjp
from myia.api.annotations.host import host
from myia.api.annotations.staged import staged
from myia.api.check_grads import check_grads
from myia.api.jvp_vjp import jvp, vjp
from myia.api.transforms import (
    elementwise_grad,
    grad,
    hessian,
    hvp,
    jacfwd,
    jacrev,
    jit,
    stop_gradient,
    value_and_grad,
)
from myia.errors import CompileWarning, InternalError, MyiaError, MyiaWarning, StateWarning

__version__ = "0.1.0"

__all__ = [
    "CompileWarning",
    "InternalError",
    "MyiaError",
    "MyiaWarning",
    "StateWarning",
    "__version__",
    "bounded",
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
    "staged",
    "stop_gradient",
    "value_and_grad",
    "vjp",
]
