"""`checkpoint`: calls that are recomputed for their derivative (rematerialization)."""

from __future__ import annotations

import functools
from collections.abc import Callable

from myia.api.pickling import Portable
from myia.frontend.source_text.texts import take
from myia.infer.derivatives import rematerialized_calls
from myia.infer.domain.facts import Held
from myia.infer.domain.values import Partial
from myia.infer.eval.calls import CALLABLE_TYPES
from myia.infer.registry import function


class Checkpointed(Portable):
    """`checkpoint(f)`"""

    __myia__ = True  # a callable of ours, which binds like a function; not an object with state

    def __init__(self, f: Callable):
        functools.update_wrapper(self, f, updated=())
        take(f)
        self.f = f

    def parts(self) -> tuple[Callable]:
        return (self.f,)

    def __call__(self, *args, **kwargs):
        return self.f(*args, **kwargs)

    def __get__(self, instance, owner=None):
        return self if instance is None else functools.partial(self, instance)


def checkpoint(f: Callable) -> Checkpointed:
    """`f`; a derivative of its calls records only their arguments, and runs `f` again.

    This holds for derivatives of any order, in loops and outside. Called outside of compiled code
    it is `f`.
    """
    return Checkpointed(f)


def _infer_call(ctx, checkpointed: Checkpointed, args, kwargs):
    f = ctx.root(Held(checkpointed.f), "f")
    return rematerialized_calls.call_rematerialized(ctx, f, args, kwargs)


CALLABLE_TYPES[Checkpointed] = _infer_call


@function(checkpoint)
def _checkpoint_inside(ctx, f):
    return Partial(rematerialized_calls.apply_checkpoint, (f,))
