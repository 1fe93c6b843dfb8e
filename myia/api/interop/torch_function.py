"""`torch_function`: read without torch, which is read when it is called."""

from __future__ import annotations

import functools
import importlib
from collections.abc import Callable
from typing import Any

from myia.api.options import OF_THE_PIPELINE, compile_options


def torch_function(f: Callable[..., Any] | None = None, **options: Any) -> Any:
    """`f`, compiled, as a function of tensors of torch that torch's autograd differentiates.

    Args:
        f: a function of arrays and numbers, written for NumPy. Without it, a decorator is returned.
        options: `checkpoint`, `memory`, `debug` and `exact` of `jit`.

    Returns:
        A function of tensors on the CPU, numbers, arrays, and containers of them (tuples, lists,
        dicts, instances). Each float, complex number and array in its result is a tensor, of the
        dtype that NumPy gives; Python's ints, bools and strings stay. `y.backward()` and
        `torch.autograd.grad` run our adjoint, which runs `f` again; it is such a function itself,
        so that `create_graph=True` works to any order. So do `torch.func.grad`, `jvp`, `vmap` and
        their relatives. Only tensors are differentiated, and of these only those that require it.

    Raises:
        ImportError: torch is not installed. TypeError, MyiaError: as `jit`; MyiaError if `f`
        changes an argument or an object from outside (generators are: make them of a seed in `f`).
        TypeError: `f` reads a tensor that requires a gradient, which is no argument.
        RuntimeError, from the backward pass: what `f` reads besides its arguments has changed; a
        tensor has been written to, or the graph been freed (both are torch's own).

    Example:
        >>> import numpy as np, torch, myia
        >>> @myia.torch_function
        ... def decay(x, rate):
        ...     while np.sum(x) > 1.0:
        ...         x = x * rate
        ...     return x
        >>> x = torch.tensor([2.0, 4.0], requires_grad=True)
        >>> decay(x, 0.5).sum().backward()
        >>> x.grad
        tensor([0.1250, 0.1250])
    """
    for name in options:
        if name not in OF_THE_PIPELINE:
            known = ", ".join(OF_THE_PIPELINE)
            raise TypeError(f"unknown option {name!r}. Those of torch_function are {known}")
    if f is None:
        return functools.partial(torch_function, **options)
    if not callable(f):
        raise TypeError(f"myia.torch_function takes a function, not {f!r}")
    return _TORCH().TorchFunction(f, compile_options(f, options))


def _TORCH() -> Any:
    return importlib.import_module("myia.api.interop.torch_autograd")
