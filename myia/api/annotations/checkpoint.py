"""`checkpoint`: calls that are recomputed for their derivative (rematerialization)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from myia.api.pickling import P, R, Wrapper
from myia.infer.derivatives import rematerialized_calls
from myia.infer.domain.facts import Held
from myia.infer.domain.values import Abstract, Partial
from myia.infer.eval.calls import CALLABLE_TYPES
from myia.infer.eval.interpreter import Interpreter
from myia.infer.registry import function


class Checkpointed(Wrapper[P, R]):
    """`checkpoint(f)`"""


def checkpoint(f: Callable[P, R]) -> Checkpointed[P, R]:
    """`f`; a derivative of its calls records only their arguments, and runs `f` again.

    This holds for derivatives of any order, in loops and outside. Called outside of compiled code
    it is `f`.

    Args:
        f: a function. Its arguments, of any structure, are kept; what it computes is not.

    Raises:
        MyiaError: by a call in compiled code, as `jit`.

    Example:
        >>> import numpy as np, myia
        >>> layer = myia.checkpoint(lambda w, x: np.tanh(w @ np.tanh(w @ x)))
        >>> myia.grad(lambda w: np.sum(layer(w, np.zeros(2))))(np.eye(2))
        array([[0., 0.],
               [0., 0.]])
    """
    return Checkpointed(f)


def _infer_call(
    ctx: Interpreter,
    checkpointed: Checkpointed[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
) -> Abstract:
    f = ctx.root(Held(checkpointed.f), "f")
    return rematerialized_calls.call_rematerialized(ctx, f, args, kwargs)


CALLABLE_TYPES[Checkpointed] = _infer_call


@function(checkpoint)
def _checkpoint_inside(ctx: Interpreter, f: Abstract) -> Partial:
    return Partial(rematerialized_calls.apply_checkpoint, (f,))
