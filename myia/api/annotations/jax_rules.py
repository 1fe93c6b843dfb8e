"""Functions of users that `jax.custom_jvp` and `jax.custom_vjp` decorated.

They and their rules are compiled, as with our decorators of these names. JAX is not asked for a
derivative: its decorators only hold what the user wrote.
"""

from __future__ import annotations

from typing import Any

import jax

from myia.api.annotations.custom import call_with_rules
from myia.infer.domain.facts import Attribute
from myia.infer.domain.values import Abstract
from myia.infer.eval.calls import CALLABLE_TYPES, Args, Kwargs
from myia.infer.eval.interpreter import Interpreter
from myia.infer.jax.objects.dispatch import call_library
from myia.infer.registry import is_traced
from myia.infer.unsupported import UnsupportedJax


def _call(
    ctx: Interpreter, f: jax.custom_jvp[Any] | jax.custom_vjp[Any], args: Args, kwargs: Kwargs
) -> Abstract:
    if is_traced(f):  # one of a library's own
        return call_library(ctx, f, args, kwargs)
    mode = "jvp" if isinstance(f, jax.custom_jvp) else "vjp"
    names = ("jvp",) if isinstance(f, jax.custom_jvp) else ("fwd", "bwd")
    given = [ctx.fact(Attribute(f, name)) for name in names]  # users may replace them
    rules = tuple(rule for rule in given if rule is not None)
    if ctx.fact(Attribute(f, "symbolic_zeros")) or any(map(is_traced, rules)):
        form = "`symbolic_zeros`" if f.symbolic_zeros else "`defjvps`"
        help_text = f"decorate it with `myia.custom_{mode}`, which has JAX's names"
        ctx.fail(UnsupportedJax, what=f"{form} of `jax.custom_{mode}`", help_text=help_text)
    return call_with_rules(ctx, f, f.fun, mode, rules, args, kwargs)


CALLABLE_TYPES.update({jax.custom_jvp: _call, jax.custom_vjp: _call})
