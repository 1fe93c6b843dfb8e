"""The functions that `myia` exports, which it reads when the first of them is used."""

from myia.api.annotations.bounded import bounded
from myia.api.annotations.checkpoint import checkpoint
from myia.api.annotations.custom import custom_jvp, custom_vjp
from myia.api.annotations.host import host
from myia.api.annotations.staged import staged
from myia.api.check_grads import check_grads
from myia.api.files.cache import cache
from myia.api.files.save import save
from myia.api.interop.torch_function import torch_function
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
    vmap,
)

__all__ = [
    "bounded",
    "cache",
    "check_grads",
    "checkpoint",
    "custom_jvp",
    "custom_vjp",
    "elementwise_grad",
    "grad",
    "hessian",
    "host",
    "hvp",
    "jacfwd",
    "jacrev",
    "jit",
    "jvp",
    "save",
    "staged",
    "stop_gradient",
    "torch_function",
    "value_and_grad",
    "vjp",
    "vmap",
]
