"""Source-transformation automatic differentiation and compilation of plain Python and NumPy."""

from myia.api.bounded import bounded
from myia.api.check_grads import check_grads
from myia.api.checkpoint import checkpoint
from myia.api.custom import custom_jvp, custom_vjp
from myia.api.staged import staged
from myia.api.transforms import (
    elementwise_grad,
    grad,
    hessian,
    hvp,
    jacfwd,
    jacrev,
    jit,
    jvp,
    stop_gradient,
    value_and_grad,
    vjp,
)
from myia.source.diagnostics import InternalError, MyiaError

__all__ = [
    "InternalError",
    "MyiaError",
    "bounded",
    "check_grads",
    "checkpoint",
    "custom_jvp",
    "custom_vjp",
    "elementwise_grad",
    "grad",
    "hessian",
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
