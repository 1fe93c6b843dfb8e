"""`custom_jvp`, `custom_vjp`: functions whose derivative the user writes, with JAX's names."""

from __future__ import annotations

import copy
import functools
import operator
from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np

from myia.api.options import argument_numbers
from myia.api.pickling import Portable
from myia.frontend.source_text.texts import take
from myia.infer.custom.rules import CustomFunction, call_custom
from myia.infer.domain.facts import Attribute, Held
from myia.infer.domain.heap import InstanceObject
from myia.infer.domain.values import Abstract, Ref, Static, Tuple
from myia.infer.eval.calls import CALLABLE_TYPES
from myia.infer.registry import function


class _WithRule(Portable):
    """A function that comes with its derivative. Called outside of compiled code it is itself."""

    __myia__ = True  # a callable of ours, which binds like a function; not an object with state
    mode: str

    def __init__(self, fun: Callable, nondiff_argnums: int | Sequence[int] = ()):
        functools.update_wrapper(self, fun, updated=())
        take(fun)
        self.fun = fun
        self.nondiff_argnums = _numbers(nondiff_argnums)
        self.rules: tuple[Callable, ...] = ()
        self._given: tuple[str, tuple] | None = None  # what gave the rules: a method, its arguments

    def parts(self) -> tuple[Any, ...]:
        return self.fun, self.nondiff_argnums

    def __reduce__(self) -> str | tuple:
        found = super().__reduce__()
        # The rules may name this function, so they come when it has been made.
        return found if isinstance(found, str) else (*found, self._given)

    def __setstate__(self, given: tuple[str, tuple]) -> None:
        method, rules = given
        getattr(self, method)(*rules)

    def __deepcopy__(self, memo: dict[int, Any]) -> _WithRule:
        made, given = super().__deepcopy__(memo), copy.deepcopy(self._given, memo)
        if made is self and given is self._given:
            return self
        made = type(self)(*made.parts()) if made is self else made
        if given is not None:
            made.__setstate__(given)
        return made

    def __call__(self, *args, **kwargs):
        return self.fun(*args, **kwargs)

    def __get__(self, instance, owner=None):
        return self if instance is None else functools.partial(self, instance)


class custom_jvp(_WithRule):
    """A function whose derivative in forward mode is given; reverse mode is its transpose.

        @myia.custom_jvp                    @partial(myia.custom_jvp, nondiff_argnums=(0,))
        def f(x, y): ...                    def g(n, x): ...

        @f.defjvp                           @g.defjvp
        def f_jvp(primals, tangents):       def g_jvp(n, primals, tangents):
            ...                                 ...
            return f_of_x_y, tangent            return g_of_x, tangent

    `primals` and `tangents` are tuples of all arguments but those of `nondiff_argnums`; the tangent
    has the structure and shapes of the result, and must be linear in `tangents`. The tangent of an
    integer is 0. Derivatives of higher order are those of the rule. MyiaError where a rule does not
    fit the function.
    """

    mode = "jvp"

    def defjvp(self, jvp: Callable) -> Callable:
        """`jvp(*nondiff, primals, tangents) -> (result, tangent of the result)`; returns `jvp`."""
        take(jvp)
        self.rules, self._given = (jvp,), ("defjvp", (jvp,))
        return jvp

    def defjvps(self, *jvps: Callable | None) -> None:
        """One for each argument, `jvp(tangent, result, *primals)`, whose sum it is; None: zero."""
        if self.nondiff_argnums:
            raise TypeError("defjvps() cannot be used with nondiff_argnums: use defjvp()")
        self.rules, self._given = (_sum_of(self, jvps),), ("defjvps", jvps)


class custom_vjp(_WithRule):
    """A function whose derivative in reverse mode is given. It has none in forward mode.

        @partial(myia.custom_vjp, nondiff_argnums=(0,))
        def f(n, x, y): ...

        def f_fwd(n, x, y):                 def f_bwd(n, residuals, ct):
            ...                                 ...
            return f_of_x_y, residuals          return x_ct, y_ct

        f.defvjp(f_fwd, f_bwd)

    `ct` has the structure of the result; for each argument but those of `nondiff_argnums` the
    backward rule gives a cotangent of its structure and shapes, or None, which is zero. Derivatives
    of higher order are those of the rules. MyiaError where a rule does not fit the function.
    """

    mode = "vjp"

    def defvjp(self, fwd: Callable, bwd: Callable) -> None:
        """`fwd(*args) -> (result, residuals)`; `bwd(*nondiff, residuals, ct) -> cotangents`."""
        take(fwd)
        take(bwd)
        self.rules, self._given = (fwd, bwd), ("defvjp", (fwd, bwd))


def _numbers(nondiff_argnums: int | Sequence[int]) -> tuple[int, ...]:
    return argument_numbers("nondiff_argnums", nondiff_argnums)


def _sum_of(f: Callable, jvps: tuple[Callable | None, ...]) -> Callable:
    def rule(primals, tangents):
        y = f(*primals)
        total = None
        for i in range(len(jvps)):
            if jvps[i] is not None:
                term = jvps[i](tangents[i], y, *primals)
                total = term if total is None else jax.tree.map(operator.add, total, term)
        return y, jax.tree.map(np.zeros_like, y) if total is None else total

    return rule


def _infer_call(ctx, f: _WithRule, args, kwargs) -> Abstract:
    return call_with_rules(ctx, f, f.mode, ctx.fact(Attribute(f, "rules")), args, kwargs)


def call_with_rules(ctx, f, mode: str, functions: tuple[Callable, ...], args, kwargs) -> Abstract:
    """A call of `f.fun`, whose derivative these functions give."""

    fun = ctx.root(Held(f.fun), "f")
    rules = tuple(ctx.root(Held(rule), "rule") for rule in functions)
    custom = CustomFunction(f, f.fun.__name__, mode, fun, rules, f.nondiff_argnums)
    return call_custom(ctx, custom, args, kwargs)


CALLABLE_TYPES.update({custom_jvp: _infer_call, custom_vjp: _infer_call})


# ----- Inside compiled code


class _Inside:
    """What the decorators make in compiled code, as an object of the inferer."""

    def __call__(self, *args, **kwargs):
        """Never run: `_infer_call_inside` says what a call is."""


class _JvpInside(_Inside):
    def defjvp(self, jvp):
        self.rules = (jvp,)
        return jvp

    def defjvps(self, *jvps):
        self.rules = (_sum_of(self, jvps),)


class _VjpInside(_Inside):
    def defvjp(self, fwd, bwd):
        self.rules = (fwd, bwd)


def _decorator(cls: type[_Inside], mode: str) -> Callable:
    def handler(ctx, fun, nondiff_argnums=Static(())):
        names = ("fun", "mode", "nondiff_argnums", "rules")
        values = (fun, Static(mode), nondiff_argnums, Tuple(()))
        return ctx.new(InstanceObject(cls, names, values))

    return handler


function(custom_jvp)(_decorator(_JvpInside, "jvp"))
function(custom_vjp)(_decorator(_VjpInside, "vjp"))


@function(_Inside.__call__)
def _infer_call_inside(ctx, f: Ref, *args: Abstract, **kwargs: Abstract) -> Abstract:
    contents = ctx.contents(f)
    fun, mode, numbers, rules = contents.values
    argnums = (
        _numbers(numbers.value)
        if isinstance(numbers, Static)
        else tuple(ctx.int_of(x, "nondiff_argnums") for x in ctx.list_items(numbers))
    )
    name = fun.code.name if hasattr(fun, "code") else "a function"
    custom = CustomFunction(f.id, name, mode.value, fun, rules.items, argnums)
    return call_custom(ctx, custom, args, kwargs)
